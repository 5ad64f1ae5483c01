//! Values on their way to a database, each with the type that it has there. For a server types are
//! stated, so that a statement needs no preparation by a name: behind a pooler the next one may go to
//! another server process.

use hardwon_core::time::Timestamp;
use tokio_postgres::types::{ToSql, Type};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Text(Option<String>),
    Texts(Vec<String>),
    Int(Option<i64>),
    Real(Option<f64>),
    Flag(bool),
    Column(Column),
}

/// The values of one column of several rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Column {
    Texts(Vec<Option<String>>),
    Ints(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Flags(Vec<bool>),
}

impl Cell {
    /// As the client takes it.
    pub(crate) fn param(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Cell::Text(text) => (text, Type::TEXT),
            Cell::Texts(texts) => (texts, Type::TEXT_ARRAY),
            Cell::Int(number) => (number, Type::INT8),
            Cell::Real(number) => (number, Type::FLOAT8),
            Cell::Flag(flag) => (flag, Type::BOOL),
            Cell::Column(Column::Texts(texts)) => (texts, Type::TEXT_ARRAY),
            Cell::Column(Column::Ints(numbers)) => (numbers, Type::INT8_ARRAY),
            Cell::Column(Column::Reals(numbers)) => (numbers, Type::FLOAT8_ARRAY),
            Cell::Column(Column::Flags(flags)) => (flags, Type::BOOL_ARRAY),
        }
    }
}

/// Rows, column by column. Those of one column are of one type.
pub(crate) fn columns(rows: Vec<Vec<Cell>>) -> Vec<Cell> {
    let mut columns: Vec<Column> = Vec::new();
    for row in rows {
        if columns.is_empty() {
            columns = row.iter().map(Column::of).collect();
        }
        columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
    }
    columns.into_iter().map(Cell::Column).collect()
}

impl Column {
    /// The empty column of cells like this one.
    fn of(cell: &Cell) -> Self {
        match cell {
            Cell::Int(_) => Column::Ints(Vec::new()),
            Cell::Real(_) => Column::Reals(Vec::new()),
            Cell::Flag(_) => Column::Flags(Vec::new()),
            Cell::Text(_) | Cell::Texts(_) | Cell::Column(_) => Column::Texts(Vec::new()),
        }
    }

    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Column::Texts(column), Cell::Text(text)) => column.push(text),
            (Column::Texts(column), Cell::Texts(texts)) => column.push(Some(literal(&texts))),
            (Column::Ints(column), Cell::Int(number)) => column.push(number),
            (Column::Reals(column), Cell::Real(number)) => column.push(number),
            (Column::Flags(column), Cell::Flag(flag)) => column.push(flag),
            _ => unreachable!("the cells of a column are of one type"),
        }
    }
}

/// A list as the server writes it: lists of lists are no type of its.
fn literal(texts: &[String]) -> String {
    let quoted = |text: &String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", texts.iter().map(quoted).collect::<Vec<_>>().join(","))
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
        Vec::from([$($crate::cell::Cell::from($value)),*])
    };
}
pub(crate) use cells;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let rows = vec![
            cells!["a", 1_i64, vec!["x", "y\"z\\"]],
            cells![None::<&str>, 2_i64, Vec::<&str>::new()],
        ];
        let expected = [
            Column::Texts(vec![Some("a".into()), None]),
            Column::Ints(vec![Some(1), Some(2)]),
            Column::Texts(vec![Some(r#"{"x","y\"z\\"}"#.into()), Some("{}".into())]),
        ];
        assert_eq!(columns(rows), expected.map(Cell::Column));
        assert!(columns(Vec::new()).is_empty());
    }
}
