//! Where does a text give a value to a secret-like name?
//!
//! Finds `name=value`, `name: value`, `"name": "value"`, `--name value`,
//! `<name>value</name>`, `name "value"` and lists of names and values, also inside escaped
//! JSON. `keys` judges the name and `value` the value; only the value is hidden.

use super::keys::{self, Key, MAX_NAME, Name, Need, name_start};
use super::marks::{self, Rank, Span};
use super::plain;
use super::value::{self, Setting};

/// How much of a value is judged; an unquoted one is then followed to its end.
const WINDOW: usize = 128;

/// A closing quote further away than this is taken for a missing one.
const MAX_QUOTED: usize = 1024;

/// How far a type may stretch between a name and its value: `token: Option<&str> = "…"`.
const MAX_TYPE: usize = 40;

/// Adds a span for every secret value under a secret-like name.
pub(super) fn find_values(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let mut at = 0;
    while at < bytes.len() {
        let found = match bytes[at] {
            b'=' | b':' => pair_at(bytes, at),
            b'>' => element_at(bytes, at),
            b' ' => flag_at(bytes, at).or_else(|| quoted_word_at(bytes, at)),
            _ => None,
        };
        // What stands in a hidden value goes anyway.
        at = found.map_or(at + 1, |span| span.end.max(at + 1));
        spans.extend(found);
    }
}

/// The secret-like name that ends at `end`, quotes and brackets around it aside.
fn name_before(bytes: &[u8], end: usize) -> Option<Name> {
    let mut end = end;
    for _ in 0..2 {
        end -= usize::from(end > 0 && bytes[end - 1] == b' ');
    }
    if bytes[..end].ends_with(b"\"]") || bytes[..end].ends_with(b"']") {
        end -= 1;
    }
    for _ in 0..4 {
        end -= usize::from(end > 0 && b"\"'`\\".contains(&bytes[end - 1]));
    }
    named_by(bytes, end, keys::key).or_else(|| listed_name(bytes, end))
}

/// Most words of a name in prose: `new relic insert key`.
const MAX_NAME_WORDS: usize = 4;

/// The secret-like name that ends at `end`, as `judge` judges names; prose writes some of them as
/// several words.
pub(super) fn named_by(bytes: &[u8], end: usize, judge: fn(&[u8]) -> Option<Key>) -> Option<Name> {
    let start = name_start(bytes, end);
    let mut start = start + escape_length(&bytes[..start], &bytes[start..end]);
    let is_second =
        keys::SECOND_WORDS.iter().any(|word| bytes[start..end].eq_ignore_ascii_case(word));
    let most = if is_second { MAX_NAME_WORDS } else { 1 };
    for n_words in 1..=most {
        if let Some(key) = judge(&bytes[start..end]) {
            return Some(Name { start, key });
        }
        let before = start.checked_sub(1).filter(|at| n_words < most && bytes[*at] == b' ')?;
        start = name_start(bytes, before);
        if start == before || end - start > MAX_NAME {
            return None;
        }
    }
    None
}

/// Quotes, commas and blanks between two fields of a list.
const MAX_GAP: usize = 24;

/// The secret-like name of the `value` that ends at `end`: `{"name": "API_KEY", "value": "…"}`,
/// `- name: API_KEY` over `value: …`, `<add key="ApiKey" value="…"/>`.
fn listed_name(bytes: &[u8], end: usize) -> Option<Name> {
    let is_between = |byte: &&u8| byte.is_ascii_whitespace() || b"\"'`\\,:=;".contains(byte);
    let end_before = |start: usize| {
        start - bytes[..start].iter().rev().take(MAX_GAP).take_while(is_between).count()
    };
    let start = name_start(bytes, end);
    if !bytes[start..end].eq_ignore_ascii_case(b"value") {
        return None;
    }
    let name_end = end_before(start);
    let name = name_start(bytes, name_end);
    let key = keys::key(&bytes[name..name_end])?;
    let label_end = end_before(name);
    let label = &bytes[name_start(bytes, label_end)..label_end];
    let is_label = [&b"name"[..], b"key", b"id"].iter().any(|w| label.eq_ignore_ascii_case(w));
    is_label.then_some(Name { start, key })
}

/// The length of what is left of an escape before a name: `\u0026sig`, `%26sig`.
fn escape_length(before: &[u8], name: &[u8]) -> usize {
    match (before.last(), name) {
        (Some(b'\\'), [b'u', b'0', b'0', _, _, _, ..]) => 5,
        (Some(b'%'), [a, b, _, ..]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => 2,
        _ => 0,
    }
}

/// `name = value` and `name: value`, with the separator at `at`.
fn pair_at(bytes: &[u8], at: usize) -> Option<Span<'static>> {
    let n_signs =
        bytes[..at].iter().rev().take(2).take_while(|byte| b"=!:?+".contains(byte)).count();
    let name = name_before(bytes, at - n_signs)?;
    let after = separator_end(bytes, at);
    let typed = (bytes[at] == b':').then(|| typed_value(bytes, after)).flatten();
    let from = skip_blanks(bytes, typed.unwrap_or(after));
    if let Some(below) = line_below(bytes, from) {
        let found = read_value(bytes, below, Setting::Open).filter(|v| fills_line(bytes, v))?;
        return judge(bytes, found, name.key);
    }
    let found = read_value(bytes, from, pair_setting(bytes, at, &name))?;
    judge(bytes, found, name.key)
}

/// Behind `=`, `==`, `===`, `=>`, `:=`, `::`.
fn separator_end(bytes: &[u8], at: usize) -> usize {
    at + 1 + bytes[at + 1..].iter().take(2).take_while(|byte| b"=>:".contains(byte)).count()
}

fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Where the text goes on when a name's line ends before its value: below, behind `|`,
/// `(` or a backslash, with at most one empty line between.
fn line_below(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = &bytes[from..];
    let n_openers = rest.iter().take(2).take_while(|byte| b"|>-+(\\".contains(byte)).count();
    let blank = |byte: &&u8| byte.is_ascii_whitespace();
    let n_blank = rest[n_openers..].iter().take(MAX_INDENT).take_while(blank).count();
    let gap = &rest[n_openers..n_openers + n_blank];
    let n_lines = gap.iter().filter(|byte| **byte == b'\n').count();
    matches!(n_lines, 1 | 2).then_some(from + n_openers + n_blank)
}

const MAX_INDENT: usize = 80;

/// Whether nothing else stands on the value's line: a key below a key is a structure.
fn fills_line(bytes: &[u8], value: &Value) -> bool {
    let end = whole_end(bytes, value);
    let ends = |byte: &&u8| b"\"'`,;)\\ ".contains(byte);
    let n_closers = bytes[end..].iter().take(6).take_while(ends).count();
    let is_key = bytes[..end].ends_with(b":");
    !is_key && bytes.get(end + n_closers).is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Where the value of `name: Type = "value"` begins, if that is what follows the colon.
fn typed_value(bytes: &[u8], from: usize) -> Option<usize> {
    let is_type = |byte: &&u8| byte.is_ascii_alphanumeric() || b" _<>&'[]?.|".contains(byte);
    let length = bytes[from..].iter().take(MAX_TYPE).take_while(is_type).count();
    let equals = from + length;
    let begins = skip_blanks(bytes, equals + usize::from(equals < bytes.len()));
    let quoted = bytes.get(begins).is_some_and(|byte| b"\"'`\\".contains(byte));
    (bytes.get(equals) == Some(&b'=') && quoted).then_some(begins)
}

/// `DB_PASSWORD=x`, `?token=x` and `&token=x` take their value literally.
fn pair_setting(bytes: &[u8], at: usize, name: &Name) -> Setting {
    let direct = bytes[at] == b'=' && bytes[at - 1] != b'=' && !bytes[at - 1].is_ascii_whitespace();
    let raw_name = &bytes[name.start..at];
    let loud =
        raw_name.iter().any(u8::is_ascii_uppercase) && !raw_name.iter().any(u8::is_ascii_lowercase);
    let in_query = name.start > 0 && matches!(bytes[name.start - 1], b'?' | b'&');
    if direct && (loud || in_query) { Setting::Literal } else { Setting::Open }
}

/// `--name value`, with the blank at `at`. `--name=value` is a pair.
fn flag_at(bytes: &[u8], at: usize) -> Option<Span<'static>> {
    let name = &bytes[name_start(bytes, at)..at];
    if !name.starts_with(b"--") || bytes.get(at + 1) == Some(&b'-') {
        return None;
    }
    let key = keys::key(name)?;
    let from = skip_blanks(bytes, at);
    let from = line_below(bytes, from).unwrap_or(from);
    let found = read_value(bytes, from, Setting::Open)?;
    judge(bytes, found, key)
}

/// Shorter names, such as `pass`, are everyday words in front of a quote.
const MIN_PROSE_NAME: usize = 5;

/// `password 'value'`, as in SQL and in findings, with the blank at `at`.
fn quoted_word_at(bytes: &[u8], at: usize) -> Option<Span<'static>> {
    if !bytes.get(at + 1).is_some_and(|byte| b"\"'`".contains(byte)) {
        return None;
    }
    let key = if ends_in_identified_by(&bytes[..at]) {
        keys::key(b"password")?
    } else {
        let name = named_by(bytes, at, keys::telling_key);
        name.filter(|name| at - name.start >= MIN_PROSE_NAME)?.key
    };
    let mut found = read_value(bytes, at + 1, Setting::Open)?;
    let is_phrase = key.need == Need::Phrase && !plain::is_message(&bytes[found.start..found.end]);
    // Prose puts names of things in quotes behind `password` as well.
    found.setting = if is_phrase { found.setting } else { Setting::Open };
    judge(bytes, found, key)
}

fn ends_in_identified_by(before: &[u8]) -> bool {
    const WORDS: &[u8] = b"identified by";
    before.len() >= WORDS.len() && before[before.len() - WORDS.len()..].eq_ignore_ascii_case(WORDS)
}

/// `<name>value</name>`, with the `>` at `at`.
fn element_at(bytes: &[u8], at: usize) -> Option<Span<'static>> {
    let start = name_start(bytes, at);
    if start == 0 || bytes[start - 1] != b'<' {
        return None;
    }
    let key = keys::key(&bytes[start..at])?;
    let rest = &bytes[at + 1..bytes.len().min(at + 1 + WINDOW)];
    let length = rest.windows(2).position(|window| window == b"</")?;
    judge(bytes, Value::closed(at + 1, at + 1 + length, Setting::Literal), key)
}

/// A value as it stands in the text, without its quotes.
pub(super) struct Value {
    pub start: usize,
    pub end: usize,
    pub setting: Setting,
    /// Whether a quote or a tag ends it; if not, only its first bytes were read so far.
    pub is_closed: bool,
}

impl Value {
    pub(super) fn closed(start: usize, end: usize, setting: Setting) -> Value {
        Value { start, end, setting, is_closed: true }
    }
}

pub(super) fn judge(bytes: &[u8], found: Value, key: Key) -> Option<Span<'static>> {
    let judged = &bytes[found.start..found.end];
    let is_mark = marks::mark_end(bytes, found.start) == Some(found.end);
    if is_mark || !value::is_secret(judged, key, found.setting) {
        return None;
    }
    let end = whole_end(bytes, &found);
    Some(Span { start: found.start, end, family: key.family, rank: Rank::Assigned })
}

/// Where `value` ends, also behind the part of it that is judged.
pub(super) fn whole_end(bytes: &[u8], value: &Value) -> usize {
    if value.is_closed {
        return value.end;
    }
    unquoted_end(bytes, value.start, value.setting, usize::MAX)
}

pub(super) fn read_value(bytes: &[u8], from: usize, setting: Setting) -> Option<Value> {
    let n_escapes = bytes.get(from..)?.iter().take(3).take_while(|&&byte| byte == b'\\').count();
    let quote_at = from + n_escapes;
    let is_quote = bytes.get(quote_at).is_some_and(|byte| b"\"'`".contains(byte));
    if is_quote {
        let start = quote_at + 1;
        return match closing_quote(bytes, start, &bytes[from..start]) {
            Some(end) => Some(Value::closed(start, end, Setting::Literal)),
            None => unquoted(bytes, start, setting),
        };
    }
    unquoted(bytes, after_scheme(bytes, from), setting)
}

/// Where `quote`, with the escapes it had at the opening, stands again on this line.
fn closing_quote(bytes: &[u8], start: usize, quote: &[u8]) -> Option<usize> {
    let line = &bytes[start..bytes.len().min(start + MAX_QUOTED)];
    let mut at = 0;
    while at < line.len() && line[at] != b'\n' {
        if line[at..].starts_with(quote) {
            return Some(start + at);
        }
        // An escaped byte inside is skipped, so that `\"` does not close `"`.
        at += if line[at] == b'\\' && quote.len() == 1 { 2 } else { 1 };
    }
    None
}

/// Behind the scheme of a header: `Authorization: token abc` holds `abc`.
fn after_scheme(bytes: &[u8], from: usize) -> usize {
    const SCHEMES: &[&str] = &["bearer ", "basic ", "token ", "apikey ", "digest ", "key "];
    let rest = bytes.get(from..).unwrap_or_default();
    let scheme = SCHEMES.iter().find(|scheme| value::begins_with(rest, scheme));
    from + scheme.map_or(0, |scheme| scheme.len())
}

fn unquoted(bytes: &[u8], start: usize, setting: Setting) -> Option<Value> {
    let end = unquoted_end(bytes, start, setting, WINDOW);
    (end > start).then_some(Value { start, end, setting, is_closed: false })
}

/// The end of the unquoted value at `start`, or of its first `most` bytes.
fn unquoted_end(bytes: &[u8], start: usize, setting: Setting, most: usize) -> usize {
    let limit = bytes.len().min(start.saturating_add(most));
    let mut end = start;
    while end < limit && !ends_value(bytes, end, setting) {
        end = marks::mark_end(bytes, end).unwrap_or(end + 1);
    }
    let trims =
        |byte: u8| b".,:;!?)]}".contains(&byte) && setting == Setting::Literal || byte == b'.';
    while end > start && trims(bytes[end - 1]) && marks::mark_end(bytes, start) != Some(end) {
        end -= 1;
    }
    end
}

/// An environment line takes brackets and commas into its value; prose and code do not.
fn ends_value(bytes: &[u8], at: usize, setting: Setting) -> bool {
    let byte = bytes[at];
    let always = byte.is_ascii_whitespace() || b"\"'`;|<>".contains(&byte);
    let joins = byte == b'&' && begins_parameter(&bytes[at + 1..]);
    let escape = byte == b'\\' && bytes.get(at + 1).is_some_and(|next| b"nrt\"'".contains(next));
    let in_code = setting == Setting::Open && b",)]}".contains(&byte);
    always || joins || escape || in_code
}

/// Whether what follows `&` is another parameter or command; else it belongs to the value.
fn begins_parameter(rest: &[u8]) -> bool {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-[]".contains(byte);
    let n_name = rest.iter().take(MAX_NAME).take_while(is_part).count();
    match rest.get(n_name) {
        Some(b'=') => true,
        Some(byte) => n_name == 0 && (byte.is_ascii_whitespace() || *byte == b'&'),
        None => n_name == 0,
    }
}
