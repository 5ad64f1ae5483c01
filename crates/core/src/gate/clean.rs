//! Makes a text harmless to terminals, prompts and tables: one line, no invisible or
//! steering characters, none of our own blocks.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// First line of a block.
pub const BLOCK_BEGIN: &str = "<hardwon-memory>";
/// Last line of a block.
pub const BLOCK_END: &str = "</hardwon-memory>";

/// Leaves out what stands between our marks, in any case; an unclosed block hides to
/// the end. Memory never learns from its own words.
pub(super) fn without_blocks(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(begin) = find_ignoring_case(rest, BLOCK_BEGIN) {
        out.push_str(&rest[..begin]);
        let inside = &rest[begin + BLOCK_BEGIN.len()..];
        match find_ignoring_case(inside, BLOCK_END) {
            Some(end) => rest = &inside[end + BLOCK_END.len()..],
            None => return out,
        }
    }
    out.push_str(rest);
    out
}

/// Byte offset of an ASCII needle, ignoring ASCII case.
fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    let needle = needle.as_bytes();
    let mut windows = text.as_bytes().windows(needle.len());
    windows.position(|window| window.eq_ignore_ascii_case(needle))
}

/// NFC, without invisible and control characters; white space stays, since secrets may have
/// several lines.
pub(super) fn without_steering(raw: &str) -> String {
    raw.nfc().filter(|&c| c.is_whitespace() || !is_steering(c)).collect()
}

/// White space folded to single spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Characters that steer a display or hide in it: controls, bidi marks, tags,
/// zero-width and other invisible format characters, private use, non-characters.
fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
            | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// A text from outside made safe to print in a message: control and steering
/// characters become spaces. For what is shown, not stored (file names, refused ids).
pub fn without_control(text: &str) -> String {
    // Nearly every text is plain, and none of these characters is changed below.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let safe = |c: char| if c.is_whitespace() || is_steering(c) { ' ' } else { c };
    text.chars().map(safe).collect()
}

/// An output of many lines made safe to print: line breaks and tabs stay, every other
/// character that steers a terminal or hides in it becomes a space. The last thing that
/// happens to an output, so that no command can forget it.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c != '\n' && c != '\t' && is_steering(c);
    if text.contains(steers) {
        Cow::Owned(text.chars().map(|c| if steers(c) { ' ' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// A JSON document whose bytes are as harmless: the same strings, with such characters as
/// escapes. Outside of strings a document has none.
pub fn harmless_json(document: &str) -> Cow<'_, str> {
    let steers = |c: char| c != '\n' && is_steering(c);
    if !document.contains(steers) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 64);
    for c in document.chars() {
        if steers(c) {
            let mut units = [0; 2];
            let escapes = c.encode_utf16(&mut units).iter();
            out.extend(escapes.map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c)
        }
    }
    Cow::Owned(out)
}

/// A text that cannot pretend to be one of our marks, wherever it stands in a block.
pub fn inert(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    if !lower.contains("hardwon-memory") {
        return text.to_owned();
    }
    text.replace('<', "\u{2039}").replace('>', "\u{203a}")
}

/// At most `n` characters, on a character boundary, with an ellipsis when cut.
pub(crate) fn cut(text: &str, n: usize) -> String {
    if text.chars().count() <= n {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(n - 1).collect();
    short.push('…');
    short
}
