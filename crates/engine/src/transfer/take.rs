//! Takes an export of ours into this memory. What is not approved waits in quarantine
//! without runs, effects or marks; what a person approved comes in as it was. The same
//! again changes nothing, and what was forgotten here is not brought back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hardwon_core::change::{Change, Tombstone};
use hardwon_core::conflict;
use hardwon_core::effect::Shown;
use hardwon_core::event::Problem;
use hardwon_core::gate::Gate;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, Origin, State};
use hardwon_core::matching::compare;
use hardwon_core::propose;
use hardwon_core::text::Text;
use hardwon_core::transfer::{Moved, of_team, unapproved};
use hardwon_render::answer::{
    self, Answer, Decimal, ForeignFolder, Id, Imported, OpposedLesson, SimilarLesson, TrustStanding,
};
use hardwon_store::LessonQuery;

use super::OWN;
use crate::exports::gated::Gated;
use crate::exports::{is_export_at, read, refuse_odd};
use crate::lookup;
use crate::memory::{Call, EngineError, Memory, Result};
use crate::place::Environment;
use crate::transfer::own;
use crate::trust;
use crate::write::{Command, Decision, write};

/// New lessons that are compared with those that are here.
const MAX_COMPARED: usize = 500;
/// How many lessons are looked at for one.
const N_PROPOSALS: usize = 8;

/// What an export holds, whether it is approved, and its name.
pub(super) struct Source {
    pub gated: Gated,
    pub is_trusted: bool,
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// What is found in a file of ours, without using it.
pub fn look_into(environment: &Environment, path: &Path) -> Result<(ForeignFolder, Vec<Problem>)> {
    let gated = read(path, &Gate::standard())?;
    let standing = trust::standing_of(environment, path, &gated.digest)?;
    let problems = problems_of(path, &gated);
    let found = ForeignFolder {
        system: OWN.to_owned(),
        folder: path.display().to_string(),
        digest: gated.digest,
        standing: standing.into(),
        lessons: gated.lessons.iter().map(answer::Lesson::from).collect(),
        notes: Vec::new(),
    };
    Ok((found, problems))
}

fn problems_of(path: &Path, gated: &Gated) -> Vec<Problem> {
    let problem = |(line, reason): &(usize, String)| {
        Problem::new(format!("{}:{line}", path.display()), reason.clone())
    };
    gated.unusable.iter().map(problem).collect()
}

/// Imports a file that `export` wrote.
pub fn import_file(
    memory: &mut Memory,
    call: &Call,
    environment: &Environment,
    path: &str,
) -> Result<Answer<Imported>> {
    let path = &environment.folder.join(path);
    refuse_odd(path)?;
    let refused = |reason| Err(EngineError::NotExport { path: path.to_owned(), reason });
    if !path.exists() {
        return refused("no such file or folder");
    }
    if path.is_file() && !is_export_at(path) {
        return refused("not an export of hardwon");
    }
    let gated = read(path, &memory.gate)?;
    let standing = trust::standing_of(environment, path, &gated.digest)?;
    let is_trusted = standing == TrustStanding::Trusted && !call.is_agent();
    let mut problems = problems_of(path, &gated);
    let name = path.display().to_string();
    let source = Source { gated, is_trusted, name, origin: Origin::Import };
    let (_, (imported, said)) =
        write(memory, call, &Command::new("import"), &mut |memory, status| {
            taking(memory, call, &source, status.run_number)
        })?;
    problems.extend(said);
    if !imported.quarantined.is_empty() {
        problems.push(Problem::new(&source.name, waits(standing)));
    }
    Ok(Answer::of(imported, problems).empty_if(|it| it.n_read == 0))
}

pub(super) fn taking(
    memory: &Memory,
    call: &Call,
    source: &Source,
    after: u64,
) -> Decision<(Imported, Vec<Problem>)> {
    let gated = &source.gated;
    let mut taken = ImportPlan::of(memory, call, source)?;
    let ids = own_ids(memory, call, &gated.lessons, &taken)?;
    let moved = Moved { ids: &ids, after };
    for lesson in &gated.lessons {
        take_one(memory, call, lesson, &moved, source, &mut taken)?;
    }
    if source.is_trusted && source.origin == Origin::Import {
        take_rows(memory, call, &moved, gated, &mut taken)?;
    }
    Ok((taken.changes, (taken.imported, taken.problems)))
}

/// What the lessons are called here: as there, unless that is another lesson's name.
fn own_ids(
    memory: &Memory,
    call: &Call,
    lessons: &[Lesson],
    so_far: &ImportPlan,
) -> Result<BTreeMap<LessonId, LessonId>> {
    let mut ids = BTreeMap::new();
    let mut taken: BTreeSet<LessonId> = BTreeSet::new();
    let is_in_store = |id: &LessonId| memory.store.is_taken(&call.project, id);
    for lesson in lessons {
        let id = match so_far.same(lesson) {
            Some(here) => here.id.clone(),
            // It is not taken; what refers to it keeps its name.
            None if so_far.is_gone(&lesson.id) => lesson.id.clone(),
            None if !taken.contains(&lesson.id) && !is_in_store(&lesson.id)? => lesson.id.clone(),
            None => {
                let owner = lesson.project.as_ref().map(|_| &call.project);
                let is_taken =
                    |id: &LessonId| taken.contains(id) || is_in_store(id).unwrap_or(true);
                LessonId::derive(owner, lesson.kind.word(), lesson.text.as_str(), is_taken)
            }
        };
        taken.insert(id.clone());
        ids.insert(lesson.id.clone(), id);
    }
    Ok(ids)
}

fn take_one(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    moved: &Moved<'_>,
    source: &Source,
    taken: &mut ImportPlan,
) -> Result<()> {
    // By its name or any of its wordings.
    let covers =
        |mark: &&Tombstone| mark.lesson == lesson.id || mark.covers_text(lesson.text.as_str());
    if let Some(mark) = taken.marks.iter().find(covers) {
        let (id, at) = (mark.lesson.clone(), mark.at);
        taken.imported.n_forgotten += 1;
        taken.imported.n_rejected += 1;
        let reason = format!("not taken: forgotten for good on {}", at.date());
        taken.problems.push(Problem::new(&id, reason));
        return Ok(());
    }
    let mut lesson = moved.lesson(lesson, &call.project);
    lesson = match (source.origin, source.is_trusted) {
        (Origin::Team, true) => of_team(lesson),
        (_, true) => lesson,
        (origin, false) => Lesson { origin, ..unapproved(lesson) },
    };
    let Some(known) = taken.known.get(&lesson.id).cloned() else {
        add_one(memory, call, lesson, source, taken)?;
        return Ok(());
    };
    let waits =
        known.state == State::Quarantined && matches!(known.origin, Origin::Import | Origin::Team);
    let is_released = waits && source.is_trusted && lesson.state != State::Quarantined;
    if !is_released {
        taken.imported.n_known += 1;
        return Ok(());
    }
    let (author, origin, created_at) = (known.author.clone(), known.origin, known.created_at);
    let project = known.project.clone();
    let after = Lesson { author, origin, created_at, project, ..lesson };
    let because = format!("imported again from an export by {}", call.actor);
    taken.changes.extend(Change::edit_lesson(&known, &after, &because));
    taken.imported.released.push(known.id.clone().into());
    Ok(())
}

fn add_one(
    memory: &Memory,
    call: &Call,
    lesson: Lesson,
    source: &Source,
    taken: &mut ImportPlan,
) -> Result<()> {
    taken.imported.added.push(lesson.id.clone().into());
    if lesson.state == State::Quarantined && !source.is_trusted {
        taken.imported.quarantined.push(lesson.id.clone().into());
    }
    if taken.imported.added.len() <= MAX_COMPARED {
        compare_one(memory, call, &lesson, taken)?;
    }
    let because = format!("imported from an export by {}", call.actor);
    taken.changes.push(Change::AddLesson { lesson: Box::new(lesson), because });
    Ok(())
}

/// Says which lessons here are much like a new one, or say the opposite.
fn compare_one(
    memory: &Memory,
    call: &Call,
    lesson: &Lesson,
    taken: &mut ImportPlan,
) -> Result<()> {
    let terms = propose::terms_of_lesson(lesson);
    let text = lesson.text.as_str();
    for here in lookup::proposals(memory, call, terms, false, N_PROPOSALS)?.lessons {
        let known = here.text.as_str();
        if conflict::oppose(text, known) {
            let (lesson, known) = (Id(lesson.id.clone()), Id(here.id));
            taken.imported.opposed.push(OpposedLesson { lesson, known });
        } else if let Some(alike) = compare::same_text(text, known, &memory.policy.matching) {
            let (lesson, known) = (Id(lesson.id.clone()), Id(here.id));
            let likeness = Decimal(alike);
            taken.imported.similar.push(SimilarLesson { lesson, known, likeness });
        }
    }
    Ok(())
}

/// Runs that are not known here with all about them, and marks of what was forgotten.
fn take_rows(
    memory: &Memory,
    call: &Call,
    moved: &Moved<'_>,
    gated: &Gated,
    taken: &mut ImportPlan,
) -> Result<()> {
    let here = own::own_tables(memory, call)?;
    let p = || call.project.clone();
    let is_new = |run: &RunId| !here.runs.contains_key(&(p(), run.clone()));
    for run in gated.runs.iter().filter(|run| is_new(&run.id)) {
        let mut run = run.clone();
        run.number = run.number.map(|number| number + moved.after);
        taken.imported.n_runs += 1;
        taken.changes.push(Change::AddRun { run: Box::new(run) });
    }
    for finding in gated.findings.iter().filter(|finding| is_new(&finding.run)) {
        let mut finding = finding.clone();
        finding.lesson = finding.lesson.as_ref().map(|id| moved.id(id));
        let key = (p(), finding.run.clone(), finding.key.clone());
        let is_forgotten = taken.marks.iter().any(|mark| mark.covers(&finding));
        if !here.findings.contains_key(&key) && !is_forgotten {
            taken.changes.push(Change::AddFinding { finding: Box::new(finding) });
        }
    }
    for injection in gated.injections.iter().filter(|injection| is_new(&injection.run)) {
        let mut injection = injection.clone();
        let shown = injection.shown.into_iter();
        injection.shown =
            shown.map(|shown| Shown { lesson: moved.id(&shown.lesson), ..shown }).collect();
        injection.held_out = injection.held_out.iter().map(|id| moved.id(id)).collect();
        if injection.shown.iter().any(|shown| taken.is_gone(&shown.lesson)) {
            // The block says what was forgotten.
            injection.block = Text::erased();
        }
        if !here.injections.contains_key(&(p(), injection.key())) {
            taken.changes.push(Change::AddInjection { injection });
        }
    }
    for effect in gated.effects.iter().filter(|effect| is_new(&effect.root)) {
        let mut effect = effect.clone();
        effect.lesson = moved.id(&effect.lesson);
        effect.run_number += moved.after;
        let key = (p(), effect.root.clone(), effect.lesson.clone());
        if !here.effects.contains_key(&key) && !taken.is_gone(&effect.lesson) {
            taken.changes.push(Change::AddEffect { effect });
        }
    }
    take_tombstones(call, gated, taken);
    Ok(())
}

fn take_tombstones(call: &Call, gated: &Gated, taken: &mut ImportPlan) {
    for tombstone in &gated.tombstones {
        let project = tombstone.project.as_ref().map(|_| call.project.clone());
        let tombstone = Tombstone { project, ..tombstone.clone() };
        if taken.marks.iter().any(|mark| mark.key() == tombstone.key()) {
            continue;
        }
        let still_here = taken.known.values();
        let still_here = still_here.filter(|known| tombstone.covers_text(known.text.as_str()));
        for known in still_here {
            let reason = "was forgotten for good where the export comes from, and is here \
                          still; `hardwon forget --hard` erases it here as well";
            taken.problems.push(Problem::new(&known.id, reason));
        }
        taken.imported.n_tombstones += 1;
        taken.changes.push(Change::AddTombstone { tombstone });
    }
}

/// What was decided so far.
struct ImportPlan {
    /// Lessons that are here.
    known: BTreeMap<LessonId, Lesson>,
    marks: Vec<Tombstone>,
    changes: Vec<Change>,
    imported: Imported,
    problems: Vec<Problem>,
}

impl ImportPlan {
    fn of(memory: &Memory, call: &Call, source: &Source) -> Result<ImportPlan> {
        let lessons = memory.store.lessons(&call.project, &LessonQuery::default())?;
        let gated = &source.gated;
        let mut imported = Imported {
            from: OWN.to_owned(),
            n_read: gated.lessons.len() as u64,
            n_rejected: gated.unusable.len() as u64,
            n_cleaned: gated.n_cleaned,
            ..Imported::default()
        };
        for lesson in &gated.lessons {
            *imported.by_kind.entry(lesson.kind.into()).or_default() += 1;
            *imported.by_state.entry(lesson.state.into()).or_default() += 1;
        }
        Ok(ImportPlan {
            known: lessons.into_iter().map(|lesson| (lesson.id.clone(), lesson)).collect(),
            marks: memory.store.tombstones(&call.project)?,
            changes: Vec::new(),
            imported,
            problems: Vec::new(),
        })
    }

    fn is_gone(&self, lesson: &LessonId) -> bool {
        self.marks.iter().any(|mark| mark.lesson == *lesson)
    }

    /// The lesson here that says the same: by its name, or by its kind and text.
    fn same(&self, lesson: &Lesson) -> Option<&Lesson> {
        let is_it = |here: &&Lesson| {
            here.text == lesson.text
                && here.kind == lesson.kind
                && here.project.is_none() == lesson.project.is_none()
        };
        let by_name = self.known.get(&lesson.id).filter(is_it);
        by_name.or_else(|| self.known.values().find(is_it))
    }
}

fn waits(standing: TrustStanding) -> &'static str {
    match standing {
        TrustStanding::Trusted => {
            "only a person can import what was approved; its lessons wait in quarantine"
        }
        TrustStanding::Unknown => {
            "this file is not approved, so its lessons wait in quarantine: `hardwon review list` \
             shows them; `hardwon review trust FILE` approves all of it, then import it again"
        }
        TrustStanding::Changed => {
            "this file changed since it was approved, so its lessons wait in quarantine; \
             look at it with `hardwon review trust` and import it again"
        }
    }
}
