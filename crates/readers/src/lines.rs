//! Where does each line of an input begin and end, and may it be used at all? Cuts a
//! stream into lines in bounded memory. What a line says is left to others.

use std::io::{self, BufRead, Read};
use std::ops::Range;

pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A longer line is put aside without being held in memory.
    pub line_bytes: usize,
    /// Reading stops here; what was read is kept.
    pub input_bytes: u64,
    /// Reading stops after this many events: tiny lines take far more room as events
    /// than they took in the input.
    pub n_events: usize,
    /// JSON nested deeper than this is put aside.
    pub depth: usize,
    /// Problems after this many are only counted.
    pub n_problems: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            line_bytes: 1 << 20,
            input_bytes: 256 << 20,
            n_events: 200_000,
            depth: 64,
            n_problems: 1000,
        }
    }
}

/// The lines of an input, one at a time. Blank lines are counted and skipped, a byte
/// order mark and carriage returns are dropped.
pub struct Lines<R> {
    reader: R,
    limits: Limits,
    /// Allocated once, for the longest line that is allowed: it never grows.
    buffer: Vec<u8>,
    n_lines: u64,
    n_bytes: u64,
    is_cut: bool,
}

/// One line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1, blank lines included.
    pub number: u64,
    pub content: Content<'a>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Content<'a> {
    Text {
        text: &'a str,
        /// False for a last line without a line end, which a crash may have torn.
        has_end: bool,
    },
    /// Not usable, and why. Never holds the text.
    PutAside(String),
}

/// What may stand around a line of the longest: a byte order mark, CR and LF.
const N_AROUND: usize = BYTE_ORDER_MARK.len() + 2;

impl<R: BufRead> Lines<R> {
    pub fn new(reader: R, limits: Limits) -> Self {
        let buffer = Vec::with_capacity(limits.line_bytes + N_AROUND);
        Lines { reader, limits, buffer, n_lines: 0, n_bytes: 0, is_cut: false }
    }

    /// The next line that is not blank; `None` at the end of the input or at its limit.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            self.buffer.clear();
            let n_left = self.limits.input_bytes.saturating_sub(self.n_bytes);
            let n_wanted = ((self.limits.line_bytes + N_AROUND) as u64).min(n_left);
            let n_read = (&mut self.reader).take(n_wanted).read_until(b'\n', &mut self.buffer)?;
            self.n_bytes += n_read as u64;
            let has_end = self.buffer.last() == Some(&b'\n');
            if !has_end && n_read as u64 == n_left && self.has_more()? {
                // The line may go on behind the limit, so its start alone is not used.
                self.is_cut = true;
                return Ok(None);
            }
            if n_read == 0 {
                return Ok(None);
            }
            self.n_lines += 1;
            let range = self.content_range();
            if range.len() > self.limits.line_bytes && !has_end {
                let n_left = self.limits.input_bytes.saturating_sub(self.n_bytes);
                self.n_bytes += (&mut self.reader).take(n_left).skip_until(b'\n')? as u64;
            }
            if self.buffer[range.clone()].trim_ascii().is_empty() {
                continue;
            }
            let content = match usable(&self.buffer[range], self.limits.line_bytes) {
                Ok(text) => Content::Text { text, has_end },
                Err(reason) => Content::PutAside(reason),
            };
            return Ok(Some(Line { number: self.n_lines, content }));
        }
    }

    /// Whether the limit of the input was met before its end.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The line in the buffer without byte order mark and line end.
    fn content_range(&self) -> Range<usize> {
        let has_mark = self.n_lines == 1 && self.buffer.starts_with(BYTE_ORDER_MARK);
        let start = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        let line = &self.buffer[start..];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        start..start + line.len()
    }

    /// Whether anything follows, of which one byte is used up.
    fn has_more(&mut self) -> io::Result<bool> {
        Ok((&mut self.reader).take(1).read_to_end(&mut Vec::new())? > 0)
    }
}

/// A size as a person writes it.
pub fn size(n_bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    match n_bytes % MIB {
        0 => format!("{} MiB", n_bytes / MIB),
        _ => format!("{n_bytes} bytes"),
    }
}

fn too_long(limit: usize) -> String {
    format!("the line is longer than {}", size(limit as u64))
}

pub fn usable(line: &[u8], max_bytes: usize) -> Result<&str, String> {
    if line.len() > max_bytes {
        return Err(too_long(max_bytes));
    }
    std::str::from_utf8(line)
        .map_err(|error| format!("not valid UTF-8 at byte {} of the line", error.valid_up_to() + 1))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn limits(line_bytes: usize, input_bytes: u64) -> Limits {
        Limits { line_bytes, input_bytes, ..Limits::default() }
    }

    /// Every line as `number:text`, `number!reason` or, without a line end, `number~text`.
    fn read(bytes: &[u8], limits: Limits) -> (Vec<String>, bool) {
        let mut lines = Lines::new(bytes, limits);
        let mut out = Vec::new();
        while let Some(Line { number, content }) = lines.next_line().unwrap() {
            out.push(match content {
                Content::Text { text, has_end: true } => format!("{number}:{text}"),
                Content::Text { text, has_end: false } => format!("{number}~{text}"),
                Content::PutAside(reason) => format!("{number}!{reason}"),
            });
        }
        (out, lines.is_cut())
    }

    fn check(name: &str, bytes: &[u8], expected: &[&str]) {
        let (lines, is_cut) = read(bytes, limits(10, 1000));
        assert_eq!(lines, expected, "{name}");
        assert!(!is_cut, "{name}");
    }

    #[test]
    fn lines_are_cut_at_line_ends() {
        check("empty", b"", &[]);
        check("only blanks", b"\n \t\r\n\n", &[]);
        check("blank lines count", b"\na\n\r\nb\n", &["2:a", "4:b"]);
        check("carriage returns", b"a\r\nb\r\n", &["1:a", "2:b"]);
        check("no line end", b"a\nb", &["1:a", "2~b"]);
        check("byte order mark", b"\xEF\xBB\xBFa\n", &["1:a"]);
        check("mark alone", b"\xEF\xBB\xBF", &[]);
        check("mark on line 2 stays", b"a\n\xEF\xBB\xBFb\n", &["1:a", "2:\u{feff}b"]);
    }

    #[test]
    fn bad_lines_are_put_aside_alone() {
        let bad = "2!not valid UTF-8 at byte 3 of the line";
        check("not UTF-8", b"a\nok\xFFx\nb\n", &["1:a", bad, "3:b"]);
        let long = "2!the line is longer than 10 bytes";
        check("longest", b"1234567890\r\n1234567890", &["1:1234567890", "2~1234567890"]);
        check("one too long", b"a\n12345678901\nb\n", &["1:a", long, "3:b"]);
        check("much too long", b"a\n12345678901234567890123\nb\n", &["1:a", long, "3:b"]);
        check("too long at the end", b"a\n1234567890123", &["1:a", long]);
    }

    #[test]
    fn reading_stops_at_the_limit_of_the_input() {
        let cases: [(&str, &[u8], &[&str], bool); 6] = [
            ("fits exactly", b"aa\nbb\n", &["1:aa", "2:bb"], false),
            ("fits exactly, no line end", b"aa\nbbb", &["1:aa", "2~bbb"], false),
            ("cut in a line", b"aa\nbbbb\n", &["1:aa"], true),
            ("cut between lines", b"aa\nbb\nc", &["1:aa", "2:bb"], true),
            ("cut in the first line", b"aaaaaaaa", &[], true),
            ("nothing", b"", &[], false),
        ];
        for (name, bytes, lines, is_cut) in cases {
            let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            assert_eq!(read(bytes, limits(100, 6)), (lines, is_cut), "{name}");
        }
        let (lines, is_cut) = read(b"aaaaaaaaaaaaaaa", limits(2, 9));
        assert_eq!(lines, ["1!the line is longer than 2 bytes"]);
        assert!(is_cut, "a long line that crosses the limit");
    }

    #[test]
    fn a_line_of_300_mb_costs_one_line_of_memory() {
        let wide = Limits { input_bytes: u64::MAX, ..Limits::default() };
        let long = io::repeat(b'x').take(300_000_000).chain(&b"\ngood\n"[..]);
        let mut lines = Lines::new(BufReader::with_capacity(1 << 16, long), wide);
        let first = lines.next_line().unwrap().unwrap();
        assert_eq!(first.content, Content::PutAside("the line is longer than 1 MiB".into()));
        let second = lines.next_line().unwrap().unwrap();
        assert_eq!(second.content, Content::Text { text: "good", has_end: true });
        assert!(lines.buffer.capacity() <= (1 << 20) + 64, "{}", lines.buffer.capacity());
    }
}
