//! Where in a text does a known shape stand?
//!
//! Deciding looks at what follows each possible beginning, as far as the table bounds it; only a
//! match is followed to its end, and the scan goes on behind it: the time is linear.

use super::entropy;
use super::marks::{Rank, Span};
use super::shapes::{Look, OPEN_END, Part, Run, STARTS, Set, Shape};

/// How much of an open-ended body is judged; the rest is taken along.
const WINDOW: usize = 64;

/// Fewer different bytes than this is an example such as `xxxx-xxxx`.
const MIN_DISTINCT: usize = 6;

/// Adds a span for every shape found in `bytes`.
pub(super) fn find_shapes(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let starts = &*STARTS;
    let mut at = 0;
    while at < bytes.len() {
        let second = bytes.get(at + 1);
        // Asked for every byte of every text: these two checks send most shapes off.
        let fits = |shape: &&&Shape| shape.lead.len() < 2 || shape.lead.as_bytes().get(1) == second;
        let may_begin = |shape: &&&Shape| shape.is_anywhere || starts_word(bytes, at);
        let mut likely = starts[usize::from(bytes[at])].iter().filter(fits).filter(may_begin);
        match likely.find_map(|shape| match_at(bytes, at, shape)) {
            Some(span) => {
                at = span.end;
                spans.push(span);
            }
            None => at += 1,
        }
    }
}

/// Whether a token may begin at `at`: the byte before is not a letter or
/// digit, or belongs to an escape such as `\n` or `%3D`.
fn starts_word(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    match before {
        [.., last] if !last.is_ascii_alphanumeric() => true,
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_hexdigit()),
        [] => true,
        [..] => false,
    }
}

fn match_at(bytes: &[u8], at: usize, shape: &Shape) -> Option<Span<'static>> {
    let lead_end = at + shape.lead.len();
    if !starts_with(&bytes[at..], shape.lead) {
        return None;
    }
    let mut end = lead_end;
    for part in shape.parts {
        end = match part {
            Part::Literal(literal) => {
                starts_with(&bytes[end..], literal).then_some(end + literal.len())?
            }
            Part::Run(run) => match_run(bytes, end, *run)?,
        };
    }
    let last = shape.last_run();
    if last.max != OPEN_END && bytes.get(end).is_some_and(|&byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    if !has_look(&bytes[lead_end..end.min(lead_end + WINDOW)], shape.look) {
        return None;
    }
    let start = if shape.keeps_lead { lead_end } else { at };
    let end = match_end(bytes, end, last);
    Some(Span { start, end, family: shape.family, rank: Rank::Shape })
}

/// Byte by byte: most looks fail at the third, before a library call would have begun
/// (measured: the whole redaction of prose takes a third of the time).
fn starts_with(bytes: &[u8], literal: &str) -> bool {
    bytes.len() >= literal.len() && literal.bytes().zip(bytes).all(|(a, b)| a == *b)
}

/// The end of a run that begins at `from`; an open end is followed only as far as judging needs.
fn match_run(bytes: &[u8], from: usize, run: Run) -> Option<usize> {
    let most = if run.max == OPEN_END { run.min.max(WINDOW) } else { run.max };
    let length = run_length(bytes, from, run.set, most);
    (length >= run.min).then_some(from + length)
}

/// How many bytes of a set stand at `from`, `most` at most.
fn run_length(bytes: &[u8], from: usize, set: Set, most: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter().take(most).take_while(|byte| set.has(**byte)).count()
}

/// Follows an open-ended match to its end, without the full stop of a sentence.
fn match_end(bytes: &[u8], mut end: usize, last: Run) -> usize {
    if last.max == OPEN_END {
        end += run_length(bytes, end, last.set, OPEN_END);
    }
    // A full stop ends the sentence, a backslash belongs to the quote behind it.
    let is_stop = matches!(last.set, Set::Dotted | Set::Padded);
    let is_quoting = last.set == Set::Path;
    while is_stop && bytes[end - 1] == b'.' || is_quoting && bytes[end - 1] == b'\\' {
        end -= 1;
    }
    end
}

fn has_look(body: &[u8], look: Look) -> bool {
    let has_digit = || body.iter().any(u8::is_ascii_digit);
    let has_both_cases =
        || body.iter().any(u8::is_ascii_lowercase) && body.iter().any(u8::is_ascii_uppercase);
    let varied = entropy::distinct(body) >= MIN_DISTINCT;
    varied
        && match look {
            Look::Varied => true,
            Look::WithDigit => has_digit(),
            Look::Random => !entropy::is_wordy(body),
            Look::Odd => !entropy::is_wordy(body) && has_digit(),
            Look::Mixed => !entropy::is_wordy(body) && has_digit() && has_both_cases(),
        }
}
