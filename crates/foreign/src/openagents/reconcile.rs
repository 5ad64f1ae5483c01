//! What did others do to the files since we last wrote? The changes that bring our
//! tables up to what the files say: whoever wrote last is right.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::digest::{hex, sha256};
use hardwon_core::effect::EffectCounts;
use hardwon_core::event::Problem;
use hardwon_core::finding::{Finding, FindingKey, FindingState};
use hardwon_core::foreign::OpenagentsLesson;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::run::Run;

use super::episodes::sessions;
use super::files::{Pairs, Rows, Shelf};
use super::orders;
use super::translate::Translator;
use crate::has_row;

/// The changes of the project's own rows, and what could not be taken over.
pub(super) fn reconcile(
    tables: &Tables,
    rows: &Rows,
    translator: &Translator<'_>,
) -> (Vec<Change>, Vec<Problem>) {
    let pairs = rows.pairs(tables, translator);
    let mut news = News::new(tables, translator);
    news.take_episodes(rows);
    let active = news.take_lessons(rows, &pairs, Shelf::Lessons);
    let mut known = news.take_archive(rows, &pairs, Shelf::Archive, &active);
    news.put_away_missing(&active);
    known.extend(active);
    news.link(rows, &known, Shelf::Archive);
    news.link(rows, &known, Shelf::Lessons);
    news.witness(rows, tables, &known);
    (news.changes, news.problems)
}

/// The user's global lessons, as new: they are in no project's history.
pub(super) fn global_lessons(
    tables: &Tables,
    rows: &Rows,
    translator: &Translator<'_>,
) -> (Vec<Change>, Vec<Problem>) {
    let mut news = News::new(tables, translator);
    let nothing =
        Shelf::ALL.map(|shelf| (shelf, vec![None; rows.shelves[&shelf].lines.len()])).into();
    let active = news.take_lessons(rows, &nothing, Shelf::Global);
    let known = news.take_archive(rows, &nothing, Shelf::GlobalArchive, &active);
    let known: Known = known.into_iter().chain(active).collect();
    news.link(rows, &known, Shelf::GlobalArchive);
    news.link(rows, &known, Shelf::Global);
    (news.changes, news.problems)
}

/// Which lesson a line is, by file and place.
type Known = BTreeMap<(Shelf, usize), LessonId>;

struct News<'a> {
    translator: &'a Translator<'a>,
    tables: &'a Tables,
    /// As they are after the changes so far.
    lessons: BTreeMap<LessonId, Lesson>,
    runs: BTreeMap<RunId, Run>,
    changes: Vec<Change>,
    problems: Vec<Problem>,
}

impl<'a> News<'a> {
    fn new(tables: &'a Tables, translator: &'a Translator<'a>) -> Self {
        let runs = tables.runs.iter().map(|((_, id), run)| (id.clone(), run.clone())).collect();
        let (lessons, changes, problems) = (tables.lessons.clone(), Vec::new(), Vec::new());
        News { translator, tables, lessons, runs, changes, problems }
    }

    fn take_episodes(&mut self, rows: &Rows) {
        let sessions = sessions(rows, self.translator);
        for record in rows.episodes.lines.iter().filter_map(|line| line.record.as_ref()) {
            let Some(stated) = self.translator.episode_run(record, &sessions) else { continue };
            let change = match self.runs.get(&stated.id) {
                None => Change::AddRun { run: Box::new(stated.clone()) },
                Some(run) => {
                    let adopted = self.translator.adopted_run(record, &sessions, run);
                    let Some(after) = adopted.filter(|after| after != run) else { continue };
                    let (before, after) = (Box::new(run.clone()), Box::new(after));
                    Change::EditRun { before, after }
                }
            };
            let after = match &change {
                Change::EditRun { after, .. } => (**after).clone(),
                _ => stated,
            };
            self.runs.insert(after.id.clone(), after);
            self.changes.push(change);
        }
    }

    fn take_lessons(&mut self, rows: &Rows, pairs: &Pairs, shelf: Shelf) -> Known {
        let mut found = Known::new();
        let lines = rows.shelves[&shelf].lines.iter().zip(&pairs[&shelf]);
        for (place, (line, known)) in lines.enumerate() {
            let Some(record) = &line.record else { continue };
            let id = match known {
                None => self.add(record, shelf, place),
                Some(id) => {
                    let before = self.lessons[id].clone();
                    let after = self.translator.adopted(record, shelf, &before);
                    self.update(&before, after, &format!("changed in {}", shelf.name()));
                    Some(id.clone())
                }
            };
            found.extend(id.map(|id| ((shelf, place), id)));
        }
        found
    }

    /// Archived records that are nobody's yet. A lesson that also stands among the active
    /// ones was brought back.
    fn take_archive(&mut self, rows: &Rows, pairs: &Pairs, shelf: Shelf, active: &Known) -> Known {
        let active: BTreeSet<&LessonId> = active.values().collect();
        let mut found = Known::new();
        let lines = rows.shelves[&shelf].lines.iter().zip(&pairs[&shelf]);
        for (place, (line, known)) in lines.enumerate() {
            let Some(record) = &line.record else { continue };
            let id = match known {
                None if self.is_active(record, shelf) => None,
                None => self.add(record, shelf, place),
                Some(id) if active.contains(id) => None,
                Some(id) => {
                    let before = self.lessons[id].clone();
                    if has_row(before.state) {
                        let after = self.translator.adopted(record, shelf, &before);
                        self.update(&before, after, &format!("moved to {}", shelf.name()));
                    }
                    Some(id.clone())
                }
            };
            found.extend(id.map(|id| ((shelf, place), id)));
        }
        found
    }

    /// Whether a record of the archive is a lesson that was brought back since.
    fn is_active(&self, record: &OpenagentsLesson, shelf: Shelf) -> bool {
        let alias = self.translator.alias(&record.id);
        let text = self.translator.gate.line(&record.summary);
        let is_it = |lesson: &Lesson| {
            lesson.project.is_none() == shelf.is_global()
                && lesson.aliases.first() == alias.as_ref()
                && lesson.text == text
        };
        self.lessons.values().any(|lesson| has_row(lesson.state) && is_it(lesson))
    }

    fn add(&mut self, record: &OpenagentsLesson, shelf: Shelf, place: usize) -> Option<LessonId> {
        if self.translator.orders.are_in(record, shelf) {
            self.problems.push(orders::problem(shelf, place));
            return None;
        }
        let is_taken = |id: &LessonId| self.lessons.contains_key(id);
        let Some(lesson) = self.translator.lesson(record, shelf, is_taken) else {
            let reason = "nothing is left of the summary after cleaning; kept in the file";
            let at = format!("{}:{}", shelf.name(), place + 1);
            self.problems.push(Problem::new(at, reason));
            return None;
        };
        let of_it = self.tables.effects.values().filter(|effect| effect.lesson == lesson.id);
        let kinds = of_it.filter(|effect| effect.was_shown()).map(|effect| effect.kind);
        let lesson = Lesson { effects: EffectCounts::of(kinds), ..lesson };
        let because = format!("found in {}", shelf.name());
        let id = lesson.id.clone();
        self.changes.push(Change::AddLesson { lesson: Box::new(lesson.clone()), because });
        self.lessons.insert(id.clone(), lesson);
        Some(id)
    }

    fn update(&mut self, before: &Lesson, after: Lesson, because: &str) {
        if let Some(change) = Change::edit_lesson(before, &after, because) {
            self.changes.push(change);
            self.lessons.insert(after.id.clone(), after);
        }
    }

    /// Lessons whose line is gone from both files: somebody removed them by hand.
    fn put_away_missing(&mut self, active: &Known) {
        let paired: BTreeSet<&LessonId> = active.values().collect();
        for id in self.tables.lessons.keys().filter(|id| !paired.contains(id)) {
            let before = self.lessons[id].clone();
            if has_row(before.state) && before.project.is_some() {
                let after = Lesson { state: State::Archived, ..before.clone() };
                self.update(&before, after, "no longer in lessons.jsonl");
            }
        }
    }

    /// Which lesson came after which.
    fn link(&mut self, rows: &Rows, known: &Known, shelf: Shelf) {
        for (place, line) in rows.shelves[&shelf].lines.iter().enumerate() {
            let next = line.record.as_ref().and_then(|record| record.superseded_by.as_deref());
            let (Some(next), Some(id)) = (next, known.get(&(shelf, place))) else { continue };
            let Some(alias) = self.translator.alias(next) else { continue };
            let named = self.lessons.values().find(|lesson| lesson.aliases.contains(&alias));
            let Some(named) = named.map(|lesson| lesson.id.clone()) else { continue };
            let before = self.lessons[id].clone();
            if before.state == State::Superseded && named != *id {
                let after = Lesson { superseded_by: Some(named), ..before.clone() };
                self.update(&before, after, &format!("superseded in {}", shelf.name()));
            }
        }
    }

    /// Episodes that a lesson names as its evidence are runs in which it was seen.
    fn witness(&mut self, rows: &Rows, tables: &Tables, known: &Known) {
        let mut seen: BTreeSet<(RunId, LessonId)> = BTreeSet::new();
        for finding in tables.findings.values() {
            seen.extend(finding.lesson.clone().map(|lesson| (finding.run.clone(), lesson)));
        }
        for ((shelf, place), id) in known {
            let Some(record) = &rows.shelves[shelf].lines[*place].record else { continue };
            for episode in &record.evidence.episode_ids {
                let run = self.translator.run(episode).and_then(|run| self.runs.get(&run));
                let Some(run) = run else { continue };
                if seen.insert((run.id.clone(), id.clone())) {
                    let finding = Box::new(sighting(&self.lessons[id], run));
                    self.changes.push(Change::AddFinding { finding });
                }
            }
        }
    }
}

/// A lesson's evidence in one run, as far as OpenAgents tells of it.
fn sighting(lesson: &Lesson, run: &Run) -> Finding {
    let text = lesson.text.as_str();
    let signature = format!("s-{}", hex(&sha256(&["openagents", text])[..8]));
    Finding {
        key: FindingKey::of(&lesson.author, &signature, lesson.id.as_str(), None),
        run: run.id.clone(),
        root: run.root.clone(),
        author: lesson.author.clone(),
        severity: lesson.severity,
        category: lesson.category.clone(),
        rule: None,
        text: lesson.text.clone(),
        place: None,
        grade: None,
        signature,
        state: FindingState::Open,
        is_sighting: true,
        lesson: Some(lesson.id.clone()),
        likeness: 1.0,
        fixed_in: None,
    }
}
