//! Where in a text does a known shape stand?
//!
//! Deciding looks at what follows each possible beginning; only a match is followed to its
//! end, and the scan goes on behind it. Runs of one set are remembered (`runs`), so that each
//! byte is read at most once per set, however many beginnings stand before it.

use super::entropy;
use super::marks::{Rank, Span};
use super::runs::Runs;
use super::shapes::{Look, OPEN_END, Part, Run, STARTS, Set, Shape, Start};

/// How much of an open-ended body is judged; the rest is taken along.
const WINDOW: usize = 64;

/// Fewer different bytes than this is an example such as `xxxx-xxxx`.
const MIN_DISTINCT: usize = 6;

/// Adds a span for every shape found in `bytes`.
pub(super) fn find_shapes(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    find_with(bytes, &mut Runs::default(), spans);
}

fn find_with(bytes: &[u8], runs: &mut Runs, spans: &mut Vec<Span<'_>>) {
    let starts = &*STARTS;
    let mut at = 0;
    while at < bytes.len() {
        let second = bytes.get(at + 1).copied();
        // Asked for every byte of every text: these two checks send most shapes off.
        let fits = |start: &&Start| start.second.is_none() || start.second == second;
        let may_begin = |start: &&Start| start.is_anywhere || starts_word(bytes, at);
        let mut likely = starts[usize::from(bytes[at])].iter().filter(fits).filter(may_begin);
        match likely.find_map(|start| match_at(bytes, at, start.shape, runs)) {
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

fn match_at(bytes: &[u8], at: usize, shape: &Shape, runs: &mut Runs) -> Option<Span<'static>> {
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
            Part::Run(run) => match_run(bytes, end, *run, runs)?,
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
    let end = match_end(bytes, end, last, runs);
    Some(Span { start, end, family: shape.family, rank: Rank::Shape })
}

/// Byte by byte: most looks fail at the third, before a library call would have begun
/// (measured: the whole redaction of prose takes a third of the time).
fn starts_with(bytes: &[u8], literal: &str) -> bool {
    bytes.len() >= literal.len() && literal.bytes().zip(bytes).all(|(a, b)| a == *b)
}

/// The end of a run that begins at `from`; an open end is followed only as far as judging needs.
fn match_run(bytes: &[u8], from: usize, run: Run, runs: &mut Runs) -> Option<usize> {
    let most = if run.max == OPEN_END { run.min.max(WINDOW) } else { run.max };
    let length = (runs.end(bytes, from, run.set) - from).min(most);
    (length >= run.min).then_some(from + length)
}

/// Follows an open-ended match to its end, without the full stop of a sentence.
fn match_end(bytes: &[u8], mut end: usize, last: Run, runs: &mut Runs) -> usize {
    if last.max == OPEN_END {
        end = runs.end(bytes, end, last.set);
    }
    // A full stop ends the sentence, a backslash belongs to the quote behind it.
    let is_foreign = |byte: u8| match last.set {
        Set::Dotted | Set::Padded => byte == b'.',
        Set::Path => byte == b'\\',
        Set::Digit | Set::Hex | Set::Capital | Set::Alnum | Set::Word | Set::Dash => false,
        Set::Base64Url | Set::Base64 | Set::Coded => false,
    };
    while is_foreign(bytes[end - 1]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each set once, and the first few bytes for each shape that may begin there.
    const MAX_READS: usize = 3 * Set::N;

    /// Beginnings of every shape and pieces of tokens, repeated: what a scan that reads the
    /// rest anew at each beginning takes the square of the text for.
    #[test]
    fn each_byte_is_read_a_bounded_number_of_times() {
        let mut pieces: Vec<String> = ["eyJhbGciOi.eyJ", "eyJhbGciOi.", "a.", "a", "0f1e-", "aB3_"]
            .map(str::to_owned)
            .to_vec();
        for start in STARTS.iter().flatten() {
            let lead = start.shape.lead;
            pieces.push(format!("{lead}a1B2c3D4e5."));
        }
        pieces.sort();
        pieces.dedup();
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            let text = piece.repeat((32 << 10) / piece.len());
            let mut runs = Runs::default();
            find_with(text.as_bytes(), &mut runs, &mut Vec::new());
            let n_per_byte = runs.n_read() / text.len();
            assert!(n_per_byte <= MAX_READS, "{piece:?} is read {n_per_byte} times");
        }
    }
}
