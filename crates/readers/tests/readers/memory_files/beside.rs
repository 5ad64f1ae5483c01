//! What stands beside the lessons: index, names and tags.

use hardwon_readers::{
    archeflow_id, archeflow_index, archeflow_number, archeflow_run_name, archeflow_tags,
};

use crate::shown;

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
    assert_eq!(shown(&problems), reasons);
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
