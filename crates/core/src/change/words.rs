//! Where can words of others stand? Every short field and every text of each row, so
//! that all of them can be looked at, cleaned or erased in one way. Each row is taken
//! apart without `..`: a new field does not compile until somebody decides.
//!
//! Ids, keys, roles of injections, and names and paths of projects are left out: they say
//! which row it is.

use std::collections::BTreeSet;

use super::{Change, LessonField, Swap};
use crate::effect::{Effect, Injection};
use crate::finding::Finding;
use crate::ids::LessonId;
use crate::lesson::{Lesson, Review};
use crate::run::{Judgement, Run};
use crate::scope::Scope;
use crate::text::Text;

/// How the reason begins for which a lesson was taken out for good.
pub const FORGOTTEN_BY: &str = "forgotten for good by ";

/// Visits one text.
pub type OnText<'a> = &'a mut dyn FnMut(&mut Text);
/// Visits one short field.
pub type OnWord<'a> = &'a mut dyn FnMut(&mut String);

/// Something that holds words of others.
pub trait Worded {
    /// Visits every text in it.
    fn for_each_text(&mut self, visit: OnText<'_>);
    /// Visits every short field in it.
    fn for_each_word(&mut self, visit: OnWord<'_>);
    /// Visits what somebody said about this lesson besides its text: how it is filed,
    /// where it holds, and the reasons given. Not who, when, what kind or which state.
    fn for_each_said(&mut self, _lesson: &LessonId, _visit: OnWord<'_>) {}
}

impl Worded for Run {
    fn for_each_text(&mut self, _: OnText<'_>) {}

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
            author, category, rule, place, signature,
        } = self;
        visit(author);
        category.iter_mut().chain(rule).for_each(&mut *visit);
        place.iter_mut().for_each(|place| visit(&mut place.path));
        visit(signature);
    }

    fn for_each_said(&mut self, lesson: &LessonId, visit: OnWord<'_>) {
        if self.lesson.as_ref() == Some(lesson) {
            self.category.iter_mut().chain(&mut self.rule).for_each(&mut *visit);
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

    fn for_each_said(&mut self, lesson: &LessonId, visit: OnWord<'_>) {
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

impl Worded for Effect {
    fn for_each_text(&mut self, _: OnText<'_>) {}

    fn for_each_word(&mut self, visit: OnWord<'_>) {
        #[rustfmt::skip]
        let Effect {
            lesson: _, root: _, run_number: _, kind: _, is_named: _, surface: _, follow_up: _,
            is_regression: _, arm: _, weight: _,
            why,
        } = self;
        visit(why);
    }

    fn for_each_said(&mut self, lesson: &LessonId, visit: OnWord<'_>) {
        // What was not named by somebody was worked out, and holds nobody's words.
        if self.lesson == *lesson && self.is_named {
            visit(&mut self.why);
        }
    }
}

impl Worded for Change {
    fn for_each_text(&mut self, visit: OnText<'_>) {
        Change::for_each_text(self, visit);
    }

    fn for_each_word(&mut self, visit: OnWord<'_>) {
        use Change::*;
        match self {
            AddRun { run } | RemoveRun { run } => run.for_each_word(visit),
            EditRun { before, after } => {
                before.for_each_word(visit);
                after.for_each_word(visit);
            }
            AddFinding { finding } | RemoveFinding { finding } => finding.for_each_word(visit),
            EditFinding { before, after } => {
                before.for_each_word(visit);
                after.for_each_word(visit);
            }
            AddLesson { lesson, because } | RemoveLesson { lesson, because } => {
                lesson.for_each_word(visit);
                visit(because);
            }
            EditLesson { because, fields, .. } => {
                visit(because);
                fields.iter_mut().for_each(|field| in_field(field, visit));
            }
            AddInjection { injection } | RemoveInjection { injection } => {
                injection.for_each_word(visit);
            }
            AddEffect { effect } | RemoveEffect { effect } => effect.for_each_word(visit),
            // These hold digests, and who did it.
            AddTombstone { .. } | RemoveTombstone { .. } | Erase { .. } => {}
            // Says which project it is.
            EditProject { .. } => {}
        }
    }

    fn for_each_said(&mut self, about: &LessonId, visit: OnWord<'_>) {
        use Change::*;
        match self {
            AddRun { .. } | RemoveRun { .. } | EditRun { .. } => {}
            AddFinding { finding } | RemoveFinding { finding } => {
                finding.for_each_said(about, visit);
            }
            EditFinding { before, after } => {
                before.for_each_said(about, visit);
                after.for_each_said(about, visit);
            }
            AddLesson { lesson, because } | RemoveLesson { lesson, because } => {
                lesson.for_each_said(about, visit);
                // That it was forgotten, and by whom, is what history is to tell.
                if lesson.id == *about && !because.starts_with(FORGOTTEN_BY) {
                    visit(because);
                }
            }
            EditLesson { lesson, because, fields } => {
                if lesson == about {
                    visit(because);
                    fields.iter_mut().for_each(|field| said_in_field(field, visit));
                }
            }
            AddEffect { effect } | RemoveEffect { effect } => effect.for_each_said(about, visit),
            AddInjection { .. } | RemoveInjection { .. } => {}
            AddTombstone { .. } | RemoveTombstone { .. } => {}
            EditProject { .. } | Erase { .. } => {}
        }
    }
}

/// The fields that somebody filled in about a lesson.
fn said_in_field(field: &mut LessonField, visit: OnWord<'_>) {
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
    match field {
        LessonField::Category(Swap { from, to }) => from.iter_mut().chain(to).for_each(visit),
        LessonField::Scope(Swap { from, to }) => {
            in_scope(from, visit);
            in_scope(to, visit);
        }
        LessonField::Tags(Swap { from, to })
        | LessonField::Paths(Swap { from, to })
        | LessonField::Aliases(Swap { from, to })
        | LessonField::Signatures(Swap { from, to }) => from.iter_mut().chain(to).for_each(visit),
        LessonField::Detectors(Swap { from, to }) => {
            in_set(from, visit);
            in_set(to, visit);
        }
        LessonField::Guidance(Swap { from, to }) => {
            from.for_each_word(visit);
            to.for_each_word(visit);
        }
        LessonField::Reviews(Swap { from, to }) => {
            in_reviews(from, visit);
            in_reviews(to, visit);
        }
        LessonField::Kind(_)
        | LessonField::Text(_)
        | LessonField::Severity(_)
        | LessonField::State(_)
        | LessonField::Importance(_)
        | LessonField::BaseConfidence(_)
        | LessonField::Confidence(_)
        | LessonField::Sightings(_)
        | LessonField::Standing(_)
        | LessonField::LastSeenRun(_)
        | LessonField::Unseen(_)
        | LessonField::Grade(_)
        | LessonField::Effects(_)
        | LessonField::Pinned(_)
        | LessonField::Trust(_)
        | LessonField::Extra(_)
        | LessonField::Upkeep(_)
        | LessonField::SupersededBy(_)
        | LessonField::Arms(_)
        | LessonField::UpdatedAt(_) => {}
    }
}

fn in_scope(scope: &mut Scope, visit: OnWord<'_>) {
    scope.0.values_mut().for_each(visit);
}

fn in_reviews(reviews: &mut [Review], visit: OnWord<'_>) {
    for Review { decision: _, by, authority, because, at: _, from: _, to: _ } in reviews {
        [by, authority, because].into_iter().for_each(&mut *visit);
    }
}

/// Only a set in which something changed is made anew.
fn in_set(set: &mut BTreeSet<String>, visit: OnWord<'_>) {
    let mut words: Vec<String> = set.iter().cloned().collect();
    words.iter_mut().for_each(visit);
    if !words.iter().eq(set.iter()) {
        *set = words.into_iter().collect();
    }
}
