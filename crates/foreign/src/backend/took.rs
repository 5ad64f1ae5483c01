//! What did an answer take, by the provider's own count?

use hardwon_engine::model::Took;
use serde_json::Value;

/// As Anthropic counts, and Claude Code after it: what a cache took or gave stands apart.
pub(super) fn of_messages(usage: &Value) -> Option<Took> {
    let count = |name: &str| usage[name].as_u64();
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let cached: u64 = cached.iter().filter_map(|name| count(name)).sum();
    Some(Took {
        tokens_in: count("input_tokens")?.saturating_add(cached),
        tokens_out: count("output_tokens")?,
        micro_usd: None,
    })
}

/// As everybody counts who serves chat completions; what a cache gave is in it.
pub(super) fn of_chat(usage: &Value) -> Option<Took> {
    counted(usage, "prompt_tokens", "completion_tokens")
}

/// As Codex counts; what a cache gave is in it.
pub(super) fn of_turn(usage: &Value) -> Option<Took> {
    counted(usage, "input_tokens", "output_tokens")
}

fn counted(usage: &Value, tokens_in: &str, tokens_out: &str) -> Option<Took> {
    Some(Took {
        tokens_in: usage[tokens_in].as_u64()?,
        tokens_out: usage[tokens_out].as_u64()?,
        micro_usd: None,
    })
}
