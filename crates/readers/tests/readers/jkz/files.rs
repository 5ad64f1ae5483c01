//! Reviews in Markdown.

use hardwon_core::find::find;
use hardwon_core::finding::FindingState;
use hardwon_core::ids::RunId;
use hardwon_readers::{Input, read, read_all};
use serde_json::{Value, json};

use super::{attempts, comment, fail, found, issue, judged, review, verdicts};
use crate::{findings, problems, texts};

#[test]
fn part_2_the_author_of_a_review_is_found() {
    let said = |verdict: Value| comment(&verdict);
    let by_letter = |letter: &str| {
        said(fail(&[issue(&format!("{letter}1"), "Body is read without a limit", "a.rs:1")]))
    };
    let cases = [
        ("12-judge-2.md", by_letter("I"), "judge"),
        ("review.md", format!("# Inspector report\n{}", by_letter("J")), "inspector"),
        ("r.md", said(json!({ "verdict": "PASS", "role": "Sentinel", "issues": [] })), "sentinel"),
        ("security-review.md", said(json!({ "verdict": "PASS" })), "security-review"),
        ("x.md", said(json!({ "verdict": "PASS" })), "reviewer"),
        ("out.md", by_letter("L"), "lens"),
    ];
    for (name, text, author) in cases {
        // Told by its content, too.
        let record =
            read(name, format!("# R\n\n{text}").replace("# R\n\n# ", "# ").as_bytes(), None)
                .unwrap();
        let all: Vec<_> = verdicts(&record).iter().map(|it| it.author.as_str()).collect();
        assert_eq!(all, [author], "{name} {text}");
    }
    let given = |author: Option<&str>| {
        let input = Input::text("12-judge-2.md", &by_letter("J"));
        let (records, problems) = read_all(vec![input], None, author.map(str::to_owned)).unwrap();
        assert_eq!(problems.len(), 0);
        judged(&records[0])
    };
    assert_eq!(given(Some("Lens")), ["lens:fail"]);
    assert_eq!(given(None), ["judge:fail"]);
    let record = Input::text("x", "{\"type\":\"run\",\"id\":\"r\"}\n");
    let (_, problems) = read_all(vec![record], None, Some("lens".to_owned())).unwrap();
    assert!(problems[0].reason.starts_with("--author is for reviews"), "{problems:?}");
}

#[test]
fn part_2_words_of_a_verdict() {
    let one = || vec![issue("J1", "Body is read without a limit", "a.rs:1")];
    let cases = [
        (json!({ "verdict": "PASS", "issues": [] }), "judge:pass"),
        (json!({ "verdict": "pass" }), "judge:pass"),
        (json!({ "verdict": "FAIL", "issues": one(), "must_fix": ["J1"] }), "judge:fail"),
        (json!({ "verdict": "FAIL", "issues": one(), "must_fix": [] }), "judge:pass"),
        (json!({ "verdict": "FAIL", "issues": one() }), "judge:fail"),
        (json!({ "verdict": "BLOCKED", "issues": one() }), ""),
        (json!({ "verdict": "MAYBE" }), "judge:?"),
        (
            json!({ "verdict": "PASS", "false_positives": ["A1", 7, { "id": "A2", "summary": "Not so" }] }),
            "judge:pass A1,7,A2: Not so",
        ),
    ];
    for (verdict, expected) in cases {
        let record = review("judge.md", &comment(&verdict));
        assert_eq!(judged(&record).concat(), expected, "{verdict}");
    }
    let odd = review("judge.md", &comment(&json!({ "verdict": 7, "issues": [] })));
    assert!(problems(&odd)[0].contains("has no \"verdict\""), "{:?}", problems(&odd));
    let nameless = json!({ "verdict": "FAIL", "issues": [{ "id": "J1" }, issue("J2", "Body is read without a limit", "Rollout plan")] });
    let record = review("judge.md", &comment(&nameless));
    assert_eq!(
        found(&record),
        [
            "J2 judge bug - missing_validation | Body is read without a limit | Check the length first"
        ]
    );
    assert_eq!(problems(&record), ["judge.md: an issue of a verdict that does not say what it is"]);
}

/// What the report shows is the evidence of its verdict.
#[test]
fn part_2_a_verdict_is_graded_by_its_report() {
    let pass = comment(&json!({ "verdict": "PASS", "issues": [] }));
    let shown = format!(
        "# Judge\n\n```console\n$ cargo test\ntest result: ok. 12 passed; 0 failed\n```\n{pass}"
    );
    let graded = |text: &str| {
        let found = find(&[review("judge.md", text)], None, &|_, _| None);
        found.runs[0].judgements["judge"].word()
    };
    assert_eq!(graded(&shown), "passed");
    assert_eq!(graded(&format!("# Judge\nRan it, works.\n{pass}")), "unproven");
    assert_eq!(graded(&pass), "unproven");
}

#[test]
fn part_2_without_a_comment_the_shapes_of_reviews_are_read() {
    let text = "# Judge\n\n## Issues found\n\n### [HIGH] Lock is never released\nsrc/a.rs:3\n\n**Verdict:** FAIL\n";
    let record = review("judge.md", text);
    assert_eq!(texts(&record), ["Lock is never released"]);
    assert_eq!(judged(&record), ["judge:fail"]);
    for (end, word) in [
        ("## Verdict\n\n**PASS**", "judge:pass"),
        ("Verdict: rejected", "judge:fail"),
        ("**Final verdict**: ✅ approved", "judge:pass"),
        ("Verdict: PASS | FAIL", ""),
        ("Verdict: PASS, nothing failed", "judge:pass"),
        ("```\nVerdict: PASS\n```", ""),
        ("> Verdict: PASS", ""),
    ] {
        let text = format!("# Judge\n\n- [HIGH] src/a.rs:3 The lock is never released\n\n{end}\n");
        assert_eq!(judged(&review("judge.md", &text)).concat(), word, "{end}");
    }
    // Only where somebody says that it is a review.
    assert!(read("judge.md", text.as_bytes(), None).is_err());
    let nothing = review("notes.md", "# Notes\n\nLunch at noon.\n");
    assert!(problems(&nothing)[0].starts_with("notes.md: no finding is read from this review"));
}

#[test]
fn part_2_accumulated_patterns_are_read_with_and_without_a_verdict() {
    let section = "## Accumulated Patterns\n- Plans name no owner for a migration\n- [rule] Every step names the file it touches\n";
    let verdict = comment(&fail(&[issue("A1", "Step 3 has no rollback", "Rollback")]));
    for (text, n) in [
        (format!("# Audit\n\n{section}"), 2),
        (format!("# Audit\n\n{section}\n{verdict}"), 3),
        (format!("{verdict}\n{section}"), 3),
    ] {
        // Told by its content.
        let record = read("auditor.md", text.as_bytes(), None).unwrap();
        assert_eq!(findings(&record).len(), n, "{text}");
        let told = found(&record).join("\n");
        assert!(
            told.contains("- auditor warning - rule | Every step names the file it touches | -"),
            "{told}"
        );
    }
}

#[test]
fn part_2_a_doctor_tells_of_attempts_and_judges_nothing() {
    let diagnosis = "<!-- jkz:diagnosis-json {\"root_cause\":\"stale cache\",\"approach\":\"Flush on write\",\"what_failed\":\"Readers race\",\"next\":\"Lock the page\"} -->";
    let blocked = comment(&json!({ "verdict": "BLOCKED", "files_changed": ["src/a.rs"] }));
    let record = review("12-doctor-2.md", &format!("# Fix report\n{diagnosis}\n{blocked}"));
    assert_eq!(
        attempts(&record),
        ["doctor 12 2 failed | Flush on write | Readers race; cause: stale cache | Lock the page"]
    );
    assert_eq!(judged(&record), [""; 0]);
    let fixed =
        comment(&json!({ "verdict": "FIXED", "issue": 7, "summary": "Bind the parameters" }));
    assert_eq!(
        attempts(&review("out.md", &fixed)),
        ["doctor 7 0 worked | Bind the parameters | - | -"]
    );
    let nameless = review("doctor.md", diagnosis);
    assert_eq!(attempts(&nameless), [""; 0]);
    assert!(problems(&nameless).concat().contains("names no issue"), "{:?}", problems(&nameless));
}

#[test]
fn rulings_of_another_report_of_the_run_name_findings_by_id() {
    let auditor = review(
        "auditor.md",
        &comment(&fail(&[
            issue("A1", "Step 3 has no rollback", "plan.md:3"),
            issue("A2", "No owner is named", "plan.md:9"),
        ])),
    );
    let curator = review(
        "curator.md",
        &comment(&json!({ "verdict": "PASS", "issues": [], "false_positives": ["A1", "A7"] })),
    );
    let found = find(&[auditor, curator], Some(&RunId::parse("r1").unwrap()), &|_, _| None);
    let state = |id: &str| {
        let mut all = found.runs[0].findings.iter();
        all.find(|it| it.stated.id.as_deref() == Some(id)).unwrap().state
    };
    assert_eq!((state("A1"), state("A2")), (FindingState::Dismissed, FindingState::Open));
    let told: Vec<_> = found.problems.iter().map(|it| (&*it.at, &*it.reason)).collect();
    assert_eq!(told, [("curator.md", "a false positive names no finding of this run")]);
}
