//! Models behind the port: protocols as their public documentation describes them, played by a
//! server on loopback, and programs played by shell scripts.

mod anthropic;
mod keys;
mod openai;
mod programs;
mod server;
mod transport;

use std::time::Duration;

use hardwon_engine::model::{Completion, Limits, NoAnswer, Request, Took, Tool};
use hardwon_foreign::backend::{Backend, Setup, open};
use serde_json::{Value, json};

use server::Server;

/// What must never be seen.
const KEY: &str = "sk-open-sesame-0123456789";

/// What a run said, and no message of ours may repeat.
const SAID: &str =
    "The run said: cargo nextest failed with exit code 101 in the crate called parser.";

fn request() -> Request {
    Request {
        system: "You are the Archivist.".to_owned(),
        text: SAID.to_owned(),
        shape: Tool {
            name: "memory.reflect".to_owned(),
            purpose: "Hands in what was learned.".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {"summary": {"type": "string"}},
                "required": ["summary"],
                "additionalProperties": false,
            }),
        },
        limits: Limits { tokens_out: 500, time: Duration::from_secs(20), micro_usd: 50_000 },
    }
}

fn within(time: Duration) -> Request {
    let mut request = request();
    request.limits.time = time;
    request
}

/// A backend that asks this server, with a key.
fn setup(backend: Backend, server: &Server) -> Setup {
    let key_command = Some(format!("printf '%s\\n' {KEY}"));
    Setup { base_url: Some(server.url()), key_command, ..Setup::of(backend) }
}

fn ask(setup: &Setup, request: &Request) -> Result<Completion, NoAnswer> {
    open(setup)?.complete(request)
}

/// Whether a question that has no answer may have been paid for.
const FREE: bool = true;
const PAID: bool = false;

#[track_caller]
fn check_failure(done: Result<Completion, NoAnswer>, is_free: bool, sign: &str) -> NoAnswer {
    let failure = done.expect_err("no answer was expected");
    assert_eq!(failure.is_free, is_free, "{failure}");
    assert!(failure.reason.contains(sign), "{failure}");
    for shown in [failure.reason.as_str(), &format!("{failure:?}")] {
        assert!(!shown.contains(KEY), "the key is shown: {shown}");
        assert!(!shown.contains(&SAID[10..60]), "what was sent is shown: {shown}");
    }
    failure
}

fn took(tokens_in: u64, tokens_out: u64) -> Option<Took> {
    Some(Took { tokens_in, tokens_out, micro_usd: None })
}

fn text(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
