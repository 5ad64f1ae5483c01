//! Is a token random, or was it made of words?
//!
//! The fallback for secrets without a known shape or name. Entropy alone
//! cannot tell a key from a long identifier, so a token must also not be
//! wordy: people make names from rows of letters that follow each other in
//! words, random generators do not.

use super::keys;
use super::marks::{Rank, Span};
use super::shapes::Set;

const FAMILY: &str = "high-entropy";

/// Shorter tokens carry too few bytes to tell; longer ones are data, not keys.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=200;

/// Least Shannon entropy in bits per byte. Random base64 of 20 bytes measures
/// 3.7 and more, of 40 bytes 4.4 and more.
const MIN_BITS: f32 = 3.6;
const MIN_BITS_LONG: f32 = 4.1;
const LONG: usize = 40;

/// Letters in a row of one case that can make a word.
const WORD: usize = 4;

/// Share of letters within words from which a token counts as wordy, in percent.
/// Random base64 stays below 10 nearly always, identifiers and paths have 50 and more.
const WORDY_PERCENT: usize = 35;

/// For each letter, the letters that follow it in words: the pairs that make up
/// 98 % of those in 2,952 review findings and in source code. Of random rows of
/// four letters one in nine passes, of words nineteen in twenty.
#[rustfmt::skip]
const FOLLOWERS: [&[u8]; 26] = [
    /* a */ b"bcdfgiklmnprstuvwxy", /* b */ b"aeilorsuy", /* c */ b"acehiklorstuy",
    /* d */ b"adeilorsuy", /* e */ b"abcdefgilmnopqrstuvwxy", /* f */ b"aefilorstu",
    /* g */ b"aeghilnorsu", /* h */ b"aeiortuy", /* i */ b"abcdefglmnoprstvxz", /* j */ b"aeosu",
    /* k */ b"eis", /* l */ b"abdeilopstuy", /* m */ b"abeimopsu", /* n */ b"acdefgijklnostuvy",
    /* o */ b"abcdfgiklmnoprstuvw", /* p */ b"aehiloprstu", /* q */ b"u",
    /* r */ b"acdefgiklmnoprstuvy", /* s */ b"acefhiklmopstuwy", /* t */ b"acdehilorstuy",
    /* u */ b"abcdefgilmnprst", /* v */ b"aeio", /* w */ b"aehinors", /* x */ b"ceipt",
    /* y */ b"enopst", /* z */ b"ae",
];

/// Prefixes of digests that are printed in base64 and are public.
const DIGEST_PREFIXES: &[&[u8]] = &[b"sha1-", b"sha256-", b"sha384-", b"sha512-"];

/// Adds a span for every random-looking token outside of URL paths.
pub(super) fn find_random(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"://") {
            at = url_path_end(bytes, at);
            continue;
        }
        let end = token_end(bytes, at);
        let start = at + escape_length(&bytes[..at], &bytes[at..end]);
        let start = start + name_length(&bytes[start..end]);
        if is_random_token(&bytes[start..end]) && !is_public(&bytes[..start], &bytes[start..end]) {
            spans.push(Span { start, end, family: FAMILY, rank: Rank::Random });
        }
        at = end.max(at + 1);
    }
}

/// The end of the token at `at`. `%2B`, `%2F` and `%3D` are how a query spells base64.
fn token_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while end < bytes.len() {
        let is_coded = || end > at && matches!(&bytes[end..], [b'%', b'2', b'B' | b'F', ..]);
        let is_padding = || end > at && matches!(&bytes[end..], [b'%', b'3', b'D', ..]);
        end += match bytes[end] {
            byte if Set::Base64.has(byte) => 1,
            b'%' if is_coded() || is_padding() => 3,
            _ => break,
        };
    }
    end
}

/// How much of the token belongs to an escape before it: `\n`, `%22`.
fn escape_length(before: &[u8], token: &[u8]) -> usize {
    match (before.last(), token) {
        (Some(b'\\'), [b'n' | b't' | b'r', ..]) => 1,
        (Some(b'%'), [a, b, ..]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => 2,
        _ => 0,
    }
}

/// How many different bytes there are.
pub(super) fn distinct(token: &[u8]) -> usize {
    let mut seen = [0_u64; 4];
    for &byte in token {
        seen[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }
    seen.iter().map(|bits| bits.count_ones() as usize).sum()
}

/// Whether a good part of the letters stand in words.
pub(super) fn is_wordy(token: &[u8]) -> bool {
    word_percent(token) >= WORDY_PERCENT
}

/// The share of letters that stand in words; 100 without any letter.
pub(super) fn word_percent(token: &[u8]) -> usize {
    let n_letters = token.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let pieces = token.split(|byte| !byte.is_ascii_alphabetic());
    let words = pieces.flat_map(rows).filter(|row| is_word(row));
    (words.map(<[u8]>::len).sum::<usize>() * 100).checked_div(n_letters).unwrap_or(100)
}

/// Small letters with the capital before them, or capitals alone: `MAX_SIZE`
/// and `maxSize` have two rows each, `aMAXb` has none worth a look.
fn rows(piece: &[u8]) -> impl Iterator<Item = &[u8]> {
    let joins = |a: &u8, b: &u8| b.is_ascii_lowercase() || a.is_ascii_uppercase();
    piece.chunk_by(joins).map(|row| {
        let n_capitals = row.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        if n_capitals == piece.len() { row } else { &row[n_capitals.saturating_sub(1)..] }
    })
}

fn is_word(row: &[u8]) -> bool {
    let follows = |pair: &[u8]| {
        let letter = usize::from(pair[0].to_ascii_lowercase() - b'a');
        FOLLOWERS[letter].contains(&pair[1].to_ascii_lowercase())
    };
    let n_odd = row.windows(2).filter(|pair| !follows(pair)).count();
    row.len() >= WORD && n_odd * 6 <= row.len()
}

fn is_random_token(token: &[u8]) -> bool {
    if !LENGTHS.contains(&token.len()) {
        return false;
    }
    let n_of = |is: fn(&u8) -> bool| token.iter().filter(|byte| is(byte)).count();
    let n_letters = n_of(u8::is_ascii_alphabetic);
    let n_classes = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit]
        .into_iter()
        .filter(|is| n_of(*is) > 0)
        .count();
    let least = if token.len() < LONG { MIN_BITS } else { MIN_BITS_LONG };
    n_classes == 3
        && n_letters * 2 >= token.len()
        && !token.iter().all(u8::is_ascii_hexdigit)
        && !is_wordy(token)
        && !is_sequence(token)
        && !is_path(token)
        && shannon(token) >= least
}

/// Paths spend most of their length on parts of one case, base64 between two `/` does not.
fn is_path(token: &[u8]) -> bool {
    let is_mixed = |part: &&[u8]| {
        part.iter().any(u8::is_ascii_lowercase) && part.iter().any(u8::is_ascii_uppercase)
    };
    let n_mixed: usize = token.split(|&byte| byte == b'/').filter(is_mixed).map(<[u8]>::len).sum();
    token.contains(&b'/') && n_mixed * 2 <= token.len()
}

/// Alphabets written out have the highest entropy of all.
fn is_sequence(token: &[u8]) -> bool {
    let n_steps = token.windows(2).filter(|pair| pair[0].wrapping_add(1) == pair[1]).count();
    n_steps * 2 >= token.len()
}

/// The length of a leading `name=`: `=` belongs to base64 only at the end.
fn name_length(token: &[u8]) -> usize {
    let padding = token.iter().rev().take_while(|&&byte| byte == b'=').count();
    let body = &token[..token.len() - padding];
    body.iter().rposition(|&byte| byte == b'=').map_or(0, |last| last + 1)
}

fn shannon(token: &[u8]) -> f32 {
    let mut counts = [0_u16; 256];
    for &byte in token {
        counts[usize::from(byte)] += 1;
    }
    let total = token.len() as f32;
    let share = |count: u16| f32::from(count) / total;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| -share(count) * share(count).log2())
        .sum()
}

/// How the public keys of SSH begin: the length and the name of their algorithm.
const SSH_PUBLIC: &[&[u8]] = &[b"AAAAB3NzaC1", b"AAAAC3NzaC1", b"AAAAE2VjZHNh", b"AAAAGnNrLXNza"];

/// Digests, public keys, embedded files and `0x` numbers look random and are no secrets.
fn is_public(before: &[u8], token: &[u8]) -> bool {
    let digest = DIGEST_PREFIXES.iter().any(|prefix| token.starts_with(prefix));
    let checksum = before.ends_with(b"h1:") || before.ends_with(b"base64,");
    let number =
        token.strip_prefix(b"0x").is_some_and(|rest| rest.iter().all(u8::is_ascii_hexdigit));
    let public_key = SSH_PUBLIC.iter().any(|prefix| token.starts_with(prefix));
    digest || checksum || number || public_key || is_named_public(before)
}

/// `message_id=…`, `"public_key": "…"`: the name says so.
fn is_named_public(before: &[u8]) -> bool {
    // Quotes and separators, also as a query spells them.
    const BETWEEN: &[&[u8]] =
        &[b":", b"=", b"\"", b"'", b"`", b"\\", b" ", b"%22", b"%3A", b"%3D", b"%20", b"%27"];
    let mut rest = before;
    for _ in 0..6 {
        let shorter = BETWEEN.iter().find_map(|between| rest.strip_suffix(*between));
        rest = shorter.unwrap_or(rest);
    }
    let is_apart = before[rest.len()..].iter().any(|byte| b":=%".contains(byte));
    let start = keys::name_start(rest, rest.len());
    is_apart && keys::is_public(&rest[start..])
}

/// The end of a URL's host and path. Ids in paths are addresses; a query can hold keys.
fn url_path_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"?#\"'`<>()[]|\\".contains(byte);
    at + 3 + bytes[at + 3..].iter().position(ends).unwrap_or(bytes.len() - at - 3)
}
