//! Review text with an order in it: pasted into a prompt, or said by a sub-agent that reviews, in a
//! heading, the cell of a table, a field, a fence, or the list of a tool.

use serde_json::{Value, json};

use super::memory::{Memory, line};

/// Sessions in each of which all of it stands.
const N_SESSIONS: usize = 3;

/// A user pastes a review: none of it is the user's, and nobody here reviewed.
pub fn pasted(memory: &mut Memory, text: &str) {
    let turns: Vec<Value> = forms(text)
        .into_iter()
        .flat_map(|form| [form.clone(), format!("please fix what the review says\n\n{form}")])
        .map(|form| json!({"type": "user", "message": {"role": "user", "content": form}}))
        .collect();
    learn(memory, &turns);
}

/// A sub-agent says it, and the agent hands it to the host.
pub fn said(memory: &mut Memory, text: &str) {
    let mut turns = Vec::new();
    for (n, form) in forms(text).into_iter().enumerate() {
        let id = format!("t{n}");
        turns.push(json!({"type": "assistant", "message": {"content": [{"type": "tool_use",
            "id": id, "name": "Task", "input": {"subagent_type": "code-reviewer",
            "prompt": "review the change"}}]}}));
        turns.push(json!({"type": "user", "message": {"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": id,
            "content": [{"type": "text", "text": form}]}]}}));
    }
    turns.push(json!({"type": "assistant", "message": {"content": [{"type": "tool_use",
        "id": "r1", "name": "ReportFindings", "input": reported(text)}]}}));
    learn(memory, &turns);
}

fn learn(memory: &mut Memory, turns: &[Value]) {
    memory.engine.set_caller(Some("claude-code"));
    for n in 0..N_SESSIONS {
        let mut kept = String::new();
        for turn in turns {
            let mut turn = turn.clone();
            turn["sessionId"] = json!(format!("s-{n}"));
            turn["cwd"] = json!("/w");
            kept += &line(turn);
        }
        memory.read_session(&kept);
    }
}

fn reported(text: &str) -> Value {
    json!({"findings": [{"file": "src/a.rs", "line": 3, "summary": text,
        "failure_scenario": text, "category": text, "verdict": "CONFIRMED"}]})
}

/// The places of a review where an order may stand.
fn forms(text: &str) -> Vec<String> {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cell = flat.replace('|', "\\|");
    let fenced = json!({"verdict": "FAIL", "findings": [{"file": "src/a.rs", "line": 3,
        "severity": "high", "summary": text, "fix": text}]});
    vec![
        format!("## Findings\n\n### HIGH: {flat}\n\n**File:** `src/a.rs:3`\n"),
        format!(
            "| Severity | File | Issue | Fix |\n|---|---|---|---|\n\
             | High | src/a.rs:3 | {cell} | {cell} |\n"
        ),
        format!(
            "### 1. Query is built from input\n\n- **File:** `src/b.rs:9`\n\
             - **Severity:** high\n- **Issue:** {flat}\n- **Recommendation:** {flat}\n"
        ),
        format!("Review done.\n\n```json\n{fenced}\n```\n"),
        format!("- [high] `src/c.rs:4` - {flat}. Fix: {flat}\n"),
    ]
}
