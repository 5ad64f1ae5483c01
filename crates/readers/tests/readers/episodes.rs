//! What was done in a run, as trajectories, transcripts and logs tell it; and what of
//! damaged and hostile ones.

use std::io::{self, Read};

use hardwon_core::event::{Event, Record, Sourced, StepStated};
use hardwon_core::lesson::Origin;
use hardwon_readers::{Format, Limits, read, read_within};

use crate::{problems, record, runs};

const SHOP: &str = include_str!("../fixtures/episodes/shop.atif.json");
const STREAMED: &str = include_str!("../fixtures/episodes/shop.atif.jsonl");
const HARBOR: &str = include_str!("../fixtures/episodes/harbor.json");
const OPENAGENTS: &str = include_str!("../fixtures/episodes/trajectories.jsonl");
const LOG: &str = include_str!("../fixtures/episodes/build.log");
const CLAUDE: &str = include_str!("../fixtures/episodes/claude.jsonl");
const CODEX: &str = include_str!("../fixtures/episodes/codex.jsonl");

const ALL: [(Option<Format>, &str); 7] = [
    (Some(Format::Atif), SHOP),
    (Some(Format::Atif), STREAMED),
    (Some(Format::Atif), HARBOR),
    (Some(Format::Openagents), OPENAGENTS),
    (Some(Format::RunLog), LOG),
    (None, CLAUDE),
    (None, CODEX),
];

fn short(step: &StepStated) -> String {
    let result = match step.is_ok {
        Some(true) => "ok",
        Some(false) => "failed",
        None => "?",
    };
    let ms = step.duration_ms.map(|ms| format!(" {ms}ms")).unwrap_or_default();
    let output = step.output.as_deref().map(|text| format!(" | {text}")).unwrap_or_default();
    format!("{} {} [{}] {result}{ms}{output}", step.kind, step.tool, step.action)
}

/// Runs as `id < parent`, each followed by its steps.
pub fn told(record: &Record) -> Vec<String> {
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let told = |sourced: &Sourced| match &sourced.event {
        Event::Run(run) => format!("{} < {}", or(&run.id), or(&run.parent)),
        Event::Step(step) => short(step),
        other => format!("{other:?}"),
    };
    record.events.iter().map(told).collect()
}

/// A writer that crashed and began again goes on with the same run.
#[test]
fn a_header_that_stands_twice_begins_no_run() {
    let twice = format!("{STREAMED}{}\n", STREAMED.lines().next().unwrap());
    assert_eq!(told(&record(twice)), told(&record(STREAMED)));
}

#[test]
fn the_forms_of_one_trajectory_say_the_same() {
    let compact = |text: &str| {
        serde_json::from_str::<serde_json::Value>(text).map(|value| value.to_string()).unwrap()
    };
    let expected = told(&record(SHOP));
    assert_eq!(told(&record(compact(SHOP))), expected);
    assert_eq!(told(&record(format!("\u{feff}{SHOP}"))), expected);
    assert_eq!(told(&record(format!("[{}]", compact(SHOP)))), expected);
    assert_eq!(told(&record(SHOP.replace('\n', "\r\n"))), expected);
    let two = format!("{}\n{}\n", compact(SHOP), compact(HARBOR));
    assert_eq!(told(&record(two)), [expected, told(&record(HARBOR))].concat());
    for version in 0..=8 {
        let text = SHOP.replace("ATIF-v1.4", &format!("ATIF-v1.{version}"));
        assert_eq!(told(&record(&text)).len(), 7, "1.{version}");
    }
}

#[test]
fn fields_of_the_wrong_type_cost_only_themselves() {
    let of = |text: &str| {
        let text = format!(r#"{{"schema_version":"ATIF-v1.6","session_id":"s",{text}}}"#);
        let record = record(text);
        (told(&record), problems(&record).join("; "))
    };
    let cases = [
        (r#""steps":7"#, r#"field "steps" is not a list"#),
        (r#""steps":[7]"#, "a step is not an object"),
        (r#""agent":"x""#, r#"field "agent" is not an object"#),
        (r#""steps":[{"source":"agent","tool_calls":{}}]"#, r#"field "tool_calls" is not a list"#),
        (r#""steps":[{"timestamp":"now"}]"#, r#"field "timestamp" is not an RFC 3339 time"#),
        (
            r#""steps":[{"metrics":{"prompt_tokens":-5}}]"#,
            r#"field "prompt_tokens" is not a whole"#,
        ),
        (r#""final_metrics":{"total_cost_usd":"x"}"#, r#"field "total_cost_usd" is not a number"#),
        (r#""subagent_trajectories":[1]"#, "the trajectory is not an object"),
        (r#""steps":[{"observation":{"results":1}}]"#, r#"field "results" is not a list"#),
    ];
    for (text, problem) in cases {
        let (told, problems) = of(text);
        assert_eq!(told[0], "s < -", "{text}");
        assert!(problems.contains(problem), "{text}: {problems}");
    }
    let silent = [
        r#""steps":[{"source":"agent","tool_calls":[7,{},{"function_name":7}]}]"#,
        r#""steps":[{"source":"agent","observation":"a plain output"}]"#,
        r#""steps":[{"source":"user","message":7}]"#,
        r#""trajectory_id":7,"extra":null,"agent":null"#,
        r#""a":{"b":[1,{"c":2}]}"#,
    ];
    for text in silent {
        assert_eq!(of(text), (vec!["s < -".to_owned()], String::new()), "{text}");
    }
}

#[test]
fn extra_that_is_too_long_is_left_out_and_said() {
    let text = format!(
        "{{\"schema_version\":\"ATIF-v1.8\",\"session_id\":\"s\",\"extra\":{{\"a\":\"{}\"}},\
         \"agent\":{{\"name\":\"x\",\"extra\":{{\"b\":1}}}},\"steps\":[]}}",
        "x".repeat(3000)
    );
    let record = record(text);
    assert_eq!(problems(&record), [r#"x:1: field "extra" is too long to be kept"#]);
    let extra = runs(&record)[0].episode.extra.clone().unwrap();
    assert_eq!(extra, r#"{"agent":{"extra":{"b":1}}}"#);
}

#[test]
fn ids_that_name_no_run_still_tell_runs_apart() {
    let text = |id: &str| {
        format!("{{\"schema_version\":\"ATIF-v1.8\",\"session_id\":\"{id}\",\"steps\":[{{}}]}}\n")
    };
    let record = record([text("a b"), text("../c"), text(""), text("ok"), text("ok")].concat());
    let ids: Vec<_> = runs(&record).iter().map(|run| run.id.clone()).collect();
    assert!(ids[0].as_deref().is_some_and(|id| id.starts_with("run-")));
    assert!(ids[1].as_deref().is_some_and(|id| id.starts_with("run-")) && ids[0] != ids[1]);
    assert_eq!(ids[2], None);
    assert_eq!(ids[3..], [Some("ok".to_owned()), Some("ok/2".to_owned())]);
}

#[test]
fn an_unknown_outcome_of_openagents_is_a_problem() {
    let odd = OPENAGENTS.replace(r#""outcome":"success""#, r#""outcome":"great""#);
    assert_eq!(problems(&record(odd)).len(), 1);
}

#[test]
fn a_log_of_a_shell() {
    let traced = "+ cd app\n++ pwd\n+ make\nmake: *** [all] Error 2\n";
    let make = "command bash [make] failed | make: *** [all] Error 2";
    assert_eq!(told(&record(traced)), ["- < -", "command bash [cd app] ?", make]);
    let forced = read("x", &b"nothing to see\n"[..], Some(Format::RunLog)).unwrap();
    assert_eq!((forced.events.len(), forced.problems.len()), (0, 1));
}

#[test]
fn a_log_that_holds_a_record_is_still_that_record() {
    let run = "{\"type\":\"run\",\"id\":\"r1\"}\n{\"type\":\"finding\",\"text\":\"x\"}\n";
    let text = format!("$ make\nok\n$ report\n{run}");
    assert_eq!(crate::texts(&record(&text)), ["x"]);
    let late = format!("$ make\n{}$ report\n{run}", "line\n".repeat(900));
    assert_eq!(crate::texts(&record(&late)), ["x"]);
    let clippy =
        "$ cargo clippy\n$ cargo check\n{\"reason\":\"build-finished\",\"success\":true}\n";
    assert_eq!(record(clippy).channel, Some(Origin::Reviewer));
}

#[test]
fn sessions_without_end_stay_small() {
    let call = |n: usize| {
        format!(
            "{{\"type\":\"assistant\",\"sessionId\":\"s\",\"message\":{{\"id\":\"m{n}\",\"usage\":{{\"output_tokens\":1}},\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{n}\",\"name\":\"Bash\",\"input\":{{\"command\":\"c{n}\"}}}}]}}}}\n"
        )
    };
    let text: String = (0..6000).map(call).collect();
    let record = record(text);
    assert_eq!(record.events.len(), 5001);
    assert_eq!(runs(&record)[0].episode.usage.tokens_out, Some(6000));
    assert_eq!(problems(&record), ["x: 1000 more steps were left out: of one run 5000 are used"]);
}

#[test]
fn of_a_long_trajectory_so_many_steps_are_kept() {
    let head = r#"{"schema_version":"ATIF-v1.8","session_id":"s","steps":["#;
    let output = "a line of output\\n".repeat(60);
    let step = format!(
        r#"{{"source":"agent","tool_calls":[{{"tool_call_id":"c","function_name":"bash","arguments":{{"command":"make"}}}}],"observation":{{"results":[{{"source_call_id":"c","content":"{output}exit code: 1"}}]}}}}"#
    );
    let record = record(format!("{head}{}]}}", vec![step; 5200].join(",")));
    assert_eq!(record.events.len(), 5001);
    let has_failed =
        |it: &Sourced| matches!(&it.event, Event::Step(step) if step.is_ok == Some(false));
    assert!(record.events[1..].iter().all(has_failed));
    assert_eq!(problems(&record), ["x:1: 200 more steps were left out: of one run 5000 are used"]);
}

#[test]
fn limits_are_kept_and_said() {
    let limits = Limits { input_bytes: 2000, ..Limits::default() };
    for text in [SHOP, STREAMED, HARBOR] {
        let endless = text.as_bytes().chain(io::repeat(b' '));
        let small = read_within(limits, "x", endless, Some(Format::Atif)).unwrap();
        assert!(small.is_cut, "{}", problems(&small).join("; "));
    }
    let limits = Limits { n_events: 3, ..Limits::default() };
    let cut = read_within(limits, "x", HARBOR.as_bytes(), None).unwrap();
    assert!(cut.is_cut && cut.events.len() <= 6);
}

/// Reading anything of it neither panics nor names a place that does not exist.
pub fn check_damaged(bytes: &[u8], format: Option<Format>, what: &str) {
    let n_lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let Ok(record) = read("x", bytes, format) else { return };
    assert!(record.events.iter().all(|sourced| sourced.source.line <= n_lines), "{what}");
    assert!(record.problems.len() as u64 <= n_lines + 2, "{what}");
}

#[test]
fn damaged_anywhere_nothing_panics_and_places_exist() {
    for (format, text) in ALL {
        let bytes = text.as_bytes();
        for at in (0..bytes.len()).step_by(3) {
            check_damaged(&bytes[..at], format, &format!("cut at {at}"));
        }
        for at in (0..bytes.len()).step_by(5) {
            let without = [&bytes[..at], &bytes[at + 1..]].concat();
            check_damaged(&without, None, &format!("without byte {at}"));
        }
    }
}

#[test]
fn what_is_cut_short_says_what_was_whole() {
    let end = SHOP.find(r#""step_id": 4"#).unwrap();
    let record = record(&SHOP[..end]);
    assert_eq!(told(&record).len(), 4);
    assert_eq!(problems(&record).len(), 1);
    let deep = format!(r#"{{"schema_version":"ATIF-v1.8","steps":{}"#, "[".repeat(100_000));
    assert_eq!(problems(&crate::record(deep)).len(), 1);
    let nested = r#"{"schema_version":"ATIF-v1.8","subagent_trajectories":["#.repeat(5000);
    assert_eq!(problems(&crate::record(nested)).len(), 1);
}

#[test]
fn formats_are_told_by_content_and_by_name() {
    for (format, text) in ALL {
        let found = read("x", text.as_bytes(), None).unwrap();
        let named = read("x", text.as_bytes(), format).unwrap();
        assert_eq!(told(&found), told(&named), "{format:?}");
        assert!(
            matches!(read("x", &b" \n"[..], format), Err(error) if error.to_string().starts_with("x is empty"))
        );
        if format.is_some() {
            let odd = read("x", &b"{\"a\":1}\n"[..], format).unwrap();
            assert!(odd.events.iter().all(|sourced| matches!(sourced.event, Event::Run(_))));
        }
    }
}
