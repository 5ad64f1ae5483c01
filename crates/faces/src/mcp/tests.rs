//! Does the server say of itself what hosts rely on?

use serde_json::Value;

use super::*;

/// Hosts cut instructions and descriptions here.
const MOST_BYTES: usize = 2048;

#[test]
fn texts_fit_where_hosts_cut() {
    assert!(INSTRUCTIONS.len() < MOST_BYTES, "{} bytes", INSTRUCTIONS.len());
    let first: String = INSTRUCTIONS.lines().take(2).collect();
    assert!(first.contains("Before you start a task"), "the beginning says when to use it");
    for tool in tools(Offer::All).chain(tools(Offer::Archivist)) {
        assert!(tool.description.len() < MOST_BYTES, "{}", tool.name);
        assert!(!tool.description.contains("  "), "{}: {}", tool.name, tool.description);
    }
}

#[test]
fn the_tools_are_the_seven_of_the_design() {
    let mut names: Vec<&str> = tools(Offer::All).map(|tool| tool.name).collect();
    names.sort_unstable();
    let design = "lessons_for mark_effect record_outcome remember report_finding review \
        submit_reflection";
    assert_eq!(names.join(" "), design);
    let archivist: Vec<&str> = tools(Offer::Archivist).map(|tool| tool.name).collect();
    let document = ["create_candidate_lessons", "score_importance", "detect_duplicates", "merge"];
    let document = document.map(|name| format!("memory_{name}"));
    assert_eq!(archivist[1..5], document.each_ref().map(String::as_str));
    assert_eq!([archivist[0], archivist[5]], ["lessons_for", "submit_reflection"]);
}

#[test]
fn schemas_are_plain_and_closed() {
    for tool in TOOLS.iter().chain(ARCHIVIST) {
        let input = Value::Object((tool.input)().as_ref().clone());
        assert_eq!(input["type"], "object", "{}", tool.name);
        assert_eq!(input["additionalProperties"], false, "{}: {input:#}", tool.name);
        let text = input.to_string();
        for odd in ["$ref", "$defs", "null", "anyOf", "\"title\":\"", "\"format\""] {
            assert!(!text.contains(odd), "{} has {odd}: {input:#}", tool.name);
        }
        let fields = input["properties"].as_object().expect("a tool takes something");
        for (name, field) in fields {
            assert!(field["description"].is_string(), "{}: {name} says nothing", tool.name);
            assert!(field["type"].is_string(), "{}: {name} has no type", tool.name);
        }
        let listed = serde_json::to_value(tool.definition()).expect("it is JSON");
        assert_eq!(listed["_meta"]["anthropic/alwaysLoad"], true, "{listed:#}");
        assert!(listed["outputSchema"].is_null(), "an answer is a text: {listed:#}");
    }
}

#[test]
fn only_looking_is_called_read_only() {
    for tool in TOOLS.iter().chain(ARCHIVIST) {
        let hints = tool.definition().annotations.expect("every tool has hints");
        let looks = ["lessons_for", "memory_score_importance", "memory_detect_duplicates"];
        let is_look = looks.contains(&tool.name);
        assert_eq!(hints.read_only_hint, Some(is_look), "{}", tool.name);
        assert_eq!(hints.open_world_hint, Some(false), "{}", tool.name);
    }
}

#[test]
fn a_session_with_other_work_need_not_load_the_archivists_tools() {
    let meta = |offer: Offer| offer.tools().iter().map(move |tool| offer.listed(tool).meta);
    assert!(meta(Offer::All).all(|meta| meta.is_some()));
    assert!(meta(Offer::Archivist).all(|meta| meta.is_none()));
    assert!(Offer::Archivist.instructions().len() < 300, "every session with the plugin reads it");
}
