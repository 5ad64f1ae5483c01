//! Do the page, the schema and the reader of `hardwon.run/1` say the same?

use std::collections::BTreeMap;

use hardwon_readers::{Format, read};
use serde_json::{Map, Value, json};

use crate::{problems, record};

const PAGE: &str = include_str!("../../../../docs/run-record.md");
const SCHEMA: &str = include_str!("../../../../docs/schemas/hardwon.run-1.schema.json");
const TYPES: [&str; 7] = ["run", "finding", "verdict", "effect", "step", "deliberation", "attempt"];

/// The JSONL examples of the page.
fn examples() -> Vec<&'static str> {
    let blocks = PAGE.split("```jsonl\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default()).collect()
}

/// The schema's properties of one line type, without `type` itself.
fn properties(line_type: &str) -> BTreeMap<String, Value> {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let properties = schema["$defs"][line_type]["properties"].as_object().unwrap().clone();
    properties.into_iter().filter(|(name, _)| name != "type").collect()
}

/// A line with everything that its type requires, and one field of no sensible type.
fn line_with_odd_field(line_type: &str, name: &str) -> String {
    let mut line: Map<String, Value> = Map::new();
    for (field, value) in [
        ("type", line_type),
        ("text", "x"),
        ("author", "x"),
        ("lesson", "x"),
        ("effect", "hurt"),
        ("action", "x"),
        ("role", "judge"),
        ("issue", "12"),
        ("approach", "x"),
    ] {
        line.insert(field.into(), value.into());
    }
    line.insert(name.into(), json!({ "odd": true }));
    Value::Object(line).to_string()
}

#[test]
fn every_example_of_the_page_is_read_without_a_problem() {
    let examples = examples();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let record = record(example);
        assert_eq!(problems(&record), [""; 0], "{example}");
        assert_eq!(record.events.len(), example.lines().count(), "{example}");
    }
}

/// The record of a line with its type named: an odd field may be what shows it.
fn problems_of(line: &str) -> String {
    let record = read("x", line.as_bytes(), Some(Format::Run)).unwrap();
    problems(&record).concat()
}

#[test]
fn every_field_of_the_schema_is_read() {
    for line_type in TYPES {
        for (name, property) in properties(line_type) {
            let odd =
                match property["type"].as_array().is_some_and(|t| t.contains(&"object".into())) {
                    true => line_with_odd_field(line_type, &name).replace("{\"odd\":true}", "7"),
                    false => line_with_odd_field(line_type, &name),
                };
            let problems = problems_of(&odd);
            assert!(
                problems.contains(&format!("field \"{name}\" is not")),
                "{line_type}.{name}: {problems}"
            );
        }
    }
}

#[test]
fn every_field_of_usage_is_read() {
    let usage = &properties("run")["usage"]["properties"];
    for name in usage.as_object().unwrap().keys() {
        assert!(PAGE.contains(&format!("`{name}`")), "{name}");
        for odd in ["-1", "\"7\"", "1e300", "[]", "true"] {
            let line = format!("{{\"type\":\"run\",\"usage\":{{\"{name}\":{odd}}}}}");
            let problems = problems_of(&line);
            assert!(problems.contains(&format!("field \"{name}\" is not")), "{odd}: {problems}");
        }
        let line = format!("{{\"type\":\"run\",\"usage\":{{\"{name}\":NaN}}}}");
        assert!(problems_of(&line).contains("not valid JSON"), "{line}");
    }
}

#[test]
fn every_field_of_the_schema_is_on_the_page_and_in_no_other_words() {
    for line_type in TYPES {
        for (name, property) in properties(line_type) {
            assert!(PAGE.contains(&format!("`{name}`")), "{line_type}.{name}");
            for word in property["enum"].as_array().into_iter().flatten().filter_map(Value::as_str)
            {
                assert!(PAGE.contains(&format!("`{word}`")), "{line_type}.{name}: {word}");
                let mut line: Value =
                    serde_json::from_str(&line_with_odd_field(line_type, &name)).unwrap();
                line[&name] = word.into();
                assert_eq!(problems(&record(line.to_string())), [""; 0], "{name}: {word}");
            }
        }
    }
}
