//! The files of one ArcheFlow memory, read together, and which lesson each of their
//! lines is.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::Tables;
use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::event::Problem;
use hardwon_core::foreign::{ArcheflowAudit, ArcheflowLesson, ForeignFile};
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_readers::{archeflow_audit, archeflow_lessons};

use super::translate::{Place, Translator, has_row};
use crate::{Folder, FolderError};

pub(super) const LESSONS: &str = "memory/lessons.jsonl";
pub(super) const ARCHIVE: &str = "memory/archive.jsonl";
pub(super) const AUDIT: &str = "memory/audit.jsonl";
/// Ours: what has no place in the others.
pub(super) const JOURNAL: &str = "memory/hardwon.jsonl";

/// The bytes of the files as they were read; `None` for a file that is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    pub lessons: Option<Vec<u8>>,
    pub archive: Option<Vec<u8>>,
    pub audit: Option<Vec<u8>>,
    pub journal: Option<Vec<u8>>,
}

impl Files {
    pub fn read(folder: &Folder) -> Result<Files, FolderError> {
        Ok(Files {
            lessons: folder.read(LESSONS)?,
            archive: folder.read(ARCHIVE)?,
            audit: folder.read(AUDIT)?,
            journal: folder.read(JOURNAL)?,
        })
    }

    /// Digests of ArcheFlow's own files, by name.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let files = [(LESSONS, &self.lessons), (ARCHIVE, &self.archive), (AUDIT, &self.audit)];
        files.into_iter().map(|(name, bytes)| (name.to_owned(), digest(bytes))).collect()
    }

    /// The lines of ArcheFlow's own files, and what could not be used.
    pub fn rows(&self) -> (Rows, Vec<Problem>) {
        let bytes = |file: &Option<Vec<u8>>| file.clone().unwrap_or_default();
        let (lessons, mut problems) = archeflow_lessons("lessons.jsonl", &bytes(&self.lessons));
        let (archive, more) = archeflow_lessons("archive.jsonl", &bytes(&self.archive));
        problems.extend(more);
        let (audit, more) = archeflow_audit("audit.jsonl", &bytes(&self.audit));
        problems.extend(more);
        (Rows { lessons, archive, audit }, problems)
    }
}

fn digest(bytes: &Option<Vec<u8>>) -> String {
    bytes.as_deref().map_or_else(String::new, sha256_of_bytes)
}

/// ArcheFlow's own files, line by line.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub lessons: ForeignFile<ArcheflowLesson>,
    pub archive: ForeignFile<ArcheflowLesson>,
    pub audit: ForeignFile<ArcheflowAudit>,
}

/// Which lesson each line is.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    pub lessons: Vec<Option<LessonId>>,
    pub archive: Vec<Option<LessonId>>,
}

impl Rows {
    /// Finds each line's lesson by its id and, where that is not enough, by its text:
    /// the released script gives an id away again once its lesson is archived.
    pub fn pairs(&self, tables: &Tables, translator: &Translator<'_>) -> Pairs {
        let mut finder = Finder::new(tables, translator);
        Pairs {
            lessons: self.lessons.lines.iter().map(|l| finder.active(l.record.as_ref())).collect(),
            archive: self
                .archive
                .lines
                .iter()
                .map(|l| finder.archived(l.record.as_ref()))
                .collect(),
        }
    }
}

struct Finder<'a> {
    translator: &'a Translator<'a>,
    by_alias: BTreeMap<&'a str, Vec<&'a Lesson>>,
    /// Lessons that have their line.
    taken: BTreeSet<&'a LessonId>,
}

impl<'a> Finder<'a> {
    fn new(tables: &'a Tables, translator: &'a Translator<'a>) -> Self {
        let mut by_alias: BTreeMap<&str, Vec<&Lesson>> = BTreeMap::new();
        for lesson in tables.lessons.values() {
            if lesson.aliases.is_empty() {
                by_alias.entry("").or_default().push(lesson);
            }
            for alias in &lesson.aliases {
                by_alias.entry(alias).or_default().push(lesson);
            }
        }
        Finder { translator, by_alias, taken: BTreeSet::new() }
    }

    fn candidates(&self, record: &ArcheflowLesson) -> Vec<&'a Lesson> {
        let alias = self.translator.alias(&record.id).unwrap_or_default();
        self.by_alias.get(alias.as_str()).cloned().unwrap_or_default()
    }

    /// The lesson of a line of `lessons.jsonl`. One that was put away comes back only
    /// under its own text.
    fn active(&mut self, record: Option<&ArcheflowLesson>) -> Option<LessonId> {
        let record = record?;
        let free = self.candidates(record).into_iter().filter(|l| !self.taken.contains(&l.id));
        let free: Vec<&Lesson> = free.collect();
        let found = match free[..] {
            [] => None,
            [only] if has_row(only.state) && !record.id.is_empty() => Some(only),
            _ => {
                // Of several with one id and text, the one that says all the same.
                let is_it = |lesson: &&&Lesson| self.says_the_same(record, lesson);
                let text = self.translator.gate.line(&record.description);
                let is_same = |lesson: &&&Lesson| lesson.text == text;
                let is_edited = |l: &&&Lesson| has_row(l.state) && !record.id.is_empty();
                let found = free.iter().find(is_it).or_else(|| free.iter().find(is_same));
                found.or_else(|| free.iter().find(is_edited)).copied()
            }
        }?;
        self.taken.insert(&found.id);
        Some(found.id.clone())
    }

    fn says_the_same(&self, record: &ArcheflowLesson, lesson: &Lesson) -> bool {
        let compared = self.translator.compared(record, Place::Lessons, lesson);
        compared.is_some_and(|(theirs, ours)| theirs == ours)
    }

    /// The lesson of a line of `archive.jsonl`, which may have several.
    fn archived(&mut self, record: Option<&ArcheflowLesson>) -> Option<LessonId> {
        let record = record?;
        let text = self.translator.gate.line(&record.description);
        let mut candidates = self.candidates(record).into_iter();
        candidates.find(|lesson| lesson.text == text).map(|lesson| lesson.id.clone())
    }
}
