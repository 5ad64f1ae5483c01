//! Rows that come from an export, cleaned as if somebody had just stated them. A row of our own
//! export comes out as it went in.

use super::{Gate, shape};
use crate::change::Worded;
use crate::digest::sha256_of_bytes;
use crate::effect::Injection;
use crate::text::Text;

/// A row with its texts put in and every word cleaned, and how many of them the gate changed. The
/// first text is a statement, another one the record of a foreign system.
pub fn clean<T: Worded>(gate: &Gate, mut row: T, texts: Vec<Option<String>>) -> (T, u64) {
    let mut texts = texts.into_iter();
    let mut n_cleaned = 0;
    let mut is_first = true;
    row.for_each_text(&mut |text| {
        let Some(Some(stated)) = texts.next() else { return };
        *text = if is_first { gate.line(&stated) } else { record(gate, &stated) };
        is_first = false;
        n_cleaned += u64::from(text.as_str() != stated);
    });
    row.for_each_word(&mut |word| {
        // A signature or a digest of ours looks like a secret and is none.
        if !shape::is_signature(word) && !shape::is_sha256(word) {
            let clean = gate.line(word);
            n_cleaned += u64::from(clean.as_str() != word);
            *word = clean.as_str().to_owned();
        }
    });
    (row, n_cleaned)
}

/// An injection, and whether its block was kept: a block is served as it was shown, so it is kept
/// as it is or not at all.
pub fn clean_injection(
    gate: &Gate,
    mut row: Injection,
    block: Option<String>,
) -> (Injection, bool) {
    let is_genuine = |block: &String| {
        let is_plain = !block.chars().any(|c| c.is_control() && c != '\n');
        let is_as_shown = sha256_of_bytes(block.as_bytes()) == row.digest;
        is_as_shown && is_plain && gate.redacted(block) == *block
    };
    let is_kept = block.as_ref().is_none_or(is_genuine);
    let block = block.filter(|_| is_kept);
    row.block = block.map_or_else(Text::erased, |block| gate.block(block));
    for word in [&mut row.role, &mut row.domain] {
        *word = gate.line(word).as_str().to_owned();
    }
    (row, is_kept)
}

/// The record of another system, `SYSTEM:RECORD`.
fn record(gate: &Gate, stated: &str) -> Text {
    match stated.split_once(':') {
        Some((system, rest)) => gate.record(&gate.word(system).unwrap_or_default(), rest),
        None => gate.line(stated),
    }
}
