//! What the documents show: the table, the section for a prompt, and which lessons are
//! selected for whom.

use serde_json::{Value, json};

use super::{Flow, LESSONS, lesson, prints, with};
use crate::harness::each;

/// The four shapes of the document, `archetype` left out where it leaves it out.
const FOUR: &str = r#"{"id":"m-001","ts":"2026-03-01T09:00:00Z","run_id":"2026-03-01-harbour","type":"pattern","source":"guardian","description":"Dates in a chapter must agree with the opening week","frequency":2,"severity":"bug","domain":"writing","tags":["continuity","calendar"],"last_seen_run":"2026-03-01-harbour","runs_since_last_seen":0}
{"id":"m-002","ts":"2026-03-01T10:00:00Z","run_id":"2026-03-01-harbour","type":"preference","source":"user_feedback","description":"One pull request per feature","frequency":1,"severity":"info","domain":"general","tags":["workflow"],"last_seen_run":"","runs_since_last_seen":0}
{"id":"m-003","ts":"2026-03-02T10:00:00Z","run_id":"2026-03-02-login","type":"archetype_hint","source":"sage","description":"Narrators slip into present tense in flashbacks","frequency":3,"severity":"warning","domain":"writing","tags":["voice","prose"],"archetype":"story-sage","last_seen_run":"2026-03-02-login","runs_since_last_seen":0}
{"id":"m-004","ts":"2026-03-02T11:00:00Z","run_id":"2026-03-02-login","type":"anti_pattern","source":"maker","description":"A session cache per worker loses logins","frequency":1,"severity":"warning","domain":"code","tags":["auth","cache"],"last_seen_run":"2026-03-02-login","runs_since_last_seen":0}
"#;

#[test]
fn the_table_is_that_of_the_documents() {
    let flow = Flow::of_bytes(FOUR);
    let ran = flow.call(&["list"]).exits(0);
    let table = "\
ID       Freq  Type            Domain   Description
m-001    2     pattern         writing  Dates in a chapter must agree with the opening week
m-002    1     preference      general  One pull request per feature
m-003    3     archetype_hint  writing  Narrators slip into present tense in flashbacks
m-004    1     anti_pattern    code     A session cache per worker loses logins
";
    prints(&ran, table, "");
}

#[test]
fn the_section_is_that_of_the_documents() {
    const HEADING: &str = "## Known Issues (from past runs)\n";
    const DATES: &str =
        "- Dates in a chapter must agree with the opening week [seen 2x, guardian]\n";
    const TENSE: &str = "- Narrators slip into present tense in flashbacks [seen 3x, sage]\n";
    const WISH: &str = "- One pull request per feature [seen 1x, user_feedback]\n";
    // Domain and archetype, the bullets.
    let cases: &[(&[&str], &[&str])] = &[
        (&["writing", "guardian"], &[DATES, WISH]),
        (&["writing", "story-sage"], &[TENSE, DATES, WISH]),
        (&["writing", ""], &[TENSE, DATES, WISH]),
        (&["writing"], &[TENSE, DATES, WISH]),
        (&["", ""], &[TENSE, DATES, WISH]),
        (&[], &[TENSE, DATES, WISH]),
        (&["code", "guardian"], &[WISH]),
    ];
    each(cases, |(args, bullets)| {
        let flow = Flow::of_bytes(FOUR);
        let ran = flow.call(&[&["inject"], *args].concat()).exits(0);
        prints(&ran, &format!("{HEADING}{}", bullets.concat()), "");
        assert_eq!(flow.text(LESSONS), FOUR);
    });
}

/// Fields of one lesson, domain and archetype that are asked for, whether it is shown.
type Selected = (Value, &'static str, &'static str, bool);

#[test]
fn who_is_shown_what() {
    // Frequency, domain and archetype of the lesson.
    let of = |frequency: u32, domain: &str, archetype: &str| {
        let archetype = Some(archetype).filter(|archetype| !archetype.is_empty());
        json!({"frequency": frequency, "domain": domain, "archetype": archetype})
    };
    let mut cases: Vec<Selected> = vec![
        (of(1, "code", ""), "code", "guardian", false),
        (of(1, "general", ""), "", "", false),
        (of(2, "code", ""), "code", "guardian", true),
        (of(2, "code", ""), "code", "", true),
        (of(2, "code", ""), "", "guardian", true),
        (of(2, "code", ""), "", "", true),
        (of(2, "code", ""), "writing", "guardian", false),
        (of(2, "code", ""), "writing", "", false),
        (of(2, "general", ""), "writing", "guardian", true),
        (of(2, "general", ""), "code", "", true),
        (of(2, "code", "guardian"), "code", "guardian", true),
        (of(2, "code", "guardian"), "code", "sage", false),
        (of(2, "code", "guardian"), "code", "", true),
        (of(2, "code", "guardian"), "", "sage", false),
        (of(2, "general", "guardian"), "writing", "sage", false),
        (of(4, "code", ""), "writing", "guardian", false),
        (of(4, "code", "guardian"), "code", "sage", false),
        (of(5, "code", ""), "writing", "guardian", true),
        (of(5, "code", "guardian"), "writing", "sage", true),
        (of(50, "code", "guardian"), "code", "sage", true),
    ];
    let preference = |fields: Value| with(fields, json!({"type": "preference"}));
    for frequency in [1, 2, 5] {
        cases.push((preference(of(frequency, "code", "guardian")), "writing", "sage", true));
        cases.push((preference(of(frequency, "general", "")), "", "", true));
    }
    for kind in ["archetype_hint", "anti_pattern"] {
        let of_kind = |frequency| with(of(frequency, "code", ""), json!({"type": kind}));
        cases.push((of_kind(1), "code", "", false));
        cases.push((of_kind(2), "code", "", true));
    }
    each(&cases, |(fields, domain, archetype, is_shown)| {
        let flow = Flow::of(&[with(lesson("m-001", "Retries need a limit"), fields.clone())]);
        let ran = flow.call(&["inject", domain, archetype]).exits(0);
        let seen = &fields["frequency"];
        let block = format!(
            "## Known Issues (from past runs)\n- Retries need a limit [seen {seen}x, guardian]\n"
        );
        let block = if *is_shown { block } else { String::new() };
        assert_eq!(ran.stdout, block, "{fields} for {domain:?} {archetype:?}\n{ran}");
    });
}

#[test]
fn the_most_frequent_come_first_and_ties_as_they_stand() {
    let numbered = |(n, frequency): (usize, u32)| {
        let text = format!("Confirmed lesson number {n}");
        with(lesson(&format!("m-{n:03}"), &text), json!({"frequency": frequency}))
    };
    let frequencies = [2, 3, 2, 7, 3, 2];
    let lessons: Vec<Value> = (1..).zip(frequencies).map(numbered).collect();
    let ran = Flow::of(&lessons).call(&["inject", "code", ""]).exits(0);
    let order: Vec<&str> =
        ran.stdout.lines().skip(1).filter_map(|line| line.split(' ').nth(4)).collect();
    assert_eq!(order, ["4", "2", "5", "1", "3", "6"], "{ran}");
}

#[test]
fn never_more_than_ten_and_a_preference_is_not_pushed_out() {
    let confirmed = |n: usize| lesson(&format!("m-{n:03}"), &format!("Confirmed rule {n}"));
    let mut lessons: Vec<Value> = (1..=12).map(confirmed).collect();
    lessons.push(with(
        lesson("m-013", "Tabs, not spaces"),
        json!({"type": "preference", "source": "user_feedback", "frequency": 1}),
    ));
    let ran = Flow::of(&lessons).call(&["inject", "code", "guardian"]).exits(0);
    assert_eq!(ran.stdout.lines().count(), 11, "a heading and ten\n{ran}");
    let has_wish = ran.stdout.contains("Tabs, not spaces [seen 1x, user_feedback]");
    assert!(has_wish, "{ran}");
}

/// The documents bound the number of lessons, not the length of their texts.
#[test]
fn long_texts_are_printed_whole() {
    let text =
        |n: usize| format!("Lesson {n} ends here: {}", format!("word{n} ").repeat(180).trim());
    let lessons: Vec<Value> = (0..10).map(|n| lesson(&format!("m-1{n:02}"), &text(n))).collect();
    let ran = Flow::of(&lessons).call(&["inject", "code", ""]).exits(0);
    for n in 0..10 {
        let bullet = format!("- {} [seen 2x, guardian]\n", text(n));
        assert!(ran.stdout.contains(&bullet), "lesson {n} is not whole");
    }
}

#[test]
fn nothing_to_inject_is_silent() {
    let candidate = with(lesson("m-001", "Retries need a limit"), json!({"frequency": 1}));
    for flow in [Flow::new(), Flow::of_bytes(""), Flow::of(std::slice::from_ref(&candidate))] {
        let before = flow.everything();
        for args in [&["inject", "code", "guardian"][..], &["inject"]] {
            prints(&flow.call(args).exits(0), "", "");
        }
        assert_eq!(flow.everything(), before, "a read made a file");
    }
}

#[test]
fn a_missing_lessons_file_is_reported_on_stderr() {
    let flow = Flow::new();
    prints(&flow.call(&["list"]).exits(0), "", "No lessons stored yet.\n");
    prints(&flow.decay(), "", "");
    prints(&flow.call(&["forget", "m-001"]).exits(1), "", "No lessons file found.\n");
    assert!(!flow.path(LESSONS).exists());
}

#[test]
fn wrong_calls_are_reported_on_stderr_and_exit_1() {
    // Arguments, how the first line begins.
    let cases: &[(&[&str], &str)] = &[
        (&[], "Usage: hardwon archeflow <command> [args...]"),
        (&["fly"], "Unknown command: fly"),
        (&["extract"], "Usage: hardwon archeflow extract <events.jsonl>"),
        (&["add"], "Usage: hardwon archeflow add <type> <description>"),
        (&["add", "pattern"], "Usage: hardwon archeflow add <type> <description>"),
        (&["add", "pattern", ""], "Usage: hardwon archeflow add <type> <description>"),
        (&["forget"], "Usage: hardwon archeflow forget <id>"),
        (&["audit-check"], "Usage: hardwon archeflow audit-check <run_id>"),
        (&["regression-check"], "Usage: hardwon archeflow regression-check <events.jsonl>"),
        (&["extract", "none.jsonl"], "Error: events file not found: none.jsonl"),
        (&["regression-check", "none.jsonl"], "Error: events file not found: none.jsonl"),
    ];
    each(cases, |(args, message)| {
        let flow = Flow::new();
        let ran = flow.call(args).exits(1);
        assert_eq!(ran.stdout, "", "{ran}");
        assert_eq!(ran.stderr.lines().next(), Some(*message), "{ran}");
        assert!(!flow.path(LESSONS).exists(), "{ran}");
    });
}

#[test]
fn help_goes_to_stdout_and_touches_nothing() {
    for flag in ["-h", "--help"] {
        let flow = Flow::new();
        let ran = flow.call(&[flag]).exits(0);
        assert!(ran.stdout.contains("audit-check <run_id>") && ran.stderr.is_empty(), "{ran}");
        assert!(flow.everything().is_empty());
    }
}
