//! A pipeline of reviewers who check each other, played with real processes: a pattern rises, is
//! approved, is shown, is ruled false by its id, comes back after it was fixed, and sinks.

use serde_json::{Value, json};

use crate::harness::{Memory, Ran};

const LIMITER: &str = "Rate limiter is created per request and never shared";
const OUTPUT: &str = "```\n$ cargo test\ntest result: ok. 12 passed; 0 failed\n```";

struct Pipeline {
    memory: Memory,
    n_calls: u32,
}

/// What one agent says of an issue.
struct Said<'a> {
    role: &'a str,
    issue: u32,
    verdict: &'a str,
    issues: Value,
    false_positives: &'a [&'a str],
    evidence: &'a str,
}

impl Pipeline {
    fn new() -> Self {
        Pipeline { memory: Memory::new().with("HARDWON_POLICY", "jkz"), n_calls: 0 }
    }

    /// Leaves the call of an agent where the pipeline keeps it; its name.
    fn says(&mut self, said: Said<'_>) -> String {
        self.n_calls += 1;
        let ids: Vec<&Value> = said.issues.as_array().unwrap().iter().map(|it| &it["id"]).collect();
        let verdict = json!({"verdict": said.verdict, "issues": said.issues, "must_fix": ids,
            "false_positives": said.false_positives});
        let response =
            format!("## Review\n\n{}\n\n<!-- jkz:verdict-json {verdict} -->\n", said.evidence);
        let timestamp = format!("2026-04-01T10:{:02}:00Z", self.n_calls);
        let call = json!({"role": said.role, "timestamp": timestamp, "status": "completed",
            "response": response, "model": "m-1", "endpoint": "local", "pr": self.n_calls,
            "issue": said.issue, "phase": "review", "command": "review", "duration_ms": 4100,
            "tokens": 900});
        let name = format!("call-{}.json", self.n_calls);
        self.memory.write(&name, call.to_string());
        name
    }

    fn judge_fails(&mut self, issue: u32) -> String {
        let issues = json!([{"id": "J1", "severity": "HIGH", "summary": LIMITER,
            "location": "src/limits.rs:41", "fix_hint": "share one limiter"}]);
        let evidence = "src/limits.rs:41 `let limiter = Limiter::new()`";
        let (role, verdict, false_positives) = ("judge", "FAIL", &[]);
        self.says(Said { role, issue, verdict, issues, false_positives, evidence })
    }

    fn passes(&mut self, role: &str, issue: u32, false_positives: &[&str]) -> String {
        let (verdict, issues, evidence) = ("PASS", json!([]), OUTPUT);
        self.says(Said { role, issue, verdict, issues, false_positives, evidence })
    }

    /// Learns what the agents said of one issue.
    fn learn(&self, calls: &[String]) -> Ran {
        let calls = calls.iter().map(String::as_str);
        let args: Vec<&str> =
            ["learn", "--format", "deliberation"].into_iter().chain(calls).collect();
        self.memory.run(&args).exits(0)
    }

    /// The pattern as jkz's own command tells it.
    fn pattern(&self) -> Value {
        let ran = self.memory.run(&["jkz", "query-patterns", "--role", "judge"]).exits(0);
        serde_json::from_str(ran.stdout.lines().next().expect("one pattern")).unwrap()
    }

    fn block(&self, run: &str) -> String {
        let args = ["inject", "--role", "judge", "--style", "jkz", "--run", run];
        self.memory.run(&args).exits(0).stdout
    }

    fn state(&self) -> String {
        self.pattern()["lifecycle_state"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_pattern_rises_is_approved_is_ruled_false_comes_back_and_sinks() {
    let mut p = Pipeline::new();
    let call = p.judge_fails(1);
    p.learn(&[call]);
    assert_eq!(p.state(), "observed");
    let call = p.judge_fails(2);
    p.learn(&[call]);
    assert_eq!(p.state(), "verified", "two issues are two contexts");
    let lesson = p.pattern()["lesson"].as_str().unwrap().to_owned();
    let approve = ["review", "approve", &lesson, "--because", "wanted", "--as-user"];
    p.memory.run(&approve).exits(0);
    assert_eq!(p.state(), "active");

    let block = p.block("issue-3");
    let line = format!("- {LIMITER}");
    assert!(block.starts_with("=== HISTORICAL PATTERNS (judge) ===\n") && block.contains(&line));
    assert!(
        p.memory.run(&["inject", "--role", "judge", "--budget", "59"]).exits(0).stdout.is_empty()
    );
    let call = p.passes("judge", 3, &[]);
    p.learn(&[call]);
    assert_eq!(p.pattern()["was_validated"], true, "shown, and a pass with evidence");

    // Fixed in the issue where it was reported, and back in another one.
    let call = p.passes("judge", 2, &[]);
    p.learn(&[call]);
    let call = p.judge_fails(4);
    let back = p.learn(&[call]);
    assert!(back.stdout.contains("REGRESSION"), "{back}");

    let before = p.pattern()["score"].as_f64().unwrap();
    for issue in 5..9 {
        let calls = [p.judge_fails(issue), p.passes("inspector", issue, &["J1"])];
        p.learn(&calls);
    }
    let after = p.pattern();
    assert_eq!(after["ignore_count"], 4, "ruled by its id");
    assert!(after["score"].as_f64().unwrap() < before, "{after}");
    let net = p.block("issue-9");
    assert!(net.contains("4x ignored]"), "{net}");
    p.memory.run(&["doctor"]).exits(0);
}
