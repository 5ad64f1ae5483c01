//! How did a reviewer judge the work as a whole? By a line that says so, or by finding nothing.

use hardwon_core::event::VerdictStated;
use hardwon_core::list;

use super::said::says_clean;
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
    if is_form(word) {
        return None;
    }
    let is_failed = is_failing(word) || word.starts_with("no");
    let is_passed = is_passing(word) || word.starts_with("yes");
    let is_pass = if is_failed { Some(false) } else { is_passed.then_some(true) };
    (is_pass.is_some() || name == "verdict").then_some(is_pass)
}

/// The word by which a report ends: behind `Verdict:`, or below a heading that says so. In lower
/// case; one that offers both, as a form does, is none.
pub fn closing_word(report: &str) -> Option<String> {
    let is_name = |text: &str| {
        let name = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        matches!(name.as_str(), "verdict" | "final verdict" | "overall verdict")
    };
    let (mut is_fenced, mut is_below, mut found) = (false, false, None);
    for line in report.lines().map(str::trim).filter(|line| !line.is_empty()) {
        is_fenced ^= line.starts_with("```");
        if is_fenced || line.starts_with('>') {
            continue;
        }
        let plain = line.replace(['*', '_', '`'], "");
        let said = match plain.split_once(':') {
            Some((name, word)) if is_name(name) => Some(word.to_owned()),
            _ => is_below.then(|| plain.clone()),
        };
        is_below = line.starts_with('#') && is_name(&plain) || said.as_deref() == Some("");
        let word = said.unwrap_or_default().to_lowercase();
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        found = Some(word.to_owned()).filter(|word| !word.is_empty() && !is_form(word)).or(found);
    }
    found
}

/// Whether words offer more than one verdict, as a form does: `pass | fail`.
fn is_form(words: &str) -> bool {
    let end = words.find(|c: char| !c.is_alphabetic()).unwrap_or(words.len());
    let rest = words[end..].trim_start();
    rest.starts_with(['|', '/']) || rest.starts_with("or ")
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
