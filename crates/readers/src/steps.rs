//! What was done by a call of a tool, and did it work? The records of different hosts name
//! their tools and results differently; here they become steps of the same form.

use std::collections::BTreeSet;

use hardwon_core::command::output::{CallResult, ending, is_good_word};
use hardwon_core::command::shell;
use hardwon_core::command::trouble::shows_misuse;
use hardwon_core::episode::StepKind;
use hardwon_core::event::{Event, RunStated, StepStated};
use hardwon_core::gate::end_of;
use hardwon_core::list;
use serde_json::Value;

use crate::json::{self, Object};
use crate::notes::Notes;
use crate::printed::{acts, looks};
use crate::report::cut;
use crate::review_text::without_blocks;

/// Most steps that are taken of one run; a longer one says the same things over and over.
pub const MAX_STEPS: usize = 5_000;

const MAX_ACTION_BYTES: usize = 600;

/// How much of a failed step's output is handed over: its start and, more telling, its end.
const HEAD_BYTES: usize = 1 << 10;
const TAIL_BYTES: usize = 3 << 10;

const MAX_FILES: usize = 16;

/// Deepest object in a string that is read.
const MAX_EMBEDDED_DEPTH: usize = 32;

const MAX_NAMES: usize = 200;

const RUNS: &[&str] = list!("tools.txt", "runs");

const CHANGES: &[&str] = list!("tools.txt", "changes");

/// Fields of a call that hold a command, a file, or what was looked for.
const COMMANDS: &[&str] = list!("tools.txt", "command fields");
const FILES: &[&str] = list!("tools.txt", "file fields");
const LOOKS: &[&str] = list!("tools.txt", "look fields");

/// A call of a tool whose result may not be known yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub kind: StepKind,
    pub tool: String,
    /// Usually one; a patch may change several files.
    pub actions: Vec<String>,
}

impl Call {
    /// Whether how it ended is hidden from the program that ran it: `make test | tail -5`.
    pub fn hides_status(&self) -> bool {
        self.kind == StepKind::Command && self.actions.iter().any(|line| shell::hides_status(line))
    }

    /// Takes the folder of the session, which ends with a slash, off the paths of what is in it.
    pub fn inside(mut self, folder: Option<&str>) -> Call {
        if let Some(folder) = folder {
            let relative = |action: &mut String| *action = action.replace(folder, "");
            self.actions.iter_mut().for_each(relative);
        }
        self
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ended {
    pub is_ok: Option<bool>,
    pub output: Option<String>,
    pub duration_ms: Option<u64>,
}

pub fn call(tool: &str, arguments: &Value) -> Call {
    let parsed = embedded(arguments);
    let arguments = parsed.as_ref().unwrap_or(arguments);
    let mut kind = kind_of(tool);
    // One tool that both shows and changes files.
    if kind == StepKind::Edit && arguments["command"] == "view" {
        kind = StepKind::Look;
    }
    let mut actions = actions(kind, arguments);
    if actions.is_empty() {
        actions.push(tool.trim().to_owned());
    }
    Call { kind, tool: tool.trim().to_lowercase(), actions }
}

/// The object that a string holds, as some hosts hand over arguments and results.
pub fn embedded(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|text| text.trim_start().starts_with('{'))?;
    json::parse(text, MAX_EMBEDDED_DEPTH).ok().map(|parsed| Value::Object(parsed.object))
}

pub fn kind_of(tool: &str) -> StepKind {
    let name = tool.trim().to_ascii_lowercase();
    let name = name.rsplit(['.', '/', ':']).next().unwrap_or(&name);
    let is_test = ["test", "tests", "pytest"].contains(&name)
        || name.ends_with("_test")
        || name.ends_with("_tests");
    if RUNS.contains(&name) {
        StepKind::Command
    } else if CHANGES.contains(&name) {
        StepKind::Edit
    } else if is_test {
        StepKind::Test
    } else {
        StepKind::Look
    }
}

pub fn correction(message: &str) -> StepStated {
    StepStated {
        kind: StepKind::Correction,
        tool: "user".to_owned(),
        action: cut(message.trim(), MAX_ACTION_BYTES).to_owned(),
        is_ok: None,
        output: None,
        duration_ms: None,
        looks: Vec::new(),
    }
}

fn actions(kind: StepKind, arguments: &Value) -> Vec<String> {
    let found = match (kind, arguments) {
        (StepKind::Edit, Value::String(patch)) => patched(patch),
        (_, Value::String(text)) => vec![text.clone()],
        (StepKind::Command | StepKind::Test, Value::Object(fields)) => {
            first(fields, &[COMMANDS, FILES, LOOKS])
        }
        (StepKind::Edit, Value::Object(fields)) => {
            let patches = ["input", "patch", "diff", "content"].iter();
            let patches = patches.filter_map(|name| fields.get(*name)?.as_str()).map(patched);
            let named = std::iter::once(first(fields, &[FILES]));
            named.chain(patches).find(|paths| !paths.is_empty()).unwrap_or_default()
        }
        (_, Value::Object(fields)) => first(fields, &[FILES, LOOKS, COMMANDS]),
        _ => Vec::new(),
    };
    let clean = found.iter().map(|action| cut(action.trim(), MAX_ACTION_BYTES).to_owned());
    clean.filter(|action| !action.is_empty()).take(MAX_FILES).collect()
}

fn first(fields: &Object, names: &[&[&str]]) -> Vec<String> {
    let mut texts = names.concat().into_iter().filter_map(|name| words(fields.get(name)?));
    texts.find(|text| !text.trim().is_empty()).into_iter().collect()
}

/// A text, or a command in parts.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            Some(shell::from_parts(&parts))
        }
        _ => None,
    }
}

fn patched(patch: &str) -> Vec<String> {
    const MARKS: &[&str] = list!("tools.txt", "patch marks");
    let path = |line| MARKS.iter().find_map(|mark| str::strip_prefix(line, *mark));
    let mut seen = BTreeSet::new();
    let paths = patch.lines().filter_map(path).filter(|path| seen.insert(*path));
    paths.take(MAX_FILES).map(str::to_owned).collect()
}

/// Whether a call worked, by fields such as `exit_code`, `is_error` or `status`.
pub fn by_fields(fields: &Object) -> Option<bool> {
    let code = ["exit_code", "exitCode", "returncode", "return_code", "exit_status"];
    let number = |value: &Value| value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
    let exit_status = code.iter().find_map(|name| number(fields.get(*name)?));
    let is_wrong = ["is_error", "isError", "error", "timed_out", "timedOut"];
    let is_wrong = is_wrong.iter().find_map(|name| fields.get(*name)?.as_bool());
    let is_right = ["success", "ok"].iter().find_map(|name| fields.get(*name)?.as_bool());
    let status = fields.get("status").and_then(Value::as_str).and_then(is_good_word);
    let is_ok = is_wrong.map(|is_wrong| !is_wrong).or(is_right).or(status);
    if exit_status.is_none() && is_ok.is_none() {
        return None;
    }
    ending(&CallResult { exit_status, is_ok, ..CallResult::default() }).is_ok()
}

/// Whether a call worked, by its output, where nothing else shows it.
pub fn by_output(kind: StepKind, output: &str) -> Option<bool> {
    ending(&CallResult { kind, output, ..CallResult::default() }).is_ok()
}

/// The start and the end of an output, without our own block.
pub fn excerpt(output: &str) -> String {
    let output = without_blocks(output);
    let output = output.trim();
    if output.len() <= HEAD_BYTES + TAIL_BYTES {
        return output.to_owned();
    }
    format!("{}\n{}", cut(output, HEAD_BYTES), end_of(output, TAIL_BYTES))
}

#[derive(Debug, Default)]
pub struct Steps {
    pub done: Vec<(u64, StepStated)>,
    n_left_out: u64,
    tools: BTreeSet<String>,
    paths: BTreeSet<String>,
}

impl Steps {
    pub fn push(&mut self, line: u64, step: StepStated) {
        let is_work = step.kind != StepKind::Correction;
        if is_work && self.tools.len() < MAX_NAMES && !step.tool.is_empty() {
            self.tools.insert(step.tool.clone());
        }
        if step.kind == StepKind::Edit && self.paths.len() < MAX_NAMES {
            self.paths.insert(step.action.clone());
        }
        if self.done.len() < MAX_STEPS {
            self.done.push((line, step))
        } else {
            self.n_left_out += 1
        }
    }

    /// The steps of a call that ended so.
    pub fn push_call(&mut self, line: u64, call: Call, ended: Ended) {
        let printed = ended.output.as_deref().unwrap_or_default();
        let command = call.actions.first().filter(|_| call.kind == StepKind::Command);
        let looks = command.map(|command| looks(command, printed, ended.is_ok));
        let looks = looks.unwrap_or_default();
        // What the tools say that it ran counts before a status that something else may have set.
        let has_reports = looks.iter().any(|look| !look.findings.is_empty());
        // Silence is no success: what was cancelled prints nothing, too.
        let shown = || by_output(call.kind, printed).filter(|is_ok| !is_ok);
        let is_mistaken = || command.is_some_and(|line| acts(line) && shows_misuse(printed));
        let is_ok = match ended.is_ok {
            Some(true) | None if has_reports => Some(false),
            None if !looks.is_empty() => Some(true),
            None if is_mistaken() => Some(false),
            None => command.and_then(|_| shown()),
            is_ok => is_ok,
        };
        let ended = Ended { is_ok, ..ended };
        let output = ended.output.filter(|_| ended.is_ok == Some(false));
        let output = output.map(|output| excerpt(&output)).filter(|output| !output.is_empty());
        for action in call.actions {
            self.push(
                line,
                StepStated {
                    kind: call.kind,
                    tool: call.tool.clone(),
                    action,
                    is_ok: ended.is_ok,
                    output: output.clone(),
                    duration_ms: ended.duration_ms,
                    looks: looks.clone(),
                },
            );
        }
    }

    /// The run with the names of what it used and changed, and then its steps, each with its
    /// line. Notes how many were too many.
    pub fn state(
        self,
        line: u64,
        mut run: RunStated,
        notes: &Notes,
    ) -> impl Iterator<Item = (u64, Event)> + use<> {
        if self.n_left_out > 0 {
            let n = self.n_left_out;
            notes.problem(format!("{n} more steps were left out: of one run {MAX_STEPS} are used"));
        }
        run.tools.extend(self.tools);
        run.paths.extend(self.paths);
        let steps = self.done.into_iter().map(|(line, step)| (line, Event::Step(step)));
        std::iter::once((line, Event::Run(run))).chain(steps)
    }
}

#[cfg(test)]
mod tests;
