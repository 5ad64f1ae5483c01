//! Characters that are written as `%20`, in links, addresses and paths of reports.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but letters, digits and `-_~.`.
const SIGNS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~').remove(b'.');

/// The bytes that a text stands for. A percent sign that no two digits follow is itself.
///
/// ```
/// use hardwon_core::percent::decoded;
///
/// assert_eq!(decoded("a%20b%C3%A9 100% %+f"), "a bé 100% %+f".as_bytes());
/// ```
pub fn decoded(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

/// An id as one segment of an address, whatever it contains.
///
/// ```
/// use hardwon_core::percent::encoded;
///
/// assert_eq!(encoded("a b/é"), "a%20b%2F%C3%A9");
/// ```
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, SIGNS).to_string()
}
