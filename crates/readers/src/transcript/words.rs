//! The words of a message or an error, as far as they are of use.

use serde_json::Value;

use crate::json::text_parts;
use crate::report::cut;

/// Longest line of a prompt or an error that is kept.
const MAX_LINE_KEPT: usize = 400;

/// The first line of a text that says something, not too long.
pub fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(cut(line, MAX_LINE_KEPT).to_owned())
}

/// The text of a message's content: a string, or parts.
pub fn text_of(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => text_parts(parts),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}
