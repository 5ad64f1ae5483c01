//! Do the page, the schema and the reader of `hardwon.run/1` say the same?

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{problems, record};

const PAGE: &str = include_str!("../../../../docs/run-record.md");
const SCHEMA: &str = include_str!("../../../../docs/schemas/hardwon.run-1.schema.json");
const TYPES: [&str; 4] = ["run", "finding", "verdict", "effect"];

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
    for (field, value) in
        [("type", line_type), ("text", "x"), ("author", "x"), ("lesson", "x"), ("effect", "hurt")]
    {
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

#[test]
fn every_field_of_the_schema_is_read_or_kept_for_later() {
    let later = PAGE.split("## Kept for later").nth(1).unwrap().split("\n## ").next().unwrap();
    for line_type in TYPES {
        for (name, property) in properties(line_type) {
            let problems = problems(&record(line_with_odd_field(line_type, &name))).concat();
            let is_read = problems.contains(&format!("field \"{name}\" is not"));
            let is_for_later = later.contains(&format!("`{name}`"))
                && property["description"].as_str().unwrap().starts_with("Kept for later");
            assert!(is_read != is_for_later, "{line_type}.{name}: {problems}");
        }
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
