//! A folder that ArcheFlow's script goes on using, imported again: what it reused, forgot,
//! wore out and counted in the meantime. The files are written as its script leaves them.

use serde_json::{Value, json};

use super::{ARCHIVE, Flow, LESSONS, OTHER, W, lesson, lines, with};
use crate::harness::{list_of, text_of};

const RETRY: &str = "Retry loops need an upper bound on attempts";
const COOKIE: &str = "Cookies lack the secure flag everywhere";

/// A record as the script makes it: with tags of its text.
fn made(id: &str, text: &str, more: Value) -> Value {
    let words = text.split(' ').filter(|word| word.len() >= 4).take(5);
    let tags: Vec<String> = words.map(str::to_lowercase).collect();
    with(with(lesson(id, text), json!({"tags": tags})), more)
}

/// State and text of every lesson, those that are put away too.
fn all(flow: &Flow) -> Vec<(String, String)> {
    let lessons = list_of(&flow.own(&["list", "--all"]), "lessons");
    let mut all: Vec<(String, String)> =
        lessons.iter().map(|l| (text_of(l, "text"), text_of(l, "state"))).collect();
    all.sort();
    all
}

fn numbers(flow: &Flow, id: &str) -> (Value, Value) {
    let lesson = flow.own(&["show", id])["lesson"].clone();
    (lesson["sightings"].clone(), lesson["standing"].clone())
}

/// A run whose reviewers found these, and that was over then.
fn run(flow: &Flow, name: &str, at: &str, text: &str) -> String {
    let log = super::bare_log(name, "guardian", &[super::finding("warning", text)]);
    let path = format!("events/{name}.jsonl");
    flow.put(&path, log.replace("2026-04-01T10:00:00Z", at));
    format!(".archeflow/{path}")
}

fn pair(text: &str, state: &str) -> (String, String) {
    (text.to_owned(), state.to_owned())
}

#[track_caller]
fn is_all(flow: &Flow, expected: &[(&str, &str)]) {
    let mut expected: Vec<_> = expected.iter().map(|(text, state)| pair(text, state)).collect();
    expected.sort();
    assert_eq!(all(flow), expected);
}

#[test]
fn a_reused_id_is_another_lesson() {
    let flow = Flow::of(&[made("m-001", RETRY, json!({})), made("m-002", W, json!({}))]);
    flow.import();
    let old = text_of(&flow.own(&["show", "m-002"])["lesson"], "id");
    // `forget m-002`, then `add`: the script counts from the highest id that is left.
    flow.put(ARCHIVE, lines(&[made("m-002", W, json!({}))]));
    let reused = made("m-002", COOKIE, json!({"ts": "2026-03-09T09:00:00Z", "run_id": "manual"}));
    flow.put(LESSONS, lines(&[made("m-001", RETRY, json!({})), reused]));
    let imported = flow.import();
    assert_eq!(list_of(&imported, "added").len(), 1, "{imported:#}");
    let expected = [(COOKIE, "provisional"), (RETRY, "provisional"), (W, "archived")];
    is_all(&flow, &expected);
    let shown = flow.own(&["show", "m-002"])["lesson"].clone();
    assert_eq!(shown["text"], COOKIE, "the one in use has the id");
    assert_eq!(flow.own(&["show", &old])["lesson"]["text"], W);
    for _ in 0..2 {
        let again = flow.import();
        assert_eq!((&again["known"], &again["status"]), (&json!(3), &json!("ok")), "{again:#}");
        is_all(&flow, &expected);
    }
}

#[test]
fn what_they_forgot_is_put_away_with_the_reason() {
    let flow = Flow::of(&[made("m-001", RETRY, json!({})), made("m-002", W, json!({}))]);
    flow.import();
    flow.put(LESSONS, lines(&[made("m-001", RETRY, json!({}))]));
    flow.put(ARCHIVE, lines(&[made("m-002", W, json!({}))]));
    assert_eq!(list_of(&flow.import(), "put_away").len(), 1);
    is_all(&flow, &[(RETRY, "provisional"), (W, "archived")]);
    let why = flow.memory.run(&["why", "m-002"]).exits(0);
    assert!(why.stdout.contains("forgotten in archeflow"), "{why}");
    // Removed without a trace: the same.
    flow.put(LESSONS, lines(&[made("m-003", OTHER, json!({}))]));
    flow.import();
    is_all(&flow, &[(RETRY, "archived"), (W, "archived"), (OTHER, "provisional")]);
    // And what they take up again comes back.
    flow.put(LESSONS, lines(&[made("m-003", OTHER, json!({})), made("m-001", RETRY, json!({}))]));
    flow.import();
    assert!(all(&flow).contains(&pair(RETRY, "provisional")), "{:?}", all(&flow));
}

#[test]
fn a_file_that_cannot_be_read_whole_puts_nothing_away() {
    let flow = Flow::of(&[made("m-001", RETRY, json!({})), made("m-002", W, json!({}))]);
    flow.import();
    let before = all(&flow);
    flow.put(LESSONS, lines(&[made("m-001", RETRY, json!({}))]) + "<<<<<<< HEAD\n");
    flow.import();
    assert_eq!(all(&flow), before);
    flow.put(LESSONS, "");
    flow.import();
    assert_eq!(all(&flow), before, "an empty file decides nothing");
}

#[test]
fn what_wore_out_there_wears_out_here() {
    let five = made("m-001", W, json!({"frequency": 5}));
    let flow = Flow::of(&[five, made("m-002", RETRY, json!({"frequency": 1}))]);
    flow.import();
    let worn = json!({"frequency": 3, "runs_since_last_seen": 4});
    flow.put(LESSONS, lines(&[made("m-001", W, worn)]));
    flow.put(ARCHIVE, lines(&[made("m-002", RETRY, json!({"frequency": 0}))]));
    flow.import();
    assert_eq!(numbers(&flow, "m-001"), (json!(5), json!(3)), "sightings never fall");
    assert!(all(&flow).contains(&pair(RETRY, "decayed")), "{:?}", all(&flow));
    let why = flow.memory.run(&["why", "m-002"]).exits(0);
    assert!(why.stdout.contains("decayed in archeflow"), "{why}");
    assert_eq!(flow.import()["known"], 2, "the same again changes nothing");
}

#[test]
fn what_a_person_decided_here_stays() {
    let three = [("m-001", W), ("m-002", RETRY), ("m-003", COOKIE), ("m-004", OTHER)];
    let records = three.map(|(id, text)| made(id, text, json!({})));
    let flow = Flow::of(&records);
    flow.import();
    flow.memory.run(&["pin", "m-001"]).exits(0);
    flow.memory.run(&["edit", "m-002", "--text", "Retries end after five attempts"]).exits(0);
    flow.memory.run(&["forget", "m-004"]).exits(0);
    // All but one are forgotten there; that one was seen again.
    flow.put(ARCHIVE, lines(&records[..3]));
    let seen = json!({"frequency": 3, "ts": "2026-03-20T09:00:00Z"});
    flow.put(LESSONS, lines(&[made("m-004", OTHER, seen)]));
    let imported = flow.import();
    assert_eq!(list_of(&imported, "kept").len(), 2, "{imported:#}");
    let reworded = ("Retries end after five attempts", "provisional");
    let (w, cookie, other) = ((W, "provisional"), (COOKIE, "archived"), (OTHER, "archived"));
    is_all(&flow, &[w, reworded, cookie, other]);
    // Brought back here, it stays although the folder still has it in its archive.
    flow.memory.run(&["restore", "m-003"]).exits(0);
    flow.import();
    assert!(!all(&flow).contains(&pair(COOKIE, "archived")), "{:?}", all(&flow));
}

#[test]
fn runs_that_they_had_counted_are_not_counted_again() {
    let at = |day: u32| format!("2026-03-{day:02}T10:00:00Z");
    // Seen in three runs, the record written after the third.
    let seen = json!({"frequency": 3, "ts": "2026-03-03T10:05:00Z", "last_seen_run": "r3"});
    let flow = Flow::of(&[made("m-001", W, seen)]);
    let logs: Vec<String> = (1..=3).map(|n| run(&flow, &format!("r{n}"), &at(n), W)).collect();
    flow.import();
    for log in &logs {
        flow.own(&["learn", log]);
    }
    assert_eq!(numbers(&flow, "m-001"), (json!(3), json!(3)));
    let evidence = list_of(&flow.own(&["show", "m-001"]), "evidence").len();
    assert_eq!(evidence, 3, "they are its evidence all the same");
    let log = run(&flow, "r4", &at(4), W);
    flow.own(&["learn", &log]);
    assert_eq!(numbers(&flow, "m-001"), (json!(4), json!(4)), "a later one counts");
    // They extract the same run, and the folder is imported again.
    let seen = json!({"frequency": 4, "ts": "2026-03-04T10:05:00Z", "last_seen_run": "r4"});
    flow.put(LESSONS, lines(&[made("m-001", W, seen)]));
    flow.import();
    assert_eq!(numbers(&flow, "m-001"), (json!(4), json!(4)), "once for both");
}

#[test]
fn an_inherited_counter_goes_on_counting() {
    let worn = json!({"frequency": 3, "runs_since_last_seen": 9, "ts": "2026-03-03T10:05:00Z"});
    for policy in ["archeflow", "hardwon"] {
        let flow = Flow::of(&[made("m-001", W, worn.clone())]);
        flow.own(&["trust", "."]);
        let by = |args: &[&str]| flow.own(&[args, &["--policy", policy]].concat());
        by(&["import", "."]);
        // A run that their counter has in it already, …
        let old = run(&flow, "r1", "2026-03-10T10:00:00Z", OTHER);
        by(&["learn", &old]);
        assert_eq!(numbers(&flow, "m-001"), (json!(3), json!(3)), "{policy}");
        // … and the tenth without it, which is over after the import.
        let log = run(&flow, "r2", "2026-04-03T14:00:01Z", OTHER);
        by(&["learn", &log]);
        assert_eq!(numbers(&flow, "m-001"), (json!(3), json!(2)), "{policy}");
    }
}

/// The script files a lesson under the category of its finding, so `inject code` does not find it.
#[test]
fn an_imported_lesson_has_the_domain_that_its_run_asked_for() {
    let security = made("m-001", W, json!({"domain": "security"}));
    let writing = made("m-002", RETRY, json!({"domain": "writing"}));
    let flow = Flow::of(&[security, writing]);
    let shown = |run: &str, domain: &str| {
        json!({"ts": "2026-03-01T08:00:00Z", "run_id": run, "domain": domain, "archetype": "",
               "lessons_injected": ["m-001"], "lesson_count": 1})
    };
    flow.put(super::AUDIT, lines(&[shown("run-a", "code"), shown("run-b", "writing")]));
    flow.import();
    let scope = |id: &str| flow.own(&["show", id])["lesson"]["scope"]["domain"].clone();
    assert_eq!((scope("m-001"), scope("m-002")), (json!("code"), json!("writing")));
    assert_eq!(flow.own(&["show", "m-001"])["lesson"]["category"], "security");
    let block = text_of(&flow.own(&["inject", "--domain", "code"]), "block");
    assert!(block.contains(W) && !block.contains(RETRY), "{block}");
}

/// The same words stand in the archive and among the lessons: a sighting is one of the latter.
#[test]
fn a_sighting_does_not_revive_what_has_a_twin_in_use() {
    let wish = json!({"type": "preference", "source": "user_feedback", "frequency": 1});
    let flow = Flow::of(&[made("m-002", W, json!({"frequency": 2}))]);
    flow.put(ARCHIVE, lines(&[made("m-001", W, wish)]));
    flow.import();
    let log = run(&flow, "r9", "2026-04-02T10:00:00Z", W);
    flow.own(&["learn", &log]);
    is_all(&flow, &[(W, "archived"), (W, "provisional")]);
    assert_eq!(numbers(&flow, "m-002"), (json!(3), json!(3)));
}
