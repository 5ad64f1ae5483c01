//! What of a provider's own message is told: its first words, but neither a key nor anything that
//! was sent.

use serde_json::Value;

use super::key::Key;

const MAX_CHARS: usize = 200;

/// How many characters in a row show that a message repeats what was sent.
const ECHO: usize = 40;

/// The message in a text, which may be JSON; empty if nothing of it may be told.
pub(super) fn quote(text: &str, key: Option<&Key>, sent: &str) -> String {
    let parsed: Value = serde_json::from_str(text).unwrap_or_default();
    // Google answers with a list of one.
    let parsed = parsed.get(0).unwrap_or(&parsed);
    let places = [&parsed["error"]["message"], &parsed["error"], &parsed["message"]];
    let said = places.iter().find_map(|place| place.as_str()).unwrap_or(text);
    let plain = key.map_or_else(|| said.to_owned(), |key| key.hide_in(said));
    let plain = plain.replace(char::is_control, " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let chars: Vec<char> = words.join(" ").chars().take(MAX_CHARS).collect();
    let repeats = |piece: &[char]| sent.contains(&String::from_iter(piece));
    if chars.windows(ECHO).any(repeats) { String::new() } else { String::from_iter(chars) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_found_and_cut() {
        for (text, told) in [
            (r#"{"error": {"message": "no\ncredit"}}"#, "no credit"),
            (r#"{"error": "no model"}"#, "no model"),
            (r#"[{"error": {"message": "bad"}}]"#, "bad"),
            (r#"{"message": "bad"}"#, "bad"),
            ("<h1>Bad\u{1b}[2J</h1>", "<h1>Bad [2J</h1>"),
            ("", ""),
        ] {
            assert_eq!(quote(text, None, ""), told);
        }
        assert_eq!(quote(&"x".repeat(5000), None, "").len(), MAX_CHARS);
    }

    #[test]
    fn neither_a_key_nor_what_was_sent_is_told() {
        let key = Key::new("sk-open-sesame").expect("a key");
        assert_eq!(quote("bad key sk-open-sesame", Some(&key), ""), "bad key [key]");
        let sent = "what the run said, which is the user's own and nobody else's";
        assert_eq!(quote(&format!("cannot read: {sent}"), None, sent), "");
        assert_eq!(quote("cannot read what a run said", None, sent), "cannot read what a run said");
    }
}
