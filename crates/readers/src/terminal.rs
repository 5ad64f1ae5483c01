//! What does a line that was printed look like in the end?

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

/// A line as a terminal shows it in the end: without escape sequences, and without what was
/// overwritten.
pub fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains(['\u{1b}', '\r', '\u{8}', '\u{7}']) {
        return line.into();
    }
    let mut shown = String::new();
    let mut rest = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut rest),
            // The cursor is back at the start: what follows replaces what stood there.
            '\r' => shown.clear(),
            '\u{8}' => drop(shown.pop()),
            '\u{7}' => {}
            c => shown.push(c),
        }
    }
    shown.into()
}

/// Goes behind an escape sequence: `[…m`, `]…` up to its end, or one sign.
fn skip_sequence(rest: &mut Peekable<Chars<'_>>) {
    match rest.next() {
        Some('[') => while rest.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
        Some(']') => {
            while let Some(c) = rest.next() {
                if c == '\u{7}' || c == '\u{1b}' && rest.next_if_eq(&'\\').is_some() {
                    break;
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_is_seen_in_the_end() {
        let cases = [
            ("plain", "plain"),
            ("\u{1b}[?2004hroot@a:/app# ls\r", "root@a:/app# ls"),
            ("10%\r50%\r100%\r", "100%"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]0;title\u{1b}\\x", "x"),
            ("ab\u{8}c", "ac"),
            ("\u{1b}[0;32mok\u{1b}[0m", "ok"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
            ("\u{1b}]", ""),
        ];
        for (line, expected) in cases {
            assert_eq!(plain(line), expected, "{line:?}");
        }
    }
}
