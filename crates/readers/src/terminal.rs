//! What does a terminal show? Turns what programs write to it into plain lines: escape
//! sequences go, and what was overwritten in a line is gone. Also reads the recordings of
//! asciinema, of which only the output counts.

use std::borrow::Cow;
use std::io::{self, BufReader, Read};

use serde_json::Value;

use crate::lines::{Content, Lines};
use crate::report::Report;
use crate::run_log::RunLog;

/// Longest line of a terminal that is held.
const MAX_LINE_BYTES: usize = 8 << 10;

/// A line as a terminal shows it in the end.
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
fn skip_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
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

/// Whether the start of an input is that of a recording.
pub fn is_cast(head: &[u8]) -> bool {
    let first = head.trim_ascii_start().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(header) = serde_json::from_slice::<Value>(first) else { return false };
    let is_version = (1..=3).any(|version| header["version"] == version);
    is_version
        && (header["width"].is_u64() && header["height"].is_u64() || header["term"].is_object())
}

/// Reads a recording: a header, then one event a line.
pub fn read_cast(reader: &mut dyn Read, report: &mut Report) -> io::Result<()> {
    let mut log = RunLog::default();
    let mut shown = String::new();
    let mut lines = Lines::new(BufReader::new(reader), report.limits);
    while let Some(line) = lines.next_line()? {
        let Content::Text { text, .. } = line.content else { continue };
        let Ok(event) = serde_json::from_str::<Value>(text) else { continue };
        let Some(output) = event[2].as_str().filter(|_| event[1] == "o") else { continue };
        for part in output.split_inclusive('\n') {
            if shown.len() + part.len() <= MAX_LINE_BYTES {
                shown.push_str(part);
            }
            if part.ends_with('\n') {
                log.line(line.number, shown.trim_end_matches('\n'));
                shown.clear();
            }
        }
    }
    if lines.is_cut() {
        report.cut = Some(crate::lines::size(report.limits.input_bytes));
    }
    log.line(report.limits.input_bytes.min(1), &shown);
    report.notes.go_to(0);
    log.finish(report);
    Ok(())
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
