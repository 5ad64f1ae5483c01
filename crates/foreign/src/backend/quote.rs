//! What of a provider's own message may be told? Its first words, but neither a key nor anything
//! that was sent.

use hardwon_engine::model::Message;
use serde_json::Value;

use super::key::Key;

/// How much of it is told.
const MAX_CHARS: usize = 200;

/// How many characters in a row show that a message repeats what was sent.
const ECHO: usize = 40;

/// The message in a text, which may be JSON; empty if nothing of it may be told.
pub(super) fn quote(text: &str, key: Option<&Key>, sent: &[Message]) -> String {
    let parsed: Value = serde_json::from_str(text).unwrap_or_default();
    // Google answers with a list of one.
    let parsed = parsed.get(0).cloned().unwrap_or(parsed);
    let places = [&parsed["error"]["message"], &parsed["error"], &parsed["message"]];
    let said = places.iter().find_map(|place| place.as_str()).unwrap_or(text);
    let plain = key.map_or_else(|| said.to_owned(), |key| key.hide_in(said));
    let plain: String = plain.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let quote: String = words.join(" ").chars().take(MAX_CHARS).collect();
    if repeats(&quote, sent) { String::new() } else { quote }
}

fn repeats(quote: &str, sent: &[Message]) -> bool {
    let chars: Vec<char> = quote.chars().collect();
    let mut pieces = chars.windows(ECHO).map(|window| window.iter().collect::<String>());
    pieces.any(|piece| sent.iter().any(|message| message.text.contains(&piece)))
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
            assert_eq!(quote(text, None, &[]), told);
        }
        assert_eq!(quote(&"x".repeat(5000), None, &[]).len(), MAX_CHARS);
    }

    #[test]
    fn neither_a_key_nor_what_was_sent_is_told() {
        let key = Key::new("sk-open-sesame").expect("a key");
        assert_eq!(quote("bad key sk-open-sesame", Some(&key), &[]), "bad key [key]");
        let text = "what the run said, which is the user's own and nobody else's".to_owned();
        let sent = [Message { is_models: false, text: text.clone() }];
        assert_eq!(quote(&format!("cannot read: {text}"), None, &sent), "");
        assert_eq!(
            quote("cannot read what the run said", None, &sent),
            "cannot read what the run said"
        );
    }
}
