//! What the commands in jkz's words answer: patterns, and what was done to them. The names of
//! fields are those of jkz's own table.

use hardwon_core::ids::LessonId;
use hardwon_core::jkz;
use hardwon_core::lesson;
use hardwon_core::policy::JkzRank;
use hardwon_core::rank::Ranked;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::value::{Decimal, Id, Time};

/// A lesson as jkz would list it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Pattern {
    /// The how-manieth lesson of its project it is; null for one of another project.
    pub id: Option<u64>,
    pub lesson: Id<LessonId>,
    pub role: Option<String>,
    pub text: String,
    pub category: Option<String>,
    pub lifecycle_state: Option<&'static str>,
    pub success_count: u32,
    pub ignore_count: u32,
    pub ignore_weight_score: Decimal,
    pub was_validated: bool,
    pub last_used: Time,
    pub score: Decimal,
    /// The role from which it is borrowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

impl Pattern {
    pub fn of(
        lesson: &lesson::Lesson,
        ranked: &Ranked,
        id: Option<u64>,
        policy: &JkzRank,
    ) -> Pattern {
        let used_at = lesson.upkeep.used_at;
        Pattern {
            id,
            lesson: Id(lesson.id.clone()),
            role: jkz::roles(lesson).first().map(|role| (*role).to_owned()),
            text: lesson.text.as_str().to_owned(),
            category: lesson.category.clone(),
            lifecycle_state: jkz::state_word(lesson.state),
            success_count: jkz::n_success(lesson),
            ignore_count: jkz::n_ignored(lesson),
            ignore_weight_score: Decimal(jkz::ignore_weight(lesson, policy)),
            was_validated: lesson.effects.n_helped > 0,
            last_used: Time(used_at.map_or(lesson.updated_at, |at| at.max(lesson.updated_at))),
            score: Decimal(ranked.score),
            via: ranked.via.clone(),
        }
    }
}

/// What became of one pattern.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PatternChanged {
    pub id: Option<u64>,
    pub lesson: Id<LessonId>,
    pub lifecycle_state: Option<&'static str>,
    pub success_count: u32,
    pub ignore_count: u32,
    /// Whether anything was written about it.
    #[serde(rename = "changed")]
    pub is_changed: bool,
    /// Why, or why not.
    pub because: String,
}

impl PatternChanged {
    pub fn of(
        lesson: &lesson::Lesson,
        id: Option<u64>,
        is_changed: bool,
        because: impl Into<String>,
    ) -> Self {
        PatternChanged {
            id,
            lesson: Id(lesson.id.clone()),
            lifecycle_state: jkz::state_word(lesson.state),
            success_count: jkz::n_success(lesson),
            ignore_count: jkz::n_ignored(lesson),
            is_changed,
            because: because.into(),
        }
    }
}

/// What a command in another system's words answered, where its answers are JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ForeignAnswers {
    /// One for each line that the command would have printed.
    pub answers: Vec<Value>,
    /// What it said on standard error, line by line.
    pub messages: Vec<String>,
}
