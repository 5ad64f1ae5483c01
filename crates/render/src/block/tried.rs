//! What a block says of attempts that failed.

use hardwon_core::attempt::Attempt;
use hardwon_core::gate::first_chars;
use hardwon_core::prompt::printed;

use super::Style;

/// Of an attempt so many characters are shown, and of the reason why it failed.
const MAX_TRIED_CHARS: usize = 240;
const MAX_WHY_CHARS: usize = 160;

/// Whether a block of this style has a place for what was tried: other systems' forms have none.
pub fn tells_tried(style: Style) -> bool {
    matches!(style, Style::Hardwon | Style::Jkz)
}

/// What was tried at an issue and did not work: quotations, since nobody is to follow them.
pub fn tried_line(it: &Attempt) -> String {
    let why =
        it.why.as_deref().map_or(String::new(), |why| format!(": {}", quoted(why, MAX_WHY_CHARS)));
    let approach = quoted(it.approach.as_str(), MAX_TRIED_CHARS);
    printed(&format!("- Tried before on {}: {approach} failed{why}", it.issue))
}

/// So many characters of a text as a quotation of one line.
pub(super) fn quoted(text: &str, n: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'");
    let cut = if line.chars().count() > n { "…" } else { "" };
    format!("\"{}{cut}\"", first_chars(&line, n))
}
