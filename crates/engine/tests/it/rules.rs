//! What tools report is told apart by their rules, not by their words; and a failure recalls
//! only what names what it names.

use hardwon_core::finding::FindingState;
use hardwon_engine::answer::Evidence;
use hardwon_engine::blocks::FailedTool;
use serde_json::{Value, json};

use crate::harness::{self, Pipeline, finding, run, sarif_result};

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

/// A JUnit report of tests that fail in the words of all tests.
fn junit(tests: &[(&str, &str)]) -> String {
    let case = |(name, said): &(&str, &str)| {
        format!(
            "<testcase classname=\"tests.test_{name}\" name=\"test_{name}_works\">\
             <failure message=\"{said}\">x</failure></testcase>"
        )
    };
    let cases: Vec<String> = tests.iter().map(case).collect();
    format!("<testsuite name=\"pytest\">{}</testsuite>", cases.concat())
}

/// A SARIF report; every result is a rule, a file, its words and its fingerprint.
fn sarif(tool: &str, results: &[(&str, &str, &str, &str)]) -> String {
    let result = |(rule, file, text, fingerprint): &(&str, &str, &str, &str)| {
        let mut result = sarif_result(rule, file, text);
        result["fingerprints"] = json!({"id/v1": fingerprint});
        result
    };
    harness::sarif(tool, &results.iter().map(result).collect::<Vec<_>>())
}

#[test]
fn every_test_is_a_lesson_of_its_own() {
    let tests = [
        ("pool", "TimeoutError: connection pool exhausted"),
        ("render", "AssertionError: arrow head points left"),
        ("mail", "UnicodeEncodeError: cannot encode subject"),
        ("login", "AssertionError: expected redirect 302"),
        ("resize", "AssertionError: width 640 != 320"),
        ("crop", "AssertionError: width 640 != 320"),
    ];
    check("tests", &junit(&tests), 6, 6);
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
fn a_fingerprint_that_every_result_has_is_none() {
    let said = "requires login";
    let results = [
        ("lang.eval", "app/a.py", "Detected eval use on untrusted request data.", said),
        ("lang.tmp", "app/b.py", "Hardcoded temporary directory path of the exporter.", said),
        ("lang.md5", "app/c.py", "MD5 is not collision resistant; use SHA-256.", said),
    ];
    check("placeholders", &sarif("Semgrep OSS", &results), 3, 3);
    let shared = results.map(|(rule, file, text, _)| (rule, file, text, "77aa"));
    check("shared", &sarif("fox", &shared), 3, 3);
    // One result a run: nothing in the report shows that the word is no fingerprint.
    let mut p = Pipeline::on_memory();
    for (n, result) in results.iter().enumerate() {
        let report = sarif("Semgrep OSS", &[*result]);
        p.learn_inputs(Some(&format!("r{n}")), &[&report]).unwrap();
    }
    assert_eq!(p.lessons().len(), 3);
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

/// Lessons that are shown, from what a pipeline reported twice.
fn failing() -> Pipeline {
    let mut p = Pipeline::on_memory();
    for id in ["r1", "r2"] {
        let lines = [
            "Test api::tests::login fails: thread panicked at src/api.rs:41:10",
            "cargo test failed because the file fixtures/users.json was not found",
            "No such file or directory when the cache folder is missing at startup",
            "Permission denied when writing to the log folder in the container",
        ];
        let lines: Vec<String> = lines.iter().map(|line| finding("ci", "error", line)).collect();
        p.learn(&(run(id, &["ci"]) + &lines.concat()));
    }
    p
}

#[test]
fn a_failure_recalls_only_what_names_what_it_names() {
    let mut p = failing();
    let mut recalled = |command: &str, error: &str| {
        let failed = FailedTool {
            command: Some(command.to_owned()),
            error: error.to_owned(),
            ..FailedTool::default()
        };
        p.recall(&failed).unwrap().injected.block
    };
    for (command, error) in [
        ("ls /nowhere", "Exit code 2\nls: cannot access '/nowhere': No such file or directory"),
        ("cargo test", "Exit code 101\nerror: test failed, to rerun pass `--lib`"),
        ("Read", "File does not exist."),
        ("cargo run", "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds"),
        ("cargo test", "thread 'parse::dates' panicked at src/parse.rs:9:1:\nassertion failed"),
        ("./run.sh", "bash: ./run.sh: Permission denied"),
        ("cargo test", "error[E0425]: cannot find value `x` in this scope"),
        ("npm test", "npm ERR! Test failed. See above for more details."),
        // Names a lesson's file, but somebody stopped it.
        ("cargo test", "error: fixtures/users.json was not found\n[Request interrupted by user]"),
    ] {
        assert_eq!(recalled(command, error), "", "{command}: {error}");
    }
    for (command, error, known) in [
        ("cargo test", "error: fixtures/users.json was not found", "fixtures/users.json"),
        ("cargo test", "thread 'api::tests::login' panicked at src/api.rs:41:10:", "login"),
        ("serve", "startup: cache folder is missing: No such file or directory", "cache"),
        ("serve", "writing to the log folder of the container: Permission denied", "log folder"),
    ] {
        let block = recalled(command, error);
        assert!(block.contains(known), "{error}: {block}");
        assert_eq!(block.matches("\n- ").count(), 1, "{block}");
    }
}
