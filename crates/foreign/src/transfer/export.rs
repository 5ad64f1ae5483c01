//! Writes our memory of a project in another system's layout, through that layout's own
//! store: what has no place in its files goes into the journal beside them.

use std::collections::BTreeMap;
use std::io;

use hardwon_core::change::Change;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::{Lesson, Unseen};
use hardwon_core::run::Run;
use hardwon_core::transfer::Moved;
use hardwon_core::transfer::fields::{Field, unsaid};
use hardwon_render::answer::{Answer, Exported, Unplaced};

use hardwon_engine::files::Place;
use hardwon_engine::transfer::export_to_file;
use hardwon_engine::write::{Command, write};
use hardwon_engine::{
    Access, Call, EngineError, Environment, Memory, OpenMemory, Options, Result, lookup,
};

use super::{LayoutName, holdings_of, ids_for, n_runs, runs_to_add};
use crate::Reach;
use crate::store::Holdings;

/// Exports the project's own lessons into a folder of that layout.
pub fn export(
    memory: &Memory,
    call: &Call,
    environment: &Environment,
    path: &str,
    layout: LayoutName,
    reach: Reach,
) -> Result<Answer<Exported>> {
    let Some(system) = layout.system() else {
        return export_to_file(memory, call, environment, path, false);
    };
    let named = environment.folder.join(path);
    if !system.is_writable() {
        let source = io::Error::other(format!("{} can only be imported", system.word()));
        return Err(EngineError::NotWritten { path: named, source });
    }
    Place::check_named_in(environment.checkout(), &named)
        .map_err(|source| EngineError::NotWritten { path: named.clone(), source })?;
    let store = Some(format!("{}:{path}", system.word()));
    let options = Options { store, foreign: crate::LAYOUTS, ..Options::default() };
    let mut other = OpenMemory::open(environment, &options, Access::Write)?;
    let holdings = holdings_of(memory.store.as_ref(), &call.project, reach)?;
    let (mut exported, written) = take_out(&mut other.memory, &other.call, &holdings)?;
    exported.to = system.word().to_owned();
    exported.folder = system.base(&named).display().to_string();
    let recorded = system.look(environment, &named, reach, true)?.held.holdings.lessons;
    let is_apart = |lesson: &Lesson| lesson.project.is_none() && system.has_own_file_for_all();
    let (apart, own): (Vec<Lesson>, Vec<Lesson>) = written.into_iter().partition(is_apart);
    exported.unplaced = unsaid_fields(&own, &recorded, &system.kept_in());
    exported.unplaced.extend(unsaid_fields(
        &apart,
        &recorded,
        "stays here: nothing of ours lies beside that file",
    ));
    exported.unplaced.extend(left_behind(memory, call, reach)?);
    let is_empty = holdings.lessons.is_empty();
    Ok(Answer::of(exported, other.memory.settings.problems.clone()).or_empty(is_empty))
}

/// Brings this memory up to what another one holds.
fn take_out(
    memory: &mut Memory,
    call: &Call,
    holdings: &Holdings,
) -> Result<(Exported, Vec<Lesson>)> {
    let (_, (exported, ids)) =
        write(memory, call, &Command::new("export"), &mut |memory, status| {
            let ids = ids_for(memory, call, &holdings.lessons, BTreeMap::new())?;
            let moved = Moved { ids: &ids, after: status.run_number };
            let runs = runs_to_add(memory, call, &moved, holdings)?;
            // What is unseen here is unseen there, whichever of the runs are new there.
            let here = newest_counted(holdings.runs.iter());
            let there = newest_counted(runs.iter().filter_map(|change| match change {
                Change::AddRun { run } => Some(&**run),
                _ => None,
            }));
            let there = there.max(status.run_number);
            let mut exported = Exported::default();
            let mut changes = Vec::new();
            for lesson in &holdings.lessons {
                let n_runs = unseen_by(lesson, here);
                let lesson = moved.lesson(lesson, &call.project);
                let lesson = Lesson { unseen: Unseen { n_runs, checked_at: there }, ..lesson };
                let is_active = lesson.state.is_on_ladder();
                *(if is_active { &mut exported.n_active } else { &mut exported.n_archived }) += 1;
                changes.extend(put_lesson(memory, call, lesson, &mut exported)?);
            }
            exported.n_runs = n_runs(&runs);
            changes.extend(runs);
            Ok((changes, (exported, ids.into_values().collect::<Vec<LessonId>>())))
        })?;
    Ok((exported, lookup::lessons_with(memory, &call.project, ids)?))
}

fn put_lesson(
    memory: &Memory,
    call: &Call,
    lesson: Lesson,
    exported: &mut Exported,
) -> Result<Option<Change>> {
    let because = format!("exported by {}", call.actor);
    let Some(known) = lookup::find_lesson(memory, call, &lesson.id)? else {
        return Ok(Some(Change::AddLesson { lesson: Box::new(lesson), because }));
    };
    let mut aliases = known.aliases.clone();
    aliases.extend(lesson.aliases.iter().filter(|a| !known.aliases.contains(a)).cloned());
    let (project, created_at) = (known.project.clone(), known.created_at);
    let (author, origin) = (known.author.clone(), known.origin);
    let after = Lesson { aliases, project, created_at, author, origin, ..lesson };
    let change = Change::edit_lesson(&known, &after, &because);
    exported.n_updated += u64::from(change.is_some());
    Ok(change)
}

/// What is not written at all.
fn left_behind(memory: &Memory, call: &Call, reach: Reach) -> Result<Vec<Unplaced>> {
    let all = memory.store.lessons(&call.project, &Default::default())?;
    let is_left = |lesson: &&Lesson| lesson.project.is_none() && reach == Reach::Project;
    let n_global = all.iter().filter(is_left).count() as u64;
    let what = "global lessons, which are no project's";
    let global = Unplaced::new(what, n_global, "stay here; --global takes them along");
    let n_entries = memory.store.journal(&call.project, &Default::default())?.len() as u64;
    let history = Unplaced::new("history: the copy begins its own", n_entries, "stays here");
    Ok([global, history].into_iter().filter(|unplaced| unplaced.n > 0).collect())
}

fn newest_counted<'a>(runs: impl Iterator<Item = &'a Run>) -> u64 {
    runs.filter(|run| run.is_counted).filter_map(|run| run.number).max().unwrap_or(0)
}

/// Runs up to that number in which a lesson was not seen. ArcheFlow counts every run; for
/// lessons that were not imported, ours are counted only when it matters.
fn unseen_by(lesson: &Lesson, run_number: u64) -> u32 {
    let Unseen { n_runs, checked_at } = lesson.unseen;
    let counts_all = lesson.extra.is_some() && lesson.kind.decays();
    let n_more = if counts_all { run_number.saturating_sub(checked_at) as u32 } else { 0 };
    n_runs.saturating_add(n_more)
}

/// Which fields the files of the other system have no place for, and of how many lessons: each
/// lesson is compared with what its record alone says.
fn unsaid_fields(written: &[Lesson], recorded: &[Lesson], kept: &str) -> Vec<Unplaced> {
    let mut n_without = 0;
    let mut n_unsaid: BTreeMap<Field, u64> = BTreeMap::new();
    for lesson in written {
        match record_of(lesson, recorded) {
            Some(record) => {
                unsaid(lesson, record)
                    .into_iter()
                    .for_each(|it| *n_unsaid.entry(it).or_default() += 1);
            }
            None => n_without += 1,
        }
    }
    let whole = Unplaced::new("lessons that may not stand in its files", n_without, kept);
    let field = |((_, field), n)| Unplaced::new(format!("field \"{field}\" of lessons"), n, kept);
    let fields = n_unsaid.into_iter().map(field);
    std::iter::once(whole).filter(|whole| whole.n > 0).chain(fields).collect()
}

/// What the record of a lesson says by itself. An id may stand twice, in use and put away.
fn record_of<'a>(lesson: &Lesson, recorded: &'a [Lesson]) -> Option<&'a Lesson> {
    let named = |other: &&Lesson| other.aliases.iter().any(|id| lesson.aliases.contains(id));
    let is_same = |other: &&Lesson| other.text == lesson.text;
    let mut both = recorded.iter().filter(named).filter(is_same);
    both.next().or_else(|| recorded.iter().find(named)).or_else(|| recorded.iter().find(is_same))
}
