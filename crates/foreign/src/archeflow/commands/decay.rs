//! One more run went by: lessons that were not seen in it wear out. A call of `decay` marks
//! the end of one run: the newest that was extracted and not counted yet, or one that was
//! never reported.

use hardwon_core::change::Change;
use hardwon_core::ids::RunId;
use hardwon_core::lesson::{Lesson, State, Unseen};
use hardwon_core::lifecycle;
use hardwon_core::run::Run;
use hardwon_engine::{Call, Memory, Result};
use hardwon_store::{LessonQuery, Pick, ProjectStatus};

use super::Archeflow;

/// What wore out.
#[derive(Clone, Debug, Default)]
pub struct Decayed {
    /// Lessons that lost one of their number.
    pub n_decayed: usize,
    /// Those of which nothing was left.
    pub archived: Vec<Lesson>,
}

impl Archeflow {
    /// Counts a run. A lesson that was seen in it is spared.
    pub fn decay(&mut self) -> Result<Decayed> {
        self.write("archeflow decay", |memory, call, status| {
            let counted = counted_run(memory, call, status)?;
            let mut decayed = Decayed::default();
            let mut changes = counted.changes.clone();
            for lesson in due(memory, call, &counted)? {
                changes.extend(worn(memory, call, &lesson, &counted, &mut decayed));
            }
            Ok((changes, decayed))
        })
    }
}

/// The run whose end a call marks.
struct Counted {
    changes: Vec<Change>,
    number: u64,
    /// Number of the run that was counted before it.
    before: u64,
}

fn counted_run(memory: &Memory, call: &Call, status: &ProjectStatus) -> Result<Counted> {
    let runs = memory.store.numbered_runs(&call.project, 0, status.run_number)?;
    let is_counted = |number| runs.iter().any(|run| run.number == number && run.is_counted);
    let open: Vec<&Run> =
        runs.iter().filter(|run| run.id == run.root && !is_counted(run.number)).collect();
    let before = runs.iter().filter(|run| run.is_counted).filter_map(|run| run.number).max();
    let before = before.unwrap_or(0);
    let Some(number) = open.iter().filter_map(|run| run.number).max() else {
        let number = status.run_number + 1;
        return Ok(Counted { changes: vec![unnamed_run(call, number)], number, before });
    };
    let count = |run: &&Run| Change::EditRun {
        before: Box::new((*run).clone()),
        after: Box::new(Run { is_counted: true, ..(*run).clone() }),
    };
    Ok(Counted { changes: open.iter().map(count).collect(), number, before })
}

/// A run about which nothing is known but that it ended.
fn unnamed_run(call: &Call, number: u64) -> Change {
    let id = RunId::parse(&format!("unnamed-{number}")).expect("letters, a dash and digits");
    let run =
        Run { number: Some(number), is_learned: true, is_counted: true, ..Run::stub(id, call.now) };
    Change::AddRun { run: Box::new(run) }
}

/// Lessons to check. Unseen runs are counted by their numbers, so mostly only those for
/// which enough have gone by; but however many runs were extracted since, a call counts
/// as one, and then every lesson has to be updated.
fn due(memory: &Memory, call: &Call, counted: &Counted) -> Result<Vec<Lesson>> {
    let run_number = counted.number;
    let window = if run_number == counted.before + 1 {
        u64::from(memory.policy.decay.runs_per_step)
    } else {
        1
    };
    let pick = Pick::DecayDue { run_number, window };
    let query = LessonQuery { pick, ..LessonQuery::default() };
    let mut due = memory.store.lessons(&call.project, &query)?;
    due.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(due)
}

fn worn(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    counted: &Counted,
    decayed: &mut Decayed,
) -> Vec<Change> {
    let policy = &memory.policy.decay;
    let Unseen { checked_at, .. } = lesson.unseen;
    if checked_at >= counted.number {
        return Vec::new();
    }
    let n_unseen = counted.before.saturating_sub(checked_at) as u32 + 1;
    let worn = lifecycle::unseen(lesson, n_unseen, counted.number, false, policy);
    decayed.n_decayed += usize::from(worn.standing < lesson.standing);
    let because = format!("unseen in {n_unseen} more runs");
    let mut changes = Vec::from_iter(Change::edit_lesson(lesson, &worn, &because));
    if let Some(step) = lifecycle::decay(&worn, policy) {
        let after = step.applied(&worn, call.now);
        changes.extend(Change::edit_lesson(&worn, &after, &step.reason));
        if after.state == State::Decayed {
            decayed.archived.push(after);
        }
    }
    changes
}
