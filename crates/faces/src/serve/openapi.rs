//! The description for programs: OpenAPI 3.1, made of the table of routes and the types of bodies
//! and answers by a test, so that the program carries the text and not the making of it.

use serde_json::Value;

const DOCUMENT: &str = include_str!("../../data/openapi.json");

/// The description.
pub fn document() -> Value {
    serde_json::from_str(DOCUMENT).expect("a test made it")
}

#[cfg(test)]
mod tests;
