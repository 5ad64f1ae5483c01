//! The severity at the beginning or end of a text: `[HIGH] …`, `**Critical:** …`, `P1: …`,
//! `WARNING …`, `… (High)`.

use hardwon_core::finding::Severity;

use super::severity;

const MARKS: [(&str, Severity); 10] = [
    ("🚨", Severity::Critical),
    ("🛑", Severity::Critical),
    ("⛔", Severity::Critical),
    ("🔴", Severity::Bug),
    ("❌", Severity::Bug),
    ("🟠", Severity::Bug),
    ("🟡", Severity::Warning),
    ("⚠", Severity::Warning),
    ("🔵", Severity::Info),
    ("ℹ", Severity::Info),
];

/// A severity, and the text without it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graded<'a> {
    pub severity: Severity,
    pub rest: &'a str,
    /// Set apart from the rest by brackets, stars, a colon or capitals. `High memory use` is not.
    pub is_apart: bool,
}

pub fn graded(text: &str) -> Option<Graded<'_>> {
    let text = text.trim_start();
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '[' | '(' | '*' | '`' | '_' | '/');
    let text_behind_mark = text.trim_start_matches(is_mark);
    let by_mark = MARKS.iter().find(|(mark, _)| text.starts_with(mark)).map(|(_, worst)| *worst);
    let by_word = worded(text_behind_mark);
    by_word.or(by_mark.map(|severity| Graded { severity, rest: text_behind_mark, is_apart: true }))
}

fn worded(text: &str) -> Option<Graded<'_>> {
    let inner = text.trim_start_matches(['[', '(', '*', '`', '_']);
    let end = inner.find(|c: char| !c.is_alphanumeric()).unwrap_or(inner.len());
    let (word, behind) = inner.split_at(end);
    let severity = severity(word)?;
    let is_set_off = inner.len() < text.len();
    let behind = without_label(behind);
    let is_closed = if is_set_off {
        behind.starts_with([']', ')', '*', '`', '_', ':', '/', ','])
    } else {
        is_bare(word) && [":", " —", " –", " - "].iter().any(|mark| behind.starts_with(mark))
    };
    let is_loud = word.len() > 3 && word.chars().all(char::is_uppercase) && is_bare(word);
    // `**Important**: run it first` is a remark.
    let is_closed = is_closed && (!is_remark(word) || text.starts_with('['));
    // `**[HIGH/security]** …`: the rest begins behind the marks.
    let close = behind.find([']', ')', '*', '`', ':']).filter(|at| is_set_off && *at < 24);
    let rest = &behind[close.unwrap_or(0)..];
    let is_code = rest.starts_with(" `") || rest.starts_with(": `");
    let is_around = |c: char| " ])*_:—–-".contains(c) || c == '`' && !is_code;
    Some(Graded {
        severity,
        rest: rest.trim_start_matches(is_around),
        is_apart: is_closed || is_loud && behind.starts_with([' ', ':']),
    })
}

/// `severity` or `priority` behind the word that grades.
fn without_label(text: &str) -> &str {
    let labels = [" severity", " priority", " Severity", " Priority"];
    labels.iter().find_map(|label| text.strip_prefix(label)).unwrap_or(text)
}

/// Whether a word that nothing sets off may grade: logs and remarks begin with the others.
fn is_bare(word: &str) -> bool {
    let is_capital = word.starts_with(char::is_uppercase);
    let lower = word.to_lowercase();
    is_capital && !matches!(lower.as_str(), "error" | "errors" | "note" | "notes" | "important")
}

fn is_remark(word: &str) -> bool {
    const REMARKS: [&str; 6] = ["note", "notes", "info", "informational", "important", "optional"];
    REMARKS.contains(&word.to_lowercase().as_str())
}

/// The severity in brackets that a title ends with: `Missing check (High)`.
pub fn tailed(title: &str) -> Option<(Severity, &str)> {
    let title = title.trim_end_matches(['*', ' ', '.', ':']);
    let inside = title.strip_suffix([')', ']'])?;
    let at = inside.rfind(['(', '['])?;
    let word = inside[at + 1..].trim_matches(['*', ' ']);
    let word = word.split_once(' ').map_or(word, |(word, label)| {
        if without_label(&format!(" {label}")).is_empty() { word } else { "" }
    });
    Some((severity(word)?, inside[..at].trim_end_matches(['*', ' '])))
}
