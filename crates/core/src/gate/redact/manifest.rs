//! Which values of a Kubernetes Secret are secret? All below `data:`, whatever their names.

use super::marks::{Rank, Span};
use super::value;

/// Shorter values are references and numbers.
const MIN_VALUE: usize = 10;

/// Blanks between a name and its value, with a fold between them.
const MAX_GAP: usize = 80;

/// Adds a span for every value below `data:` in a text that says `kind: Secret`.
pub(super) fn find_data(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let mut lists = Vec::new();
    let mut is_secret = false;
    for at in (0..bytes.len()).filter(|at| bytes[*at] == b':') {
        is_secret = is_secret || is_named(bytes, at, "kind") && says_secret(&bytes[at + 1..]);
        if is_named(bytes, at, "data") || is_named(bytes, at, "stringData") {
            lists.push(at + 1);
        }
    }
    let mut passed = 0;
    for start in lists.into_iter().filter(|_| is_secret) {
        if start >= passed {
            passed = list_end(bytes, start);
            find_values(bytes, start, passed, spans);
        }
    }
}

/// Whether this is the name before the colon at `at`.
fn is_named(bytes: &[u8], at: usize, name: &str) -> bool {
    let Some(start) = at.checked_sub(name.len()) else {
        return false;
    };
    let is_edge = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
    is_edge && value::begins_with(&bytes[start..], name)
}

fn says_secret(rest: &[u8]) -> bool {
    let is_between = |byte: &&u8| b" \t\"'".contains(byte);
    let n_between = rest.iter().take(MAX_GAP).take_while(is_between).count();
    value::begins_with(&rest[n_between..], "secret")
}

/// Where the first line begins that is not indented.
fn list_end(bytes: &[u8], start: usize) -> usize {
    let is_end = |at: &usize| bytes[at - 1] == b'\n' && !b" \t\r\n".contains(&bytes[*at]);
    (start + 1..bytes.len()).find(is_end).unwrap_or(bytes.len())
}

fn find_values(bytes: &[u8], start: usize, end: usize, spans: &mut Vec<Span<'_>>) {
    let mut at = start;
    while let Some(n) = bytes[at..end].iter().position(|byte| *byte == b':') {
        at += n + 1;
        let is_gap = |byte: &&u8| byte.is_ascii_whitespace() || b"|>-+\"'".contains(byte);
        let from = at + bytes[at..end].iter().take(MAX_GAP).take_while(is_gap).count();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
        let length = bytes[from..end].iter().take_while(is_part).count();
        // What a colon follows is the next name.
        let is_value = length >= MIN_VALUE && bytes.get(from + length) != Some(&b':');
        let span = Span { start: from, end: from + length, family: "secret", rank: Rank::Assigned };
        spans.extend(is_value.then_some(span));
        at = from + length;
    }
}
