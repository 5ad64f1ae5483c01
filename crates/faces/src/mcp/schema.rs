//! The schemas of what a tool takes, made from the structs that are read, in the plain form that
//! every host understands: no references, no format of a number that is none of JSON's, and an
//! argument that may be left out is not also `null`.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of a tool's arguments.
pub fn input<T: JsonSchema>() -> Arc<JsonObject> {
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let Some(fields) = schema.as_object_mut() else { return Arc::default() };
    fields.remove("title");
    fields.remove("description");
    fields.values_mut().for_each(made_plain);
    Arc::new(std::mem::take(fields))
}

/// The words of a closed list, for a field that holds one of them.
pub fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|value| word(*value)).collect()
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
