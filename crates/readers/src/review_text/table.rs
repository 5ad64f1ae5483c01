//! What does a row of a table say? By the titles of its columns, in any order.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::{FindingState, Severity};
use hardwon_core::list;

use super::said::says_none;
use super::words::{graded, only_grade};
use super::{Reviewer, finding, place, plain};

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
    /// The column that says what is called a finding, not only a description.
    is_of_findings: bool,
}

impl Columns {
    pub fn of(titles: &[String]) -> Self {
        let mut columns = Columns::default();
        for (index, title) in titles.iter().enumerate() {
            let title = title.replace(['*', '`'], "").replace("(s)", "s").to_lowercase();
            let column = match known(title.trim()) {
                "severity" | "sev" | "level" | "priority" | "sev." => &mut columns.severity,
                "file" | "location" | "path" | "where" | "place" | "file:line" | "file/line"
                | "files" => &mut columns.place,
                "line" | "lines" => &mut columns.line,
                "finding" | "issue" | "description" | "problem" | "summary" | "message"
                | "concern" | "title" | "details" | "what" | "bug" => {
                    let names = ["finding", "issue", "problem", "concern", "bug"];
                    columns.is_of_findings |= names.contains(&title.trim());
                    // Of two that say what, the first says it shortest.
                    if columns.text.is_some() {
                        continue;
                    }
                    &mut columns.text
                }
                "fix" | "suggested fix" | "recommendation" | "suggestion" | "how to fix"
                | "remediation" | "proposed fix" | "recommended fix" | "action" => {
                    &mut columns.repair
                }
                "status" | "state" => &mut columns.status,
                "category" | "type" | "rule" => &mut columns.category,
                _ => continue,
            };
            *column = Some(index);
        }
        columns
    }

    /// Whether its rows are findings, each with how bad it is and where.
    pub fn lists_findings(&self) -> bool {
        self.is_of_findings && self.severity.is_some() && self.place.is_some()
    }

    /// The finding of a row; `worst` is what its section says of all of them.
    pub fn finding(
        &self,
        cells: &[String],
        by: &Reviewer<'_>,
        worst: Option<Severity>,
    ) -> Option<FindingStated> {
        let cell = |column: Option<usize>| cells.get(column?).map(String::as_str);
        let mark = |cell: &str| only_grade(cell).map(|grade| grade.worst);
        let of_cell = |cell: &str| cell.split_whitespace().find_map(by_word).or_else(|| mark(cell));
        let is_told = self.place.is_some() || self.line.is_some() || worst.is_some();
        let is_listed = self.is_of_findings && is_told && by.is_reviewer;
        let worst = match cell(self.severity) {
            Some(cell) => of_cell(cell)?,
            None => worst.unwrap_or(Severity::Warning),
        };
        let words = cell(self.text).filter(|_| self.severity.is_some() || is_listed)?;
        let place = cell(self.place).and_then(place::first_place);
        let place = place.or_else(|| cell(self.line).and_then(place::with_line));
        let place = place.or_else(|| place::first_place(words));
        // `src/a.rs: 41-52`
        let numbers = cell(self.line).map(|it| it.rsplit_once(' ').map_or(it, |(_, last)| last));
        let line = cell(self.line).and_then(place::line_number);
        let line = line.or_else(|| numbers.and_then(place::line_number));
        let place = place.map(|(path, stated)| (path, stated.or(line)));
        let mut finding = finding(by, worst, words, place)?;
        finding.repair = cell(self.repair).map(plain).filter(|text| !says_none(text));
        finding.repair = finding.repair.filter(|text| text.contains(char::is_alphabetic));
        finding.category = cell(self.category).filter(|word| !word.is_empty()).map(str::to_owned);
        if let Some(state) = cell(self.status).and_then(status) {
            finding.state = Some(state);
            finding.is_gone = state == FindingState::Fixed;
        }
        Some(finding)
    }
}

/// The title of a column by the word in it that counts: `Affected file`, `Issue description`.
fn known(title: &str) -> &str {
    let words: Vec<&str> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // `Issue no.` counts, and says nothing.
    let is_line = words.iter().any(|word| word.starts_with("line"));
    let counts = words.iter().any(|word| matches!(*word, "id" | "no" | "number" | "count"));
    let counts = counts && !is_line;
    if !(2..=3).contains(&words.len()) || counts {
        return title;
    }
    let names = [
        ("severity", &["severity", "priority"][..]),
        ("file", &["file", "files", "location", "path"]),
        ("line", &["line", "lines"]),
        ("fix", &["fix", "recommendation", "remediation", "suggestion", "solution"]),
        ("finding", &["finding", "issue", "problem", "vulnerability", "defect"]),
    ];
    let is_in = |known: &[&str]| words.iter().any(|word| known.contains(word));
    names.iter().find(|(_, known)| is_in(known)).map_or(title, |(name, _)| name)
}

/// A severity by its word, or by its first letter where that is all.
fn by_word(word: &str) -> Option<Severity> {
    let letter = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    graded(word).map(|grade| grade.worst).or(match letter.as_str() {
        "c" | "b" => Some(Severity::Critical),
        "h" | "e" => Some(Severity::Bug),
        "m" | "w" => Some(Severity::Warning),
        "l" | "i" => Some(Severity::Info),
        "n" | "s" => Some(Severity::Recommendation),
        _ => None,
    })
}

/// Whether a status says that there is nothing to report: `✅ Secured`, `PASS`.
pub fn says_well(word: &str) -> bool {
    const WORDS: &[&str] = list!("reviews.txt", "well");
    let is_marked = word.trim_start().starts_with(['✅', '✔', '✓']);
    let lower = word.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.into_iter().next().unwrap_or_default();
    WORDS.contains(&first) || is_marked && status(word).is_none() && !lower.contains("agree")
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
