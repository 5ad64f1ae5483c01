//! Issue 17, part 3: what agents answered, what was tried, and findings with their life.

use hardwon_engine::answer::{Answer, DeliberationShown, Status, Tried};
use hardwon_engine::need::Need;
use hardwon_engine::{DeliberationsRequest, InjectRequest, runs};
use serde_json::{Value, json};

use crate::harness::{Home, Pipeline, finding, line, run, run_with, warning};

fn deliberation(more: Value) -> String {
    let usual = json!({"type": "deliberation", "role": "judge", "verdict": "FAIL",
        "response": "The connection pool is never closed.\nClose it when the request ends.",
        "model": "m-1", "tokens": 1200, "duration_s": 3});
    line(usual, more)
}

fn attempt(more: Value) -> String {
    let usual = json!({"type": "attempt", "role": "doctor", "issue": 12, "iteration": 1,
        "approach": "Retry the upload three times with a delay", "result": "failed",
        "why": "the test is still red"});
    line(usual, more)
}

/// Role, summary and id of each.
fn listed(p: &Pipeline, request: &DeliberationsRequest) -> Vec<(String, String, String)> {
    let answer = runs::deliberations(&p.memory, &p.call, request, &mut |_| None).unwrap();
    answer.body.deliberations.into_iter().map(|it| (it.role, it.summary, it.id)).collect()
}

fn shown(p: &Pipeline, id: &str) -> DeliberationShown {
    runs::deliberation(&p.memory, &p.call, id).unwrap().body
}

fn ids(p: &Pipeline) -> Vec<String> {
    listed(p, &DeliberationsRequest::default()).into_iter().map(|it| it.2).collect()
}

fn tried(p: &Pipeline, issue: &str, text: Option<&str>) -> Answer<Tried> {
    runs::tried(&p.memory, &p.call, issue, text).unwrap()
}

fn doctor(task: &str) -> Need {
    Need { role: Some("doctor".into()), task: Some(task.into()), ..Need::default() }
}

#[test]
fn an_answer_is_kept_listed_shown_and_found() {
    for mut memory in Pipeline::on_both() {
        let second = deliberation(json!({"role": "auditor", "verdict": "PASS",
            "summary": "The session token is safe", "response": "It is compared in constant time."}));
        let record = run("r1", &["judge"]) + &deliberation(json!({})) + &second;
        memory.learn(&record);
        let all = DeliberationsRequest::default();
        assert_eq!(listed(&memory, &all).len(), 2);
        let of_judge = DeliberationsRequest { role: Some("judge".into()), ..all.clone() };
        let [judge] = <[_; 1]>::try_from(listed(&memory, &of_judge)).unwrap();
        assert_eq!(judge.1, "The connection pool is never closed.");
        let passed = DeliberationsRequest { verdict: Some("PASS".into()), ..all.clone() };
        assert_eq!(listed(&memory, &passed)[0].0, "auditor");
        let search = DeliberationsRequest { text: Some("closing pools".into()), ..all.clone() };
        assert_eq!(listed(&memory, &search).len(), 1);
        let other = DeliberationsRequest { text: Some("banana".into()), ..all };
        assert!(listed(&memory, &other).is_empty());
        let judge = shown(&memory, &judge.2);
        let response = judge.response.unwrap();
        assert!(response.contains(".\nClose it"), "lines are kept: {response}");
        let cost = (judge.deliberation.tokens, judge.deliberation.duration_ms);
        assert_eq!(cost, (Some(1200), Some(3000)));
        assert!(memory.lessons().is_empty(), "an answer is no lesson");
        memory.assert_sound();
    }
}

#[test]
fn the_same_record_twice_keeps_one_answer_and_undo_takes_it_away() {
    let mut memory = Pipeline::on_sqlite();
    let record = run("r1", &["judge"]) + &deliberation(json!({})) + &attempt(json!({}));
    memory.learn(&record);
    let again = memory.learn(&record);
    assert!(again.body.runs[0].is_known);
    assert_eq!(ids(&memory).len(), 1);
    memory.undo().unwrap();
    assert!(ids(&memory).is_empty());
    memory.assert_sound();
}

/// Erasure reaches them.
#[test]
fn forgetting_for_good_takes_the_words_out_of_answers_and_attempts() {
    let home = Home::new();
    let mut memory = home.open("home");
    let text = "Invoice totals are rounded before the discount is applied";
    for id in ["r1", "r2"] {
        memory.learn(&(run(id, &["guardian"]) + &warning(text)));
    }
    let said = deliberation(json!({"response": format!("I saw it. {text}. Fix it.")}));
    let attempted = attempt(json!({"approach": format!("Do not care that {text}")}));
    memory.learn(&(run("r3", &["judge"]) + &said + &attempted));
    let lesson = memory.lesson_saying(text);
    let environment = home.environment("home");
    let answer = memory.forget_for_good(&environment, lesson.id.as_str()).unwrap();
    assert_eq!(answer.status, Status::Ok, "{:?}", answer.problems);
    assert_eq!(shown(&memory, &ids(&memory)[0]).response, None);
    assert_eq!(tried(&memory, "12", None).body.attempts[0].approach, "[erased]");
}

/// Above `deliberations.max_mb` the oldest are struck.
#[test]
fn above_the_limit_the_oldest_responses_are_struck() {
    let home = Home::new();
    home.write("home/config.toml", "[deliberations]\nmax_mb = 1\n");
    let mut memory = home.open("home");
    let long = |n: u32| {
        deliberation(json!({"response": format!("Answer {n}. {}", "word ".repeat(13_000))}))
    };
    for n in 0..17 {
        memory.later(1);
        memory.learn(&(run(&format!("r{n}"), &["judge"]) + &long(n)));
    }
    let kept: Vec<_> =
        ids(&memory).iter().map(|id| shown(&memory, id).response.is_some()).collect();
    assert_eq!(kept.len(), 17, "verdicts and summaries stay");
    let n_kept = kept.iter().filter(|kept| **kept).count();
    assert!((10..=16).contains(&n_kept), "{n_kept}");
    assert!(kept[0] && !kept[16], "the oldest go");
    memory.assert_sound();
    let last = ids(&memory)[0].clone();
    memory.undo_operation(None).unwrap_err();
    assert!(ids(&memory).contains(&last), "what was struck cannot be undone");
}

#[test]
fn what_was_tried_is_told_by_issue() {
    for mut memory in Pipeline::on_both() {
        let worked = attempt(json!({"issue": "#12", "iteration": 2, "result": "worked",
            "approach": "Close the socket when the upload fails", "files": ["src/upload.rs"]}));
        let other = attempt(json!({"issue": "13"}));
        memory.learn(&(run("r1", &["doctor"]) + &attempt(json!({})) + &worked + &other));
        let all = tried(&memory, "issue-12", None).body;
        assert_eq!((all.n_failed, all.n_worked, all.n_iterations), (1, 1, 2));
        assert_eq!(all.attempts.len(), 2);
        let repeats = |text: &str| tried(&memory, "12", Some(text)).body.repeats;
        let same = repeats("retry the upload three  times with a delay");
        assert_eq!((same.len(), same[0].likeness.0), (1, 1.0));
        assert_eq!(repeats("Rewrite the parser of the header").len(), 0);
        assert_eq!(tried(&memory, "99", None).status, Status::Empty);
        memory.assert_sound();
    }
}

#[test]
fn a_healer_run_is_an_attempt_at_its_task() {
    let mut memory = Pipeline::on_memory();
    let more = json!({"kind": "healer", "task": "issue-12", "role": "healer", "outcome": "failed",
        "summary": "Raised the timeout of the upload"});
    memory.learn(&(run_with("r1", more) + &finding("judge", "warning", "Upload is slow on files")));
    let tried = tried(&memory, "12", None).body;
    assert_eq!(tried.attempts[0].approach, "Raised the timeout of the upload");
    assert_eq!(tried.n_failed, 1);
}

/// `inject --role doctor --task ISSUE`: before any lesson, quoted, within half of the budget.
#[test]
fn a_doctor_gets_what_was_tried_before_the_lessons() {
    let mut memory = Pipeline::confirmed();
    let failed = (1..=30).map(|n| {
        attempt(json!({"iteration": n, "approach": format!("Raise the timeout of the upload to {n} minutes in every client")}))
    });
    memory.learn(&(run("d1", &["doctor"]) + &failed.collect::<String>()));
    let injected = memory.inject_for(None, doctor("12"));
    let lines: Vec<&str> = injected.block.lines().filter(|line| line.starts_with("- ")).collect();
    let n_tried = lines.iter().take_while(|it| it.starts_with("- Tried before on 12: \"")).count();
    assert!(n_tried > 1, "{}", injected.block);
    assert!(lines[0].contains("to 30 minutes"), "the newest first: {}", lines[0]);
    assert!(lines[0].contains("failed: \"the test is still red\""), "{}", lines[0]);
    assert!(lines.len() > n_tried, "lessons come after it: {}", injected.block);
    let n_tokens: u32 = lines[..n_tried]
        .iter()
        .map(|line| hardwon_core::budget::estimate_tokens(&format!("{line}\n")))
        .sum();
    assert!(n_tokens <= 300, "{n_tokens}");
    let tight = InjectRequest { need: doctor("12"), budget: Some(120), ..Default::default() };
    let tight = memory.compose(&tight).unwrap();
    assert!(tight.n_tokens <= 120, "counted in the budget: {}", tight.n_tokens);
    for need in [doctor("13"), Need { role: Some("judge".into()), ..doctor("12") }] {
        let block = memory.inject_for(None, need).block;
        assert!(!block.contains("Tried before"), "{block}");
    }
}

#[test]
fn what_only_an_agent_claims_to_have_tried_is_in_no_block() {
    let home = Home::new();
    let mut agent = home.open_as("claude");
    agent.learn(&(run("d1", &["doctor"]) + &attempt(json!({}))));
    let mut memory = home.open("home");
    let block = memory.inject_for(None, doctor("12")).block;
    assert!(!block.contains("Tried before"), "{block}");
    assert!(tried(&memory, "12", None).body.attempts[0].is_claim);
}
