//! What did the host send? Any JSON becomes a value in bounded memory: of long strings the
//! beginning and the end are kept, of long lists and objects the beginning.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Longest string that is kept, in bytes.
const MAX_STRING_BYTES: usize = 256 << 10;
/// Most elements of a list or object that are kept.
const MAX_ELEMENTS: usize = 256;

/// The object that was sent, or why it is none. The reason holds nothing of it.
pub fn object(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read = Lean.deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    match read {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("the event is not a JSON object".to_owned()),
        Err(error) if error.is_eof() => Err("the event ends too early".to_owned()),
        Err(error) => Err(format!("the event is not JSON from column {} on", error.column())),
    }
}

/// What went wrong stands at the end of an output as often as at its beginning.
fn cut(text: &str) -> String {
    if text.len() <= MAX_STRING_BYTES {
        return text.to_owned();
    }
    let half = (MAX_STRING_BYTES - 1) / 2;
    let start = text.floor_char_boundary(half);
    let end = text.ceil_char_boundary(text.len() - half);
    [&text[..start], &text[end..]].join("\n")
}

struct Lean;

impl<'de> DeserializeSeed<'de> for Lean {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Lean {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(cut(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        while kept.len() < MAX_ELEMENTS {
            match list.next_element_seed(Lean)? {
                Some(value) => kept.push(value),
                None => return Ok(Value::Array(kept)),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while kept.len() < MAX_ELEMENTS {
            match object.next_key::<String>()? {
                Some(key) => kept.insert(cut(&key), object.next_value_seed(Lean)?),
                None => return Ok(Value::Object(kept)),
            };
        }
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Object(kept))
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
        let object = object(text.as_bytes()).unwrap();
        let kept = object["a"].as_str().unwrap();
        assert!(kept.len() <= MAX_STRING_BYTES && kept.len() > MAX_STRING_BYTES - 10);
        assert!(kept.starts_with("start ä") && kept.ends_with("ä end"));
        assert_eq!(object["b"].as_array().unwrap().len(), MAX_ELEMENTS);
        assert_eq!(object["c"], serde_json::json!([1, 2.5, true, null, "x"]));
    }

    #[test]
    fn what_is_no_object_is_told_without_its_text() {
        let deep = "[".repeat(100_000);
        for text in ["", "{\"a\":\"secret", "{\"a\":secret}", "[]", "secret", "{} secret", &deep] {
            let reason = object(text.as_bytes()).unwrap_err();
            assert!(!reason.contains("secret"), "{reason}");
        }
    }
}
