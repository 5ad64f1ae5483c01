//! Where in a model's prose is the JSON object that it was asked for?

use serde_json::{Deserializer, Value};

/// After so many braces that begin no object, none is looked for: each may take a while.
const MAX_TRIES: usize = 2000;

/// The first JSON object in a text: in prose, in a code fence, behind thoughts that are marked as
/// such. A brace that begins none is passed over.
pub(super) fn first_object(text: &str) -> Option<Value> {
    let text = match text.trim_start().strip_prefix("<think>") {
        // Thoughts without an end are all there is.
        Some(thoughts) => thoughts.split_once("</think>").map_or("", |(_, answer)| answer),
        None => text,
    };
    text.match_indices('{').take(MAX_TRIES).find_map(|(at, _)| {
        let mut found = Deserializer::from_str(&text[at..]).into_iter::<Value>();
        found.next()?.ok()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_object_is_found() {
        for (text, object) in [
            (r#"{"a": 1}"#, json!({"a": 1})),
            (
                "Here you are:\n```json\n{\"a\": [1, {\"b\": 2}]}\n```\nAnything else?",
                json!({"a": [1, {"b": 2}]}),
            ),
            (r#"A set {x, y} is not meant; {"a": "}{"} is, {"b": 1} is not."#, json!({"a": "}{"})),
            (r#"{"a": "a \" brace }"}"#, json!({"a": "a \" brace }"})),
            (r#"{{"a": 1}}"#, json!({"a": 1})),
            ("<think>{\"no\": 1}</think>\n{\"a\": 1}", json!({"a": 1})),
            ("{}", json!({})),
            ("größer als {\"ä\": \"ö\"}", json!({"ä": "ö"})),
        ] {
            assert_eq!(first_object(text), Some(object), "{text}");
        }
        for text in ["", "no", "[1, 2]", "{", "{\"a\": 1", "{'a': 1}", "<think>{\"no\": 1}", "}{"] {
            assert_eq!(first_object(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_of_braces_is_given_up() {
        assert_eq!(first_object(&"{".repeat(1 << 20)), None);
        assert_eq!(first_object(&"{\"a\":[".repeat(1 << 17)), None);
    }
}
