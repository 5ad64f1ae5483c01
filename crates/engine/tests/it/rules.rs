//! What tools report is told apart by their rules, not by their words.

use hardwon_core::finding::FindingState;
use hardwon_engine::answer::Evidence;
use serde_json::{Value, json};

use crate::harness::Pipeline;

/// How many lessons a report of so many findings leaves after one run, and after two.
#[track_caller]
fn check(name: &str, report: &str, n_findings: u64, n_lessons: usize) {
    for mut p in Pipeline::on_both() {
        for run in ["r1", "r2"] {
            let learned = p.learn_inputs(Some(run), &[report]).unwrap().body;
            assert_eq!(learned.runs[0].findings.n_used, n_findings, "{name}: {learned:?}");
            let texts: Vec<String> =
                p.lessons().iter().map(|lesson| lesson.text.as_str().to_owned()).collect();
            assert_eq!(texts.len(), n_lessons, "{name}: {texts:#?}");
        }
        let counted: Vec<u32> = p.lessons().iter().map(|lesson| lesson.n_sightings).collect();
        assert_eq!(counted, vec![2; n_lessons], "{name}");
        p.assert_sound();
    }
}

#[test]
fn a_rule_is_one_lesson_in_every_file() {
    let message = |file: usize, rule: &str, text: &str| {
        let file = format!("src/m{file}.rs");
        let span = json!({"file_name": file, "line_start": 3, "is_primary": true});
        let message = json!({"level": "warning", "message": text, "code": {"code": rule},
            "spans": [span]});
        json!({"reason": "compiler-message", "message": message}).to_string() + "\n"
    };
    // More files than a lesson keeps fingerprints of.
    let lines: String = (0..20)
        .flat_map(|file| {
            let unused = format!("unused variable: `name_{file}`");
            [
                message(file, "clippy::unwrap_used", "used `unwrap()` on a `Result` value"),
                message(file, "clippy::expect_used", "used `expect()` on a `Result` value"),
                message(file, "unused_variables", &unused),
                message(file, "E0308", "mismatched types"),
            ]
        })
        .collect();
    check("lints", &lines, 80, 4);
}

#[test]
fn what_is_suppressed_is_listed_under_its_own_lesson_or_none() {
    let message = |rule: Value, text: &str| json!({"ruleId": rule, "severity": 2, "message": text, "line": 1});
    let parsing = message(Value::Null, "Parsing error: Unexpected token }");
    let console = || message("no-console".into(), "Unexpected console statement.");
    let file = |messages: Vec<Value>, suppressed: Vec<Value>| {
        json!([{"filePath": "src/a.js", "messages": messages, "suppressedMessages": suppressed}])
            .to_string()
    };
    let mut p = Pipeline::on_memory();
    let mut dismissed = |id: &str, report: String| -> Vec<Evidence> {
        p.learn_inputs(Some(id), &[&report]).unwrap();
        let lessons = p.lessons();
        let stories = lessons.iter().map(|lesson| p.show(lesson.id.as_str()).unwrap().body);
        let listed = stories.flat_map(|story| story.page.evidence);
        listed.filter(|finding| finding.state == FindingState::Dismissed).collect()
    };
    let listed = dismissed("r1", file(vec![parsing], vec![console()]));
    assert!(listed.is_empty(), "{listed:?}");
    let elsewhere = message("no-console".into(), "Unexpected console statement in a service.");
    let listed = dismissed("r2", file(vec![elsewhere], vec![console()]));
    assert!(listed.len() == 1 && *listed[0].likeness > 0.3, "{listed:?}");
}
