//! Which text does a token in base64 stand for?
//!
//! Tools put small JSON documents into comments and links that way.

/// The JSON document in base64, in either alphabet, if that is what `token` is.
pub(super) fn document(token: &[u8]) -> Option<String> {
    // How `{"` begins in base64.
    if !token.starts_with(b"eyJ") {
        return None;
    }
    // Comments end with dashes, which are also letters of one of the alphabets.
    let n_end = token.iter().rev().take_while(|byte| b"=-".contains(byte)).count();
    let text = String::from_utf8(decoded(&token[..token.len() - n_end])?).ok()?;
    let is_document = text.ends_with('}') && !text.contains(char::is_control);
    is_document.then_some(text)
}

fn decoded(token: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(token.len() * 3 / 4);
    for four in token.chunks(4) {
        let mut bits = 0_u32;
        for byte in four {
            bits = bits << 6 | u32::from(sextet(*byte)?);
        }
        bits <<= 6 * (4 - four.len());
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_and_nothing_else() {
        let cases = [
            ("eyJhIjoxfQ", Some("{\"a\":1}")),
            ("eyJhIjoxfQ==", Some("{\"a\":1}")),
            ("eyJhIjoxfQ--", Some("{\"a\":1}")),
            ("eyJrIjoi", None),
            ("aGVsbG8gd29ybGQ", None),
            ("eyJhIjoxfQ!", None),
            ("eyJ", None),
        ];
        for (token, text) in cases {
            assert_eq!(document(token.as_bytes()).as_deref(), text, "{token}");
        }
    }
}
