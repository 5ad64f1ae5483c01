//! What is this JSON value? Builds one, of any type, as far as its reader cares: what is left out
//! is decided by the reader and never held in memory.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Which parts of a value are kept.
pub trait Choice: Copy {
    /// Most items of one list, and fields of one object, that are kept.
    const MAX_ITEMS: usize = usize::MAX;

    /// Whether the value lies too deep to be looked at.
    fn is_too_deep(self) -> bool {
        false
    }

    /// A list or an object begins.
    fn begins(self) {}

    /// A key stands twice in an object; the last one wins.
    fn is_twice(self) {}

    /// As much of a string as is kept.
    fn cut(self, text: &str) -> Cow<'_, str> {
        text.into()
    }

    /// The choice for the items of a list.
    fn of_item(self) -> Self;

    /// The choice for a field, or none if it is left out.
    fn of_field(self, key: &str) -> Option<Self>;
}

/// Any value, by this choice.
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
        self.0.begins();
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
        self.0.begins();
        let mut kept = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let choice = self.0.of_field(&key).filter(|_| kept.len() < C::MAX_ITEMS);
            let Some(choice) = choice else {
                entries.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = entries.next_value_seed(AnyValue(choice))?;
            if kept.insert(self.0.cut(&key).into_owned(), value).is_some() {
                self.0.is_twice();
            }
        }
        Ok(Value::Object(kept))
    }
}
