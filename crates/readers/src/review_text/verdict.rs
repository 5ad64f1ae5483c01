//! How did a reviewer judge the work as a whole? By a line that says so, or by finding nothing.

use hardwon_core::event::VerdictStated;
use hardwon_core::list;

use super::words::says_clean;
use super::{Review, Reviewer, is_failing, is_passing};

/// The verdict of a line, if it states one: `Verdict: PASS`, `Ready to merge? Yes`. Inside, whether
/// the work passed, if its words are known.
pub fn stated_verdict(line: &str) -> Option<Option<bool>> {
    const NAMES: &[&str] = list!("reviews.txt", "verdict names");
    let line = line.replace("**", "").to_lowercase();
    let at = line.find([':', '?']).filter(|_| !line.starts_with('{'))?;
    let name = line[..at].trim_matches(|c: char| !c.is_alphabetic());
    if !NAMES.contains(&name) {
        return None;
    }
    let word = line[at..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_failed = is_failing(word) || word.starts_with("no");
    let is_passed = is_passing(word) || word.starts_with("yes");
    let is_pass = if is_failed { Some(false) } else { is_passed.then_some(true) };
    (is_pass.is_some() || name == "verdict").then_some(is_pass)
}

/// The word behind `Verdict:`, in lower case.
pub fn stated_word(line: &str) -> Option<String> {
    stated_verdict(line)?;
    let line = line.replace("**", "").to_lowercase();
    let (_, word) = line.split_once([':', '?'])?;
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    Some(word.to_owned()).filter(|word| !word.is_empty())
}

/// The verdict of a message. A reviewer who says that there is nothing to report, and reports
/// nothing, has looked.
pub fn verdict(
    stated: Option<Option<bool>>,
    message: &str,
    review: &Review,
    by: &Reviewer<'_>,
) -> Option<VerdictStated> {
    let is_clean = review.findings.is_empty() && says_clean(message);
    let is_pass = stated.or(is_clean.then_some(Some(true)))?;
    Some(VerdictStated { author: by.name.to_owned(), is_pass, ..VerdictStated::default() })
}
