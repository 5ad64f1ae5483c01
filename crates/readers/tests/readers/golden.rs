//! Each file below `fixtures` is read exactly as the `.expected` file beside it says, field by
//! field. `HARDWON_BLESS=1` writes those anew.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_core::event::{Problem, Record};
use hardwon_core::foreign::ForeignFile;
use hardwon_readers::{
    ReadError, Reviewer, archeflow_audit, archeflow_lessons, openagents_episodes,
    openagents_lessons, openagents_memories, openagents_shipped_lessons, read, review_text,
};

use crate::shown;

/// The debug form without fields that hold nothing.
fn compact(value: &impl Debug) -> String {
    let mut text = format!("{value:?}");
    let nothing = ["None", "[]", "{}", "false", "\"\"", "Usage { }", "Episode { }", "Reach { }"];
    for nothing in nothing.map(|nothing| format!(": {nothing}")) {
        let mut from = 0;
        while let Some(at) = text[from..].find(&nothing).map(|at| from + at) {
            let end = at + nothing.len();
            let name = text[..at].rfind(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
            from = end;
            if text[end..].starts_with(", ") {
                from = name + 1;
                text.replace_range(from..end + 2, "");
            } else if text[end..].starts_with(" }") {
                from = text[..=name].trim_end_matches([',', ' ']).len();
                text.replace_range(from..end, "");
            }
        }
    }
    text
}

fn of_record(record: Result<Record, ReadError>) -> String {
    let record = match record {
        Ok(record) => record,
        Err(error) => return format!("error: {error}\n"),
    };
    let events = record.events.iter();
    let events = events.map(|one| format!("{}: {}\n", one.source.line, compact(&one.event)));
    let events: String = events.collect();
    let flags = Record { events: Vec::new(), problems: Vec::new(), ..record };
    format!("{}\n{events}{}", compact(&flags), of_problems(&record.problems))
}

fn of_problems(problems: &[Problem]) -> String {
    shown(problems).iter().map(|problem| format!("! {problem}\n")).collect()
}

/// The records of a memory file, which gives every byte back.
fn of_lines<T: Debug>(bytes: &[u8], read: (ForeignFile<T>, Vec<Problem>)) -> String {
    let (file, problems) = read;
    let raw: Vec<&[u8]> = file.lines.iter().map(|line| line.raw.as_slice()).collect();
    assert_eq!([raw.join(&b'\n'), vec![b'\n'; usize::from(file.has_end)]].concat(), bytes);
    let records = file.lines.iter().map(|line| format!("{}\n", compact(&line.record)));
    format!("{}{}", records.collect::<String>(), of_problems(&problems))
}

fn of_review(text: &str) -> String {
    let read = |is_reviewer| {
        let review = review_text(text, Reviewer { name: "n", is_reviewer, folder: None });
        let findings = review.findings.iter().map(|finding| compact(finding) + "\n");
        let (verdict, findings) = (compact(&review.verdict), String::from_iter(findings));
        format!("reviewer {is_reviewer}: {verdict}\n{findings}")
    };
    read(true) + &read(false)
}

fn shown_file(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    match path.file_stem().unwrap().to_str().unwrap() {
        "archeflow-lessons" => of_lines(&bytes, archeflow_lessons("x", &bytes)),
        "archeflow-audit" => of_lines(&bytes, archeflow_audit("x", &bytes)),
        "openagents-lessons" => of_lines(&bytes, openagents_lessons("x", &bytes)),
        "openagents-shipped" => of_lines(&bytes, openagents_shipped_lessons("x", &bytes)),
        "openagents-memories" => of_lines(&bytes, openagents_memories("x", &bytes)),
        "openagents-episodes" => of_lines(&bytes, openagents_episodes("x", &bytes)),
        _ if path.extension().unwrap() == "md" => of_review(&String::from_utf8(bytes).unwrap()),
        _ => of_record(read("x", &bytes[..], None)),
    }
}

pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_fixture_is_read_as_expected() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"));
    for path in files_below(root).iter().filter(|path| path.extension().unwrap() != "expected") {
        let expected = PathBuf::from(format!("{}.expected", path.display()));
        let found = shown_file(path);
        if std::env::var_os("HARDWON_BLESS").is_some() {
            fs::write(&expected, &found).unwrap();
        }
        let expected = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(found, expected, "{}: HARDWON_BLESS=1 writes it", path.display());
    }
}
