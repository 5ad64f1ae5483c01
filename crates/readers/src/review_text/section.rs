//! What is the part of a message about that is being read? By its heading, or by the line
//! with a colon above a list.

use hardwon_core::finding::Severity;
use hardwon_core::list;

use super::{fixed, severity};

/// A part of a message.
#[derive(Default)]
pub struct Section {
    /// The severity that the heading gives to what stands below it.
    pub worst: Option<Severity>,
    /// What stands below was repaired.
    pub is_fixed: bool,
    /// What stands below are changes, plans, files or praise: places in it are no findings.
    pub is_quiet: bool,
}

impl Section {
    pub fn of(heading: &str) -> Self {
        let is_fixed = fixed::is_heading(heading);
        Section { worst: None, is_fixed, is_quiet: is_quiet(heading) }
    }

    /// `Files that I read:` begins a part of its own, as far as places go.
    pub fn label(&mut self, line: &str) {
        let is_bold = line.starts_with("**") && line.ends_with("**");
        let is_own = line.starts_with("I ") || line.starts_with("I've ");
        if is_own && DONE.iter().any(|word| line.contains(word)) {
            self.is_quiet = true;
        } else if is_bold || line.trim_end_matches(['*', '_', ' ']).ends_with(':') {
            self.is_quiet = is_quiet(line);
        }
    }
}

/// Verbs of a report on one's own work.
const DONE: &[&str] = list!("reviews.txt", "done");

/// Whether a heading begins or ends with a mark of praise.
pub fn is_praise(heading: &str) -> bool {
    let marks = ['✅', '👍', '🎉', '🟢', '⭐', '🌟', '💚', '✨'];
    heading.starts_with(marks) || heading.trim_end_matches('\u{fe0f}').ends_with(marks)
}

/// Whether a heading only announces what grades mean: `Severity levels`.
fn is_legend(words: &[String]) -> bool {
    const LEGEND: &[&str] = list!("reviews.txt", "legend");
    !words.is_empty() && words.iter().all(|word| LEGEND.contains(&word.trim_end_matches('s')))
}

pub fn is_quiet(text: &str) -> bool {
    const QUIET: &[&str] = list!("reviews.txt", "quiet");
    const LOUD: &[&str] = list!("reviews.txt", "loud");
    const PRAISE: &[&str] = list!("reviews.txt", "praise");
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.trim_end_matches('s')));
    // `Positive notes`
    let is_note = |word: &String| matches!(word.as_str(), "note" | "notes");
    let has_note = words.iter().any(is_note) && has(PRAISE) && words.len() <= 3;
    is_legend(&words)
        || has_note
        || has(QUIET)
            && (!has(LOUD) || has(PRAISE))
            && !words.iter().any(|word| severity(word).is_some())
}

/// Whether a heading is only quiet by a word that also names a matter of code: among findings,
/// `Caching implementation` is what they are about.
pub fn is_quiet_matter(text: &str) -> bool {
    const QUIET: &[&str] = list!("reviews.txt", "quiet");
    const MATTERS: &[&str] = list!("reviews.txt", "quiet matters");
    let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    let quiet: Vec<String> = words.map(|word| word.trim_end_matches('s').to_owned()).collect();
    let mut quiet = quiet.iter().map(String::as_str).filter(|word| QUIET.contains(word));
    quiet.all(|word| MATTERS.contains(&word))
}

/// Whether a line is a sentence that says that nothing of importance was found: `No blocking
/// findings.`
pub fn says_nothing_found(line: &str) -> bool {
    let lower = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let things = ["findings", "issues", "problems", "bugs", "defects", "blockers"];
    let is_it = |word: &&str| things.contains(word);
    matches!(words.first(), Some(&"no" | &"zero")) && words.len() <= 4 && words.iter().any(is_it)
}
