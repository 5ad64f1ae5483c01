//! Which findings does a reviewer's message hold? Reads the shapes that reviewers write at
//! the end of their work: a verdict in an HTML comment, the review output of Codex, Markdown
//! tables, lists and headings with severities. What is quoted in a fence, or stands in
//! our own block, is not a finding.

mod field;
mod fixed;
mod line;
mod marked;
mod outline;
mod place;
mod repeats;
mod said;
mod section;
mod shape;
mod shaped;
mod structure;
mod table;
mod title;
mod tree;
mod unit;
mod verdict;
mod words;
mod wrapped;

use hardwon_core::event::{FindingStated, VerdictStated};
use hardwon_core::finding::{FindingState, Severity};
use hardwon_core::gate::{BLOCK_BEGIN, BLOCK_END};
use hardwon_core::list;
pub use place::{first_place, places};
pub(crate) use shaped::verdict_in;
pub(crate) use verdict::closing_word;

use crate::report::cut;

/// Most findings that are taken from one message.
const MAX_FINDINGS: usize = 200;

/// More of a message is not read.
const MAX_BYTES: usize = 512 << 10;

/// Who wrote a message, and where it was written.
#[derive(Clone, Copy, Debug)]
pub struct Reviewer<'a> {
    /// The role, or the program where no role is known.
    pub name: &'a str,
    /// Whether looking at work is what this role is for: then looser shapes count as well.
    pub is_reviewer: bool,
    /// Paths below this folder become relative to it.
    pub folder: Option<&'a str>,
}

/// What a message says about the work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Review {
    pub findings: Vec<FindingStated>,
    pub verdict: Option<VerdictStated>,
}

impl Review {
    /// Whether nothing shows that this was a review at all.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.verdict.is_none()
    }
}

/// Whether a role's name says that it looks at the work of others.
pub fn is_reviewer(role: &str) -> bool {
    const WORDS: &[&str] = list!("reviews.txt", "reviewers");
    let role = role.to_lowercase();
    WORDS.iter().any(|word| match *word {
        // As a word of its own: it also stands within others.
        "qa" => role.split(|c: char| !c.is_alphanumeric()).any(|part| part == "qa"),
        word => role.contains(word),
    })
}

/// What a message says. A message that says the same in two shapes, a table and a verdict,
/// is taken by the first of them that is there: the machine-readable one.
pub fn review_text(message: &str, by: Reviewer<'_>) -> Review {
    let own = without_blocks(cut(message, MAX_BYTES));
    let of_text = || match by.is_reviewer {
        true => structure::review(&own, &by),
        false => marked::review(&own, &by),
    };
    let mut review = shaped::review(&own, &by).unwrap_or_else(of_text);
    if !by.is_reviewer {
        // Anybody writes lists with grades; who is not there to review has to say where.
        review.findings.retain(|finding| finding.line.is_some());
    }
    review.findings.truncate(MAX_FINDINGS);
    review
}

/// A finding by this reviewer; nothing if it says nothing.
fn finding(
    by: &Reviewer<'_>,
    severity: Severity,
    text: &str,
    place: Option<(String, Option<u32>)>,
) -> Option<FindingStated> {
    let text = plain(text);
    let without = fixed::without_fix(&text);
    let is_gone = without.is_some();
    let text = without.unwrap_or(text);
    if fixed::is_phrase(&text) || text.chars().filter(|c| c.is_alphabetic()).count() < 3 {
        return None;
    }
    let (path, line) = place.map_or((None, None), |(path, line)| (Some(path), line));
    Some(FindingStated {
        author: Some(by.name.to_owned()),
        severity: Some(severity.word().to_owned()),
        path: path.map(|path| place::relative(&path, by.folder)),
        line,
        text,
        // That it is repaired does not mean that it was seen again.
        state: is_gone.then_some(FindingState::Fixed),
        is_gone,
        ..FindingStated::default()
    })
}

/// A severity by the words that reviewers use for it.
fn severity(word: &str) -> Option<Severity> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let folded = Severity::fold(&word).or_else(|| Severity::fold(word.trim_end_matches('s')));
    folded.or(match word.as_str() {
        "p0" | "blocking" | "blockers" | "severe" => Some(Severity::Critical),
        "p1" | "important" => Some(Severity::Bug),
        "p2" | "moderate" => Some(Severity::Warning),
        "p3" | "p4" | "informational" => Some(Severity::Info),
        "suggestion" | "suggestions" | "optional" => Some(Severity::Recommendation),
        _ => None,
    })
}

/// Whether a verdict in lower case says that the work must be done again.
fn is_failing(word: &str) -> bool {
    const WORDS: &[&str] = list!("reviews.txt", "failing");
    WORDS.iter().any(|known| word.starts_with(known))
}

/// Whether it says that the work is good enough.
fn is_passing(word: &str) -> bool {
    const WORDS: &[&str] = list!("reviews.txt", "passing");
    WORDS.iter().any(|known| word.starts_with(known))
}

/// What a word in lower case says about the work, if it is a verdict.
pub(crate) fn is_pass(word: &str) -> Option<bool> {
    if is_failing(word) { Some(false) } else { is_passing(word).then_some(true) }
}

/// The words without the marks around them: `**bold**`, a checkbox, quotes at the ends.
fn plain(text: &str) -> String {
    let text = text.replace("**", "").replace("__", "").replace("~~", "");
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_around = |c: char| matches!(c, '-' | '–' | '—' | ':' | '*' | '|') || c.is_whitespace();
    words.join(" ").trim_matches(is_around).to_owned()
}

/// The message without what stands between our marks, also when the end is missing.
pub(crate) fn without_blocks(message: &str) -> String {
    let mut kept = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(begin) = rest.find(BLOCK_BEGIN) {
        kept.push_str(&rest[..begin]);
        let inside = &rest[begin + BLOCK_BEGIN.len()..];
        rest = match inside.find(BLOCK_END) {
            Some(end) => &inside[end + BLOCK_END.len()..],
            None => "",
        };
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests;
