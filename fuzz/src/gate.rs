//! The gate: whatever is let in is one line without control characters, within its limit.
//! Marks of our block that are left over are the renderer's to disarm; see `show`.

use hardwon_core::gate::{
    Gate, MAX_TAG_CHARS, MAX_TAGS, MAX_TEXT_CHARS, MAX_WORD_CHARS, without_control,
};
use hardwon_core::lesson::Origin;

pub fn gate(bytes: &[u8]) {
    let raw = String::from_utf8_lossy(bytes);
    thread_local! {
        static GATES: [Gate; 2] = [Gate::standard(), Gate::foreign()];
    }
    GATES.with(|gates| gates.iter().for_each(|gate| check(gate, &raw)));
}

fn check(gate: &Gate, raw: &str) {
    check_text(gate.line(raw).as_str(), MAX_TEXT_CHARS);
    if let Ok(text) = gate.finding(raw) {
        check_text(text.as_str(), MAX_TEXT_CHARS);
    }
    for origin in [Origin::User, Origin::Agent] {
        if let Ok(text) = gate.statement(raw, origin) {
            check_text(text.as_str(), MAX_TEXT_CHARS);
        }
    }
    if let Some(word) = gate.word(raw) {
        check_text(&word, MAX_WORD_CHARS);
    }
    let tags = gate.tags(raw.split(','));
    assert!(tags.len() <= MAX_TAGS);
    tags.iter().for_each(|tag| check_text(tag, MAX_TAG_CHARS));
    gate.redacted(raw);
}

fn check_text(text: &str, max_chars: usize) {
    assert!(text.chars().count() <= max_chars, "longer than allowed");
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert_eq!(without_control(text), text, "a character that steers: {text:?}");
}
