//! Codex as the one who answers, with the user's own login. Its tools, hooks, skills and sessions
//! are switched off.

use std::path::{Path, PathBuf};

use hardwon_engine::model::{Completion, Model, NoAnswer, Request, Took};
use hardwon_store::files;
use serde_json::Value;

use super::object::first_object;
use super::program::{Folders, ask, command, ended_badly};
use super::quote::quote;
use super::took;

const NAME: &str = "codex";

/// Keys that would be used instead of the login.
const KEYS: &[&str] = &["OPENAI_API_KEY", "CODEX_API_KEY"];

/// Where the user's login knows no other.
const DEFAULT_MODEL: &str = "default";

const MAX_BYTES: u64 = 1 << 20;

/// Even a sandbox that only reads lets a model read the whole disk: it gets no tools. A version
/// that does not know one of these says so and goes on.
const SWITCHED_OFF: &[&str] = &[
    "features.shell_tool=false",
    "features.unified_exec=false",
    "features.apps=false",
    "features.plugins=false",
    "features.multi_agent=false",
    "agents.enabled=false",
    // Newer models get a tool that runs scripts; without its host it fails.
    "features.code_mode_host=false",
    "features.view_image=false",
    "features.image_generation=false",
    "features.hooks=false",
    "features.goals=false",
    "features.sleep_tool=false",
    "features.tool_suggest=false",
    "features.skill_search=false",
    "skills.include_instructions=false",
    "skills.bundled.enabled=false",
    "web_search=\"disabled\"",
    "project_doc_max_bytes=0",
];

/// What may happen on the way to an answer. Anything else is the work of a tool.
const HARMLESS: &[&str] = &["agent_message", "reasoning", "error", "todo_list"];

pub(super) struct CodexCli {
    pub program: PathBuf,
    pub model: Option<String>,
}

impl Model for CodexCli {
    fn backend(&self) -> &str {
        "codex-cli"
    }

    fn model(&self) -> &str {
        self.model.as_deref().unwrap_or(DEFAULT_MODEL)
    }

    fn is_free(&self) -> bool {
        true
    }

    fn complete(&self, request: &Request) -> Result<Completion, NoAnswer> {
        const SCHEMA: &str = "schema.json";
        let folders = Folders::with(SCHEMA, &request.shape.schema.to_string())?;
        let (schema, last) =
            (folders.files.path().join(SCHEMA), folders.files.path().join("last.txt"));
        let mut command = command(&self.program, &folders, KEYS);
        command.args(["exec", "--ephemeral", "--ignore-user-config", "--ignore-rules"]);
        command.args(["--skip-git-repo-check", "--sandbox", "read-only", "--color", "never"]);
        command.arg("--output-schema").arg(&schema).arg("--output-last-message").arg(&last);
        SWITCHED_OFF.iter().for_each(|setting| {
            command.args(["-c", setting]);
        });
        if let Some(model) = &self.model {
            command.args(["--model", model]);
        }
        command.args(["--json", "-"]);
        // It has no place of its own for what it is to do.
        let words = format!("{}\n\n{}", request.system, request.text);
        let ended = ask(&mut command, &words, request, NAME)?;
        let events = events(&ended.stdout);
        let turns = events.iter().filter(|event| event["type"] == "turn.completed");
        let took = turns
            .filter_map(|turn| took(&turn["usage"], &["input_tokens"], "output_tokens"))
            .next_back();
        if let Some(failure) = failure(&events, took, request) {
            return Err(failure);
        }
        if ended.code != Some(0) {
            return Err(ended_badly(&ended, request, NAME));
        }
        let value = answer(&last, &events);
        let value =
            value.ok_or_else(|| NoAnswer::failed("no JSON object is in the answer", took))?;
        Ok(Completion { value, took, model: self.model().to_owned() })
    }
}

/// What it told line by line.
fn events(stdout: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(stdout);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn failure(events: &[Value], took: Option<Took>, request: &Request) -> Option<NoAnswer> {
    let mut items = events.iter().filter_map(|event| event["item"]["type"].as_str());
    if items.any(|kind| !HARMLESS.contains(&kind)) {
        return Some(NoAnswer::failed("the model wanted to use another tool", took));
    }
    let failed = events.iter().find(|event| event["type"] == "turn.failed")?;
    let said = failed["error"]["message"].as_str().unwrap_or_default();
    let reason = format!("`{NAME}` says: {}", quote(said, None, &request.text));
    Some(match said.contains("unexpected status 4") {
        true => NoAnswer::free(reason),
        false => NoAnswer::failed(reason, took),
    })
}

/// The last message: in the file that it was told to write, or among its events.
fn answer(last: &Path, events: &[Value]) -> Option<Value> {
    let written = files::read_linked(last, MAX_BYTES).ok();
    let written = written.and_then(|bytes| String::from_utf8(bytes).ok());
    let told = || {
        let messages = events.iter().map(|event| &event["item"]);
        let messages = messages.filter(|item| item["type"] == "agent_message");
        messages.filter_map(|item| item["text"].as_str()).next_back().map(str::to_owned)
    };
    first_object(&written.filter(|text| !text.trim().is_empty()).or_else(told)?)
}
