//! What verdicts and evidence are worth: grades that are read and not believed, and jkz's
//! rule that only a pass with evidence speaks for a lesson.

use serde_json::json;

use crate::harness::{Pipeline, W, line, ruling, run, run_with, verdict, warning};

fn confirmed_under_jkz() -> Pipeline {
    let mut p = Pipeline::with_policy("jkz");
    p.confirm(&[W]);
    p
}

#[test]
fn under_jkz_only_a_pass_with_evidence_helps() {
    let output = "$ cargo test\ntest result: ok. 12 passed";
    let claim = "ran it, works";
    let to_fix = |what: &[&str]| json!({"verdict": "FAIL", "grade": "executed", "must_fix": what});
    let cases = [
        ("executed", json!({"verdict": "PASS", "grade": "executed"}), "helped"),
        ("cited", json!({"verdict": "pass", "grade": "cited"}), "helped"),
        ("output", json!({"verdict": "PASS", "evidence": output}), "helped"),
        ("reasoned", json!({"verdict": "PASS", "grade": "reasoned"}), "neutral"),
        ("no grade", json!({"verdict": "PASS"}), "neutral"),
        ("a claim", json!({"verdict": "PASS", "grade": "executed", "evidence": claim}), "neutral"),
        ("failed", json!({"verdict": "FAIL", "grade": "executed"}), "neutral"),
        ("nothing to fix", to_fix(&[]), "helped"),
        ("something to fix", to_fix(&["J-1"]), "neutral"),
        ("no verdict", json!({"grade": "executed"}), "neutral"),
    ];
    for (name, fields, expected) in cases {
        let mut p = confirmed_under_jkz();
        let (kind, why) = p.effect_after("r3", &(run("r3", &["guardian"]) + &verdict(fields)));
        assert_eq!(kind, expected, "{name}: {why}");
        p.assert_sound();
    }
}

#[test]
fn under_jkz_a_run_without_a_verdict_helps_nobody() {
    for outcome in ["success", "failed", "aborted"] {
        let record = run_with("r3", json!({"detectors": ["guardian"], "outcome": outcome}));
        assert_eq!(confirmed_under_jkz().effect_after("r3", &record).0, "neutral", "{outcome}");
    }
}

#[test]
fn evidence_that_shows_nothing_is_reasoning() {
    for fields in [
        json!({"evidence": "ran it, works"}),
        json!({"grade": "executed", "evidence": ["ran it, works"]}),
    ] {
        let record = run("r3", &["guardian"]) + &verdict(fields);
        let (kind, why) = Pipeline::confirmed().effect_after("r3", &record);
        assert_eq!(kind, "neutral", "{why}");
    }
}

#[test]
fn grades_of_findings_are_read_off_them() {
    let mut p = Pipeline::on_memory();
    let finding = json!({"type": "finding", "author": "judge", "severity": "warning"});
    let quoted = "Line src/api.rs:41 builds the query by hand: `format!(user)`";
    let claimed = "Ran the exporter, works not for empty tables";
    let record = line(finding.clone(), json!({"text": quoted}))
        + &line(finding, json!({"text": claimed, "grade": "executed"}));
    p.learn_run(&(run("r1", &["judge"]) + &record));
    let grade = |text: &str| p.lesson_saying(text).grade.map(|grade| grade.word());
    assert_eq!((grade(quoted), grade(claimed)), (Some("cited"), Some("reasoned")));
}

#[test]
fn a_proven_lesson_that_is_ruled_false_is_a_regression() {
    let mut p = confirmed_under_jkz();
    let pass = verdict(json!({"verdict": "PASS", "grade": "executed"}));
    for id in ["r3", "r4", "r5"] {
        assert_eq!(p.effect_after(id, &(run(id, &["guardian"]) + &pass)).0, "helped");
    }
    p.inject("r6");
    let record = run("r6", &["guardian"]) + &warning(W) + &ruling(W, "cited");
    let learned = p.learn_run(&record);
    let effect = &learned.effects[0];
    assert_eq!((effect.kind.word(), effect.is_regression), ("contradicted", true));
    let regressed = p.report().unwrap().body.regressed;
    assert_eq!(regressed.iter().map(|lesson| &lesson.id).collect::<Vec<_>>(), [&effect.lesson.id]);
    p.assert_sound();
}

/// A session in which a reviewer says this.
fn session(message: &str) -> String {
    let line_of = |kind: &str, content: serde_json::Value| {
        let session = json!({"type": kind, "sessionId": "s1"});
        line(session, json!({"message": {"content": [content]}}))
    };
    let call = json!({"type": "tool_use", "id": "t1", "name": "Task",
        "input": {"subagent_type": "guardian"}});
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": message});
    line_of("assistant", call) + &line_of("user", result)
}

#[test]
fn archeflow_takes_prose_without_evidence_as_info() {
    let claimed = "- [CRITICAL] The session handling may be insecure in some places";
    let shown = "- [CRITICAL] Session cookie lacks the Secure flag in src/web.rs:19";
    let learned = |policy: &str, said: &str| {
        let mut p = Pipeline::with_policy(policy);
        let answer = p.learn(&session(said));
        let reasons: Vec<String> = answer.problems.into_iter().map(|one| one.reason).collect();
        (answer.body.runs[0].new.len(), reasons)
    };
    let doubt = vec!["critical without evidence; taken as info".to_owned()];
    assert_eq!(learned("archeflow", claimed), (0, doubt));
    assert_eq!(learned("archeflow", shown), (1, vec![]));
    assert_eq!(learned("hardwon", claimed), (1, vec![]), "other rules do not ask");
}

/// What became of the lesson that a session was shown in which the reviewer then said this.
fn effect_of(message: &str) -> (&'static str, String) {
    let mut p = Pipeline::confirmed();
    p.inject("claude-s1");
    let answer = p.learn(&session(message));
    let mut effects = answer.body.runs.into_iter().flat_map(|run| run.effects);
    let effect = effects.next().expect("it was shown");
    (effect.kind.word(), effect.why.clone())
}

/// Issue 15, number 8. In a conversation a reviewer's word alone never makes a lesson helpful, but
/// the lesson had its chance.
#[test]
fn a_reviewer_who_found_nothing_looked() {
    for message in [
        "No problems found.",
        "LGTM, no issues.",
        "```json\n{\"findings\": []}\n```",
        "### Issues\n\n#### Critical\n\nNone\n\n**Ready to merge?** Yes",
    ] {
        let (effect, why) = effect_of(message);
        assert_eq!(effect, "neutral", "{message}: {why}");
        assert!(why.starts_with("not reported again"), "{message}: {why}");
    }
}

#[test]
fn what_is_reported_again_with_its_place_did_not_help() {
    let (effect, why) = effect_of(&format!("- [HIGH] src/api.rs:41: {W}"));
    assert_eq!(effect, "no_help", "{why}");
    let (effect, why) = effect_of(&format!("- [HIGH] {W}"));
    assert_eq!(effect, "neutral", "who knows the words has to say where: {why}");
    let mut p = Pipeline::confirmed();
    let before = p.only_lesson().n_sightings;
    p.inject("claude-s1");
    p.learn(&session(&format!("- [HIGH] src/api.rs:41: {W}")));
    assert_eq!(p.only_lesson().n_sightings, before, "its author had been shown the words");
}
