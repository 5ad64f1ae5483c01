//! Our own commands on ArcheFlow's folder: each of them works on records that others
//! wrote, and what they write others can read.

use serde_json::{Value, json};

use super::{
    ARCHIVE, AUDIT, Flow, JOURNAL, LESSONS, OTHER, W, W_AGAIN, finding, lesson, lines, with,
};
use crate::harness::{NOW, Ran, each, list_of, text_of};

/// Records that others wrote: confirmed, once seen, and a preference.
fn three() -> Vec<Value> {
    let preference = json!({"type": "preference", "source": "user_feedback", "frequency": 1});
    vec![
        lesson("m-001", W),
        with(lesson("m-002", OTHER), json!({"frequency": 1, "mood": "calm"})),
        with(lesson("m-003", "Bundle related changes into one pull request"), preference),
    ]
}

fn ids(answer: &Value) -> Vec<String> {
    let of = |lesson: &Value| text_of(&json!({"id": lesson["aliases"][0]}), "id");
    let mut ids: Vec<String> = list_of(answer, "lessons").iter().map(of).collect();
    ids.sort();
    ids
}

#[test]
fn every_command_that_reads_works_and_makes_no_file() {
    // Arguments, part of the answer.
    let cases: &[(&[&str], &str)] = &[
        (&["list"], "m-002"),
        (&["show", "m-001"], W),
        (&["why", "m-001"], W),
        (&["history"], "entries"),
        (&["history", "m-001"], "entries"),
        (&["search", "search query"], W),
        (&["stats"], "counts"),
        (&["report"], "lessons"),
        (&["inject"], W),
        (&["inject", "--domain", "code", "--role", "guardian"], W),
    ];
    each(cases, |(args, part)| {
        let flow = Flow::of(&three());
        let before = flow.everything();
        let ran = flow.ours(&[*args, &["--json"]].concat()).exits(0);
        assert!(ran.stdout.contains(part), "{part}\n{ran}");
        assert_eq!(ran.json()["status"], "ok", "{ran}");
        let ran = flow.ours(args).exits(0);
        assert!(!ran.stdout.is_empty(), "{ran}");
        assert_eq!(flow.everything(), before, "a read made or changed a file\n{ran}");
        assert!(!flow.memory.home().exists(), "a read made a home");
    });
}

#[test]
fn an_empty_folder_reads_as_empty_and_stays_empty() {
    for args in [&["list"][..], &["stats"], &["inject"], &["report"], &["history"]] {
        let flow = Flow::new();
        flow.ours(&[args, &["--json"]].concat()).exits(0);
        assert!(flow.everything().is_empty(), "{args:?}: {:?}", flow.everything().keys());
    }
}

#[test]
fn a_folder_has_several_names() {
    let flow = Flow::of(&three());
    let all = ids(&flow.json(&["list"]));
    assert_eq!(all, ["m-001", "m-002", "m-003"]);
    let work = flow.memory.work();
    let work = work.to_str().expect("text");
    for name in [".archeflow", "./.archeflow", ".", "./", work, &format!("{work}/.archeflow")] {
        let store = format!("archeflow:{name}");
        let answer = flow.memory.json(&["--store", &store, "list"]);
        assert_eq!(ids(&answer), all, "{store}");
        let mut command = flow.memory.command(&["list", "--json"]);
        let output = command.env("HARDWON_STORE", &store).output().expect("it starts");
        assert_eq!(ids(&Ran::of(&["list"], output).exits(0).json()), all, "{store}");
    }
    // A write under one name is read under the other.
    flow.memory.run(&["--store", "archeflow:.archeflow", "add", "Short lines"]).exits(0);
    assert_eq!(flow.record("m-004")["description"], "Short lines");
    assert_eq!(ids(&flow.json(&["list"])).len(), 4);
}

#[test]
fn add_appends_a_record_that_others_can_read() {
    let flow = Flow::of(&three());
    let before = flow.text(LESSONS);
    let text = "Error messages name the file and the next step";
    let answer = flow.json(&["add", text, "--tag", "errors", "--domain", "code"]);
    assert_eq!(answer["lesson"]["aliases"], json!(["m-004"]), "{answer:#}");
    let line = format!(
        "{{\"id\":\"m-004\",\"ts\":\"{NOW}\",\"run_id\":\"manual\",\"type\":\"preference\",\
         \"source\":\"user_feedback\",\"description\":\"{text}\",\"frequency\":1,\
         \"severity\":\"info\",\"domain\":\"code\",\"tags\":[\"errors\"],\"archetype\":null,\
         \"last_seen_run\":\"\",\"runs_since_last_seen\":0}}\n"
    );
    assert_eq!(flow.text(LESSONS), before + &line);
    let ran = flow.inject();
    assert!(ran.stdout.contains(text), "{ran}");
}

#[test]
fn learn_raises_what_is_there_and_adds_what_is_new() {
    let flow = Flow::of(&three());
    let path = flow.log("r1", &[finding("warning", W_AGAIN), finding("bug", "Sessions stay open")]);
    let answer = flow.json(&["learn", &path]);
    assert_eq!(answer["runs"][0]["run"], "r1", "{answer:#}");
    let record = flow.record("m-001");
    assert_eq!((&record["frequency"], &record["last_seen_run"]), (&json!(3), &json!("r1")));
    assert_eq!(flow.record("m-004")["description"], "Sessions stay open");
    // The same record in our own format is a run like any other.
    let own = crate::harness::run_line("r2") + &crate::harness::warning(OTHER);
    flow.memory.write("own.jsonl", own);
    flow.ours(&["learn", "own.jsonl"]).exits(0);
    assert_eq!(flow.record("m-002")["frequency"], 2);
    let again = flow.bytes(LESSONS);
    flow.ours(&["learn", &path, "own.jsonl"]).exits(0);
    assert_eq!(flow.bytes(LESSONS), again, "the same records twice");
}

#[test]
fn the_loop_of_a_run_works() {
    let flow = Flow::of(&three());
    let block = text_of(&flow.json(&["inject", "--run", "r1", "--domain", "code"]), "block");
    assert!(block.contains(W), "{block}");
    let audit = flow.records(AUDIT);
    assert_eq!((&audit[0]["run_id"], audit.len()), (&json!("r1"), 1), "{audit:#?}");
    assert_eq!(audit[0]["lessons_injected"], json!(["m-001", "m-003"]));
    let again = text_of(&flow.json(&["inject", "--run", "r1", "--domain", "code"]), "block");
    assert_eq!((again, flow.records(AUDIT)), (block, audit), "the same injection twice");
    let path = flow.log("r1", &[finding("warning", W)]);
    flow.ours(&["learn", &path]).exits(0);
    flow.ours(&["outcome", "r1", "failed", "--correct"]).exits(0);
    let check = flow.json(&["check", "r1"]);
    assert_eq!(list_of(&check, "effects").len(), 2, "{check:#}");
    let ran = flow.ours(&["regressions", "r1", "--json"]).exits(0);
    assert_eq!(ran.json()["status"], "empty", "{ran}");
    flow.ours(&["decay", "--json"]).exits(0);
    flow.ours(&["report", "--json"]).exits(0);
}

#[test]
fn forget_archives_and_restore_brings_back_the_same_record() {
    let flow = Flow::of(&three());
    let (first, second, third) = (&three()[0], &three()[1], &three()[2]);
    flow.ours(&["forget", "m-002"]).exits(0);
    assert_eq!(flow.records(LESSONS), [first.clone(), third.clone()]);
    assert_eq!(flow.text(ARCHIVE), format!("{second}\n"));
    flow.ours(&["restore", "m-002"]).exits(0);
    let back = flow.record("m-002");
    assert_eq!(with(back.clone(), json!({"ts": second["ts"]})), *second, "{back:#}");
    let lines = super::lines(&[first.clone(), third.clone()]);
    assert!(flow.text(LESSONS).starts_with(&lines), "other lines were touched");
    let block = text_of(&flow.json(&["inject"]), "block");
    assert!(!block.contains(OTHER), "seen once: {block}");
    let again = flow.ours(&["restore", "m-002"]);
    assert_ne!(again.status, Some(0), "it is there already\n{again}");
}

/// One command is one operation, also if its id stands twice.
#[test]
fn undo_of_a_forget_brings_every_record_back() {
    for all in [three(), vec![lesson("m-001", W), lesson("m-001", OTHER)]] {
        let flow = Flow::of(&all);
        let before = ids(&flow.json(&["list"]));
        flow.forget("m-001");
        assert!(!flow.all("id").contains(&json!("m-001")));
        flow.ours(&["undo"]).exits(0);
        let with_time = |record: &Value| with(record.clone(), json!({"ts": all[0]["ts"]}));
        let found: Vec<Value> = flow.records(LESSONS).iter().map(with_time).collect();
        assert!(found.len() == all.len() && all.iter().all(|r| found.contains(r)), "{found:#?}");
        assert_eq!(ids(&flow.json(&["list"])), before);
    }
}

#[test]
fn undo_of_an_extract_undoes_all_of_it() {
    let flow = Flow::of(&three());
    flow.extract("r1", &[finding("bug", W), finding("bug", "Leaks")]);
    assert_eq!(flow.records(LESSONS).len(), 4);
    flow.ours(&["undo"]).exits(0);
    assert_eq!(flow.records(LESSONS), three());
}

#[test]
fn edit_changes_one_record() {
    let flow = Flow::of(&three());
    let new = "Upload handler must check the size limit";
    flow.ours(&["edit", "m-002", "--text", new]).exits(0);
    let mut wanted = three();
    // No tag was named: none is written.
    wanted[1] = with(wanted[1].clone(), json!({"description": new, "ts": NOW}));
    let mut found = flow.records(LESSONS);
    found[1]["ts"] = json!(NOW);
    assert_eq!(found, wanted);
    flow.ours(&["edit", "m-002", "--tag", "upload", "--role", "maker"]).exits(0);
    let record = flow.record("m-002");
    assert_eq!((&record["tags"], &record["archetype"]), (&json!(["upload"]), &json!("maker")));
}

/// ArcheFlow has no place for a pin: it stands in our journal, and is remembered.
#[test]
fn pin_touches_no_record_and_is_remembered() {
    let flow = Flow::of(&three());
    flow.ours(&["pin", "m-002"]).exits(0);
    let shown = flow.json(&["show", "m-002"]);
    assert_eq!(shown["lesson"]["pinned"], true, "{shown:#}");
    let mut after = flow.records(LESSONS);
    after[1]["ts"] = three()[1]["ts"].clone();
    assert_eq!(after, three());
    assert!(flow.path(JOURNAL).exists());
    let story = flow.json(&["history"]);
    assert!(list_of(&story, "entries").len() >= 2, "{story:#}");
}

/// What others do between two calls of ours is seen by the next.
#[test]
fn what_others_do_is_taken_over() {
    let flow = Flow::of(&three());
    flow.ours(&["pin", "m-001"]).exits(0);
    let [first, second, third] = three().try_into().expect("three records");
    let first = with(first, json!({"frequency": 3, "last_seen_run": "r1"}));
    let third = with(third, json!({"runs_since_last_seen": 1}));
    let fourth = with(lesson("m-004", "Leaks"), json!({"frequency": 1, "run_id": "r1"}));
    flow.put(LESSONS, lines(&[first, third, fourth]));
    flow.put(super::ARCHIVE, lines(&[second]));
    let lessons = list_of(&flow.json(&["list", "--all"]), "lessons");
    let named = |id: &str| {
        let is_it = |lesson: &&Value| lesson["aliases"][0] == id && lesson["state"] != "archived";
        lessons.iter().find(is_it).cloned()
    };
    let first = named("m-001").expect("it is there");
    assert_eq!((&first["pinned"], &first["sightings"]), (&json!(true), &json!(3)), "{first:#}");
    assert!(named("m-002").is_none(), "{lessons:#?}");
    assert_eq!(named("m-004").expect("it is there")["text"], "Leaks");
    let story = flow.ours(&["why", "m-001"]).exits(0);
    assert!(story.stdout.contains(W), "{story}");
    // Removed by hand, from both files: put away, not lost.
    flow.put(
        LESSONS,
        flow.text(LESSONS).lines().skip(1).map(|l| format!("{l}\n")).collect::<String>(),
    );
    let answer = flow.json(&["list"]);
    assert!(!ids(&answer).contains(&"m-001".to_owned()), "{answer:#}");
    flow.ours(&["restore", "m-001"]).exits(0);
    assert_eq!(flow.record("m-001")["description"], W);
}
