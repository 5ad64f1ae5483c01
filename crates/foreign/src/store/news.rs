//! What did others do to the files since we last wrote? The changes that bring our
//! tables up to what the files say: whoever wrote last is right.

use std::collections::{BTreeMap, BTreeSet};

use hardwon_core::change::{Change, Tables};
use hardwon_core::effect::EffectCounts;
use hardwon_core::event::Problem;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Lesson, State};
use hardwon_core::run::Run;

use super::rows::{Pairs, Rows};
use crate::store::layout::{Context, Layout, Owner, Shelf};

/// Which lesson a record is, by the number of its shelf and its place there.
pub type Known = BTreeMap<(usize, usize), LessonId>;

/// The changes of the project's own records, and what could not be taken over.
pub(super) fn reconcile<L: Layout>(
    layout: &L,
    tables: &Tables,
    rows: &Rows<L>,
    context: &Context<'_>,
) -> (Vec<Change>, Vec<Problem>) {
    let pairs = rows.pairs(layout, tables, context);
    let mut news = News::new(layout, tables, context);
    layout.take_runs(&mut news, rows);
    let (active, known) = news.take_shelves(rows, &pairs, Owner::Project);
    news.put_away_missing(&active);
    let known = known.into_iter().chain(active).collect();
    news.link(rows, &known);
    layout.take_rest(&mut news, rows, &known);
    (news.changes, news.problems)
}

/// The user's own lessons, as new: they are in no project's history.
pub(super) fn users_lessons<L: Layout>(
    layout: &L,
    tables: &Tables,
    rows: &Rows<L>,
    context: &Context<'_>,
) -> (Vec<Change>, Vec<Problem>) {
    let mut news = News::new(layout, tables, context);
    let nothing = rows.shelves.iter().map(|file| vec![None; file.lines.len()]).collect();
    let (active, known) = news.take_shelves(rows, &nothing, Owner::User);
    news.link(rows, &known.into_iter().chain(active).collect());
    (news.changes, news.problems)
}

/// What others did, as far as it was looked at.
pub struct News<'a, L: Layout> {
    layout: &'a L,
    pub context: &'a Context<'a>,
    pub tables: &'a Tables,
    /// As they are after the changes so far.
    pub lessons: BTreeMap<LessonId, Lesson>,
    pub runs: BTreeMap<RunId, Run>,
    pub changes: Vec<Change>,
    pub problems: Vec<Problem>,
}

impl<'a, L: Layout> News<'a, L> {
    fn new(layout: &'a L, tables: &'a Tables, context: &'a Context<'a>) -> Self {
        let runs = tables.runs.iter().map(|((_, id), run)| (id.clone(), run.clone())).collect();
        let (lessons, changes, problems) = (tables.lessons.clone(), Vec::new(), Vec::new());
        News { layout, context, tables, lessons, runs, changes, problems }
    }

    /// Lessons of this owner: those that stand on a shelf, then those in archives.
    fn take_shelves(&mut self, rows: &Rows<L>, pairs: &Pairs, owner: Owner) -> (Known, Known) {
        let of_owner = |is_archive: bool| {
            let shelves = L::SHELVES.iter().enumerate();
            shelves.filter(move |(_, s)| s.owner == owner && s.is_archive == is_archive)
        };
        let (mut active, mut archived) = (Known::new(), Known::new());
        for (index, _) in of_owner(false) {
            active.extend(self.take_shelf(rows, pairs, index));
        }
        for (index, _) in of_owner(true) {
            archived.extend(self.take_archive(rows, pairs, index, &active));
        }
        (active, archived)
    }

    fn take_shelf(&mut self, rows: &Rows<L>, pairs: &Pairs, index: usize) -> Known {
        let (mut found, shelf) = (Known::new(), &L::SHELVES[index]);
        let lines = rows.shelves[index].lines.iter().zip(&pairs[index]);
        for (place, (line, known)) in lines.enumerate() {
            let Some(record) = &line.record else { continue };
            let id = match known {
                None => self.add(record, shelf, &rows.at(index, place)),
                Some(id) => {
                    let before = self.lessons[id].clone();
                    let after = self.layout.adopted(self.context, record, shelf, &before);
                    self.update(&before, after, &format!("changed in {}", shelf.label()));
                    Some(id.clone())
                }
            };
            found.extend(id.map(|id| ((index, place), id)));
        }
        found
    }

    /// Archived records that are nobody's yet. A lesson that also stands among the active
    /// ones was brought back.
    fn take_archive(
        &mut self,
        rows: &Rows<L>,
        pairs: &Pairs,
        index: usize,
        active: &Known,
    ) -> Known {
        let active: BTreeSet<&LessonId> = active.values().collect();
        let (mut found, shelf) = (Known::new(), &L::SHELVES[index]);
        let lines = rows.shelves[index].lines.iter().zip(&pairs[index]);
        for (place, (line, known)) in lines.enumerate() {
            let Some(record) = &line.record else { continue };
            let id = match known {
                None if self.is_active(record, shelf) => None,
                None => self.add(record, shelf, &rows.at(index, place)),
                Some(id) if active.contains(id) => None,
                Some(id) => {
                    let before = self.lessons[id].clone();
                    if before.state.is_on_ladder() {
                        let after = self.layout.adopted(self.context, record, shelf, &before);
                        self.update(&before, after, &format!("moved to {}", shelf.label()));
                    }
                    Some(id.clone())
                }
            };
            found.extend(id.map(|id| ((index, place), id)));
        }
        found
    }

    /// Whether a record of the archive is a lesson that was brought back since.
    fn is_active(&self, record: &L::Record, shelf: &Shelf) -> bool {
        let alias = self.layout.alias(self.context, L::id(record));
        let text = self.context.gate.line(L::text(record));
        let has_users = L::SHELVES.iter().any(Shelf::is_of_user);
        let is_it = |lesson: &Lesson| {
            (!has_users || shelf.is_owner_of(lesson))
                && lesson.aliases.first() == alias.as_ref()
                && lesson.text == text
        };
        self.lessons.values().any(|lesson| lesson.state.is_on_ladder() && is_it(lesson))
    }

    fn add(&mut self, record: &L::Record, shelf: &Shelf, at: &str) -> Option<LessonId> {
        if let Some(reason) = self.layout.refuses(record, shelf) {
            self.problems.push(Problem::new(at, reason));
            return None;
        }
        let is_taken = &mut |id: &LessonId| self.lessons.contains_key(id);
        let Some(lesson) = self.layout.lesson(self.context, record, shelf, is_taken) else {
            let field = L::TEXT_FIELD;
            let reason = format!("nothing is left of the {field} after cleaning; kept in the file");
            self.problems.push(Problem::new(at, reason));
            return None;
        };
        let of_it = self.tables.effects.values().filter(|effect| effect.lesson == lesson.id);
        let kinds = of_it.filter(|effect| effect.was_shown()).map(|effect| effect.kind);
        let lesson = Lesson { effects: EffectCounts::of(kinds), ..lesson };
        let because = format!("found in {}", shelf.label());
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

    /// Lessons whose record is gone from all shelves: somebody removed them by hand.
    fn put_away_missing(&mut self, active: &Known) {
        let paired: BTreeSet<&LessonId> = active.values().collect();
        for id in self.tables.lessons.keys().filter(|id| !paired.contains(id)) {
            let before = self.lessons[id].clone();
            let shelf = self.layout.shelf_of(&before).map(|index| &L::SHELVES[index]);
            let Some(shelf) = shelf.filter(|shelf| !shelf.is_of_user()) else { continue };
            if before.state.is_on_ladder() {
                let after = Lesson { state: State::Archived, ..before.clone() };
                self.update(&before, after, &format!("no longer in {}", shelf.label()));
            }
        }
    }

    /// Which lesson came after which.
    fn link(&mut self, rows: &Rows<L>, known: &Known) {
        for ((index, place), id) in known {
            let record = rows.shelves[*index].lines[*place].record.as_ref();
            let Some(next) = record.and_then(L::superseded_by) else { continue };
            let Some(alias) = self.layout.alias(self.context, next) else { continue };
            let named = self.lessons.values().find(|lesson| lesson.aliases.contains(&alias));
            let Some(named) = named.map(|lesson| lesson.id.clone()) else { continue };
            let before = self.lessons[id].clone();
            if before.state == State::Superseded && named != *id {
                let after = Lesson { superseded_by: Some(named), ..before.clone() };
                let label = L::SHELVES[*index].label();
                self.update(&before, after, &format!("superseded in {label}"));
            }
        }
    }
}
