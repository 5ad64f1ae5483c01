//! Claude Code as the one who answers, with the user's own login. Hooks, tools, memory and
//! sessions are switched off.

use std::path::PathBuf;

use hardwon_engine::model::{Completion, Model, NoAnswer, Request, Took};
use serde_json::Value;

use super::program::{Folders, ask, command, ended_badly};
use super::quote::quote;
use super::took_by_messages;

const NAME: &str = "claude";

/// One to answer, and some for an answer that does not have the shape at once.
const MAX_TURNS: &str = "4";

/// Keys that would be used instead of the login.
const KEYS: &[&str] = &["ANTHROPIC_API_KEY"];

/// `@PATH` in what a run said is not a wish to read that file: Claude Code fetches it before any
/// tool is asked for, from anywhere on the disk. Either of these keeps it from that; versions
/// know the one or the other.
const NO_READING: &str = r#"{"permissions":{"deny":["Read"]},"disableAllHooks":true}"#;
const SWITCHES: &[(&str, &str)] = &[
    ("CLAUDE_CODE_DISABLE_FILE_MENTIONS", "1"),
    ("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("CLAUDE_CODE_MAX_RETRIES", "2"),
];

pub(super) struct ClaudeCli {
    pub program: PathBuf,
    pub model: String,
}

impl Model for ClaudeCli {
    fn backend(&self) -> &str {
        "claude-cli"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_free(&self) -> bool {
        true
    }

    fn complete(&self, request: &Request) -> Result<Completion, NoAnswer> {
        const SYSTEM: &str = "system.txt";
        let folders = Folders::with(SYSTEM, &request.system)?;
        let system = folders.files.path().join(SYSTEM);
        let mut command = command(&self.program, &folders, KEYS);
        command.args(["-p", "--safe-mode", "--output-format", "json", "--tools", ""]);
        command.args(["--strict-mcp-config", "--disable-slash-commands"]);
        command.args(["--no-session-persistence", "--settings", NO_READING]);
        command.args(["--max-turns", MAX_TURNS, "--model", &self.model]);
        command.arg("--json-schema").arg(request.shape.schema.to_string());
        command.arg("--system-prompt-file").arg(&system);
        if request.limits.micro_usd > 0 {
            let (whole, rest) =
                (request.limits.micro_usd / 1_000_000, request.limits.micro_usd % 1_000_000);
            command.arg("--max-budget-usd").arg(format!("{whole}.{rest:06}"));
        }
        command.envs(SWITCHES.iter().copied());
        command.env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", request.limits.tokens_out.to_string());
        let ended = ask(&mut command, &request.text, request, NAME)?;
        match serde_json::from_slice::<Value>(&ended.stdout).ok().filter(Value::is_object) {
            Some(answer) => completion(&answer, &self.model, request),
            None => Err(ended_badly(&ended, request, NAME)),
        }
    }
}

/// What it printed as its result.
fn completion(answer: &Value, asked: &str, request: &Request) -> Result<Completion, NoAnswer> {
    let took = took_by_messages(&answer["usage"]);
    let took = took.map(|took| Took { micro_usd: micro_usd(&answer["total_cost_usd"]), ..took });
    if answer["is_error"] != false {
        return Err(failure(answer, took, request));
    }
    let denied = answer["permission_denials"].as_array().is_some_and(|list| !list.is_empty());
    if denied {
        return Err(NoAnswer::failed("the model wanted to use another tool", took));
    }
    if !answer["structured_output"].is_object() {
        let reason = "the answer does not have the shape that was asked for";
        return Err(NoAnswer::failed(reason, took));
    }
    let used = answer["modelUsage"].as_object().into_iter().flatten();
    let most = used.max_by_key(|(_, usage)| usage["outputTokens"].as_u64());
    let model = most.map_or_else(|| asked.to_owned(), |(name, _)| name.clone());
    Ok(Completion { value: answer["structured_output"].clone(), took, model })
}

fn failure(answer: &Value, took: Option<Took>, request: &Request) -> NoAnswer {
    let subtype = answer["subtype"].as_str().unwrap_or_default();
    if subtype.starts_with("error_max") {
        return NoAnswer::failed(format!("`{NAME}` gave up: {subtype}"), took);
    }
    let said = quote(answer["result"].as_str().unwrap_or_default(), None, &request.text);
    let reason = if said.is_empty() { NAME.to_owned() } else { format!("`{NAME}` says: {said}") };
    // Without a login nobody was asked.
    let is_nothing = took.is_some_and(|took| took.tokens_in == 0 && took.tokens_out == 0);
    let is_refused = matches!(answer["api_error_status"].as_u64(), Some(400..500 | 503 | 529));
    match is_nothing || is_refused {
        true => NoAnswer::free(reason),
        false => NoAnswer::failed(reason, took),
    }
}

/// What it says that it cost: an estimate by list prices.
fn micro_usd(cost: &Value) -> Option<u64> {
    let micro = (cost.as_f64()? * 1e6).ceil();
    (0.0..1e15).contains(&micro).then_some(micro as u64)
}
