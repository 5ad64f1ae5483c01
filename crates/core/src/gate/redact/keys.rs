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
    // A qualifier may be qualified itself (`TOKEN_PROD_2`), but not endlessly.
    let shorter = std::iter::successors(Some(name), |name| without_qualifier(name));
    shorter.take(3).find_map(exact_key).or_else(|| some_key(name))
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
    let is_start = |at: usize| at == 0 || is_boundary(name, at) || name[at].is_ascii_digit();
    let letters = |from| (from..name.len()).filter(|at| name[*at].is_ascii_alphanumeric());
    let is_named = letters(0).filter(|at| is_start(*at)).any(|at| {
        let mut buffer = [0; MAX_NAME];
        let flat = flatten(&name[at..], &mut buffer);
        SERVICES.iter().any(|service| {
            let is_whole = || letters(at).nth(service.len()).is_none_or(is_start);
            flat.starts_with(service.as_bytes()) && (service.len() >= LONG_SERVICE || is_whole())
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
    without_separators(&name[..last_word_start(name)])
}

fn without_separators(name: &[u8]) -> &[u8] {
    let n_separators = name.iter().rev().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    &name[..name.len() - n_separators]
}

/// Whether a word is one of a list, in any case.
pub(super) fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

fn exact_key(name: &[u8]) -> Option<Key> {
    let mut buffer = [0_u8; MAX_NAME];
    let flat = flatten(name, &mut buffer);
    let word = last_word(name);
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
        is_one_of(last_word(name), QUALIFIERS).then(|| before_last(name))?
    };
    Some(without_separators(rest)).filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

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
