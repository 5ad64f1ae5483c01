//! Runs as episodes, from outside: lists, trees and all about one.

use serde_json::{Value, json};

use crate::harness::{Memory, Ran, list_of, text_of, warning};

/// Three runs of a session on three days, each with one below it, and one of another task.
fn record() -> String {
    let mut lines = String::new();
    for day in 1..=3 {
        let id = format!("r{day}");
        let outcome = if day < 3 { "failed" } else { "success" };
        let root = json!({
            "type": "run", "id": id, "kind": "orchestrator", "agent": "claude-code",
            "task": "T-12", "session": "s-9", "outcome": outcome, "tags": ["auth"],
            "started": format!("2026-04-0{day}T10:00:00Z"),
            "finished": format!("2026-04-0{day}T10:10:00Z"),
            "usage": {"tokens_in": 1200, "cost_usd": 0.02},
        });
        let step = json!({"type": "step", "tool": "bash", "action": "make all", "ok": day == 3,
            "output": "error: no such target"});
        let below = json!({"type": "run", "id": format!("{id}.sub"), "parent": id,
            "kind": "subagent", "agent": "minimal",
            "started": format!("2026-04-0{day}T10:02:00Z")});
        let deep = json!({"type": "run", "id": format!("{id}.deep"), "parent": format!("{id}.sub"),
            "kind": "review", "started": format!("2026-04-0{day}T10:03:00Z")});
        lines +=
            &format!("{root}\n{step}\n{}{below}\n{deep}\n", warning("Error text is swallowed"));
    }
    let other = json!({"type": "run", "id": "alone", "task": "T-7", "summary": "Nothing to do.",
        "started": "2026-04-03T12:00:00Z"});
    lines + &format!("{other}\n")
}

fn memory() -> Memory {
    let memory = Memory::new();
    memory.learn(&record());
    memory
}

fn ids(answer: &Value) -> Vec<String> {
    list_of(answer, "runs").iter().map(|run| text_of(run, "id")).collect()
}

#[test]
fn runs_are_listed_newest_first_and_as_asked_for() {
    let memory = memory();
    let all = memory.json(&["runs"]);
    assert_eq!(ids(&all)[..4], ["alone", "r3.deep", "r3.sub", "r3"]);
    assert_eq!((ids(&all).len(), &all["more"]), (10, &json!(0)));
    let r3 = &all["runs"][3];
    assert_eq!(
        (&r3["n_findings"], &r3["depth"], &r3["outcome"]),
        (&json!(1), &json!(0), &json!("success"))
    );
    assert_eq!((&all["runs"][1]["depth"], &all["runs"][1]["root"]), (&json!(2), &json!("r3")));
    let cases: &[(&[&str], &[&str], u64)] = &[
        (&["--session", "s-9"], &["r3", "r2", "r1"], 0),
        (&["--task", "T-7"], &["alone"], 0),
        (&["--kind", "subagent", "--limit", "2"], &["r3.sub", "r2.sub"], 1),
        (&["--outcome", "failed"], &["r2", "r1"], 0),
        (&["--agent", "minimal", "--days", "2"], &["r3.sub", "r2.sub"], 0),
        (&["--agent", "nobody"], &[], 0),
        (&["--limit", "0"], &[], 10),
    ];
    for (flags, expected, more) in cases {
        let answer = memory.json(&[&["runs", "list"], *flags].concat());
        assert_eq!(
            (ids(&answer), &answer["more"]),
            (expected.iter().map(|id| id.to_string()).collect(), &json!(more)),
            "{flags:?}"
        );
    }
}

#[test]
fn a_tree_stands_below_its_root() {
    let memory = memory();
    let tree = memory.json(&["runs", "tree", "r2.sub"]);
    assert_eq!(ids(&tree), ["r2", "r2.sub", "r2.deep"], "the whole tree, from its root");
    let newest = memory.json(&["runs", "tree", "--limit", "2"]);
    assert_eq!(ids(&newest), ["alone", "r3", "r3.sub", "r3.deep"]);
    assert_eq!(newest["more"], 2);
    let text = memory.run(&["runs", "tree", "r2"]).exits(0).stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].starts_with("r2 ") && lines[2].starts_with("└ r2.sub "), "{text}");
    assert!(lines[3].starts_with("  └ r2.deep "), "{text}");
}

#[test]
fn one_run_is_told_whole() {
    let memory = memory();
    memory.json(&["inject", "--run", "r3.sub", "--role", "maker"]);
    let root = memory.json(&["runs", "show", "r2"]);
    assert_eq!(root["run"]["usage"]["tokens_in"], 1200);
    assert_eq!(
        (&root["steps"][0]["action"], &root["steps"][0]["result"]),
        (&json!("make all"), &json!("failed"))
    );
    assert!(!text_of(&root, "summary").is_empty(), "it told no summary; one is made");
    assert_eq!(list_of(&root, "children").len(), 1, "only what is directly below it");
    assert_eq!(text_of(&root["lessons"][0], "text"), text_of(&root["findings"][0], "text"));
    let related: Vec<String> =
        list_of(&root, "related").iter().map(|one| text_of(&one["run"], "id")).collect();
    assert!(
        related.contains(&"r1".to_owned()) && !related.contains(&"r2.sub".to_owned()),
        "{related:?}"
    );
    let child = memory.json(&["runs", "show", "r3.sub"]);
    assert_eq!(
        (&child["run"]["parent"], &child["injections"][0]["role"]),
        (&json!("r3"), &json!("maker"))
    );
    assert_eq!(memory.json(&["runs", "show", "alone"])["summary"], "Nothing to do.");
    let text = memory.run(&["runs", "show", "r2"]).exits(0).stdout;
    for part in [
        "failed orchestrator run by claude-code",
        "make all",
        "Error text is swallowed",
        "related runs",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn a_run_is_printed_as_a_trajectory() {
    let memory = memory();
    let ran = memory.run(&["runs", "show", "r2", "--style", "atif"]).exits(0);
    let trajectory = ran.json();
    assert!(text_of(&trajectory, "schema_version").starts_with("ATIF-v1."), "{ran}");
    assert!(list_of(&trajectory, "steps").iter().any(|step| step.to_string().contains("make all")));
    let other = Memory::new();
    other.write("r2.atif.json", &ran.stdout);
    other.run(&["learn", "r2.atif.json"]).exits(0);
    let again = other.json(&["runs"]);
    assert_eq!(list_of(&again, "runs").len(), 1, "it is read again: {again:#}");
}

#[test]
fn a_run_that_was_only_shown_lessons_is_known_and_any_other_is_not() {
    let memory = Memory::new();
    memory.learn_w(2);
    memory.json(&["inject", "--run", "soon"]);
    let soon = memory.json(&["runs", "show", "soon"]);
    assert_eq!((&soon["run"]["learned"], &soon["summary"]), (&json!(false), &json!("")));
    for args in [["runs", "show", "nobody"], ["runs", "tree", "nobody"]] {
        let ran: Ran = memory.run(&args).exits(2);
        assert!(ran.stderr.contains("no run is called nobody"), "{ran}");
    }
    let empty = Memory::new();
    assert_eq!(empty.json(&["runs"])["status"], "empty");
    assert!(!empty.database().exists(), "looking made a store");
}
