//! What did others do to the files since we last wrote? The changes that bring our
//! tables up to what the files say: whoever wrote last is right.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::effect::EffectCounts;
use hardwon_core::event::Problem;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::run::Run;

use super::layout::entry::{Context, Entry};
use super::layout::{Layout, Owner};
use super::rows::{Pairs, Rows};

/// What others did, as far as it has been examined.
pub struct News<'a, L: Layout> {
    pub context: &'a Context<'a>,
    pub tables: &'a Tables,
    pub rows: &'a Rows<L>,
    /// Which lesson a record is, by the number of its shelf and its place there.
    pub known: BTreeMap<(usize, usize), LessonId>,
    /// As they are after the changes so far.
    pub lessons: BTreeMap<LessonId, Lesson>,
    pub runs: BTreeMap<RunId, Run>,
    pub changes: Vec<Change>,
    pub problems: Vec<Problem>,
}

impl<'a, L: Layout> News<'a, L> {
    pub(super) fn new(context: &'a Context<'a>, tables: &'a Tables, rows: &'a Rows<L>) -> Self {
        let runs = tables.runs.iter().map(|((_, id), run)| (id.clone(), run.clone())).collect();
        let (known, changes, problems) = Default::default();
        let lessons = tables.lessons.clone();
        News { context, tables, rows, known, lessons, runs, changes, problems }
    }

    /// Takes over the project's own records and what lies beside them.
    pub(super) fn take_project(mut self) -> Self {
        let pairs = self.rows.pairs(self.tables, self.context);
        L::take_runs(&mut self);
        let active = self.take_shelves(&pairs, Owner::Project);
        self.put_away_missing(&active);
        self.link();
        L::take_rest(&mut self);
        self
    }

    /// Takes over the user's own lessons, as new: they are in no project's history.
    pub(super) fn take_users(mut self) -> Self {
        let no_pairs = self.rows.by_place(|_, _| None);
        self.take_shelves(&no_pairs, Owner::User);
        self.link();
        self
    }

    /// Lessons of this owner: first those that stand on a shelf, which are returned, then
    /// those in archives.
    fn take_shelves(&mut self, pairs: &Pairs, owner: Owner) -> BTreeSet<LessonId> {
        let mut active = BTreeSet::new();
        for is_archive in [false, true] {
            for (index, shelf) in L::SHELVES.iter().enumerate() {
                if shelf.owner == owner && shelf.is_archive == is_archive {
                    self.take_shelf(&pairs[index], index, &active);
                }
            }
            if !is_archive {
                active.extend(self.known.values().cloned());
            }
        }
        active
    }

    /// An archived record of a lesson that is also active was brought back: it stays unknown.
    fn take_shelf(
        &mut self,
        pairs: &[Option<LessonId>],
        index: usize,
        active: &BTreeSet<LessonId>,
    ) {
        let (rows, shelf) = (self.rows, &L::SHELVES[index]);
        let verb = if shelf.is_archive { "moved to" } else { "changed in" };
        for (place, known) in pairs.iter().enumerate() {
            let Some(entry) = rows.entry(self.context, index, place) else { continue };
            let id = match known {
                Some(id) if active.contains(id) => None,
                Some(id) => {
                    let before = self.lessons[id].clone();
                    if !shelf.is_archive || before.state.is_on_ladder() {
                        let after = entry.adopted(&before);
                        self.update(&before, after, &format!("{verb} {}", shelf.label()));
                    }
                    Some(id.clone())
                }
                None if shelf.is_archive && self.is_active(&entry) => None,
                None => self.add(&entry, &rows.at(index, place)),
            };
            self.known.extend(id.map(|id| ((index, place), id)));
        }
    }

    /// Whether a record of the archive is a lesson that was brought back since.
    fn is_active(&self, entry: &Entry<'_, L>) -> bool {
        let said = L::said(entry.record);
        let alias = L::alias(self.context, said.id);
        let text = self.context.gate.line(said.text);
        self.lessons.values().any(|lesson| {
            lesson.state.is_on_ladder()
                && entry.shelf.may_hold::<L>(lesson)
                && lesson.aliases.first() == alias.as_ref()
                && lesson.text == text
        })
    }

    fn add(&mut self, entry: &Entry<'_, L>, at: &str) -> Option<LessonId> {
        if let Some(reason) = L::refuses(entry) {
            self.problems.push(Problem::new(at, reason));
            return None;
        }
        let Some(lesson) = entry.lesson(|id| self.lessons.contains_key(id)) else {
            let field = L::TEXT_FIELD;
            let reason = format!("nothing is left of the {field} after cleaning; kept in the file");
            self.problems.push(Problem::new(at, reason));
            return None;
        };
        let of_it = self.tables.effects.values().filter(|effect| effect.lesson == lesson.id);
        let kinds = of_it.filter(|effect| effect.was_shown()).map(|effect| effect.kind);
        let known = EffectCounts::of(kinds);
        let is_told = known == EffectCounts::default();
        let effects = if is_told { lesson.effects } else { known };
        let extra = L::kept_with(entry).or(lesson.extra.clone());
        let lesson = Lesson { effects, extra, ..lesson };
        let because = format!("found in {}", entry.shelf.label());
        let id = lesson.id.clone();
        self.changes.push(Change::AddLesson { lesson: Box::new(lesson.clone()), because });
        self.lessons.insert(id.clone(), lesson);
        Some(id)
    }

    pub fn update(&mut self, before: &Lesson, after: Lesson, because: &str) {
        if let Some(change) = Change::edit_lesson(before, &after, because) {
            self.changes.push(change);
            self.lessons.insert(after.id.clone(), after);
        }
    }

    /// Archives lessons whose record was removed from all shelves.
    fn put_away_missing(&mut self, active: &BTreeSet<LessonId>) {
        for id in self.tables.lessons.keys().filter(|id| !active.contains(id)) {
            let before = self.lessons[id].clone();
            let shelf = L::shelf_of(&before).map(|index| &L::SHELVES[index]);
            let Some(shelf) = shelf.filter(|shelf| !shelf.is_of_user()) else { continue };
            if before.state.is_on_ladder() {
                let after = Lesson { state: State::Archived, ..before.clone() };
                self.update(&before, after, &format!("no longer in {}", shelf.label()));
            }
        }
    }

    /// Records which lesson replaced which.
    fn link(&mut self) {
        for ((index, place), id) in self.known.clone() {
            let record = self.rows.shelves[index].lines[place].record.as_ref();
            let Some(next) = record.and_then(|record| L::said(record).superseded_by) else {
                continue;
            };
            let Some(alias) = L::alias(self.context, next) else { continue };
            let named = self.lessons.values().find(|lesson| lesson.aliases.contains(&alias));
            let Some(named) = named.map(|lesson| lesson.id.clone()) else { continue };
            let before = self.lessons[&id].clone();
            if before.state == State::Superseded && named != id {
                let after = Lesson { superseded_by: Some(named), ..before.clone() };
                let label = L::SHELVES[index].label();
                self.update(&before, after, &format!("superseded in {label}"));
            }
        }
    }
}
