//! Does a reviewer's prose show what it claims? Where the rules ask for evidence, a finding
//! read out of Markdown that shows nothing counts as information, however loud it is.

use crate::event::FindingStated;
use crate::finding::{Grade, Severity};
use crate::grade::recognized;
use crate::list;

/// Words that come with something to look at: what was printed, what was expected, how it
/// can be seen again.
const SHOWS: &[&str] = list!("evidence.txt", "shows");

/// The severity that counts. Only what was read out of prose is doubted.
pub fn severity(severity: Severity, stated: &FindingStated) -> Severity {
    let is_bare = || stated.prose.as_deref().is_some_and(|prose| !shows(stated, prose));
    match severity {
        Severity::Critical | Severity::Bug | Severity::Warning if is_bare() => Severity::Info,
        Severity::Critical | Severity::Bug | Severity::Warning => severity,
        Severity::Info | Severity::Recommendation => severity,
    }
}

/// Whether anything in the words about a finding can be looked up.
fn shows(stated: &FindingStated, prose: &str) -> bool {
    let words = prose.to_lowercase();
    let has = |mark: &str| words.contains(mark);
    let is_compared = has("expected") && (has("actual") || has("got ") || has(" but "));
    stated.line.is_some()
        || has("```")
        || is_compared
        || names_line(&words)
        || SHOWS.iter().any(|mark| has(mark))
        || recognized(prose, stated.path.as_deref(), stated.line) != Grade::Reasoned
}

/// `line 41`, `lines 3-9`, `L41`.
fn names_line(words: &str) -> bool {
    let mut words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut is_after = false;
    words.any(|word| {
        let is_short = word.strip_prefix('l').is_some_and(|n| !n.is_empty() && is_number(n));
        let found = is_after && is_number(word) || is_short;
        is_after = matches!(word, "line" | "lines");
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(stated: Severity, prose: &str, line: Option<u32>) -> Severity {
        let prose = Some(prose.to_owned());
        severity(stated, &FindingStated { prose, line, ..FindingStated::default() })
    }

    #[test]
    fn claims_count_as_information() {
        for claim in [
            "The session handling might be insecure",
            "This could potentially be a race condition",
            "Consider the timeline of events",
            "The headlines 7 module is slow",
        ] {
            for stated in [Severity::Critical, Severity::Bug, Severity::Warning] {
                assert_eq!(counted(stated, claim, None), Severity::Info, "{claim}");
            }
            let quiet = Severity::Recommendation;
            assert_eq!(counted(quiet, claim, None), quiet, "nothing is made louder");
        }
    }

    #[test]
    fn what_shows_something_counts_as_stated() {
        for shown in [
            "Token compared with == on line 41",
            "See L41 of the handler",
            "The tests end with exit code 101",
            "Expected 10, actual 11",
            "Run it twice to reproduce",
            "It prints this:\n```\npanic\n```",
            "error: cannot borrow `x` as mutable",
            "src/api.rs:41 builds `\"SELECT \" + name`",
        ] {
            assert_eq!(counted(Severity::Critical, shown, None), Severity::Critical, "{shown}");
        }
        assert_eq!(counted(Severity::Warning, "It is wrong", Some(4)), Severity::Warning);
    }

    #[test]
    fn only_prose_is_doubted() {
        let stated = FindingStated { text: "It is wrong".to_owned(), ..FindingStated::default() };
        assert_eq!(severity(Severity::Critical, &stated), Severity::Critical);
    }
}
