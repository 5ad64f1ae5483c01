//! What was sent to the program, and what did its answer mean?

use serde_json::{Value, json};

/// Findings that every writer reports, so that all of them meet on the same lessons.
const SHARED: [&str; 8] = [
    "Query built by string concatenation in the user search",
    "Retry loop of the upload client has no upper bound",
    "Session cookie is set without the Secure attribute",
    "Log line prints the customer's postal address",
    "Deadlock between scheduler locks during shutdown",
    "Temporary files stay behind after a failed import",
    "Integer overflow when summing invoice positions",
    "Snapshot test depends on the local time zone",
];

/// Findings in a run.
pub const N_FINDINGS: usize = 2;

/// One write, as often as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    Add {
        text: String,
    },
    Learn {
        run: String,
        /// Which of the shared findings; two different ones.
        findings: [usize; N_FINDINGS],
    },
    Inject {
        run: String,
    },
    Forget {
        lesson: String,
    },
    Outcome {
        run: String,
    },
}

/// A write, and whether it was acknowledged.
#[derive(Clone, Debug)]
pub struct SentWrite {
    pub write: Write,
    pub is_acknowledged: bool,
}

/// What the answer of one process means.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It is written; the lesson, if the answer names one.
    Written(Option<String>),
    /// The block was served, and the answer says that nothing was recorded.
    Unrecorded,
    /// Killed before a whole answer.
    Nothing,
    /// Another process held the store for too long.
    Locked,
    /// What must not happen.
    Failed(String),
}

impl Write {
    /// Number of the command, for figures kept by command.
    pub fn command(&self) -> usize {
        match self {
            Write::Add { .. } => 0,
            Write::Learn { .. } => 1,
            Write::Inject { .. } => 2,
            Write::Forget { .. } => 3,
            Write::Outcome { .. } => 4,
        }
    }

    pub fn args(&self) -> Vec<&str> {
        let words = match self {
            Write::Add { .. } => vec!["add", "-"],
            Write::Learn { .. } => vec!["learn", "-"],
            Write::Inject { run } => vec!["inject", "--run", run],
            Write::Forget { lesson } => vec!["forget", lesson],
            Write::Outcome { run } => vec!["outcome", run, "success"],
        };
        words.into_iter().chain(["--json"]).collect()
    }

    /// What comes on standard input.
    pub fn input(&self) -> String {
        match self {
            Write::Add { text } => text.clone(),
            Write::Learn { run, findings } => {
                let head = json!({"type": "run", "id": run, "detectors": ["guardian"]});
                let lines = findings.iter().map(|at| {
                    json!({
                        "type": "finding", "author": "guardian", "severity": "warning",
                        "text": SHARED[*at % SHARED.len()],
                    })
                });
                let lines = std::iter::once(head).chain(lines);
                lines.map(|line| format!("{line}\n")).collect()
            }
            Write::Inject { .. } | Write::Forget { .. } | Write::Outcome { .. } => String::new(),
        }
    }

    /// What an answer means. `code` is `None` if a signal ended the process.
    pub fn reply(&self, stdout: &[u8], code: Option<i32>, is_repeated: bool) -> Reply {
        let Ok(answer) = serde_json::from_slice::<Value>(stdout) else {
            return match code {
                None => Reply::Nothing,
                Some(code) => Reply::Failed(format!("{self:?} exited with {code}, no answer")),
            };
        };
        let reasons = reasons(&answer);
        let is_well = matches!(code, None | Some(0));
        let is_locked = reasons.contains("database is locked") || reasons.contains("is busy");
        match (self, answer["status"].as_str()) {
            (Write::Inject { .. }, Some("degraded")) if is_locked => Reply::Unrecorded,
            // A wish for which others leave no room is written, too.
            (_, Some(status)) if (status == "ok" || reasons.contains("do not fit")) && is_well => {
                Reply::Written(answer["lesson"]["id"].as_str().map(str::to_owned))
            }
            // Nothing to show yet, so nothing to record.
            (Write::Inject { .. }, Some("empty")) => Reply::Unrecorded,
            _ if is_locked => Reply::Locked,
            // It was written before, and only the answer was lost.
            (Write::Add { .. }, Some("failed")) if is_repeated && reasons.contains("already") => {
                Reply::Written(None)
            }
            _ => Reply::Failed(format!("{self:?} exited with {code:?}: {reasons}")),
        }
    }
}

fn reasons(answer: &Value) -> String {
    let problems = answer["problems"].as_array().into_iter().flatten();
    let reasons = problems.filter_map(|problem| problem["reason"].as_str());
    reasons.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(write: &Write, answer: &str, code: Option<i32>, is_repeated: bool) -> Reply {
        write.reply(answer.as_bytes(), code, is_repeated)
    }

    #[test]
    fn an_answer_counts_when_it_is_whole() {
        let add = Write::Add { text: "Prefer small commits".to_owned() };
        let good = r#"{"status":"ok","problems":[],"lesson":{"id":"l-1"}}"#;
        assert_eq!(reply(&add, good, Some(0), false), Reply::Written(Some("l-1".to_owned())));
        assert_eq!(reply(&add, good, None, false), Reply::Written(Some("l-1".to_owned())));
        assert_eq!(reply(&add, &good[..good.len() - 1], None, false), Reply::Nothing);
        assert_eq!(reply(&add, "", None, false), Reply::Nothing);
        assert!(matches!(reply(&add, "", Some(0), false), Reply::Failed(_)));
    }

    #[test]
    fn a_failure_is_told_from_a_lock() {
        let add = Write::Add { text: "Prefer small commits".to_owned() };
        let there = r#"{"status":"failed","problems":[{"reason":"l-1 says so already"}]}"#;
        assert_eq!(reply(&add, there, Some(2), true), Reply::Written(None));
        assert!(matches!(reply(&add, there, Some(2), false), Reply::Failed(_)));
        let busy = r#"{"status":"failed","problems":[{"reason":"the store is busy"}]}"#;
        assert_eq!(reply(&add, busy, Some(3), false), Reply::Locked);
        let inject = Write::Inject { run: "r1".to_owned() };
        let missed = r#"{"status":"degraded","problems":[{"reason":"not recorded: is busy"}]}"#;
        assert_eq!(reply(&inject, missed, Some(0), false), Reply::Unrecorded);
    }

    #[test]
    fn a_record_has_the_run_and_its_findings() {
        let learn = Write::Learn { run: "w1-2".to_owned(), findings: [3, 4] };
        let input = learn.input();
        assert_eq!(input.lines().count(), 1 + N_FINDINGS);
        assert!(input.starts_with("{") && input.contains("w1-2") && input.contains(SHARED[4]));
    }
}
