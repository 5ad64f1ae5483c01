//! Which format is this? Decided by what the first lines say, never by a file's name.

use serde_json::Value;

use crate::json::Object;
use crate::{cargo_json, geas, openagents, rdjson, run_record};

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `hardwon.run/1`.
    Run,
    /// ArcheFlow's event log of a run.
    Archeflow,
    /// Documents of a geas task: retrospective, failure record, review, self-check.
    Geas,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    Junit,
    /// JSON lines of cargo, rustc and clippy.
    Cargo,
    /// What the content tells, and cargo's lines are clippy's: without a finding they do not
    /// tell.
    Clippy,
    /// reviewdog's diagnostics in one document.
    Rdjson,
    /// reviewdog's diagnostics, one a line.
    Rdjsonl,
    /// GitHub's review comments, review threads or annotations.
    Github,
    /// The report of pytest-json-report.
    Pytest,
    /// ESLint's JSON.
    Eslint,
    /// A conversation that Claude Code or Codex kept.
    Transcript,
    /// `path:line: message`.
    Lines,
    /// Trajectories in the Agent Trajectory Interchange Format.
    Atif,
    /// How a trial of Harbor ended.
    HarborResult,
    /// The trajectories that OpenAgents keeps of its tasks.
    Openagents,
    /// Commands with their output, as a shell shows them.
    RunLog,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Format] = &[
        Format::Run,
        Format::Archeflow,
        Format::Geas,
        Format::Sarif,
        Format::Junit,
        Format::Cargo,
        Format::Clippy,
        Format::Rdjson,
        Format::Rdjsonl,
        Format::Github,
        Format::Pytest,
        Format::Eslint,
        Format::Transcript,
        Format::Lines,
        Format::Atif,
        Format::HarborResult,
        Format::Openagents,
        Format::RunLog,
    ];

    /// The word for it, as `--format` takes it.
    pub fn word(self) -> &'static str {
        match self {
            Format::Run => "run",
            Format::Archeflow => "archeflow",
            Format::Geas => "geas",
            Format::Sarif => "sarif",
            Format::Junit => "junit",
            Format::Cargo => "cargo",
            Format::Clippy => "clippy",
            Format::Rdjson => "rdjson",
            Format::Rdjsonl => "rdjsonl",
            Format::Github => "github",
            Format::Pytest => "pytest",
            Format::Eslint => "eslint",
            Format::Transcript => "transcript",
            Format::Lines => "lines",
            Format::Atif => "atif",
            Format::HarborResult => "harbor-result",
            Format::Openagents => "openagents",
            Format::RunLog => "run-log",
        }
    }

    /// The format with exactly this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Format::ALL.iter().copied().find(|format| format.word() == word)
    }

    /// All words, for messages.
    pub(crate) fn words() -> String {
        let words: Vec<&str> = Format::ALL.iter().map(|format| format.word()).collect();
        words.join(", ")
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

/// Judges one object.
pub fn sign(object: &Object) -> Sign {
    let has = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
    let has_run_id = object.get("run_id").is_some_and(Value::is_string);
    match object.get("type").and_then(Value::as_str) {
        Some(word) if run_record::TYPES.contains(&word) => Sign::Of(Format::Run),
        Some(_) if run_record::is_step(object) => Sign::Of(Format::Run),
        Some(_) if has_run_id && (has("seq") || has("data")) => Sign::Of(Format::Archeflow),
        None if has_run_id && has("status") && has("ts") => Sign::OfIndex,
        _ if cargo_json::is_line(object) => Sign::Of(Format::Cargo),
        _ if geas::is_artifact(object) => Sign::Of(Format::Geas),
        None if openagents::is_trajectory(object) => Sign::Of(Format::Openagents),
        None if rdjson::is_line(object) => Sign::Of(Format::Rdjsonl),
        _ => Sign::Unclear,
    }
}

/// Whether the start of an input promises one document over many lines: a list, or an
/// object that opens on a line of its own.
pub fn looks_like_document(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let first_line = head.split(|&byte| byte == b'\n').next().unwrap_or(head);
    head.first() == Some(&b'[') || first_line.trim_ascii() == b"{"
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

    #[test]
    fn words_and_formats_are_the_same_thing() {
        for &format in Format::ALL {
            assert_eq!(Format::from_word(format.word()), Some(format));
        }
        assert_eq!(Format::from_word("SARIF"), None);
    }
}
