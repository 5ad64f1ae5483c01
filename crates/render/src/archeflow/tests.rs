//! ArcheFlow's lines as bytes, and the promise that a patch touches nothing else.

use hardwon_core::foreign::ForeignLine;
use proptest::prelude::{any, prop, prop_assert_eq, proptest};
use serde_json::Value;

use super::*;

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

proptest! {
    #[test]
    fn a_new_line_reads_back(texts in prop::array::uniform4(any::<String>()), n in any::<u32>()) {
        let [id, description, tag, archetype] = texts;
        let lesson = ArcheflowLesson {
            id: id.clone(),
            description: description.clone(),
            tags: vec![tag.clone()],
            archetype: Some(archetype.clone()),
            frequency: n,
            ..sample()
        };
        let object: Value = serde_json::from_str(&line(&lesson)).unwrap();
        prop_assert_eq!(&object["id"], &Value::from(id));
        prop_assert_eq!(&object["description"], &Value::from(description));
        prop_assert_eq!(&object["tags"], &Value::from(vec![tag]));
        prop_assert_eq!(&object["archetype"], &Value::from(archetype));
        prop_assert_eq!(&object["frequency"], &Value::from(n));
    }
}
