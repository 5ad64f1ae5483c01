//! A row of a table with a severity column: by the titles of its columns, in any order.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Severity};

use super::graded::graded;
use super::{Reviewer, finding, place, plain, severity};

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
    repair: Option<usize>,
}

impl Columns {
    pub fn of(titles: &[String]) -> Self {
        let mut columns = Columns::default();
        for (index, title) in titles.iter().enumerate() {
            let title = title.replace(['*', '`'], "").to_lowercase();
            let column = match title.trim() {
                "severity" | "sev" | "level" | "priority" | "impact" => &mut columns.severity,
                "file" | "files" | "location" | "path" | "where" | "place" | "file:line"
                | "file/line" => &mut columns.place,
                "line" | "lines" | "line(s)" => &mut columns.line,
                "finding" | "issue" | "description" | "problem" | "summary" | "message"
                | "concern" | "title" | "details" | "what" | "bug" => &mut columns.text,
                "fix" | "suggested fix" | "recommendation" | "suggestion" | "how to fix"
                | "remediation" | "proposed fix" | "recommended fix" | "action" => {
                    &mut columns.repair
                }
                "status" | "state" => &mut columns.status,
                "category" | "type" | "rule" => &mut columns.category,
                _ => continue,
            };
            // Of two that say the same, the first says it shortest.
            column.get_or_insert(index);
        }
        columns
    }

    /// The finding of a row that states a severity.
    pub fn finding(&self, cells: &[String], by: &Reviewer<'_>) -> Option<FindingStated> {
        let cell = |column: Option<usize>| cells.get(column?).map(String::as_str);
        let worst = cell(self.severity)?;
        let worst = worst.split_whitespace().find_map(by_word).or_else(|| by_mark(worst))?;
        let words = cell(self.text)?;
        let place = cell(self.place).and_then(place::first_place);
        let place = place.or_else(|| place::first_place(words));
        let line = cell(self.line).and_then(place::line_number);
        let line = line.or_else(|| cell(self.place).and_then(place::stated_line));
        let place = place.map(|(path, stated)| (path, stated.or(line)));
        let mut finding = finding(by, worst, words, place)?;
        let repair = cell(self.repair).map(plain);
        finding.repair = repair.filter(|it| it.contains(char::is_alphabetic) && it != "None");
        finding.category = cell(self.category).filter(|word| !word.is_empty()).map(str::to_owned);
        if let Some(state) = cell(self.status).and_then(status) {
            finding.state = Some(state);
            finding.is_gone = state == FindingState::Fixed;
        }
        Some(finding)
    }
}

/// A severity by its word, or by its first letter where that is all.
fn by_word(word: &str) -> Option<Severity> {
    let letter = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    severity(word).or(match letter.as_str() {
        "c" => Some(Severity::Critical),
        "h" => Some(Severity::Bug),
        "m" => Some(Severity::Warning),
        "l" => Some(Severity::Info),
        _ => None,
    })
}

/// A severity by a mark alone: `🔴`.
fn by_mark(cell: &str) -> Option<Severity> {
    graded(cell).filter(|grade| grade.rest.is_empty()).map(|grade| grade.severity)
}

/// What became of something, by the word for it.
pub fn status(word: &str) -> Option<FindingState> {
    let word = word.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|known| word.contains(known));
    if says(&["not ", "unfixed", "unresolved", "open", "partial", "to be "]) {
        Some(FindingState::Open)
    } else if says(&["fixed", "resolved", "addressed"]) {
        Some(FindingState::Fixed)
    } else if says(&["false positive", "dismissed", "rejected", "refuted", "invalid"]) {
        Some(FindingState::Dismissed)
    } else {
        None
    }
}
