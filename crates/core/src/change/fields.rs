//! How one version of a lesson becomes the next: field by field, old and new value,
//! so that a change can be applied, checked and undone.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::change::Mismatch;
use crate::effect::EffectCounts;
use crate::finding::{Grade, Severity};
use crate::ids::{LessonId, RunId};
use crate::lesson::{Arms, Guidance, Kind, Lesson, Review, State, Trust, Unseen, Upkeep};
use crate::scope::Scope;
use crate::text::Text;
use crate::time::Timestamp;

/// An old and a new value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swap<T> {
    pub from: T,
    pub to: T,
}

/// Declares the enum of changeable fields with its diff, its application and its
/// inverse. `between` destructures a lesson without `..`: a new field of `Lesson` does
/// not compile until it is decided whether it can change.
macro_rules! lesson_fields {
    (fixed: $($fixed:ident),+; $($variant:ident($field:ident: $type:ty)),+ $(,)?) => {
        /// One changed field of a lesson.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum LessonField { $($variant(Swap<$type>)),+ }

        /// The fields in which two versions of a lesson differ.
        pub(super) fn between(before: &Lesson, after: &Lesson) -> Vec<LessonField> {
            let Lesson { $($fixed: _,)+ $($field: _),+ } = before;
            let mut fields = Vec::new();
            $(if before.$field != after.$field {
                fields.push(LessonField::$variant(Swap {
                    from: before.$field.clone(),
                    to: after.$field.clone(),
                }));
            })+
            fields
        }

        impl LessonField {
            /// The same field, the other way round.
            pub(super) fn inverse(&self) -> LessonField {
                match self.clone() {
                    $(LessonField::$variant(Swap { from, to }) =>
                        LessonField::$variant(Swap { from: to, to: from })),+
                }
            }

            /// The field's name, for history.
            pub fn name(&self) -> &'static str {
                match self { $(LessonField::$variant(_) => stringify!($field)),+ }
            }

            fn fits(&self, lesson: &Lesson) -> bool {
                match self { $(LessonField::$variant(swap) => lesson.$field == swap.from),+ }
            }

            fn set(&self, lesson: &mut Lesson) {
                match self { $(LessonField::$variant(Swap { to, .. }) => lesson.$field = to.clone()),+ }
            }
        }
    };
}

lesson_fields! {
    fixed: id, project, author, origin, created_at;
    Kind(kind: Kind),
    Category(category: Option<String>),
    Text(text: Text),
    Scope(scope: Scope),
    Tags(tags: Vec<String>),
    Paths(paths: Vec<String>),
    Severity(severity: Severity),
    State(state: State),
    Importance(importance: f64),
    BaseConfidence(base_confidence: f64),
    Confidence(confidence: f64),
    Sightings(n_sightings: u32),
    Standing(standing: u32),
    LastSeenRun(last_seen_run: Option<RunId>),
    Unseen(unseen: Unseen),
    Detectors(detectors: BTreeSet<String>),
    Grade(grade: Option<Grade>),
    Effects(effects: EffectCounts),
    Pinned(is_pinned: bool),
    Trust(trust: Trust),
    Aliases(aliases: Vec<String>),
    Signatures(signatures: Vec<String>),
    Extra(extra: Option<Text>),
    Upkeep(upkeep: Upkeep),
    Reviews(reviews: Vec<Review>),
    SupersededBy(superseded_by: Option<LessonId>),
    Arms(arms: Arms),
    Guidance(guidance: Guidance),
    UpdatedAt(updated_at: Timestamp),
}

impl LessonField {
    /// Sets what a person can decide; what is counted stays as it is.
    pub fn decide(&self, lesson: &mut Lesson) {
        use LessonField::*;
        let is_decided = matches!(
            self,
            Kind(_)
                | Category(_)
                | Text(_)
                | Scope(_)
                | Tags(_)
                | Paths(_)
                | Severity(_)
                | State(_)
                | Importance(_)
                | Pinned(_)
                | Trust(_)
                | Aliases(_)
                | Reviews(_)
                | SupersededBy(_)
        );
        if is_decided {
            self.set(lesson);
        }
    }

    pub(super) fn for_each_text(&mut self, visit: &mut dyn FnMut(&mut Text)) {
        match self {
            LessonField::Text(Swap { from, to }) => [from, to].into_iter().for_each(visit),
            LessonField::Extra(Swap { from, to }) => from.iter_mut().chain(to).for_each(visit),
            _ => {}
        }
    }
}

impl Lesson {
    /// The next version of a lesson. Refused if the lesson is not as the change found
    /// it; an edit is never applied in part.
    pub fn with(&self, fields: &[LessonField]) -> Result<Lesson, Mismatch> {
        let mut next = self.clone();
        for field in fields {
            if !field.fits(&next) {
                return Err(Mismatch::new(&next.id, field.name()));
            }
            field.set(&mut next);
        }
        Ok(next)
    }
}
