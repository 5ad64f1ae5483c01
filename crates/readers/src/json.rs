//! What does one line of JSON say? Parses a line into an object and reads its fields
//! leniently: a field of the wrong type costs that field, not the line. Reasons name
//! only fields that the reader itself asked for, never anything that stood in the input.

use std::cell::Cell;
use std::fmt;

use hardwon_core::time::Timestamp;
use serde::de::DeserializeSeed;
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::any_value::{AnyValue, Choice};
use crate::notes::Notes;

/// An object of the input.
pub type Object = Map<String, Value>;

/// One parsed line.
#[derive(Debug, PartialEq)]
pub struct Parsed {
    pub object: Object,
    /// Some object in the line has a key twice; the last one won.
    pub has_duplicate_keys: bool,
}

/// Why a line is not an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotObject {
    /// Nested deeper than the limit.
    TooDeep(usize),
    /// Something else: another type of JSON, or no JSON at all.
    OtherType,
    /// Not JSON from this byte on, counted from 1.
    Broken(usize),
    /// JSON as far as it goes, but it ends too early.
    Unfinished(usize),
}

impl fmt::Display for NotObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotObject::TooDeep(limit) => write!(f, "JSON nested deeper than {limit}"),
            NotObject::OtherType => f.write_str("not a JSON object"),
            NotObject::Broken(column) => write!(f, "not valid JSON at byte {column} of the line"),
            NotObject::Unfinished(column) => {
                write!(f, "the JSON ends too early, at byte {column} of the line")
            }
        }
    }
}

/// Parses one line.
pub fn parse(line: &str, max_depth: usize) -> Result<Parsed, NotObject> {
    // Told apart here, because an input full of such lines should cost little.
    if !line.trim_start().starts_with('{') {
        return Err(NotObject::OtherType);
    }
    match value(line, max_depth)? {
        (Value::Object(object), has_duplicate_keys) => Ok(Parsed { object, has_duplicate_keys }),
        _ => Err(NotObject::OtherType),
    }
}

/// Parses a whole document: one object, or a list of them.
pub fn parse_document(text: &str, max_depth: usize) -> Result<Vec<Parsed>, NotObject> {
    let (value, has_duplicate_keys) = value(text, max_depth)?;
    let items = match value {
        Value::Array(items) => items,
        object => vec![object],
    };
    let parsed = items.into_iter().map(|item| match item {
        Value::Object(object) => Ok(Parsed { object, has_duplicate_keys }),
        _ => Err(NotObject::OtherType),
    });
    parsed.collect()
}

/// Any JSON value, and whether a key stands twice in it.
fn value(text: &str, max_depth: usize) -> Result<(Value, bool), NotObject> {
    // The parser recurses, so depth is checked before it runs.
    if is_deeper_than(text, max_depth) {
        return Err(NotObject::TooDeep(max_depth));
    }
    let has_duplicate_keys = Cell::new(false);
    let seed = AnyValue(Everything { has_duplicate_keys: &has_duplicate_keys });
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = seed
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| match error.classify() {
            Category::Eof => NotObject::Unfinished(error.column()),
            Category::Syntax | Category::Data | Category::Io => NotObject::Broken(error.column()),
        })?;
    Ok((value, has_duplicate_keys.get()))
}

/// Counts brackets outside of strings. Stops at the first one that is too deep.
fn is_deeper_than(line: &str, max_depth: usize) -> bool {
    let (mut depth, mut in_string, mut is_escaped) = (0usize, false, false);
    for byte in line.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > max_depth {
            return true;
        }
    }
    false
}

/// Everything is kept, and it is remembered whether a key came twice, which the parser's own
/// value type would hide.
#[derive(Clone, Copy)]
struct Everything<'a> {
    has_duplicate_keys: &'a Cell<bool>,
}

impl Choice for Everything<'_> {
    fn is_twice(self) {
        self.has_duplicate_keys.set(true);
    }

    fn of_item(self) -> Self {
        self
    }

    fn of_field(self, _key: &str) -> Option<Self> {
        Some(self)
    }
}

/// The fields of one object. A field that is left out or null is `None` without a
/// problem; one of the wrong type is `None` with a problem.
pub struct Fields<'o, 'n> {
    object: &'o Object,
    notes: &'n mut Notes,
}

impl<'o, 'n> Fields<'o, 'n> {
    pub fn new(object: &'o Object, notes: &'n mut Notes) -> Self {
        Fields { object, notes }
    }

    /// Whether the field is there and says something.
    pub fn has(&self, name: &'static str) -> bool {
        self.value(name).is_some()
    }

    pub fn text(&mut self, name: &'static str) -> Option<String> {
        match self.value(name)? {
            Value::String(text) => Some(text.clone()),
            _ => self.wrong(name, "not a string"),
        }
    }

    /// A text that says something: neither empty nor only spaces.
    pub fn words(&mut self, name: &'static str) -> Option<String> {
        self.text(name).filter(|text| !text.trim().is_empty())
    }

    /// An id: a string, or a whole number as build servers like to count their runs. One
    /// of another type is the empty id, which `core` refuses: ignored, it would hand
    /// what follows to the run before.
    pub fn id(&mut self, name: &'static str) -> Option<String> {
        match self.value(name)? {
            Value::Number(number) if number.is_u64() => Some(number.to_string()),
            _ => Some(self.text(name).unwrap_or_default()),
        }
    }

    pub fn number(&mut self, name: &'static str) -> Option<u32> {
        let Value::Number(number) = self.value(name)? else {
            return self.wrong(name, "not a number");
        };
        let number = number.as_u64().and_then(|number| u32::try_from(number).ok());
        number.or_else(|| self.wrong(name, "not a whole number in range"))
    }

    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        match self.value(name)? {
            Value::Bool(flag) => Some(*flag),
            _ => self.wrong(name, "not true or false"),
        }
    }

    pub fn time(&mut self, name: &'static str) -> Option<Timestamp> {
        let text = self.text(name)?;
        Timestamp::parse(&text).or_else(|| self.wrong(name, "not an RFC 3339 time"))
    }

    /// One of a closed list of words, in any case.
    pub fn word<T: Copy + fmt::Display>(&mut self, name: &'static str, all: &[T]) -> Option<T> {
        let given = self.text(name)?.trim().to_ascii_lowercase();
        let known = all.iter().copied().find(|known| known.to_string() == given);
        known.or_else(|| {
            let words: Vec<String> = all.iter().map(T::to_string).collect();
            self.wrong(name, &format!("not one of {}", words.join(", ")))
        })
    }

    /// Whether the field is a list, for those that may be one or not.
    pub fn is_list(&self, name: &'static str) -> bool {
        self.value(name).is_some_and(Value::is_array)
    }

    pub fn list(&mut self, name: &'static str) -> Option<&'o [Value]> {
        match self.value(name)? {
            Value::Array(items) => Some(items),
            _ => self.wrong(name, "not a list"),
        }
    }

    /// A list of texts; items of another type are left out, with one problem.
    pub fn texts(&mut self, name: &'static str) -> Option<Vec<String>> {
        let items = self.list(name)?;
        let texts: Vec<String> =
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if texts.len() < items.len() {
            self.notes.problem(format!("field \"{name}\" has items that are not strings"));
        }
        Some(texts)
    }

    pub fn object(&mut self, name: &'static str) -> Option<&'o Object> {
        match self.value(name)? {
            Value::Object(object) => Some(object),
            _ => self.wrong(name, "not an object"),
        }
    }

    fn value(&self, name: &'static str) -> Option<&'o Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    fn wrong<T>(&mut self, name: &'static str, why: &str) -> Option<T> {
        self.notes.problem(format!("field \"{name}\" is {why}"));
        None
    }
}

#[cfg(test)]
mod tests {
    use hardwon_core::run::Outcome;

    use super::*;

    fn check(name: &str, line: &str, expected: Result<(), &str>) {
        let found = parse(line, 4).map(|_| ()).map_err(|reason| reason.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{name}");
    }

    #[test]
    fn only_sound_objects_are_parsed() {
        check("object", r#"{"a":1}"#, Ok(()));
        check("spaces around", "  {}\t", Ok(()));
        check("brackets in strings", r#"{"a":"[[[[[[\"[[[{{"}"#, Ok(()));
        check("deepest", r#"{"a":[[[1]]]}"#, Ok(()));
        check("too deep", r#"{"a":[[[[1]]]]}"#, Err("JSON nested deeper than 4"));
        check("a list", "[1]", Err("not a JSON object"));
        check("a number", "7", Err("not a JSON object"));
        check("words", "oops", Err("not a JSON object"));
        check("NaN", r#"{"a":NaN}"#, Err("not valid JSON at byte 6 of the line"));
        check("Infinity", r#"{"a":-Infinity}"#, Err("not valid JSON at byte 7 of the line"));
        check("out of range", r#"{"a":1e999}"#, Err("not valid JSON at byte 10 of the line"));
        check("unfinished", r#"{"a":"b"#, Err("the JSON ends too early, at byte 7 of the line"));
        check("two at once", r#"{}{}"#, Err("not valid JSON at byte 3 of the line"));
        assert!(matches!(parse(r#"{"a":"\ud800"}"#, 4), Err(NotObject::Broken(_))));
        assert!(matches!(parse("{\"a\":\"\0\"}", 4), Err(NotObject::Broken(_))));
    }

    #[test]
    fn a_hundred_thousand_levels_do_not_recurse() {
        let deep = r#"{"a":"#.repeat(100_000);
        assert_eq!(parse(&deep, 64), Err(NotObject::TooDeep(64)));
        let lists = format!("{{\"a\":{}", "[".repeat(100_000));
        assert_eq!(parse(&lists, 64), Err(NotObject::TooDeep(64)));
        let sixty_four = format!("{{\"a\":{}{}}}", "[".repeat(63), "]".repeat(63));
        assert!(parse(&sixty_four, 64).is_ok());
    }

    #[test]
    fn of_duplicate_keys_the_last_wins() {
        let parsed = parse(r#"{"a":1,"b":{"c":1},"a":2}"#, 64).unwrap();
        assert!(parsed.has_duplicate_keys);
        assert_eq!(parsed.object["a"], 2);
        assert!(parse(r#"{"a":{"b":1,"b":2}}"#, 64).unwrap().has_duplicate_keys);
        assert!(!parse(r#"{"a":{"b":1},"c":{"b":2}}"#, 64).unwrap().has_duplicate_keys);
    }

    /// Reads one field of `{"f": value}`; gives what `get` found and the problem.
    fn field<T>(value: &str, get: impl Fn(&mut Fields<'_, '_>) -> T) -> (T, Option<String>) {
        let parsed = parse(&format!("{{\"f\":{value}}}"), 64).unwrap();
        let mut notes = Notes::new("x", 10);
        let found = get(&mut Fields::new(&parsed.object, &mut notes));
        (found, notes.into_problems().pop().map(|problem| problem.reason))
    }

    #[test]
    fn fields_of_the_wrong_type_are_ignored_with_a_problem() {
        let reason = |text: &str| Some(format!("field \"f\" {text}"));
        assert_eq!(field("null", |f| f.text("f")), (None, None));
        assert_eq!(field("1", |f| f.text("f")), (None, reason("is not a string")));
        assert_eq!(field("\"41\"", |f| f.number("f")), (None, reason("is not a number")));
        let out_of_range = reason("is not a whole number in range");
        for number in ["-1", "1.5", "4294967296"] {
            assert_eq!(field(number, |f| f.number("f")), (None, out_of_range.clone()));
        }
        assert_eq!(field("\"x\"", |f| f.texts("f")), (None, reason("is not a list")));
        let mixed = reason("has items that are not strings");
        assert_eq!(field("[\"x\",1]", |f| f.texts("f")), (Some(vec!["x".into()]), mixed));
        assert_eq!(field("\"now\"", |f| f.time("f")), (None, reason("is not an RFC 3339 time")));
        let words = reason("is not one of success, partial, failed, aborted");
        assert_eq!(field("\"great\"", |f| f.word("f", Outcome::ALL)), (None, words));
        let failed = Some(Outcome::Failed);
        assert_eq!(field("\"FAILED\"", |f| f.word("f", Outcome::ALL)), (failed, None));
        assert_eq!(field("[]", |f| f.object("f").is_some()), (false, reason("is not an object")));
    }

    #[test]
    fn an_unusable_id_is_not_a_missing_id() {
        let id = |value| field(value, |f| f.id("f"));
        assert_eq!(id("null"), (None, None));
        assert_eq!(id("\"../x\""), (Some("../x".into()), None));
        assert_eq!(id("1234"), (Some("1234".into()), None));
        let wrong = Some("field \"f\" is not a string".to_owned());
        assert_eq!(id("[1]"), (Some(String::new()), wrong));
    }
}
