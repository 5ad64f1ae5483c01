//! `hardwon-sim wishes`: which of labelled sentences are taken for wishes that last. The
//! sentences are our own, in the manner of those that people type; the caller may bring others.

use std::fs;
use std::path::Path;

use hardwon_core::wish::judge;

use crate::{Cell, Column, Table};

const CASES: &str = include_str!("../cases/wishes.txt");

const COLUMNS: [Column; 6] = [
    Column { title: "set", key: "set" },
    Column { title: "sentences", key: "n" },
    Column { title: "wishes", key: "wishes" },
    Column { title: "found", key: "found" },
    Column { title: "precision", key: "precision" },
    Column { title: "recall", key: "recall" },
];

/// Sentences under one heading, each with whether it is a wish.
struct Set<'a> {
    name: &'a str,
    cases: Vec<(bool, &'a str)>,
}

/// Judges every sentence; `talk` is told the ones that are judged wrongly.
pub fn run(file: Option<&Path>, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let own = file.map(|file| {
        fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
    });
    let own = own.transpose()?;
    let sets = read(own.as_deref().unwrap_or(CASES))?;
    let n: usize = sets.iter().map(|set| set.cases.len()).sum();
    Ok(Table {
        title: format!("wishes: {n} labelled sentences"),
        notes: vec!["`aside` was not looked at while the rules were tuned.".to_owned()],
        columns: COLUMNS.to_vec(),
        rows: sets.iter().map(|set| row(set, talk)).collect(),
    })
}

fn read(text: &str) -> Result<Vec<Set<'_>>, String> {
    let mut sets: Vec<Set<'_>> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let name = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let labelled = line.split_at_checked(2);
        match (name, labelled) {
            (Some(name), _) => sets.push(Set { name, cases: Vec::new() }),
            (None, Some(("+ " | "- ", sentence))) => {
                if sets.is_empty() {
                    sets.push(Set { name: "all", cases: Vec::new() });
                }
                let is_wish = line.starts_with('+');
                sets.last_mut().into_iter().for_each(|set| set.cases.push((is_wish, sentence)));
            }
            _ if line.trim().is_empty() || line.starts_with('#') => {}
            _ => return Err(format!("line {number} begins with neither + nor -")),
        }
    }
    Ok(sets)
}

fn row(set: &Set<'_>, talk: &mut dyn FnMut(&str)) -> Vec<Cell> {
    let (mut n_right, mut n_found, mut n_wishes) = (0_u64, 0_u64, 0_u64);
    for (is_wish, sentence) in &set.cases {
        let judged = judge(sentence);
        n_wishes += u64::from(*is_wish);
        n_found += u64::from(judged.is_ok());
        n_right += u64::from(*is_wish && judged.is_ok());
        match (is_wish, judged) {
            (true, Err(why)) => talk(&format!("missed: {sentence} ({why})")),
            (false, Ok(_)) => talk(&format!("made up: {sentence}")),
            (true, Ok(_)) | (false, Err(_)) => {}
        }
    }
    let share = |of: u64| match of {
        0 => Cell::Nothing,
        of => Cell::Number(n_right as f64 / of as f64, 2),
    };
    vec![
        Cell::Text(set.name.to_owned()),
        Cell::Count(set.cases.len() as u64),
        Cell::Count(n_wishes),
        Cell::Count(n_found),
        share(n_found),
        share(n_wishes),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_wishes_are_found_and_few_made_up() {
        let table = run(None, &mut |_| {}).unwrap();
        for row in &table.rows {
            let [.., Cell::Number(precision, _), Cell::Number(recall, _)] = row.as_slice() else {
                panic!("{row:?}")
            };
            assert!(*precision >= 0.9 && *recall >= 0.8, "{row:?}");
        }
        let n: usize = read(CASES).unwrap().iter().map(|set| set.cases.len()).sum();
        assert!(n >= 200, "{n}");
    }

    #[test]
    fn a_file_with_other_lines_is_refused() {
        assert!(read("+ a\nb").is_err());
        assert_eq!(read("# a\n\n+ use it\n- no").unwrap()[0].cases.len(), 2);
    }
}
