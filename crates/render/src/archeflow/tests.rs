//! ArcheFlow's lines as bytes, and the promise that a patch touches nothing else.

use hardwon_core::foreign::ForeignLine;

use super::*;

mod lines;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn sample() -> ArcheflowLesson {
    ArcheflowLesson {
        id: "m-001".into(),
        ts: Some(at("2026-04-03T14:00:00Z")),
        run_id: "2026-04-03-first".into(),
        source: "guardian".into(),
        description: "Close every \"handle\" you open".into(),
        frequency: 2,
        severity: "bug".into(),
        domain: "code".into(),
        tags: vec!["handle".into(), "größe".into()],
        last_seen_run: "2026-04-03-first".into(),
        ..Default::default()
    }
}

const SAMPLE_LINE: &str = concat!(
    r#"{"id":"m-001","ts":"2026-04-03T14:00:00Z","run_id":"2026-04-03-first","type":"pattern","#,
    r#""source":"guardian","description":"Close every \"handle\" you open","frequency":2,"#,
    r#""severity":"bug","domain":"code","tags":["handle","größe"],"archetype":null,"#,
    r#""last_seen_run":"2026-04-03-first","runs_since_last_seen":0}"#
);

#[test]
fn a_new_lesson_has_every_field_in_order() {
    assert_eq!(line(&sample()), SAMPLE_LINE);
    let bare = line(&ArcheflowLesson::default());
    assert!(bare.starts_with(r#"{"id":"","ts":"","run_id":"","type":"pattern""#), "{bare}");
    let hint = ArcheflowLesson { archetype: Some("story-sage".into()), ..sample() };
    assert!(line(&hint).contains(r#""archetype":"story-sage""#));
    let late = ArcheflowLesson { ts: Some(at("1969-12-31T23:59:59.900Z")), ..sample() };
    assert!(line(&late).contains(r#""ts":"1969-12-31T23:59:59Z""#));
}

#[test]
fn strings_are_spelled_as_jq_spells_them() {
    let text = "\u{0}\u{8}\u{c}\n\r\t\u{1f}\u{7f}\u{80} / \\ \" ü 日本 😀 \u{2028}";
    let expected = "\"\\u0000\\b\\f\\n\\r\\t\\u001f\\u007f\u{80} / \\\\ \\\" ü 日本 😀 \u{2028}\"";
    assert_eq!(json_text(text), expected);
}

#[track_caller]
fn check(raw: &str, fields: &[(&str, Field<'_>)], expected: &str) {
    let found = with_fields(raw.as_bytes(), fields);
    assert_eq!(String::from_utf8_lossy(&found), expected);
}

#[test]
fn fields_are_set_in_place() {
    let five = &[("n", Field::Number(5))];
    check(r#"{"n":1}"#, five, r#"{"n":5}"#);
    check(" { \"n\" :\t1 , \"x\":1.50 }\r", five, " { \"n\" :\t5 , \"x\":1.50 }\r");
    check(r#"{"n":{"n":[1,"}"]},"x":1E5}"#, five, r#"{"n":5,"x":1E5}"#);
    check(r#"{"x":"\"n\":1","n":"a\\"}"#, five, r#"{"x":"\"n\":1","n":5}"#);
    check(r#"{"n":1,"x":{"n":2},"n":3}"#, five, r#"{"n":1,"x":{"n":2},"n":5}"#);
    check(r#"{"\u006e":1}"#, five, r#"{"\u006e":5}"#);
    check("\u{feff}{\"n\":1}", five, "\u{feff}{\"n\":5}");
    let texts = ["a".to_owned(), "\"".to_owned()];
    check(r#"{"n":[ ]}"#, &[("n", Field::Texts(&texts))], r#"{"n":["a","\""]}"#);
    check(r#"{"n":[ ]}"#, &[("n", Field::Texts(&[]))], r#"{"n":[]}"#);
    check(r#"{"n":1}"#, &[("n", Field::Null)], r#"{"n":null}"#);
    check(r#"{"n":1}"#, &[("n", Field::Number(2)), ("n", Field::Number(3))], r#"{"n":3}"#);
}

#[test]
fn missing_fields_go_behind_the_others() {
    let two = &[("b", Field::Text("x")), ("a", Field::Number(2)), ("c", Field::Null)];
    check(r#"{"a":1}"#, two, r#"{"a":2,"b":"x","c":null}"#);
    check("{ \"a\":1 }\r", two, "{ \"a\":2,\"b\":\"x\",\"c\":null }\r");
    check("{ }", two, r#"{"b":"x","a":2,"c":null }"#);
    check("{}", &[], "{}");
}

#[test]
fn what_is_no_object_stays() {
    for raw in ["", " ", "[1]", "7", "\"{\"", "{\"n\":1", "{\"n\":1}}", "{\"n\":1} x", "{n:1}"] {
        check(raw, &[("n", Field::Number(5))], raw);
        let is_json = matches!(raw, "[1]" | "7" | "\"{\"");
        assert!(is_json || compacted(raw.as_bytes()) == raw.as_bytes(), "{raw}");
    }
    let not_utf8 = b"{\"n\":\"\xFF\"}";
    assert_eq!(with_fields(not_utf8, &[("n", Field::Null)]), not_utf8);
    assert_eq!(compacted(not_utf8), not_utf8);
}

#[test]
fn deep_nesting_does_not_recurse() {
    let deep = format!("{{\"a\":{}{},\"n\":1}}", "[ ".repeat(100_000), "]".repeat(100_000));
    let found = with_fields(deep.as_bytes(), &[("n", Field::Number(5))]);
    assert!(found.ends_with(b"],\"n\":5}"));
    assert_eq!(compacted(deep.as_bytes()).len(), deep.len() - 100_000);
}

#[test]
fn space_between_parts_is_dropped() {
    let cases = [
        (" { \"a b\" : [ 1.50 , \"c \\\" d\" ] }\r", r#"{"a b":[1.50,"c \" d"]}"#),
        ("\u{feff}{ }", "{}"),
        ("[ 1 , 2 ]", "[1,2]"),
        ("{ \"a\": 1", "{ \"a\": 1"),
        ("1 2", "1 2"),
    ];
    for (raw, expected) in cases {
        assert_eq!(String::from_utf8_lossy(&compacted(raw.as_bytes())), expected);
    }
}

#[test]
fn a_patch_writes_what_differs() {
    let raw = r#"{"id":"m-1", "description":"x", "note":[ 1 ], "frequency":"2"}"#;
    let from = ArcheflowLesson { id: "m-1".into(), frequency: 2, ..sample() };
    assert_eq!(patched(raw.as_bytes(), &from, &from), raw.as_bytes());
    assert_eq!(patched(b"{oops", &from, &from), b"{oops");
    let seen = ArcheflowLesson { frequency: 3, last_seen_run: "r2".into(), ..from.clone() };
    let expected =
        r#"{"id":"m-1", "description":"x", "note":[ 1 ], "frequency":3,"last_seen_run":"r2"}"#;
    assert_eq!(patched(raw.as_bytes(), &from, &seen), expected.as_bytes());
    let time = |text| ArcheflowLesson { ts: Some(at(text)), ..sample() };
    let (from, to) = (time("2026-04-03T14:00:00.5Z"), time("2026-04-03T14:00:00Z"));
    let found = patched(br#"{"ts":"2026-04-03T14:00:00.5Z"}"#, &from, &to);
    assert_eq!(found, br#"{"ts":"2026-04-03T14:00:00Z"}"#);
}

#[test]
fn every_changed_field_is_written() {
    let to = ArcheflowLesson {
        id: "m-9".into(),
        ts: Some(at("2026-05-01T00:00:00Z")),
        run_id: "r9".into(),
        kind: "anti_pattern".into(),
        source: "maker".into(),
        description: "Other words".into(),
        frequency: 7,
        severity: "warning".into(),
        domain: "writing".into(),
        tags: vec![],
        archetype: Some("sage".into()),
        last_seen_run: "r8".into(),
        runs_since_last_seen: 4,
    };
    let found = patched(SAMPLE_LINE.as_bytes(), &sample(), &to);
    assert_eq!(String::from_utf8_lossy(&found), line(&to));
}

#[test]
fn audit_lines_have_two_shapes() {
    let injection = ArcheflowAudit::Injection {
        ts: Some(at("2026-04-03T14:00:00.7Z")),
        run_id: "r1".into(),
        domain: "code".into(),
        archetype: String::new(),
        lessons: vec!["m-001".into(), "m-002".into()],
    };
    assert_eq!(
        audit_line(&injection),
        concat!(
            r#"{"ts":"2026-04-03T14:00:00Z","run_id":"r1","domain":"code","archetype":"","#,
            r#""lessons_injected":["m-001","m-002"],"lesson_count":2}"#
        )
    );
    let check = |is_helpful| ArcheflowAudit::Check {
        ts: None,
        run_id: "r1".into(),
        lesson_id: "m-001".into(),
        lesson_desc: "Close it".into(),
        is_helpful,
        overlap_pct: 33,
    };
    assert_eq!(
        audit_line(&check(false)),
        concat!(
            r#"{"ts":"","run_id":"r1","type":"effectiveness_check","lesson_id":"m-001","#,
            r#""lesson_desc":"Close it","effectiveness":"ineffective","keyword_overlap_pct":33}"#
        )
    );
    assert!(audit_line(&check(true)).contains(r#""effectiveness":"helpful""#));
}

#[test]
fn lines_of_a_run_are_compact() {
    let event = EventLine {
        ts: at("2026-04-03T14:00:00Z"),
        run_id: "r1",
        seq: 3,
        parents: &[1, 2],
        event_type: "review.verdict",
        phase: "check",
        agent: Some("guardian"),
        data: "{ \"n\": [ 1.0 ] }",
    };
    assert_eq!(
        event_line(&event),
        concat!(
            r#"{"ts":"2026-04-03T14:00:00Z","run_id":"r1","seq":3,"parent":[1,2],"#,
            r#""type":"review.verdict","phase":"check","agent":"guardian","data":{"n":[1.0]}}"#
        )
    );
    let start = EventLine { parents: &[], agent: None, data: "{\"n\":", ..event };
    let text = event_line(&start);
    assert!(text.contains(r#""parent":[],"#) && text.contains(r#""agent":null,"#), "{text}");
    assert!(text.ends_with(r#""data":"{\"n\":"}"#), "{text}");
    assert_eq!(
        index_line("r1", "completed", "Fix\nit", event.ts),
        r#"{"run_id":"r1","status":"completed","task":"Fix\nit","ts":"2026-04-03T14:00:00Z"}"#
    );
}

#[test]
fn a_file_is_written_as_it_was() {
    let file = |lines: &[&str], has_end| {
        let lines =
            lines.iter().map(|raw| ForeignLine { raw: raw.as_bytes().into(), record: None });
        bytes(&ForeignFile::<()> { lines: lines.collect(), has_end })
    };
    assert_eq!(file(&[], true), b"");
    assert_eq!(file(&[""], true), b"\n");
    assert_eq!(file(&["a", "", "b\r"], true), b"a\n\nb\r\n");
    assert_eq!(file(&["a", "b"], false), b"a\nb");
}

#[test]
fn the_list_is_a_table() {
    let hint = ArcheflowLesson {
        id: "m-1000".into(),
        frequency: 12,
        kind: "archetype_hint".into(),
        domain: "writing".into(),
        description: "Long\nspeeches\tdrift \u{1b}[31m".into(),
        ..sample()
    };
    assert_eq!(
        list(&[sample(), hint]),
        "ID       Freq  Type            Domain   Description\n\
         m-001    2     pattern         code     Close every \"handle\" you open\n\
         m-1000   12    archetype_hint  writing  Long speeches drift  [31m\n"
    );
    assert_eq!(list(&[]), "ID       Freq  Type            Domain   Description\n");
}
