//! Lines as the hosts write them, in our own words.

use std::io::Cursor;

use hardwon_core::ended::CutBy;
use hardwon_core::episode::StepKind;
use hardwon_core::event::Sourced;
use serde_json::json;

use super::*;

const TABLE: &str = "| Severity | File | Finding |\\n|-|-|-|\\n| HIGH | src/api.rs:41 | Query built by concatenation |";

fn claude() -> String {
    let lines = [
        r#"{"type":"summary","summary":"x","leafUuid":"u0"}"#.to_owned(),
        r#"{"type":"user","sessionId":"s1","cwd":"/app","timestamp":"2026-04-03T14:00:00Z","message":{"role":"user","content":"review it"}}"#.to_owned(),
        r#"{"type":"assistant","sessionId":"s1","timestamp":"2026-04-03T14:01:00Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Task","input":{"subagent_type":"kit:code-reviewer","prompt":"x"}}]}}"#.to_owned(),
        format!(r#"{{"type":"user","sessionId":"s1","timestamp":"2026-04-03T14:02:00Z","toolUseResult":{{"agentId":"a7"}},"message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":[{{"type":"text","text":"{TABLE}"}}]}}]}}}}"#),
        format!(r#"{{"type":"user","isMeta":true,"sessionId":"s1","message":{{"content":"{TABLE}"}}}}"#),
        format!(r#"{{"type":"assistant","sessionId":"s1","timestamp":"2026-04-03T14:03:00Z","message":{{"content":[{{"type":"text","text":"{TABLE}"}}]}}}}"#),
    ];
    lines.join("\n") + "\n"
}

/// Run ids, and authors with texts, in order.
fn told(text: &str) -> Vec<String> {
    let record = transcript("t.jsonl", Cursor::new(text.as_bytes())).unwrap();
    assert_eq!(record.channel, Some(Origin::Agent));
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let told = |event: &Sourced| match &event.event {
        Event::Run(run) => format!("{} < {}", or(&run.id), or(&run.parent)),
        Event::Finding(finding) => format!("{}: {}", or(&finding.author), finding.text),
        other => format!("{other:?}"),
    };
    record.events.iter().map(told).collect()
}

#[test]
fn a_sub_agents_answer_is_its_own() {
    let expected = ["claude-s1/a7 < claude-s1", "code-reviewer: Query built by concatenation"];
    assert_eq!(told(&claude()), expected, "and the main agent only passes it on");
}

#[test]
fn a_line_that_is_being_written_is_passed_over() {
    let whole = claude();
    for cut in [whole.len() - 2, whole.len() - 40, whole.len() / 2] {
        let told = told(&whole[..cut]);
        assert!(told.len() <= 2, "{told:?}");
    }
    assert_eq!(told(&(whole + "{\"type\":\"assis")).len(), 2);
}

#[test]
fn rollouts_of_codex() {
    let output = r#"{"findings":[{"title":"[P1] Close the file on error","priority":1,"code_location":{"absolute_file_path":"/app/src/io.rs","line_range":{"start":3,"end":4}}}],"overall_correctness":"patch is incorrect"}"#;
    let text = format!(
        "{}\n{}\n{}\n",
        r#"{"timestamp":"2026-04-03T14:00:00Z","type":"session_meta","payload":{"id":"c1","cwd":"/app"}}"#,
        r#"{"timestamp":"2026-04-03T14:00:01Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}"#,
        format_args!(
            r#"{{"timestamp":"2026-04-03T14:00:02Z","type":"event_msg","payload":{{"type":"exited_review_mode","review_output":{output}}}}}"#
        ),
    );
    let told = told(&text);
    assert_eq!(told[0], "codex-c1 < -");
    assert_eq!(told[2], "reviewer: Close the file on error");
}

#[test]
fn of_a_long_session_only_so_many_findings_are_kept() {
    let rollout = |n: usize| {
        let mut lines = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s1","agent_role":"reviewer"}}"#.to_owned() + "\n";
        for n in 0..n {
            lines += &format!(
                r#"{{"timestamp":"t","type":"response_item","payload":{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"- [HIGH] src/a.rs:{n}: one thing\n- [HIGH] src/b.rs:{n}: another"}}]}}}}"#
            );
            lines.push('\n');
        }
        transcript("x", lines.as_bytes()).unwrap()
    };
    let few = rollout(3);
    assert_eq!((few.problems.len(), few.n_put_aside, few.is_cut), (0, 0, false));
    let many = rollout(1010);
    let n = many.events.iter().filter(|one| matches!(one.event, Event::Finding(_))).count();
    assert_eq!((n, many.n_put_aside, many.is_cut), (2000, 20, true));
    assert!(many.problems[0].reason.starts_with("20 more findings were left out"));
}

/// What the user wants, as the steps of a transcript say it: tool and words.
fn wanted(lines: &[serde_json::Value]) -> Vec<String> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let record = transcript("t.jsonl", Cursor::new(text.as_bytes())).unwrap();
    let steps = record.events.iter().filter_map(|sourced| match &sourced.event {
        Event::Step(step) if step.kind == StepKind::Correction => {
            Some(format!("{}: {}", step.tool, step.action))
        }
        _ => None,
    });
    steps.collect()
}

fn said(content: serde_json::Value, also: serde_json::Value) -> serde_json::Value {
    let mut line = json!({"type": "user", "sessionId": "s1", "message": {"content": content}});
    line.as_object_mut().unwrap().extend(also.as_object().unwrap().clone());
    line
}

fn called(command: &str) -> serde_json::Value {
    json!({"type": "assistant", "sessionId": "s1", "message": {"content": [{"type": "tool_use",
        "id": "t1", "name": "Bash", "input": {"command": command}}]}})
}

#[test]
fn only_the_users_own_turns_state_wishes() {
    let wish = json!("remember: never push to main");
    let result = json!([{"type": "tool_result", "tool_use_id": "t9", "content": wish}]);
    let lines = [
        said(wish.clone(), json!({"isMeta": true})),
        said(wish.clone(), json!({"isCompactSummary": true})),
        said(wish.clone(), json!({"isSidechain": true, "agentId": "a1"})),
        said(result, json!({})),
    ];
    assert_eq!(wanted(&lines), [] as [&str; 0]);
    assert_eq!(wanted(&[said(wish.clone(), json!({}))]), ["user: never push to main"]);
    let by_program = said(wish, json!({"entrypoint": "sdk-cli"}));
    assert_eq!(wanted(&[by_program]), [] as [&str; 0]);
}

#[test]
fn words_with_a_rejection_in_claude_code() {
    let told = "The user doesn't want to proceed with this tool use. The tool use was rejected. \
                To tell you how to proceed, the user said:\nremember: CI tests are too slow";
    let result = |is_error: bool| json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": is_error, "content": told}]);
    let call = || called("mise run test:ci 2>&1 | tail -5");
    let by_host = said(result(true), json!({"toolUseResult": "User rejected tool use"}));
    let expected = ["user: CI tests are too slow"];
    assert_eq!(wanted(&[call(), by_host]), expected);
    let error = format!("Error: {told}");
    assert_eq!(wanted(&[call(), said(result(true), json!({"toolUseResult": error}))]), expected);
    // A program can print the same words.
    let printed = json!({"toolUseResult": format!("Error: Exit code 1\n{told}")});
    assert_eq!(wanted(&[call(), said(result(true), printed)]), [] as [&str; 0]);
    let stdout = json!({"toolUseResult": {"stdout": told, "stderr": ""}});
    assert_eq!(wanted(&[call(), said(result(false), stdout)]), [] as [&str; 0]);
}

#[test]
fn what_is_typed_in_codex() {
    let line = |payload: serde_json::Value| json!({"timestamp": "2026-04-03T14:00:00Z", "type": "response_item", "payload": payload});
    let meta = |source: serde_json::Value| {
        json!({"timestamp": "2026-04-03T14:00:00Z", "type": "session_meta",
            "payload": {"id": "s1", "cwd": "/app", "source": source}})
    };
    let call = line(json!({"type": "function_call", "call_id": "c1", "name": "shell",
        "arguments": "{\"command\":[\"git\",\"push\",\"origin\",\"main\"]}"}));
    let answer = |output: &str| {
        line(json!({"type": "function_call_output", "call_id": "c1", "output": output}))
    };
    let wish = line(json!({"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "remember: never push to main"}]}));
    let denied = answer("exec command rejected by user");
    assert_eq!(
        wanted(&[meta(json!("cli")), call.clone(), denied, wish.clone()]),
        ["user: never push to main"]
    );
    let printed = answer("Exit code: 1\nOutput:\nexec command rejected by user");
    assert_eq!(wanted(&[meta(json!("cli")), call, printed]), [] as [&str; 0]);
    for source in [json!("exec"), json!({"subagent": "review"})] {
        assert_eq!(wanted(&[meta(source), wish.clone()]), [] as [&str; 0], "nobody typed it");
    }
}

/// Who cut a session short, and what became of it.
fn end_of(lines: &[serde_json::Value]) -> (Option<CutBy>, Option<Outcome>) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let record = transcript("t.jsonl", Cursor::new(text.as_bytes())).unwrap();
    let run = record.events.iter().find_map(|sourced| match &sourced.event {
        Event::Run(run) => Some(run.clone()),
        _ => None,
    });
    let run = run.expect("something was done");
    (run.episode.ended.and_then(|ended| ended.cut_by), run.outcome)
}

const STOPPED: (Option<CutBy>, Option<Outcome>) = (Some(CutBy::User), Some(Outcome::Aborted));
const BROKEN: (Option<CutBy>, Option<Outcome>) = (Some(CutBy::Host), Some(Outcome::Failed));

#[test]
fn a_session_of_claude_code_that_is_cut_short() {
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]);
    let done = || vec![called("make test"), said(result.clone(), json!({}))];
    let answer = |model: &str, text: &str, also: serde_json::Value| {
        let mut line = json!({"type": "assistant", "sessionId": "s1", "message": {"model": model,
            "content": [{"type": "text", "text": text}]}});
        line.as_object_mut().unwrap().extend(also.as_object().unwrap().clone());
        line
    };
    let error = json!({"isApiErrorMessage": true});
    let stop = |text: &str| said(json!([{"type": "text", "text": text}]), json!({}));
    let stopped = || stop("[Request interrupted by user]");
    let refused = json!([{"type": "tool_result", "tool_use_id": "t2", "is_error": true,
        "content": "The user doesn't want to proceed with this tool use. The tool use was rejected."}]);
    let refused = said(refused, json!({"toolUseResult": "User rejected tool use"}));
    let mut next = called("rm -rf x");
    next["message"]["content"][0]["id"] = json!("t2");
    let table = [
        (vec![], (None, None)),
        (vec![stopped()], STOPPED),
        (vec![stop("[Request interrupted by user for tool use]")], STOPPED),
        (vec![stopped(), said(json!("/exit"), json!({}))], STOPPED),
        (vec![stopped(), answer("m", "Going on", json!({}))], (None, None)),
        (vec![stopped(), answer("<synthetic>", "No response requested.", json!({}))], STOPPED),
        (vec![stop("why was the [Request interrupted by user]?")], (None, None)),
        (vec![next.clone(), refused.clone()], STOPPED),
        (vec![next, refused, answer("m", "Then not", json!({}))], (None, None)),
        (vec![answer("<synthetic>", "API Error: 529 overloaded", error.clone())], BROKEN),
        (vec![json!({"type": "system", "subtype": "api_error", "sessionId": "s1"})], BROKEN),
        (
            vec![answer("<synthetic>", "API Error", error.clone()), answer("m", "Yes", json!({}))],
            (None, None),
        ),
        (vec![answer("m", "x", json!({"isSidechain": true, "agentId": "a"}))], (None, None)),
    ];
    for (n, (lines, expected)) in table.into_iter().enumerate() {
        assert_eq!(end_of(&[done(), lines].concat()), expected, "{n}");
    }
}

#[test]
fn a_session_of_codex_that_is_cut_short() {
    let line = |kind: &str, payload: serde_json::Value| json!({"timestamp": "2026-04-03T14:00:00Z", "type": kind, "payload": payload});
    let done = || {
        vec![
            line("session_meta", json!({"id": "s1", "cwd": "/app"})),
            line(
                "response_item",
                json!({"type": "function_call", "call_id": "c1", "name": "shell",
                "arguments": "{\"command\":[\"make\"]}"}),
            ),
            line(
                "response_item",
                json!({"type": "function_call_output", "call_id": "c1", "output": "ok"}),
            ),
        ]
    };
    let event = |payload: serde_json::Value| line("event_msg", payload);
    let message = |role: &str, text: &str| {
        let content = json!([{"type": "input_text", "text": text}]);
        line("response_item", json!({"type": "message", "role": role, "content": content}))
    };
    let aborted = || event(json!({"type": "turn_aborted", "reason": "interrupted"}));
    let table = [
        (vec![], (None, None)),
        (vec![aborted()], STOPPED),
        (vec![message("user", "<turn_aborted>\n<turn_id>1</turn_id>")], STOPPED),
        (vec![event(json!({"type": "turn_aborted", "reason": "replaced"}))], (None, None)),
        (vec![aborted(), message("user", "go on"), message("assistant", "done")], (None, None)),
        (vec![event(json!({"type": "error", "message": "usage limit"}))], BROKEN),
        (
            vec![
                event(json!({"type": "error", "message": "x"})),
                event(json!({"type": "task_complete"})),
            ],
            BROKEN,
        ),
        (
            vec![event(json!({"type": "stream_error", "message": "x"})), message("assistant", "k")],
            (None, None),
        ),
    ];
    for (n, (lines, expected)) in table.into_iter().enumerate() {
        assert_eq!(end_of(&[done(), lines].concat()), expected, "{n}");
    }
}
