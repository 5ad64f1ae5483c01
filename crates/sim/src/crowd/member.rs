//! One of the crowd: asks for a block for a run, learns from that run, pauses, and goes on with
//! the next run.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Plan;
use crate::speed::draft::Vocabulary;
use crate::speed::fill::{self, NOW};

/// Findings of a run; every second one is known to memory.
const N_FINDINGS: u64 = 20;

#[derive(Clone, Copy)]
pub struct Member<'a> {
    pub program: &'a Path,
    pub home: &'a Path,
    pub vocabulary: &'a Vocabulary,
    pub number: u64,
    pub plan: Plan,
}

/// What one turn met.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    pub run: String,
    pub injected_in: Duration,
    pub learned_in: Duration,
    /// A block was printed, so an injection is to be recorded.
    pub is_shown: bool,
    pub failures: Vec<String>,
}

impl Member<'_> {
    pub fn work(&self) -> Result<Vec<Turn>, String> {
        let turn = |turn| {
            let done = self.turn(turn);
            thread::sleep(self.plan.pause);
            done
        };
        (0..self.plan.turns).map(turn).collect()
    }

    fn turn(&self, number: u64) -> Result<Turn, String> {
        let run = format!("crowd-{}-{number}", self.number);
        let (injected_in, injected) = self.inject(&run, number)?;
        let (learned_in, learned) = self.learn(&run, number)?;
        let is_shown = injected.answer["block"].as_str().is_some_and(|block| !block.is_empty());
        let failures = [("inject", injected), ("learn", learned)];
        let failures = failures.iter().filter_map(|(what, answer)| answer.failure(what));
        Ok(Turn { is_shown, injected_in, learned_in, failures: failures.collect(), run })
    }

    fn inject(&self, run: &str, turn: u64) -> Result<(Duration, Reply), String> {
        let draft = self.vocabulary.retold(0, self.known(turn, 0), turn);
        let need = ["inject", "--json", "--run", run, "--path", &draft.path, "--text", &draft.text];
        self.process(&need, "")
    }

    /// Learns from a run of this name.
    pub fn learn(&self, run: &str, turn: u64) -> Result<(Duration, Reply), String> {
        let head = json!({"type": "run", "id": run, "finished": NOW.to_string(),
            "outcome": "success", "detectors": ["guardian"]});
        let findings = (0..N_FINDINGS).map(|index| {
            let new = (self.number * self.plan.turns + turn) * N_FINDINGS + index;
            let draft = match index % 2 {
                0 => self.vocabulary.retold(0, self.known(turn, index), turn),
                _ => self.vocabulary.draft(1, u64::MAX / 2 + new),
            };
            json!({"type": "finding", "author": draft.detector, "severity": "warning",
                "category": draft.category, "text": draft.text, "path": draft.path,
                "line": 1 + index, "grade": "cited"})
        });
        let lines = [head].into_iter().chain(findings);
        self.process(
            &["learn", "-", "--json"],
            &lines.map(|line| format!("{line}\n")).collect::<String>(),
        )
    }

    /// A finding that memory has, another one each time.
    fn known(&self, turn: u64, index: u64) -> u64 {
        ((self.number * 7919 + turn) * N_FINDINGS + index) * 104_729 % self.plan.lessons
    }

    /// From before the process exists until it is gone.
    fn process(&self, args: &[&str], input: &str) -> Result<(Duration, Reply), String> {
        let failed = |error| format!("the program cannot be started: {error}");
        let mut command = Command::new(self.program);
        command
            .args(args)
            .env_clear()
            .env("HARDWON_HOME", self.home)
            .env("HARDWON_PROJECT", fill::project(0).as_str())
            .current_dir(self.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let from = Instant::now();
        let mut child = command.spawn().map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A process that does not read is told by its answer.
            let _ = stdin.write_all(input.as_bytes());
        }
        let output = child.wait_with_output().map_err(failed)?;
        Ok((from.elapsed(), Reply::of(&output)))
    }
}

/// How a process ended.
pub struct Reply {
    code: Option<i32>,
    answer: Value,
}

impl Reply {
    fn of(output: &Output) -> Self {
        let answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Reply { code: output.status.code(), answer }
    }

    /// Why it is not what was asked for.
    fn failure(&self, what: &str) -> Option<String> {
        let status = self.answer["status"].as_str().unwrap_or("no answer");
        // Made-up findings need not all be good ones; a block has to be recorded.
        let is_done = matches!(status, "ok" | "empty") || status == "degraded" && what == "learn";
        let is_good = self.code == Some(0) && is_done;
        let reason = self.answer["problems"][0]["reason"].as_str().unwrap_or_default();
        (!is_good).then(|| format!("{what} ended with {:?}, {status}: {reason}", self.code))
    }
}
