//! Which lines of a paragraph belong together? Many wrap their text at the width of a page: a line
//! that goes on in the middle of a sentence is no line of its own.

use super::field::field;
use super::line::led;
use super::words::{leading, line_lead, only_grade, only_place};

/// A shorter line was ended by its author.
const MIN_CHARS: usize = 50;

/// The lines of a text, with those made one that a page broke. Behind `hard` its author broke it.
pub fn whole_lines(text: &str, hard: &str) -> Vec<String> {
    let mark = hard.trim_end_matches('\n');
    let mut lines: Vec<String> = Vec::new();
    let mut is_open = false;
    for raw in text.lines() {
        let line = raw.trim_end_matches(mark).trim();
        if line.is_empty() {
            continue;
        }
        match lines.last_mut().filter(|_| is_open) {
            Some(last) if goes_on(last, line) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
        // How long the line was before it was joined decides about the next one.
        is_open = !raw.ends_with(mark) && line.chars().count() >= MIN_CHARS;
    }
    lines
}

/// Whether a line goes on with the sentence of the one before.
fn goes_on(before: &str, line: &str) -> bool {
    let is_ended =
        before.trim_end_matches(['*', '`', '_', ')', '"']).ends_with(['.', '!', '?', ':']);
    let is_within = line.starts_with(|c: char| c.is_lowercase() || matches!(c, '`' | '(' | '"'));
    let is_own = field(line).is_some()
        || leading(line).is_some()
        || led(line).is_some()
        || line_lead(line).is_some()
        || only_grade(line).is_some()
        || only_place(line).is_some()
        || line.starts_with("**")
        || line.starts_with(|c: char| !c.is_ascii() && !c.is_alphanumeric());
    !is_own
        && only_place(before).is_none()
        && if is_ended { is_within } else { is_within || line.starts_with(char::is_alphanumeric) }
}
