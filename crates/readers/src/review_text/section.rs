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

/// Whether a heading begins with a mark of praise.
pub fn is_praise(heading: &str) -> bool {
    heading.starts_with(['✅', '👍', '🎉', '🟢', '⭐', '🌟', '💚', '✨'])
}

pub fn is_quiet(text: &str) -> bool {
    const QUIET: &[&str] = list!("reviews.txt", "quiet");
    const LOUD: &[&str] = list!("reviews.txt", "loud");
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.trim_end_matches('s')));
    const PRAISE: &[&str] = list!("reviews.txt", "praise");
    has(QUIET) && (!has(LOUD) || has(PRAISE)) && !words.iter().any(|word| severity(word).is_some())
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
