//! Random but valid writes from a seed: the same seed gives the same batches. What is
//! valid is looked up in the tables of a memory store that receives the same batches.

use hardwon_core::change::{Change, Tables};
use hardwon_core::consult::{Consultation, Proposed};
use hardwon_core::deliberation::Deliberation;
use hardwon_core::effect::{EffectKind, Injection};
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::ids::{ProjectId, RunId};
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Unseen};
use hardwon_core::project::Project;
use hardwon_core::run::{Outcome, Run};
use hardwon_core::time::Timestamp;

use super::sample::{self, run_id};

/// Words of the texts: some common, some rare, some of other scripts, some joined.
const WORDS: &str = "\
    query query query retry retry socket timeout naïve Straße ロック 認証トークン parseConfig \
    snake_case_name unwrap deadlock leak cache stale index boundary overflow session \
    cookie header escape quote concatenation schema migration rollback nonce padding \
    utf8 locale";

/// A small, well known generator (split-mix), so that a seed means the same for ever.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, several: &'a [T]) -> Option<&'a T> {
        several.get(self.below(several.len()))
    }

    fn any<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn word(&mut self) -> &'static str {
        let all: Vec<&str> = WORDS.split(' ').collect();
        self.any(&all)
    }

    pub fn words(&mut self) -> String {
        let n_words = 2 + self.below(6);
        let words: Vec<&str> = (0..n_words).map(|_| self.word()).collect();
        words.join(" ")
    }
}

/// The projects that random writes go to.
pub fn projects() -> [ProjectId; 3] {
    ["shop", "bakery", "Ünïcode Ltd"].map(ProjectId::new)
}

/// The runs that random writes name.
pub fn runs() -> Vec<RunId> {
    (0..12).map(|n| run_id(&format!("r{n}"))).collect()
}

/// Up to eight changes that fit these tables one after the other.
pub fn changes(random: &mut Random, tables: &Tables, project: &ProjectId) -> Vec<Change> {
    let mut tables = tables.clone();
    let mut changes = Vec::new();
    for _ in 0..=random.below(8) {
        let change = change(random, &tables, project);
        if let Some(change) = change.filter(|change| tables.apply(project, change).is_ok()) {
            changes.push(change);
        }
    }
    changes
}

fn change(random: &mut Random, tables: &Tables, project: &ProjectId) -> Option<Change> {
    match random.below(17) {
        0 | 1 => Some(sample::add_run(&run(random))),
        2 => edit_run(random, tables, project),
        3 | 4 => Some(sample::add_finding(&finding(random, tables, project))),
        5 => edit_finding(random, tables, project),
        6 | 7 => Some(sample::add_lesson(&lesson(random, project))),
        8 | 9 => edit_lesson(random, tables, project),
        10 => Some(sample::add_injection(&injection(random, tables, project))),
        11 => Some(describe(random, tables, project)),
        12 | 13 => Some(deliberation(random, tables, project)),
        14 => Some(attempt(random, tables, project)),
        15 => Some(consultation(random, tables, project)),
        _ => effect_or_removal(random, tables, project),
    }
}

fn run(random: &mut Random) -> Run {
    let number = random.below(12) as u64;
    let id = format!("r{}", random.below(12));
    let parent = (random.below(3) == 0).then(|| run_id("r0")).filter(|_| id != "r0");
    Run {
        root: parent.clone().unwrap_or_else(|| run_id(&id)),
        parent,
        number: (random.below(4) > 0).then_some(number),
        is_learned: random.below(4) > 0,
        is_counted: random.below(4) > 0,
        outcome: random.pick(Outcome::ALL).copied().filter(|_| number > 3),
        finished: (number != 5).then_some(Timestamp(number as i64 * 10)),
        ..sample::run(&id, number)
    }
}

fn edit_run(random: &mut Random, tables: &Tables, project: &ProjectId) -> Option<Change> {
    let before = of_project(random, tables.runs.iter().map(|((p, _), run)| (p, run)), project)?;
    let after = Run { id: before.id.clone(), recorded_at: before.recorded_at, ..run(random) };
    Some(Change::EditRun { before: Box::new(before), after: Box::new(after) })
}

fn finding(random: &mut Random, tables: &Tables, project: &ProjectId) -> Finding {
    let run = format!("r{}", random.below(12));
    let known = tables.runs.get(&(project.clone(), run_id(&run)));
    let root = known.map_or_else(|| run_id(&run), |run| run.root.clone());
    let words = random.words();
    Finding {
        root,
        state: random.any(FindingState::ALL),
        lesson: any_lesson(random, tables, project).map(|lesson| lesson.id),
        likeness: random.below(100) as f64 / 100.0,
        repair: (random.below(2) == 0).then(|| "Bind its parameters".to_owned()),
        ruled_by: (random.below(3) == 0).then(|| "inspector".to_owned()),
        ..sample::finding(&run, &words)
    }
}

fn edit_finding(random: &mut Random, tables: &Tables, project: &ProjectId) -> Option<Change> {
    let findings = tables.findings.iter().map(|((p, ..), finding)| (p, finding));
    let before = of_project(random, findings, project)?;
    let after = Finding {
        state: random.any(FindingState::ALL),
        lesson: any_lesson(random, tables, project).map(|lesson| lesson.id),
        fixed_in: (random.below(2) == 0).then(|| run_id("r1")),
        ..before.clone()
    };
    Some(Change::EditFinding { before: Box::new(before), after: Box::new(after) })
}

fn lesson(random: &mut Random, project: &ProjectId) -> Lesson {
    let owner = (random.below(4) > 0).then(|| project.clone());
    let words = random.words();
    let mut lesson = sample::lesson_of(owner, &words);
    lesson.kind = random.any(Kind::ALL);
    lesson.origin = random.any(Origin::ALL);
    vary(random, &mut lesson);
    lesson
}

fn edit_lesson(random: &mut Random, tables: &Tables, project: &ProjectId) -> Option<Change> {
    let before = any_lesson(random, tables, project)?;
    let mut after = before.clone();
    vary(random, &mut after);
    if random.below(3) == 0 {
        let words = random.words();
        after.text = sample::text(&words);
    }
    Change::edit_lesson(&before, &after, "at random")
}

fn vary(random: &mut Random, lesson: &mut Lesson) {
    lesson.state = random.any(State::ALL);
    lesson.importance = random.below(10) as f64 / 10.0;
    lesson.confidence = random.below(10) as f64 / 10.0;
    lesson.n_sightings = random.below(25) as u32;
    lesson.is_pinned = random.below(5) == 0;
    lesson.unseen = Unseen { n_runs: random.below(5) as u32, checked_at: random.below(9) as u64 };
    lesson.signatures = (0..random.below(3)).map(|n| format!("s-{n}")).collect();
    lesson.aliases = (0..random.below(3)).map(|n| format!("AF-{}", n + random.below(4))).collect();
    lesson.tags = vec![random.words()];
    lesson.paths = vec![format!("src/{}.rs", random.word())];
}

fn injection(random: &mut Random, tables: &Tables, project: &ProjectId) -> Injection {
    let lessons: Vec<Lesson> =
        (0..random.below(4)).filter_map(|_| any_lesson(random, tables, project)).collect();
    let run = format!("r{}", random.below(12));
    let role = random.any(&["", "maker", "judge"]);
    let injection = sample::injection(&run, role, &lessons.iter().collect::<Vec<_>>());
    Injection { at: Timestamp(random.below(1000) as i64), ..injection }
}

fn deliberation(random: &mut Random, tables: &Tables, project: &ProjectId) -> Change {
    let known = tables.deliberations.iter().map(|((p, _), it)| (p, it));
    if random.below(4) == 0
        && let Some(known) = of_project(random, known, project)
    {
        return sample::add_deliberation(&known).inverse();
    }
    let (run, at) = (format!("r{}", random.below(12)), random.below(1000) as i64);
    let words = random.words();
    let role = random.any(&["judge", "auditor"]).to_owned();
    sample::add_deliberation(&Deliberation { role, ..sample::deliberation(&run, at, &words) })
}

fn attempt(random: &mut Random, tables: &Tables, project: &ProjectId) -> Change {
    let known = tables.attempts.iter().map(|((p, _), it)| (p, it));
    if random.below(4) == 0
        && let Some(known) = of_project(random, known, project)
    {
        return sample::add_attempt(&known).inverse();
    }
    let (run, at) = (format!("r{}", random.below(12)), random.below(1000) as i64);
    sample::add_attempt(&sample::attempt(&run, at, &random.words()))
}

fn consultation(random: &mut Random, tables: &Tables, project: &ProjectId) -> Change {
    let known = tables.consultations.iter().map(|((p, _), it)| (p, it));
    if random.below(2) == 0
        && let Some(known) = of_project(random, known, project)
    {
        let proposed = Proposed { reason: random.words(), ..Proposed::default() };
        let after = Consultation { is_answered: true, proposed: Some(proposed), ..known.clone() };
        return sample::edit_consultation(&known, &after);
    }
    let (run, at) = (format!("r{}", random.below(12)), random.below(1000) as i64);
    sample::add_consultation(&sample::consultation(&run, at))
}

fn describe(random: &mut Random, tables: &Tables, project: &ProjectId) -> Change {
    let bare = Project::bare(project.clone());
    let before = tables.projects.get(project).cloned().unwrap_or_else(|| bare.clone());
    let path = format!("/home/{}", random.any(&["ada", "bob"]));
    let mark = random.any(&[None, Some("one"), Some("two")]);
    let after = match random.below(4) {
        0 => bare,
        3 => sample::with_team(sample::project_at(project.as_str(), &path, mark)),
        _ => sample::project_at(project.as_str(), &path, mark),
    };
    sample::edit_project(&before, &after)
}

fn effect_or_removal(random: &mut Random, tables: &Tables, project: &ProjectId) -> Option<Change> {
    let lesson = any_lesson(random, tables, project)?;
    if random.below(3) == 0 {
        return Some(Change::RemoveLesson { lesson: Box::new(lesson), because: "x".into() });
    }
    let number = random.below(12);
    let kind = random.any(EffectKind::ALL);
    let effect = sample::effect(&lesson, &format!("r{number}"), number as u64, kind);
    let key = (project.clone(), effect.root.clone(), effect.lesson.clone());
    Some(match tables.effects.get(&key) {
        Some(known) => sample::add_effect(known).inverse(),
        None => sample::add_effect(&effect),
    })
}

fn any_lesson(random: &mut Random, tables: &Tables, project: &ProjectId) -> Option<Lesson> {
    let visible = |lesson: &&Lesson| lesson.project.as_ref().is_none_or(|owner| owner == project);
    let lessons: Vec<&Lesson> = tables.lessons.values().filter(visible).collect();
    random.pick(&lessons).map(|lesson| (*lesson).clone())
}

fn of_project<'a, T: Clone + 'a>(
    random: &mut Random,
    rows: impl Iterator<Item = (&'a ProjectId, &'a T)>,
    project: &ProjectId,
) -> Option<T> {
    let rows: Vec<&T> = rows.filter(|(owner, _)| *owner == project).map(|(_, row)| row).collect();
    random.pick(&rows).map(|row| (*row).clone())
}
