//! Which lessons are shown, in which order, and what is noted of it.

use super::*;

const HEADING: &str = "## Known Issues (from past runs)\n";

fn scoped(frequency: &str, rest: &str) -> String {
    lesson_with("m-001", frequency, "text", rest)
}

#[test]
fn the_truth_table() {
    let code = r#""domain":"code""#;
    let general = r#""domain":"general","archetype":null"#;
    let hint = r#""domain":"code","archetype":"sage""#;
    let preference = r#""domain":"x","archetype":"y","type":"preference""#;
    for (frequency, rest, args, is_shown) in [
        ("1", code, &["", ""][..], false),
        ("2", code, &["", ""], true),
        ("2", code, &[], true),
        ("2", code, &["code"], true),
        ("2", code, &["writing", ""], false),
        ("2", general, &["writing", "sage"], true),
        ("4", hint, &["code", "guardian"], false),
        ("4", hint, &["code", "sage"], true),
        ("4", hint, &["code", ""], true),
        ("2", r#""domain":"code","archetype":false"#, &["code", "sage"], false),
        ("2", r#""domain":null"#, &["code", ""], false),
        ("5", hint, &["writing", "guardian"], true),
        ("1", preference, &["writing", "guardian"], true),
        ("null", code, &["", ""], false),
        ("true", code, &["", ""], false),
    ] {
        let project = Project::with(&[(LESSONS, &[&scoped(frequency, rest)])]);
        let out = project.says(&[&["inject"], args].concat(), 0, &[]);
        let shown = format!("{HEADING}- text [seen {frequency}x, guardian]\n");
        assert_eq!(
            out,
            if is_shown { shown } else { String::new() },
            "{frequency} {rest} {args:?}"
        );
    }
}

#[test]
fn ten_at_most_and_the_frequent_first() {
    let counts = ["2", "7", "2", "9", "3", "5.5", "2", "4", "2", "2", "12"];
    let text = |at: usize| format!("text {at}");
    let mut lines: Vec<String> =
        counts.iter().enumerate().map(|(at, n)| lesson("m-001", n, &text(at))).collect();
    lines.push(lesson_with("m-009", "1", "wish", r#""type":"preference""#));
    let project = Project::with(&[]);
    project.put(LESSONS, &lines.join("\n"));
    let out = project.says(&["inject", "", ""], 0, &[]);
    let places: Vec<&str> =
        out.lines().skip(1).map(|line| &line[7..line.find(" [").unwrap()]).collect();
    // The eleventh sighting of two and the preference do not fit any more.
    assert_eq!(places, ["10", "3", "1", "5", "7", "4", "0", "2", "6", "8"]);
}

#[test]
fn one_frequency_that_is_no_number_hides_everything() {
    for odd in ["\"1\"", "[]", "{}"] {
        let lines = [lesson("m-001", "3", "a"), lesson("m-002", odd, "b")];
        let project = Project::with(&[(LESSONS, &[&lines[0], &lines[1]])]);
        assert_eq!(project.says(&["inject", "", "", "--audit", "r1"], 0, &[]), "");
        assert_eq!(project.kept_files(), ["lessons.jsonl"]);
    }
    let wish = lesson_with("m-002", "null", "b", r#""type":"preference""#);
    let project = Project::with(&[(LESSONS, &[&lesson("m-001", "3", "a"), &wish])]);
    assert_eq!(project.says(&["inject", "", ""], 0, &[]), "");
}

#[test]
fn texts_are_shown_as_they_are() {
    let bare = r#"{"type":"preference","frequency":1,"id":5}"#;
    let lines = [lesson("m-001", "2", r"two\nlines\n"), bare.to_owned()];
    let project = Project::with(&[(LESSONS, &[&lines[0], "7", "null", &lines[1]])]);
    let out = project.says(&["inject", "", "", "--audit", "r1"], 0, &[]);
    let rows = "- two\nlines [seen 2x, guardian]\n- null [seen 1x, null]\n";
    assert_eq!(out, format!("{HEADING}{rows}"));
    assert!(project.get(AUDIT).contains(r#""lessons_injected":["m-001","5"]"#));
}

#[test]
fn the_audit_option_stands_behind_two_arguments() {
    let project = Project::with(&[(LESSONS, &[&lesson("m-001", "2", "a")])]);
    let record = |run: &str, domain: &str, role: &str| {
        let line = json(
            "{'ts':'NOW','run_id':'RUN','domain':'DOMAIN','archetype':'ROLE',\
             'lessons_injected':['m-001'],'lesson_count':1}",
        );
        line.replace("RUN", run).replace("DOMAIN", domain).replace("ROLE", role)
    };
    for args in [
        &["inject", "code", "sage", "--audit", "r1"][..],
        &["inject", "code", "--audit", "r2"],
        &["inject", "--audit", "r3"],
        &["inject", "writing", "sage", "--audit", "r4"],
        &["inject", "code", "sage", "--audit", ""],
        &["inject", "code", "", "x", "--audit", "r5", "--audit", "../r6"],
    ] {
        project.says(args, 0, &[]);
    }
    let records = [record("r1", "code", "sage"), record("../r6", "code", "")];
    assert_eq!(project.get(AUDIT).lines().collect::<Vec<_>>(), records);
    for args in [&["inject", "code", "sage", "--audit"][..], &["inject", "--audit"]] {
        assert_eq!(project.says(args, 1, &["memory: --audit needs a run id"]), "");
    }
}
