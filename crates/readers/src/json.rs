//! Is this line one JSON object? Parses lines and documents within a depth, and notices keys
//! that stand twice.

use hardwon_core::gate::{end_of, start_of};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::notes::Notes;

pub type Object = Map<String, Value>;

#[derive(Debug, PartialEq)]
pub struct Parsed {
    pub object: Object,
    /// Some object in the line has a key twice; the last one won.
    pub has_duplicate_keys: bool,
}

impl Parsed {
    /// The object; a key that stands twice is noted.
    pub fn checked(self, notes: &Notes) -> Object {
        if self.has_duplicate_keys {
            notes.problem("a key stands twice in an object; the last one is used");
        }
        self.object
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotObject {
    #[error("JSON nested deeper than {0}")]
    TooDeep(usize),
    /// Something else: another type of JSON, or no JSON at all.
    #[error("not a JSON object")]
    OtherType,
    /// From this byte on, counted from 1.
    #[error("not valid JSON at byte {0} of the line")]
    Broken(usize),
    #[error("the JSON ends too early, at byte {0} of the line")]
    Unfinished(usize),
}

pub fn parse(line: &str, max_depth: usize) -> Result<Parsed, NotObject> {
    // Checked here, because an input full of such lines should cost little.
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
    let n_fields = n_fields_within(text, max_depth).ok_or(NotObject::TooDeep(max_depth))?;
    let value = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Eof => NotObject::Unfinished(error.column()),
        Category::Syntax | Category::Data | Category::Io => NotObject::Broken(error.column()),
    })?;
    let has_duplicate_keys = n_fields_of(&value) < n_fields;
    Ok((value, has_duplicate_keys))
}

/// The text of a message that comes in parts: strings, or objects with a `text`.
pub fn text_parts(parts: &[Value]) -> String {
    let texts = parts.iter().filter_map(|part| part.as_str().or(part["text"].as_str()));
    texts.collect::<Vec<_>>().join("\n")
}

/// The text of a message's content: a string, or parts.
pub fn text_of(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => text_parts(parts),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// How many fields a text has, by the colons outside of strings. Stops at the first bracket that is
/// too deep.
fn n_fields_within(text: &str, max_depth: usize) -> Option<usize> {
    let (mut depth, mut n_fields, mut in_string, mut is_escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' => n_fields += 1,
            _ => {}
        }
        if depth > max_depth {
            return None;
        }
    }
    Some(n_fields)
}

/// How many fields are left of them: of those with one key only the last.
fn n_fields_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(n_fields_of).sum(),
        Value::Object(fields) => fields.len() + fields.values().map(n_fields_of).sum::<usize>(),
        _ => 0,
    }
}

/// Longest string of a lean object, and most items of a list or an object in it.
const MAX_STRING_BYTES: usize = 256 << 10;
const MAX_ITEMS: usize = 256;

/// The object that a host sent to a hook, without more than says something: of long strings the
/// beginning and the end are kept, of long lists and objects the beginning. Or why it is no object;
/// the reason holds nothing of it.
pub fn lean_object(bytes: &[u8]) -> Result<Object, String> {
    match serde_json::from_slice(bytes).map(lean) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("the event is not a JSON object".to_owned()),
        Err(error) if error.is_eof() => Err("the event ends too early".to_owned()),
        Err(error) => Err(format!("the event is not JSON from column {} on", error.column())),
    }
}

fn lean(value: Value) -> Value {
    match value {
        // What went wrong stands at the end of an output as often as at its beginning.
        Value::String(text) if text.len() > MAX_STRING_BYTES => {
            let half = (MAX_STRING_BYTES - 1) / 2;
            [start_of(&text, half), end_of(&text, half)].join("\n").into()
        }
        Value::Array(items) => items.into_iter().take(MAX_ITEMS).map(lean).collect(),
        Value::Object(fields) => {
            fields.into_iter().take(MAX_ITEMS).map(|(name, value)| (name, lean(value))).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_and_the_rest_is_there() {
        let long = format!("start {} end", "ä".repeat(1 << 20));
        let list = vec!["1"; 5000].join(",");
        let text = format!("{{\"a\":\"{long}\",\"b\":[{list}],\"c\":[1,2.5,true,null,\"x\"]}}");
        let object = lean_object(text.as_bytes()).unwrap();
        let kept = object["a"].as_str().unwrap();
        assert!(kept.len() <= MAX_STRING_BYTES && kept.len() > MAX_STRING_BYTES - 10);
        assert!(kept.starts_with("start ä") && kept.ends_with("ä end"));
        assert_eq!(object["b"].as_array().unwrap().len(), MAX_ITEMS);
        assert_eq!(object["c"], serde_json::json!([1, 2.5, true, null, "x"]));
    }

    #[test]
    fn the_reason_holds_nothing_of_the_text() {
        let deep = "[".repeat(100_000);
        for text in ["", "{\"a\":\"secret", "{\"a\":secret}", "[]", "secret", "{} secret", &deep] {
            let reason = lean_object(text.as_bytes()).unwrap_err();
            assert!(!reason.contains("secret"), "{reason}");
        }
    }

    #[test]
    fn what_is_too_deep_is_not_looked_into() {
        for line in [r#"{"a":[[[1]]]}"#, r#"{"a":"[[[[[[\"[[[{{"}"#, "  {}\t"] {
            assert!(parse(line, 4).is_ok(), "{line}");
        }
        assert_eq!(parse(r#"{"a":[[[[1]]]]}"#, 4), Err(NotObject::TooDeep(4)));
        assert_eq!(parse(&r#"{"a":"#.repeat(100_000), 64), Err(NotObject::TooDeep(64)));
        assert_eq!(parse("{}{}", 4), Err(NotObject::Broken(3)));
    }

    #[test]
    fn keys_that_stand_twice_are_noticed_within() {
        let is_double = |line: &str| parse(line, 64).unwrap().has_duplicate_keys;
        assert!(is_double(r#"{"a":{"b":1,"b":2}}"#));
        assert!(!is_double(r#"{"a":{"b":1},"c":{"b":2}}"#));
    }
}
