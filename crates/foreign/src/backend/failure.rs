//! How is a missing answer told?

use hardwon_engine::model::{NoAnswer, NoAnswerKind, Took};

pub(super) fn not_sent(reason: impl Into<String>) -> NoAnswer {
    NoAnswer { kind: NoAnswerKind::NotSent, reason: reason.into(), took: None }
}

pub(super) fn turned_away(reason: impl Into<String>) -> NoAnswer {
    NoAnswer { kind: NoAnswerKind::TurnedAway, reason: reason.into(), took: None }
}

pub(super) fn lost(reason: impl Into<String>) -> NoAnswer {
    NoAnswer { kind: NoAnswerKind::Lost, reason: reason.into(), took: None }
}

pub(super) fn unusable(reason: impl Into<String>, took: Option<Took>) -> NoAnswer {
    NoAnswer { kind: NoAnswerKind::Unusable, reason: reason.into(), took }
}
