//! What does a review in Markdown say? A file of its own, with or without a verdict for programs.

use std::io::{self, Read};

use hardwon_core::event::{Event, Record};

use super::MAX_BYTES;
use super::pattern::patterns;
use super::role::{file_stem, issue_of_file, of_file, role_name};
use super::signal::signals;
use super::told::{Told, Who, told};
use crate::lines::size;
use crate::report::Report;
use crate::review_text::{UNREAD, is_reviewer};

/// Reads a review; the author that the caller names wins.
pub fn read(reader: &mut dyn Read, mut report: Report, author: Option<&str>) -> io::Result<Record> {
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES).read_to_end(&mut bytes)?;
    if bytes.len() as u64 >= MAX_BYTES {
        report.cut = Some(size(MAX_BYTES));
    }
    let text = String::from_utf8_lossy(&bytes);
    let input = report.notes.source().input;
    let (issue, iteration) = issue_of_file(&input);
    let given = author.and_then(role_name).or_else(|| of_file(&input).map(str::to_owned));
    let fallback = fallback(&input);
    let who = Who { given, fallback: fallback.clone(), issue, iteration, is_file: true };
    let told = told(&text, &who, &report.notes);
    report.notes.go_to(0);
    let is_nothing = told.findings.is_empty()
        && told.verdicts.is_empty()
        && told.patterns.is_empty()
        && told.attempts.is_empty();
    if is_nothing {
        report.notes.problem(UNREAD);
    } else if told.author == "reviewer" && fallback == "reviewer" && author.is_none() {
        report.notes.problem("nothing names the author of the review; pass --author ROLE");
    }
    push(&mut report, told);
    Ok(report.finish())
}

/// States what a report says.
pub fn push(report: &mut Report, told: Told) {
    let findings = told.findings.into_iter().chain(told.patterns);
    findings.for_each(|finding| report.finding(finding));
    told.verdicts.into_iter().for_each(|verdict| report.push(Event::Verdict(verdict)));
    told.attempts.into_iter().for_each(|attempt| report.push(Event::Attempt(attempt)));
}

/// The author by the name of the file, if that is one of a reviewer: `security-review.md`.
fn fallback(input: &str) -> String {
    let stem = file_stem(input).to_lowercase();
    let parts = stem.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("-");
    let is_name = is_reviewer(&name) && !matches!(name.as_str(), "review" | "reviews" | "check");
    if is_name { name } else { "reviewer".to_owned() }
}

/// Whether the start of an input may be that of a review in Markdown.
pub fn may_be_review(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head);
    let is_mark =
        |line: &str| ["# ", "## ", "### ", "**", "<!--"].iter().any(|mark| line.starts_with(mark));
    !head.trim_start().starts_with(['{', '['])
        && head
            .lines()
            .filter(|line| !line.trim().is_empty())
            .take(20)
            .any(|line| is_mark(line.trim_start()))
}

/// Whether a text says a verdict or a diagnosis for programs, or lists patterns.
pub fn is_review(text: &str) -> bool {
    !signals(text).all.is_empty() || !patterns(text, "").0.is_empty()
}
