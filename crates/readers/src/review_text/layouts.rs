//! Three layouts of findings in Markdown: a row of a table, a heading with a severity and what
//! stands below it, a line that begins with a severity. Fences show, and quotations repeat: no
//! finding begins in them.

use hardwon_core::event::{FindingStated, VerdictStated};
use hardwon_core::finding::{FindingState, Severity};

use super::graded::{graded, tailed};
use super::table::{cells, stated, status};
use super::verdict::{closing_word, is_pass};
use super::{Review, Reviewer, finding, place, plain, says_fixed};

const MAX_PROSE: usize = 8 << 10;

pub fn review(message: &str, by: &Reviewer<'_>) -> Review {
    let mut reading = Reading {
        by,
        findings: Vec::new(),
        section: None,
        is_gone: false,
        draft: None,
        table: Table::None,
        is_fenced: false,
    };
    message.lines().for_each(|line| reading.line(line));
    reading.close();
    let word = closing_word(message).filter(|_| by.is_reviewer);
    let verdict = word.as_deref().and_then(is_pass).map(|pass| VerdictStated {
        author: by.name.to_owned(),
        is_pass: Some(pass),
        ..VerdictStated::default()
    });
    Review { findings: reading.findings, verdict }
}

struct Reading<'a> {
    by: &'a Reviewer<'a>,
    findings: Vec<FindingStated>,
    /// What the heading above says of each item below it, and whether all of it was repaired.
    section: Option<Severity>,
    is_gone: bool,
    draft: Option<Draft>,
    table: Table,
    is_fenced: bool,
}

enum Table {
    None,
    /// A row that may name columns.
    Titles(Vec<String>),
    /// Below a rule: the names of the columns.
    Rows(Vec<String>),
}

/// A finding while lines about it follow.
#[derive(Default)]
struct Draft {
    /// None until a field states it.
    severity: Option<Severity>,
    text: String,
    place: Option<place::Place>,
    line: Option<u32>,
    repair: Option<String>,
    category: Option<String>,
    state: Option<FindingState>,
    prose: String,
    /// The level of the heading that began it, and how far the line was indented.
    level: Option<usize>,
    indent: usize,
}

impl Reading<'_> {
    fn line(&mut self, raw: &str) {
        let line = raw.trim();
        let is_fence = line.starts_with("```");
        self.is_fenced ^= is_fence;
        if is_fence || self.is_fenced || line.is_empty() || line.starts_with('>') {
            return self.tell(line);
        }
        if line.starts_with('|') {
            return self.row(line);
        }
        self.table = Table::None;
        let title = line.trim_start_matches('#');
        if title.len() < line.len() && title.starts_with(' ') {
            let title = title.trim_matches(['#', ' ']);
            let first = title.split_whitespace().next().map(plain).unwrap_or_default();
            let is_gone = ["fixed", "resolved", "addressed"].contains(&&*first.to_lowercase());
            if self.by.is_reviewer {
                self.heading(line.len() - line.trim_start_matches('#').len(), title);
            } else {
                self.close();
            }
            self.is_gone = is_gone;
            return;
        }
        let indent = raw.len() - raw.trim_start().len();
        let (text, is_item, is_ticked) = item(line);
        self.text(text, indent, is_item, is_ticked);
    }

    fn row(&mut self, line: &str) {
        let cells = cells(line);
        let is_rule = |cell: &String| cell.chars().all(|c| matches!(c, '-' | ':' | ' '));
        self.table = match std::mem::replace(&mut self.table, Table::None) {
            Table::Titles(titles) if cells.iter().all(is_rule) => Table::Rows(titles),
            Table::Rows(titles) => {
                self.close();
                self.findings.extend(row(&titles, &cells, self.by));
                Table::Rows(titles)
            }
            Table::None | Table::Titles(_) => Table::Titles(cells),
        };
    }

    fn heading(&mut self, level: usize, title: &str) {
        let title = without_number(title);
        let grade = graded(title);
        let is_deeper = |draft: &Draft| draft.level.is_some_and(|own| own < level);
        let is_open = self.draft.as_ref().is_some_and(|it| it.severity.is_some() && is_deeper(it));
        if is_open && grade.is_none() && tailed(title).is_none() {
            return self.tell(title);
        }
        self.close();
        self.section = grade.filter(|grade| is_bare_title(grade.rest)).map(|it| it.severity);
        if self.section.is_some() {
            return;
        }
        let (severity, text) = match (grade.filter(|it| it.is_apart), tailed(title)) {
            (Some(grade), _) => (Some(grade.severity), grade.rest),
            (None, Some((severity, rest))) => (Some(severity), rest),
            (None, None) => (None, title),
        };
        let (text, prose, level) = (text.to_owned(), format!("{title}\n"), Some(level));
        self.draft = Some(Draft { severity, text, prose, level, ..Draft::default() });
    }

    fn text(&mut self, text: &str, indent: usize, is_item: bool, is_ticked: bool) {
        let grade = graded(text).filter(|grade| grade.is_apart);
        if self.draft.is_some()
            && grade.is_none_or(|grade| !grade.rest.contains(' '))
            && self.field(text)
        {
            return self.tell(text);
        }
        let is_in_section = is_item && indent == 0 && self.section.is_some();
        let begun = match grade {
            Some(grade) => Some((grade.severity, grade.rest)),
            None if is_in_section => self.section.map(|severity| (severity, text)),
            None => None,
        };
        if let Some((severity, rest)) = begun {
            self.close();
            let is_gone = is_ticked || self.is_gone || says_fixed(text);
            let state = is_gone.then_some(FindingState::Fixed);
            let (severity, prose) = (Some(severity), format!("{text}\n"));
            let text = rest.to_owned();
            self.draft = Some(Draft { severity, text, state, prose, indent, ..Draft::default() });
            return;
        }
        // Another item is not about the finding of the item before it.
        let is_other = |draft: &Draft| draft.level.is_none() && indent <= draft.indent;
        if is_item && !is_label(text) && self.draft.as_ref().is_some_and(is_other) {
            self.close();
        }
        self.tell(text);
    }

    /// A line with the name of a field: taken up if it is one that counts.
    fn field(&mut self, text: &str) -> bool {
        let Some(draft) = &mut self.draft else { return false };
        let Some((name, value)) = text.split_once(':') else { return false };
        let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        draft.field(&name, value.trim_start_matches(['*', '_', ' ']).trim())
    }

    /// Keeps what is told about the finding: it may be its evidence.
    fn tell(&mut self, line: &str) {
        if let Some(draft) = &mut self.draft
            && draft.prose.len() + line.len() < MAX_PROSE
        {
            draft.prose.push_str(line);
            draft.prose.push('\n');
        }
    }

    fn close(&mut self) {
        let Some(draft) = self.draft.take() else { return };
        self.findings.extend(draft.finding(self.by));
    }
}

impl Draft {
    /// Takes up a field of this name, in lower case, if it is one that counts.
    fn field(&mut self, name: &str, value: &str) -> bool {
        match name {
            "file" | "files" | "location" | "locations" | "path" | "where" | "place"
            | "file:line" | "file/line" => {
                self.place = place::first_place(value).or(self.place.take());
                self.line = place::stated_line(value).or(self.line);
            }
            "line" | "lines" | "line(s)" => self.line = place::line_number(value).or(self.line),
            "severity" | "sev" | "priority" | "level" | "impact" => {
                self.severity = stated(value).or(self.severity);
            }
            "fix" | "suggested fix" | "proposed fix" | "recommended fix" | "recommendation"
            | "remediation" | "suggestion" | "solution" | "how to fix" | "action" => {
                let sentence = value.split_once(". ").map_or(value, |(first, _)| first);
                let repair = plain(sentence).trim_end_matches('.').to_owned();
                let is_said = repair.contains(char::is_alphabetic) && repair != "None";
                self.repair = Some(repair).filter(|_| is_said);
            }
            "status" | "state" => self.state = status(value).or(self.state),
            "category" | "type" | "rule" => {
                self.category = Some(plain(value)).filter(|word| !word.is_empty());
            }
            _ => return false,
        }
        true
    }

    fn finding(self, by: &Reviewer<'_>) -> Option<FindingStated> {
        let (own_place, text) = led(&self.text);
        let found = self.place.or(own_place).or_else(|| place::first_place(text));
        let found = found.map(|(path, line)| (path, line.or(self.line)));
        let mut finding = finding(by, self.severity?, text, found)?;
        finding.state = self.state.or(finding.state);
        finding.is_gone = finding.state == Some(FindingState::Fixed);
        finding.repair = self.repair;
        finding.category = self.category;
        finding.prose = Some(format!("{}\n", self.prose.trim_end()));
        Some(finding)
    }
}

/// The finding of a row that states a severity, by the titles of its columns.
fn row(titles: &[String], cells: &[String], by: &Reviewer<'_>) -> Option<FindingStated> {
    let mut draft = Draft::default();
    for (title, cell) in titles.iter().zip(cells) {
        let title = title.replace(['*', '`'], "").to_lowercase();
        let is_text = TEXTS.contains(&title.trim());
        // Of two that say the same, the first says it shortest.
        if is_text && draft.text.is_empty() {
            draft.text.clone_from(cell);
        } else if !is_text {
            draft.field(title.trim(), cell);
        }
    }
    draft.prose = cells.join(" | ");
    draft.finding(by)
}

/// What the column is called that says what is wrong.
const TEXTS: [&str; 11] = [
    "finding",
    "issue",
    "description",
    "problem",
    "summary",
    "message",
    "concern",
    "title",
    "details",
    "what",
    "bug",
];

/// A list line without its bullet, number and box; whether it is one, and whether it is ticked.
fn item(line: &str) -> (&str, bool, bool) {
    let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet));
    let number = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())
    };
    let Some(rest) = bullet.or_else(number).map(str::trim_start) else {
        return (without_number(line), false, false);
    };
    let ticked = rest.strip_prefix("[x] ").or_else(|| rest.strip_prefix("[X] "));
    let open = rest.strip_prefix("[ ] ").unwrap_or(rest);
    (without_number(ticked.unwrap_or(open)), true, ticked.is_some())
}

/// A title without `1.`, `**2)`, `Issue 3:`, `#4`.
fn without_number(title: &str) -> &str {
    let bold = title.trim_start_matches("**");
    let named = ["Issue ", "Finding ", "Bug ", "Problem "];
    let after = named.iter().find_map(|name| bold.strip_prefix(name)).unwrap_or(bold);
    let digits = after.trim_start_matches('#');
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')', ':']) {
        Some(behind) if rest.len() < digits.len() && behind.starts_with([' ', '*']) => {
            behind.trim_start_matches([' ', '*'])
        }
        _ => title,
    }
}

/// Whether a title says nothing besides its severity: `Critical issues (3)`.
fn is_bare_title(rest: &str) -> bool {
    const WORDS: [&str; 13] = [
        "issue", "issues", "finding", "findings", "problem", "problems", "severity", "priority",
        "bugs", "fixes", "items", "concerns", "found",
    ];
    let lower = rest.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(|word| WORDS.contains(&word) || word.chars().all(|c| c.is_ascii_digit()))
}

/// Whether a line begins with a name and a colon: `Impact: …`.
fn is_label(text: &str) -> bool {
    let name = text.split_once(':').map_or("", |(name, _)| name).trim_matches(['*', '_', ' ']);
    let is_name = name.chars().all(|c| c.is_alphabetic() || c == ' ');
    !name.is_empty() && is_name && name.split(' ').count() <= 3
}

/// The place that a text begins or ends with, and the text without it: `src/api.rs:41: text`,
/// `text (src/api.rs:41)`, `text — src/api.rs:41`.
pub(super) fn led(text: &str) -> (Option<place::Place>, &str) {
    let (first, others) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let others = others.trim_start();
    let leads = first.ends_with(':') || others.starts_with(['-', '–', '—', ':']);
    let found = place::place(first).filter(|(_, line)| leads || line.is_some());
    if found.is_some() && !others.is_empty() {
        return (found, others.trim_start_matches(['-', '–', '—', ':', ' ']));
    }
    let (before, last) = text.rsplit_once(' ').unwrap_or((text, ""));
    let is_apart = last.starts_with('(') || before.ends_with(['-', '–', '—', ':']);
    match place::place(last).filter(|_| is_apart) {
        Some(place) => (Some(place), before.trim_end_matches(['-', '–', '—', ':', ' '])),
        None => (None, text),
    }
}
