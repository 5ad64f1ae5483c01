//! Text in UTF-16, as some shells write every output, read as UTF-8.

use std::io::{self, Read};

const REPLACEMENT: &str = "\u{fffd}";

/// Reads what begins with the mark of UTF-16. What is no character becomes a replacement sign.
pub(crate) struct Utf16<R> {
    inner: R,
    /// Bytes of the input that are not decoded yet: less than a character.
    rest: Vec<u8>,
    /// Text that was not asked for yet.
    ready: Vec<u8>,
    n_given: usize,
    /// Known once the mark is read.
    is_big_endian: Option<bool>,
}

impl<R: Read> Utf16<R> {
    pub(crate) fn new(inner: R) -> Self {
        let (rest, ready) = (Vec::new(), Vec::new());
        Utf16 { inner, rest, ready, n_given: 0, is_big_endian: None }
    }

    /// Decodes one piece of the input; says whether there was any. At its end an open half is a
    /// replacement sign.
    fn fill(&mut self) -> io::Result<bool> {
        let mut piece = [0; 8 << 10];
        let n_read = self.inner.read(&mut piece)?;
        self.rest.extend_from_slice(&piece[..n_read]);
        self.ready.clear();
        self.n_given = 0;
        if self.is_big_endian.is_none() && self.rest.len() >= 2 {
            self.is_big_endian = Some(self.rest.starts_with(b"\xFE\xFF"));
            self.rest.drain(..2);
        }
        let unit = |two: &[u8]| match self.is_big_endian {
            Some(true) => u16::from_be_bytes([two[0], two[1]]),
            Some(false) | None => u16::from_le_bytes([two[0], two[1]]),
        };
        let mut units: Vec<u16> = self.rest.chunks_exact(2).map(unit).collect();
        let is_first_half = |unit: &&u16| (0xD800..0xDC00).contains(*unit);
        if n_read > 0 && units.last().is_some_and(|last| is_first_half(&last)) {
            units.pop();
        }
        self.rest.drain(..units.len() * 2);
        let mut letters = [0; 4];
        for decoded in char::decode_utf16(units) {
            let text = decoded.map_or(REPLACEMENT, |c| c.encode_utf8(&mut letters));
            self.ready.extend_from_slice(text.as_bytes());
        }
        if n_read == 0 && !self.rest.is_empty() {
            self.rest.clear();
            self.ready.extend_from_slice(REPLACEMENT.as_bytes());
        }
        Ok(n_read > 0)
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.n_given == self.ready.len() {
            if !self.fill()? && self.ready.is_empty() {
                return Ok(0);
            }
        }
        let n = buffer.len().min(self.ready.len() - self.n_given);
        buffer[..n].copy_from_slice(&self.ready[self.n_given..self.n_given + n]);
        self.n_given += n;
        Ok(n)
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
