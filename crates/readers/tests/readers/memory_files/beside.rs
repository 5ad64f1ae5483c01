//! What stands beside the lessons: audit, index, names and tags.

use hardwon_core::foreign::ArcheflowAudit;
use hardwon_core::time::Timestamp;
use hardwon_readers::{
    archeflow_audit, archeflow_id, archeflow_index, archeflow_number, archeflow_run_name,
    archeflow_tags,
};

use super::{records, told};

#[test]
fn audit_records_have_two_shapes() {
    let lines = [
        concat!(
            r#"{"ts":"2026-04-03T14:00:00Z","run_id":"r1","domain":"code","archetype":"","#,
            r#""lessons_injected":["m-001",7],"lesson_count":2}"#
        ),
        concat!(
            r#"{"ts":"","run_id":"r1","type":"effectiveness_check","lesson_id":"m-001","#,
            r#""lesson_desc":"x","effectiveness":"ineffective","keyword_overlap_pct":33}"#
        ),
        r#"{"type":"effectiveness_check","effectiveness":"helpful"}"#,
        r#"{"type":"effectiveness_check","effectiveness":"so so"}"#,
        r#"{"lessons_injected":"m-001"}"#,
        "",
        "oops",
    ];
    let (file, problems) = archeflow_audit("a", lines.join("\n").as_bytes());
    let bare = |is_helpful| ArcheflowAudit::Check {
        ts: None,
        run_id: String::new(),
        lesson_id: String::new(),
        lesson_desc: String::new(),
        is_helpful,
        overlap_pct: 0,
    };
    let expected = [
        ArcheflowAudit::Injection {
            ts: Timestamp::parse("2026-04-03T14:00:00Z"),
            run_id: "r1".into(),
            domain: "code".into(),
            archetype: String::new(),
            lessons: vec!["m-001".into()],
        },
        ArcheflowAudit::Check {
            ts: None,
            run_id: "r1".into(),
            lesson_id: "m-001".into(),
            lesson_desc: "x".into(),
            is_helpful: false,
            overlap_pct: 33,
        },
        bare(true),
    ];
    assert_eq!(records(&file), expected.iter().collect::<Vec<_>>());
    let reasons = [
        "a:1: field \"lessons_injected\" has items that are not strings",
        "a:4: field \"effectiveness\" is not one of helpful, ineffective",
        "a:5: neither an injection nor a check of effectiveness",
        "a:7: not a JSON object",
    ];
    assert_eq!(told(&problems), reasons);
}

#[test]
fn the_index_names_runs_in_order() {
    let index = "{\"run_id\":\"r2\",\"status\":\"completed\"}\n\n{\"run_id\":7}\n{}\nx\n\
                 {\"run_id\":\"r1\"}\n{\"run_id\":\"r2\"}";
    let (runs, problems) = archeflow_index("i", index.as_bytes());
    assert_eq!(runs, ["r2", "r1", "r2"]);
    let reasons = [
        "i:3: field \"run_id\" is not a string",
        "i:4: no field \"run_id\": the line is skipped",
        "i:5: not a JSON object",
    ];
    assert_eq!(told(&problems), reasons);
}

#[test]
fn names_follow_their_grammar() {
    for good in ["r", "2026-04-03-first-run", "a.b_c-D.9", "A."] {
        assert!(archeflow_run_name(good), "{good}");
    }
    for bad in ["", ".a", "-a", "_a", "a..b", "a/b", "a b", "a\n", "é", "aé", "../x", "a\0"] {
        assert!(!archeflow_run_name(bad), "{bad:?}");
    }
    for (id, number) in [
        ("m-001", Some(1)),
        ("m-010", Some(10)),
        ("m-1000", Some(1000)),
        ("m-0", Some(0)),
        ("m-999999999", Some(999_999_999)),
        ("m-0000000001", None),
        ("m-", None),
        ("m-+5", None),
        ("m--5", None),
        ("M-001", None),
        ("m-1 ", None),
        ("m-٣", None),
        ("m-1+a[$(touch x)]", None),
    ] {
        assert_eq!(archeflow_number(id), number, "{id}");
    }
    for (number, id) in [(0, "m-000"), (1, "m-001"), (999, "m-999"), (1000, "m-1000")] {
        assert_eq!(archeflow_id(number), id);
    }
}

#[test]
fn tags_are_the_first_long_words() {
    let cases: [(&str, &[&str]); 5] = [
        ("Missing NULL checks in the API handlers", &["missing", "null", "checks", "handlers"]),
        ("same same, same; same same same", &["same", "same", "same", "same", "same"]),
        ("user_name: für Größe naïve ab12", &["user", "name", "ab12"]),
        ("日本語", &[]),
        ("", &[]),
    ];
    for (text, tags) in cases {
        assert_eq!(archeflow_tags(text), tags, "{text}");
    }
}
