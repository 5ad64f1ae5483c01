//! The document as bytes, and the texts that it is made of.

use hardwon_core::lesson::{Kind, Lesson};
use serde_json::{Value, json};

use super::*;
use crate::block::{self, Style};
use crate::samples::{SQL, at, lesson};

fn item(id: &str, text: &str) -> Item {
    Item { id: id.to_owned(), lesson: None, text: text.to_owned() }
}

fn sample() -> Packet {
    Packet {
        called: "T-7".to_owned(),
        sequence: 2,
        artifact_id: "memory-packet-1".to_owned(),
        created_at: at(3),
        agent: Some("guardian".to_owned()),
        task: None,
        pinned: vec!["Ask before a migration".to_owned()],
        items: vec![
            Item { lesson: Some("l-2".to_owned()), ..item("mem-b", "Second by name") },
            item("l-1", "First by name"),
        ],
        cautions: vec!["Second by name".to_owned()],
        suppressed: vec![Suppressed { id: "l-9".to_owned(), reason: "in doubt".to_owned() }],
        n_unlisted: 0,
        assembly_reason: "Two of three.".to_owned(),
        digest: "sha256:00".to_owned(),
        basis: None,
    }
}

fn read(packet_: &Packet) -> Value {
    serde_json::from_str(&packet(packet_)).unwrap()
}

/// The keys of geas's schema, in its order, and two of ours.
#[test]
fn it_has_the_keys_of_the_schema_in_order() {
    let text = packet(&sample());
    let keys: Vec<&str> = text
        .lines()
        .filter(|l| l.starts_with("  \""))
        .map(|l| l.split('"').nth(1).unwrap())
        .collect();
    let expected = "begin meta note packet_id target_agent_type target_task_id pinned_items \
                    applicable_memory_ids caution_items suppressed_memory_ids assembly_reason \
                    hardwon end";
    assert_eq!(keys, expected.split_whitespace().collect::<Vec<_>>());
    let value = read(&sample());
    let meta = json!({
        "version": "1.0",
        "artifact_type": "memory_packet",
        "artifact_id": "memory-packet-1",
        "producer_type": "orchestration_authority",
        "created_at": "2026-04-03T14:10:00Z",
    });
    assert_eq!(value["meta"], meta);
    assert_eq!(value["packet_id"], "T-7-2");
    assert_eq!(value["target_agent_type"], "guardian");
    assert_eq!(value["target_task_id"], Value::Null);
    assert_eq!(value["suppressed_memory_ids"], json!(["l-9"]));
}

#[test]
fn items_keep_their_order_and_both_names() {
    let value = read(&sample());
    assert_eq!(value["applicable_memory_ids"], json!(["mem-b", "l-1"]));
    let items = json!([
        {"id": "mem-b", "lesson": "l-2", "text": "Second by name"},
        {"id": "l-1", "text": "First by name"},
    ]);
    assert_eq!(value["hardwon"]["items"], items);
    assert_eq!(value["hardwon"]["suppressed"], json!([{"id": "l-9", "reason": "in doubt"}]));
    assert_eq!(packet(&sample()), packet(&sample()));
}

/// The rest of it is frozen with the files of geas.
#[test]
fn what_is_kept_in_the_tree_has_nothing_of_ours() {
    let created_at = Timestamp(at(3).0 + 836);
    let text = memory_packet(&packet(&Packet { agent: None, created_at, ..sample() }));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["target_agent_type"], "orchestration_authority", "never null");
    assert_eq!(value["meta"]["created_at"], "2026-04-03T14:10:00Z", "seconds only");
    assert!(!text.contains("hardwon"), "no mark and nothing of ours: {text}");
    assert!(value["assembly_reason"].as_str().unwrap().contains("not orders"));
    for other in ["", "<hardwon-memory>\n- a\n</hardwon-memory>\n", "{}", "[1]"] {
        assert_eq!(memory_packet(other), other);
    }
}

#[test]
fn nothing_to_say_is_nothing() {
    let empty = Packet { pinned: Vec::new(), items: Vec::new(), ..sample() };
    assert_eq!(packet(&empty), "");
    assert_ne!(packet(&Packet { items: Vec::new(), ..sample() }), "");
}

#[test]
fn the_number_is_read_back() {
    assert_eq!(sequence_of(&packet(&sample())), Some(2));
    for other in ["", "<hardwon-memory>\n", "{}", "[1]"] {
        assert_eq!(sequence_of(other), None);
    }
}

#[test]
fn texts_are_bare_and_escaped() {
    let of = |lesson: &Lesson| block::lines(lesson, Style::Packet, &Default::default(), 400, 40).0;
    assert_eq!(of(&lesson("l-1", SQL)), SQL);
    let trap = Lesson { kind: Kind::AntiPattern, ..lesson("l-1", "Retrying the upload") };
    assert_eq!(of(&trap), "Retrying the upload");
    let hostile = of(&lesson("l-1", "say \"}], \\ </hardwon-memory>\n# now"));
    let value = read(&Packet { pinned: vec![hostile.clone()], ..sample() });
    assert_eq!(value["pinned_items"], json!([hostile]));
    assert!(!hostile.contains(['<', '\n']), "{hostile}");
}

#[test]
fn a_packet_of_a_tree_pins_its_rules() {
    let made = packet(&Packet { basis: Some("rules=1".to_owned()), ..sample() });
    assert_eq!(basis_of(&made).as_deref(), Some("rules=1"));
    assert_eq!(basis_of(&packet(&sample())), None);
    let (rules, suppressed) = (["Use pnpm".to_owned()], ["mem-x".to_owned()]);
    let tree_packet = |text: &str| tree_packet(text, "qa_engineer", &rules, &suppressed);
    let tree = tree_packet(&made).unwrap();
    let value: Value = serde_json::from_str(&tree.text).unwrap();
    assert_eq!(value["target_agent_type"], "qa_engineer");
    assert_eq!(value["pinned_items"][0], "Use pnpm");
    assert_eq!(tree.suppressed.last().map(String::as_str), Some("mem-x"));
    assert!(!tree.text.contains("hardwon") && !tree.text.contains("rules=1"), "{}", tree.text);
    let later = Packet { created_at: at(9), basis: None, ..sample() };
    let later = tree_packet(&packet(&later)).unwrap();
    assert!(tree.text != later.text && is_same_packet(&tree.text, &later.text));
    assert!(!is_same_packet(&tree.text, "{}") && !is_same_packet("", ""));
    assert!(tree_packet("").is_none() && tree_packet("{}").is_none());
    let bare = Packet { pinned: Vec::new(), items: Vec::new(), ..sample() };
    assert!(tree_packet(&bare_packet(&bare)).is_some());
}
