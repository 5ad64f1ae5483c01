//! What does a file say that another system saved as UTF-16? Turns it into UTF-8 as it is read:
//! some shells write every output so.

use std::io::{self, Read};

const CHUNK_BYTES: usize = 8 << 10;

/// Whether an input begins with the mark of UTF-16; with the order of its bytes. Every format
/// has ASCII in it, which UTF-16 writes with zeros: without any, the mark is a broken line.
pub fn mark(head: &[u8]) -> Option<Order> {
    match head {
        [_, _, rest @ ..] if !rest.is_empty() && !rest.contains(&0) => None,
        [0xFF, 0xFE, ..] => Some(Order::LowFirst),
        [0xFE, 0xFF, ..] => Some(Order::HighFirst),
        _ => None,
    }
}

/// Which byte of a pair comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    LowFirst,
    HighFirst,
}

/// The input as UTF-8. What is no text becomes the replacement character.
pub struct Utf8<R> {
    inner: R,
    order: Order,
    /// Half a pair of bytes, until the other half is read.
    half: Option<u8>,
    /// Half a character, until the other half is read.
    high: Option<u16>,
    ready: Vec<u8>,
    n_given: usize,
    is_over: bool,
}

impl<R: Read> Utf8<R> {
    pub fn new(inner: R, order: Order) -> Self {
        let (ready, n_given, is_over) = (Vec::new(), 0, false);
        Utf8 { inner, order, half: None, high: None, ready, n_given, is_over }
    }

    /// Reads and turns the next piece.
    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.n_given = 0;
        let mut chunk = [0; CHUNK_BYTES];
        let n_read = self.inner.read(&mut chunk)?;
        self.is_over = n_read == 0;
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        for &byte in &chunk[..n_read] {
            match self.half.take() {
                None => self.half = Some(byte),
                Some(first) if self.order == Order::LowFirst => {
                    units.push(u16::from_le_bytes([first, byte]));
                }
                Some(first) => units.push(u16::from_be_bytes([first, byte])),
            }
        }
        let is_half = |unit: &u16| (0xD800..0xDC00).contains(unit);
        if !self.is_over && units.last().is_some_and(is_half) {
            self.high = units.pop();
        }
        let text: String = char::decode_utf16(units)
            .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        self.ready.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.n_given == self.ready.len() && !self.is_over {
            self.fill()?;
        }
        let left = &self.ready[self.n_given..];
        let n = left.len().min(buffer.len());
        buffer[..n].copy_from_slice(&left[..n]);
        self.n_given += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn every_cut_gives_the_same_text() {
        let text = "\u{feff}größe, 漢字 and 🦀 at the end 🦀";
        let low: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let high: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [low, high] {
            let order = mark(&bytes).unwrap();
            for n in 1..9 {
                let mut read = String::new();
                Utf8::new(Slow(&bytes, n), order).read_to_string(&mut read).unwrap();
                assert_eq!(read, text, "{order:?}, {n} bytes at a time");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        let mut read = String::new();
        let torn = [0xFF, 0xFE, 0x41, 0x00, 0x00, 0xD8, 0x42, 0x00, 0x00, 0xD8, 0x43];
        Utf8::new(&torn[..], Order::LowFirst).read_to_string(&mut read).unwrap();
        assert_eq!(read, "\u{feff}A\u{fffd}B\u{fffd}");
        assert_eq!(mark(b"\xEF\xBB\xBFx"), None);
        assert_eq!(mark(b"\xFF\xFE\n{}"), None, "a broken line before good ones");
    }
}
