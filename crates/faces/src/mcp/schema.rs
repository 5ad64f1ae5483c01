//! The schemas of what a tool takes, made from the structs that are read, in the plain form that
//! every host understands: no references, no format of a number that is none of JSON's, and an
//! argument that may be left out is not also `null`.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of a tool's arguments.
pub fn input<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = object::<T>(settings);
    schema.values_mut().for_each(made_plain);
    Arc::new(schema)
}

/// The words of a closed list, for a field that holds one of them.
pub fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|value| word(*value)).collect()
}

fn object<T: JsonSchema>(mut settings: SchemaSettings) -> JsonObject {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let Value::Object(mut schema) = schema else { return Map::new() };
    schema.remove("title");
    schema.remove("description");
    schema
}

/// `null` means the same as leaving it out, so the schema does not mention it. Clients warn of
/// formats such as `uint32`, which the limits beside them say as well.
fn made_plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            if fields.get("default").is_some_and(Value::is_null) {
                fields.remove("default");
            }
            // A property may have this name as well.
            if fields.get("format").is_some_and(Value::is_string) {
                fields.remove("format");
            }
            fields.values_mut().for_each(made_plain);
        }
        Value::Array(items) => items.iter_mut().for_each(made_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
