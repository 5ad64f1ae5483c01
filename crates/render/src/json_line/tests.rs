//! Lines as bytes, and the promise that a patch changes nothing else.

use super::*;

mod lines;

#[test]
fn strings_are_spelled_as_jq_spells_them() {
    let text = "\u{0}\u{8}\u{c}\n\r\t\u{1f}\u{7f}\u{80} / \\ \" ü 日本 😀 \u{2028}";
    let expected = "\"\\u0000\\b\\f\\n\\r\\t\\u001f\\u007f\u{80} / \\\\ \\\" ü 日本 😀 \u{2028}\"";
    assert_eq!(super::text(text), expected);
}

#[track_caller]
fn check(raw: &str, fields: &[(&str, &str)], expected: &str) {
    let fields: Vec<Field<'_>> =
        fields.iter().map(|(key, json)| (*key, Some((*json).to_owned()))).collect();
    let patched = with_fields(raw.as_bytes(), &fields);
    assert_eq!(String::from_utf8_lossy(&patched), expected);
}

#[test]
fn fields_are_set_in_place() {
    let five = &[("n", "5")];
    check(r#"{"n":1}"#, five, r#"{"n":5}"#);
    check(" { \"n\" :\t1 , \"x\":1.50 }\r", five, " { \"n\" :\t5 , \"x\":1.50 }\r");
    check(r#"{"n":{"n":[1,"}"]},"x":1E5}"#, five, r#"{"n":5,"x":1E5}"#);
    check(r#"{"x":"\"n\":1","n":"a\\"}"#, five, r#"{"x":"\"n\":1","n":5}"#);
    check(r#"{"n":1,"x":{"n":2},"n":3}"#, five, r#"{"n":1,"x":{"n":2},"n":5}"#);
    check(r#"{"\u006e":1}"#, five, r#"{"\u006e":5}"#);
    check("\u{feff}{\"n\":1}", five, "\u{feff}{\"n\":5}");
    let both = texts(&["a".to_owned(), "\"".to_owned()]);
    check(r#"{"n":[ ]}"#, &[("n", &both)], r#"{"n":["a","\""]}"#);
    check(r#"{"n":[ ]}"#, &[("n", &texts(&[]))], r#"{"n":[]}"#);
    check(r#"{"n":1}"#, &[("n", "2"), ("n", "3")], r#"{"n":3}"#);
    assert_eq!(with_fields(br#"{"n":1}"#, &[("n", None)]), br#"{"n":null}"#);
}

#[test]
fn what_is_not_an_object_stays() {
    for raw in ["", " ", "[1]", "7", "\"{\"", "{\"n\":1", "{\"n\":1}}", "{\"n\":1} x", "{n:1}"] {
        check(raw, &[("n", "5")], raw);
        let is_json = matches!(raw, "[1]" | "7" | "\"{\"");
        assert!(is_json || compacted(raw.as_bytes()) == raw.as_bytes(), "{raw}");
    }
    let not_utf8 = b"{\"n\":\"\xFF\"}";
    assert_eq!(with_fields(not_utf8, &[("n", None)]), not_utf8);
    assert_eq!(compacted(not_utf8), not_utf8);
}

#[test]
fn deep_nesting_does_not_recurse() {
    let deep = format!("{{\"a\":{}{},\"n\":1}}", "[ ".repeat(100_000), "]".repeat(100_000));
    let found = with_fields(deep.as_bytes(), &[("n", Some("5".to_owned()))]);
    assert!(found.ends_with(b"],\"n\":5}"));
    assert_eq!(compacted(deep.as_bytes()).len(), deep.len() - 100_000);
}
