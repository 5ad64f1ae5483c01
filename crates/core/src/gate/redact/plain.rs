//! Which strange-looking words do sentences about secrets use without stating one?
//!
//! "The password is SHA256-hashed", "a 12-character token", "the key is v2.1": a digit or
//! a sign does not make a secret. Only `sentence` asks, and `assign` about quoted texts.

use super::entropy;
use super::keys::is_one_of;
use super::value;
use crate::list;

// The file says what each list decides.
const TECHNICAL: &[&str] = list!("secrets.txt", "technical");
const UNITS: &[&str] = list!("secrets.txt", "units");
const GRAMMAR: &[&str] = list!("secrets.txt", "grammar");

/// Whether a word of a sentence is a term, a measure, a version or an address.
pub(super) fn is_plain(word: &[u8]) -> bool {
    is_technical(word) || is_measure(word) || is_version(word) || is_compound(word) || is_code(word)
}

pub(super) fn is_unit(word: &[u8]) -> bool {
    is_one_of(word, UNITS)
}

/// Whether a quoted text is a message: several words, some of them grammar.
pub(super) fn is_message(text: &[u8]) -> bool {
    let mut words = text.split(|byte| *byte == b' ');
    text.contains(&b' ') && words.any(|word| is_one_of(word, GRAMMAR))
}

/// A term, alone or with what hangs on it: `SHA256`, `base64-encoded`. A long row of
/// letters and digits behind a term's letters is not a term.
fn is_technical(word: &[u8]) -> bool {
    TECHNICAL.iter().filter(|term| value::begins_with(word, term)).any(|term| {
        let rest = &word[term.len()..];
        let n_digits = rest.iter().take_while(|byte| b"0123456789-_./".contains(byte)).count();
        let tail = &rest[n_digits..];
        tail.len() <= 2 || tail.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-')
    })
}

/// `12-character`, `64-bit`, `10MB`, `2nd`, `3.5x`.
fn is_measure(word: &[u8]) -> bool {
    let n_digits = word.iter().take_while(|byte| b"0123456789.,".contains(byte)).count();
    let tail = &word[n_digits..];
    let is_tail = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'-';
    n_digits > 0
        && (tail.len() <= 3 || tail[0] == b'-')
        && tail.iter().all(is_tail)
        && !tail.is_empty()
}

/// `v2.3.1`, `1.2.3-rc.1`, and dates.
fn is_version(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"v").unwrap_or(word);
    let n_digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_part = |byte: &u8| byte.is_ascii_digit() || b".-+:/TZrcabeta".contains(byte);
    word.first().is_some_and(u8::is_ascii_digit)
        && word.iter().all(is_part)
        && word.len() < 26
        && word.iter().any(|byte| b".-:/".contains(byte))
        && n_digits * 2 >= word.len()
        && !value::is_uuid(word)
}

/// Words joined by `-`, `/`, `_` or `+`: `user-supplied`, `OAuth2/OIDC`, `hash+salt`.
fn is_compound(word: &[u8]) -> bool {
    let is_joint = |byte: &u8| b"-/+_".contains(byte);
    let is_word =
        |part: &[u8]| value::is_identifier(part) && (part.len() < 4 || entropy::is_wordy(part));
    let is_sum = word.contains(&b'+') && word.iter().any(u8::is_ascii_digit);
    let mut parts = word.split(is_joint).filter(|part| !part.is_empty());
    word.iter().any(is_joint) && !is_sum && parts.all(is_word)
}

/// Names, calls, addresses and operators that reached a sentence without marks.
fn is_code(word: &[u8]) -> bool {
    let pair = |pair: &[u8]| {
        matches!(pair, b"?." | b"!." | b"&&" | b"||" | b"==" | b"!=" | b"::" | b"->" | b"()")
    };
    let is_address = word.iter().position(|byte| *byte == b'@').is_some_and(|at| {
        at > 0
            && word[at..].contains(&b'.')
            && word[at + 1..].iter().all(|b| b.is_ascii_alphanumeric() || b".-".contains(b))
    });
    word.windows(2).any(pair) || is_address
}
