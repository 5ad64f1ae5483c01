//! Is a document of geas's memory what its schema says? The schemas are data of ours; they use few
//! words of JSON Schema, and those are checked here.

use serde_json::Value;

const SCHEMAS: [(&str, &str); 6] = [
    ("memory_candidate", include_str!("../schemas/geas/memory-candidate.schema.json")),
    ("memory_entry", include_str!("../schemas/geas/memory-entry.schema.json")),
    ("memory_review", include_str!("../schemas/geas/memory-review.schema.json")),
    ("memory_application_log", include_str!("../schemas/geas/memory-application-log.schema.json")),
    ("memory_index", include_str!("../schemas/geas/memory-index.schema.json")),
    ("memory_packet", include_str!("../schemas/geas/memory-packet.schema.json")),
];

/// What is wrong with a document, and where: `.signals.confidence: it is not a number`.
pub fn geas_faults(bytes: &[u8]) -> Vec<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => return vec!["it is not UTF-8".to_owned()],
    };
    let Ok(document) = serde_json::from_str::<Value>(text) else {
        return vec!["it is no JSON document".to_owned()];
    };
    let header = document.get("meta").unwrap_or(&document);
    let kind = header.get("artifact_type").and_then(Value::as_str).unwrap_or_default();
    let Some((_, schema)) = SCHEMAS.iter().find(|(word, _)| *word == kind) else {
        return vec![format!(".meta.artifact_type: \"{kind}\" is none of a memory")];
    };
    let Ok(schema) = serde_json::from_str::<Value>(schema) else { return Vec::new() };
    let mut faults = Vec::new();
    check(&schema, &document, "", &mut faults);
    faults
}

fn check(schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let place = if at.is_empty() { "." } else { at };
    let mut fault = |what: String| faults.push(format!("{place}: {what}"));
    if let Some(expected) = wrong_type(schema, value) {
        return fault(format!("it is no {expected}"));
    }
    if let Some(words) = schema["enum"].as_array().filter(|words| !words.contains(value)) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        fault(format!("it is none of {}", words.join(", ")));
    }
    if let Some(word) = schema.get("const").filter(|word| *word != value) {
        fault(format!("it is not {word}"));
    }
    if let Some(text) = value.as_str() {
        let is_short =
            |least: u64| u64::try_from(text.chars().count()).is_ok_and(|count| count < least);
        if schema["minLength"].as_u64().is_some_and(is_short) {
            fault("it is empty".to_owned());
        }
        // The one pattern that they have.
        if schema.get("pattern").is_some() && !is_time(text) {
            fault("it is no time such as 2026-04-03T14:00:00Z".to_owned());
        }
    }
    if let Some(number) = value.as_f64() {
        let is_low = schema["minimum"].as_f64().is_some_and(|least| number < least);
        if is_low || schema["maximum"].as_f64().is_some_and(|most| number > most) {
            fault("it is out of range".to_owned());
        }
    }
    items(schema, value, place, faults);
    fields(schema, value, at, faults);
}

fn wrong_type(schema: &Value, value: &Value) -> Option<String> {
    let is = |word: &str| match word {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        _ => true,
    };
    let words: Vec<&str> = match &schema["type"] {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    (!words.iter().any(|word| is(word))).then(|| words.join(" or "))
}

fn is_time(text: &str) -> bool {
    text.len() == 20 && hardwon_core::time::Timestamp::parse(text).is_some()
}

fn items(schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let Some(items) = value.as_array() else { return };
    if schema["minItems"].as_u64().is_some_and(|least| (items.len() as u64) < least) {
        faults.push(format!("{at}: it has too few items"));
    }
    let is_twice = |(n, item): (usize, &Value)| items[..n].contains(item);
    if schema["uniqueItems"] == true && items.iter().enumerate().any(is_twice) {
        faults.push(format!("{at}: an item stands there twice"));
    }
    for (n, item) in items.iter().enumerate() {
        check(&schema["items"], item, &format!("{at}[{n}]"), faults);
    }
}

fn fields(schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let (Some(fields), Some(known)) = (value.as_object(), schema["properties"].as_object()) else {
        return;
    };
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| !fields.contains_key(*name)) {
        faults.push(format!("{at}.{name}: it is missing"));
    }
    for (name, field) in fields {
        match known.get(name) {
            Some(schema) => check(schema, field, &format!("{at}.{name}"), faults),
            None => faults.push(format!("{at}.{name}: the schema has no such field")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEW: &str = r#"{
  "meta": {"version": "1.0", "artifact_type": "memory_review", "artifact_id": "mem-t-1-review",
    "producer_type": "security_engineer", "created_at": "2026-04-03T14:00:00Z"},
  "memory_id": "mem-t-1", "reviewer_type": "security_engineer", "decision": "keep",
  "rationale": "seen once", "required_followup": [], "supersedes": []
}"#;

    #[test]
    fn faults_are_named_with_their_place() {
        assert_eq!(geas_faults(REVIEW.as_bytes()), [""; 0]);
        for (from, to, expected) in [
            ("\"rationale\"", "\"why\"", ".rationale: it is missing"),
            ("\"keep\"", "\"maybe\"", ".decision: it is none of"),
            ("14:00:00Z", "14:00", ".meta.created_at: it is no time"),
            ("\"seen once\"", "7", ".rationale: it is no string"),
            ("memory_review", "memory_idea", ".meta.artifact_type"),
        ] {
            let faults = geas_faults(REVIEW.replacen(from, to, 1).as_bytes());
            assert!(faults.iter().any(|it| it.starts_with(expected)), "{expected}: {faults:?}");
        }
        assert_eq!(geas_faults(b"{"), ["it is no JSON document"]);
        assert_eq!(geas_faults(b"\xff"), ["it is not UTF-8"]);
    }
}
