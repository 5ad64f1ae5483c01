//! Memory that moves between layouts, from outside.

use serde_json::json;

use crate::harness::{Memory, W, list_of, run_line, warning};

const NOTE: &str = "---\nname: Package manager\ndescription: pnpm\ntype: feedback\ncolor: blue\n---\n\n\
                    Use pnpm, never npm, in every script of the workspace.\n";

/// An index without a file of the usual name was approved under one digest and imported under
/// another.
#[test]
fn a_folder_of_notes_has_one_digest() {
    let memory = Memory::new();
    memory.write("memory/pnpm.md", NOTE);
    memory.write("memory/MEMORY.md", "- [Package manager](pnpm.md) — pnpm\n");
    let pinned = memory.json(&["trust", "memory"]);
    assert_eq!((&pinned["system"], &pinned["trust"]), (&json!("notes"), &json!("trusted")));
    let as_store = memory.json(&["trust", "memory", "--look", "--from", "jkz"]);
    assert_eq!(as_store["digest"], pinned["digest"]);
    let imported = memory.json(&["import", "memory", "--from", "jkz"]);
    assert_eq!(list_of(&imported, "quarantined").len(), 0, "{imported:#}");
    assert_eq!(list_of(&imported, "added").len(), 1);
}

/// What a project says of itself.
fn told(memory: &Memory, project: &str) -> Vec<String> {
    let asked: [&[&str]; 4] =
        [&["list", "--all"], &["runs", "list"], &["findings", "list"], &["report"]];
    let ask =
        |words: &&[&str]| memory.json(&[*words, &["--project", project][..]].concat()).to_string();
    asked.iter().map(ask).collect()
}

#[test]
fn two_projects_become_one_and_two_again() {
    let memory = Memory::new();
    let learn = |project: &str, run: &str, texts: &[&str]| {
        let findings: String = texts.iter().map(|text| warning(text)).collect();
        let record = format!("{}{findings}", run_line(run));
        memory.run_with(&["learn", "--project", project], &record).exits(0);
    };
    // Both have runs r1 and r2 and have learned the same, and each something of its own.
    for (project, own) in
        [("shop", "The till is slow to open"), ("bakery", "Hands burn at the oven")]
    {
        learn(project, "r1", &[W, own]);
        learn(project, "r2", &[W, own]);
    }
    learn("bakery", "r3", &[W]);
    let (before, of_bakery) = (told(&memory, "shop"), told(&memory, "bakery"));
    let merged = memory.json(&["project", "merge", "bakery", "shop"]);
    assert_eq!((&merged["lessons"], &merged["same"]), (&json!(2), &json!(1)), "{merged}");
    assert_eq!((&merged["runs"], &merged["renamed"]), (&json!(3), &json!(2)), "{merged}");
    let runs = memory.json(&["runs", "list", "--project", "shop"]).to_string();
    for run in ["\"r1\"", "\"bakery/r1\"", "\"bakery/r2\"", "\"r3\""] {
        assert!(runs.contains(run), "{run}: {runs}");
    }
    let lessons = list_of(&memory.json(&["list", "--all", "--project", "shop"]), "lessons");
    assert_eq!(lessons.len(), 3, "{lessons:?}");
    let both = lessons.iter().find(|lesson| lesson["text"] == W).expect("it is there");
    assert_eq!(both["sightings"], 5, "two and three: {both}");
    assert_eq!(told(&memory, "bakery"), of_bakery, "what came stays where it was as well");
    memory.run(&["doctor"]).exits(0);
    let operation = merged["operation"].to_string();
    memory.run(&["undo", &operation, "--project", "shop"]).exits(0);
    assert_eq!(told(&memory, "shop"), before, "one step takes it back");
    memory.run(&["doctor"]).exits(0);
    memory.run(&["project", "merge", "shop", "shop"]).exits(2);
}

#[test]
fn a_store_that_is_not_there_is_not_copied() {
    let memory = Memory::new();
    let refused = memory.run(&["store", "copy", "sqlite:no-such.db", "sqlite:out.db"]).exits(2);
    assert!(refused.stderr.contains("there is no such file"), "{refused:?}");
    assert!(!memory.work().join("out.db").exists());
}
