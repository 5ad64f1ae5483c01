//! Claude Code as the one who answers, with the user's own login. Hooks, tools, memory and
//! sessions are switched off.

use std::path::PathBuf;

use hardwon_engine::model::{Completion, Message, Model, NoAnswer, Request, Took};
use hardwon_store::files::{self, Mode};
use serde_json::Value;

use super::failure::{lost, not_sent, turned_away, unusable};
use super::program::{Folders, ask, command, ended_badly, words};
use super::quote::quote;
use super::took;

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
        let folders = Folders::new()?;
        let system = folders.files.path().join("system.txt");
        files::replace_unsynced(&system, request.system.as_bytes(), Mode::PRIVATE)
            .map_err(|error| not_sent(format!("{}: {error}", system.display())))?;
        let mut command = command(&self.program, folders.empty.path(), KEYS);
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
        let ended = ask(&mut command, &words(request, ""), request.limits.time, NAME)?;
        match serde_json::from_slice::<Value>(&ended.stdout).ok().filter(Value::is_object) {
            Some(answer) => completion(&answer, &self.model, &request.messages),
            None => {
                let said = String::from_utf8_lossy(&ended.stderr);
                Err(ended_badly(&ended, &quote(&said, None, &request.messages), NAME))
            }
        }
    }
}

/// What it printed as its result.
fn completion(answer: &Value, asked: &str, sent: &[Message]) -> Result<Completion, NoAnswer> {
    let took = took::of_messages(&answer["usage"]);
    let took = took.map(|took| Took { micro_usd: micro_usd(&answer["total_cost_usd"]), ..took });
    if answer["is_error"] != false {
        return Err(failure(answer, took, sent));
    }
    let denied = answer["permission_denials"].as_array().is_some_and(|list| !list.is_empty());
    if denied {
        return Err(unusable("the model wanted to use another tool", took));
    }
    if !answer["structured_output"].is_object() {
        return Err(unusable("the answer does not have the shape that was asked for", took));
    }
    let used = answer["modelUsage"].as_object().into_iter().flatten();
    let most = used.max_by_key(|(_, usage)| usage["outputTokens"].as_u64());
    let model = most.map_or_else(|| asked.to_owned(), |(name, _)| name.clone());
    Ok(Completion { value: answer["structured_output"].clone(), took, model })
}

fn failure(answer: &Value, took: Option<Took>, sent: &[Message]) -> NoAnswer {
    let subtype = answer["subtype"].as_str().unwrap_or_default();
    if subtype.starts_with("error_max") {
        return unusable(format!("`{NAME}` gave up: {subtype}"), took);
    }
    let said = quote(answer["result"].as_str().unwrap_or_default(), None, sent);
    let reason = if said.is_empty() { NAME.to_owned() } else { format!("`{NAME}` says: {said}") };
    let is_nothing = took.is_some_and(|took| took.tokens_in == 0 && took.tokens_out == 0);
    match answer["api_error_status"].as_u64() {
        Some(400..500 | 503 | 529) => turned_away(reason),
        // No login: nobody was asked.
        None if is_nothing => turned_away(reason),
        _ => NoAnswer { took, ..lost(reason) },
    }
}

/// What it says that it cost: an estimate by list prices.
fn micro_usd(cost: &Value) -> Option<u64> {
    let micro = (cost.as_f64()? * 1e6).ceil();
    (0.0..1e15).contains(&micro).then_some(micro as u64)
}
