//! Keeps our journal small beside the files: what is old is summed up, one line a lesson and one
//! line a run, each in its place, so that a merge meets few of them. The newest operations stay
//! as they are: those can be undone.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Batch, Change, LessonField, OperationHead, Tables};
use hardwon_core::ids::{LessonId, OperationId, ProjectId, RunId};
use hardwon_core::lesson::{Inherited, Lesson, State, Upkeep};
use hardwon_core::project::Project;
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;
use hardwon_store::{JournalLine, MemoryStore};

use super::journal::{self, SUMMARY};

/// Below this a journal is left alone, however small the files are.
const FLOOR: usize = 64 * 1024;
/// How many times the size of the records a journal may have.
const TIMES: usize = 8;
/// Root runs that are kept with all that happened in them: several times as many as any rule
/// looks back.
const N_RUNS: usize = 20;
/// Effects of a lesson that are kept from older runs: more than any rule asks for.
const N_EFFECTS: usize = 20;

/// The journal, shorter; `None` while it is small enough beside so many bytes of records.
pub(super) fn compacted(bytes: &[u8], n_records: usize, project: &ProjectId) -> Option<Vec<u8>> {
    let room = FLOOR.max(TIMES * n_records);
    if bytes.len() <= room {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let is_summed = |line: &&str| line.contains("\"marks\":{\"summary\"");
    let n_summed: usize = text.lines().filter(is_summed).map(str::len).sum();
    if bytes.len() < 2 * n_summed {
        // It would be as long again after a few writes.
        return None;
    }
    let lines = text.lines().filter(|line| !line.starts_with("{\"done\":"));
    let lines: Result<Vec<JournalLine>, String> =
        lines.map(|line| JournalLine::decode(line, project)).collect();
    shortened(lines.ok()?, room / 4, project)
}

fn shortened(
    mut lines: Vec<JournalLine>,
    tail_bytes: usize,
    project: &ProjectId,
) -> Option<Vec<u8>> {
    // Only the last line has to say what it did to the files.
    let n_lines = lines.len();
    for line in lines.iter_mut().take(n_lines.saturating_sub(1)) {
        line.marks.retain(|name, _| name == SUMMARY);
    }
    let at = first_kept(&lines, tail_bytes)?;
    let mut tail = lines.split_off(at);
    let through = lines.last()?.operation;
    let mut memory = MemoryStore::new();
    for line in lines {
        let is_summary = line.marks.contains_key(SUMMARY);
        if is_summary { memory.sum_up(line) } else { memory.replay(line) }.ok()?;
    }
    let tables = memory.tables();
    let kept = kept_roots(tables);
    let until = counted_until(tables, &kept);
    let mut out = String::new();
    for changes in summary(tables, project, &kept, until) {
        push(&mut out, &summed_up(project, OperationId(1), changes));
    }
    push(&mut out, &summed_up(project, through, Vec::new()));
    for line in &mut tail {
        line.batch.changes.iter_mut().for_each(|change| fitted(change, tables, until));
        push(&mut out, line);
    }
    out.push_str(&journal::done(tail.last()?.operation));
    Some(out.into_bytes())
}

/// Where the newest operations begin that fit in so many bytes; always one of them, whole.
fn first_kept(lines: &[JournalLine], tail_bytes: usize) -> Option<usize> {
    let (mut n_bytes, mut first) = (0, None);
    for (at, line) in lines.iter().enumerate().rev() {
        n_bytes += line.encode().len();
        if line.marks.contains_key(SUMMARY) || (n_bytes > tail_bytes && first.is_some()) {
            break;
        }
        let begins = at == 0 || lines[at - 1].operation < line.operation;
        if begins {
            first = Some(at);
        }
    }
    first.filter(|at| *at > 0)
}

fn push(out: &mut String, line: &JournalLine) {
    out.push_str(&line.encode());
    out.push('\n');
}

fn summed_up(project: &ProjectId, operation: OperationId, changes: Vec<Change>) -> JournalLine {
    let (command, actor) = (SUMMARY.to_owned(), "hardwon".to_owned());
    let head = OperationHead { command, actor, at: Timestamp(0), undoes: None };
    let batch = Batch { project: project.clone(), head, continues: None, changes };
    JournalLine { operation, batch, marks: BTreeMap::from([(SUMMARY.to_owned(), String::new())]) }
}

/// The changes of each line: the project, each lesson, each root run with all about it.
fn summary(
    tables: &Tables,
    project: &ProjectId,
    kept: &BTreeSet<RunId>,
    until: Option<Timestamp>,
) -> Vec<Vec<Change>> {
    let mut first: Vec<Change> = Vec::new();
    first.extend(tables.projects.values().map(|after| Change::EditProject {
        before: Box::new(Project::bare(project.clone())),
        after: Box::new(after.clone()),
    }));
    let marks = tables.tombstones.values().cloned();
    first.extend(marks.map(|tombstone| Change::AddTombstone { tombstone }));
    // Money that was spent stays spent.
    let asked = tables.consultations.values().cloned();
    first.extend(asked.map(|it| Change::AddConsultation { consultation: Box::new(it) }));
    let mut lines = vec![first];
    lines.extend(tables.lessons.values().map(|lesson| {
        let (lesson, because) = (Box::new(counted(lesson, lesson.state, until)), String::new());
        vec![Change::AddLesson { lesson, because }]
    }));
    lines.extend(of_runs(tables, kept).into_values());
    lines.retain(|changes| !changes.is_empty());
    lines
}

/// The newest root runs.
fn kept_roots(tables: &Tables) -> BTreeSet<RunId> {
    let mut roots: Vec<&Run> = tables.runs.values().filter(|run| run.id == run.root).collect();
    roots.sort_by_key(|run| (run.number, run.recorded_at));
    let known: BTreeSet<&RunId> = tables.runs.values().map(|run| &run.id).collect();
    // What was shown to a run that is still under way.
    let open =
        tables.injections.values().map(|shown| &shown.run).filter(|run| !known.contains(run));
    let newest = roots.iter().rev().take(N_RUNS).map(|run| &run.id);
    newest.chain(open).cloned().collect()
}

/// When the last run ended that is not kept.
fn counted_until(tables: &Tables, kept: &BTreeSet<RunId>) -> Option<Timestamp> {
    let dropped = tables.runs.values().filter(|run| !kept.contains(&run.root));
    dropped.filter_map(|run| run.finished.or(run.started)).max()
}

/// The lesson, which still knows that older runs were counted.
fn counted(lesson: &Lesson, state: State, until: Option<Timestamp>) -> Lesson {
    Lesson { upkeep: upkeep(lesson.upkeep, state, until), ..lesson.clone() }
}

fn upkeep(upkeep: Upkeep, state: State, until: Option<Timestamp>) -> Upkeep {
    let Some(until) = until else { return upkeep };
    let none = Inherited { state, seen_until: until, unseen_until: until };
    let known = upkeep.inherited.unwrap_or(none);
    let (seen_until, unseen_until) = (known.seen_until.max(until), known.unseen_until.max(until));
    Upkeep { inherited: Some(Inherited { seen_until, unseen_until, ..known }), ..upkeep }
}

/// A later change of a lesson that was summed up: what it found is as the summary says.
fn fitted(change: &mut Change, tables: &Tables, until: Option<Timestamp>) {
    let state_of = |id: &LessonId| tables.lessons.get(id).map(|lesson| lesson.state);
    match change {
        Change::EditLesson { lesson, fields, .. } => {
            let Some(state) = state_of(lesson) else { return };
            for field in fields {
                if let LessonField::Upkeep(step) = field {
                    step.from = upkeep(step.from, state, until);
                    step.to = upkeep(step.to, state, until);
                }
            }
        }
        Change::RemoveLesson { lesson, .. } | Change::AddLesson { lesson, .. } => {
            let Some(state) = state_of(&lesson.id) else { return };
            **lesson = counted(lesson, state, until);
        }
        _ => {}
    }
}

/// What happened in each root run, and the last effects of lessons in older ones.
fn of_runs(tables: &Tables, kept: &BTreeSet<RunId>) -> BTreeMap<RunId, Vec<Change>> {
    let mut lines: BTreeMap<RunId, Vec<Change>> = BTreeMap::new();
    let mut put =
        |root: &RunId, change: Change| lines.entry(root.clone()).or_default().push(change);
    let mut roots: BTreeMap<&RunId, &RunId> = BTreeMap::new();
    for run in tables.runs.values().filter(|run| kept.contains(&run.root)) {
        roots.insert(&run.id, &run.root);
        put(&run.root, Change::AddRun { run: Box::new(run.clone()) });
    }
    for finding in tables.findings.values().filter(|finding| kept.contains(&finding.root)) {
        put(&finding.root, Change::AddFinding { finding: Box::new(finding.clone()) });
    }
    for it in tables.deliberations.values() {
        if let Some(root) = roots.get(&it.run) {
            put(root, Change::AddDeliberation { deliberation: Box::new(it.clone()) });
        }
    }
    for it in tables.attempts.values() {
        if let Some(root) = roots.get(&it.run) {
            put(root, Change::AddAttempt { attempt: Box::new(it.clone()) });
        }
    }
    for injection in tables.injections.values() {
        let root = roots.get(&injection.run).copied().unwrap_or(&injection.run);
        if kept.contains(root) {
            put(root, Change::AddInjection { injection: injection.clone() });
        }
    }
    let mut n_old: BTreeMap<&LessonId, usize> = BTreeMap::new();
    let mut effects: Vec<_> = tables.effects.values().collect();
    effects.sort_by_key(|effect| std::cmp::Reverse(effect.run_number));
    for effect in effects {
        let n_old = n_old.entry(&effect.lesson).or_default();
        *n_old += usize::from(!kept.contains(&effect.root));
        if kept.contains(&effect.root) || *n_old <= N_EFFECTS {
            put(&effect.root, Change::AddEffect { effect: effect.clone() });
        }
    }
    lines
}
