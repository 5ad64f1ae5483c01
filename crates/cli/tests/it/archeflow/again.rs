//! A folder that ArcheFlow's script goes on using, imported again: what it reused, forgot,
//! wore out and counted in the meantime. The files are written as its script leaves them.

use serde_json::{Value, json};

use super::{ARCHIVE, Flow, LESSONS, OTHER, W, event, lesson, lines, with};
use crate::harness::{list_of, text_of};

const RETRY: &str = "Retry loops need an upper bound on attempts";
const COOKIE: &str = "Cookies lack the secure flag everywhere";

/// A record as the script makes it: with tags of its text.
fn made(id: &str, text: &str, more: Value) -> Value {
    let words = text.split(' ').filter(|word| word.len() >= 4).take(5);
    let tags: Vec<String> = words.map(str::to_lowercase).collect();
    with(with(lesson(id, text), json!({"tags": tags})), more)
}

fn own(flow: &Flow, args: &[&str]) -> Value {
    flow.memory.json(args)
}

/// Trusts the folder as it is and imports it.
#[track_caller]
fn import(flow: &Flow) -> Value {
    own(flow, &["trust", "."]);
    own(flow, &["import", "."])
}

/// State and text of every lesson, those that are put away too.
fn all(flow: &Flow) -> Vec<(String, String)> {
    let lessons = list_of(&own(flow, &["list", "--all"]), "lessons");
    let mut all: Vec<(String, String)> =
        lessons.iter().map(|l| (text_of(l, "text"), text_of(l, "state"))).collect();
    all.sort();
    all
}

fn numbers(flow: &Flow, id: &str) -> (Value, Value) {
    let lesson = own(flow, &["show", id])["lesson"].clone();
    (lesson["sightings"].clone(), lesson["standing"].clone())
}

/// A run whose reviewers found these, and that was over then.
fn run(flow: &Flow, name: &str, at: &str, findings: &[&str]) -> String {
    let findings: Vec<Value> =
        findings.iter().map(|text| super::finding("warning", text)).collect();
    let verdict = json!({"archetype": "guardian", "findings": findings});
    let events = [
        event(name, 1, "run.start", json!({"task": "x"})),
        event(name, 2, "review.verdict", verdict),
        event(name, 3, "run.complete", json!({"status": "completed"})),
    ];
    let path = format!("events/{name}.jsonl");
    let at = json!({"ts": at});
    flow.put(&path, lines(&events.map(|event| with(event, at.clone()))));
    format!(".archeflow/{path}")
}

fn pair(text: &str, state: &str) -> (String, String) {
    (text.to_owned(), state.to_owned())
}

#[test]
fn a_reused_id_is_another_lesson() {
    let flow = Flow::of(&[made("m-001", RETRY, json!({})), made("m-002", W, json!({}))]);
    import(&flow);
    let old = text_of(&own(&flow, &["show", "m-002"])["lesson"], "id");
    // `forget m-002`, then `add`: the script counts from the highest id that is left.
    flow.put(ARCHIVE, lines(&[made("m-002", W, json!({}))]));
    let reused = made("m-002", COOKIE, json!({"ts": "2026-03-09T09:00:00Z", "run_id": "manual"}));
    flow.put(LESSONS, lines(&[made("m-001", RETRY, json!({})), reused]));
    let imported = import(&flow);
    assert_eq!(list_of(&imported, "added").len(), 1, "{imported:#}");
    let expected = [pair(COOKIE, "provisional"), pair(RETRY, "provisional"), pair(W, "archived")];
    assert_eq!(all(&flow), expected);
    let shown = own(&flow, &["show", "m-002"])["lesson"].clone();
    assert_eq!(shown["text"], COOKIE, "the one in use has the id");
    assert_eq!(own(&flow, &["show", &old])["lesson"]["text"], W);
    for _ in 0..2 {
        let again = import(&flow);
        assert_eq!((&again["known"], &again["status"]), (&json!(3), &json!("ok")), "{again:#}");
        assert_eq!(all(&flow), expected);
    }
}

/// The same in the folder itself: history and sightings stay with the lesson that had them.
#[test]
fn a_reused_id_is_another_lesson_in_the_folder_too() {
    let flow = Flow::of(&[made("m-001", RETRY, json!({})), made("m-002", W, json!({}))]);
    flow.ours(&["pin", "m-002"]).exits(0);
    let old = text_of(&flow.json(&["show", "m-002"])["lesson"], "id");
    flow.put(ARCHIVE, lines(&[made("m-002", W, json!({}))]));
    let reused = made("m-002", COOKIE, json!({"ts": "2026-03-09T09:00:00Z"}));
    flow.put(LESSONS, lines(&[made("m-001", RETRY, json!({})), reused]));
    let shown = flow.json(&["show", "m-002"])["lesson"].clone();
    assert_eq!((&shown["text"], &shown["pinned"]), (&json!(COOKIE), &json!(false)), "{shown:#}");
    let shown = flow.json(&["show", &old])["lesson"].clone();
    assert_eq!((&shown["text"], &shown["state"]), (&json!(W), &json!("archived")));
}

#[test]
fn what_they_forgot_is_put_away_with_the_reason() {
    let flow = Flow::of(&[made("m-001", RETRY, json!({})), made("m-002", W, json!({}))]);
    import(&flow);
    flow.put(LESSONS, lines(&[made("m-001", RETRY, json!({}))]));
    flow.put(ARCHIVE, lines(&[made("m-002", W, json!({}))]));
    assert_eq!(list_of(&import(&flow), "put_away").len(), 1);
    assert_eq!(all(&flow), [pair(RETRY, "provisional"), pair(W, "archived")]);
    let why = flow.memory.run(&["why", "m-002"]).exits(0);
    assert!(why.stdout.contains("forgotten in archeflow"), "{why}");
    // Removed without a trace: the same.
    flow.put(LESSONS, lines(&[made("m-003", OTHER, json!({}))]));
    import(&flow);
    let expected = [pair(RETRY, "archived"), pair(W, "archived"), pair(OTHER, "provisional")];
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(all(&flow), expected);
    // And what they take up again comes back.
    flow.put(LESSONS, lines(&[made("m-003", OTHER, json!({})), made("m-001", RETRY, json!({}))]));
    import(&flow);
    assert!(all(&flow).contains(&pair(RETRY, "provisional")), "{:?}", all(&flow));
}

#[test]
fn a_file_that_cannot_be_read_whole_puts_nothing_away() {
    let flow = Flow::of(&[made("m-001", RETRY, json!({})), made("m-002", W, json!({}))]);
    import(&flow);
    let before = all(&flow);
    flow.put(LESSONS, lines(&[made("m-001", RETRY, json!({}))]) + "<<<<<<< HEAD\n");
    import(&flow);
    assert_eq!(all(&flow), before);
    flow.put(LESSONS, "");
    import(&flow);
    assert_eq!(all(&flow), before, "an empty file decides nothing");
}

#[test]
fn what_wore_out_there_wears_out_here() {
    let five = made("m-001", W, json!({"frequency": 5}));
    let flow = Flow::of(&[five, made("m-002", RETRY, json!({"frequency": 1}))]);
    import(&flow);
    let worn = json!({"frequency": 3, "runs_since_last_seen": 4});
    flow.put(LESSONS, lines(&[made("m-001", W, worn)]));
    flow.put(ARCHIVE, lines(&[made("m-002", RETRY, json!({"frequency": 0}))]));
    import(&flow);
    assert_eq!(numbers(&flow, "m-001"), (json!(5), json!(3)), "sightings never fall");
    assert!(all(&flow).contains(&pair(RETRY, "decayed")), "{:?}", all(&flow));
    let why = flow.memory.run(&["why", "m-002"]).exits(0);
    assert!(why.stdout.contains("decayed in archeflow"), "{why}");
    assert_eq!(import(&flow)["known"], 2, "the same again changes nothing");
}

#[test]
fn what_a_person_decided_here_stays() {
    let three = [("m-001", W), ("m-002", RETRY), ("m-003", COOKIE), ("m-004", OTHER)];
    let records = three.map(|(id, text)| made(id, text, json!({})));
    let flow = Flow::of(&records);
    import(&flow);
    flow.memory.run(&["pin", "m-001"]).exits(0);
    flow.memory.run(&["edit", "m-002", "--text", "Retries end after five attempts"]).exits(0);
    flow.memory.run(&["forget", "m-004"]).exits(0);
    // All but one are forgotten there; that one was seen again.
    flow.put(ARCHIVE, lines(&records[..3]));
    let seen = json!({"frequency": 3, "ts": "2026-03-20T09:00:00Z"});
    flow.put(LESSONS, lines(&[made("m-004", OTHER, seen)]));
    let imported = import(&flow);
    assert_eq!(list_of(&imported, "kept").len(), 2, "{imported:#}");
    let mut expected = vec![
        pair(W, "provisional"),
        pair("Retries end after five attempts", "provisional"),
        pair(COOKIE, "archived"),
        pair(OTHER, "archived"),
    ];
    expected.sort();
    assert_eq!(all(&flow), expected);
    // Brought back here, it stays although the folder still has it in its archive.
    flow.memory.run(&["restore", "m-003"]).exits(0);
    import(&flow);
    assert!(!all(&flow).contains(&pair(COOKIE, "archived")), "{:?}", all(&flow));
}

#[test]
fn runs_that_they_had_counted_are_not_counted_again() {
    let at = |day: u32| format!("2026-03-{day:02}T10:00:00Z");
    // Seen in three runs, the record written after the third.
    let seen = json!({"frequency": 3, "ts": "2026-03-03T10:05:00Z", "last_seen_run": "r3"});
    let flow = Flow::of(&[made("m-001", W, seen)]);
    let logs: Vec<String> = (1..=3).map(|n| run(&flow, &format!("r{n}"), &at(n), &[W])).collect();
    import(&flow);
    for log in &logs {
        own(&flow, &["learn", log]);
    }
    assert_eq!(numbers(&flow, "m-001"), (json!(3), json!(3)));
    let evidence = list_of(&own(&flow, &["show", "m-001"]), "evidence").len();
    assert_eq!(evidence, 3, "they are its evidence all the same");
    let log = run(&flow, "r4", &at(4), &[W]);
    own(&flow, &["learn", &log]);
    assert_eq!(numbers(&flow, "m-001"), (json!(4), json!(4)), "a later one counts");
    // They extract the same run, and the folder is imported again.
    let seen = json!({"frequency": 4, "ts": "2026-03-04T10:05:00Z", "last_seen_run": "r4"});
    flow.put(LESSONS, lines(&[made("m-001", W, seen)]));
    import(&flow);
    assert_eq!(numbers(&flow, "m-001"), (json!(4), json!(4)), "once for both");
}

#[test]
fn an_inherited_counter_goes_on_counting() {
    let worn = json!({"frequency": 3, "runs_since_last_seen": 9, "ts": "2026-03-03T10:05:00Z"});
    for policy in ["archeflow", "hardwon"] {
        let flow = Flow::of(&[made("m-001", W, worn.clone())]);
        own(&flow, &["trust", "."]);
        let by = |args: &[&str]| own(&flow, &[args, &["--policy", policy]].concat());
        by(&["import", "."]);
        // A run that their counter has in it already, …
        let old = run(&flow, "r1", "2026-03-10T10:00:00Z", &[OTHER]);
        by(&["learn", &old]);
        assert_eq!(numbers(&flow, "m-001"), (json!(3), json!(3)), "{policy}");
        // … and the tenth without it, which is over after the import.
        let log = run(&flow, "r2", "2026-04-03T14:00:01Z", &[OTHER]);
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
    import(&flow);
    let scope = |id: &str| own(&flow, &["show", id])["lesson"]["scope"]["domain"].clone();
    assert_eq!((scope("m-001"), scope("m-002")), (json!("code"), json!("writing")));
    assert_eq!(own(&flow, &["show", "m-001"])["lesson"]["category"], "security");
    let block = text_of(&own(&flow, &["inject", "--domain", "code"]), "block");
    assert!(block.contains(W) && !block.contains(RETRY), "{block}");
}

/// The same words stand in the archive and among the lessons: a sighting is one of the latter.
#[test]
fn a_sighting_does_not_revive_what_has_a_twin_in_use() {
    let wish = json!({"type": "preference", "source": "user_feedback", "frequency": 1});
    let flow = Flow::of(&[made("m-002", W, json!({"frequency": 2}))]);
    flow.put(ARCHIVE, lines(&[made("m-001", W, wish)]));
    import(&flow);
    let log = run(&flow, "r9", "2026-04-02T10:00:00Z", &[W]);
    own(&flow, &["learn", &log]);
    assert_eq!(all(&flow), [pair(W, "archived"), pair(W, "provisional")]);
    assert_eq!(numbers(&flow, "m-002"), (json!(3), json!(3)));
}
