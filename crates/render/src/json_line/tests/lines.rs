//! The same on generated lines. Each is kept in pieces, so what a patch must give is known
//! without searching for anything in it.

use proptest::prelude::{
    BoxedStrategy, Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest,
};
use serde_json::{Map, Value};

use super::*;

/// One entry of an object, with the white space around its parts.
#[derive(Clone, Debug)]
struct Piece {
    /// With its quotes.
    key: String,
    value: String,
    spaces: [String; 4],
}

/// One object as a line.
#[derive(Clone, Debug)]
struct Pieces {
    before: String,
    pieces: Vec<Piece>,
    after: String,
}

/// A field's name and the value that it gets.
type Set = (String, Value);

impl Pieces {
    fn line(&self) -> String {
        self.line_with(&[])
    }

    /// The line in which these pieces have another value, and these stand at the end.
    fn line_with(&self, set: &[Set]) -> String {
        let mut pieces = self.pieces.clone();
        let mut added = String::new();
        for (name, value) in set {
            let json = spelled(value);
            match pieces.iter_mut().rev().find(|piece| piece.name() == *name) {
                Some(piece) => piece.value = json,
                None => {
                    let key = spelled(&Value::from(name.as_str()));
                    let is_first = self.pieces.is_empty() && added.is_empty();
                    let comma = if is_first { "" } else { "," };
                    added += &format!("{comma}{key}:{json}");
                }
            }
        }
        let mut line = format!("{}{{", self.before);
        for (at, piece) in pieces.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let [a, b, c, d] = &piece.spaces;
            line += &format!("{comma}{a}{}{b}:{c}{}", piece.key, piece.value);
            // What is added goes right behind the last value.
            let is_last = at + 1 == pieces.len();
            line += if is_last { added.as_str() } else { "" };
            line += d;
        }
        if pieces.is_empty() {
            line += &added;
        }
        format!("{line}}}{}", self.after)
    }
}

impl Piece {
    fn name(&self) -> String {
        serde_json::from_str(&self.key).unwrap()
    }
}

fn space() -> impl Strategy<Value = String> {
    "[ \t\r]{0,2}"
}

/// A string of JSON, with quotes: raw characters, escapes, brackets and commas.
fn json_string() -> impl Strategy<Value = String> {
    let escapes = r#"\" \\ \/ \n \u0041 \u00e9 \ud83d\ude00 \u0000 \u007f"#;
    let escape = prop::sample::select(escapes.split(' ').collect::<Vec<_>>());
    let plain = "[^\"\\\\\u{0}-\u{1f}]";
    let mark = prop::sample::select(vec!["{", "}", "[", "]", ",", ":", " ", "\u{7f}", "😀"]);
    let part = prop_oneof![escape.prop_map(str::to_owned), plain, mark.prop_map(str::to_owned)];
    prop::collection::vec(part, 0..6).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn json_value() -> BoxedStrategy<String> {
    let scalars = "null true false 0 -0 1.50 1E5 12345678901234567890 -2.5e-3";
    let scalar = prop::sample::select(scalars.split(' ').collect::<Vec<_>>());
    let leaf = prop_oneof![scalar.prop_map(str::to_owned), json_string()];
    let nested = |inner: BoxedStrategy<String>| {
        let item = (space(), inner.clone(), space()).prop_map(|(a, item, b)| a + &item + &b);
        let entry = (space(), json_string(), space(), inner)
            .prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
        prop_oneof![
            prop::collection::vec(item, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(entry, 0..4).prop_map(|items| format!("{{{}}}", items.join(","))),
        ]
    };
    leaf.prop_recursive(3, 16, 4, move |inner| nested(inner.boxed())).boxed()
}

/// Keys that are asked for, now and then spelled otherwise, among others.
fn json_key() -> impl Strategy<Value = String> {
    let known = vec!["\"id\"", "\"\\u0069d\"", "\"tags\"", "\"n\"", "\"\\n\"", "\"\""];
    prop_oneof![3 => prop::sample::select(known).prop_map(str::to_owned), 1 => json_string()]
}

fn pieces() -> impl Strategy<Value = Pieces> {
    let spaces = [space(), space(), space(), space()];
    let made = |(key, value, spaces)| Piece { key, value, spaces };
    let piece = (json_key(), json_value(), spaces).prop_map(made);
    let all = prop::collection::vec(piece, 0..6);
    (space(), all, space()).prop_map(|(before, pieces, after)| Pieces { before, pieces, after })
}

/// Some fields, each at most once.
fn any_set() -> impl Strategy<Value = Vec<Set>> {
    let value = || {
        prop_oneof![
            any::<String>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            Just(Value::Null),
            prop::collection::vec(any::<String>(), 0..3).prop_map(Value::from),
        ]
    };
    let names = vec!["id", "tags", "n", "\n", "", "frequency", "\u{7f}"];
    let some = prop::sample::subsequence(names, 0..5).prop_shuffle();
    let fields = some.prop_flat_map(move |names| {
        let n = names.len();
        (Just(names), prop::collection::vec(value(), n..=n))
    });
    fields.prop_map(|(names, values)| names.into_iter().map(str::to_owned).zip(values).collect())
}

/// As `jq` spells it.
fn spelled(value: &Value) -> String {
    value.to_string().replace('\u{7f}', "\\u007f")
}

fn fields(set: &[Set]) -> Vec<Field<'_>> {
    set.iter()
        .map(|(name, value)| (name.as_str(), (!value.is_null()).then(|| spelled(value))))
        .collect()
}

fn parsed(line: &[u8]) -> Map<String, Value> {
    serde_json::from_slice(line).unwrap()
}

proptest! {
    #[test]
    fn a_patch_sets_these_keys_and_leaves_every_other_byte(
        pieces in pieces(),
        set in any_set(),
    ) {
        let line = pieces.line();
        let found = with_fields(line.as_bytes(), &fields(&set));
        prop_assert_eq!(String::from_utf8_lossy(&found), pieces.line_with(&set));
        let mut expected = parsed(line.as_bytes());
        expected.extend(set.iter().cloned());
        prop_assert_eq!(parsed(&found), expected);
    }

    #[test]
    fn compacting_changes_no_meaning_and_happens_once(pieces in pieces()) {
        let line = pieces.line();
        let short = compacted(line.as_bytes());
        prop_assert_eq!(parsed(&short), parsed(line.as_bytes()));
        prop_assert_eq!(compacted(&short), short);
    }

    #[test]
    fn no_bytes_make_it_panic(
        raw in any::<Vec<u8>>(),
        near in "[{}\\[\\]\",:\\\\ a1\r]{0,24}",
        cut in any::<prop::sample::Index>(),
        pieces in pieces(),
        set in any_set(),
    ) {
        let fields = fields(&set);
        with_fields(&raw, &fields);
        with_fields(near.as_bytes(), &fields);
        compacted(near.as_bytes());
        // A torn line is not an object.
        let line = pieces.line();
        let line = line.trim_end().as_bytes();
        let torn = &line[..cut.index(line.len())];
        prop_assert_eq!(with_fields(torn, &fields), torn);
        prop_assert_eq!(compacted(torn), torn);
    }
}
