//! Where does a sentence state a secret?
//!
//! `the password is X`, `my passphrase: "…"`, `set the token to X`, `the api key (X)`,
//! `"X" as the password`. Most sentences about secrets state none, so a value must be in
//! quotes or not be a word; `plain` knows the words that only look strange.

use super::assign::{self, Value};
use super::entropy;
use super::keys::{self, Name, Need, is_one_of};
use super::marks::Span;
use super::plain;
use super::value::{self, Setting};
use crate::list;

/// Words between a name and `is`: "the password for the staging database is X".
const MAX_WORDS: usize = 8;
const MAX_WORD: usize = 24;

/// What joins a name with its value, and what may stand between the two.
const LINKS: &[&str] = list!("secrets.txt", "links");
const FILLERS: &[&str] = list!("secrets.txt", "fillers");

/// Adds a span for every value that a sentence gives to a secret-like name.
pub(super) fn find_stated(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let ends_word = |byte: &u8| b" .,;)\n".contains(byte);
    let mut at = 0;
    while at < bytes.len() {
        let end = bytes[at..].iter().position(ends_word).map_or(bytes.len(), |length| at + length);
        at = end + 1;
        if !may_end_name(&bytes[..end]) {
            continue;
        }
        let Some(name) = assign::named_by(bytes, end, keys::telling_key) else {
            continue;
        };
        let found = value_before(bytes, &name).or_else(|| {
            (bytes.get(end) == Some(&b' ')).then(|| value_behind(bytes, end, &name)).flatten()
        });
        if let Some(span) = found {
            at = at.max(span.end);
            spans.push(span);
        }
    }
}

/// The last letters of the names that prose uses; most words are sent off here.
fn may_end_name(before: &[u8]) -> bool {
    const ENDS: [&[u8; 2]; 12] =
        [b"rd", b"wd", b"rt", b"de", b"se", b"in", b"et", b"en", b"ey", b"ls", b"al", b"ta"];
    before
        .last_chunk()
        .is_some_and(|end| ENDS.contains(&&end.map(|byte| byte.to_ascii_lowercase())))
}

fn value_behind(bytes: &[u8], from: usize, name: &Name) -> Option<Span<'static>> {
    let start = from + 1;
    for arrow in ["-> ", "=> ", "→ "] {
        if bytes[start..].starts_with(arrow.as_bytes()) {
            return stated_value(bytes, start + arrow.len(), name);
        }
    }
    if bytes.get(start) == Some(&b'(') {
        return match quoted(bytes, start + 1) {
            Some(quoted) => assign::judge(bytes, quoted, name.key),
            None => bare(bytes, start + 1, name),
        };
    }
    let mut at = start;
    for n_words in 0..MAX_WORDS {
        let end = word_end(bytes, at);
        let word = &bytes[at..end];
        let is_link = is_one_of(word, LINKS) || n_words == 0 && word == b"to";
        match bytes.get(end) {
            Some(b' ' | b':') if is_link => {
                return stated_value(bytes, behind_link(bytes, end), name);
            }
            Some(b' ') if end > at => at = end + 1,
            _ => break,
        }
    }
    bare(bytes, start, name)
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphabetic() || b"-'".contains(byte);
    at + bytes[at..].iter().take(MAX_WORD).take_while(is_part).count()
}

/// Behind `is`, `is:`, `is now`, `was set to`.
fn behind_link(bytes: &[u8], link_end: usize) -> usize {
    let mut at = link_end + 1 + usize::from(bytes[link_end] == b':');
    for _ in 0..3 {
        let end = word_end(bytes, at.min(bytes.len()));
        let is_filler = bytes.get(at..end).is_some_and(|word| is_one_of(word, FILLERS));
        if !is_filler || bytes.get(end) != Some(&b' ') {
            break;
        }
        at = end + 1;
    }
    at
}

/// The value at `from`, behind a link or an arrow.
fn stated_value(bytes: &[u8], from: usize, name: &Name) -> Option<Span<'static>> {
    if let Some(quoted) = quoted(bytes, from) {
        return assign::judge(bytes, quoted, name.key);
    }
    let value = bare_value(bytes, from)?;
    let text = &bytes[value.start..value.end];
    if let Some(behind) = pair_of_credentials(bytes, &value, name) {
        return stated_value(bytes, behind, &Name { key: keys::key(b"password")?, ..*name });
    }
    let is_number = || text.len() >= 6 && text.iter().all(u8::is_ascii_digit);
    let ends_clause = || bytes.get(value.end).is_none_or(|byte| b".,;!?)\n\"'".contains(byte));
    let next = bytes.len().min(value.end + 1);
    let is_value = match name.key.need {
        Need::Little | Need::Phrase if is_number() => ends_clause(),
        Need::Pin => !plain::is_unit(&bytes[next..word_end(bytes, next)]),
        Need::Little | Need::Phrase | Need::Some => !plain::is_plain(text),
        Need::Much | Need::Random | Need::Made => !plain::is_plain(text),
    };
    let setting = if is_number() { Setting::Literal } else { Setting::Open };
    is_value.then(|| assign::judge(bytes, Value { setting, ..value }, name.key)).flatten()
}

/// `admin / X` behind "the credentials are": where X begins.
fn pair_of_credentials(bytes: &[u8], value: &Value, name: &Name) -> Option<usize> {
    let is_pair = bytes[value.end..].starts_with(b" / ");
    let named = &bytes[name.start..];
    let is_credentials =
        ["credentials", "creds", "login"].iter().any(|word| value::begins_with(named, word));
    (is_pair && is_credentials).then_some(value.end + 3)
}

/// A value in quotes, phrases of ordinary words excepted: those are messages.
fn quoted(bytes: &[u8], from: usize) -> Option<Value> {
    let value = assign::read_value(bytes, from, Setting::Open)?;
    let is_message = plain::is_message(&bytes[value.start..value.end]);
    (value.is_closed && !is_message).then_some(value)
}

/// Up to the next blank, without the punctuation of the sentence.
fn bare_value(bytes: &[u8], from: usize) -> Option<Value> {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>".contains(byte);
    let length = bytes.get(from..)?.iter().position(ends).unwrap_or(bytes.len() - from);
    let trims = |byte: &u8| b".,:;!?)]}\\".contains(byte);
    let value = &bytes[from..from + length];
    let kept = value.len() - value.iter().rev().take_while(|byte| trims(byte)).count();
    (kept > 0).then(|| Value::closed(from, from + kept, Setting::Open))
}

/// `password X` without a link: only what can hardly be anything else.
fn bare(bytes: &[u8], from: usize, name: &Name) -> Option<Span<'static>> {
    let value = bare_value(bytes, from)?;
    let text = &bytes[value.start..value.end];
    let n_of = |is: fn(&u8) -> bool| text.iter().filter(|byte| is(byte)).count();
    let (n_digits, n_lower) = (n_of(u8::is_ascii_digit), n_of(u8::is_ascii_lowercase));
    let is_made = text.len() >= 8 && n_digits > 0 && !value::is_identifier(text);
    let is_value = match name.key.need {
        Need::Little => is_made && n_lower > 0 && is_odd(text, n_digits),
        Need::Some => is_made && entropy::word_percent(text) < 50,
        Need::Phrase | Need::Pin | Need::Much | Need::Random | Need::Made => false,
    };
    // What follows `reset-password` or `the pwd` is rarely a value.
    let is_password = || is_one_of(&bytes[name.start..from - 1], &["password", "passphrase"]);
    let is_value = is_value || is_word_with_digits(text) && is_password();
    let is_value = is_value && !plain::is_plain(text);
    is_value.then(|| assign::judge(bytes, value, name.key)).flatten()
}

/// `hunter2hunter2`, `hunter42`: no name has its digits there. `validator2` has.
fn is_word_with_digits(text: &[u8]) -> bool {
    let n_last = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let has_inner = text[..text.len() - n_last].iter().any(u8::is_ascii_digit);
    let is_camel =
        text.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    text.len() >= 8
        && text.iter().all(u8::is_ascii_alphanumeric)
        && text.iter().any(u8::is_ascii_lowercase)
        && (n_last >= 2 || has_inner && !is_camel)
}

/// Several digits or signs, or no words.
fn is_odd(text: &[u8], n_digits: usize) -> bool {
    let n_symbols = text.iter().filter(|byte| b"@!#$%^&*+?~".contains(byte)).count();
    n_digits + n_symbols >= 2 || entropy::word_percent(text) < 50
}

/// `"X" as the password`: the value stands before its name.
fn value_before(bytes: &[u8], name: &Name) -> Option<Span<'static>> {
    let mut at = name.start;
    for _ in 0..4 {
        let before = bytes[..at].strip_suffix(b" ")?;
        let length =
            before.iter().rev().take(MAX_WORD).take_while(|b| b.is_ascii_alphabetic()).count();
        let word = &before[before.len() - length..];
        at = before.len() - length;
        if word == b"as" {
            return quoted_before(bytes, at.checked_sub(1)?, name);
        }
        if word.is_empty() {
            return None;
        }
    }
    None
}

const MAX_QUOTED: usize = 128;

fn quoted_before(bytes: &[u8], end: usize, name: &Name) -> Option<Span<'static>> {
    let quote = *bytes[..end].last().filter(|byte| b"\"'`".contains(byte))?;
    let end = end - 1;
    let line = &bytes[end.saturating_sub(MAX_QUOTED)..end];
    let length = line.iter().rev().position(|&byte| byte == quote)?;
    let value = Value::closed(end - length, end, Setting::Open);
    let is_plain = plain::is_plain(&bytes[value.start..end]);
    (!is_plain).then(|| assign::judge(bytes, value, name.key)).flatten()
}
