//! What has to be written into OpenAgents' own files? New records are appended; only a
//! change of a record, or its end, rewrites a file, and then every other line keeps its
//! bytes.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::effect::Injection;
use hardwon_core::episode::Episode;
use hardwon_core::foreign::{ForeignFile, ForeignLine, OpenagentsEvidence, OpenagentsLesson};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::run::Run;
use hardwon_core::time::Timestamp;
use hardwon_readers::{openagents_lesson, openagents_unknown_fields};
use hardwon_render::openagents;

use super::episodes::{Sessions, sessions};
use super::files::{Pairs, Rows, Shelf};
use super::translate::{Translator, foreign_id};
use crate::has_row;

/// What becomes of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Write {
    #[default]
    Nothing,
    Append(Vec<u8>),
    Replace(Vec<u8>),
}

/// What becomes of OpenAgents' files.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub shelves: BTreeMap<Shelf, Write>,
    pub episodes: Write,
}

/// The files before the changes.
pub(super) struct Before<'a> {
    pub rows: &'a Rows,
    /// Which lesson each line was.
    pub pairs: &'a Pairs,
    /// An earlier write may have been done by halves.
    pub is_unfinished: bool,
    /// The global files are locked, and may be written.
    pub has_global: bool,
}

/// How the files are brought up to the tables.
pub(super) fn plan(
    before: &Before<'_>,
    tables: &Tables,
    changes: &[Change],
    translator: &Translator<'_>,
) -> Plan {
    let (seen, archived) = (seen(tables), BTreeMap::new());
    let mut writing = Writing { before, tables, changes, translator, seen, archived };
    let mut shelves = BTreeMap::new();
    let own = [Shelf::Lessons].into_iter();
    for shelf in own.chain(before.has_global.then_some(Shelf::Global)) {
        shelves.insert(shelf, writing.lessons(shelf));
        writing.archive_new(shelf);
        let archive = shelf.archive();
        let new = writing.archived.remove(&archive).unwrap_or_default();
        shelves.insert(archive, appended(&before.rows.shelves[&archive], &new));
    }
    Plan { shelves, episodes: writing.episodes() }
}

struct Writing<'a> {
    before: &'a Before<'a>,
    tables: &'a Tables,
    changes: &'a [Change],
    translator: &'a Translator<'a>,
    seen: BTreeMap<&'a LessonId, Vec<&'a RunId>>,
    /// Lines that go to an archive.
    archived: BTreeMap<Shelf, Vec<Vec<u8>>>,
}

impl Writing<'_> {
    fn lessons(&mut self, shelf: Shelf) -> Write {
        let before = self.before;
        let file = &before.rows.shelves[&shelf];
        let mut lines: Vec<Option<Vec<u8>>> = Vec::new();
        for (line, known) in file.lines.iter().zip(&before.pairs[&shelf]) {
            lines.push(match (&line.record, known) {
                (Some(record), Some(id)) => self.line(line, record, id, shelf),
                _ => Some(line.raw.clone()),
            });
        }
        rewritten(file, lines, &self.new_lines(shelf))
    }

    /// A known line as it has to be now; `None` if it leaves the file.
    fn line(
        &mut self,
        line: &ForeignLine<OpenagentsLesson>,
        record: &OpenagentsLesson,
        id: &LessonId,
        shelf: Shelf,
    ) -> Option<Vec<u8>> {
        // Undone: it never was.
        let lesson = self.tables.lessons.get(id)?;
        let now = self.up_to_date(&line.raw, record, shelf, lesson);
        let now = match self.uses(lesson, record) {
            Some((n_uses, at)) => openagents::used(&now, record.usage_count + n_uses, at),
            None => now,
        };
        if has_row(lesson.state) {
            return Some(now);
        }
        let archive = &self.before.rows.shelves[&shelf.archive()];
        let is_there = archive.lines.iter().any(|known| known.raw == now);
        if !(self.before.is_unfinished && is_there) {
            self.archived.entry(shelf.archive()).or_default().push(now);
        }
        None
    }

    fn up_to_date(
        &self,
        raw: &[u8],
        record: &OpenagentsLesson,
        shelf: Shelf,
        lesson: &Lesson,
    ) -> Vec<u8> {
        let Some((from, mut to)) = self.translator.compared(record, shelf, lesson) else {
            return raw.to_vec();
        };
        to.superseded_by = match has_row(lesson.state) {
            true => None,
            false => self.next(lesson).or(to.superseded_by),
        };
        let known: BTreeSet<RunId> =
            record.evidence.episode_ids.iter().filter_map(|id| self.translator.run(id)).collect();
        let seen = self.seen_in(lesson).into_iter().filter(|run| !known.contains(*run));
        to.evidence.episode_ids.extend(seen.map(RunId::to_string));
        openagents::patched_lesson(raw, &from, &to)
    }

    /// What the lesson that stands for it is called.
    fn next(&self, lesson: &Lesson) -> Option<String> {
        let next = self.tables.lessons.get(lesson.superseded_by.as_ref()?)?;
        foreign_id(next).map(str::to_owned)
    }

    /// Runs in which a lesson was seen. One project's runs are nobody else's business.
    fn seen_in(&self, lesson: &Lesson) -> Vec<&RunId> {
        let seen = self.seen.get(&lesson.id).filter(|_| lesson.project.is_some());
        seen.into_iter().flatten().copied().collect()
    }

    /// How often it was shown since its line was written, and when last.
    fn uses(&self, lesson: &Lesson, record: &OpenagentsLesson) -> Option<(u32, Timestamp)> {
        let shows = |i: &Injection| i.shown.iter().any(|shown| shown.lesson == lesson.id);
        let new = self.changes.iter().filter_map(|change| match change {
            Change::AddInjection { injection } => Some(injection),
            _ => None,
        });
        let all = self.tables.injections.values();
        let is_uncounted = |i: &&Injection| record.last_used_at.is_none_or(|last| i.at > last);
        let shown: Vec<Timestamp> = match self.before.is_unfinished {
            true => all.filter(is_uncounted).filter(|i| shows(i)).map(|i| i.at).collect(),
            false => new.filter(|i| shows(i)).map(|i| i.at).collect(),
        };
        Some((shown.len() as u32, shown.into_iter().max()?))
    }

    /// Records of lessons that have no line yet, oldest first.
    fn new_lines(&self, shelf: Shelf) -> Vec<Vec<u8>> {
        let paired: BTreeSet<&LessonId> = self.before.pairs[&shelf].iter().flatten().collect();
        let is_new = |lesson: &&Lesson| {
            has_row(lesson.state)
                && lesson.project.is_none() == shelf.is_global()
                && !paired.contains(&lesson.id)
        };
        let mut new: Vec<&Lesson> = self.tables.lessons.values().filter(is_new).collect();
        new.sort_by_key(|lesson| (lesson.created_at, lesson.id.clone()));
        new.into_iter().map(|lesson| self.new_line(lesson, shelf)).collect()
    }

    /// A new record: made from the one that was archived or imported, if there is one, so
    /// that nothing of it is lost.
    fn new_line(&self, lesson: &Lesson, shelf: Shelf) -> Vec<u8> {
        let archive = shelf.archive();
        let archived = self.before.rows.shelves[&archive].lines.iter();
        let archived = archived.zip(&self.before.pairs[&archive]).rev();
        let old = archived.into_iter().find(|(_, known)| known.as_ref() == Some(&lesson.id));
        if let Some((line, Some(record))) = old.map(|(line, _)| (line, &line.record)) {
            let raw = line.raw.strip_suffix(b"\r").unwrap_or(&line.raw);
            return self.up_to_date(raw, record, archive, lesson);
        }
        if let Some((raw, record)) = imported(lesson) {
            return self.up_to_date(raw.as_bytes(), &record, shelf, lesson);
        }
        let mut record = self.translator.record(lesson, self.before.rows.scale(shelf));
        record.superseded_by = self.next(lesson).filter(|_| !has_row(lesson.state));
        record.evidence = self.evidence(lesson);
        let injections = self.tables.injections.values();
        let shown = injections.filter(|i| i.shown.iter().any(|shown| shown.lesson == lesson.id));
        let shown: Vec<Timestamp> = shown.map(|injection| injection.at).collect();
        record.usage_count = shown.len() as u32;
        record.last_used_at = shown.into_iter().max();
        openagents::lesson_line(&record).into_bytes()
    }

    /// What a new lesson was made of.
    fn evidence(&self, lesson: &Lesson) -> OpenagentsEvidence {
        let seen = self.seen_in(lesson);
        let episodes: Vec<&Episode> =
            seen.iter().filter_map(|id| self.run(id)).map(|run| &run.episode).collect();
        let all = |of: &dyn Fn(&Episode) -> Vec<String>| -> Vec<String> {
            let set: BTreeSet<String> = episodes.iter().flat_map(|episode| of(episode)).collect();
            set.into_iter().collect()
        };
        OpenagentsEvidence {
            episode_ids: seen.into_iter().map(RunId::to_string).collect(),
            trajectory_ids: all(&|episode| episode.trajectories.iter().cloned().collect()),
            session_ids: all(&|episode| episode.session.iter().cloned().collect()),
            run_log_paths: all(&|episode| episode.logs.iter().cloned().collect()),
        }
    }

    /// Lessons that come in put away.
    fn archive_new(&mut self, shelf: Shelf) {
        let mut lines = Vec::new();
        for change in self.changes {
            let Change::AddLesson { lesson, .. } = change else { continue };
            let Some(lesson) = self.tables.lessons.get(&lesson.id) else { continue };
            let is_away =
                matches!(lesson.state, State::Archived | State::Decayed | State::Superseded);
            let pairs = &self.before.pairs;
            let mut known = pairs[&shelf].iter().chain(&pairs[&shelf.archive()]).flatten();
            let is_here = lesson.project.is_none() == shelf.is_global();
            if is_here && is_away && !known.any(|known| known == &lesson.id) {
                lines.push(self.new_line(lesson, shelf));
            }
        }
        self.archived.entry(shelf.archive()).or_default().extend(lines);
    }

    /// Lines of runs that changed, and of runs that were learned or ended.
    fn episodes(&self) -> Write {
        let file = &self.before.rows.episodes;
        let sessions = sessions(self.before.rows, self.translator);
        let mut known: BTreeSet<RunId> = BTreeSet::new();
        let mut lines = Vec::new();
        for line in &file.lines {
            let run = line.record.as_ref().and_then(|record| self.translator.run(&record.id));
            known.extend(run.clone());
            let run = run.and_then(|id| self.run(&id));
            lines.push(Some(run.map_or(line.raw.clone(), |run| self.told(line, run, &sessions))));
        }
        let is_new = |run: &&Run| !known.contains(&run.id) && is_told(run);
        let new = self.touched().into_iter().filter_map(|id| self.run(id)).filter(is_new);
        let mut new: Vec<&Run> = new.collect();
        new.sort_by_key(|run| (run.number, run.recorded_at, run.id.clone()));
        let new: Vec<Vec<u8>> = new.into_iter().map(|run| self.new_episode(run)).collect();
        rewritten(file, lines, &new)
    }

    fn run(&self, id: &RunId) -> Option<&Run> {
        self.tables.runs.get(&(self.translator.project.clone(), id.clone()))
    }

    /// Runs that this write is about; after a write that was cut off, all of them.
    fn touched(&self) -> BTreeSet<&RunId> {
        if self.before.is_unfinished {
            return self.tables.runs.keys().map(|(_, id)| id).collect();
        }
        let of_change = |change: &'_ Change| match change {
            Change::AddRun { run } => Some(run.id.clone()),
            Change::EditRun { after, .. } => Some(after.id.clone()),
            _ => None,
        };
        let ids: BTreeSet<RunId> = self.changes.iter().filter_map(of_change).collect();
        self.tables.runs.keys().map(|(_, id)| id).filter(|id| ids.contains(*id)).collect()
    }

    fn told(
        &self,
        line: &ForeignLine<hardwon_core::foreign::OpenagentsEpisode>,
        run: &Run,
        sessions: &Sessions,
    ) -> Vec<u8> {
        let compared =
            line.record.as_ref().and_then(|r| self.translator.compared_run(r, sessions, run));
        match compared {
            Some((from, to)) => openagents::patched_episode(&line.raw, &from, &to),
            None => line.raw.clone(),
        }
    }

    fn new_episode(&self, run: &Run) -> Vec<u8> {
        let of_run = self.tables.findings.values().filter(|finding| finding.run == run.id);
        let n_findings = of_run.filter(|finding| finding.is_sighting).count();
        openagents::episode_line(&self.translator.new_episode(run, n_findings)).into_bytes()
    }
}

/// In which runs each lesson was seen, in the order of their ids.
fn seen(tables: &Tables) -> BTreeMap<&LessonId, Vec<&RunId>> {
    let mut seen: BTreeMap<&LessonId, Vec<&RunId>> = BTreeMap::new();
    for finding in tables.findings.values().filter(|finding| finding.is_sighting) {
        let Some(lesson) = &finding.lesson else { continue };
        let runs = seen.entry(lesson).or_default();
        if runs.last() != Some(&&finding.run) {
            runs.push(&finding.run);
        }
    }
    seen
}

/// Whether there is more to say of a run than that it is.
fn is_told(run: &Run) -> bool {
    run.is_learned || run.outcome.is_some()
}

/// The record that a lesson was imported from, if it is one of the specification.
fn imported(lesson: &Lesson) -> Option<(&str, OpenagentsLesson)> {
    let raw = lesson.extra.as_ref()?.body()?.strip_prefix("openagents:")?;
    let is_shipped = |name: &String| name == "memoryType" || name == "failurePatterns";
    let is_other = openagents_unknown_fields(raw.as_bytes()).iter().any(is_shipped);
    openagents_lesson(raw).filter(|_| !is_other).map(|record| (raw, record))
}

/// The file with its lines as they are now and new ones behind them. A last line that
/// had no end gets one only if something follows it.
fn rewritten<T>(file: &ForeignFile<T>, lines: Vec<Option<Vec<u8>>>, new: &[Vec<u8>]) -> Write {
    let was = file.lines.iter().map(|line| &line.raw);
    if was.eq(lines.iter().flatten()) && lines.iter().all(Option::is_some) {
        return appended(file, new);
    }
    let has_last = lines.last().is_some_and(Option::is_some);
    let mut bytes = Vec::new();
    for line in lines.iter().flatten() {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    if has_last && !file.has_end {
        bytes.pop();
        bytes.extend_from_slice(if new.is_empty() { b"" } else { end_of(file) });
    }
    bytes.extend(ended(file, new));
    Write::Replace(bytes)
}

/// New lines at the end of a file, after whatever stands there without an end.
fn appended<T>(file: &ForeignFile<T>, new: &[Vec<u8>]) -> Write {
    if new.is_empty() {
        return Write::Nothing;
    }
    let is_open = !file.lines.is_empty() && !file.has_end;
    let mut bytes = if is_open { end_of(file).to_vec() } else { Vec::new() };
    bytes.extend(ended(file, new));
    Write::Append(bytes)
}

/// New lines with the ends that the file's own lines have.
fn ended<T>(file: &ForeignFile<T>, new: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in new {
        bytes.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        bytes.extend_from_slice(end_of(file));
    }
    bytes
}

fn end_of<T>(file: &ForeignFile<T>) -> &'static [u8] {
    match file.lines.first().is_some_and(|line| line.raw.ends_with(b"\r")) {
        true => b"\r\n",
        false => b"\n",
    }
}
