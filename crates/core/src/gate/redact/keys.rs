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
    /// The same, and no UUID: those are ids.
    Random,
    /// Made by a generator: the name says whose key it is, not that it is one.
    Made,
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
pub(super) const SECOND_WORDS: &[&[u8]] = &[b"key", b"data", b"code", b"phrase", b"id"];

// The file says what each list decides.
const SERVICES: &[&str] = list!("secrets.txt", "services");
const PUBLIC_WORDS: &[&str] = list!("secrets.txt", "public words");
const TELLING_IDS: &[&str] = list!("secrets.txt", "telling ids");
const PUBLIC_KEYS: &[&str] = list!("secrets.txt", "public keys");

/// A shorter service must be a word of its own: `global` is none of `lob`.
const LONG_SERVICE: usize = 6;

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
    telling_key(name).or_else(|| service_key(name))
}

/// The same for a word of a sentence, where a service is only named.
pub(super) fn telling_key(name: &[u8]) -> Option<Key> {
    let mut rest = Some(name);
    // A qualifier may be qualified itself (`TOKEN_PROD_2`), but not endlessly.
    for _ in 0..3 {
        let Some(name) = rest else {
            break;
        };
        if let Some(key) = exact_key(name) {
            return Some(key);
        }
        rest = without_qualifier(name);
    }
    some_key(name)
}

/// Whether a name says that its value may be seen: `message_id`, `public_key`, `etag`.
pub(super) fn is_public(name: &[u8]) -> bool {
    let last = last_word(name);
    let before = last_word(before_last(name));
    let is_key = last.eq_ignore_ascii_case(b"key") && is_one_of(before, PUBLIC_KEYS);
    is_key || is_one_of(last, PUBLIC_WORDS) && !is_one_of(before, TELLING_IDS)
}

/// `HEROKU_ADMIN`, `algolia`, `newRelicLicense`: a service, and whatever of it is random.
fn service_key(name: &[u8]) -> Option<Key> {
    let mut buffer = [0; MAX_NAME];
    let flat = flatten(name, &mut buffer);
    // Where a word begins in the name, its letters begin in the flat one.
    let mut n_flat = 0;
    let mut starts = [false; MAX_NAME + 1];
    starts[flat.len()] = true;
    for at in 0..name.len() {
        if name[at].is_ascii_alphanumeric() && n_flat < flat.len() {
            starts[n_flat] = at == 0 || is_boundary(name, at) || name[at].is_ascii_digit();
            n_flat += 1;
        }
    }
    let is_named = (0..flat.len()).filter(|at| starts[*at]).any(|at| {
        let first = SERVICES.partition_point(|service| service.as_bytes()[0] < flat[at]);
        let likely = SERVICES[first..].iter().take_while(|name| name.as_bytes()[0] == flat[at]);
        likely.map(|service| service.as_bytes()).any(|service| {
            let is_whole = || starts[at + service.len()];
            flat[at..].starts_with(service) && (service.len() >= LONG_SERVICE || is_whole())
        })
    });
    (is_named && !is_public(name)).then_some(Key { family: "api-key", need: Need::Made })
}

/// `ACME_KEY`: a key of something, if it is not one of a table or a cache.
fn some_key(name: &[u8]) -> Option<Key> {
    if !last_word(name).eq_ignore_ascii_case(b"key") || before_last(name).is_empty() {
        return None;
    }
    let of_service = service_key(name);
    let some = Key { family: "api-key", need: Need::Much };
    of_service.or_else(|| (!is_public(name)).then_some(some))
}

fn last_word(name: &[u8]) -> &[u8] {
    &name[last_word_start(name)..]
}

/// The name without its last word.
fn before_last(name: &[u8]) -> &[u8] {
    let rest = &name[..last_word_start(name)];
    let n_separators = rest.iter().rev().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    &rest[..rest.len() - n_separators]
}

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
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
    (1..name.len()).rev().find(|at| is_boundary(name, *at)).unwrap_or(0)
}

/// Whether a word begins at `at`, which is not 0.
fn is_boundary(name: &[u8], at: usize) -> bool {
    let (before, byte) = (name[at - 1], name[at]);
    !before.is_ascii_alphanumeric() || before.is_ascii_lowercase() && byte.is_ascii_uppercase()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_services_are_in_order() {
        assert!(SERVICES.is_sorted(), "they are looked up by their first letter");
    }

    #[test]
    fn names_say_whose_key_it_is() {
        let made = ["heroku", "HEROKU_ADMIN", "newRelicLicense", "new_relic", "X-asana-client-id"];
        for name in made {
            assert_eq!(key(name.as_bytes()).map(|key| key.need), Some(Need::Made), "{name}");
        }
        assert_eq!(key(b"acme_key").map(|key| key.need), Some(Need::Much));
        for name in ["global", "heroku_commit", "sentry_release", "cache_key", "keys", "key"] {
            assert_eq!(key(name.as_bytes()), None, "{name}");
        }
    }
}
