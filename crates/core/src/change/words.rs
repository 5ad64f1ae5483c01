//! Where can words from outside be? Every short field and every text of each row, so
//! that all of them can be read, cleaned or erased in one way. Rows are destructured
//! without `..`: a new field does not compile until it is decided where it belongs.
//!
//! Ids, keys, roles of injections, and names and paths of projects are left out: they
//! identify the row.

use std::collections::BTreeSet;

use super::{Change, FileEdit, LessonField, Swap};
use crate::attempt::Attempt;
use crate::consult::{Consultation, Proposed};
use crate::deliberation::Deliberation;
use crate::effect::{Effect, Injection};
use crate::finding::Finding;
use crate::ids::LessonId;
use crate::lesson::{Lesson, Review};
use crate::run::{Judgement, Run};
use crate::text::Text;

/// How the reason begins with which a lesson was erased.
pub const FORGOTTEN_BY: &str = "forgotten for good by ";

/// Visits one text.
pub type OnText<'a> = &'a mut dyn FnMut(&mut Text);
/// Visits one short field.
pub type OnWord<'a> = &'a mut dyn FnMut(&mut String);

/// Something that holds words from outside.
pub trait Worded {
    fn for_each_text(&mut self, _visit: OnText<'_>) {}
    /// Visits every short field.
    fn for_each_word(&mut self, visit: OnWord<'_>);
    /// Visits what is recorded about this lesson besides its text: its labels, its scope,
    /// and the reasons given. Not who, when, what kind or which state.
    fn for_each_remark(&mut self, _lesson: &LessonId, _visit: OnWord<'_>) {}
}

impl Worded for Run {
    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Run {
            id: _, parent: _, root: _, number: _, is_learned: _, is_counted: _, kind: _,
            started: _, finished: _, outcome: _, recorded_at: _,
            role, agent, task, domain, detectors, reasoned_only, judgements, paths, tools, tags,
            episode,
        } = self;
        episode.for_each_word(visit);
        [role, agent, task, domain].into_iter().flatten().for_each(&mut *visit);
        for set in [detectors, reasoned_only, paths, tools, tags] {
            in_set(set, visit);
        }
        let mut by_name: Vec<(String, Judgement)> =
            std::mem::take(judgements).into_iter().collect();
        by_name.iter_mut().for_each(|(name, _)| visit(name));
        *judgements = by_name.into_iter().collect();
    }
}

impl Worded for Finding {
    fn for_each_text(&mut self, visit: OnText<'_>) {
        visit(&mut self.text);
    }

    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Finding {
            key: _, run: _, root: _, text: _, fixed_in: _, lesson: _, severity: _, grade: _,
            state: _, is_sighting: _, likeness: _,
            author, category, rule, place, signature, repair, ruled_by, quote,
        } = self;
        visit(author);
        let rest = category.iter_mut().chain(rule).chain(repair).chain(ruled_by).chain(quote);
        rest.for_each(&mut *visit);
        place.iter_mut().for_each(|place| visit(&mut place.path));
        visit(signature);
    }

    fn for_each_remark(&mut self, lesson: &LessonId, visit: OnWord<'_>) {
        if self.lesson.as_ref() == Some(lesson) {
            let named = self.category.iter_mut().chain(&mut self.rule);
            named.chain(&mut self.repair).for_each(&mut *visit);
            self.place.iter_mut().for_each(|place| visit(&mut place.path));
        }
    }
}

impl Worded for Lesson {
    fn for_each_text(&mut self, visit: OnText<'_>) {
        visit(&mut self.text);
        self.extra.iter_mut().for_each(visit);
    }

    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Lesson {
            id: _, project: _, kind: _, text: _, extra: _, severity: _, state: _, importance: _,
            base_confidence: _, confidence: _, n_sightings: _, standing: _, last_seen_run: _,
            unseen: _, grade: _, effects: _, is_pinned: _, origin: _, trust: _, upkeep: _,
            superseded_by: _, arms: _, created_at: _, updated_at: _,
            category, scope, tags, paths, detectors, author, aliases, signatures, reviews,
            guidance,
        } = self;
        guidance.for_each_word(visit);
        category.iter_mut().for_each(&mut *visit);
        in_scope(scope, visit);
        tags.iter_mut().chain(paths).for_each(&mut *visit);
        in_set(detectors, visit);
        visit(author);
        aliases.iter_mut().chain(signatures).for_each(&mut *visit);
        in_reviews(reviews, visit);
    }

    fn for_each_remark(&mut self, lesson: &LessonId, visit: OnWord<'_>) {
        if self.id == *lesson {
            self.category.iter_mut().for_each(&mut *visit);
            in_scope(&mut self.scope, visit);
            let lists = self.tags.iter_mut().chain(&mut self.paths).chain(&mut self.aliases);
            lists.for_each(&mut *visit);
            self.guidance.for_each_word(visit);
            self.reviews.iter_mut().for_each(|review| visit(&mut review.because));
        }
    }
}

impl Worded for Injection {
    fn for_each_text(&mut self, visit: OnText<'_>) {
        visit(&mut self.block);
    }

    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Injection {
            run: _, role: _, need: _, at: _, shown: _, held_out: _, surface: _, block: _,
            digest: _, n_tokens: _,
            domain,
        } = self;
        visit(domain);
    }
}

impl Worded for FileEdit {
    fn for_each_word(&mut self, visit: OnWord<'_>) {
        let FileEdit { path: _, before: _, after: _, at: _, removed, added } = self;
        visit(removed);
        visit(added);
    }
}

impl Worded for Effect {
    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Effect {
            lesson: _, root: _, run_number: _, kind: _, is_named: _, surface: _, follow_up: _,
            is_regression: _, arm: _, weight: _,
            why,
        } = self;
        visit(why);
    }

    fn for_each_remark(&mut self, lesson: &LessonId, visit: OnWord<'_>) {
        // An effect that no one stated was computed, and has no words from outside.
        if self.lesson == *lesson && self.is_named {
            visit(&mut self.why);
        }
    }
}

impl Worded for Deliberation {
    fn for_each_text(&mut self, visit: OnText<'_>) {
        visit(&mut self.response);
    }

    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Deliberation {
            id: _, run: _, grade: _, n_tokens: _, duration_ms: _, at: _, response: _,
            role, verdict, summary, model, issue,
        } = self;
        visit(role);
        verdict.iter_mut().chain([summary]).chain(model).chain(issue).for_each(visit);
    }
}

impl Worded for Attempt {
    fn for_each_text(&mut self, visit: OnText<'_>) {
        visit(&mut self.approach);
    }

    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Attempt {
            id: _, run: _, iteration: _, approach: _, result: _, is_claim: _, at: _,
            issue, author, files, why, next,
        } = self;
        [issue, author].into_iter().chain(files).chain(why).chain(next).for_each(visit);
    }
}

impl Worded for Consultation {
    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Consultation {
            id: _, purpose: _, about: _, evidence: _, backend: _, model: _, at: _, reserved: _,
            spent: _, is_answered: _, failure, proposed,
        } = self;
        failure.iter_mut().for_each(&mut *visit);
        if let Some(Proposed { is_yes: _, text, reason, rejected }) = proposed {
            [text, reason].into_iter().chain(rejected).for_each(visit);
        }
    }

    fn for_each_remark(&mut self, about: &LessonId, visit: OnWord<'_>) {
        if self.about.iter().any(|id| id == about.as_str()) {
            self.for_each_word(visit);
        }
    }
}

impl Worded for Change {
    fn for_each_text(&mut self, visit: OnText<'_>) {
        self.for_each_row(&mut |row| row.for_each_text(visit));
        if let Change::EditLesson { fields, .. } = self {
            fields.iter_mut().for_each(|field| field.for_each_text(visit));
        }
    }

    fn for_each_word(&mut self, visit: OnWord<'_>) {
        self.for_each_row(&mut |row| row.for_each_word(visit));
        if let Change::AddLesson { because, .. }
        | Change::RemoveLesson { because, .. }
        | Change::EditLesson { because, .. } = self
        {
            visit(because);
        }
        if let Change::EditLesson { fields, .. } = self {
            fields.iter_mut().for_each(|field| in_field(field, visit));
        }
    }

    fn for_each_remark(&mut self, about: &LessonId, visit: OnWord<'_>) {
        self.for_each_row(&mut |row| row.for_each_remark(about, visit));
        if let Change::AddLesson { lesson, because } | Change::RemoveLesson { lesson, because } = self
            && lesson.id == *about
            // History has to say that it was forgotten, and by whom.
            && !because.starts_with(FORGOTTEN_BY)
        {
            visit(because);
        }
        if let Change::EditLesson { lesson, because, fields } = self
            && lesson == about
        {
            visit(because);
            fields.iter_mut().for_each(|field| remarks_in_field(field, visit));
        }
    }
}

impl Change {
    /// Visits every row that it holds complete.
    fn for_each_row(&mut self, visit: &mut dyn FnMut(&mut dyn Worded)) {
        use Change::*;
        match self {
            AddRun { run } | RemoveRun { run } => visit(&mut **run),
            EditRun { before, after } => {
                visit(&mut **before);
                visit(&mut **after);
            }
            AddFinding { finding } | RemoveFinding { finding } => visit(&mut **finding),
            EditFinding { before, after } => {
                visit(&mut **before);
                visit(&mut **after);
            }
            AddLesson { lesson, .. } | RemoveLesson { lesson, .. } => visit(&mut **lesson),
            AddInjection { injection } | RemoveInjection { injection } => visit(injection),
            AddEffect { effect } | RemoveEffect { effect } => visit(effect),
            AddDeliberation { deliberation } | RemoveDeliberation { deliberation } => {
                visit(&mut **deliberation);
            }
            AddAttempt { attempt } | RemoveAttempt { attempt } => visit(&mut **attempt),
            AddConsultation { consultation } | RemoveConsultation { consultation } => {
                visit(&mut **consultation);
            }
            EditConsultation { before, after } => {
                visit(&mut **before);
                visit(&mut **after);
            }
            // Single fields.
            EditLesson { .. } => {}
            // These hold digests, and who did it.
            AddTombstone { .. } | RemoveTombstone { .. } | Erase { .. } => {}
            // Says which project it is.
            EditProject { .. } => {}
            EditFile { edit } => visit(&mut **edit),
        }
    }
}

/// The fields that say something about a lesson besides its text.
fn remarks_in_field(field: &mut LessonField, visit: OnWord<'_>) {
    match field {
        LessonField::Reviews(Swap { from, to }) => {
            from.iter_mut().chain(to).for_each(|review| visit(&mut review.because));
        }
        // Digests, and who detected it.
        LessonField::Signatures(_) | LessonField::Detectors(_) => {}
        other => in_field(other, visit),
    }
}

fn in_field(field: &mut LessonField, visit: OnWord<'_>) {
    use LessonField::*;
    match field {
        Category(Swap { from, to }) => from.iter_mut().chain(to).for_each(visit),
        Scope(Swap { from, to }) => [from, to].into_iter().for_each(|it| in_scope(it, visit)),
        Tags(Swap { from, to })
        | Paths(Swap { from, to })
        | Aliases(Swap { from, to })
        | Signatures(Swap { from, to }) => from.iter_mut().chain(to).for_each(visit),
        Detectors(Swap { from, to }) => [from, to].into_iter().for_each(|it| in_set(it, visit)),
        Guidance(Swap { from, to }) => {
            [from, to].into_iter().for_each(|it| it.for_each_word(visit));
        }
        Reviews(Swap { from, to }) => [from, to].into_iter().for_each(|it| in_reviews(it, visit)),
        Kind(_) | Text(_) | Severity(_) | State(_) | Grade(_) | Trust(_) | Extra(_) => {}
        Importance(_) | BaseConfidence(_) | Confidence(_) | Sightings(_) | Standing(_) => {}
        LastSeenRun(_) | Unseen(_) | Effects(_) | Pinned(_) | Upkeep(_) | SupersededBy(_) => {}
        Arms(_) | UpdatedAt(_) => {}
    }
}

fn in_scope(scope: &mut crate::scope::Scope, visit: OnWord<'_>) {
    scope.0.values_mut().for_each(visit);
}

fn in_reviews(reviews: &mut [Review], visit: OnWord<'_>) {
    for Review { decision: _, by, authority, because, at: _, from: _, to: _ } in reviews {
        [by, authority, because].into_iter().for_each(&mut *visit);
    }
}

/// Rebuilds the set only if something in it changed.
fn in_set(set: &mut BTreeSet<String>, visit: OnWord<'_>) {
    let mut words: Vec<String> = set.iter().cloned().collect();
    words.iter_mut().for_each(visit);
    if !words.iter().eq(set.iter()) {
        *set = words.into_iter().collect();
    }
}
