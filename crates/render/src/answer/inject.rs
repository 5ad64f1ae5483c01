//! What `inject` answers: the block, and the reason for everything in and out of it.

use std::collections::BTreeMap;

use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::eligible::Exclusion;
use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::Lesson;
use hardwon_core::rank::Ranked;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::value::{Decimal, Id};

/// What `inject` gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Injected {
    /// The exact bytes for the prompt; empty when there is nothing to say.
    pub block: String,
    /// In the order of the block.
    pub lessons: Vec<InjectedLesson>,
    pub left_out: Vec<LeftOut>,
    /// Lessons that chance kept out, so that lift can be measured.
    pub held_out: Vec<Id<LessonId>>,
    /// A conservative estimate.
    #[serde(rename = "tokens")]
    pub n_tokens: u32,
    #[serde(rename = "chars")]
    pub n_chars: u64,
    /// `sha256:` of the block.
    pub digest: String,
    /// Null when nothing was recorded.
    pub run: Option<Id<RunId>>,
    /// The block had been served before and is served again.
    #[serde(rename = "repeated")]
    pub is_repeat: bool,
    /// The store was busy: the injection lies beside it, and the next writer takes it in.
    #[serde(rename = "queued")]
    pub is_queued: bool,
    /// How many blocks for this need in this run came before it and do not hold any more.
    #[serde(skip)]
    pub n_served: u32,
}

/// One lesson of a block, with its score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InjectedLesson {
    pub id: Id<LessonId>,
    pub text: String,
    pub score: Decimal,
    #[serde(serialize_with = "by_name")]
    #[schemars(with = "BTreeMap<String, Decimal>")]
    pub parts: Vec<(&'static str, f64)>,
    /// What the score means, in words; null where a formula of another system decides.
    pub means: Option<String>,
    /// Chance could have held it out.
    #[serde(rename = "randomised")]
    pub is_randomised: bool,
    /// As memory has it, for whoever records or packs it. Never printed.
    #[serde(skip)]
    pub lesson: Lesson,
}

/// One candidate that is not in the block, with the reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeftOut {
    pub id: Id<LessonId>,
    pub text: String,
    pub reason: String,
    /// Null if it did not come as far as being scored.
    pub score: Option<Decimal>,
    #[serde(serialize_with = "by_name")]
    #[schemars(with = "BTreeMap<String, Decimal>")]
    pub parts: Vec<(&'static str, f64)>,
}

impl InjectedLesson {
    /// A ranked lesson in its place.
    pub fn of(lesson: &Lesson, ranked: &Ranked, is_randomised: bool) -> Self {
        InjectedLesson {
            id: lesson.id.clone().into(),
            text: lesson.text.as_str().to_owned(),
            score: Decimal(ranked.score),
            parts: ranked.parts.clone(),
            means: ranked.told.clone(),
            is_randomised,
            lesson: lesson.clone(),
        }
    }
}

impl LeftOut {
    /// A lesson that was not even ranked.
    pub fn of(lesson: &Lesson, reason: &Exclusion) -> Self {
        LeftOut {
            id: lesson.id.clone().into(),
            text: lesson.text.as_str().to_owned(),
            reason: reason.to_string(),
            score: None,
            parts: Vec::new(),
        }
    }

    /// A lesson that was ranked and has no place.
    pub fn ranked(lesson: &Lesson, ranked: &Ranked, reason: &Exclusion) -> Self {
        let score = Some(Decimal(ranked.score));
        LeftOut { score, parts: ranked.parts.clone(), ..LeftOut::of(lesson, reason) }
    }
}

impl Injected {
    /// Whether it says anything new about a run: what was shown, or held out, or of which
    /// domain the run is.
    pub fn is_worth_recording(&self, names_domain: bool) -> bool {
        let is_said = !self.block.is_empty() || !self.held_out.is_empty();
        !self.is_repeat && (is_said || names_domain && self.n_served == 0)
    }
}

/// The empty block.
impl Default for Injected {
    fn default() -> Self {
        Injected {
            block: String::new(),
            lessons: Vec::new(),
            left_out: Vec::new(),
            held_out: Vec::new(),
            n_tokens: 0,
            n_chars: 0,
            digest: sha256_of_bytes(b""),
            run: None,
            is_repeat: false,
            is_queued: false,
            n_served: 0,
        }
    }
}

fn by_name<S: Serializer>(parts: &[(&str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(parts.iter().map(|(name, value)| (name, Decimal(*value))))
}
