//! Characters that are written as `%20`, in links, addresses and paths of reports.

/// The bytes that a text stands for. A percent sign that no two digits follow is itself.
///
/// ```
/// use hardwon_core::percent::decoded;
///
/// assert_eq!(decoded("a%20b%C3%A9 100% %+f"), "a bé 100% %+f".as_bytes());
/// ```
pub fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        match (first, digit(0).zip(digit(1))) {
            (b'%', Some((high, low))) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

/// Everything but letters, digits and `-_~.` as percent and hex, so that an id is one segment of an
/// address whatever it contains.
///
/// ```
/// use hardwon_core::percent::encoded;
///
/// assert_eq!(encoded("a b/é"), "a%20b%2F%C3%A9");
/// ```
pub fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' | b'.' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
