//! What verdicts and evidence are worth: grades that are read and not believed, and jkz's
//! rule that only a pass with evidence speaks for a lesson.

use hardwon_engine::voice::Speaker;
use serde_json::json;

use crate::harness::{Pipeline, W, finding, line, run, turn, verdict, warning};

#[test]
fn a_proven_lesson_that_is_ruled_false_is_a_regression() {
    let mut p = Pipeline::with_policy("jkz");
    p.confirm(&[W]);
    let pass = verdict(json!({"verdict": "PASS", "grade": "executed"}));
    for id in ["r3", "r4", "r5"] {
        assert_eq!(p.effect_after(id, &(run(id, &["guardian"]) + &pass)).0, "helped");
    }
    p.inject("r6");
    let ruling = json!({"author": "inspector", "grade": "cited", "false_positives": [W]});
    let record = run("r6", &["guardian"]) + &warning(W) + &verdict(ruling);
    let learned = p.learn_run(&record);
    let effect = &learned.effects[0];
    assert_eq!((effect.kind.word(), effect.is_regression), ("contradicted", true));
    let told = p.report().unwrap().body.contradicted;
    assert_eq!(told.iter().map(|lesson| &lesson.id).collect::<Vec<_>>(), [&effect.lesson.id]);
    p.assert_sound();
}

/// A session in which a reviewer says this.
fn session(message: &str) -> String {
    let call = json!({"type": "tool_use", "id": "t1", "name": "Task",
        "input": {"subagent_type": "guardian"}});
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": message});
    turn("assistant", json!([call]), json!({})) + &turn("user", json!([result]), json!({}))
}

#[test]
fn archeflow_takes_prose_without_evidence_as_info() {
    let claimed = "- [CRITICAL] The session handling may be insecure in some places";
    let shown = "- [CRITICAL] Session cookie lacks the Secure flag in src/web.rs:19";
    let learned = |policy: &str, said: &str| {
        let mut p = Pipeline::with_policy(policy);
        let answer = p.learn(&session(said).replace("SESSION", "s1"));
        let reasons: Vec<String> = answer.problems.into_iter().map(|one| one.reason).collect();
        (answer.body.runs[0].new.len(), reasons)
    };
    let doubt = vec!["critical without evidence; taken as info".to_owned()];
    assert_eq!(learned("archeflow", claimed), (0, doubt));
    assert_eq!(learned("archeflow", shown), (1, vec![]));
    assert_eq!(learned("hardwon", claimed), (1, vec![]), "other rules do not ask");
}

/// What became of the lesson that a session was shown in which the reviewer then said this.
fn effect_of(message: &str) -> (&'static str, String) {
    let mut p = Pipeline::confirmed();
    p.inject("claude-s1");
    let answer = p.learn(&session(message).replace("SESSION", "s1"));
    let mut effects = answer.body.runs.into_iter().flat_map(|run| run.effects);
    let effect = effects.next().expect("it was shown");
    (effect.kind.word(), effect.why.clone())
}

/// Issue 15, number 8: the lesson had its chance, but that nothing was found is an agent's word as
/// long as nobody saw the reviewer look.
#[test]
fn a_reviewer_who_found_nothing_had_the_chance() {
    for message in CLEAN {
        let (effect, why) = effect_of(message);
        assert_eq!(effect, "neutral", "{message}: {why}");
        assert!(why.starts_with("not reported again"), "{message}: {why}");
    }
}

/// How reviewers say that they found nothing.
const CLEAN: [&str; 3] = [
    "Verdict: PASS",
    "```json\n{\"findings\": []}\n```",
    "It is as planned.\n\n## Verdict\n\n**PASS**",
];

/// A session in which the sub-agent `guardian` does this, and then says that.
fn review(did: &[(&str, serde_json::Value)], message: &str) -> String {
    let own = || json!({"isSidechain": true, "agentId": "a1"});
    let task = json!({"type": "tool_use", "id": "t1", "name": "Task",
        "input": {"subagent_type": "guardian"}});
    let mut kept = turn("assistant", json!([task]), json!({}));
    for (n, (tool, input)) in did.iter().enumerate() {
        let id = format!("s{n}");
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        let is_error = input["fails"] == true;
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "x",
            "is_error": is_error});
        kept += &turn("assistant", json!([call]), own());
        kept += &turn("user", json!([result]), own());
    }
    let said = json!({"type": "tool_result", "tool_use_id": "t1", "content": message});
    kept + &turn("user", json!([said]), json!({"toolUseResult": {"agentId": "a1"}}))
}

/// What became of a lesson about `src/api.rs` in a session that a host kept.
fn effect_in(kept: &str) -> String {
    let mut p = Pipeline::confirmed();
    p.inject("claude-s1");
    let answer = p.keep("s1", kept);
    let effects = answer.body.runs.into_iter().flat_map(|run| run.effects);
    effects.last().expect("it was shown").kind.word().to_owned()
}

#[test]
fn a_reviewer_who_was_seen_to_look_and_found_nothing_helps() {
    let reads = |path: &str| ("Read", json!({"file_path": path}));
    for message in CLEAN {
        let kept = review(&[reads("src/api.rs")], message);
        assert_eq!(effect_in(&kept), "helped", "{message}");
        let kept = review(&[("Bash", json!({"command": "sed -n 1,80p src/api.rs"}))], message);
        assert_eq!(effect_in(&kept), "helped", "{message}");
    }
}

#[test]
fn a_reviewer_who_did_not_look_at_it_says_nothing_about_it() {
    let edit = json!({"file_path": "src/api.rs", "old_string": "a", "new_string": "b"});
    let table = [
        vec![],
        vec![("Read", json!({"file_path": "src/other.rs"}))],
        vec![("Read", json!({"file_path": "src/api.rs", "fails": true}))],
        // Whoever writes is an author, whatever it is called.
        vec![("Read", json!({"file_path": "src/api.rs"})), ("Edit", edit)],
        // Nobody says what was changed.
        vec![("Bash", json!({"command": "git diff main...HEAD"}))],
    ];
    for did in table {
        let kept = review(&did, "Verdict: PASS");
        assert_eq!(effect_in(&kept), "neutral", "{did:?}");
    }
}

#[test]
fn a_reviewer_who_saw_all_changes_saw_the_changed_file() {
    let call = json!({"type": "tool_use", "id": "e1", "name": "Edit",
        "input": {"file_path": "src/api.rs", "old_string": "a", "new_string": "b"}});
    let edited = json!({"type": "tool_result", "tool_use_id": "e1", "content": "ok"});
    let turn = |kind: &str, content: serde_json::Value| turn(kind, json!([content]), json!({}));
    let edits = turn("assistant", call) + &turn("user", edited);
    let diff = |path: &str| ("Bash", json!({"command": format!("git diff main...HEAD{path}")}));
    let kept = edits.clone() + &review(&[diff("")], "Verdict: PASS");
    assert_eq!(effect_in(&kept), "helped");
    // The author says so itself: no detector of the lesson looked.
    let says = turn("assistant", json!({"type": "text", "text": "Verdict: PASS"}));
    assert_eq!(effect_in(&(edits + &says)), "no_opportunity");
}

#[test]
fn a_conversation_that_an_agent_hands_in_proves_no_look() {
    let mut p = Pipeline::confirmed();
    p.inject("claude-s1");
    p.call.speaker = Speaker::agent("claude-code");
    let kept = review(&[("Read", json!({"file_path": "src/api.rs"}))], "Verdict: PASS");
    let answer = p.learn(&kept.replace("SESSION", "s1"));
    let effects = answer.body.runs.into_iter().flat_map(|run| run.effects);
    assert!(effects.into_iter().all(|effect| effect.kind.word() != "helped"));
}

/// A review that the user has Codex do itself: no agent can start it.
#[test]
fn a_review_of_the_host_itself_counts() {
    let entry = |kind: &str, payload: serde_json::Value| {
        line(
            json!({"timestamp": "2026-04-03T14:00:00Z", "type": kind}),
            json!({"payload": payload}),
        )
    };
    let patch = "*** Begin Patch\n*** Update File: src/api.rs\n@@\n-a\n+b\n*** End Patch";
    let work = entry("session_meta", json!({"id": "s1", "cwd": "/app"}))
        + &entry(
            "response_item",
            json!({"type": "custom_tool_call", "call_id": "c1",
            "name": "apply_patch", "input": patch}),
        )
        + &entry(
            "response_item",
            json!({"type": "custom_tool_call_output", "call_id": "c1",
            "output": "Success"}),
        );
    let output = json!({"findings": [], "overall_correctness": "patch is correct"});
    let by_host =
        entry("event_msg", json!({"type": "exited_review_mode", "review_output": output}));
    let by_agent = entry(
        "response_item",
        json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": output.to_string()}]}),
    );
    for (review, expected) in [(by_host, "helped"), (by_agent, "no_opportunity")] {
        let mut p = Pipeline::on_memory();
        for id in ["r1", "r2"] {
            p.learn(&(run(id, &["reviewer"]) + &finding("reviewer", "warning", W)));
        }
        p.inject("codex-s1");
        let answer = p.keep("s1", &(work.clone() + &review));
        let effects: Vec<_> = answer.body.runs.into_iter().flat_map(|run| run.effects).collect();
        assert_eq!(effects[0].kind.word(), expected, "{}", effects[0].why);
    }
}

#[test]
fn what_is_reported_again_with_its_place_did_not_help() {
    let (effect, why) = effect_of(&format!("- [HIGH] src/api.rs:41: {W}"));
    assert_eq!(effect, "no_help", "{why}");
    let (effect, why) = effect_of(&format!("- [HIGH] {W}"));
    assert_eq!(effect, "neutral", "who knows the words has to say where: {why}");
    let mut p = Pipeline::confirmed();
    let before = p.only_lesson().n_sightings;
    p.inject("claude-s1");
    p.learn(&session(&format!("- [HIGH] src/api.rs:41: {W}")).replace("SESSION", "s1"));
    assert_eq!(p.only_lesson().n_sightings, before, "its author had been shown the words");
}
