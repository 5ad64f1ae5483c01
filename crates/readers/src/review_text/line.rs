//! What does one line of a review begin and end with? Bullets, severities that are set apart,
//! places, and names of fields such as `Location:`.

use hardwon_core::event::FindingStated;
use hardwon_core::finding::Severity;
use hardwon_core::list;

use super::{Reviewer, finding, place, severity};

/// A severity at the start or end of a text, and the rest of the text.
#[derive(Clone, Copy, Debug)]
pub struct Marked<'a> {
    pub worst: Severity,
    pub rest: &'a str,
    /// In brackets or stars, not only by a colon.
    pub is_set_off: bool,
    /// By a word that only ever grades: "error" and "note" begin sentences as well.
    pub is_grade: bool,
    /// By a word that begins a remark: "note", "important".
    pub is_remark: bool,
}

impl Marked<'_> {
    /// Whether what it says names a line of a file.
    pub fn has_line(&self) -> bool {
        place::first_place(self.rest).is_some_and(|(_, line)| line.is_some())
    }
}

/// What a list line says, without its bullet, number and box; and whether the box is ticked.
pub fn item(line: &str) -> Option<(&str, bool)> {
    let after_number = || {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = digits.len() < line.len();
        digits.strip_prefix(['.', ')']).filter(|_| is_numbered)
    };
    let rest = ["- ", "* ", "+ ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet));
    let rest = rest.or_else(after_number)?.trim_start();
    let ticked = ["[x] ", "[X] "].iter().find_map(|mark| rest.strip_prefix(mark));
    Some(match ticked {
        Some(rest) => (rest, true),
        None => (rest.strip_prefix("[ ] ").unwrap_or(rest), false),
    })
}

/// The severity that a text begins with, set apart by brackets, stars or a colon, and the
/// rest. "High memory use" begins with a word, not with a mark.
pub fn marked(text: &str) -> Option<Marked<'_>> {
    let text = text.trim_start_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '[' | '(' | '*' | '`') || c.is_ascii_digit()
    });
    let text = text.strip_prefix(". ").unwrap_or(text);
    let text = behind_number(text).unwrap_or(text);
    let inner = text.trim_start_matches(['[', '(', '*', '`']);
    let end = inner.find(|c: char| !c.is_alphanumeric()).unwrap_or(inner.len());
    let worst = severity(&inner[..end])?;
    let (is_grade, is_remark) = (is_grade(&inner[..end]), is_remark(&inner[..end]));
    let rest = &inner[end..];
    let is_set_off = inner.len() < text.len();
    let is_set_apart = if is_set_off {
        rest.starts_with([']', ')', '*', '`', ':', '/', ' ', ','])
    } else {
        rest.starts_with(':') || rest.starts_with(" —") || rest.starts_with(" -")
    };
    if !is_set_apart {
        return None;
    }
    // `**High severity**: …`, `**[HIGH]** …`, `[high] …`: the rest begins behind the marks.
    let close =
        if is_set_off { rest.find([']', ')', '*', '`', ':']).filter(|at| *at < 24)? } else { 0 };
    let is_mark = |c: char| matches!(c, ']' | ')' | '*' | '`' | ':' | '—' | '–' | '-' | ' ');
    let rest = &rest[close..];
    let is_code = |rest: &str| rest.starts_with(" `") || rest.starts_with(": `");
    let rest = if is_code(rest) { rest } else { rest.trim_start_matches(is_mark) };
    Some(Marked { worst, rest, is_set_off, is_grade, is_remark })
}

/// `**1. [HIGH] …`: what stands behind the number.
fn behind_number(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("**")?;
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < inner.len();
    rest.strip_prefix(['.', ')']).filter(|_| is_numbered).map(str::trim_start)
}

fn is_remark(word: &str) -> bool {
    let word = word.to_lowercase();
    matches!(word.as_str(), "note" | "notes" | "info" | "informational" | "important" | "optional")
}

/// `Missing check (High)`, `Missing check [high severity]`: the severity at the end.
pub fn tailed(text: &str) -> Option<Marked<'_>> {
    let text = text.trim_end_matches(['*', ' ', '.', ':']);
    let (close, open) = (text.chars().next_back()?, ['(', '[']);
    let inside = text.strip_suffix([')', ']']).filter(|_| matches!(close, ')' | ']'))?;
    let at = inside.rfind(open)?;
    let remark = inside[at + 1..].trim_matches('*');
    let is_word = |word: &str| matches!(word, "severity" | "priority" | "risk" | "confidence" | "");
    let lower = remark.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !is_word(word));
    let word = words.next().filter(|_| words.next().is_none())?;
    let worst = severity(word).filter(|_| is_grade(word))?;
    let rest = inside[..at].trim_end_matches(['*', ' ']);
    Some(Marked { worst, rest, is_set_off: true, is_grade: true, is_remark: false })
}

/// Whether a word only ever grades.
pub fn is_grade(word: &str) -> bool {
    const GRADES: &[&str] = list!("reviews.txt", "grades");
    GRADES.contains(&word.to_lowercase().as_str())
}

/// A text that begins with a place that has a line, as compilers and reviewers write it: the
/// place, and what stands behind it. `src/a.rs is unused` begins with a word.
pub fn led(text: &str) -> Option<((String, u32), &str)> {
    let text = text.trim();
    let (first, others) = text.split_once(char::is_whitespace)?;
    let (path, line) = place::place(first)?;
    let others = others.trim_start();
    let leads = first.trim_end_matches(['*', '`', ')']).ends_with(':')
        || others.starts_with(['-', '–', '—', ':']);
    let rest = others.trim_start_matches(['-', '–', '—', ':', ' ']);
    (leads && !rest.is_empty()).then_some(((path, line?), rest))
}

/// `src/api.rs:41: text`, `text (src/api.rs:41)`: the place stands before or within.
pub fn placed(by: &Reviewer<'_>, worst: Severity, rest: &str) -> Option<FindingStated> {
    let rest = rest.trim_matches([' ', ':']);
    let (first, others) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let leads = first.ends_with(':') || others.starts_with(['-', '–', '—', ':']);
    let begins = place::place(first).filter(|_| !others.is_empty());
    match begins {
        Some(place) if leads => finding(by, worst, others, Some(place)),
        // Where it stands is known; the line in the words would be wrong tomorrow.
        Some((path, Some(line))) => {
            let is_sentence = others.starts_with(|c: char| c.is_uppercase() || c == '*');
            let text = if is_sentence { others.to_owned() } else { format!("{path} {others}") };
            finding(by, worst, &text, Some((path, Some(line))))
        }
        _ => finding(by, worst, rest, place::first_place(rest)),
    }
}

/// What a line with a name and a colon tells about a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    Place(&'a str),
    Line(&'a str),
    Severity(&'a str),
    Status(&'a str),
    /// Something that is no finding of its own.
    Other,
}

/// The field of a line: `**File:** src/a.rs:12`, `- Location: src/a.rs:12`.
pub fn field(line: &str) -> Option<Field<'_>> {
    let line = item(line).map_or(line, |(rest, _)| rest);
    let (name, value) = line.split_once(':')?;
    let name = name.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    let value = value.trim_start_matches(['*', '_', ' ']).trim();
    Some(match name.as_str() {
        "file" | "files" | "location" | "locations" | "where" | "path" | "place" => {
            Field::Place(value)
        }
        "line" | "lines" => Field::Line(value),
        "severity" | "priority" | "level" => Field::Severity(value),
        "status" | "state" => Field::Status(value),
        "fix" | "suggested fix" | "how to fix" | "remediation" | "impact" | "evidence" | "why"
        | "rationale" | "details" | "confidence" | "category" | "type" | "cwe" | "risk"
        | "effort" | "example" | "reproduction" | "steps to reproduce" => Field::Other,
        _ => return None,
    })
}
