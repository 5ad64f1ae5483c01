//! What does the Markdown of a message say? Tables with a column of severities, list lines
//! that begin with one, and, from who is there to review, headings with one.

use hardwon_core::event::{FindingStated, VerdictStated};
use hardwon_core::finding::{FindingState, Severity};

use super::{Review, Reviewer, finding, place, severity};

/// Reads every line once.
pub fn review(message: &str, by: &Reviewer<'_>) -> Review {
    let mut reading = Reading { by: *by, review: Review::default(), under: None, table: None };
    let mut is_fenced = false;
    for line in message.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        if !is_fenced {
            reading.take(line);
        }
    }
    reading.review
}

struct Reading<'a> {
    by: Reviewer<'a>,
    review: Review,
    /// The severity that the heading above gives to what stands below it.
    under: Option<Severity>,
    table: Option<Columns>,
}

impl Reading<'_> {
    fn take(&mut self, line: &str) {
        if line.starts_with('|') {
            return self.take_row(line);
        }
        self.table = None;
        if let Some(heading) = line.strip_prefix('#') {
            return self.take_heading(heading.trim_start_matches('#'));
        }
        if self.by.is_reviewer {
            self.take_verdict(line);
        }
        if let Some(item) = item(line) {
            self.take_item(item);
        }
    }

    fn take_row(&mut self, line: &str) {
        let cells = cells(line);
        match &self.table {
            None => self.table = Some(Columns::of(&cells)),
            Some(columns) => {
                let found = columns.finding(&cells, &self.by);
                self.review.findings.extend(found);
            }
        }
    }

    /// A heading that says more than its severity is a finding itself.
    fn take_heading(&mut self, heading: &str) {
        self.under = None;
        if !self.by.is_reviewer {
            return;
        }
        let marked = marked(heading);
        match marked {
            Some((worst, rest)) if !is_only_heading(rest) => {
                self.review.findings.extend(placed(&self.by, worst, rest));
            }
            Some((worst, _)) => self.under = Some(worst),
            None => {
                let mut words = heading.split_whitespace().filter_map(severity);
                self.under = words.next().filter(|_| is_only_heading(heading));
            }
        }
    }

    fn take_item(&mut self, item: &str) {
        let found = match (marked(item), self.under) {
            (Some((worst, rest)), _) => placed(&self.by, worst, rest),
            (None, Some(worst)) => placed(&self.by, worst, item),
            (None, None) => None,
        };
        self.review.findings.extend(found);
    }

    /// `Verdict: PASS`.
    fn take_verdict(&mut self, line: &str) {
        let line = line.replace("**", "").to_lowercase();
        let Some(word) = line.strip_prefix("verdict:") else { return };
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let says = |words: &[&str]| words.iter().any(|known| word.starts_with(known));
        let is_pass = match says(&["fail", "reject", "request changes", "changes requested"]) {
            true => Some(false),
            false => says(&["pass", "approve", "lgtm"]).then_some(true),
        };
        let author = self.by.name.to_owned();
        self.review.verdict = Some(VerdictStated { author, is_pass, ..VerdictStated::default() });
    }
}

/// What a list line says, without its bullet, number and box.
fn item(line: &str) -> Option<&str> {
    let after_number = || {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = digits.len() < line.len();
        digits.strip_prefix(['.', ')']).filter(|_| is_numbered)
    };
    let rest = ["- ", "* ", "+ ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet));
    let rest = rest.or_else(after_number)?.trim_start();
    let boxes = ["[ ] ", "[x] ", "[X] "];
    Some(boxes.iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(rest))
}

/// The severity that a text begins with, set apart by brackets, stars or a colon, and the
/// rest. "High memory use" begins with a word, not with a mark.
fn marked(text: &str) -> Option<(Severity, &str)> {
    let text = text.trim_start_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '[' | '(' | '*' | '`') || c.is_ascii_digit()
    });
    let text = text.strip_prefix(". ").unwrap_or(text);
    let inner = text.trim_start_matches(['[', '(', '*', '`']);
    let end = inner.find(|c: char| !c.is_alphanumeric()).unwrap_or(inner.len());
    let worst = severity(&inner[..end])?;
    let rest = &inner[end..];
    let is_opened = inner.len() < text.len();
    let is_set_apart = match is_opened {
        true => rest.starts_with([']', ')', '*', '`', ':', '/', ' ']),
        false => rest.starts_with(':') || rest.starts_with(" —") || rest.starts_with(" -"),
    };
    if !is_set_apart {
        return None;
    }
    // `**High severity**: …`, `**[HIGH]** …`, `[high] …`: the rest begins behind the marks.
    let close = match is_opened {
        true => rest.find([']', ')', '*', '`', ':']).filter(|at| *at < 24)?,
        false => 0,
    };
    let is_mark = |c: char| matches!(c, ']' | ')' | '*' | '`' | ':' | '—' | '–' | '-' | ' ');
    let rest = &rest[close..];
    let is_code = |rest: &str| rest.starts_with(" `") || rest.starts_with(": `");
    Some((worst, if is_code(rest) { rest } else { rest.trim_start_matches(is_mark) }))
}

/// Whether a heading only says what sort of findings stand below it.
fn is_only_heading(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "issue", "finding", "severity", "priority", "problem", "concern", "must", "fix", "and",
        "item", "comment", "the", "of", "found",
    ];
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        word.is_empty() || severity(&word).is_some() || WORDS.contains(&word.trim_end_matches('s'))
    };
    text.split_whitespace().all(is_word)
}

/// `src/api.rs:41: text`, `text (src/api.rs:41)`: the place stands before or within.
fn placed(by: &Reviewer<'_>, worst: Severity, rest: &str) -> Option<FindingStated> {
    let rest = rest.trim();
    let (first, others) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let leads = first.ends_with(':') || others.starts_with(['-', '–', '—', ':']);
    match place::place(first).filter(|_| leads && !others.is_empty()) {
        Some(place) => finding(by, worst, others, Some(place)),
        None => finding(by, worst, rest, place::first_place(rest)),
    }
}

/// The cells of a row. A bar behind a backslash is text.
fn cells(line: &str) -> Vec<String> {
    let hidden = line.replace("\\|", "\u{1}");
    let inside = hidden.trim_matches('|');
    inside.split('|').map(|cell| cell.replace('\u{1}', "|").trim().to_owned()).collect()
}

/// Which column says what.
#[derive(Default)]
struct Columns {
    severity: Option<usize>,
    place: Option<usize>,
    line: Option<usize>,
    text: Option<usize>,
    status: Option<usize>,
    category: Option<usize>,
}

impl Columns {
    fn of(titles: &[String]) -> Self {
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

    fn finding(&self, cells: &[String], by: &Reviewer<'_>) -> Option<FindingStated> {
        let cell = |column: Option<usize>| cells.get(column?).map(String::as_str);
        let worst = cell(self.severity)?.split_whitespace().find_map(severity)?;
        let said = cell(self.text)?;
        let place = cell(self.place).and_then(place::first_place);
        let place = place.or_else(|| place::first_place(said));
        let line = cell(self.line).and_then(|line| line.split(['-', '–']).next()?.parse().ok());
        let place = place.map(|(path, stated)| (path, stated.or(line)));
        let mut finding = finding(by, worst, said, place)?;
        finding.category = cell(self.category).filter(|word| !word.is_empty()).map(str::to_owned);
        finding.state = cell(self.status).and_then(status);
        Some(finding)
    }
}

fn status(word: &str) -> Option<FindingState> {
    let word = word.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|known| word.contains(known));
    match () {
        () if says(&["not fixed", "unfixed", "open"]) => Some(FindingState::Open),
        () if says(&["fixed", "resolved"]) => Some(FindingState::Fixed),
        () if says(&["false positive", "dismissed", "rejected"]) => Some(FindingState::Dismissed),
        () => None,
    }
}
