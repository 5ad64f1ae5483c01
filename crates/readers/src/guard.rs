//! How much of a JSON text may a parser see? Passes bytes on, counts lines, ends at the
//! limit of the input, and shortens strings that no reader needs whole: a parser holds
//! each string in memory.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

const BLOCK_BYTES: usize = 64 << 10;

#[derive(Debug, Default)]
pub struct Place {
    n_line_ends: Cell<u64>,
    is_cut: Cell<bool>,
    is_shortened: Cell<bool>,
}

impl Place {
    /// Whether the end of the string that was read last is missing.
    pub fn is_shortened(&self) -> bool {
        self.is_shortened.get()
    }

    /// The line, from 1.
    pub fn line(&self) -> u64 {
        self.n_line_ends.get() + 1
    }

    /// Whether the limit of the input was met before its end.
    pub fn is_cut(&self) -> bool {
        self.is_cut.get()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Text,
    /// The byte after a backslash.
    Escape,
    /// This many hex digits of a `\u` are still to come.
    Hex(u8),
}

pub struct Guard<R> {
    reader: R,
    block: Vec<u8>,
    at: usize,
    n_left: u64,
    place: Rc<Place>,
    within: Within,
    n_string: usize,
    max_string: usize,
    /// The first half of a pair of `\u` was passed on; the second must follow.
    is_pair_open: bool,
    is_dropping: bool,
    hex: u16,
}

impl<R: Read> Guard<R> {
    /// Strings that are longer than `max_string` are shortened to about that.
    pub fn new(reader: R, max_bytes: u64, max_string: usize, place: Rc<Place>) -> Self {
        Guard {
            reader,
            block: Vec::new(),
            at: 0,
            n_left: max_bytes,
            place,
            within: Within::Nothing,
            n_string: 0,
            max_string,
            is_pair_open: false,
            is_dropping: false,
            hex: 0,
        }
    }

    /// Makes the next bytes available; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.block.clear();
        self.at = 0;
        (&mut self.reader).take(BLOCK_BYTES as u64).read_to_end(&mut self.block)?;
        let n_allowed = self.n_left.min(self.block.len() as u64);
        if n_allowed < self.block.len() as u64 {
            self.place.is_cut.set(true);
            self.block.truncate(n_allowed as usize);
        }
        self.n_left -= n_allowed;
        Ok(!self.block.is_empty())
    }

    /// Whether the parser gets to see this byte.
    fn passes(&mut self, byte: u8) -> bool {
        match self.within {
            Within::Nothing => {
                if byte == b'"' {
                    (self.within, self.n_string, self.is_dropping) = (Within::Text, 0, false);
                    self.place.is_shortened.set(false);
                }
                return true;
            }
            Within::Text if byte == b'"' => {
                self.within = Within::Nothing;
                return true;
            }
            Within::Text => self.text(byte),
            Within::Escape => {
                self.within = if byte == b'u' { Within::Hex(4) } else { Within::Text };
                self.hex = 0;
            }
            Within::Hex(n) => self.hex_digit(byte, n),
        }
        self.n_string += 1;
        !self.is_dropping
    }

    fn text(&mut self, byte: u8) {
        let is_start = byte & 0xC0 != 0x80;
        let is_long = self.n_string >= self.max_string;
        if is_long && is_start && !self.is_pair_open {
            self.is_dropping = true;
            self.place.is_shortened.set(true);
        }
        match byte {
            b'\\' => self.within = Within::Escape,
            _ => self.is_pair_open = false,
        }
    }

    fn hex_digit(&mut self, byte: u8, n: u8) {
        self.hex = (self.hex << 4) | char::from(byte).to_digit(16).unwrap_or(0) as u16;
        self.within = if n > 1 { Within::Hex(n - 1) } else { Within::Text };
        self.is_pair_open = n == 1 && (0xD800..0xDC00).contains(&self.hex);
    }
}

impl<R: Read> Read for Guard<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut n = 0;
        while n < into.len() {
            if self.at == self.block.len() {
                // What is there already is better than waiting for more.
                if n > 0 || !self.fill()? {
                    break;
                }
            }
            let byte = self.block[self.at];
            self.at += 1;
            if byte == b'\n' {
                self.place.n_line_ends.set(self.place.n_line_ends.get() + 1);
            }
            if self.passes(byte) {
                into[n] = byte;
                n += 1;
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::MAX_STRING_BYTES;

    fn passed(text: &str, max_bytes: u64) -> (String, u64, bool) {
        let place = Rc::new(Place::default());
        let mut out = Vec::new();
        let mut guard = Guard::new(text.as_bytes(), max_bytes, MAX_STRING_BYTES, Rc::clone(&place));
        guard.read_to_end(&mut out).unwrap();
        (String::from_utf8_lossy(&out).into_owned(), place.line(), place.is_cut())
    }

    #[test]
    fn short_texts_pass_as_they_are() {
        let text = "{\"a\\\"\": \"b\\u00e9\\ud83d\\ude00\",\n\"c\": [1]}\n";
        assert_eq!(passed(text, 1000), (text.to_owned(), 3, false));
        assert_eq!(passed(text, 5), (text[..5].to_owned(), 1, true));
        assert!(!passed(text, text.len() as u64).2);
    }

    #[test]
    fn long_strings_are_shortened_and_stay_valid() {
        for piece in ["x", "é", "日", "\\n", "\\\"", "\\ud83d\\ude00", "\\u00e9x", "\\\\"] {
            let long = piece.repeat(100_000);
            let (text, ..) = passed(&format!("[\"{long}\",\"next\"]"), u64::MAX);
            let items: Vec<String> = serde_json::from_str(&text).expect(piece);
            assert_eq!(items[1], "next", "{piece}");
            assert!(items[0].len() <= MAX_STRING_BYTES + 12, "{piece}: {}", items[0].len());
            assert!(items[0].len() >= 2000, "{piece}");
        }
    }
}
