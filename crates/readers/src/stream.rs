//! Which parts of a large JSON document are worth handing over? Walks a document once and
//! hands over the values that a reader asked for, one at a time and without the fields that
//! are not read, so that memory holds one of them and never the document.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use hardwon_core::gate::untorn;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::guard::{Guard, Place};

/// Longer strings are usually shortened to about this.
pub const MAX_STRING_BYTES: usize = 16 << 10;

/// Values nested deeper than this are left out: no report says anything down there.
const MAX_DEPTH: usize = 32;

/// Most items of a list inside one value.
const MAX_ITEMS: usize = 20_000;

#[derive(Clone, Copy)]
pub struct Document {
    pub shape: &'static Shape,
    /// Which fields inside a whole value are kept.
    pub fields: &'static [&'static str],
    /// Below these every field is kept.
    pub open: &'static [&'static str],
    /// Longer strings are shortened to about this.
    pub max_string: usize,
}

/// What a part of a document looks like.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Handed over as it is, under this name.
    Whole(&'static str),
    /// A list whose items are read one by one.
    Items(&'static str, &'static Shape),
    /// An object: the fields that are handed over whole, under their names, and those that
    /// are read further.
    Fields(&'static str, &'static [&'static str], &'static [(&'static str, Shape)]),
    /// The first shape for a list, the second for an object.
    Either(&'static Shape, &'static Shape),
}

/// What a walk comes by.
pub enum Part<'a> {
    /// A list or an object that is read further, by its name.
    Begin(&'a str),
    End(&'a str),
    /// What is handed over whole, under its name.
    Whole(&'a str, Value),
    /// Something else stands where this was expected, and what is wrong with it.
    Wrong(&'a str, &'static str),
}

/// Takes the parts, each with the line in which it begins.
pub type Take<'a> = dyn FnMut(Part<'_>, u64) + 'a;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Whole,
    /// The limit of the input was met in this line.
    Limit(u64),
    /// The document ends too early, in this line.
    Early(u64),
    /// Not JSON from this line on.
    Broken(u64),
}

/// Walks all documents of a stream, usually one.
pub fn walk(
    reader: impl Read,
    max_bytes: u64,
    document: &'static Document,
    take: &mut Take<'_>,
) -> io::Result<End> {
    let place = Rc::new(Place::default());
    let guard = Guard::new(reader, max_bytes, document.max_string, Rc::clone(&place));
    let mut deserializer = serde_json::Deserializer::from_reader(guard);
    let mut n_documents = 0;
    loop {
        let walk = Walk { shape: *document.shape, document, take: &mut *take, place: &place };
        let result = walk.deserialize(&mut deserializer);
        let line = place.line();
        match result.as_ref().map_err(serde_json::Error::classify) {
            Ok(()) => {}
            Err(Category::Io) => return result.map(|()| End::Whole).map_err(io::Error::from),
            Err(_) if place.is_cut() => return Ok(End::Limit(line)),
            Err(Category::Eof) => return Ok(End::Early(line)),
            Err(Category::Syntax | Category::Data) => return Ok(End::Broken(line)),
        }
        n_documents += 1;
        // Pages of an interface are often simply written one after the other.
        match deserializer.end() {
            Ok(()) if place.is_cut() => return Ok(End::Limit(line)),
            Ok(()) => return Ok(End::Whole),
            Err(_) if n_documents >= MAX_ITEMS => return Ok(End::Broken(line)),
            Err(_) => {}
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

struct Walk<'a> {
    shape: Shape,
    document: &'static Document,
    take: &'a mut Take<'a>,
    place: &'a Place,
}

impl Walk<'_> {
    fn below(&mut self, shape: Shape) -> Walk<'_> {
        Walk { shape, take: &mut *self.take, ..*self }
    }

    fn whole<'de, D: Deserializer<'de>>(
        &mut self,
        name: &str,
        deserializer: D,
    ) -> Result<(), D::Error> {
        // Its first byte was peeked at.
        let line = self.place.line();
        let is_open = self.document.open.contains(&name);
        let value = Pruned { document: self.document, depth: 0, is_open, place: self.place };
        let value = value.deserialize(deserializer)?;
        (self.take)(Part::Whole(name, value), line);
        Ok(())
    }

    fn wrong(self) {
        let (name, fault) = match self.shape {
            Shape::Items(name, _) => (name, "not a list"),
            Shape::Fields(name, ..) => (name, "not an object"),
            Shape::Either(Shape::Items(name, _), _) => (*name, "neither a list nor an object"),
            Shape::Whole(_) | Shape::Either(..) => return,
        };
        (self.take)(Part::Wrong(name, fault), self.place.line());
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<(), D::Error> {
        match self.shape {
            Shape::Whole(name) => self.whole(name, deserializer),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    visit_scalars!(self, _ => self.wrong());

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.wrong();
        Ok(())
    }

    /// Null is as good as left out.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let (name, inner) = match self.shape {
            Shape::Items(name, inner) => (name, inner),
            Shape::Either(Shape::Items(name, inner), _) => (*name, *inner),
            _ => {
                self.wrong();
                while items.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(());
            }
        };
        (self.take)(Part::Begin(name), self.place.line());
        while items.next_element_seed(self.below(*inner))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        let shape = match self.shape {
            Shape::Either(_, object) => *object,
            other => other,
        };
        match shape {
            Shape::Fields(name, wholes, others) => {
                (self.take)(Part::Begin(name), self.place.line());
                while let Some(key) = entries.next_key::<String>()? {
                    let other = others.iter().find(|(known, _)| *known == key);
                    let whole = || wholes.iter().find(|known| **known == key);
                    let shape = other.map(|(_, shape)| *shape);
                    match shape.or_else(|| whole().map(|name| Shape::Whole(name))) {
                        Some(shape) => entries.next_value_seed(self.below(shape))?,
                        None => {
                            entries.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                (self.take)(Part::End(name), self.place.line());
                Ok(())
            }
            Shape::Whole(name) => self.whole(name, MapAccessDeserializer::new(entries)),
            Shape::Items(..) | Shape::Either(..) => {
                self.wrong();
                while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(())
            }
        }
    }
}

/// A value without the fields that are not read.
#[derive(Clone, Copy)]
struct Pruned<'a> {
    document: &'static Document,
    depth: usize,
    is_open: bool,
    place: &'a Place,
}

impl Pruned<'_> {
    fn of_item(self) -> Self {
        Pruned { depth: self.depth + 1, ..self }
    }

    /// For a field; nothing if it is left out.
    fn of_field(self, key: &str) -> Option<Self> {
        let is_opened = self.document.open.contains(&key);
        let is_known = is_opened || self.document.fields.contains(&key);
        let is_open = self.is_open || is_opened;
        (self.is_open || is_known).then(|| Pruned { is_open, ..self.of_item() })
    }

    /// A string without what the guard has torn.
    fn whole(self, text: &str) -> Cow<'_, str> {
        if self.place.is_shortened() { untorn(text).into() } else { text.into() }
    }
}

impl<'de> DeserializeSeed<'de> for Pruned<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > MAX_DEPTH {
            // This does not recurse, however deep it goes.
            deserializer.deserialize_ignored_any(IgnoredAny).map(|_| Value::Null)
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Pruned<'_> {
    type Value = Value;

    visit_scalars!(self, value => value.into());

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(self.whole(value).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        while kept.len() < MAX_ITEMS {
            match items.next_element_seed(self.of_item())? {
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
            let Some(field) = self.of_field(&key).filter(|_| kept.len() < MAX_ITEMS) else {
                entries.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = entries.next_value_seed(field)?;
            kept.insert(self.whole(&key).into_owned(), value);
        }
        Ok(Value::Object(kept))
    }
}
