//! What a run's log makes of the lessons, and what is concluded from it later.

use super::*;

const DONE: &str = "[archeflow-memory] Extract complete:";

#[test]
fn only_two_spellings_of_a_severity_are_skipped() {
    for (severity, is_skipped) in [
        (r#""info""#, true),
        (r#""recommendation""#, true),
        (r#""INFO""#, false),
        (r#""Info""#, false),
        (r#""info ""#, false),
        (r#""warning""#, false),
        ("null", false),
    ] {
        let finding = format!(r#"{{"severity":{severity},"description":"words of it"}}"#);
        let log = verdict("r1", &[&finding]);
        let known = lesson("m-001", "4", "words of it");
        let project = Project::with(&[("log.jsonl", &[&log]), (LESSONS, &[&known])]);
        let said = project.run(&["extract", "log.jsonl"]);
        let n_updated = u8::from(!is_skipped);
        let end = format!("{DONE} {n_updated} updated, 0 new candidates");
        assert_eq!(said.talk.last(), Some(&end), "{severity}: skipped before matching");
    }
}

#[test]
fn a_new_finding_becomes_a_lesson() {
    let findings = [r#"{"description":"Query built by hand"}"#, "null", r#"{"severity":"bug"}"#];
    let log = verdict("r1", &findings).replace(r#""archetype":"sage","#, "");
    let project = Project::with(&[("log.jsonl", &[&log])]);
    project.says(
        &["extract", "log.jsonl"],
        0,
        &[
            "[archeflow-memory] Added candidate lesson m-001: Query built by hand",
            "[archeflow-memory] Added candidate lesson m-002: null",
            "[archeflow-memory] Updated lesson m-002 (freq +1): null",
            "[archeflow-memory] Extract complete: 1 updated, 2 new candidates",
        ],
    );
    let line = json(
        "{'id':'m-001','ts':'NOW','run_id':'r1','type':'pattern','source':'unknown',\
         'description':'Query built by hand','frequency':1,'severity':'null','domain':'general',\
         'tags':['query','built','hand'],'archetype':null,'last_seen_run':'r1',\
         'runs_since_last_seen':0}",
    );
    assert_eq!(project.lessons()[0], line);
}

#[test]
fn the_first_lesson_that_is_like_enough_is_raised() {
    let first =
        lesson_with("m-001", "2", "alpha beta", r#""tags":[ "omega" ],"last_seen_run":"r0""#);
    let best = lesson("m-002", "2", "alpha beta gamma delta");
    let twin = lesson("m-001", "\"x\"", "something else");
    let other = lesson("m-003", "9", "omega words");
    let log = verdict("r1", &[&finding("bug", "alpha beta gamma delta"), &finding("bug", "omega")]);
    let project = Project::with(&[
        ("events/r1.jsonl", &[&log]),
        (LESSONS, &[&first, &best, "", &twin, &other]),
    ]);
    project.says(
        &["extract", ".archeflow/events/r1.jsonl"],
        0,
        &[
            "[archeflow-memory] Updated lesson m-001 (freq +1): alpha beta",
            "[archeflow-memory] Updated lesson m-003 (freq +1): omega words",
            "[archeflow-memory] Extract complete: 2 updated, 0 new candidates",
        ],
    );
    let raised = json(
        "{'id':'m-001','ts':'NOW','type':'pattern','source':'guardian',\
         'description':'alpha beta','frequency':3,'tags':['omega'],'last_seen_run':'r1',\
         'runs_since_last_seen':0}",
    );
    let lines = project.lessons();
    assert_eq!(lines[0], raised);
    assert_eq!(lines[1], best);
    assert!(lines[2].contains(r#""frequency":1,"#), "every record with the id: {}", lines[2]);
    assert_eq!(lines.len(), 4);
    let mode = fs::metadata(project.path(LESSONS)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn nothing_keeps_a_run_from_counting_twice() {
    let twice = [finding("bug", "retry without pause"), finding("bug", "retry without pause!")];
    let log = verdict("r1", &[&twice[0], &twice[1]]);
    let project = Project::with(&[("log.jsonl", &[&log])]);
    project.run(&["extract", "log.jsonl"]);
    assert_eq!(seen(&project), [("retry without pause".to_owned(), "2".to_owned())]);
    project.run(&["extract", "log.jsonl"]);
    assert_eq!(seen(&project)[0].1, "4");
}

#[test]
fn texts_without_ascii_words_never_match() {
    let log = verdict("r1", &[&finding("bug", "検索を連結しない")]);
    let project = Project::with(&[("log.jsonl", &[&log])]);
    project.run(&["extract", "log.jsonl"]);
    project.run(&["extract", "log.jsonl"]);
    assert_eq!(seen(&project).len(), 2);
}

#[test]
fn logs_of_no_use() {
    let good = verdict("r1", &[&finding("bug", "some words")]);
    let project = Project::with(&[
        ("torn.jsonl", &[&good, "{oops"]),
        ("odd.jsonl", &[&good, "5"]),
        ("empty.jsonl", &[]),
        ("quiet.jsonl", &[r#"{"run_id":"r1","type":"run.start"}"#]),
    ]);
    for command in ["extract", "regression-check"] {
        project.says(&[command, "torn.jsonl"], 4, &["parse error: torn.jsonl, line 2"]);
        project.says(&[command, "odd.jsonl"], 5, &["error: odd.jsonl has a value without fields"]);
        project.says(&[command, "gone.jsonl"], 1, &["Error: events file not found: gone.jsonl"]);
    }
    for name in ["empty.jsonl", "quiet.jsonl"] {
        let talk = format!("[archeflow-memory] No findings to extract from {name}");
        project.says(&["extract", name], 0, &[&talk]);
    }
    assert_eq!(project.kept_files(), [""; 0]);
}

#[test]
fn audit_check_compares_with_all_findings_of_the_run() {
    let lessons = [
        lesson("m-001", "3", "Missing null check in parser module"),
        lesson("m-002", "2", "Completely different subject"),
    ];
    let log = verdict("r1", &[&finding("info", "null pointer"), &finding("bug", "parser CHECK")]);
    let project = Project::with(&[(LESSONS, &[&lessons[0], &lessons[1]])]);
    project.says(&["audit-check", "r1"], 0, &["No audit records found."]);
    project.run(&["inject", "code", "sage", "--audit", "r1"]);
    project.says(&["audit-check", "r1"], 0, &["No events file found for run r1."]);
    project.put("events/r1.jsonl", &log);
    project.put("events/r2.jsonl", &log);
    project.says(&["audit-check", "r2"], 0, &["No audit records for run r2."]);
    let talk = [
        "[archeflow-memory] Lesson m-001 (ineffective): Missing null check in parser module",
        "[archeflow-memory] Lesson m-002 (helpful): Completely different subject",
    ];
    project.says(&["audit-check", "r1"], 0, &talk);
    let record = json(
        "{'ts':'NOW','run_id':'r1','type':'effectiveness_check','lesson_id':'m-001',\
         'lesson_desc':'Missing null check in parser module','effectiveness':'ineffective',\
         'keyword_overlap_pct':60}",
    );
    assert_eq!(project.get(AUDIT).lines().nth(1), Some(record.as_str()));
    project.says(&["audit-check", "r1"], 5, &[]);
    assert_eq!(project.get(AUDIT).lines().count(), 3);
    project.run(&["inject", "code", "sage", "--audit", "r1"]);
    project.says(&["audit-check", "r1"], 0, &talk);
    assert_eq!(project.get(AUDIT).lines().count(), 6);
}

#[test]
fn audit_check_of_what_is_not_there() {
    let injected = r#"{"run_id":"r1","lessons_injected":["m-002","m-001"]}"#;
    let quiet = r#"{"run_id":"r1"}"#;
    let project = Project::with(&[(AUDIT, &[injected]), ("events/r1.jsonl", &[quiet])]);
    project.says(&["audit-check", "r1"], 2, &[]);
    project.put(LESSONS, &format!("{}\n", lesson("m-002", "1", r"first line\nsecond")));
    let talk = "[archeflow-memory] Lesson m-002 (helpful): first line";
    project.says(&["audit-check", "r1"], 0, &[talk]);
    for run in ["../x", "-x", "a..b", ".a", "a b", "$(touch marker)"] {
        let talk =
            format!("Error: invalid run_id '{run}' (allowed: letters, digits, '.', '_', '-')");
        project.says(&["audit-check", run], 1, &[&talk]);
    }
}

fn fixed(run: &str, finding: &str) -> String {
    format!(r#"{{"run_id":"{run}","type":"fix.applied","data":{{"finding":{finding}}}}}"#)
}

#[test]
fn what_was_fixed_and_came_back_is_a_regression() {
    let found = [finding("info", "null check missing again"), finding("bug", "lines fixed today")];
    let now = verdict("r3", &[&found[0], &found[1]]);
    let before = [fixed("r2", r#""Missing null check""#), fixed("r2", r#""two\nlines fixed""#)];
    let index = [r#"{"run_id":"r1"}"#, r#"{"run_id":"r2"}"#, r#"{"run_id":"r3"}"#];
    let project = Project::with(&[("events/r3.jsonl", &[&now]), ("now.jsonl", &[&now])]);
    let check = |code, talk: &str| {
        let talk = format!("[archeflow-memory] {talk}");
        project.says(&["regression-check", "now.jsonl"], code, &[&talk])
    };
    check(0, "No index.jsonl found — skipping regression check.");
    project.put(INDEX, r#"{"run_id":"r3"}"#);
    check(0, "No previous run found — skipping regression check.");
    project.put(INDEX, r#"{"run_id":"../r2"}"#);
    check(0, "Ignoring invalid run_id in index.jsonl: '../r2'");
    project.put(INDEX, &index.join("\n"));
    check(0, "Previous run events not found: .archeflow/events/r2.jsonl");
    project.put("events/r2.jsonl", &fixed("r2", "null"));
    check(0, "No resolved findings in previous run — nothing to regress.");
    project.put("events/r2.jsonl", &fixed("r2", r#""other subject entirely""#));
    check(0, "No regressions detected.");
    project.put("events/r2.jsonl", &before.join("\n"));
    let out = check(1, "2 regression(s) detected from run r2.");
    let lines = "\
REGRESSION: \"Missing null check\" (fixed in r2) reappeared as \"null check missing again\"
REGRESSION: \"lines fixed\" (fixed in r2) reappeared as \"lines fixed today\"
";
    assert_eq!(out, lines);
    project.put("now.jsonl", r#"{"run_id":"r3"}"#);
    check(0, "No findings in current run — no regressions.");
    project.put(INDEX, "{oops");
    project.says(&["regression-check", "now.jsonl"], 4, &[]);
}
