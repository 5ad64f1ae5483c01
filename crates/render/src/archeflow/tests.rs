//! ArcheFlow's lines as bytes, and the promise that a patch touches nothing else.

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
