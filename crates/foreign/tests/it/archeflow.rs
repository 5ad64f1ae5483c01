//! An ArcheFlow folder as a live store, through the library: whatever stands in its files,
//! untouched records keep their bytes, and what others do in between is seen.

mod bytes;
mod mixed;

use proptest::prelude::*;
use serde_json::{Value, json};

/// Bytes that a failing property shows as text.
#[derive(Clone, PartialEq, Eq)]
struct Raw(Vec<u8>);

impl std::fmt::Debug for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{}\n", self.0.escape_ascii().to_string().replace("\\n", "\n"))
    }
}

impl std::ops::Deref for Raw {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Lines of a file, each with its end.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Texts of few words, so that two of them are often similar.
fn words() -> impl Strategy<Value = String> {
    const WORDS: &str = "retry|limit|cookie|secure|query|string|Größe|検索|null|check|ä\u{301}|\
                         \u{1b}[31m|$(touch x)|<<<|\"|\\";
    let word = prop::sample::select(WORDS.split('|').collect::<Vec<&str>>());
    prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "))
}

fn odd_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1.0e12..1.0e12f64).prop_map(Value::from),
        words().prop_map(Value::from),
        prop::collection::vec(words(), 0..3).prop_map(Value::from),
        Just(json!({"nested": [1, {"a": null}]})),
    ]
}

/// A field of a record, usually sensible.
fn field() -> impl Strategy<Value = (String, Value)> {
    let kinds = vec!["pattern", "preference", "archetype_hint", "anti_pattern", "whim"];
    let domains = vec!["general", "code", "writing", "", "Front End"];
    let severities = vec!["bug", "warning", "INFO", "purple"];
    let times = vec!["2026-03-01T09:00:00Z", "2026-03-01T09:00:00.250+01:00", "soon", ""];
    let of = |name: &str, values: Vec<&'static str>| {
        let name = name.to_owned();
        prop::sample::select(values).prop_map(move |value| (name.clone(), Value::from(value)))
    };
    let names = vec!["mood", "frequency", "tags", "ts", "domain", "archetype", "last_seen_run"];
    prop_oneof![
        4 => (0u32..12).prop_map(|n| ("frequency".to_owned(), json!(n))),
        2 => (0u32..30).prop_map(|n| ("runs_since_last_seen".to_owned(), json!(n))),
        2 => of("type", kinds),
        2 => of("domain", domains),
        2 => of("severity", severities),
        2 => of("ts", times),
        1 => of("source", vec!["guardian", "user_feedback", "sage", ""]),
        1 => of("archetype", vec!["guardian", "story sage", ""]),
        1 => of("last_seen_run", vec!["r1", "", "../x", "run-a"]),
        2 => prop::collection::vec(words(), 0..4).prop_map(|t| ("tags".to_owned(), json!(t))),
        2 => (prop::sample::select(names), odd_value()).prop_map(|(n, v)| (n.to_owned(), v)),
    ]
}

/// A line that states a lesson: odd key order, odd white space, keys that stand twice.
fn record() -> impl Strategy<Value = Raw> {
    let id = prop_oneof![
        3 => (1u32..40).prop_map(|n| format!("m-{n:03}")),
        // Ids that stand twice, often with the same text.
        3 => (1u32..3).prop_map(|n| format!("m-{n:03}")),
        1 => Just("x-9".to_owned()),
        1 => Just(String::new()),
    ];
    let spaces = prop::sample::select(vec!["", " ", "\t", "  "]);
    let fields = prop::collection::vec(field(), 0..8);
    let end = prop::sample::select(vec!["", "", "\r", " "]);
    (id, words(), fields, spaces, end, 0usize..8).prop_map(|(id, text, fields, space, end, at)| {
        let mut all: Vec<(String, Value)> = fields;
        let at = at.min(all.len());
        all.insert(at, ("description".to_owned(), json!(text)));
        all.insert(0, ("id".to_owned(), json!(id)));
        let entry =
            |(key, value): &(String, Value)| format!("{space}{}:{space}{value}", json!(key));
        let entries: Vec<String> = all.iter().map(entry).collect();
        Raw(format!("{{{}{space}}}{end}", entries.join(",")).into_bytes())
    })
}

/// A line that states no lesson.
fn useless() -> impl Strategy<Value = Vec<u8>> {
    let lines: [&[u8]; 7] = [
        b"",
        b"   ",
        b"{\"id\":\"m-00",
        b"\xff\xfe\x00",
        b"[1,2]",
        b"{\"frequency\":3}",
        b"<<<<<<< HEAD",
    ];
    prop::sample::select(lines.map(<[u8]>::to_vec).to_vec())
}

/// A whole file, sometimes without its last line end.
fn file() -> impl Strategy<Value = Raw> {
    let line = prop_oneof![5 => record().prop_map(|raw| raw.0), 1 => useless()];
    (prop::collection::vec(line, 0..10), any::<bool>()).prop_map(|(lines, has_end)| {
        let mut bytes = lines.join(&b'\n');
        if has_end && !bytes.is_empty() {
            bytes.push(b'\n');
        }
        Raw(bytes)
    })
}
