//! What opens a provider's door, and is never shown.

use std::fmt;

use ureq::http::HeaderValue;

/// What stands where a key stood.
const HIDDEN: &str = "[key]";

/// A key. It goes into one header, and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key that can stand in a header; `None` for anything else.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain.then(|| Key(text.to_owned()))
    }

    /// The value of a header, marked so that nothing prints it.
    pub(crate) fn header(&self, before: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{before}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// A text without this key.
    pub(super) fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" sk-open-sesame\n").expect("a key");
        let header = key.header("Bearer ").expect("a header");
        for shown in [format!("{key:?}"), key.to_string(), format!("{header:?}")] {
            assert!(!shown.contains("sesame"), "{shown}");
        }
        assert_eq!(header.as_bytes(), b"Bearer sk-open-sesame");
        assert_eq!(key.hide_in("bad key sk-open-sesame!"), "bad key [key]!");
    }

    #[test]
    fn what_no_header_can_hold_is_no_key() {
        for text in ["", " \n", "two words", "a\nb", "k\u{e9}y"] {
            assert_eq!(Key::new(text), None, "{text:?}");
        }
    }
}
