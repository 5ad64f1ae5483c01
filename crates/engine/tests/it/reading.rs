//! What a model reads out of a session: what is taken, what waits, and what later sessions show of it.

use std::path::Path;

use hardwon_core::reading::Reading;
use hardwon_core::session::Digest;
use hardwon_engine::answer::{AdviceTaken, Answer};
use hardwon_engine::effect::EffectKind;
use hardwon_engine::ids::{LessonId, RunId};
use hardwon_engine::lesson::{Kind, Lesson, State};
use hardwon_engine::runs::{FromModel, take_reading};
use hardwon_engine::waiting;
use hardwon_engine::{Environment, OpenMemory, lessons};
use serde_json::{Value, json};

use crate::ended::ran;
use crate::harness::{Pipeline, turn};

const MISSING: &str = "npm error Missing script: \"test\"";

pub fn typed(text: &str) -> String {
    turn("user", json!(text), json!({}))
}

/// [1] typed, [2] failed, [3] worked.
fn session() -> String {
    typed("Always use bun in this project")
        + &ran(1, "npm test", MISSING, true)
        + &ran(2, "bun test", "9 pass", false)
}

fn trap(text: &str) -> Value {
    json!({"kind": "trap", "text": text, "failed": {"entry": 2, "line": MISSING},
           "works": {"entry": 3}, "quotes": [{"entry": 2, "text": "Missing script"}], "importance": 0.8})
}

pub fn learned(p: &mut Pipeline, id: &str, turns: &str) -> (RunId, Digest) {
    p.keep(id, turns).body.digests.remove(0)
}

pub fn read(
    p: &mut Pipeline,
    (run, digest): &(RunId, Digest),
    answer: Value,
) -> Answer<AdviceTaken> {
    let reading: Reading = serde_json::from_value(answer).unwrap();
    let known = p.lessons();
    let from = FromModel { reading: &reading, digest, known: &known, rules: &[] };
    let open: &mut OpenMemory = p;
    take_reading(&mut open.memory, &open.call, run, "scripted", &from).unwrap()
}

const TEXT: &str = "Run `bun test`, not `npm test`: there is no such script";

fn of_id(p: &Pipeline, id: &LessonId) -> Lesson {
    p.lessons().into_iter().find(|lesson| lesson.id == *id).unwrap()
}

/// A session of which a model said what was paid for in it.
fn warned(mut p: Pipeline) -> Pipeline {
    let session = learned(&mut p, "a", &session());
    read(&mut p, &session, json!({"lessons": [trap(TEXT)]}));
    p
}

#[test]
fn what_was_seen_to_fail_and_to_work_is_shown_after_one_session() {
    for p in Pipeline::on_both() {
        let mut p = warned(p);
        let lesson = p.lesson_saying(TEXT);
        assert_eq!((lesson.state, lesson.kind), (State::Provisional, Kind::AntiPattern));
        let page = lessons::show(&p.memory, &p.call, lesson.id.as_str()).unwrap();
        let quoted = page.body.page.evidence.into_iter().find_map(|finding| finding.quote);
        assert_eq!(quoted.as_deref(), Some("[2] Missing script"));
        assert!(p.inject("claude-b").block.contains(TEXT));
        p.assert_sound();
    }
}

/// It was learned after a newer one, so it has no number.
#[test]
fn a_session_that_came_late_is_read_like_any_other() {
    let mut p = Pipeline::on_memory();
    let late = session().replace("SESSION\"", "SESSION\",\"timestamp\":\"2020-01-01T00:00:00Z\"");
    p.keep("b", &typed("go on"));
    let session = learned(&mut p, "a", &session());
    p.later(-400);
    let older = learned(&mut p, "c", &late);
    p.later(400);
    for session in [&older, &session] {
        read(&mut p, session, json!({"summary": "it went well", "lessons": []}));
    }
    p.assert_sound();
}

#[test]
fn the_same_failure_is_recognized_however_it_ends() {
    let mut p = warned(Pipeline::on_memory());
    p.keep("x", &session());
    assert!(p.lesson_saying(TEXT).guidance.repair.is_none(), "it has its repair in it");
    p.inject("claude-b");
    let answer = p.keep("b", &ran(1, "npm test -- --watch | tail -3", MISSING, false));
    let effects = &answer.body.runs[0].effects;
    let kinds: Vec<EffectKind> = effects.iter().map(|effect| effect.kind.0).collect();
    assert!(kinds.contains(&EffectKind::NoHelp), "{kinds:?}");
    let mut p = warned(Pipeline::on_memory());
    p.inject("claude-b");
    let answer = p.keep("b", &ran(1, "npm run build", "npm error Missing script: \"build\"", true));
    assert!(answer.body.runs[0].effects.iter().all(|effect| effect.kind.0 != EffectKind::NoHelp));
}

#[test]
fn another_session_is_a_witness_only_by_what_it_shows() {
    let elsewhere = ran(1, "make", "fatal: no rule for x", true) + &ran(2, "make x", "fine", false);
    for (turns, n) in [(session(), 2), (typed("go on") + &elsewhere, 1)] {
        let mut p = warned(Pipeline::on_memory());
        let id = p.lesson_saying(TEXT).id;
        let session = learned(&mut p, "b", &turns);
        let line = session.1.entries[1].printed().next().unwrap().to_owned();
        let again = json!({"kind": "trap", "same_as": id, "text": "Use bun, says `npm test`", "works": {"entry": 3},
            "failed": {"entry": 2, "line": line}, "quotes": []});
        read(&mut p, &session, json!({"lessons": [again]}));
        assert_eq!(of_id(&p, &id).n_sightings, n, "{turns}");
    }
}

#[test]
fn a_wish_is_taken_from_a_persons_words_alone() {
    let mut p = Pipeline::on_memory();
    let session = learned(&mut p, "a", &session());
    let wish = |entry, quote| {
        json!({"kind": "wish", "text": "Use bun in this project", "holds": "always",
        "quotes": [{"entry": entry, "text": quote}]})
    };
    let taken = read(
        &mut p,
        &session,
        json!({"lessons": [wish(2, "npm error Missing script"), wish(1, "Always use bun in this project")]}),
    );
    assert!(taken.problems[0].reason.contains("typed by a person"), "{:?}", taken.problems);
    let wishes: Vec<State> = p
        .lessons()
        .into_iter()
        .filter(|it| it.kind == Kind::Preference)
        .map(|it| it.state)
        .collect();
    assert_eq!(wishes, [State::Provisional]);
}

#[test]
fn a_verdict_counts_for_what_was_shown_and_quoted() {
    let verdict = |lesson: &str, quote: &str| {
        json!({"lessons": [], "verdicts": [
        {"lesson": lesson, "verdict": "heeded", "entry": 1, "quote": quote}]})
    };
    for (is_shown, quote, n_helped) in
        [(true, "9 pass\n", 0), (true, "bun test --all", 1), (false, "bun test --all", 0)]
    {
        let mut p = warned(Pipeline::on_memory());
        let id = p.lesson_saying(TEXT).id;
        if is_shown {
            p.inject("claude-b");
        }
        let turns = ran(1, "bun test --all", "9 pass", false) + &ran(2, "make", "fatal: x", true);
        let session = learned(&mut p, "b", &turns);
        let before = of_id(&p, &id).effects.n_helped;
        read(&mut p, &session, verdict(id.as_str(), quote));
        assert_eq!(of_id(&p, &id).effects.n_helped.max(before), n_helped.max(before), "{quote}");
    }
}

#[test]
fn what_a_fork_repeats_is_not_read_twice() {
    let mut p = Pipeline::on_memory();
    let uuid = |id: &str| {
        turn("user", json!("Always use bun"), json!({"uuid": format!("{id}-0123456789")}))
    };
    let red = turn(
        "assistant",
        json!([{"type": "tool_use", "id": "toolu_0123456789ab", "name": "Bash",
        "input": {"command": "make"}}]),
        json!({"uuid": "call-0123456789"}),
    ) + &turn(
        "user",
        json!([{"type": "tool_result", "tool_use_id": "toolu_0123456789ab", "is_error": true,
            "content": "fatal: no rule"}]),
        json!({"uuid": "result-0123456789"}),
    );
    assert_eq!(learned(&mut p, "a", &(uuid("x") + &red)).1.n_failed, 1);
    let fork = p.keep("b", &(uuid("x") + &red + &uuid("y"))).body.digests;
    assert!(fork.is_empty(), "{fork:?}");
}

#[test]
fn a_session_waits_for_one_reader_and_a_longer_version_takes_its_place() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment { home: Some(home.path().to_owned()), ..Environment::default() };
    let mut p = Pipeline::on_memory();
    let (run, digest) = learned(&mut p, "a", &session());
    let call = p.call.clone();
    let keep = |digest: &Digest| {
        waiting::keep(&environment, Path::new("/p"), &call, &[(run.clone(), digest.clone())])
    };
    keep(&digest).unwrap();
    let longer = Digest { n_failed: 7, ..digest };
    keep(&longer).unwrap();
    assert_eq!(waiting::n_waiting(&environment, &call.project), 1);
    let held = waiting::hold(&environment, &call.project, None).unwrap();
    assert_eq!(held.waiting.digest.n_failed, 7);
    assert!(waiting::hold(&environment, &call.project, None).is_none(), "two have it");
    drop(held);
    waiting::hold(&environment, &call.project, Some(&run)).unwrap().finish().unwrap();
    assert_eq!(waiting::n_waiting(&environment, &call.project), 0);
    keep(&longer).unwrap();
    waiting::remove_all(&environment);
    assert_eq!(waiting::n_waiting(&environment, &call.project), 0, "what is forgotten is gone");
}
