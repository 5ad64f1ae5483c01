//! The port to a language model: one question in, one JSON document of a given shape out, with
//! what it took. Who asks, whether it may be asked and what becomes of the answer is decided
//! elsewhere; a backend only speaks a protocol.

use std::time::Duration;

use serde_json::Value;

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// What it is to do. Ours: nothing of a run stands in it.
    pub system: String,
    /// What it is asked.
    pub text: String,
    /// The shape that the answer must have.
    pub shape: Tool,
    pub limits: Limits,
}

/// A name, what it is for, and the JSON schema of its input.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub purpose: String,
    pub schema: Value,
}

/// What one answer may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub tokens_out: u32,
    /// For all tries together.
    pub time: Duration,
    /// Millionths of a dollar, for backends that can heed it themselves.
    pub micro_usd: u64,
}

/// What an answer took, as the provider counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Took {
    /// Those from a cache among them.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// If the backend itself says what it cost.
    pub micro_usd: Option<u64>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// JSON; whether it has the shape is for the asker to check.
    pub value: Value,
    /// `None` if the provider does not say: then what was reserved counts.
    pub took: Option<Took>,
    /// The model that answered, by its own name.
    pub model: String,
}

/// Why there is no answer. Never holds a key, or a text that was sent.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct NoAnswer {
    /// Whether nothing can have been charged: nothing was sent, or the provider turned it away.
    pub is_free: bool,
    pub reason: String,
    /// What it took all the same, if the provider says so.
    pub took: Option<Took>,
}

impl NoAnswer {
    /// A question that was not sent, or turned away.
    pub fn free(reason: impl Into<String>) -> NoAnswer {
        NoAnswer { is_free: true, reason: reason.into(), took: None }
    }

    /// A question that was sent, and has no answer that is of use.
    pub fn failed(reason: impl Into<String>, took: Option<Took>) -> NoAnswer {
        NoAnswer { is_free: false, reason: reason.into(), took }
    }
}

/// A model that can be asked.
pub trait Model {
    /// `anthropic`, `openai`, `claude-cli`, `codex-cli`.
    fn backend(&self) -> &str;

    /// The model that is asked for.
    fn model(&self) -> &str;

    /// Whether nobody is paid by the token: a model on this machine, or a subscription.
    fn is_free(&self) -> bool;

    /// Asks. Tries again at most twice, only where nothing was answered, within the time given.
    fn complete(&self, request: &Request) -> Result<Completion, NoAnswer>;
}
