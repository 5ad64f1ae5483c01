//! Which secrets are known by the place where they travel?
//!
//! Key blocks in PEM armor, `Bearer` and `Basic` credentials, passwords inside
//! URLs and after `curl -u`. Only the secret goes; the place stays readable.

use super::entropy;
use super::marks::{self, Rank, Span};
use super::shapes::Set;
use super::value;

const BEGIN: &[u8] = b"-----BEGIN";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// The last line of a block whose `END` somebody garbled, and how much stands before it.
const CLOSE: &[u8] = b"KEY-----";
const MIN_BODY: usize = 64;
const MAX_LABEL: usize = 128;

/// How far behind a lone header key material must begin to be believed.
const MAX_BODY_LEAD: usize = 300;

/// Hides private key blocks, with their armor, as real or escaped lines.
///
/// A block that is never closed is hidden to the end of the text, provided key
/// material follows: a sentence about the header line is not a key.
pub(super) fn find_keys(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let mut at = 0;
    let mut any_end_ahead = true;
    let mut any_close_ahead = true;
    while let Some(start) = position(bytes, at, BEGIN) {
        at = start + BEGIN.len();
        let Some(body) = private_label_end(bytes, at) else {
            continue;
        };
        let end = if any_end_ahead { position(bytes, body, END) } else { None };
        any_end_ahead = end.is_some();
        let close = if any_close_ahead { position(bytes, body + MIN_BODY, CLOSE) } else { None };
        any_close_ahead = close.is_some();
        let end = match end.map(|end| armor_end(bytes, end)).or(close.map(|at| at + CLOSE.len())) {
            Some(end) => end,
            None if has_key_material(bytes, body) => bytes.len(),
            None => continue,
        };
        spans.push(Span { start, end, family: "private-key", rank: Rank::Block });
        at = end;
    }
}

fn position(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == needle[0])?;
        if bytes[at..].starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
}

/// The end of `... PRIVATE KEY-----`, if that is what the header says.
fn private_label_end(bytes: &[u8], from: usize) -> Option<usize> {
    let line = &bytes[from..bytes.len().min(from + MAX_LABEL)];
    let length = line.windows(DASHES.len()).position(|window| window == DASHES)?;
    let label = &line[..length];
    let private = label.windows(11).any(|window| window == b"PRIVATE KEY");
    private.then_some(from + length + DASHES.len())
}

fn armor_end(bytes: &[u8], end: usize) -> usize {
    let label = end + END.len();
    let line = &bytes[label..bytes.len().min(label + MAX_LABEL)];
    match line.windows(DASHES.len()).position(|window| window == DASHES) {
        Some(length) => label + length + DASHES.len(),
        None => {
            label
                + line.iter().take_while(|byte| byte.is_ascii_uppercase() || **byte == b' ').count()
        }
    }
}

fn has_key_material(bytes: &[u8], from: usize) -> bool {
    let window = &bytes[from..bytes.len().min(from + MAX_BODY_LEAD)];
    let rows = window.split(|byte| !(byte.is_ascii_alphanumeric() || b"+/=".contains(byte)));
    rows.into_iter()
        .any(|row| row.len() >= 20 || row.len() >= 12 && row.iter().any(u8::is_ascii_digit))
}

/// Hides what follows `Bearer` and `Basic`, and the password after `curl -u user:`.
pub(super) fn find_schemes(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let mut at = 0;
    while at < bytes.len() {
        let found = match bytes[at] {
            b'B' | b'b' => credential_at(bytes, at),
            b'-' => curl_user_at(bytes, at),
            _ => None,
        };
        at = found.map_or(at + 1, |span| span.end);
        spans.extend(found);
    }
}

fn credential_at(bytes: &[u8], at: usize) -> Option<Span<'static>> {
    let word_edge = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
    let schemes = [("bearer", "bearer-token"), ("basic", "basic-auth")];
    let (scheme, family) =
        schemes.into_iter().find(|(word, _)| value::begins_with(&bytes[at..], word))?;
    let start = at + scheme.len() + escaped_gap(&bytes[at + scheme.len()..])?;
    let is_part = |byte: u8| Set::Base64.has(byte) || byte == b'.' || byte == b'~';
    let judged = bytes[start..].iter().take(256).take_while(|&&byte| is_part(byte)).count();
    if !word_edge || !is_credential(&bytes[start..start + judged]) {
        return None;
    }
    let mut end = start + bytes[start..].iter().take_while(|&&byte| is_part(byte)).count();
    while bytes[end - 1] == b'.' {
        end -= 1;
    }
    Some(Span { start, end, family, rank: Rank::Wire })
}

/// The length of what separates a scheme from its credential: blanks, also in a query's spelling.
fn escaped_gap(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"%20") {
        return Some(3);
    }
    let blanks =
        rest.iter().take(4).take_while(|byte| matches!(byte, b' ' | b'\t' | b'+' | b':')).count();
    (blanks > 0).then_some(blanks)
}

/// "Bearer authentication" and "basic usage2" are words, not credentials.
fn is_credential(token: &[u8]) -> bool {
    let has_digit = token.iter().any(u8::is_ascii_digit);
    let padded = token.ends_with(b"=");
    let mixed = token.iter().skip(1).any(u8::is_ascii_uppercase)
        && token.iter().any(u8::is_ascii_lowercase);
    let is_hex = token.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    if is_hex && has_digit && token.len() >= 16 {
        return entropy::distinct(token) >= 5;
    }
    token.len() >= 8
        && entropy::distinct(token) >= 5
        && (has_digit || padded || mixed || token.len() >= 20)
        && !value::is_identifier(token)
        && !(token.len() < 40 && entropy::word_percent(token) >= 50 && !padded)
}

const MAX_COMMAND: usize = 256;

fn curl_user_at(bytes: &[u8], at: usize) -> Option<Span<'static>> {
    let flags: [&[u8]; 4] = [b"-u ", b"--user ", b"--user=", b"--proxy-user "];
    let flag = flags.into_iter().find(|flag| bytes[at..].starts_with(flag))?;
    let command = &bytes[at.saturating_sub(MAX_COMMAND)..at];
    if !command.windows(4).any(|window| window == b"curl") {
        return None;
    }
    let quote = bytes.get(at + flag.len()).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let user = at + flag.len() + usize::from(quote.is_some());
    let ends =
        |byte: u8| byte.is_ascii_whitespace() || Some(byte) == quote || b"\"'`<>".contains(&byte);
    // Followed only behind a colon: else each flag in a row of them would read all others.
    let window = &bytes[user..bytes.len().min(user + MAX_COMMAND)];
    window[..window.iter().take_while(|&&byte| !ends(byte)).count()]
        .iter()
        .position(|&byte| byte == b':')?;
    let length = bytes[user..].iter().take_while(|&&byte| !ends(byte)).count();
    let colon = bytes[user..user + length].iter().position(|&byte| byte == b':')?;
    let (start, end) = (user + colon + 1, user + length);
    let hidden =
        end > start && !value::is_reference(&bytes[start..end]) && !is_mark(bytes, start, end);
    hidden.then_some(Span { start, end, family: "password", rank: Rank::Wire })
}

fn is_mark(bytes: &[u8], start: usize, end: usize) -> bool {
    marks::mark_end(bytes, start) == Some(end)
}

/// How much of a URL is searched for its `@`.
const MAX_AUTHORITY: usize = 256;

/// Hides the password of `scheme://user:password@host`, and a long user that is a key.
pub(super) fn find_url_passwords(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let mut at = 0;
    while let Some(scheme_end) = position(bytes, at, b":") {
        at = scheme_end + 1;
        let Some(slashes) = slashes(&bytes[at..]) else {
            continue;
        };
        at += slashes;
        if scheme_end == 0 || !bytes[scheme_end - 1].is_ascii_alphanumeric() {
            continue;
        }
        if let Some(span) = url_password(bytes, at) {
            at = span.end;
            spans.push(span);
        }
    }
}

/// The length of `//`, also as JSON may spell it.
fn slashes(rest: &[u8]) -> Option<usize> {
    ["//", "\\/\\/"].into_iter().find(|s| rest.starts_with(s.as_bytes())).map(str::len)
}

fn url_password(bytes: &[u8], from: usize) -> Option<Span<'static>> {
    let text = &bytes[from..bytes.len().min(from + MAX_AUTHORITY)];
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>`".contains(byte);
    let text = &text[..text.iter().position(ends).unwrap_or(text.len())];
    let authority = text.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(text.len());
    // `[user:password@]` is how manuals write an optional part; `[::1]` is a host.
    if text.first() == Some(&b'[') {
        return None;
    }
    let colon = text[..authority].iter().position(|&byte| byte == b':');
    let (start, end) = match colon {
        Some(colon) => (colon + 1, user_info_end(text, authority, colon)?),
        None => (0, text[..authority].iter().position(|&byte| byte == b'@')?),
    };
    let secret = &text[start..end];
    let is_key = || secret.len() >= 20 && secret.iter().any(u8::is_ascii_digit);
    let is_likely = if colon.is_some() { !secret.is_empty() } else { is_key() };
    let (start, end) = (from + start, from + end);
    let is_hidden = is_likely && !value::is_reference(secret) && !is_mark(bytes, start, end);
    is_hidden.then_some(Span { start, end, family: "url-password", rank: Rank::Wire })
}

/// Where the last `@` of the user part stands. A password with a raw `/`, `#`
/// or `?` cuts the authority short; what stands before is then no port number.
fn user_info_end(text: &[u8], authority: usize, colon: usize) -> Option<usize> {
    let last_at = |text: &[u8]| text.iter().rposition(|&byte| byte == b'@');
    if let Some(end) = last_at(&text[..authority]) {
        return (end > colon).then_some(end);
    }
    let is_port = text[colon + 1..authority].iter().all(u8::is_ascii_digit);
    if is_port { None } else { last_at(text) }
}
