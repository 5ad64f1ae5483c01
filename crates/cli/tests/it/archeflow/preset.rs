//! What ArcheFlow's documents promise and its preset does: domains that filter, five sightings
//! that are always shown, hints, anti-patterns, categories, its own ids, and a small journal.

use serde_json::{Value, json};

use super::{AUDIT, Flow, JOURNAL, LESSONS, OTHER, W, bare_log, finding, lesson, log, with};
use crate::harness::{list_of, text_of};

fn extract(flow: &Flow, run: &str, archetype: &str, findings: &[Value]) {
    flow.put(&format!("events/{run}.jsonl"), bare_log(run, archetype, findings));
    flow.call(&["extract", &format!(".archeflow/events/{run}.jsonl")]).exits(0);
}

#[test]
fn the_domain_of_a_run_is_the_one_it_asked_for() {
    let flow = Flow::new();
    // Nothing is known yet: the first block is empty, and ArcheFlow records nothing of it.
    flow.call(&["inject", "code", "guardian", "--audit", "r1"]).exits(0);
    assert!(flow.records(AUDIT).is_empty());
    for run in ["r1", "r2"] {
        flow.call(&["inject", "code", "", "--audit", run]).exits(0);
        extract(&flow, run, "guardian", &[finding("warning", W)]);
    }
    assert_eq!(flow.record("m-001")["domain"], "code");
    assert!(flow.call(&["inject", "code", ""]).exits(0).stdout.contains(W));
    assert_eq!(flow.call(&["inject", "writing", ""]).exits(0).stdout, "");
    // The same in a store of ours.
    let log = flow.path("events/r1.jsonl");
    let log = log.to_str().expect("a name in UTF-8");
    flow.own(&["add", "Prefer small commits with one reason each"]);
    flow.own(&["inject", "--run", "r1", "--domain", "code"]);
    flow.own(&["learn", log]);
    let lessons = list_of(&flow.own(&["list"]), "lessons");
    let learned = lessons.iter().find(|lesson| lesson["text"] == W).expect("it was learned");
    assert_eq!(learned["scope"]["domain"], "code", "{learned:#}");
}

#[test]
fn five_sightings_are_always_shown() {
    let preference = |n: usize| {
        let fields = json!({"type": "preference", "source": "user_feedback", "frequency": 1});
        with(lesson(&format!("m-{n:03}"), &format!("Wish number {n} of the team")), fields)
    };
    let five = json!({"frequency": 5, "domain": "code", "archetype": "guardian"});
    let mut lessons: Vec<Value> = (1..=12).map(preference).collect();
    lessons.push(with(lesson("m-013", W), five.clone()));
    let flow = Flow::of(&lessons);
    let shown = flow.call(&["inject", "writing", "sage"]).exits(0);
    assert!(shown.stdout.contains(W), "not displaced by wishes\n{shown}");
    assert_eq!(shown.stdout.lines().count(), 11, "{shown}");
    // In a store of ours under the preset, too.
    flow.import();
    let args = ["inject", "--policy", "archeflow", "--domain", "writing", "--role", "sage"];
    let shown = flow.memory.run(&args).exits(0);
    assert!(shown.stdout.contains(W), "{shown}");
    // And many of them leave room for wishes.
    let many = |n| with(lesson(&format!("m-{n:03}"), &format!("Rule {n} holds")), five.clone());
    let mut lessons: Vec<Value> = (1..=12).map(many).collect();
    lessons.push(preference(13));
    let shown = Flow::of(&lessons).call(&["inject", "writing", "sage"]).exits(0);
    assert!(shown.stdout.contains("Wish number 13"), "{shown}");
}

#[test]
fn lessons_are_called_as_the_folder_calls_them() {
    let flow = Flow::of(&[lesson("m-001", W), lesson("m-002", OTHER)]);
    let id = text_of(&flow.json(&["show", "m-001"])["lesson"], "id");
    let path = flow.log("r1", &[finding("warning", W)]);
    let commands: [&[&str]; 8] = [
        &["list"],
        &["show", "m-001"],
        &["why", "m-001"],
        &["learn", &path],
        &["pin", "m-001"],
        &["history"],
        &["report"],
        &["search", "search query"],
    ];
    for args in commands {
        let ran = flow.ours(args).exits(0);
        assert!(ran.stdout.contains("m-001") && !ran.stdout.contains(&id), "{ran}");
        assert!(!ran.stderr.contains(&id), "{ran}");
    }
    let explained = flow.ours(&["inject", "--explain"]).exits(0);
    assert!(explained.stderr.contains("m-001") && !explained.stderr.contains(&id), "{explained}");
    let added = flow.ours(&["add", "Short lines are easier to review"]).exits(0);
    assert!(added.stdout.contains("m-003"), "{added}");
    assert_eq!(text_of(&flow.json(&["show", "m-001"])["lesson"], "id"), id, "JSON keeps ours");
}

#[test]
fn the_journal_stays_small_beside_the_files() {
    let flow = Flow::new();
    let mut largest = 0;
    for n in 1..=70 {
        let run = format!("run-{n}");
        let texts = [
            format!("Query {} is glued together", n % 6),
            format!("Upload {} has no limit", n % 4),
        ];
        let findings = texts.each_ref().map(|text| finding("warning", text));
        flow.call(&["inject", "code", "guardian", "--audit", &run]).exits(0);
        let text =
            log(&run, &findings).replace("2026-04-01T10", &format!("2026-03-01T{:02}", n % 24));
        flow.put(&format!("events/{run}.jsonl"), text);
        flow.call(&["extract", &format!(".archeflow/events/{run}.jsonl")]).exits(0);
        flow.call(&["audit-check", &run]).exits(0);
        flow.decay();
        largest = largest.max(flow.bytes(JOURNAL).len());
    }
    assert!(largest <= 130_000, "{largest} bytes beside {}", flow.bytes(LESSONS).len());
    assert!(flow.text(JOURNAL).starts_with(r#"{"version":1,"operation":1,"command":"summary""#));
    flow.has_no_litter();
    // Nothing is lost of what counts, and an old log is still known.
    let before = flow.bytes(LESSONS);
    flow.call(&["extract", ".archeflow/events/run-2.jsonl"]).exits(0);
    assert_eq!(flow.bytes(LESSONS), before, "a run of long ago was counted again");
    assert_eq!(flow.json(&["doctor"])["status"], "ok");
    // The newest operation can be undone, and no number is given twice.
    flow.add("Prefer small commits");
    let operation = |answer: &Value| answer["entries"][0]["operation"].as_u64();
    let newest = operation(&flow.json(&["history"]));
    assert!(newest > Some(200), "{newest:?}");
    flow.ours(&["undo"]).exits(0);
    assert!(!flow.text(LESSONS).contains("Prefer small commits"));
}

/// Two branches went on from one journal, and git kept the lines of both.
#[test]
fn a_journal_merged_by_union_loses_no_lesson() {
    let flow = Flow::new();
    flow.add("Tabs, not spaces");
    let names = [JOURNAL, LESSONS];
    let before = names.map(|name| flow.text(name));
    let branch = |text: &str| {
        names.iter().zip(&before).for_each(|(name, bytes)| flow.put(name, bytes));
        flow.add(text);
        names.map(|name| flow.text(name))
    };
    let one = branch("Short lines are easier to review");
    let other = branch("Benchmarks state hardware and sample size");
    for n in 0..names.len() {
        flow.put(names[n], format!("{}{}", one[n], &other[n][before[n].len()..]));
    }
    let texts = || {
        let lessons = list_of(&flow.json(&["list"]), "lessons");
        lessons.iter().map(|lesson| text_of(lesson, "text")).collect::<Vec<String>>()
    };
    assert_eq!(texts().len(), 3, "{:?}", texts());
    flow.add("Log lines never contain customer addresses");
    assert_eq!((texts().len(), flow.records(LESSONS).len()), (4, 4), "{:?}", texts());
    assert_eq!(flow.all("id"), ["m-001", "m-002", "m-002", "m-003"]);
}
