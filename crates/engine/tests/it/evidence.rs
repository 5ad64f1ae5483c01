//! What verdicts and evidence are worth: grades that are read and not believed, and jkz's
//! rule that only a pass with evidence speaks for a lesson.

use crate::bench::{Pipeline, run, warning};
use crate::credit::{W, confirmed, effect_after};
use hardwon_engine::history;

/// A run whose record ends with these lines.
fn run_and(id: &str, lines: &[String]) -> String {
    run(id, &["guardian"]) + &lines.concat()
}

fn verdict(fields: &str) -> String {
    format!("{{\"type\":\"verdict\",\"author\":\"guardian\",{fields}}}\n")
}

#[test]
fn under_jkz_only_a_pass_with_evidence_helps() {
    let output = "$ cargo test\\ntest result: ok. 12 passed";
    let cases = [
        ("executed", "\"verdict\":\"PASS\",\"grade\":\"executed\"".to_owned(), "helped"),
        ("cited", "\"verdict\":\"pass\",\"grade\":\"cited\"".to_owned(), "helped"),
        ("output", format!("\"verdict\":\"PASS\",\"evidence\":\"{output}\""), "helped"),
        ("reasoned", "\"verdict\":\"PASS\",\"grade\":\"reasoned\"".to_owned(), "neutral"),
        ("no grade", "\"verdict\":\"PASS\"".to_owned(), "neutral"),
        (
            "claimed",
            "\"verdict\":\"PASS\",\"grade\":\"executed\",\"evidence\":\"ran it, works\"".to_owned(),
            "neutral",
        ),
        ("failed", "\"verdict\":\"FAIL\",\"grade\":\"executed\"".to_owned(), "neutral"),
        (
            "nothing to fix",
            "\"verdict\":\"FAIL\",\"grade\":\"executed\",\"must_fix\":[]".to_owned(),
            "helped",
        ),
        (
            "something to fix",
            "\"verdict\":\"FAIL\",\"grade\":\"executed\",\"must_fix\":[\"J-1\"]".to_owned(),
            "neutral",
        ),
        ("no verdict", "\"grade\":\"executed\"".to_owned(), "neutral"),
    ];
    for (name, fields, expected) in cases {
        let mut p = Pipeline::with_policy("jkz");
        for id in ["r1", "r2"] {
            p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
        }
        let (kind, why) = effect_after(&mut p, "r3", &run_and("r3", &[verdict(&fields)]));
        assert_eq!(kind, expected, "{name}: {why}");
        p.assert_sound();
    }
}

#[test]
fn under_jkz_a_run_without_a_verdict_helps_nobody() {
    for outcome in ["success", "failed", "aborted"] {
        let mut p = Pipeline::with_policy("jkz");
        for id in ["r1", "r2"] {
            p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
        }
        let record = format!(
            "{{\"type\":\"run\",\"id\":\"r3\",\"detectors\":[\"guardian\"],\"outcome\":\"{outcome}\"}}\n"
        );
        assert_eq!(effect_after(&mut p, "r3", &record).0, "neutral", "{outcome}");
    }
}

#[test]
fn evidence_that_shows_nothing_is_reasoning() {
    for fields in [
        "\"evidence\":\"ran it, works\"",
        "\"grade\":\"executed\",\"evidence\":[\"ran it, works\"]",
    ] {
        let (kind, why) = effect_after(&mut confirmed(), "r3", &run_and("r3", &[verdict(fields)]));
        assert_eq!(kind, "neutral", "{fields}: {why}");
    }
}

#[test]
fn grades_of_findings_are_read_off_them() {
    let mut p = Pipeline::on_memory();
    let finding = |text: &str, more: &str| {
        format!(
            "{{\"type\":\"finding\",\"author\":\"judge\",\"severity\":\"warning\",\"text\":\"{text}\"{more}}}\n"
        )
    };
    let quoted = "Line src/api.rs:41 builds the query by hand: `format!(user)`";
    let claimed = "Ran the exporter, works not for empty tables";
    let record = finding(quoted, "") + &finding(claimed, ",\"grade\":\"executed\"");
    p.learn_run(&(run("r1", &["judge"]) + &record));
    let grade = |text: &str| {
        let lesson = p.lessons().into_iter().find(|lesson| lesson.text.as_str() == text).unwrap();
        lesson.grade.map(|grade| grade.word())
    };
    assert_eq!(grade(quoted), Some("cited"));
    assert_eq!(grade(claimed), Some("reasoned"));
}

#[test]
fn a_proven_lesson_that_is_ruled_false_is_a_regression() {
    let mut p = Pipeline::with_policy("jkz");
    for id in ["r1", "r2"] {
        p.learn_run(&(run(id, &["guardian"]) + &warning(W)));
    }
    let pass = verdict("\"verdict\":\"PASS\",\"grade\":\"executed\"");
    for id in ["r3", "r4", "r5"] {
        assert_eq!(effect_after(&mut p, id, &run_and(id, std::slice::from_ref(&pass))).0, "helped");
    }
    let ruling = format!(
        "{{\"type\":\"verdict\",\"author\":\"judge\",\"grade\":\"cited\",\"false_positives\":[\"{W}\"]}}\n"
    );
    p.inject("r6");
    let learned = p.learn_run(&run_and("r6", &[warning(W), ruling]));
    let (_, effect) = &learned.effects[0];
    assert_eq!((effect.kind.word(), effect.is_regression), ("contradicted", true));
    let regressed = history::report(&p.engine.memory, &p.engine.call).unwrap().body.regressed;
    assert_eq!(regressed.iter().map(|lesson| &lesson.id).collect::<Vec<_>>(), [&effect.lesson]);
    p.assert_sound();
}

/// A session in which a reviewer says this.
fn session(name: &str, said: &str) -> String {
    let said = serde_json::to_string(said).unwrap();
    let call = format!(
        "{{\"type\":\"assistant\",\"sessionId\":\"{name}\",\"message\":{{\"content\":[{{\
         \"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Task\",\"input\":{{\
         \"subagent_type\":\"guardian\"}}}}]}}}}\n"
    );
    let answer = format!(
        "{{\"type\":\"user\",\"sessionId\":\"{name}\",\"message\":{{\"content\":[{{\
         \"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":{said}}}]}}}}\n"
    );
    call + &answer
}

#[test]
fn archeflow_takes_prose_without_evidence_as_info() {
    let claimed = "- [CRITICAL] The session handling may be insecure in some places";
    let shown = "- [CRITICAL] Session cookie lacks the Secure flag in src/web.rs:19";
    let learned = |policy: &str, said: &str| {
        let mut p = Pipeline::with_policy(policy);
        let answer = p.learn(&session("s1", said));
        let reasons: Vec<String> = answer.problems.into_iter().map(|one| one.reason).collect();
        (answer.body.runs[0].new.len(), reasons)
    };
    let doubt = vec!["critical without evidence; taken as info".to_owned()];
    assert_eq!(learned("archeflow", claimed), (0, doubt));
    assert_eq!(learned("archeflow", shown), (1, vec![]));
    assert_eq!(learned("hardwon", claimed), (1, vec![]), "other rules do not ask");
}
