//! Some proxies stream whatever is asked of them. Which events are in such an answer, and is it
//! over?

use serde_json::Value;

/// Lines that end a stream.
const LAST: [&[u8]; 3] = [b"data: [DONE]", b"data:[DONE]", b"event: message_stop"];

/// How far back a line that ends a stream can begin.
const REACH: usize = 32;

/// Whether an end is in what was read, if there was none in its first `known` bytes. A line of
/// its own is meant: texts in the events have none.
pub(super) fn is_over(bytes: &[u8], known: usize) -> bool {
    let bytes = &bytes[known.saturating_sub(REACH).min(bytes.len())..];
    bytes.split(|byte| *byte == b'\n').any(|line| LAST.contains(&line.trim_ascii_end()))
}

/// The data of every event that is JSON. The last one may be cut off.
pub(super) fn events(text: &str) -> Vec<Value> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let data = |event: &str| {
        let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    };
    text.split("\n\n").filter_map(|event| serde_json::from_str(&data(event)).ok()).collect()
}

/// The message of an event that says that something went wrong.
pub(super) fn error(events: &[Value]) -> Option<&Value> {
    events.iter().map(|event| &event["error"]).find(|error| !error.is_null())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_taken_apart() {
        let text = "event: a\ndata: {\"a\":\ndata: 1}\n\n: a comment\n\ndata:{\"b\":2}\r\n\r\n\
                    data: [DONE]\n\ndata: {\"c\":";
        assert_eq!(events(text), [json!({"a": 1}), json!({"b": 2})]);
        assert_eq!(
            error(&events("data: {\"error\":{\"message\":\"no\"}}\n\n"))
                .and_then(|error| error["message"].as_str().map(str::to_owned)),
            Some("no".to_owned())
        );
    }

    #[test]
    fn an_end_is_a_line_of_its_own() {
        assert!(is_over(b"data: {}\n\ndata: [DONE]\n\n", 0));
        assert!(is_over(b"data: {}\r\n\r\ndata: [DONE]\r\n", 12));
        assert!(is_over(b"event: message_stop\n", 19));
        assert!(!is_over(b"data: {\"text\": \"data: [DONE]\"}\n\n", 0));
        assert!(!is_over(b"", 10));
    }
}
