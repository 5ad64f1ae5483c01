//! The same on lines nobody thought of. A generated line is kept in pieces, so what a
//! patch must give is known without looking for anything in it.

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

/// A field that owns its value.
#[derive(Clone, Debug)]
enum Given {
    Text(String),
    Number(u64),
    Null,
    Texts(Vec<String>),
}

impl Given {
    fn field(&self) -> Field<'_> {
        match self {
            Given::Text(text) => Field::Text(text),
            Given::Number(number) => Field::Number(*number),
            Given::Null => Field::Null,
            Given::Texts(texts) => Field::Texts(texts),
        }
    }

    fn value(&self) -> Value {
        match self {
            Given::Text(text) => text.as_str().into(),
            Given::Number(number) => (*number).into(),
            Given::Null => Value::Null,
            Given::Texts(texts) => texts.clone().into(),
        }
    }
}

impl Pieces {
    fn line(&self) -> String {
        self.line_with(&[])
    }

    /// The line in which these pieces have another value, and these stand at the end.
    fn line_with(&self, set: &[(String, Given)]) -> String {
        let mut pieces = self.pieces.clone();
        let mut added = String::new();
        for (name, given) in set {
            let json = given.value().to_string().replace('\u{7f}', "\\u007f");
            match pieces.iter_mut().rev().find(|piece| piece.name() == *name) {
                Some(piece) => piece.value = json,
                None => {
                    let key = Value::from(name.as_str()).to_string();
                    let is_first = self.pieces.is_empty() && added.is_empty();
                    let comma = if is_first { "" } else { "," };
                    added += &format!("{comma}{}:{json}", key.replace('\u{7f}', "\\u007f"));
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
    let escape = prop::sample::select(vec![
        "\\\"",
        "\\\\",
        "\\/",
        "\\n",
        "\\u0041",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\u0000",
        "\\u007f",
    ]);
    let plain = "[^\"\\\\\u{0}-\u{1f}]";
    let mark = prop::sample::select(vec!["{", "}", "[", "]", ",", ":", " ", "\u{7f}", "😀"]);
    let part = prop_oneof![escape.prop_map(str::to_owned), plain, mark.prop_map(str::to_owned)];
    prop::collection::vec(part, 0..6).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn json_value() -> BoxedStrategy<String> {
    let scalar = prop::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.50",
        "1E5",
        "12345678901234567890",
        "-2.5e-3",
    ]);
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
    let piece = (json_key(), json_value(), spaces).prop_map(|(key, value, spaces)| Piece {
        key,
        value,
        spaces,
    });
    let all = prop::collection::vec(piece, 0..6);
    (space(), all, space()).prop_map(|(before, pieces, after)| Pieces { before, pieces, after })
}

fn given() -> impl Strategy<Value = Given> {
    prop_oneof![
        any::<String>().prop_map(Given::Text),
        any::<u64>().prop_map(Given::Number),
        Just(Given::Null),
        prop::collection::vec(any::<String>(), 0..3).prop_map(Given::Texts),
    ]
}

/// Some fields, each at most once.
fn given_fields() -> impl Strategy<Value = Vec<(String, Given)>> {
    let names = vec!["id", "tags", "n", "\n", "", "frequency", "\u{7f}"];
    let some = prop::sample::subsequence(names, 0..5).prop_shuffle();
    let fields = some.prop_flat_map(|names| {
        let n = names.len();
        (Just(names), prop::collection::vec(given(), n..=n))
    });
    fields.prop_map(|(names, given)| names.into_iter().map(str::to_owned).zip(given).collect())
}

fn borrowed(fields: &[(String, Given)]) -> Vec<(&str, Field<'_>)> {
    fields.iter().map(|(name, given)| (name.as_str(), given.field())).collect()
}

fn parsed(line: &[u8]) -> Map<String, Value> {
    serde_json::from_slice(line).unwrap()
}

proptest! {
    #[test]
    fn a_patch_sets_these_keys_and_leaves_every_other_byte(
        pieces in pieces(),
        fields in given_fields(),
    ) {
        let line = pieces.line();
        let found = with_fields(line.as_bytes(), &borrowed(&fields));
        prop_assert_eq!(String::from_utf8_lossy(&found), pieces.line_with(&fields));
        let mut expected = parsed(line.as_bytes());
        expected.extend(fields.iter().map(|(name, given)| (name.clone(), given.value())));
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
    fn equal_records_leave_the_line(raw in any::<Vec<u8>>(), pieces in pieces()) {
        prop_assert_eq!(patched(&raw, &sample(), &sample()), raw);
        let line = pieces.line();
        prop_assert_eq!(patched(line.as_bytes(), &sample(), &sample()), line.as_bytes());
    }

    #[test]
    fn no_bytes_make_it_panic(
        raw in any::<Vec<u8>>(),
        near in "[{}\\[\\]\",:\\\\ a1\r]{0,24}",
        cut in any::<prop::sample::Index>(),
        pieces in pieces(),
        fields in given_fields(),
    ) {
        let fields = borrowed(&fields);
        with_fields(&raw, &fields);
        with_fields(near.as_bytes(), &fields);
        compacted(near.as_bytes());
        // A torn line is no object.
        let line = pieces.line();
        let line = line.trim_end().as_bytes();
        let torn = &line[..cut.index(line.len())];
        prop_assert_eq!(with_fields(torn, &fields), torn);
        prop_assert_eq!(compacted(torn), torn);
    }

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
        let object = parsed(line(&lesson).as_bytes());
        prop_assert_eq!(&object["id"], &Value::from(id));
        prop_assert_eq!(&object["description"], &Value::from(description));
        prop_assert_eq!(&object["tags"], &Value::from(vec![tag]));
        prop_assert_eq!(&object["archetype"], &Value::from(archetype));
        prop_assert_eq!(&object["frequency"], &Value::from(n));
    }
}
