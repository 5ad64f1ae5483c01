//! Exact JSON for each answer, and the published schemas.

use std::fs;
use std::path::Path;

use hardwon_core::event::Problem;
use hardwon_core::ids::LessonId;
use hardwon_core::lesson::Lesson;
use hardwon_core::lift::Lift;
use hardwon_core::run::Outcome;
use serde_json::{Value, json};

use super::*;
use crate::answer::{
    self, Checked, History, Id, OneLesson, Policy, PolicyDiff, Regressions, RunEnded, Setting,
    Settings, Swept, Undone,
};
use crate::samples::{self, SQL, answers, run_id, story};

fn ok<T>(body: T) -> Answer<T> {
    Answer::of(body, Vec::new())
}

fn sql_lesson() -> Value {
    json!({
        "id": "l-sql0001",
        "kind": "pattern",
        "category": "security",
        "state": "provisional",
        "text": SQL,
        "rule": null,
        "detail": null,
        "applies_when": null,
        "repair": null,
        "scope": {"domain": "code", "project": "demo"},
        "tags": ["auth"],
        "paths": ["src/api.rs"],
        "severity": "warning",
        "sightings": 3,
        "standing": 3,
        "confidence": 0.65,
        "importance": 0.6,
        "grade": "cited",
        "origin": "reviewer",
        "trust": "pipeline",
        "author": "guardian",
        "effects": {
            "helped": 1, "no_help": 1, "hurt": 0,
            "contradicted": 0, "neutral": 0, "no_opportunity": 0, "expected": 0.0,
        },
        "lift": null,
        "aliases": [],
        "pinned": false,
        "detectors": ["guardian"],
        "last_seen_run": "r4",
        "review_after": null,
        "superseded_by": null,
        "created_at": "2026-04-01T14:10:00Z",
        "updated_at": "2026-04-04T14:10:00Z",
    })
}

#[test]
fn learn_names_everything() {
    let value = answer(&ok(answers::learned()));
    assert_eq!(value["status"], "ok");
    assert_eq!(value["operation"], 12);
    assert_eq!(value["runs"][0]["already_known"], true);
    assert_eq!(
        value["runs"][1],
        json!({
            "run": "r7",
            "already_known": false,
            "backfill": false,
            "findings": {"read": 4, "used": 3, "rejected": 1},
            "new": ["l-new0001"],
            "matched": ["l-sql0001"],
            "promoted": ["l-sql0001"],
            "transitions": [{
                "lesson": "l-sql0001", "from": "candidate", "to": "provisional",
                "reason": "seen in 2 root runs",
            }],
            "effects": [
                {
                    "lesson": "l-sql0001", "effect": "no_help",
                    "why": "shown, and reported again by guardian", "surface": "task_packet",
                    "follow_up": "none", "regression": false,
                },
                {
                    "lesson": "l-pref001", "effect": "neutral", "why": "nobody can miss it",
                    "surface": "task_packet", "follow_up": "none", "regression": false,
                },
            ],
            "regressions": [{
                "text": "Token compared with ==", "fixed_in": "r4", "run": "r7",
                "author": "guardian",
            }],
            "similar": [{"lesson": "l-new0001", "like": "l-sql0001", "likeness": 0.615}],
        })
    );
}

#[test]
fn problems_are_named_and_harmless() {
    let problems = vec![Problem::new("bad\u{1b}[2J.jsonl:3", "not valid JSON")];
    let value = answer(&Answer::of(Nothing {}, problems.clone()));
    let expected = json!([{"where": "bad [2J.jsonl:3", "reason": "not valid JSON"}]);
    assert_eq!(value["status"], "degraded");
    assert_eq!(value["problems"], expected);
    assert_eq!(failed(&problems), json!({"status": "failed", "problems": expected}));
}

#[test]
fn inject_has_scores_and_reasons() {
    let value = answer(&ok(answers::injected()));
    let parts = |relevance: f64| {
        json!({
            "relevance": relevance, "usefulness": 0.5, "importance": 0.6, "recency": 1.0,
            "text": relevance, "path": 0.0, "tags": 0.0, "scope": 0.0,
        })
    };
    assert_eq!(
        value,
        json!({
            "status": "ok",
            "problems": [],
            "block": "twelve chars",
            "lessons": [
                {"id": "l-sql0001", "text": SQL, "score": 0.713,
                 "means": "comes up in about 1 of 8 runs that touch src/", "parts": parts(0.8),
                 "randomised": false},
            ],
            "left_out": [
                {
                    "id": "l-low0001", "text": "Cache keys", "score": 0.21, "parts": parts(0.21),
                    "reason": "score 0.21 is below the bar of 0.25",
                },
                {
                    "id": "l-new0001", "text": "Seen once", "score": null, "parts": {},
                    "reason": "candidate: seen in one run so far",
                },
            ],
            "held_out": [],
            "tokens": 61,
            "chars": 12,
            "digest": "sha256:00",
            "run": "r3",
            "repeated": false,
            "queued": false,
        })
    );
}

#[test]
fn lessons_alone_and_in_lists() {
    let list = answer(&ok(answers::lessons()));
    assert_eq!(list["lessons"][0], sql_lesson());
    assert_eq!(list["lessons"][1]["scope"], json!({}), "a global lesson names no project");
    assert_eq!(list["lessons"][2]["pinned"], true);
    assert_eq!(list["more"], true);
    let sql = samples::lesson("l-sql0001", SQL);
    let one = |lesson: &Lesson, lift: Option<&Lift>| {
        answer(&ok(OneLesson { lesson: answer::Lesson::with_lift(lesson, lift) }))
    };
    let alone = one(&sql, None);
    assert_eq!(alone, json!({"status": "ok", "problems": [], "lesson": sql_lesson()}));
    let mut replaced = sql.clone();
    replaced.upkeep.review_after = Some(samples::at(30));
    replaced.superseded_by = Some(LessonId::given("l-new0001"));
    let replaced = one(&replaced, None);
    assert_eq!(replaced["lesson"]["review_after"], "2026-04-30T14:10:00Z");
    assert_eq!(replaced["lesson"]["superseded_by"], "l-new0001");
    let measured = one(&sql, Some(&answers::lift(0.3076)));
    let lift = json!({
        "value": 0.308, "low": 0.218, "high": 0.398, "n_shown": 180, "n_held_out": 30,
    });
    assert_eq!(measured["lesson"]["lift"], lift);
}

#[test]
fn show_and_why() {
    let (show, why) = (answer(&ok(story().page)), answer(&ok(story())));
    for (name, value) in show.as_object().unwrap() {
        assert_eq!(why[name], *value, "why says all that show says: {name}");
    }
    assert_eq!(
        show["evidence"][1],
        json!({
            "run": "r2", "author": "guardian", "severity": "warning",
            "text": "SQL of the user search is glued together from strings",
            "repair": null,
            "path": "src/api.rs", "line": 52, "grade": "cited", "state": "open",
            "likeness": 0.815,
        })
    );
    assert_eq!(
        show["injections"][0],
        json!({
            "run": "r3", "role": "reviewer", "domain": "code", "at": "2026-04-03T14:10:00Z",
            "digest": "sha256:00", "position": 2,
        })
    );
    assert_eq!(show["reviews"], json!([]));
    assert_eq!(show["history"].as_array().unwrap().len(), 5);
    assert_eq!(
        why["story"][0],
        json!({
            "at": "2026-04-01T14:10:00Z", "run": "r1",
            "text": "guardian reported it (warning, src/api.rs:41) → candidate",
        })
    );
    assert_eq!(why["effects"][0]["effect"], "helped");
    assert_eq!(why["runs"][0]["id"], "r1");
}

#[test]
fn history_has_fields_before_and_after() {
    let value = answer(&ok(History { entries: story().page.history }));
    assert_eq!(
        value["entries"][3],
        json!({
            "sequence": 20, "operation": 2, "elsewhere": false, "command": "learn", "actor": "ada",
            "at": "2026-04-02T14:10:00Z", "undoes": null, "change": "edit_lesson",
            "lesson": "l-sql0001", "because": "seen in 2 root runs",
            "fields": [
                {"name": "state", "from": "candidate", "to": "provisional"},
                {"name": "sightings", "from": 1, "to": 2},
                {"name": "standing", "from": 1, "to": 2},
            ],
        })
    );
}

#[test]
fn small_answers() {
    let envelope = |name: &str, value: Value| {
        let mut all = json!({"status": "ok", "problems": []});
        all[name] = value;
        all
    };
    let learned = answers::learned().runs.remove(1);
    let ended = RunEnded { run: Id(run_id("r7")), outcome: Outcome::Failed.into() };
    let mut expected = envelope("run", json!("r7"));
    expected["outcome"] = json!("failed");
    assert_eq!(answer(&ok(ended)), expected);

    let checked = Checked { run: Id(run_id("r7")), n_shown: 2, effects: learned.effects.clone() };
    assert_eq!(answer(&ok(checked))["effects"][1]["effect"], "neutral");

    let back = answer(&ok(Regressions { regressions: vec![answers::regression()] }));
    assert_eq!(back["regressions"][0]["fixed_in"], "r4");
    assert_eq!(answer(&ok(Regressions::default())), envelope("regressions", json!([])));

    let swept = answer(&ok(Swept { transitions: learned.transitions.clone() }));
    assert_eq!(swept["transitions"][0]["to"], "provisional");

    let lessons = vec![Id(LessonId::given("l-sql0001"))];
    let command = "learn".to_owned();
    let undone = answer(&ok(Undone { operation: 12, command, lessons }));
    let mut expected = envelope("operation", json!(12));
    expected["command"] = json!("learn");
    expected["lessons"] = json!(["l-sql0001"]);
    assert_eq!(undone, expected);

    let setting = |name: &str, value: &str| Setting {
        name: name.to_owned(),
        value: value.to_owned(),
        set_by: "default".to_owned(),
    };
    let settings = answer(&ok(Settings { settings: vec![setting("policy", "hardwon")] }));
    let expected = json!([{"name": "policy", "value": "hardwon", "set_by": "default"}]);
    assert_eq!(settings, envelope("settings", expected));
}

#[test]
fn policies() {
    let (ours, other) = (answers::policy("ours", 2), answers::policy("other", 3));
    assert_eq!(answer(&ok(Policy::from(&ours)))["policy"]["promotion"]["provisional_at"], 2);
    let diff = answer(&ok(PolicyDiff::of(&ours, &other)));
    assert_eq!((&diff["left"], &diff["right"]), (&json!("ours"), &json!("other")));
    let expected = json!([{"name": "promotion.provisional_at", "left": 2, "right": 3}]);
    assert_eq!(diff["differences"], expected);
}

#[test]
fn report_and_stats() {
    let report = answer(&ok(answers::report()));
    let stats = answer(&ok(answers::report().stats));
    for name in ["counts", "lessons", "lift"] {
        assert_eq!(report[name], stats[name]);
    }
    assert_eq!(stats["counts"]["by_state"], json!({"candidate": 5, "provisional": 4, "stable": 3}));
    assert_eq!(stats["counts"]["lessons"], 12);
    assert_eq!(stats["lessons"].as_array().unwrap().len(), 3);
    assert_eq!(stats["lift"], Value::Null);
    assert_eq!(report["proven"], json!(["l-sql0001"]));
    assert_eq!(
        report["runs"][0],
        json!({
            "run": "r7", "started": null, "finished": "2026-04-07T14:10:00Z",
            "outcome": "failed", "findings": 3, "repeats": 1, "regressions": 0,
            "shown": 4, "helped": 2,
        })
    );
}

/// The schemas in `docs/schemas` are those of the code. `HARDWON_BLESS=1` writes them.
#[test]
fn published_schemas_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    let is_blessed = std::env::var_os("HARDWON_BLESS").is_some_and(|value| value == "1");
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let file = folder.join(&name);
        if is_blessed {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &text).unwrap();
        }
        // Compared as values: the order of keys is not ours to promise.
        let published = fs::read_to_string(&file).unwrap_or_default();
        let published: Value = serde_json::from_str(&published).unwrap_or_default();
        assert_eq!(published, schema, "{name}: set HARDWON_BLESS=1 to write it");
    }
}
