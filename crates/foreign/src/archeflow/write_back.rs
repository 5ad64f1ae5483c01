//! What has to be written into ArcheFlow's own files? New records are appended; only a
//! change of a record, or its end, rewrites a file, and then every other line keeps its
//! bytes.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::effect::{Effect, EffectKind, Injection};
use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignLine};
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::matching::{self, Corpus, MatchPolicy, Subject};
use hardwon_core::time::Timestamp;
use hardwon_readers::{archeflow_lesson, archeflow_number};
use hardwon_render::archeflow;

use super::files::{Pairs, Rows};
use super::translate::{Place, Translator, foreign_id, has_row};

/// What becomes of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Write {
    #[default]
    Nothing,
    Append(Vec<u8>),
    Replace(Vec<u8>),
}

/// What becomes of ArcheFlow's files.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub lessons: Write,
    pub archive: Write,
    pub audit: Write,
}

/// The files before the changes.
pub(super) struct Before<'a> {
    pub rows: &'a Rows,
    /// Which lesson each line was.
    pub pairs: &'a Pairs,
    /// An earlier write may have been done by halves.
    pub is_unfinished: bool,
}

/// How the files are brought up to the tables. `logged` says what a run's own log says
/// was found in it.
pub(super) fn plan(
    before: &Before<'_>,
    tables: &Tables,
    changes: &[Change],
    translator: &Translator<'_>,
    logged: &dyn Fn(&RunId) -> Vec<String>,
) -> Plan {
    let Before { rows, pairs, is_unfinished } = *before;
    let archived = Vec::new();
    let mut writing = Writing { rows, pairs, is_unfinished, tables, translator, logged, archived };
    let lessons = writing.lessons();
    writing.archive_new(changes);
    let archive = appended(&rows.archive.lines, rows.archive.has_end, &writing.archived);
    let audit = writing.audit(changes);
    let audit = appended(&rows.audit.lines, rows.audit.has_end, &audit);
    Plan { lessons, archive, audit }
}

struct Writing<'a> {
    rows: &'a Rows,
    pairs: &'a Pairs,
    is_unfinished: bool,
    tables: &'a Tables,
    translator: &'a Translator<'a>,
    logged: &'a dyn Fn(&RunId) -> Vec<String>,
    /// Lines that go to the archive.
    archived: Vec<Vec<u8>>,
}

impl Writing<'_> {
    fn lessons(&mut self) -> Write {
        let mut lines: Vec<Vec<u8>> = Vec::new();
        let mut has_changed = false;
        for (line, known) in self.rows.lessons.lines.iter().zip(&self.pairs.lessons) {
            let now = match (&line.record, known) {
                (Some(record), Some(id)) => self.line(line, record, id),
                _ => Some(line.raw.clone()),
            };
            has_changed |= now.as_ref() != Some(&line.raw);
            lines.extend(now);
        }
        let new = self.new_lines();
        if !has_changed {
            return appended(&self.rows.lessons.lines, self.rows.lessons.has_end, &new);
        }
        lines.extend(new);
        Write::Replace(joined(&lines))
    }

    /// A known line as it has to be now; `None` if it leaves the file.
    fn line(
        &mut self,
        line: &ForeignLine<ArcheflowLesson>,
        record: &ArcheflowLesson,
        id: &LessonId,
    ) -> Option<Vec<u8>> {
        // Undone: it never was.
        let lesson = self.tables.lessons.get(id)?;
        if has_row(lesson.state) {
            return Some(self.up_to_date(line, record, Place::Lessons, lesson));
        }
        let archived = match lesson.state {
            State::Decayed => self.worn_out(line, record),
            State::Archived | State::Superseded | State::Rejected => line.raw.clone(),
            State::UnderReview | State::Quarantined => line.raw.clone(),
            State::Candidate | State::Provisional | State::Stable | State::Canonical => {
                return None;
            }
        };
        let is_there = |known: &ForeignLine<ArcheflowLesson>| known.raw == archived;
        let is_done = self.is_unfinished && self.rows.archive.lines.iter().any(is_there);
        if !is_done {
            self.archived.push(archived);
        }
        None
    }

    fn up_to_date(
        &self,
        line: &ForeignLine<ArcheflowLesson>,
        record: &ArcheflowLesson,
        place: Place,
        lesson: &Lesson,
    ) -> Vec<u8> {
        match self.translator.compared(record, place, lesson) {
            Some((from, to)) => archeflow::patched(&line.raw, &from, &to),
            None => line.raw.clone(),
        }
    }

    /// As ArcheFlow archives what wore out: the number is 0, the time is now, and how long
    /// it went unseen stays as it last was.
    fn worn_out(&self, line: &ForeignLine<ArcheflowLesson>, record: &ArcheflowLesson) -> Vec<u8> {
        let now = Timestamp(self.translator.now.0.div_euclid(1000) * 1000);
        let to = ArcheflowLesson { frequency: 0, ts: Some(now), ..record.clone() };
        archeflow::patched(&line.raw, record, &to)
    }

    /// Records of lessons that have no line yet, in the order of their ids.
    fn new_lines(&self) -> Vec<Vec<u8>> {
        let paired: BTreeSet<&LessonId> = self.pairs.lessons.iter().flatten().collect();
        let is_new = |lesson: &&Lesson| has_row(lesson.state) && !paired.contains(&lesson.id);
        let mut new: Vec<&Lesson> = self.tables.lessons.values().filter(is_new).collect();
        new.sort_by_key(|lesson| foreign_id(lesson).and_then(archeflow_number));
        new.into_iter().map(|lesson| self.new_line(lesson)).collect()
    }

    /// A new record: made from the one that was archived or imported, if there is one, so
    /// that nothing of it is lost.
    fn new_line(&self, lesson: &Lesson) -> Vec<u8> {
        let archived = self.rows.archive.lines.iter().zip(&self.pairs.archive);
        let old = archived.rev().find(|(_, known)| known.as_ref() == Some(&lesson.id));
        if let Some((line, Some(record))) = old.map(|(line, _)| (line, &line.record)) {
            return self.up_to_date(line, record, Place::Archive, lesson);
        }
        let imported = lesson.extra.as_ref().and_then(|extra| extra.body());
        let imported = imported.and_then(|extra| extra.strip_prefix("archeflow:"));
        if let Some((raw, record)) = imported.and_then(|raw| Some((raw, archeflow_lesson(raw)?))) {
            let line = ForeignLine { raw: raw.as_bytes().to_vec(), record: None };
            return self.up_to_date(&line, &record, Place::Lessons, lesson);
        }
        archeflow::line(&self.translator.record(lesson)).into_bytes()
    }

    /// Lessons that come in put away.
    fn archive_new(&mut self, changes: &[Change]) {
        for change in changes {
            let Change::AddLesson { lesson, .. } = change else { continue };
            let Some(lesson) = self.tables.lessons.get(&lesson.id) else { continue };
            let is_away = matches!(lesson.state, State::Archived | State::Decayed);
            let mut pairs = self.pairs.lessons.iter().chain(&self.pairs.archive);
            if is_away && !pairs.any(|known| known.as_ref() == Some(&lesson.id)) {
                let line = self.new_line(lesson);
                self.archived.push(line);
            }
        }
    }

    /// Records of what was shown, and of whether it helped.
    fn audit(&self, changes: &[Change]) -> Vec<Vec<u8>> {
        let by_id: BTreeMap<&LessonId, &Lesson> = self.tables.lessons.iter().collect();
        let record = |change: &Change| match change {
            Change::AddInjection { injection } => Some(injected(injection, &by_id)),
            Change::AddEffect { effect } => checked(effect, &by_id, self),
            _ => None,
        };
        let lines = changes.iter().filter_map(record);
        lines.map(|record| archeflow::audit_line(&record).into_bytes()).collect()
    }
}

fn injected(injection: &Injection, lessons: &BTreeMap<&LessonId, &Lesson>) -> ArcheflowAudit {
    let name = |id: &LessonId| lessons.get(id).and_then(|lesson| foreign_id(lesson));
    let shown = injection.shown.iter().filter_map(|shown| name(&shown.lesson));
    ArcheflowAudit::Injection {
        ts: Some(injection.at),
        run_id: injection.run.to_string(),
        domain: injection.domain.clone(),
        archetype: injection.role.clone(),
        lessons: shown.map(str::to_owned).collect(),
    }
}

/// ArcheFlow has two words for what came of a lesson; what is neither is not written.
fn checked(
    effect: &Effect,
    lessons: &BTreeMap<&LessonId, &Lesson>,
    writing: &Writing<'_>,
) -> Option<ArcheflowAudit> {
    let is_helpful = match effect.kind {
        EffectKind::Helped => true,
        EffectKind::NoHelp => false,
        EffectKind::Hurt | EffectKind::Contradicted => return None,
        EffectKind::Neutral | EffectKind::NoOpportunity => return None,
    };
    let lesson = lessons.get(&effect.lesson)?;
    Some(ArcheflowAudit::Check {
        ts: Some(writing.translator.now),
        run_id: effect.root.to_string(),
        lesson_id: foreign_id(lesson)?.to_owned(),
        lesson_desc: lesson.text.as_str().to_owned(),
        is_helpful,
        overlap_pct: writing.overlap_pct(&effect.root, lesson),
    })
}

impl Writing<'_> {
    /// How like the lesson the nearest finding of that run was, in per cent.
    fn overlap_pct(&self, root: &RunId, lesson: &Lesson) -> u32 {
        let stored = self.tables.findings.values().filter(|finding| finding.root == *root);
        let stored = stored.map(|finding| finding.text.as_str().to_owned());
        let texts = stored.chain((self.logged)(root));
        let best = texts.map(|text| overlap(&text, lesson)).fold(0.0, f64::max);
        (best * 100.0).floor() as u32
    }
}

/// ArcheFlow's share of a finding's words that a lesson has.
pub(super) fn overlap(finding: &str, lesson: &Lesson) -> f64 {
    let tags: Vec<&str> = lesson.tags.iter().map(String::as_str).collect();
    let finding = Subject { text: finding, ..Subject::default() };
    let lesson = Subject { text: lesson.text.as_str(), tags: &tags, ..Subject::default() };
    let policy = MatchPolicy::overlap();
    matching::best_match(&finding, &[lesson], &Corpus::default(), &policy).likeness
}

/// New lines at the end of a file, after whatever stands there without an end.
fn appended<T>(lines: &[ForeignLine<T>], has_end: bool, new: &[Vec<u8>]) -> Write {
    if new.is_empty() {
        return Write::Nothing;
    }
    let mut bytes = joined(new);
    if !lines.is_empty() && !has_end {
        bytes.insert(0, b'\n');
    }
    Write::Append(bytes)
}

fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    bytes
}
