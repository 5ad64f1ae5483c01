//! Is the value of a secret-like name a secret, or code, a reference, an example?
//!
//! `password=hunter2` is one; `password=None`, `token: string`,
//! `secret=os.environ['X']`, `api_key={api_key}` and `<your-token>` are not.

use super::entropy;
use super::keys::{Key, Need, is_one_of};
use crate::list;

/// How sure it is that what follows the name is a literal value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    /// In quotes, in an environment line, in a query string.
    Literal,
    /// Anything else: prose and code use `:` and `=` too.
    Open,
}

/// Shorter values are never hidden: they would be types, counts and initials.
const MIN_LENGTH: usize = 4;

// The file says what each list decides.
const PLAIN: &[&str] = list!("secrets.txt", "plain values");
const STAND_INS: &[&str] = list!("secrets.txt", "stand-ins");
const NAMESAKES: &[&str] = list!("secrets.txt", "namesakes");

/// Whether `value`, found under `key`, is to be hidden.
pub(super) fn is_secret(value: &[u8], key: Key, setting: Setting) -> bool {
    if key.need == Need::Pin {
        return is_pin(value);
    }
    if value.len() < MIN_LENGTH || is_reference(value) || is_plain(value) {
        return false;
    }
    if value.iter().any(u8::is_ascii_whitespace) {
        return key.need == Need::Phrase && setting == Setting::Literal && value.len() >= 12;
    }
    if setting == Setting::Open && is_code(value) {
        return false;
    }
    match key.need {
        Need::Little | Need::Phrase => is_password(value, setting),
        Need::Some => is_token(value, setting),
        Need::Pin => false,
        Need::Much => is_long_and_random(value),
        Need::Random => is_long_and_random(value) && !is_uuid(value),
        Need::Made => is_made(value),
    }
}

fn is_long_and_random(value: &[u8]) -> bool {
    let is_made = has_letter_and_digit(value) || is_scrambled(value) || is_padded(value);
    value.len() >= 16 && is_made && is_unlike_names(value)
}

pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36 && value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}

/// Shorter values of a service's settings are names and numbers.
const MIN_MADE: usize = 14;

/// No person writes letters and digits in turn, and no count has fifteen digits.
fn is_made(value: &[u8]) -> bool {
    let n_turns = n_turns(value);
    let is_varied = entropy::distinct(value) >= 6;
    let n_words = entropy::word_percent(value);
    let is_row = value.iter().all(u8::is_ascii_alphanumeric);
    let is_mixed = n_turns >= if is_row { 2 } else { 4 }
        || n_turns >= 1 && n_words < NAME_PERCENT && !is_identifier(value);
    let is_letters = n_words < NAME_PERCENT;
    value.len() >= MIN_MADE
        && is_varied
        && (is_mixed || is_letters || is_long_number(value) || is_scrambled(value))
}

/// How often a letter and a digit touch.
fn n_turns(value: &[u8]) -> usize {
    let is_turn = |pair: &[u8]| {
        pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
            || pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
    };
    value.windows(2).filter(|pair| is_turn(pair)).count()
}

fn is_long_number(value: &[u8]) -> bool {
    value.len() >= 15 && value.iter().all(u8::is_ascii_digit)
}

/// Shorter numbers are those of a board's pins.
fn is_pin(value: &[u8]) -> bool {
    (4..=8).contains(&value.len()) && value.iter().all(u8::is_ascii_digit)
}

fn is_password(value: &[u8], setting: Setting) -> bool {
    if is_namesake(value) {
        return false;
    }
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    let inner = &value[1..value.len() - 1];
    let has_symbol = inner.iter().any(|byte| b"@!#$%^&*+?~".contains(byte));
    match setting {
        Setting::Literal => {
            let is_word = is_lone_word(value) || is_scrambled(value) || is_jumbled(value);
            has_digit || has_symbol || is_word
        }
        Setting::Open => {
            let is_mixed = has_digit && has_letter && !is_dotted_name(value);
            is_mixed || (has_letter && has_symbol) || is_scrambled(value)
        }
    }
}

/// One word of small letters in quotes under `password` is a weak password.
fn is_lone_word(value: &[u8]) -> bool {
    value.len() >= 6 && value.iter().all(u8::is_ascii_lowercase) && !mentions_secret(value)
}

/// Letters of both cases that make no words: no variable is called `GRwWHuahCTCwtI`.
fn is_scrambled(value: &[u8]) -> bool {
    let n_upper = value.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let n_lower = value.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let n_joints = value.iter().filter(|byte| b"-_".contains(byte)).count();
    let is_letters = n_upper + n_lower + n_joints == value.len() && value.len() >= 10;
    is_letters && n_upper >= 2 && n_lower >= 2 && entropy::word_percent(value) < NAME_PERCENT
}

/// The same for a shorter value that stands in quotes.
fn is_jumbled(value: &[u8]) -> bool {
    let has_both =
        value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase);
    value.len() >= 8 && has_both && entropy::word_percent(value) < JUMBLED_PERCENT
}

/// Base64 says itself where it ends.
fn is_padded(value: &[u8]) -> bool {
    value.ends_with(b"=") && value.iter().any(u8::is_ascii_uppercase)
}

fn is_token(value: &[u8], setting: Setting) -> bool {
    let least = match setting {
        Setting::Literal => 6,
        Setting::Open => 8,
    };
    let random_letters = is_scrambled(value) || (value.len() >= 16 && !entropy::is_wordy(value));
    let is_odd = has_letter_and_digit(value) || random_letters || is_long_number(value);
    let is_name = is_identifier(value) && n_turns(value) < 5;
    value.len() >= least && is_odd && !is_name
}

fn is_unlike_names(value: &[u8]) -> bool {
    // Six letters can make a word by chance, such as `facade`.
    let is_long_hex = value.len() >= 32 && value.iter().all(u8::is_ascii_hexdigit);
    is_long_hex && entropy::distinct(value) >= 6
        || !is_identifier(value) && !entropy::is_wordy(value) && entropy::distinct(value) >= 6
}

fn has_letter_and_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
}

/// Whether `value` says something about a secret or is a placeholder.
pub(super) fn is_plain(value: &[u8]) -> bool {
    let is_made_up = || entropy::is_wordy(value) || !value.iter().any(u8::is_ascii_digit);
    let stand_in = STAND_INS.iter().any(|known| begins_with(value, known)) && is_made_up();
    is_one_of(value, PLAIN) || stand_in || entropy::distinct(value) <= 2 || is_filled(value)
}

/// `SCWXXXXXXXXXXXXXX`: a prefix, and what is to be filled in.
fn is_filled(value: &[u8]) -> bool {
    let longest = value.chunk_by(|a, b| a == b).map(<[u8]>::len).max().unwrap_or(0);
    longest >= 6 && longest * 2 >= value.len()
}

/// Whether `value` points to where the secret is: a variable, a template, a format.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let second = value.get(1).copied().unwrap_or(b' ');
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.{}()[]:->? ".contains(byte);
    let named = |byte: u8| byte.is_ascii_alphabetic() || b"_{(".contains(&byte);
    let begins = match value.first() {
        Some(b'$') => named(second) && value[1..].iter().all(is_part),
        Some(b'%') => matches!(second, b's' | b'(' | b'{' | b'd') || value.ends_with(b"%"),
        Some(b'{') => value.ends_with(b"}"),
        Some(b'<') => true,
        Some(b'[') => value.ends_with(b"]"),
        Some(b'(') => value.ends_with(b")"),
        Some(_) | None => false,
    };
    begins || has_template(value)
}

/// Templates, ellipses and addresses anywhere inside.
fn has_template(value: &[u8]) -> bool {
    let pairs = value.windows(2).any(|pair| matches!(pair, b"${" | b"{{" | b"#{" | b"$("));
    pairs || value.windows(3).any(|three| matches!(three, b"..." | b"://"))
}

/// Calls, paths, numbers, dotted names and types, as they stand unquoted in code.
fn is_code(value: &[u8]) -> bool {
    let called = value.iter().any(|byte| b"([{".contains(byte));
    let path =
        matches!(value[0], b'/' | b'.' | b'~') && value.contains(&b'/') && entropy::is_wordy(value);
    let borrowed = matches!(value[0], b'&' | b'*' | b'\\');
    let number = value.starts_with(b"0x") && value.len() <= 10;
    let scoped = value.starts_with(b"__") || value.windows(2).any(|pair| pair == b"::");
    called || path || borrowed || number || scoped || is_dotted_name(value)
}

fn is_dotted_name(value: &[u8]) -> bool {
    (value.contains(&b'.') || value.contains(&b'_')) && is_identifier(value)
}

/// A namesake is a variable: `pass1`, `token_2`, `user_password`; not `Passw0rd`.
fn is_namesake(value: &[u8]) -> bool {
    let n_digits = value.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let head = &value[..value.len() - n_digits];
    let is_name = head.iter().all(|byte| byte.is_ascii_alphabetic() || b"_-.".contains(byte));
    n_digits <= 2 && is_name && mentions_secret(head)
}

fn mentions_secret(value: &[u8]) -> bool {
    (0..value.len()).any(|at| NAMESAKES.iter().any(|name| begins_with(&value[at..], name)))
}

/// `starts_with` without regard to case.
pub(super) fn begins_with(value: &[u8], known: &str) -> bool {
    value.get(..known.len()).is_some_and(|head| head.eq_ignore_ascii_case(known.as_bytes()))
}

/// Longer names are distinguished from random letters by their words. Half of the letters:
/// under a telling name the doubt goes to the secret.
const LONG_NAME: usize = 12;
const NAME_PERCENT: usize = 50;
const JUMBLED_PERCENT: usize = 25;

/// Names as people write them: pieces of letters, each with at most two digits behind.
pub(super) fn is_identifier(value: &[u8]) -> bool {
    if !value.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
        return false;
    }
    if !value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(byte)) {
        return false;
    }
    let long_number = value.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    if long_number.into_iter().any(|row| row[0].is_ascii_digit() && row.len() > 2) {
        return false;
    }
    let n_letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    n_letters * 2 >= n_pieces(value) * 5
        && (value.len() < LONG_NAME || entropy::word_percent(value) >= NAME_PERCENT)
}

/// Camel-case, snake-case and digit boundaries cut a name into pieces.
fn n_pieces(value: &[u8]) -> usize {
    let cuts = |a: u8, b: u8| {
        b.is_ascii_alphabetic()
            && (!a.is_ascii_alphabetic() || a.is_ascii_lowercase() && b.is_ascii_uppercase())
    };
    1 + value.windows(2).filter(|pair| cuts(pair[0], pair[1])).count()
}
