//! Does a name say that its value is a secret?
//!
//! Names are compared without case and separators, by their ends: `DB_PASSWORD`,
//! `dbPassword` and `db-password` all end in `password`; `password_length` does not.

use crate::list;

/// How much a value must show before it is believed to be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Anything that is not plainly code or a word.
    Little,
    /// Several words are fine as well.
    Phrase,
    /// Letters and digits.
    Some,
    /// A few digits.
    Pin,
    /// Long and random: the name alone says little.
    Much,
}

/// A secret-like name: the family its value gets, and what the value must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub family: &'static str,
    pub need: Need,
}

/// A line of a list: a name or its end, and what it says.
struct Row {
    name: &'static str,
    key: Key,
}

/// No longer name is looked at.
pub(super) const MAX_NAME: usize = 64;

/// Ends of secret-like names; the first that fits counts.
static ENDS: &[Row] = include!(concat!(env!("OUT_DIR"), "/name_ends.rs"));

/// Names that say so only as a whole word: `bypass` is not a password.
static WORDS: &[Row] = include!(concat!(env!("OUT_DIR"), "/whole_names.rs"));

/// The second words of names that prose writes as two: `api key`, `pin code`.
pub(super) const SECOND_WORDS: &[&[u8]] = &[b"key", b"data", b"code", b"phrase"];

/// What may follow the telling part of a name.
const QUALIFIERS: &[&str] = list!("secrets.txt", "qualifiers");

/// Where in a text a secret-like name begins, and what it says.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub start: usize,
    pub key: Key,
}

/// Where the name begins that ends at `end`.
pub(super) fn name_start(bytes: &[u8], end: usize) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte == b'-';
    end - bytes[..end].iter().rev().take(MAX_NAME).take_while(is_part).count()
}

/// What `name` says about its value; `None` for the many names that say nothing.
pub(super) fn key(name: &[u8]) -> Option<Key> {
    let mut name = name;
    // A qualifier may be qualified itself (`TOKEN_PROD_2`), but not endlessly.
    for _ in 0..3 {
        if let Some(key) = exact_key(name) {
            return Some(key);
        }
        name = without_qualifier(name)?;
    }
    None
}

fn exact_key(name: &[u8]) -> Option<Key> {
    let mut buffer = [0_u8; MAX_NAME];
    let flat = flatten(name, &mut buffer);
    let word = &name[last_word_start(name)..];
    let by_end = ENDS.iter().find(|row| flat.ends_with(row.name.as_bytes()));
    let by_word = || WORDS.iter().find(|row| word.eq_ignore_ascii_case(row.name.as_bytes()));
    by_end.or_else(by_word).map(|row| row.key)
}

/// Lower case, without separators.
fn flatten<'a>(name: &[u8], buffer: &'a mut [u8; MAX_NAME]) -> &'a [u8] {
    let mut length = 0;
    for byte in name.iter().filter(|byte| byte.is_ascii_alphanumeric()).take(MAX_NAME) {
        buffer[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    &buffer[..length]
}

fn last_word_start(name: &[u8]) -> usize {
    let boundary = |index: &usize| {
        let (before, byte) = (name[index - 1], name[*index]);
        !before.is_ascii_alphanumeric() || before.is_ascii_lowercase() && byte.is_ascii_uppercase()
    };
    (1..name.len()).rev().find(boundary).unwrap_or(0)
}

fn without_qualifier(name: &[u8]) -> Option<&[u8]> {
    let n_digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = if n_digits > 0 {
        &name[..name.len() - n_digits]
    } else {
        let start = last_word_start(name);
        let word = &name[start..];
        QUALIFIERS
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
            .then_some(&name[..start])?
    };
    let n_separators = rest.iter().rev().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    let rest = &rest[..rest.len() - n_separators];
    (!rest.is_empty()).then_some(rest)
}
