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
    follow_with(bytes, spans, &mut Parts::default());
}

fn follow_with(bytes: &[u8], spans: &mut [Span<'_>], parts: &mut Parts) {
    spans.sort_by_key(|span| span.start);
    // What a follower has passed is not walked again, so that each line is read once.
    let mut passed = 0;
    for span in spans {
        let can_fold = match span.rank {
            Rank::Shape | Rank::Assigned | Rank::Random | Rank::Wire | Rank::Own => true,
            Rank::Private | Rank::Block => false,
        };
        let value = &bytes[span.start..span.end];
        let width = value.iter().rev().take_while(|byte| **byte != b'\n').count();
        if can_fold && width >= MIN_WIDTH && span.end > passed {
            follow_lines(bytes, span, width, parts);
            passed = span.end;
        }
    }
}

/// All lines of a fold are equally long, but for the last.
fn follow_lines(bytes: &[u8], span: &mut Span<'_>, width: usize, parts: &mut Parts) {
    loop {
        let tail = parts.end(bytes, span.end);
        let Some(start) = next_line(bytes, tail) else {
            return;
        };
        let end = parts.end(bytes, start);
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

/// Rows of what a value is made of that were read last: many finds can stand in one of them,
/// and each would read it to its end.
#[derive(Default)]
struct Parts {
    rows: [(usize, usize); 4],
    next: usize,
    #[cfg(test)]
    n_read: usize,
}

impl Parts {
    /// The end of the row at `from`.
    fn end(&mut self, bytes: &[u8], from: usize) -> usize {
        let known = self.rows.iter().find(|(start, end)| (*start..*end).contains(&from));
        if let Some((_, end)) = known {
            return *end;
        }
        let is_part = |byte: &&u8| Set::Base64.has(**byte) || **byte == b'.';
        let end = from + bytes[from..].iter().take_while(is_part).count();
        #[cfg(test)]
        {
            self.n_read += end - from;
        }
        self.rows[self.next] = (from, end);
        self.next = (self.next + 1) % self.rows.len();
        end
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds next to each other in one row, as in `eyJhbGciOi.eyJ` repeated.
    #[test]
    fn a_row_of_finds_is_read_once() {
        let text = "a1B2c3D4.".repeat(8000);
        for lines in [text.clone(), format!("{text}\n{text}\n{text}")] {
            let starts = (0..lines.len() - 90).step_by(90);
            let find = |start| Span { start, end: start + 60, family: "jwt", rank: Rank::Shape };
            let mut spans: Vec<Span<'_>> = starts.map(find).collect();
            let mut parts = Parts::default();
            follow_with(lines.as_bytes(), &mut spans, &mut parts);
            assert!(parts.n_read <= 2 * lines.len(), "{} of {}", parts.n_read, lines.len());
        }
    }
}
