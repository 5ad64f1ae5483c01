//! What do the agents of a pipeline report? Markdown for people, with the verdict in an HTML
//! comment for programs. The same text stands in a comment on GitHub, in a file of its own, or in
//! the record of one call of an agent; all three are read here, in one way.

mod deliberation;
mod diagnosis;
mod pattern;
mod role;
mod signal;
mod told;

use std::io::{self, Read};

use hardwon_core::event::{Event, Record};

pub use deliberation::{in_time, line as deliberation_line, read as deliberations};
pub use diagnosis::attempt_result;
use pattern::patterns;
pub(crate) use role::role_name;
use role::{file_stem, issue_of_file, of_file};
pub use signal::has_signal;
use signal::signals;
use told::Told;
pub use told::{Who, told};

use crate::lines::size;
use crate::report::Report;
use crate::review_text::{UNREAD, is_reviewer};

/// More of one report, or of one call of an agent, is never held in memory.
const MAX_BYTES: u64 = 16 << 20;

/// Reads a review in Markdown, with or without a verdict for programs; the author that the caller names wins.
pub fn review(
    reader: &mut dyn Read,
    mut report: Report,
    author: Option<&str>,
) -> io::Result<Record> {
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

fn push(report: &mut Report, told: Told) {
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
