//! Where may a text be cut, so that no secret is cut in two? What is left of one is not
//! recognized any more. Readers bound their memory before the gate sees a text; they cut here.
//!
//! A cut that falls into a secret moves to its edge, and one that falls into a token to the
//! edge of the token: no rule of the user's own is known here.

use super::redact;

/// How much is looked at around a cut: a longer secret is a token, or a block that is known
/// by its first line.
const AROUND: usize = 256;

/// No token is longer; what is, is data.
const MAX_TOKEN: usize = 1 << 10;

/// How far behind its name a secret stands: without the name it is not recognized.
const MAX_NAME: usize = 200;

/// How far before a cut the first line of a key block may stand.
const MAX_BLOCK: usize = 4 << 10;

/// At most so many bytes from the start of a text.
pub fn start_of(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let at = text.floor_char_boundary(max_bytes);
    let n_before = n_before(text, at);
    let secret = secrets_around(text, at, n_before).find(|(start, end)| *start <= at && at <= *end);
    let at = secret.map_or(at, |(start, _)| start);
    &text[..at - n_torn(text, at)]
}

/// At most so many characters from the start of a text.
pub fn first_chars(text: &str, n: usize) -> &str {
    text.char_indices().nth(n).map_or(text, |(at, _)| start_of(text, at))
}

/// At most so many bytes from the end of a text.
pub fn end_of(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let at = text.ceil_char_boundary(text.len() - max_bytes);
    let n_before = n_before(text, at);
    let is_reached = |(start, end): &(usize, usize)| *start <= at + MAX_NAME && at <= *end;
    let secret = secrets_around(text, at, n_before).filter(is_reached).last();
    let at = secret.map_or(at, |(_, end)| end);
    let n_torn = if n_torn(text, at) > 0 { n_token(text[at..].bytes()) } else { 0 };
    &text[at + n_torn..]
}

/// What a cut of somebody else's may have torn; no phrase is longer.
const MAX_TORN: usize = 256;

/// A long text that somebody cut already, without what that cut may have torn.
pub fn untorn(text: &str) -> &str {
    start_of(text, text.len().saturating_sub(MAX_TORN))
}

/// How far before a cut a secret may begin: a key block has many lines.
fn n_before(text: &str, at: usize) -> usize {
    let before = &text[text.floor_char_boundary(at.saturating_sub(MAX_BLOCK))..at];
    if before.contains("PRIVATE KEY") { MAX_BLOCK } else { AROUND }
}

/// The secrets around a cut, in order, as `(start, end)`.
fn secrets_around(
    text: &str,
    at: usize,
    n_before: usize,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let from = text.floor_char_boundary(at.saturating_sub(n_before));
    let to = text.ceil_char_boundary(text.len().min(at + AROUND));
    let secrets = redact::secrets_of(&text[from..to]);
    secrets.into_iter().map(move |(start, end)| (from + start, from + end))
}

/// The bytes before `at` of the token that a cut at `at` would tear.
fn n_torn(text: &str, at: usize) -> usize {
    let goes_on = text.as_bytes().get(at).is_some_and(u8::is_ascii_graphic);
    if goes_on { n_token(text[..at].bytes().rev()) } else { 0 }
}

/// How long a token is; what is longer than any is data, of which a part is as good.
fn n_token(bytes: impl Iterator<Item = u8>) -> usize {
    let n = bytes.take(MAX_TOKEN).take_while(u8::is_ascii_graphic).count();
    if n < MAX_TOKEN { n } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;

    /// A text whose secret stands in the middle, and the secret.
    fn texts() -> Vec<(String, String)> {
        let key: String = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n".repeat(6);
        let (begin, end) = (["-----BEGIN RSA PRIV", "ATE KEY-----\n"].concat(), "-----END RSA");
        let secrets = [
            ("token ghp_", "aB3dE5gH7jK9lM1nO3pQ5rS7tU9vW1xY3zA5".to_owned()),
            ("passphrase: \"", "correct horse battery staple\"".to_owned()),
            ("HEROKU_KEY=", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0".to_owned()),
            (begin.as_str(), format!("{key}{end} PRIVATE KEY-----")),
            ("postgres://app:", "s3cr3tPassw0rd@db.example.com".to_owned()),
        ];
        let around = "The parser reads each line twice. ".repeat(9);
        let text =
            |(lead, secret): (&str, String)| (format!("{around}{lead}{secret} {around}"), secret);
        secrets.into_iter().map(text).collect()
    }

    /// Whether eight characters in a row of the secret are left by the gate.
    fn leaks(kept: &str, secret: &str) -> bool {
        let shown = Gate::standard().redacted(kept);
        let parts = secret.as_bytes().windows(8).map(|part| std::str::from_utf8(part).unwrap());
        // The last line of a block is no secret, and neither is a host.
        let is_known = |part: &str| "\n-----END RSA PRIVATE KEY-----@db.example.com".contains(part);
        parts.filter(|part| !is_known(part)).any(|part| shown.contains(part))
    }

    #[test]
    fn wherever_a_text_is_cut_no_part_of_a_secret_is_left() {
        for (text, secret) in texts() {
            // Every place in and around the secret, and some of the others.
            for n in (0..=text.len()).step_by(3) {
                let start = start_of(&text, n);
                assert!(start.len() <= n && text.starts_with(start));
                assert!(!leaks(start, &secret), "start of {n}: {start}");
                let end = end_of(&text, n);
                assert!(end.len() <= n && text.ends_with(end));
                assert!(!leaks(end, &secret), "end of {n}: {end}");
                let torn = untorn(&text[..n]);
                assert!(!leaks(torn, &secret), "torn at {n}: {torn}");
            }
        }
    }

    #[test]
    fn little_is_lost() {
        assert_eq!(start_of("short", 5), "short");
        assert_eq!(end_of("one two three", 7), " three");
        assert_eq!(first_chars("zwölf Boxkämpfer", 8), "zwölf ");
        assert_eq!(start_of(&"é".repeat(10), 9), "é".repeat(4));
        assert_eq!(start_of(&"x".repeat(5000), 4000).len(), 4000, "data has no words");
        assert_eq!(untorn(&"one two ".repeat(100)).len(), 544);
    }
}
