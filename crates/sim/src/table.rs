//! How do figures look? One table, as aligned text for people and as JSON for programs.

use std::fmt;

use serde_json::{Map, Value, json};

/// Figures with what they mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub title: String,
    /// How it was measured and what to keep in mind, one sentence each.
    pub notes: Vec<String>,
    pub rows: Vec<TableRow>,
}

/// Figures and what programs call them; people read spaces. All rows of a table have the same names.
pub type TableRow = Vec<(&'static str, Cell)>;

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
    /// An object with `title`, `notes` and `rows`, each an object too.
    pub fn to_json(&self) -> Value {
        let row = |row: &TableRow| -> Value {
            row.iter()
                .map(|(name, cell)| ((*name).to_owned(), cell.to_json()))
                .collect::<Map<_, _>>()
                .into()
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({ "title": self.title, "notes": self.notes, "rows": rows })
    }

    /// Names stand left, figures right. A column of names has no figure.
    fn is_left(&self, index: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[index].1, Cell::Text(_)))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.title)?;
        let head = |row: &TableRow| row.iter().map(|(name, _)| name.replace('_', " ")).collect();
        let cells = |row: &TableRow| row.iter().map(|(_, cell)| cell.to_string()).collect();
        let lines: Vec<Vec<String>> =
            self.rows.first().map(head).into_iter().chain(self.rows.iter().map(cells)).collect();
        for line in &lines {
            let mut told = String::new();
            for (index, cell) in line.iter().enumerate() {
                let width = lines.iter().map(|line| n_chars(&line[index])).max().unwrap_or(0);
                let padding = " ".repeat(width - n_chars(cell));
                let gap = if index == 0 { "" } else { "  " };
                let parts =
                    if self.is_left(index) { [gap, cell, &padding] } else { [gap, &padding, cell] };
                told.extend(parts);
            }
            writeln!(f, "{}", told.trim_end())?;
        }
        if !self.notes.is_empty() {
            writeln!(f)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

fn n_chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sort: &str, ratio: Cell, n: u64) -> TableRow {
        vec![("sort", Cell::Text(sort.into())), ("ratio_to_best", ratio), ("n", Cell::Count(n))]
    }

    fn table() -> Table {
        Table {
            title: "Apples".into(),
            notes: vec!["Counted twice.".into()],
            rows: vec![
                row("Boskoop", Cell::Number(1.0, 2), 12_000),
                row("Idared", Cell::Nothing, 7),
            ],
        }
    }

    #[test]
    fn columns_are_aligned() {
        let expected = "\
Apples

sort     ratio to best      n
Boskoop           1.00  12000
Idared               -      7

Counted twice.
";
        assert_eq!(table().to_string(), expected);
    }

    #[test]
    fn json_has_numbers_under_the_keys() {
        let rows = json!([
            { "sort": "Boskoop", "ratio_to_best": 1.0, "n": 12_000 },
            { "sort": "Idared", "ratio_to_best": null, "n": 7 },
        ]);
        let expected = json!({ "title": "Apples", "notes": ["Counted twice."], "rows": rows });
        assert_eq!(table().to_json(), expected);
    }
}
