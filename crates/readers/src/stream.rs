//! Which parts of a large JSON document are worth handing over? Walks a document once and
//! hands over the values that a reader asked for, one at a time and without the fields that
//! nobody reads, so that memory holds one of them and never the document.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;

use crate::any_value::{AnyValue, Choice};
use crate::guard::{Guard, MAX_STRING_BYTES, Place};

/// Values nested deeper than this are left out: no report says anything down there.
const MAX_DEPTH: usize = 32;

/// Most items of a list inside one value.
const MAX_ITEMS: usize = 20_000;

/// What a document looks like, as far as it is read.
pub enum Shape {
    /// Handed over as it is, under this name.
    Whole(&'static str),
    /// A list whose items are read one by one.
    Items(&'static str, &'static Shape),
    /// An object of which these fields are read.
    Fields(&'static str, &'static [(&'static str, Shape)]),
    /// The first shape for a list, the second for an object.
    Either(&'static Shape, &'static Shape),
}

/// Which fields inside a whole value are kept.
pub struct Kept {
    pub fields: &'static [&'static str],
    /// Below these every field is kept.
    pub open: &'static [&'static str],
}

/// Who takes what is handed over. The line is where the value begins.
pub trait Take {
    fn value(&mut self, name: &'static str, value: Value, line: u64);
    fn begin(&mut self, _name: &'static str, _line: u64) {}
    fn end(&mut self, _name: &'static str) {}
    /// Something else stands where this was expected.
    fn wrong(&mut self, name: &'static str, why: &'static str, line: u64);
}

/// How the walk ended.
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
    shape: &'static Shape,
    kept: &'static Kept,
    take: &mut dyn Take,
) -> io::Result<End> {
    walk_with(reader, max_bytes, MAX_STRING_BYTES, shape, kept, take)
}

/// [`walk`] with strings shortened to another length.
pub fn walk_with(
    reader: impl Read,
    max_bytes: u64,
    max_string: usize,
    shape: &'static Shape,
    kept: &'static Kept,
    take: &mut dyn Take,
) -> io::Result<End> {
    let place = Rc::new(Place::default());
    let guard = Guard::new(reader, max_bytes, Rc::clone(&place)).with_strings(max_string);
    let mut deserializer = serde_json::Deserializer::from_reader(guard);
    let mut n_documents = 0;
    loop {
        let walk = Walk { shape, kept, take: &mut *take, place: &place };
        let result = walk.deserialize(&mut deserializer);
        let line = place.line();
        match result.as_ref().map_err(serde_json::Error::classify) {
            Ok(()) => {}
            Err(Category::Io) => return Err(result.err().map_or_else(broken, io::Error::from)),
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

fn broken() -> io::Error {
    io::Error::other("the stream broke")
}

/// One step of the walk.
struct Walk<'a> {
    shape: &'static Shape,
    kept: &'static Kept,
    take: &'a mut dyn Take,
    place: &'a Place,
}

impl Walk<'_> {
    fn below(&mut self, shape: &'static Shape) -> Walk<'_> {
        Walk { shape, kept: self.kept, take: &mut *self.take, place: self.place }
    }

    fn wrong(self) {
        let line = self.place.line();
        match self.shape {
            Shape::Whole(_) => {}
            Shape::Items(name, _) => self.take.wrong(name, "not a list", line),
            Shape::Fields(name, _) => self.take.wrong(name, "not an object", line),
            Shape::Either(Shape::Items(name, _), _) => {
                self.take.wrong(name, "neither a list nor an object", line);
            }
            Shape::Either(..) => {}
        }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Shape::Whole(name) = self.shape else { return deserializer.deserialize_any(self) };
        // Peeked at already, so this is at most one line early.
        let line = Cell::new(0);
        let choice = Pruned {
            kept: self.kept,
            depth: 0,
            is_open: self.kept.open.contains(name),
            begins: Some((self.place, &line)),
        };
        let value = AnyValue(choice).deserialize(deserializer)?;
        let line = if line.get() == 0 { self.place.line() } else { line.get() };
        self.take.value(name, value, line);
        Ok(())
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    /// Null is as good as left out.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.wrong();
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.wrong();
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.wrong();
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.wrong();
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.wrong();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let shape = match self.shape {
            Shape::Either(list, _) => list,
            other => other,
        };
        let Shape::Items(name, inner) = shape else {
            self.wrong();
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        self.take.begin(name, self.place.line());
        while items.next_element_seed(self.below(inner))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        let shape = match self.shape {
            Shape::Either(_, object) => object,
            other => other,
        };
        match shape {
            Shape::Fields(name, fields) => {
                self.take.begin(name, self.place.line());
                while let Some(key) = entries.next_key::<String>()? {
                    match fields.iter().find(|(known, _)| *known == key) {
                        Some((_, shape)) => entries.next_value_seed(self.below(shape))?,
                        None => drop(entries.next_value::<IgnoredAny>()?),
                    }
                }
                self.take.end(name);
                Ok(())
            }
            Shape::Whole(name) => {
                let line = self.place.line();
                let is_open = self.kept.open.contains(name);
                let choice = Pruned { kept: self.kept, depth: 0, is_open, begins: None };
                let value = AnyValue(choice).visit_map(entries)?;
                self.take.value(name, value, line);
                Ok(())
            }
            Shape::Items(..) | Shape::Either(..) => {
                self.wrong();
                while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(())
            }
        }
    }
}

/// A value without the fields that nobody reads.
#[derive(Clone, Copy)]
struct Pruned<'a> {
    kept: &'static Kept,
    depth: usize,
    is_open: bool,
    /// Where to note the line in which the value begins.
    begins: Option<(&'a Place, &'a Cell<u64>)>,
}

impl Choice for Pruned<'_> {
    const MAX_ITEMS: usize = MAX_ITEMS;

    fn is_too_deep(self) -> bool {
        self.depth > MAX_DEPTH
    }

    fn begins(self) {
        if let Some((place, line)) = self.begins {
            line.set(place.line());
        }
    }

    fn of_item(self) -> Self {
        Pruned { depth: self.depth + 1, begins: None, ..self }
    }

    fn of_field(self, key: &str) -> Option<Self> {
        let is_opened = self.kept.open.contains(&key);
        let is_known = is_opened || self.kept.fields.contains(&key);
        let is_open = self.is_open || is_opened;
        (self.is_open || is_known).then(|| Pruned { is_open, ..self.of_item() })
    }
}
