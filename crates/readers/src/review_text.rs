//! Findings in a reviewer's message: a machine-readable verdict or list, or one of three layouts of
//! Markdown: a table with a severity column, a heading with a severity and what stands below it, a
//! line that begins with a severity. Other prose gives nothing.

mod graded;
mod layouts;
mod place;
mod shaped;
mod table;
mod verdict;

use hardwon_core::event::{FindingStated, VerdictStated};
use hardwon_core::finding::{FindingState, Severity};
use hardwon_core::gate::{BLOCK_BEGIN, BLOCK_END};
pub use place::{first_place, places};
pub(crate) use shaped::verdict_in;
pub(crate) use verdict::is_pass;

use crate::report::cut;

const MAX_FINDINGS: usize = 200;

/// More of a message is not read.
const MAX_BYTES: usize = 512 << 10;

/// The problem of a review in which no form is recognised.
pub(crate) const UNREAD: &str = "no finding is read from this review: it is prose, without a \
    verdict for programs, a list in JSON, a table with a severity column, or headings or lines \
    that begin with a severity";

/// Who wrote a message, and where it was written.
#[derive(Clone, Copy, Debug)]
pub struct Reviewer<'a> {
    /// The role, or the program where no role is known.
    pub name: &'a str,
    /// Whether looking at work is what this role is for. Anybody else has to name a line of a
    /// file.
    pub is_reviewer: bool,
    /// Paths below this folder become relative to it.
    pub folder: Option<&'a str>,
}

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
    const PARTS: [&str; 16] = [
        "curator", "lens", "review", "audit", "guardian", "sentinel", "judge", "critic", "inspect",
        "verif", "check", "tester", "lint", "skeptic", "security", "quality",
    ];
    let role = role.to_lowercase();
    let mut words = role.split(|c: char| !c.is_alphanumeric());
    PARTS.iter().any(|part| role.contains(part)) || words.any(|word| word == "qa")
}

/// Reads a message. One that says the same in a machine-readable form and in Markdown is taken by
/// the former.
pub fn review_text(message: &str, by: Reviewer<'_>) -> Review {
    let own = without_blocks(cut(message, MAX_BYTES));
    let mut review = shaped::review(&own, &by).unwrap_or_else(|| layouts::review(&own, &by));
    if !by.is_reviewer {
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
    place: Option<place::Place>,
) -> Option<FindingStated> {
    let is_gone = says_fixed(text);
    let text = plain(text);
    if text.chars().filter(|c| c.is_alphabetic()).count() < 3 {
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

/// Whether words say by a mark, in brackets or behind a dash that something was repaired.
fn says_fixed(text: &str) -> bool {
    let lower = text.to_lowercase();
    let says = |opening: &str| {
        lower.match_indices(opening).any(|(at, _)| {
            let rest = lower[at + opening.len()..].trim_start_matches("now ");
            ["fixed", "resolved", "addressed"].iter().any(|word| rest.starts_with(word))
        })
    };
    lower.starts_with(['✅', '✔', '✓', '☑', '~'])
        || ["(", "[", " - ", " – ", " — "].into_iter().any(says)
}

fn severity(word: &str) -> Option<Severity> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let folded = Severity::fold(&word).or_else(|| Severity::fold(word.trim_end_matches('s')));
    folded.or(match word.as_str() {
        "p0" | "blocking" | "severe" => Some(Severity::Critical),
        "p1" | "important" => Some(Severity::Bug),
        "p2" | "moderate" => Some(Severity::Warning),
        "p3" | "p4" | "informational" => Some(Severity::Info),
        "suggestion" | "suggestions" | "optional" => Some(Severity::Recommendation),
        _ => None,
    })
}

/// The words without the marks around them: `**bold**`, quotes and dashes at the ends.
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
