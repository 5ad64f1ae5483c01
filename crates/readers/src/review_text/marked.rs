//! What does the Markdown of a message say? Tables with a column of severities, lines that
//! begin with one, and, from who is there to review, headings with one, lines that begin with
//! a place, and fields that stand below a heading.

use hardwon_core::event::{FindingStated, VerdictStated};
use hardwon_core::finding::{FindingState, Severity};
use hardwon_core::list;

use super::line::{Field, field, item, led, marked, placed, tailed};
use super::section::Section;
use super::table::{Columns, cells, status};
use super::{Review, Reviewer, finding, fixed, is_failing, is_passing, place, severity};

/// Most that is kept of what stands about one finding.
const MAX_PROSE_BYTES: usize = 4 << 10;

/// Reads every line once.
pub fn review(message: &str, by: &Reviewer<'_>) -> Review {
    let mut reading = Reading::new(*by);
    let mut is_fenced = false;
    for raw in message.lines() {
        let line = raw.trim();
        reading.indent = raw.len() - raw.trim_start().len();
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        is_fenced ^= is_fence;
        let n_before = reading.review.findings.len();
        if !is_fenced && !is_fence {
            reading.take(line);
        }
        reading.note_prose(line, n_before, is_fenced || is_fence);
    }
    reading.review
}

struct Reading<'a> {
    by: Reviewer<'a>,
    review: Review,
    section: Section,
    /// A heading that becomes a finding if a field below it gives a severity.
    title: Option<Title>,
    table: Option<Columns>,
    /// What is read belongs to the last finding.
    is_about: bool,
    /// How far the line that is read is set in, and the item of the last finding was: no item
    /// has less than any.
    indent: usize,
    item_indent: Option<usize>,
}

#[derive(Default)]
struct Title {
    text: String,
    place: Option<(String, Option<u32>)>,
}

impl<'a> Reading<'a> {
    fn new(by: Reviewer<'a>) -> Self {
        Reading {
            by,
            review: Review::default(),
            section: Section::default(),
            title: None,
            table: None,
            is_about: false,
            indent: 0,
            item_indent: None,
        }
    }

    /// Keeps what stands about a finding: its own line, and what follows until the next one
    /// or a heading.
    fn note_prose(&mut self, line: &str, n_before: usize, is_fenced: bool) {
        let is_new = self.review.findings.len() > n_before;
        self.is_about &= is_fenced || !line.starts_with(['#', '|']);
        self.is_about |= is_new;
        let Some(last) = self.review.findings.last_mut().filter(|_| self.is_about) else { return };
        let prose = last.prose.get_or_insert_default();
        if prose.len() + line.len() < MAX_PROSE_BYTES {
            prose.push_str(line);
            prose.push('\n');
        }
    }

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
        if let Some(field) = field(line)
            && self.take_field(field)
        {
            return;
        }
        match item(line) {
            Some((item, is_ticked)) => self.take_item(item, is_ticked),
            None => self.take_paragraph(line),
        }
    }

    fn take_row(&mut self, line: &str) {
        let cells = cells(line);
        match &self.table {
            None => self.table = Some(Columns::of(&cells)),
            Some(columns) => {
                let found = columns.finding(&cells, &self.by, None);
                self.add(found, false, None);
            }
        }
    }

    fn add(&mut self, found: Option<FindingStated>, is_fixed: bool, indent: Option<usize>) {
        let Some(mut found) = found else { return };
        if is_fixed || self.section.is_fixed {
            (found.state, found.is_gone) = (Some(FindingState::Fixed), true);
        }
        self.review.findings.push(found);
        self.item_indent = indent;
    }

    /// A heading that says more than its severity is a finding itself.
    fn take_heading(&mut self, heading: &str) {
        self.section = Section::of(heading);
        self.title = None;
        if !self.by.is_reviewer {
            return;
        }
        self.take_verdict(heading.trim());
        let tailed = || tailed(heading).filter(|tail| tail.rest.split_whitespace().count() > 1);
        match marked(heading).or_else(tailed) {
            Some(mark) if !is_only_heading(mark.rest) => {
                self.section = Section::default();
                let text = without_number(mark.rest);
                let found = placed(&self.by, mark.worst, text);
                self.add(found, false, None);
            }
            Some(mark) => self.section.worst = Some(mark.worst),
            None if is_only_heading(heading) => {
                self.section.worst = heading.split_whitespace().find_map(severity);
            }
            None if !self.section.is_quiet && !self.section.is_fixed => {
                let text = without_number(heading).to_owned();
                self.title = Some(Title { place: place::first_place(&text), text });
            }
            None => {}
        }
    }

    /// Whether the line was a field of something, and none of its own.
    fn take_field(&mut self, field: Field<'_>) -> bool {
        let worst = match field {
            Field::Severity(value) => value.split_whitespace().find_map(severity),
            _ => None,
        };
        if let (Some(worst), Some(title)) = (worst, self.title.take_if(|_| worst.is_some())) {
            let found = finding(&self.by, worst, &title.text, title.place);
            self.add(found, false, None);
            return true;
        }
        if let (Field::Place(value), Some(title)) = (field, &mut self.title) {
            title.place = place::first_place(value).or(title.place.take());
        }
        let Some(last) = self.review.findings.last_mut().filter(|_| self.is_about) else {
            return !matches!(field, Field::Other);
        };
        match field {
            Field::Place(value) => {
                if let Some((path, line)) = place::first_place(value)
                    && (last.path.is_none() || last.line.is_none())
                {
                    last.path = Some(place::relative(&path, self.by.folder));
                    last.line = line;
                }
            }
            Field::Line(value) => {
                let digits = value.trim_start_matches(|c: char| !c.is_ascii_digit());
                let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                last.line = last.line.or(digits[..end].parse().ok());
            }
            Field::Status(value) => {
                if let Some(state) = status(value) {
                    (last.state, last.is_gone) = (Some(state), state == FindingState::Fixed);
                }
            }
            Field::Severity(_) | Field::Other => {}
        }
        true
    }

    fn take_item(&mut self, item: &str, is_ticked: bool) {
        let (item, is_fixed) = match fixed::behind_mark(item) {
            Some(rest) => (rest, true),
            None => (item, is_ticked),
        };
        let is_below = self.is_about && self.item_indent.is_none_or(|known| self.indent > known);
        let found = match marked(item) {
            Some(mark) if mark.is_set_off || mark.is_grade => {
                placed(&self.by, mark.worst, mark.rest)
            }
            // `- Note: …` below a finding is about it, and anybody begins a remark like that.
            Some(mark)
                if !is_below && (self.by.is_reviewer || !mark.is_remark && mark.has_line()) =>
            {
                placed(&self.by, mark.worst, mark.rest)
            }
            Some(_) => None,
            None => self.unmarked(item, is_below),
        };
        // Something else begins; what follows is about that.
        self.is_about &= is_below || found.is_some();
        self.add(found, is_fixed, Some(self.indent));
    }

    /// An item without a severity: under a heading with one, with one at its end, or with a
    /// place at its start.
    fn unmarked(&mut self, item: &str, is_below: bool) -> Option<FindingStated> {
        let is_nested = is_below && self.item_indent.is_some();
        if let Some(worst) = self.section.worst.filter(|_| !is_nested) {
            let tail = tailed(item).filter(|_| self.by.is_reviewer);
            let (worst, rest) = tail.map_or((worst, item), |tail| (tail.worst, tail.rest));
            return placed(&self.by, worst, rest);
        }
        if !self.by.is_reviewer || self.section.is_quiet {
            return None;
        }
        if let Some(tail) = tailed(item).filter(|_| !is_below) {
            return placed(&self.by, tail.worst, tail.rest);
        }
        let ((path, line), rest) = led(item)?;
        let last = self.review.findings.last_mut().filter(|_| is_below);
        if let Some(last) = last.filter(|last| last.path.is_none()) {
            (last.path, last.line) = (Some(place::relative(&path, self.by.folder)), Some(line));
            return None;
        }
        let mark = marked(rest);
        if is_nested || mark.is_none() && !is_objection(rest) {
            return None;
        }
        let (worst, rest) = mark.map_or((Severity::Warning, rest), |mark| (mark.worst, mark.rest));
        finding(&self.by, worst, rest, Some((path, Some(line))))
    }

    /// A line that is not an item: `**High**: src/a.rs:2 …`, `P1: src/a.rs:2 …`,
    /// `src/a.rs:2:5: error: …`.
    fn take_paragraph(&mut self, line: &str) {
        let (line, is_fixed) = match fixed::behind_mark(line) {
            Some(rest) => (rest, true),
            None => (line, false),
        };
        let found = match marked(line) {
            Some(mark) => {
                let has_line = mark.has_line();
                let is_long = mark.rest.split_whitespace().count() > 2;
                let is_one = match (mark.is_set_off, mark.is_grade) {
                    (true, true) => has_line || self.by.is_reviewer && is_long,
                    (true, false) => has_line && self.by.is_reviewer && !mark.is_remark,
                    (false, is_grade) => has_line && is_grade,
                };
                is_one.then(|| placed(&self.by, mark.worst, mark.rest)).flatten()
            }
            None => self.compiled(line),
        };
        if found.is_none() {
            self.section.label(line);
        }
        self.add(found, is_fixed, None);
    }

    /// A line as compilers write it, from who is there to review.
    fn compiled(&self, line: &str) -> Option<FindingStated> {
        let ((path, number), rest) = led(line).filter(|_| self.by.is_reviewer)?;
        // `error[E0308]: …` has a code between the word and the colon.
        let code = rest.find("]:").and_then(|end| Some((rest.find('[')?, end + 1)));
        let rest = match code.filter(|(from, _)| !rest[..*from].contains(' ')) {
            Some((from, to)) => format!("{}{}", &rest[..from], &rest[to..]),
            None => rest.to_owned(),
        };
        let mark = marked(&rest).filter(|mark| !mark.is_remark)?;
        finding(&self.by, mark.worst, mark.rest, Some((path, Some(number))))
    }

    /// `Verdict: PASS`.
    fn take_verdict(&mut self, line: &str) {
        let line = line.replace("**", "").to_lowercase();
        let Some(word) = line.strip_prefix("verdict:") else { return };
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_pass = if is_failing(word) { Some(false) } else { is_passing(word).then_some(true) };
        let author = self.by.name.to_owned();
        self.review.verdict = Some(VerdictStated { author, is_pass, ..VerdictStated::default() });
    }
}

/// Whether a heading only says what sort of findings stand below it.
fn is_only_heading(text: &str) -> bool {
    const WORDS: &[&str] = list!("reviews.txt", "heading");
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        word.is_empty() || severity(&word).is_some() || WORDS.contains(&word.trim_end_matches('s'))
    };
    text.split_whitespace().all(is_word)
}

/// A heading without `1.`, `Issue 2:`.
fn without_number(text: &str) -> &str {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let names = ["issue", "finding", "problem", "bug", "concern", "comment"];
    let named = names.iter().find(|name| lower.starts_with(**name)).map_or(0, |name| name.len());
    let after = text[named..].trim_start_matches([' ', '#']);
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < after.len() && rest.starts_with([':', '.', ')', ' ']) {
        rest.trim_start_matches([':', '.', ')', ' ', '-', '–', '—'])
    } else {
        text
    }
}

/// Whether words behind a place object to it: not what was done there, and no praise.
fn is_objection(text: &str) -> bool {
    const OTHERS: &[&str] = list!("reviews.txt", "no objection");
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_marked = text.starts_with(['✅', '✔', '✓', '☑']);
    text.split_whitespace().count() > 1 && !is_marked && !OTHERS.contains(&first.as_str())
}
