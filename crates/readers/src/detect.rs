//! Which format is this, and is it one document rather than lines? Decided by what the first lines
//! say, never by a file's name.

use hardwon_core::vocabulary;
use serde_json::Value;

use crate::json::{self, Object, Parsed};
use crate::{cargo_json, geas, openagents, rdjson, run_record};

vocabulary! {
    /// The formats that are read, with the words that `--format` takes.
    Format {
        /// `hardwon.run/1`.
        Run = "run",
        /// ArcheFlow's event log of a run.
        Archeflow = "archeflow",
        /// Documents of a geas task: retrospective, failure record, review, self-check.
        Geas = "geas",
        Sarif = "sarif",
        Junit = "junit",
        /// JSON lines of cargo, rustc and clippy.
        Cargo = "cargo",
        /// Whatever the content shows, where cargo's lines are clippy's: lines without a
        /// finding do not show that.
        Clippy = "clippy",
        /// reviewdog's diagnostics in one document.
        Rdjson = "rdjson",
        /// reviewdog's diagnostics, one a line.
        Rdjsonl = "rdjsonl",
        /// GitHub's review comments, review threads or annotations.
        Github = "github",
        Eslint = "eslint",
        /// A session that a coding agent kept: Claude Code, Codex, Gemini CLI, Qwen Code,
        /// OpenCode, SWE-agent, OpenHands, OpenAgents.
        Transcript = "transcript",
        /// `path:line: message`.
        Lines = "lines",
        /// Trajectories in the Agent Trajectory Interchange Format.
        Atif = "atif",
        /// The trajectories that OpenAgents keeps of its tasks.
        Openagents = "openagents",
        /// Commands with their output, as a shell shows them.
        RunLog = "run-log",
        /// A review in Markdown, with or without a verdict for programs.
        Review = "review",
        /// Calls of agents with all that was answered, as jkz keeps them.
        Deliberation = "deliberation",
    }
}

/// What one object shows about the input it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Of(Format),
    /// ArcheFlow's list of finished runs.
    OfIndex,
    Unclear,
}

pub fn sign(object: &Object) -> Sign {
    let has = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
    let has_run_id = object.get("run_id").is_some_and(Value::is_string);
    match object.get("type").and_then(Value::as_str) {
        Some(word) if run_record::TYPES.contains(&word) => Sign::Of(Format::Run),
        Some(_) if run_record::is_step(object) => Sign::Of(Format::Run),
        Some(_) if run_record::is_call_or_attempt(object) => Sign::Of(Format::Run),
        Some(_) if has_run_id && (has("seq") || has("data")) => Sign::Of(Format::Archeflow),
        None if has_run_id && has("status") && has("ts") => Sign::OfIndex,
        _ if cargo_json::is_line(object) => Sign::Of(Format::Cargo),
        _ if geas::is_artifact(object) => Sign::Of(Format::Geas),
        None if openagents::is_trajectory(object) => Sign::Of(Format::Openagents),
        None if rdjson::is_line(object) => Sign::Of(Format::Rdjsonl),
        _ => Sign::Unclear,
    }
}

/// More than this of one document is never held in memory.
pub const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

/// Whether the start of an input could be that of a document: JSON whose first line is not
/// whole by itself.
pub fn may_be_document(head: &[u8], max_depth: usize) -> bool {
    let head = head.trim_ascii_start();
    let first_line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    match head.first() {
        Some(b'[') => true,
        Some(b'{') => {
            !std::str::from_utf8(first_line).is_ok_and(|line| json::parse(line, max_depth).is_ok())
        }
        _ => false,
    }
}

/// The artifacts in a document: an object or a list of them, of which one at least shows
/// that it is one, unless the caller names the format. `None` = to be read line by line.
pub fn artifacts(bytes: &[u8], max_depth: usize, format: Option<Format>) -> Option<Vec<Parsed>> {
    if bytes.len() as u64 >= MAX_DOCUMENT_BYTES {
        return None;
    }
    let objects = json::parse_document(std::str::from_utf8(bytes).ok()?, max_depth).ok()?;
    let is_artifact = |parsed: &Parsed| sign(&parsed.object) == Sign::Of(Format::Geas);
    let is_read = format == Some(Format::Geas) || objects.iter().any(is_artifact);
    is_read.then_some(objects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn objects_show_their_format() {
        let run = Sign::Of(Format::Run);
        let archeflow = Sign::Of(Format::Archeflow);
        let geas = Sign::Of(Format::Geas);
        let cases = [
            (r#"{"type":"run","id":"r1"}"#, run),
            (r#"{"type":"finding","text":"x"}"#, run),
            (r#"{"type":"verdict","run_id":"r1","data":{}}"#, run),
            (r#"{"ts":"t","run_id":"r1","seq":1,"type":"agent.start"}"#, archeflow),
            (r#"{"run_id":"r1","type":"review.verdict","data":{}}"#, archeflow),
            (r#"{"run_id":"r1","status":"completed","task":"x","ts":"t"}"#, Sign::OfIndex),
            (r#"{"task_id":"T-1","memory_candidates":[]}"#, geas),
            (r#"{"type":"artifact","failure_reason":"x"}"#, geas),
            (r#"{"recovery_class":"x"}"#, geas),
            (r#"{"reviewer_type":"x","status":"approved"}"#, geas),
            (r#"{"reviewer_type":"x","decision":"keep"}"#, Sign::Unclear),
            (r#"{"confidence":2,"possible_stubs":[]}"#, geas),
            (r#"{"confidence":0.4,"memory_id":"m"}"#, Sign::Unclear),
            (r#"{"type":"finding","failure_class":"x"}"#, run),
            (r#"{"type":"user","message":{}}"#, Sign::Unclear),
            (r#"{"run_id":7,"type":"run.start","data":{}}"#, Sign::Unclear),
            (r#"{"reason":"compiler-artifact","target":{}}"#, Sign::Of(Format::Cargo)),
            (r#"{"reason":"because"}"#, Sign::Unclear),
            (r#"{"message":"x","location":{"path":"a"}}"#, Sign::Of(Format::Rdjsonl)),
            (r#"{"message":"x","location":"a"}"#, Sign::Unclear),
            (r#"{"type":"step","action":"make"}"#, run),
            (r#"{"type":"step","id":7}"#, Sign::Unclear),
            (r#"{"type":"step","action":"x","run_id":"r1","seq":2}"#, archeflow),
            (
                r#"{"id":"traj-1","taskId":"t","actions":[],"outcome":"success"}"#,
                Sign::Of(Format::Openagents),
            ),
            (r#"{"id":"traj-1","actions":[]}"#, Sign::Unclear),
            (r#"{}"#, Sign::Unclear),
        ];
        for (line, expected) in cases {
            assert_eq!(sign(&parse(line, 64).unwrap().object), expected, "{line}");
        }
    }
}
