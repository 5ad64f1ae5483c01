//! Reports of a pipeline's agents through the program: comments on GitHub, reviews, calls.

use serde_json::{Value, json};

use crate::harness::{Memory, each, line, list_of, text_of};

fn verdict(value: &Value) -> String {
    format!("# Report\n\nLooked at all of it.\n\n<!-- jkz:verdict-json\n{value}\n-->\n")
}

fn fails(id: &str, summary: &str) -> Value {
    let issue = json!({
        "id": id, "severity": "HIGH", "summary": summary, "location": "src/in.rs:42",
        "root_cause": "missing_validation", "fix_hint": "Check the length first",
    });
    json!({ "verdict": "FAIL", "issues": [issue], "must_fix": [id], "false_positives": [] })
}

fn comment(number: u32, body: &str) -> Value {
    json!({
        "html_url": format!("https://github.example/o/r/pull/{number}#issuecomment-{number}"),
        "issue_url": format!("https://api.github.example/repos/o/r/issues/{number}"),
        "user": { "login": "ci", "type": "Bot" }, "author_association": "OWNER",
        "created_at": format!("2026-01-0{number}T10:00:00Z"), "body": body,
    })
}

fn texts(memory: &Memory) -> Vec<String> {
    memory.lessons().iter().map(|lesson| text_of(lesson, "text")).collect()
}

#[test]
fn part_1_line_1_a_verdict_comment_is_no_lesson_of_its_json() {
    each(&["hardwon", "jkz", "archeflow", "geas"], |policy| {
        let memory = Memory::new();
        let comments = json!([
            comment(1, &verdict(&fails("J1", "Request body is read without a limit"))),
            comment(2, &verdict(&fails("J1", "Request body is read without a limit"))),
            comment(2, &verdict(&json!({ "verdict": "PASS", "issues": [] }))),
            comment(2, "Thanks, merged."),
        ]);
        memory.write("comments.json", comments.to_string());
        for format in [&["--format", "github"][..], &[]] {
            // Once more changes nothing.
            let args = [&["--policy", policy, "learn", "comments.json"][..], format].concat();
            memory.run(&args).exits(0);
        }
        assert_eq!(texts(&memory), ["Request body is read without a limit"], "{policy}");
        let lesson = memory.only_lesson();
        assert_eq!(
            (&lesson["author"], &lesson["sightings"]),
            (&json!("judge"), &json!(2)),
            "{policy}"
        );
    });
}

#[test]
fn part_1_line_2_false_positives_by_id_start_no_lesson() {
    let memory = Memory::new();
    let finding = |id: &str, text: &str| {
        line(
            json!({ "type": "finding", "id": id, "author": "auditor", "severity": "high", "text": text }),
        )
    };
    let record = [
        line(json!({ "type": "run", "id": "r1" })),
        finding("A1", "Step three of the plan has no rollback script"),
        finding("A2", "Session tokens are logged in plain text"),
        line(
            json!({ "type": "verdict", "author": "curator", "verdict": "PASS", "false_positives": ["A1", "A7"] }),
        ),
    ];
    memory.write("run.jsonl", record.concat());
    let ran = memory.run(&["learn", "run.jsonl"]).exits(0);
    assert_eq!(texts(&memory), ["Session tokens are logged in plain text"]);
    assert!(
        ran.stderr.contains("run.jsonl:4: a false positive names no finding of this run"),
        "{ran}"
    );
}

#[test]
fn part_2_reviews_and_calls_are_learned_in_one_tree() {
    let memory = Memory::new();
    memory.write(
        "plan.md",
        "# Plan review\n\n## Accumulated Patterns\n- Plans name no owner for a migration\n",
    );
    let learned = memory.json(&["learn", "plan.md", "--author", "auditor", "--run", "r1"]);
    assert_eq!(text_of(&list_of(&learned, "runs")[0], "run"), "r1");
    assert_eq!(memory.only_lesson()["author"], "auditor");
    memory.run(&["learn", "plan.md", "--author", "../x", "--run", "r2"]).exits(2);
    let call = |role: &str, at: u32, response: &str| {
        json!({
            "role": role, "timestamp": format!("2026-01-02T10:{at:02}:00Z"), "status": "completed",
            "response": response, "issue": 12, "phase": "review", "tokens": { "input": 1, "output": 2 },
        })
    };
    let judge = call("judge", 10, &verdict(&fails("J1", "Session token is logged in plain text")));
    let inspector =
        call("inspector", 20, &verdict(&json!({ "verdict": "PASS", "false_positives": ["J1"] })));
    std::fs::create_dir_all(memory.work().join("calls")).unwrap();
    memory.write("calls/12-judge-1.json", judge.to_string());
    memory.write("calls/12-inspector-1.json", inspector.to_string());
    let ran = memory.run(&["learn", "calls", "--json"]).exits(0);
    let runs: Vec<String> =
        list_of(&ran.json(), "runs").iter().map(|run| text_of(run, "run")).collect();
    assert_eq!(
        runs,
        ["issue-12/review/2026-01-02T10:10:00Z", "issue-12/review/2026-01-02T10:20:00Z"]
    );
    assert_eq!(ran.reasons(), "");
    assert_eq!(texts(&memory), ["Plans name no owner for a migration"], "ruled false by its id");
}
