//! Random trees: every document that no change concerns keeps its bytes, whatever they are.

use proptest::prelude::*;

use super::{CANDIDATE, ENTRY, tree};
use crate::place::Place;

/// A document in one of many shapes, with keys of others and odd spacing.
fn document(n: usize, shape: u8, words: &str, number: u32) -> (String, String) {
    let id = format!("mem-task-{n:03}-1");
    let (folder, base) =
        if shape & 1 == 0 { ("candidates", CANDIDATE) } else { ("entries", ENTRY) };
    let old = if shape & 1 == 0 { "mem-task-001-1" } else { "mem-task-002-1" };
    let mut text = base.replace(old, &id);
    let from = text.find("\"summary\": \"").unwrap() + 12;
    let to = from + text[from..].find('"').unwrap();
    text.replace_range(from..to, &format!("Lesson {n} says {words} about subject number {n}"));
    if shape & 2 != 0 {
        text =
            text.replacen("{\n", &format!("{{\n  \"x-{number}\":   [1,  {{\"a\": null}}],\n"), 1);
    }
    if shape & 4 != 0 {
        text = text.replace("\"reuse_count\": 0", &format!("\"reuse_count\": {number}"));
    }
    if shape & 8 != 0 {
        text = text.replace("    \"successful_reuses\": 2,\n    \"failed_reuses\": 1,\n", "");
    }
    if shape & 16 != 0 {
        text = text.replace('\n', "\r\n");
    }
    if shape & 32 != 0 {
        text = text
            .replace("\"contradiction_count\": 0", &format!("\"contradiction_count\": {number}"));
    }
    if shape & 64 != 0 {
        text.truncate(text.len() - 3);
    }
    (format!("memory/{folder}/{id}.json"), text)
}

fn put(place: &Place, shapes: &[(u8, String, u32)]) -> Vec<(String, String)> {
    let of = |(n, (shape, words, number)): (usize, &(u8, String, u32))| {
        document(n + 1, *shape, words, *number)
    };
    let all: Vec<(String, String)> = shapes.iter().enumerate().map(of).collect();
    all.iter().for_each(|(name, text)| place.put(name, text));
    all
}

proptest! {
    #[test]
    fn untouched_documents_keep_their_bytes(
        shapes in prop::collection::vec((any::<u8>(), "[a-z]{4,9} [a-z]{4,9}", 0..9_u32), 1..7),
        which in any::<usize>(),
    ) {
        let place = tree();
        let all = put(&place, &shapes);
        let lessons = place.lessons();
        place.add("Error messages name the next step.");
        for (name, text) in &all {
            prop_assert_eq!(&place.text(name), text, "{}", name);
        }
        let Some(chosen) = lessons.get(which % lessons.len().max(1)) else { return Ok(()) };
        place.forget(chosen.id.as_str());
        let own = chosen.aliases[0].clone();
        for (name, text) in all.iter().filter(|(name, _)| !name.contains(&own)) {
            prop_assert_eq!(&place.text(name), text, "{}", name);
        }
        // Whatever nobody knows stays with it.
        let (_, was) = all.iter().find(|(name, _)| name.contains(&own)).unwrap();
        let now = place.text(&format!("memory/entries/{own}.json"));
        prop_assert!(now.contains("\"archived\""), "{}", now);
        prop_assert_eq!(now.contains("\"x-"), was.contains("\"x-"));
        prop_assert_eq!(place.lessons().len(), lessons.len() + 1);
        // Without our journal the tree says the same.
        let states = |place: &Place| {
            let mut states: Vec<_> =
                place.lessons().iter().map(|it| (it.aliases[0].clone(), it.state, it.effects)).collect();
            states.sort_by(|a, b| a.0.cmp(&b.0));
            states
        };
        let known = states(&place);
        place.remove("memory/hardwon.jsonl");
        prop_assert_eq!(states(&place), known);
    }
}
