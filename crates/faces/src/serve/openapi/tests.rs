//! Makes the description, and compares it with the one that is served.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hardwon_engine::answer::{Overview, SessionShown};
use hardwon_engine::finding::FindingState;
use hardwon_engine::lesson::{Kind, State};
use hardwon_engine::run::{Outcome, RunKind};
use hardwon_render::json::{Envelope, schemas};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::super::api;
use super::super::route::{Route, Takes};

const ABOUT: &str = "Hardwon over HTTP: the answers of the command line with --json. \
    Every call needs the token in serve.token of the data folder, and takes `project`.";

/// All schemas under one roof: what they define lies side by side, and references point there.
struct Roof(BTreeMap<String, Value>);

impl Roof {
    fn take(&mut self, name: &str, mut schema: Value) {
        let object = schema.as_object_mut().expect("a schema is an object");
        object.remove("$schema");
        if let Some(Value::Object(defined)) = object.remove("$defs") {
            for (own, mut part) in defined {
                pointed(&mut part);
                let before = self.0.insert(own.clone(), part.clone());
                assert!(before.is_none_or(|it| it == part), "two schemas are called {own}");
            }
        }
        pointed(&mut schema);
        self.0.insert(name.to_owned(), schema);
    }
}

/// With references to where definitions lie here.
fn pointed(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(place)) = fields.get_mut("$ref") {
                *place = place.replace("#/$defs/", "#/components/schemas/");
            }
            fields.values_mut().for_each(pointed);
        }
        Value::Array(items) => items.iter_mut().for_each(pointed),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn answer_schema(name: &str) -> Value {
    let made = || SchemaSettings::draft2020_12().for_serialize().into_generator();
    match name {
        "overview" => made().into_root_schema_for::<Envelope<Overview>>().to_value(),
        "session" => made().into_root_schema_for::<Envelope<SessionShown>>().to_value(),
        name => {
            let file = format!("{name}.schema.json");
            let found = schemas().into_iter().find(|(known, _)| *known == file);
            found.unwrap_or_else(|| panic!("no schema is called {name}")).1
        }
    }
}

fn operation(route: &Route, roof: &mut Roof) -> Value {
    let answers: Vec<&str> = route.answer.split('|').collect();
    for name in &answers {
        let answer = format!("answer-{name}");
        if !roof.0.contains_key(&answer) {
            roof.take(&answer, answer_schema(name));
        }
    }
    let pointer = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let mut answers: Vec<Value> =
        answers.iter().map(|name| pointer(&format!("answer-{name}"))).collect();
    let answer = if answers.len() == 1 { answers.remove(0) } else { json!({"anyOf": answers}) };
    let mut parameters: Vec<Value> = vec![parameter("project", "query", false)];
    parameters.extend(route.query.iter().map(|name| {
        let mut parameter = parameter(name, "query", false);
        if let Some(words) = words(route.path, name) {
            parameter["schema"]["enum"] = json!(words);
        }
        parameter
    }));
    if route.path.contains("{}") {
        parameters.push(parameter("id", "path", true));
    }
    if route.method == "PATCH" && route.body.is_some() {
        parameters.push(parameter("If-Match", "header", true));
    }
    let told = |what: &str, kind: &str, schema: &Value| json!({"description": what, "content": {(kind): {"schema": schema}}});
    let mut operation = json!({
        "summary": route.about,
        "parameters": parameters,
        "responses": {
            "200": told("Done", "application/json", &answer),
            "201": told("Made", "application/json", &answer),
            "default": told("Not done", "application/problem+json", &pointer("Refused")),
            "401": {"description": "No token, or a wrong one; the body is empty"},
        },
    });
    match (route.takes, route.body) {
        (Takes::Record, _) => {
            operation["requestBody"] = json!({"required": true, "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}});
        }
        (_, Some(body)) => {
            let schema = pointer(body);
            operation["requestBody"] =
                json!({"required": true, "content": {"application/json": {"schema": schema}}});
        }
        (_, None) => {}
    }
    operation
}

/// The words that a parameter takes, where there is a list of them.
fn words(path: &str, name: &str) -> Option<Vec<&'static str>> {
    fn of<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Option<Vec<&'static str>> {
        Some(all.iter().copied().map(word).collect())
    }
    match (path, name) {
        ("/api/v1/lessons", "state") => of(State::ALL, State::word),
        ("/api/v1/lessons", "kind") => of(Kind::ALL, Kind::word),
        ("/api/v1/findings", "state") => of(FindingState::ALL, FindingState::word),
        ("/api/v1/runs", "kind") => of(RunKind::ALL, RunKind::word),
        ("/api/v1/runs", "outcome") => of(Outcome::ALL, Outcome::word),
        _ => None,
    }
}

fn parameter(name: &str, place: &str, is_required: bool) -> Value {
    let is_number = matches!(name, "limit" | "days");
    let schema = if is_number {
        json!({"type": "integer", "minimum": 1, "maximum": 1000})
    } else {
        json!({"type": "string"})
    };
    json!({"name": name, "in": place, "required": is_required, "schema": schema})
}

fn made() -> Value {
    let mut roof = Roof(BTreeMap::new());
    for (name, schema) in api::bodies() {
        roof.take(name, schema.to_value());
    }
    roof.take(
        "Refused",
        json!({"type": "object", "required": ["title", "status", "detail", "kind"], "properties": {
            "type": {"type": "string"}, "title": {"type": "string"},
            "status": {"type": "integer"}, "detail": {"type": "string"},
            "kind": {"enum": ["usage", "store", "fault"]},
            "hint": {"type": ["string", "null"]}}}),
    );
    let mut paths: Map<String, Value> = Map::new();
    for route in api::routes() {
        let path = paths.entry(route.path.replace("{}", "{id}")).or_insert_with(|| json!({}));
        path[route.method.as_str().to_lowercase()] = operation(&route, &mut roof);
    }
    let listened: Vec<Value> = ["project", "style", "since", "after", "all_projects"]
        .iter()
        .map(|name| parameter(name, "query", false))
        .collect();
    let events = json!({
        "summary": "Live messages as server-sent events; Last-Event-ID goes on where it was",
        "parameters": listened,
        "responses": {"200": {"description": "A stream", "content": {"text/event-stream":
            {"schema": {"type": "string"}}}},
            "default": {"description": "Not done"}},
    });
    paths.insert("/api/v1/events".to_owned(), json!({"get": events}));
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Hardwon", "version": env!("CARGO_PKG_VERSION"), "description": ABOUT},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": roof.0,
        },
    })
}

#[test]
fn the_description_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/openapi.json");
    let made = format!("{}\n", made());
    if std::env::var_os("HARDWON_BLESS").is_some() {
        fs::write(&path, &made).expect("it can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "the API changed: bless {} and look at the difference", path.display());
}
