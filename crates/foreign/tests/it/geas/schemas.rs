//! What geas's schemas say, as far as they say anything: types, needed and refused keys, words,
//! lengths. `tests/geas/run` asks a program for it that we did not write.

use std::path::Path;

use serde_json::Value;

use crate::place::Place;

/// Every document of ours in a tree is one by its schema.
#[track_caller]
pub fn validate(place: &Place) {
    let base = place.folder.path().join(".geas");
    for folder in ["memory/candidates", "memory/entries", "memory/logs", "state"] {
        for entry in std::fs::read_dir(base.join(folder)).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|it| it == "json") {
                validate_file(&path);
            }
        }
    }
}

#[track_caller]
pub fn validate_file(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let kind = document["meta"]["artifact_type"].as_str().unwrap().replace('_', "-");
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../readers/schemas/geas");
    let schema = std::fs::read_to_string(schemas.join(format!("{kind}.schema.json"))).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut faults = Vec::new();
    check(&schema, &document, "", &mut faults);
    assert!(faults.is_empty(), "{}: {faults:?}\n{text}", path.display());
    assert!(
        text.ends_with("}\n") && text.starts_with("{\n  \"meta\": {\n    \"version\""),
        "{text}"
    );
}

fn check(schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let is_type = |word: &str| match word {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    };
    let mut fault = |what: &str| faults.push(format!("{at}: {what} is {value}"));
    match &schema["type"] {
        Value::String(word) if !is_type(word) => fault(word),
        Value::Array(words) if !words.iter().any(|word| is_type(word.as_str().unwrap())) => {
            fault("one of several types");
        }
        _ => {}
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        fault("a word of the list");
    }
    if schema.get("const").is_some_and(|word| word != value) {
        fault("the one word");
    }
    let n_chars = value.as_str().map_or(u64::MAX, |text| text.len() as u64);
    if schema["minLength"].as_u64().is_some_and(|least| n_chars < least) {
        fault("text");
    }
    if schema.get("pattern").is_some() && value.as_str().map(str::len) != Some(20) {
        fault("a time in seconds");
    }
    let range = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    let number = value.as_f64().unwrap_or(0.0);
    if range.0.is_some_and(|least| number < least) || range.1.is_some_and(|most| number > most) {
        fault("in range");
    }
    if let Some(items) = value.as_array() {
        if schema["minItems"].as_u64().is_some_and(|least| (items.len() as u64) < least) {
            fault("a list with items");
        }
        let is_twice = |(n, item): (usize, &Value)| items[..n].contains(item);
        if schema["uniqueItems"] == true && items.iter().enumerate().any(is_twice) {
            fault("a list of different items");
        }
        for (n, item) in items.iter().enumerate() {
            check(&schema["items"], item, &format!("{at}[{n}]"), faults);
        }
    }
    let (Some(fields), Some(known)) = (value.as_object(), schema["properties"].as_object()) else {
        return;
    };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !fields.contains_key(name.as_str().unwrap()) {
            faults.push(format!("{at}: {name} is missing"));
        }
    }
    for (name, field) in fields {
        match known.get(name) {
            Some(schema) => check(schema, field, &format!("{at}.{name}"), faults),
            None => faults.push(format!("{at}: {name} is unknown")),
        }
    }
}

#[test]
fn the_schemas_refuse_what_they_should() {
    let schema: Value = serde_json::from_str(include_str!(
        "../../../../readers/schemas/geas/memory-candidate.schema.json"
    ))
    .unwrap();
    let n_faults = |text: &str| {
        let mut faults = Vec::new();
        check(&schema, &serde_json::from_str(text).unwrap(), "", &mut faults);
        faults.len()
    };
    let good = super::CANDIDATE;
    assert_eq!(n_faults(good), 0);
    for (from, to) in [
        ("\"title\"", "\"caption\""),
        ("\"candidate\"", "\"stable\""),
        ("10:00:00Z", "10:00:00.5Z"),
        ("0.4", "1.4"),
        ("test_strategy", "tests"),
    ] {
        assert!(n_faults(&good.replace(from, to)) > 0, "{to}");
    }
}
