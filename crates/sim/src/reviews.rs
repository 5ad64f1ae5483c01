//! `hardwon-sim reviews`: how much is read of reviews in many forms, which are labelled in files beside
//! them; of those kept aside nothing is told but the figures.

mod score;

use std::fs;
use std::path::Path;

use crate::{Cell, Column, Table};
pub use score::{Form, Reading, Score, score};

const COLUMNS: [Column; 7] = [
    Column { title: "set", key: "set" },
    Column { title: "forms", key: "forms" },
    Column { title: "whole", key: "whole" },
    Column { title: "partly", key: "partly" },
    Column { title: "wrong", key: "wrong" },
    Column { title: "nothing", key: "nothing" },
    Column { title: "false findings", key: "false_findings" },
];

/// Reads the forms of a folder, and those in its folder `aside`.
pub fn run(folder: &Path, talk: &mut dyn FnMut(&str)) -> Result<Table, String> {
    let mut table = Table {
        title: "reviews: how much of each form is read".to_owned(),
        notes: vec![
            "whole: every finding with its place, severity and repair, and no other".to_owned(),
            "wrong: something that the author of the review did not report".to_owned(),
        ],
        columns: COLUMNS.to_vec(),
        rows: Vec::new(),
    };
    for (name, folder) in [("seen", folder.to_owned()), ("kept aside", folder.join("aside"))] {
        let forms = forms(&folder)?;
        let scores: Vec<Score> = forms.iter().map(score).collect();
        if name == "seen" {
            let differing = forms.iter().zip(&scores).filter(|(_, score)| !score.faults.is_empty());
            differing.for_each(|(form, score)| tell(form, score, talk));
        }
        if !forms.is_empty() {
            table.rows.push(row(name, &scores));
        }
    }
    Ok(table)
}

fn tell(form: &Form, score: &Score, talk: &mut dyn FnMut(&str)) {
    score.faults.iter().for_each(|fault| talk(&format!("{}: {fault}", form.name)));
}

fn row(name: &str, scores: &[Score]) -> Vec<Cell> {
    let count = |reading: Reading| {
        Cell::Count(scores.iter().filter(|score| score.reading == reading).count() as u64)
    };
    let n_false: usize = scores.iter().map(|score| score.n_false).sum();
    vec![
        Cell::Text(name.to_owned()),
        Cell::Count(scores.len() as u64),
        count(Reading::Whole),
        count(Reading::Partly),
        count(Reading::Wrong),
        count(Reading::Nothing),
        Cell::Count(n_false as u64),
    ]
}

/// Every message of a folder that has labels, by name.
fn forms(folder: &Path) -> Result<Vec<Form>, String> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(_) if folder.ends_with("aside") => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let form = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Form::new(&name, &read(path)?, &read(&path.with_extension("expected"))?))
    };
    paths.iter().map(form).collect()
}
