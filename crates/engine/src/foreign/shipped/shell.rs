//! What a shell script does to texts without meaning to: what is left of a text that went
//! through a command, how columns are cut and padded, and its count of common words.

use hardwon_core::words::ascii_words;
use hardwon_readers::Loose;

/// A value after it was printed into a variable: line ends at its end and zero bytes are
/// gone.
pub(super) fn shell_text(value: &Loose) -> String {
    stripped(&value.printed())
}

pub(super) fn stripped(text: &str) -> String {
    text.trim_end_matches('\n').replace('\0', "")
}

/// The first of several lines.
pub(super) fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

pub(super) fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or_default()
}

/// How many of a hundred words of the first text stand in the second one; 0 if one of
/// them has no words.
pub(super) fn overlap(first: &str, second: &str) -> u32 {
    let (first, second) = (ascii_words(first), ascii_words(second));
    if first.is_empty() || second.is_empty() { 0 } else { share(&first, &second) }
}

/// The same as the check of injected lessons counts it, where a text without words has
/// one, the empty one.
pub(super) fn overlap_with_blank(first: &str, second: &str) -> u32 {
    let words = |text| {
        let words = ascii_words(text);
        if words.is_empty() { vec![String::new()] } else { words }
    };
    share(&words(first), &words(second))
}

fn share(first: &[String], second: &[String]) -> u32 {
    let n_common = first.iter().filter(|word| second.binary_search(word).is_ok()).count();
    u32::try_from(n_common * 100 / first.len().max(1)).unwrap_or(100)
}

/// One row of the list. Columns are measured in bytes.
pub(super) fn row(cells: [&str; 5]) -> String {
    let [id, frequency, kind, domain, description] = cells;
    let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.len()));
    format!(
        "{id}{} {frequency}{} {kind}{} {domain}{} {description}",
        pad(id, 8),
        pad(frequency, 5),
        pad(kind, 16),
        pad(domain, 8)
    )
}

/// A cell of tab-separated columns; `None` for what cannot be one.
pub(super) fn cell(value: &Loose) -> Option<String> {
    match value {
        Loose::Null => Some(String::new()),
        Loose::Bool(_) | Loose::Number(_) => Some(value.printed()),
        Loose::Text(text) => Some(escaped(text)),
        Loose::Other(_) => None,
    }
}

pub(super) fn escaped(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\t', "\\t");
    escaped.replace('\n', "\\n").replace('\r', "\\r").replace('\0', "")
}

/// Five cells as the shell takes them apart again: it skips empty ones, so that the
/// others move up.
pub(super) fn moved_up(cells: &[String; 5]) -> [&str; 5] {
    let mut filled = cells.iter().filter(|cell| !cell.is_empty());
    std::array::from_fn(|_| filled.next().map_or("", String::as_str))
}
