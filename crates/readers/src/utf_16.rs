//! Text in UTF-16, as some shells write every output, read as UTF-8.

use std::io::{self, BufRead, BufReader, Read};

/// Stands for an open half at the end: no character either.
const HALF: u16 = 0xDC00;

/// Reads what begins with the mark of UTF-16. What is no character becomes a replacement sign.
pub(crate) struct Utf16<R> {
    inner: BufReader<R>,
    /// Known once the mark is read.
    is_big_endian: Option<bool>,
    /// A unit that was read and belongs to no pair.
    next: Option<u16>,
    /// Text that was not asked for yet.
    ready: io::Cursor<Vec<u8>>,
}

impl<R: Read> Utf16<R> {
    pub(crate) fn new(inner: R) -> Self {
        let inner = BufReader::new(inner);
        Utf16 { inner, is_big_endian: None, next: None, ready: io::Cursor::default() }
    }

    fn unit(&mut self) -> io::Result<Option<u16>> {
        if let Some(unit) = self.next.take() {
            return Ok(Some(unit));
        }
        let mut two = Vec::with_capacity(2);
        (&mut self.inner).take(2).read_to_end(&mut two)?;
        let Ok(two) = <[u8; 2]>::try_from(&two[..]) else {
            return Ok(two.first().map(|_| HALF));
        };
        match self.is_big_endian {
            Some(true) => Ok(Some(u16::from_be_bytes(two))),
            Some(false) => Ok(Some(u16::from_le_bytes(two))),
            None => {
                self.is_big_endian = Some(two == [0xFE, 0xFF]);
                self.unit()
            }
        }
    }

    /// Decodes what is there already, one character at least. Nothing at the end.
    fn fill(&mut self) -> io::Result<()> {
        let mut text = String::new();
        while text.is_empty() || self.inner.buffer().len() >= 4 {
            let Some(first) = self.unit()? else { break };
            let is_first_half = (0xD800..0xDC00).contains(&first);
            let second = if is_first_half { self.unit()? } else { None };
            let is_pair = second.is_some_and(|second| (0xDC00..0xE000).contains(&second));
            self.next = second.filter(|_| !is_pair);
            let units = [first].into_iter().chain(second.filter(|_| is_pair));
            let letters = char::decode_utf16(units);
            text.extend(letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)));
        }
        self.ready = io::Cursor::new(text.into_bytes());
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ready.fill_buf()?.is_empty() {
            self.fill()?;
        }
        self.ready.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes one at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(buffer.len()).min(1);
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn decoded(bytes: &[u8]) -> String {
        let (mut at_once, mut slowly) = (String::new(), String::new());
        Utf16::new(bytes).read_to_string(&mut at_once).unwrap();
        Utf16::new(Slow(bytes)).read_to_string(&mut slowly).unwrap();
        assert_eq!(at_once, slowly);
        at_once
    }

    #[test]
    fn both_orders_and_pairs_are_read() {
        let text = "größe, 漢字, 🦀\n".repeat(3000);
        let marked = format!("\u{feff}{text}");
        let low: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let high: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((decoded(&low), decoded(&high)), (text.clone(), text));
        assert_eq!(decoded(b"\xFF\xFE"), "");
    }

    #[test]
    fn halves_become_signs() {
        assert_eq!(decoded(b"\xFF\xFEa\0\x00\xD8b\0"), "a\u{fffd}b");
        assert_eq!(decoded(b"\xFF\xFEa\0\x00\xD8"), "a\u{fffd}");
        assert_eq!(decoded(b"\xFF\xFEa\0b"), "a\u{fffd}");
    }
}
