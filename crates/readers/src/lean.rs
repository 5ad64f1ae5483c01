//! What did a host send to a hook? Any JSON becomes a value in bounded memory: of long strings
//! the beginning and the end are kept, of long lists and objects the beginning.

use std::borrow::Cow;

use hardwon_core::gate::{end_of, start_of};
use serde::de::DeserializeSeed;
use serde_json::Value;

use crate::any_value::{AnyValue, Choice};
use crate::json::Object;

/// Longest string that is kept, in bytes.
const MAX_STRING_BYTES: usize = 256 << 10;

/// The object that was sent, or why it is not one. The reason holds nothing of it.
pub fn lean_object(bytes: &[u8]) -> Result<Object, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = AnyValue(Lean).deserialize(&mut deserializer);
    match value.and_then(|value| deserializer.end().map(|()| value)) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("the event is not a JSON object".to_owned()),
        Err(error) if error.is_eof() => Err("the event ends too early".to_owned()),
        Err(error) => Err(format!("the event is not JSON from column {} on", error.column())),
    }
}

#[derive(Clone, Copy)]
struct Lean;

impl Choice for Lean {
    const MAX_ITEMS: usize = 256;

    /// What went wrong stands at the end of an output as often as at its beginning.
    fn cut(self, text: &str) -> Cow<'_, str> {
        if text.len() <= MAX_STRING_BYTES {
            return text.into();
        }
        let half = (MAX_STRING_BYTES - 1) / 2;
        [start_of(text, half), end_of(text, half)].join("\n").into()
    }

    fn of_item(self) -> Self {
        self
    }

    fn of_field(self, _key: &str) -> Option<Self> {
        Some(self)
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
        assert_eq!(object["b"].as_array().unwrap().len(), Lean::MAX_ITEMS);
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
}
