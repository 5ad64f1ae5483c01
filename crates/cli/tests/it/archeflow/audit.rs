//! What was shown to which run, and whether it helped.

use serde_json::json;

use super::{AUDIT, Flow, LESSONS, OTHER, W, W_AGAIN, finding, lesson, prints, reports, with};
use crate::harness::{NOW, Ran, each, list_of};

/// Two confirmed lessons and a preference.
fn three() -> Flow {
    Flow::of(&[
        with(lesson("m-001", W), json!({"frequency": 3})),
        lesson("m-002", OTHER),
        with(lesson("m-003", "Tabs, not spaces"), json!({"type": "preference", "frequency": 1})),
    ])
}

/// Injects for guardian and records it for `r1`.
#[track_caller]
fn audited(flow: &Flow) -> Ran {
    flow.call(&["inject", "code", "guardian", "--audit", "r1"]).exits(0)
}

#[track_caller]
fn check(flow: &Flow) -> Ran {
    flow.call(&["audit-check", "r1"]).exits(0)
}

#[test]
fn an_audited_injection_is_one_record() {
    let flow = three();
    let plain = flow.call(&["inject", "code", "guardian"]).exits(0).stdout;
    assert!(!flow.path(AUDIT).exists(), "a record was not asked for");
    prints(&audited(&flow), &plain, "");
    let line = format!(
        "{{\"ts\":\"{NOW}\",\"run_id\":\"r1\",\"domain\":\"code\",\"archetype\":\"guardian\",\
         \"lessons_injected\":[\"m-001\",\"m-002\",\"m-003\"],\"lesson_count\":3}}\n"
    );
    assert_eq!(flow.text(AUDIT), line);
    flow.call(&["inject", "", "", "--audit", "r2"]).exits(0);
    let text = flow.text(AUDIT);
    assert!(text.starts_with(&line) && text.lines().count() == 2, "{text}");
    flow.has_no_litter();
}

/// The flag may stand anywhere behind the command, as the documents do not say where.
#[test]
fn the_flag_may_stand_anywhere() {
    let forms: &[&[&str]] = &[
        &["inject", "code", "guardian", "--audit", "r1"],
        &["inject", "--audit", "r1", "code", "guardian"],
        &["inject", "code", "--audit", "r1", "guardian"],
    ];
    each(forms, |form| {
        let flow = three();
        let ran = flow.call(form).exits(0);
        assert!(ran.stdout.contains(W), "{ran}");
        let records = flow.records(AUDIT);
        assert_eq!(records.len(), 1, "{records:?}");
        assert_eq!(records[0]["archetype"], "guardian", "{records:?}");
    });
}

#[test]
fn a_flag_without_a_run_is_a_wrong_call() {
    let flow = three();
    let ran = flow.call(&["inject", "code", "guardian", "--audit"]).exits(1);
    assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{ran}");
    assert!(!flow.path(AUDIT).exists());
}

/// Helpful: no finding of the run says it again.
#[test]
fn a_finding_that_says_it_again_makes_a_lesson_ineffective() {
    let flow = three();
    audited(&flow);
    flow.log("r1", &[finding("warning", W)]);
    let first = format!("Lesson m-001 (ineffective): {W}");
    let second = format!("Lesson m-002 (helpful): {OTHER}");
    reports(&check(&flow), &[&first, &second, "Lesson m-003 (helpful): Tabs, not spaces"]);
    let check = |id: &str, text: &str, effect: &str, percent: u32| {
        format!(
            "{{\"ts\":\"{NOW}\",\"run_id\":\"r1\",\"type\":\"effectiveness_check\",\
             \"lesson_id\":\"{id}\",\"lesson_desc\":\"{text}\",\
             \"effectiveness\":\"{effect}\",\"keyword_overlap_pct\":{percent}}}"
        )
    };
    let text = flow.text(AUDIT);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let checks = [
        check("m-001", W, "ineffective", 100),
        check("m-002", OTHER, "helpful", 0),
        check("m-003", "Tabs, not spaces", "helpful", 0),
    ];
    assert_eq!(lines, checks);
}

#[test]
fn a_second_check_says_the_same_and_records_nothing() {
    let flow = three();
    audited(&flow);
    flow.log("r1", &[finding("info", W_AGAIN)]);
    let first = check(&flow);
    assert!(first.stderr.contains("m-001 (ineffective)"), "{first}");
    let before = flow.bytes(AUDIT);
    for _ in 0..2 {
        let again = check(&flow);
        assert_eq!(again.stderr, first.stderr);
        assert_eq!(flow.bytes(AUDIT), before);
    }
    // After another injection into the same run only what is new is recorded.
    flow.call(&["inject", "code", "sage", "--audit", "r1"]).exits(0);
    let again = check(&flow);
    assert_eq!(again.stderr, first.stderr);
    let checks = flow.records(AUDIT);
    let n_checks = checks.iter().filter(|r| r["type"] == "effectiveness_check").count();
    assert_eq!(n_checks, 3, "{checks:#?}");
}

/// Words that several unrelated findings happen to have make no match.
#[test]
fn scattered_words_make_no_match() {
    let flow = Flow::of(&[lesson("m-001", "null checks missing around remote responses")]);
    flow.call(&["inject", "code", "", "--audit", "r1"]).exits(0);
    let unrelated = [
        finding("bug", "Documentation of the remote control is out of date everywhere"),
        finding("bug", "Spelling checks were skipped for the german translation"),
    ];
    flow.log("r1", &unrelated);
    let ran = check(&flow);
    assert!(ran.stderr.contains("m-001 (helpful)"), "{ran}");
}

/// Extracting the run first changes no verdict.
#[test]
fn the_check_is_the_same_before_and_after_extraction() {
    for is_extracted in [false, true] {
        let flow = three();
        audited(&flow);
        let path = flow.log("r1", &[finding("warning", W_AGAIN)]);
        if is_extracted {
            flow.call(&["extract", &path]).exits(0);
        }
        let ran = check(&flow);
        assert!(ran.stderr.contains("m-001 (ineffective)"), "{is_extracted}\n{ran}");
        assert!(ran.stderr.contains("m-002 (helpful)"), "{is_extracted}\n{ran}");
    }
}

/// A record that the released script wrote is as good as ours.
#[test]
fn an_injection_recorded_by_others_is_checked() {
    let flow = three();
    let injected = json!({
        "ts": "2026-03-05T10:00:00Z", "run_id": "r1", "domain": "code", "archetype": "",
        "lessons_injected": ["m-002", "m-099"], "lesson_count": 2,
    });
    flow.put(AUDIT, format!("{injected}\n"));
    flow.log("r1", &[]);
    for _ in 0..2 {
        reports(&check(&flow), &[&format!("Lesson m-002 (helpful): {OTHER}")]);
    }
    let records = flow.records(AUDIT);
    assert_eq!((&records[0], records.len()), (&injected, 2), "{records:#?}");
}

#[test]
fn nothing_to_check_is_reported_and_exits_0() {
    // Whether something was injected into another run, whether r1 has a log, the message.
    let cases = [
        (false, false, "No audit records found.\n"),
        (true, false, "No events file found for run r1.\n"),
        (true, true, "No audit records for run r1.\n"),
    ];
    each(&cases, |(is_injected, has_log, message)| {
        let flow = three();
        if *is_injected {
            flow.call(&["inject", "code", "", "--audit", "r9"]).exits(0);
        }
        if *has_log {
            flow.log("r1", &[finding("bug", W)]);
        }
        let files = || [LESSONS, AUDIT].map(|name| std::fs::read(flow.path(name)).ok());
        let before = files();
        prints(&check(&flow), "", message);
        assert_eq!(files(), before);
    });
}

#[test]
fn an_invalid_run_id_is_refused_and_makes_no_file() {
    let ids = ["../x", "-x", "a..b", "a/b", ".x", "a b", "a\nb", "ä", "$(touch x)", "a\\b"];
    each(&ids, |id| {
        for args in [&["audit-check", id][..], &["inject", "code", "", "--audit", id]] {
            let flow = three();
            let before = flow.everything();
            let ran = flow.call(args).exits(1);
            assert_eq!(ran.stdout, "", "{ran}");
            assert!(ran.stderr.starts_with("Error: invalid run_id '"), "{ran}");
            assert_eq!(flow.everything(), before, "{id:?}");
        }
    });
}

/// Checking marks nothing but the audit file.
#[test]
fn a_check_leaves_the_lessons_alone() {
    let flow = three();
    flow.call(&["inject", "code", "", "--audit", "r1"]).exits(0);
    flow.log("r1", &[finding("bug", W)]);
    let before = flow.bytes(LESSONS);
    check(&flow);
    assert_eq!(flow.bytes(LESSONS), before);
    let shown = list_of(&flow.json(&["show", "m-001"]), "injections");
    assert_eq!(shown.len(), 1, "{shown:#?}");
}
