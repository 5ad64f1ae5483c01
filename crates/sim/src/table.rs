//! How do figures look? One table, as aligned text for people and as JSON for programs.

use std::fmt;

use serde_json::{Map, Value, json};

/// Figures with what they mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub title: String,
    /// How it was measured and what to keep in mind, one sentence each.
    pub notes: Vec<String>,
    pub columns: Vec<Column>,
    /// Each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

/// One column: how people and how programs call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub title: &'static str,
    pub key: &'static str,
}

/// One figure or name.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Text(String),
    Count(u64),
    /// A number and how many decimals of it mean something.
    Number(f64, usize),
    /// Does not apply or was not measured.
    Nothing,
}

impl Cell {
    fn is_text(&self) -> bool {
        matches!(self, Cell::Text(_))
    }

    fn to_json(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Number(number, decimals) => {
                let unit = 10f64.powi(*decimals as i32);
                json!((number * unit).round() / unit)
            }
            Cell::Nothing => Value::Null,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Text(text) => f.write_str(text),
            Cell::Count(count) => write!(f, "{count}"),
            Cell::Number(number, decimals) => write!(f, "{number:.decimals$}"),
            Cell::Nothing => f.write_str("-"),
        }
    }
}

impl Table {
    /// An object with `title`, `notes` and `rows`, each row by the columns' keys.
    pub fn to_json(&self) -> Value {
        let row = |cells: &Vec<Cell>| -> Value {
            let keys = self.columns.iter().map(|column| column.key.to_owned());
            keys.zip(cells.iter().map(Cell::to_json)).collect::<Map<_, _>>().into()
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({ "title": self.title, "notes": self.notes, "rows": rows })
    }

    fn width(&self, index: usize) -> usize {
        let cells = self.rows.iter().map(|row| n_chars(&row[index]));
        cells.chain([n_chars(self.columns[index].title)]).max().unwrap_or(0)
    }

    /// Names stand left, figures right. A column of names has no figure.
    fn is_left(&self, index: usize) -> bool {
        self.rows.iter().any(|row| row[index].is_text())
    }

    fn line(&self, f: &mut fmt::Formatter<'_>, cells: &[String]) -> fmt::Result {
        let mut line = String::new();
        for (index, cell) in cells.iter().enumerate() {
            let padding = " ".repeat(self.width(index) - n_chars(cell));
            let (before, after) =
                if self.is_left(index) { ("", padding.as_str()) } else { (padding.as_str(), "") };
            let gap = if index == 0 { "" } else { "  " };
            line.extend([gap, before, cell, after]);
        }
        writeln!(f, "{}", line.trim_end())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.title)?;
        let titles: Vec<String> = self.columns.iter().map(|c| c.title.to_owned()).collect();
        self.line(f, &titles)?;
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(Cell::to_string).collect();
            self.line(f, &cells)?;
        }
        if !self.notes.is_empty() {
            writeln!(f)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

fn n_chars(text: impl fmt::Display) -> usize {
    text.to_string().chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            title: "Apples".into(),
            notes: vec!["Counted twice.".into()],
            columns: vec![
                Column { title: "sort", key: "sort" },
                Column { title: "× best", key: "ratio" },
                Column { title: "n", key: "n" },
            ],
            rows: vec![
                vec![Cell::Text("Boskoop".into()), Cell::Number(1.0, 2), Cell::Count(12_000)],
                vec![Cell::Text("Idared".into()), Cell::Nothing, Cell::Count(7)],
            ],
        }
    }

    #[test]
    fn columns_are_aligned() {
        let expected = "\
Apples

sort     × best      n
Boskoop    1.00  12000
Idared        -      7

Counted twice.
";
        assert_eq!(table().to_string(), expected);
    }

    #[test]
    fn json_has_numbers_under_the_keys() {
        let rows = json!([
            { "sort": "Boskoop", "ratio": 1.0, "n": 12_000 },
            { "sort": "Idared", "ratio": null, "n": 7 },
        ]);
        let expected = json!({ "title": "Apples", "notes": ["Counted twice."], "rows": rows });
        assert_eq!(table().to_json(), expected);
    }

    #[test]
    fn a_table_without_rows_shows_its_head() {
        let empty = Table { rows: Vec::new(), notes: Vec::new(), ..table() };
        assert_eq!(empty.to_string(), "Apples\n\nsort  × best  n\n");
    }
}
