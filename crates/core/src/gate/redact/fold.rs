//! Does a secret go on in the next line?
//!
//! Mail programs, YAML and terminals fold long values. A find that ends with its line is
//! followed as long as the next line holds nothing but more of the same.

use super::entropy;
use super::marks::{Rank, Span};
use super::shapes::Set;

/// Shorter values are not folded.
const MIN_WIDTH: usize = 40;

/// Shorter rests tell nothing.
const MIN_REST: usize = 6;

const MAX_INDENT: usize = 40;

/// Lengthens spans over the lines that continue them.
pub(super) fn follow(bytes: &[u8], spans: &mut [Span<'_>]) {
    spans.sort_by_key(|span| span.start);
    let mut ends = Vec::new();
    // What a follower has passed is not walked again, so that each line is read once.
    let mut passed = 0;
    for span in spans {
        let can_fold = !matches!(span.rank, Rank::Private | Rank::Block);
        let value = &bytes[span.start..span.end];
        let width = value.iter().rev().take_while(|byte| **byte != b'\n').count();
        if can_fold && width >= MIN_WIDTH && span.end > passed {
            if ends.is_empty() {
                ends = row_ends(bytes);
            }
            follow_lines(bytes, span, width, &ends);
            passed = span.end;
        }
    }
}

/// For each place where the row of what a value is made of ends that stands there; many finds
/// can stand in one of them, and each would read it to its end.
fn row_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = vec![bytes.len(); bytes.len() + 1];
    for at in (0..bytes.len()).rev() {
        let is_part = Set::Base64.has(bytes[at]) || bytes[at] == b'.';
        ends[at] = if is_part { ends[at + 1] } else { at };
    }
    ends
}

/// All lines of a fold are equally long, but for the last.
fn follow_lines(bytes: &[u8], span: &mut Span<'_>, width: usize, ends: &[usize]) {
    loop {
        let tail = ends[span.end];
        let Some(start) = next_line(bytes, tail) else {
            return;
        };
        let end = ends[start];
        let length = end - start;
        let is_rest = (MIN_REST..=width.max(tail - span.start)).contains(&length);
        let is_alone = bytes.get(end).is_none_or(|byte| b"\r\n\"'`\\".contains(byte));
        let row = &bytes[start..end];
        let is_word = !row.iter().any(u8::is_ascii_digit) && entropy::is_wordy(row);
        if !is_rest || !is_alone || is_word {
            return;
        }
        span.end = end;
        if length < width {
            return;
        }
    }
}

/// Where the next line's text begins, if this one ends at `from`.
fn next_line(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = &bytes[from..];
    let n_break = match rest {
        [b'\n', ..] => 1,
        [b'\r' | b'\\', b'\n', ..] => 2,
        [..] => return None,
    };
    let is_indent = |byte: &&u8| b" \t>+|".contains(byte);
    let indent = rest[n_break..].iter().take(MAX_INDENT).take_while(is_indent).count();
    Some(from + n_break + indent)
}
