//! The judgement that a report ends with: `Verdict: PASS`, or a word below a heading of that name.

const FAILING: [&str; 19] = [
    "fail",
    "reject",
    "request changes",
    "request_changes",
    "changes requested",
    "changes_requested",
    "needs changes",
    "needs_changes",
    "needs work",
    "needs_revision",
    "needs revision",
    "block",
    "deny",
    "no-go",
    "not ",
    "changes needed",
    "rework",
    "incorrect",
    "with fixes",
];

const PASSING: [&str; 7] = ["pass", "approve", "lgtm", "accept", "allow", "ok", "clean"];

/// What a word in lower case says about the work, if it is a verdict.
pub(crate) fn is_pass(word: &str) -> Option<bool> {
    let begins = |known: &[&str]| known.iter().any(|known| word.starts_with(known));
    if begins(&FAILING) { Some(false) } else { begins(&PASSING).then_some(true) }
}

/// The word of the verdict in lower case. One that offers both, as a form does, is none.
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

/// Whether words offer more than one verdict: `pass | fail`.
fn is_form(words: &str) -> bool {
    let end = words.find(|c: char| !c.is_alphabetic()).unwrap_or(words.len());
    let rest = words[end..].trim_start();
    rest.starts_with(['|', '/']) || rest.starts_with("or ")
}
