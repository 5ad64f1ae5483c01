//! What does a row of a table say? By the titles of its columns, in any order.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::FindingState;

use super::{Reviewer, finding, place, severity};

/// The cells of a row. A bar behind a backslash is text.
pub fn cells(line: &str) -> Vec<String> {
    let hidden = line.replace("\\|", "\u{1}");
    let inside = hidden.trim_matches('|');
    inside.split('|').map(|cell| cell.replace('\u{1}', "|").trim().to_owned()).collect()
}

/// Which column says what.
#[derive(Default)]
pub struct Columns {
    severity: Option<usize>,
    place: Option<usize>,
    line: Option<usize>,
    text: Option<usize>,
    status: Option<usize>,
    category: Option<usize>,
}

impl Columns {
    pub fn of(titles: &[String]) -> Self {
        let mut columns = Columns::default();
        for (index, title) in titles.iter().enumerate() {
            let title = title.replace(['*', '`'], "").to_lowercase();
            let column = match title.trim() {
                "severity" | "sev" | "level" | "priority" | "sev." => &mut columns.severity,
                "file" | "location" | "path" | "where" | "place" | "file:line" | "file/line"
                | "files" => &mut columns.place,
                "line" | "lines" => &mut columns.line,
                "finding" | "issue" | "description" | "problem" | "summary" | "message"
                | "concern" | "title" | "details" | "what" => {
                    // Of two that say what, the first says it shortest.
                    if columns.text.is_some() {
                        continue;
                    }
                    &mut columns.text
                }
                "status" | "state" => &mut columns.status,
                "category" | "type" | "rule" => &mut columns.category,
                _ => continue,
            };
            *column = Some(index);
        }
        columns
    }

    pub fn finding(&self, cells: &[String], by: &Reviewer<'_>) -> Option<FindingStated> {
        let cell = |column: Option<usize>| cells.get(column?).map(String::as_str);
        let worst = cell(self.severity)?.split_whitespace().find_map(severity)?;
        let words = cell(self.text)?;
        let place = cell(self.place).and_then(place::first_place);
        let place = place.or_else(|| place::first_place(words));
        let line = cell(self.line).and_then(|line| line.split(['-', '–']).next()?.parse().ok());
        let place = place.map(|(path, stated)| (path, stated.or(line)));
        let mut finding = finding(by, worst, words, place)?;
        finding.category = cell(self.category).filter(|word| !word.is_empty()).map(str::to_owned);
        if let Some(state) = cell(self.status).and_then(status) {
            finding.state = Some(state);
            finding.is_gone = state == FindingState::Fixed;
        }
        Some(finding)
    }
}

/// What became of something, by the word for it.
pub fn status(word: &str) -> Option<FindingState> {
    let word = word.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|known| word.contains(known));
    if says(&["not ", "unfixed", "unresolved", "open", "partial", "to be "]) {
        Some(FindingState::Open)
    } else if says(&["fixed", "resolved", "addressed"]) {
        Some(FindingState::Fixed)
    } else if says(&["false positive", "dismissed", "rejected"]) {
        Some(FindingState::Dismissed)
    } else {
        None
    }
}
