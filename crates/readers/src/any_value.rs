//! What is this JSON value? Builds one, of any type, as far as its reader cares: what is left out
//! is decided by the reader and never held in memory.

use std::borrow::Cow;
use std::fmt;

use hardwon_core::gate::{end_of, start_of};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::json::Object;

const MAX_STRING_BYTES: usize = 256 << 10;

/// Which parts of a value are kept.
pub trait Choice: Copy {
    /// Most items of one list, and fields of one object, that are kept.
    const MAX_ITEMS: usize = usize::MAX;

    fn is_too_deep(self) -> bool {
        false
    }

    fn cut(self, text: &str) -> Cow<'_, str> {
        text.into()
    }

    fn of_item(self) -> Self;

    /// The choice for a field, or none if it is left out.
    fn of_field(self, key: &str) -> Option<Self>;
}

#[derive(Clone, Copy)]
pub struct AnyValue<C>(pub C);

impl<'de, C: Choice> DeserializeSeed<'de> for AnyValue<C> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.0.is_too_deep() {
            // This does not recurse, however deep it goes.
            deserializer.deserialize_ignored_any(IgnoredAny).map(|_| Value::Null)
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

/// The methods of a visitor for whatever is neither a list nor an object.
macro_rules! visit_scalars {
    ($self:ident, $value:pat => $found:expr) => {
        visit_scalars!($self, $value => $found;
            visit_bool: bool, visit_u64: u64, visit_i64: i64, visit_f64: f64);
    };
    ($self:ident, $value:pat => $found:expr; $($visit:ident: $type:ty),+) => {
        $(fn $visit<E>($self, $value: $type) -> Result<Self::Value, E> {
            Ok($found)
        })+

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any JSON value")
        }
    };
}
pub(crate) use visit_scalars;

impl<'de, C: Choice> Visitor<'de> for AnyValue<C> {
    type Value = Value;

    visit_scalars!(self, value => value.into());

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(self.0.cut(value).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        while kept.len() < C::MAX_ITEMS {
            match items.next_element_seed(AnyValue(self.0.of_item()))? {
                Some(item) => kept.push(item),
                None => return Ok(Value::Array(kept)),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let choice = self.0.of_field(&key).filter(|_| kept.len() < C::MAX_ITEMS);
            let Some(choice) = choice else {
                entries.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = entries.next_value_seed(AnyValue(choice))?;
            kept.insert(self.0.cut(&key).into_owned(), value);
        }
        Ok(Value::Object(kept))
    }
}

/// The object that a host sent to a hook, in bounded memory: of long strings the beginning and the
/// end are kept, of long lists and objects the beginning. Or why it is no object; the reason holds
/// nothing of it.
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
