//! When has an event come completely? As soon as its JSON object is closed: a host may keep standard
//! input open for as long as it likes. Judges nothing else; what is not an object is read to its
//! end.

use std::io::{self, ErrorKind, Read};

/// Bytes read at a time.
const CHUNK: usize = 64 << 10;

/// The bytes up to the end of the first JSON object, or all of them.
pub(super) fn read(mut input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; CHUNK];
    let mut scan = Scan::default();
    loop {
        let n_read = match input.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(n_read) => n_read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = chunk[..n_read].iter().position(|byte| scan.closes_with(*byte));
        bytes.extend_from_slice(&chunk[..end.map_or(n_read, |at| at + 1)]);
        if end.is_some() {
            return Ok(bytes);
        }
    }
}

/// Where in an object the reading is.
#[derive(Default)]
struct Scan {
    depth: u32,
    in_string: bool,
    is_escaped: bool,
    /// What came first is not an object.
    is_other: bool,
}

impl Scan {
    /// Whether this byte closes the object.
    fn closes_with(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.is_other => {}
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' if self.depth > 0 => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' => self.depth += 1,
            b'}' if self.depth > 0 => {
                self.depth -= 1;
                return self.depth == 0;
            }
            // White space, or part of a byte order mark.
            _ if byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(&byte) => {}
            _ => self.is_other = self.depth == 0,
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time, and fails a test that asks for more than there is.
    struct KeptOpen<'a>(&'a [u8], usize);

    impl Read for KeptOpen<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0.is_empty(), "this would have waited for ever");
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn a_complete_object_is_enough() {
        let objects = [
            r#"{}"#,
            r#"  {"a": {"b": [1, {"c": "}"}]}}"#,
            r#"{"brace": "}{", "quote": "\"}", "end": "\\"}"#,
            "\u{feff}{\"a\": 1}",
        ];
        for object in objects {
            for n in [1, 3, 1000] {
                let read = read(KeptOpen(object.as_bytes(), n)).unwrap();
                assert_eq!(String::from_utf8(read).unwrap(), object, "{n} at a time");
            }
        }
    }

    #[test]
    fn what_is_no_object_is_read_to_its_end() {
        for text in ["", "no json", "[{}] {}", "\"{}\" x", "{\"a\": 1", "} {}"] {
            assert_eq!(read(text.as_bytes()).unwrap(), text.as_bytes());
        }
        assert_eq!(read(&b"{\"a\":1}\n"[..]).unwrap(), b"{\"a\":1}", "an end of line is no part");
    }
}
