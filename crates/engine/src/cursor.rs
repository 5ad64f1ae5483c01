//! Where does the next page of a list begin? A cursor is a word that only the list it came from
//! understands: a number, and names in hexadecimal digits, so that it survives addresses and shells.

use std::fmt::Write;

use crate::error::{EngineError, Result};

/// The place that a number and names stand for.
pub(crate) fn written(number: u64, names: &[&str]) -> String {
    let mut cursor = format!("{number:x}");
    for name in names {
        cursor.push('.');
        for byte in name.bytes() {
            let _ = write!(cursor, "{byte:02x}");
        }
    }
    cursor
}

/// The number and the `N` names of a cursor.
pub(crate) fn read<const N: usize>(cursor: &str) -> Result<(u64, [String; N])> {
    let bad = || EngineError::BadCursor { cursor: hardwon_core::gate::without_control(cursor) };
    let mut parts = cursor.split('.');
    let number = parts.next().and_then(|word| u64::from_str_radix(word, 16).ok());
    let names: Option<Vec<String>> = parts.map(name).collect();
    let names = names.and_then(|names| <[String; N]>::try_from(names).ok());
    number.zip(names).ok_or_else(bad)
}

fn name(digits: &str) -> Option<String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? * 16 + digit(*low)?));
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_says_what_was_written_into_it_and_nothing_else_is_one() {
        for names in [["", ""], ["a.b/c", "æ—\u{10FFFF}"], [" ", "\n"]] {
            for number in [0, 1, u64::MAX, 0.75f64.to_bits()] {
                let cursor = written(number, &names);
                let (found, read) = read::<2>(&cursor).unwrap();
                assert_eq!((found, read), (number, names.map(str::to_owned)));
                assert!(cursor.bytes().all(|b| b.is_ascii_hexdigit() || b == b'.'), "{cursor}");
            }
        }
        for bad in ["", ".", "g.61.62", "1", "1.61", "1.61.62.63", "1.6.62", "1.+1.62", "1.ff.61"] {
            assert!(matches!(read::<2>(bad), Err(EngineError::BadCursor { .. })), "{bad}");
        }
    }
}
