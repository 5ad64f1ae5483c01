//! The schemas of what a tool takes and gives, made from the structs that are read and written,
//! in the plain form that every host understands: no references, and an argument that may be
//! left out is not also `null`.

use std::sync::Arc;

use hardwon_render::json::Envelope;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of a tool's arguments.
pub fn input<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = object::<T>(settings);
    schema.values_mut().for_each(without_null);
    Arc::new(schema)
}

/// The schema of an answer with this body.
pub fn output<T: JsonSchema>() -> Arc<JsonObject> {
    Arc::new(object::<Envelope<T>>(SchemaSettings::draft2020_12().for_serialize()))
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

/// `null` means the same as leaving it out, so the schema does not mention it.
fn without_null(schema: &mut Value) {
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
            fields.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
