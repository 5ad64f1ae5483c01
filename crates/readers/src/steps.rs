//! What was done by a call of a tool, and did it work? The records of different hosts name
//! their tools and results differently; here they become steps of the same form.

use std::collections::BTreeSet;

use hardwon_core::command::output::classify;
use hardwon_core::episode::StepKind;
use hardwon_core::event::{Event, RunStated, Source, Sourced, StepStated};
use hardwon_core::time::Timestamp;
use serde_json::Value;

use crate::json::{self, Object};
use crate::review_text::without_blocks;

/// Most steps that are taken of one run; a longer one says the same things over and over.
pub const MAX_STEPS: usize = 5_000;

/// Longest action that is handed over, in bytes.
const MAX_ACTION_BYTES: usize = 600;

/// How much of a failed step's output is handed over: its start and, more telling, its end.
const HEAD_BYTES: usize = 1 << 10;
const TAIL_BYTES: usize = 3 << 10;

/// Most files of one patch that are steps of their own.
const MAX_FILES: usize = 16;

/// Most tools and paths that are told of a run.
const MAX_NAMES: usize = 200;

/// Names of tools that run something.
const RUNS: &[&str] = &[
    "bash",
    "sh",
    "zsh",
    "shell",
    "exec",
    "execute",
    "exec_command",
    "run_command",
    "run",
    "terminal",
    "run_terminal_cmd",
    "run_in_terminal",
    "execute_command",
    "execute_bash",
    "local_shell",
    "local_shell_call",
    "shell_command",
    "bash_command",
    "run_shell_command",
    "powershell",
    "python",
    "ipython",
    "execute_python",
    "execute_ipython_cell",
    "unified_exec",
    "cmd",
    "command",
    "container_exec",
];

/// Names of tools that change a file.
const CHANGES: &[&str] = &[
    "edit",
    "multiedit",
    "multi_edit",
    "write",
    "write_file",
    "writefile",
    "create",
    "create_file",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "apply_patch",
    "patch",
    "notebookedit",
    "notebook_edit",
    "edit_file",
    "replace",
    "insert",
    "search_replace",
    "replace_in_file",
    "delete_file",
    "file_edit",
    "editor",
];

/// Fields of a call that hold a command, a file, or what was looked for.
const COMMANDS: &[&str] = &["command", "cmd", "commands", "keystrokes", "script", "code", "input"];
const FILES: &[&str] = &[
    "file_path",
    "path",
    "filepath",
    "filename",
    "file",
    "target_file",
    "notebook_path",
    "relative_path",
];
const LOOKS: &[&str] = &["pattern", "query", "url", "uri", "glob", "name", "description", "prompt"];

/// A call of a tool whose result may not be known yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub kind: StepKind,
    pub tool: String,
    /// Usually one; a patch may change several files.
    pub actions: Vec<String>,
}

/// How a call ended, as far as it is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ended {
    pub is_ok: Option<bool>,
    pub output: Option<String>,
    pub duration_ms: Option<u64>,
}

/// What a call does.
pub fn call(tool: &str, arguments: &Value) -> Call {
    let parsed = match arguments {
        Value::String(text) if text.trim_start().starts_with('{') => {
            json::parse(text, 32).ok().map(|parsed| Value::Object(parsed.object))
        }
        _ => None,
    };
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

/// What sort of step a tool makes, by its name.
pub fn kind_of(tool: &str) -> StepKind {
    let name = tool.trim().to_ascii_lowercase();
    let name = name.rsplit(['.', '/', ':']).next().unwrap_or(&name);
    let is_test = ["test", "tests", "pytest"].contains(&name)
        || name.ends_with("_test")
        || name.ends_with("_tests");
    match () {
        () if RUNS.contains(&name) => StepKind::Command,
        () if CHANGES.contains(&name) => StepKind::Edit,
        () if is_test => StepKind::Test,
        () => StepKind::Look,
    }
}

impl Call {
    /// The steps of a call that ended so.
    pub fn steps(self, ended: Ended) -> Vec<StepStated> {
        let Call { kind, tool, actions } = self;
        let output = ended.output.filter(|_| ended.is_ok == Some(false));
        let output = output.map(|output| excerpt(&output)).filter(|output| !output.is_empty());
        let step = |action| StepStated {
            kind,
            tool: tool.clone(),
            action,
            is_ok: ended.is_ok,
            output: output.clone(),
            duration_ms: ended.duration_ms,
        };
        actions.into_iter().map(step).collect()
    }
}

/// The step in which a user set something right.
pub fn correction(said: &str) -> StepStated {
    StepStated {
        kind: StepKind::Correction,
        tool: "user".to_owned(),
        action: cut(said.trim(), MAX_ACTION_BYTES).to_owned(),
        is_ok: None,
        output: None,
        duration_ms: None,
    }
}

fn actions(kind: StepKind, arguments: &Value) -> Vec<String> {
    let found = match (kind, arguments) {
        (StepKind::Edit, Value::String(patch)) => patched(patch),
        (_, Value::String(text)) => vec![text.clone()],
        (StepKind::Command | StepKind::Test, Value::Object(fields)) => {
            first(fields, &[COMMANDS, FILES, LOOKS])
        }
        (StepKind::Edit, Value::Object(fields)) => match first(fields, &[FILES]) {
            named if !named.is_empty() => named,
            _ => ["input", "patch", "diff", "content"]
                .iter()
                .filter_map(|name| fields.get(*name)?.as_str())
                .map(patched)
                .find(|paths| !paths.is_empty())
                .unwrap_or_default(),
        },
        (_, Value::Object(fields)) => first(fields, &[FILES, LOOKS, COMMANDS]),
        _ => Vec::new(),
    };
    let clean = found.iter().map(|action| cut(action.trim(), MAX_ACTION_BYTES).to_owned());
    clean.filter(|action| !action.is_empty()).take(MAX_FILES).collect()
}

/// The first of these fields that says something.
fn first(fields: &Object, names: &[&[&str]]) -> Vec<String> {
    let mut told = names.concat().into_iter().filter_map(|name| words(fields.get(name)?));
    told.find(|text| !text.trim().is_empty()).into_iter().collect()
}

/// A text, or a command in parts: of `bash -lc 'make'` only what is run.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            match parts.as_slice() {
                [shell, flag, command]
                    if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') =>
                {
                    Some((*command).to_owned())
                }
                parts => Some(parts.join(" ")),
            }
        }
        _ => None,
    }
}

/// The files that a patch names.
fn patched(patch: &str) -> Vec<String> {
    const MARKS: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/"];
    let path =
        |line: &str| MARKS.iter().find_map(|mark| line.strip_prefix(mark).map(str::to_owned));
    let mut seen = BTreeSet::new();
    patch
        .lines()
        .filter_map(path)
        .filter(|path| seen.insert(path.clone()))
        .take(MAX_FILES)
        .collect()
}

/// What fields such as `exit_code`, `is_error` or `status` say, whoever wrote them.
pub fn told(fields: &Object) -> Option<bool> {
    let code = ["exit_code", "exitCode", "returncode", "return_code", "exit_status"];
    let code = code.iter().find_map(|name| number(fields.get(*name)?));
    let is_wrong = ["is_error", "isError", "error", "timed_out", "timedOut"];
    let is_wrong = is_wrong.iter().find_map(|name| fields.get(*name)?.as_bool());
    let is_right = ["success", "ok"].iter().find_map(|name| fields.get(*name)?.as_bool());
    let status = fields.get("status").and_then(Value::as_str).and_then(by_word);
    let code = code.map(|code| code == 0);
    code.or(is_wrong.map(|is_wrong| !is_wrong)).or(is_right).or(status)
}

fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Whether a word for a result is a good one.
pub fn by_word(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "completed" | "complete" | "success" | "succeeded" | "ok" | "passed" => Some(true),
        "failed" | "failure" | "error" | "errored" | "timeout" | "timed_out" => Some(false),
        _ => None,
    }
}

/// What the output of a call shows, where nothing else tells how it ended. A sign of
/// trouble that is none for certain leaves it open.
pub fn by_output(kind: StepKind, output: &str) -> Option<bool> {
    if let Some(code) = exit_code(output) {
        return Some(code == 0);
    }
    let start = output.trim_start().get(..80).unwrap_or(output.trim_start()).to_lowercase();
    let begins = |signs: &[&str]| signs.iter().any(|sign| start.starts_with(sign));
    let is_run = matches!(kind, StepKind::Command | StepKind::Test);
    match () {
        () if begins(&["<tool_use_error>", "error:", "traceback (most"]) => Some(false),
        () if is_run => match has_firm_sign(output) {
            true => Some(false),
            false => (!may_have_failed(output)).then_some(true),
        },
        () => {
            const SIGNS: &[&str] = &["error ", "failed to ", "file not found", "no such file"];
            Some(!begins(SIGNS))
        }
    }
}

fn may_have_failed(output: &str) -> bool {
    let lower = output.to_lowercase();
    ["error", "fail"].iter().any(|word| lower.contains(word)) || classify(output).is_some()
}

/// Lines that no program prints unless it failed.
fn has_firm_sign(output: &str) -> bool {
    const BEGINS: &[&str] = &[
        "Traceback (most recent call last):",
        "error: could not compile",
        "test result: FAILED",
        "npm ERR!",
        "make: ***",
        "fatal: ",
        "FAILED (failures=",
        "FAILED (errors=",
    ];
    output.lines().map(str::trim).any(|line| {
        BEGINS.iter().any(|sign| line.starts_with(sign))
            || line.ends_with(": command not found")
            || line.to_lowercase().starts_with("command timed out")
    })
}

/// The exit code that the first or last lines of an output name.
pub fn exit_code(output: &str) -> Option<i64> {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let last = lines().rev().take(4).find_map(exit_line);
    last.or_else(|| lines().take(5).find_map(exit_line))
}

/// The code of a line that says nothing else: `exit status 1`, `[exit 0]`,
/// `Process exited with code 101`.
pub fn exit_line(line: &str) -> Option<i64> {
    const SAYS: &[&str] = &[
        "process exited with code",
        "process completed with exit code",
        "process exited with exit code",
        "process finished with exit code",
        "command exited with code",
        "command failed with exit code",
        "command exited with status",
        "exited with code",
        "exit status",
        "exit_status",
        "exit code",
        "exit_code",
        "exitcode",
        "returncode",
        "return code",
        "exit",
    ];
    if line.len() > 80 {
        return None;
    }
    let is_around = |c: char| " \t[]()<>#.,\"'`".contains(c);
    let (line, is_marked) = (line.trim(), line.trim().starts_with(['[', '(']));
    let line = line.strip_prefix("##[error]").unwrap_or(line);
    let line = line.trim_matches(is_around).to_ascii_lowercase();
    let says = SAYS.iter().find(|says| line.starts_with(**says))?;
    // A bare `exit 1` is a command; in brackets it is a note of somebody who ran one.
    if *says == "exit" && !is_marked {
        return None;
    }
    let rest = line[says.len()..].trim_matches(|c: char| is_around(c) || ":=".contains(c));
    rest.parse().ok()
}

/// The start and the end of an output, without what our own block said.
pub fn excerpt(output: &str) -> String {
    let output = without_blocks(output);
    let output = output.trim();
    if output.len() <= HEAD_BYTES + TAIL_BYTES {
        return output.to_owned();
    }
    let mut from = output.len() - TAIL_BYTES;
    while !output.is_char_boundary(from) {
        from += 1;
    }
    format!("{}\n{}", cut(output, HEAD_BYTES), &output[from..])
}

/// A moment as other systems write it: without an offset it is taken for UTC.
pub fn moment(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}Z")))
}

/// A text of at most so many bytes.
pub fn cut(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The steps of one run, as they are collected.
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
        match self.done.len() < MAX_STEPS {
            true => self.done.push((line, step)),
            false => self.n_left_out += 1,
        }
    }

    /// Whether anything was done that a user could set right.
    pub fn has_work(&self) -> bool {
        !self.tools.is_empty()
    }

    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// What is to be said if there were too many.
    pub fn left_out(&self) -> Option<String> {
        let n = self.n_left_out;
        let reason = || format!("{n} more steps were left out: of one run {MAX_STEPS} are used");
        (n > 0).then(reason)
    }

    /// The run with the names of what it used and changed, and then its steps.
    pub fn tell(self, input: &str, line: u64, mut run: RunStated, into: &mut Vec<Sourced>) {
        run.tools.extend(self.tools);
        run.paths.extend(self.paths);
        let mut state = |line: u64, event: Event| {
            let source = Source { input: input.to_owned(), line };
            into.push(Sourced { source, event });
        };
        state(line, Event::Run(run));
        self.done.into_iter().for_each(|(line, step)| state(line, Event::Step(step)));
    }
}

#[cfg(test)]
mod tests;
