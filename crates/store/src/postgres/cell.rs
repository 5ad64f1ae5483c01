//! Values on their way to the server, each with the type that it has there. Types are stated, so that a
//! statement needs no preparation by a name: behind a pooler the next one may go to another server
//! process.

use hardwon_core::time::Timestamp;
use tokio_postgres::types::{ToSql, Type};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Text(Option<String>),
    Texts(Vec<String>),
    Int(Option<i64>),
    Real(Option<f64>),
    Flag(bool),
}

impl Cell {
    /// As the client takes it.
    pub(super) fn param(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Cell::Text(text) => (text, Type::TEXT),
            Cell::Texts(texts) => (texts, Type::TEXT_ARRAY),
            Cell::Int(number) => (number, Type::INT8),
            Cell::Real(number) => (number, Type::FLOAT8),
            Cell::Flag(flag) => (flag, Type::BOOL),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(Some(text.to_owned()))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(Some(text))
    }
}

impl From<Option<&str>> for Cell {
    fn from(text: Option<&str>) -> Self {
        Cell::Text(text.map(str::to_owned))
    }
}

impl From<Vec<String>> for Cell {
    fn from(texts: Vec<String>) -> Self {
        Cell::Texts(texts)
    }
}

impl From<Vec<&str>> for Cell {
    fn from(texts: Vec<&str>) -> Self {
        Cell::Texts(texts.into_iter().map(str::to_owned).collect())
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Cell::Int(Some(number))
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Cell::Int(Some(number as i64))
    }
}

impl From<Option<i64>> for Cell {
    fn from(number: Option<i64>) -> Self {
        Cell::Int(number)
    }
}

impl From<Timestamp> for Cell {
    fn from(time: Timestamp) -> Self {
        Cell::Int(Some(time.0))
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Cell::Real(Some(number))
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        Cell::Real(number)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Cell::Flag(flag)
    }
}

/// A list of cells out of values of several types.
macro_rules! cells {
    ($($value:expr),* $(,)?) => {
        Vec::from([$($crate::postgres::cell::Cell::from($value)),*])
    };
}
pub(super) use cells;
