//! Looking back, from outside: what it says, that doing it twice changes nothing, and
//! what it leaves in a progress file.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Memory, list_of, text_of};

/// A run in which the same command fails, as an orchestrator tells it.
fn failing(id: &str, day: u32) -> String {
    let run = json!({
        "type": "run", "id": id, "kind": "orchestrator", "agent": "claude-code", "session": "s-9",
        "task": "T-12", "outcome": "failed",
        "started": format!("2026-04-0{day}T10:00:00Z"),
        "finished": format!("2026-04-0{day}T10:10:00Z"),
    });
    let step = json!({"type": "step", "tool": "bash", "action": "bun test", "ok": false,
        "output": "error: timed out after 120s", "duration_s": 120});
    format!("{run}\n{step}\n")
}

/// Two failed runs that nobody has looked back upon.
fn memory() -> Memory {
    let memory = Memory::new();
    memory.json(&["config", "set", "reflect.enabled", "off"]);
    memory.learn(&(failing("r1", 1) + &failing("r2", 2)));
    assert_eq!(memory.lessons(), [] as [Value; 0], "reflection was off");
    memory
}

fn switch_on(memory: &Memory) {
    memory.json(&["config", "set", "reflect.enabled", "on"]);
}

#[test]
fn looking_back_teaches_once() {
    let memory = memory();
    let skipped = memory.json(&["reflect"]);
    assert_eq!(
        (&skipped["status_of_reflection"], &skipped["created"]),
        (&json!("skipped"), &json!(0))
    );
    assert!(!text_of(&skipped, "reason").is_empty());
    switch_on(&memory);
    let first = memory.json(&["reflect"]);
    assert_eq!(
        (&first["status_of_reflection"], &first["scenario"]),
        (&json!("reflected"), &json!("session_failed"))
    );
    assert_eq!(first["runs"], json!(["r2"]), "the newest run");
    let created = list_of(&first, "created_lessons");
    assert_eq!(
        (first["created"].as_u64(), created.is_empty()),
        (Some(created.len() as u64), false),
        "{first:#}"
    );
    let candidate = &first["candidates"][0];
    assert_eq!(
        (&candidate["evidence"], &candidate["refused"]),
        (&json!(["r1", "r2"]), &Value::Null)
    );
    assert!(text_of(candidate, "rule").starts_with("IF "), "{candidate:#}");
    let lesson = memory.json(&["show", &text_of(&created[0], "id")]);
    assert_eq!(lesson["lesson"]["sightings"], 2, "each run that shows it counts");
    let before = memory.lessons();
    let again = memory.json(&["reflect", "--run", "r2"]);
    assert_eq!((&again["created"], &again["operation"]), (&json!(0), &Value::Null), "{again:#}");
    assert_eq!(memory.lessons(), before);
}

#[test]
fn a_session_or_some_days_are_looked_back_upon_together() {
    let memory = memory();
    switch_on(&memory);
    let nothing = memory.json(&["reflect", "--session", "another"]);
    assert_eq!(
        (&nothing["status"], &nothing["status_of_reflection"]),
        (&json!("empty"), &json!("skipped"))
    );
    let session = memory.json(&["reflect", "--session", "s-9"]);
    assert_eq!(
        (&session["runs"], &session["scenario"]),
        (&json!(["r1", "r2"]), &json!("pattern_detected"))
    );
    let days = memory.json(&["reflect", "--days", "2", "--scenario", "session_complete"]);
    assert_eq!((&days["runs"], &days["scenario"]), (&json!(["r2"]), &json!("session_complete")));
    let text = memory.run(&["reflect", "--days", "7"]).exits(0).stdout;
    assert!(text.contains("nothing new; `hardwon runs show r2`"), "{text}");
}

#[test]
fn a_person_is_told_in_a_few_lines_what_to_do_next() {
    let memory = memory();
    switch_on(&memory);
    let text = memory.run(&["reflect"]).exits(0).stdout;
    assert!(text.lines().count() <= 15, "{text}");
    let lesson = text_of(&memory.lessons()[0], "id");
    for part in ["r2: reflected on", "bun test", "next: `hardwon show l-", "`hardwon undo "] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert!(text.contains(&lesson), "{text}");
}

#[test]
fn wrong_calls_are_refused() {
    let memory = memory();
    let cases: &[(&[&str], &str)] = &[
        (&["reflect", "--run", "nobody"], "no run is called nobody"),
        (&["reflect", "--run", "r1", "--days", "3"], "cannot be used with"),
        (&["reflect", "--scenario", "boredom"], "not one of session_complete"),
        (&["reflect", "--append"], "no progress file is known"),
        (&["reflect", "--print-context", "--session", "another"], "no run is called another"),
    ];
    for (args, part) in cases {
        let ran = memory.run(args).exits(2);
        assert!(ran.stderr.contains(part), "{ran}");
    }
}

#[test]
fn lessons_are_noted_between_our_marks_and_nowhere_else() {
    let memory = memory();
    switch_on(&memory);
    let file = memory.write("progress.md", "# Progress\n\nDone so far.\n");
    let append = ["reflect", "--progress", "progress.md", "--append"];
    memory.run(&append).exits(0);
    let first = fs::read_to_string(&file).unwrap();
    assert!(
        first.starts_with(
            "# Progress\n\nDone so far.\n\n<!-- hardwon:lessons -->\n## Lessons learned\n"
        ),
        "{first}"
    );
    assert!(first.contains("\n- `bun test`"), "{first}");
    memory.run(&append).exits(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), first, "noted twice");
    fs::write(&file, first.clone() + "\nMore of mine.\n").unwrap();
    memory.run(&append).exits(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), first.clone() + "\nMore of mine.\n");
    fs::write(&file, "Anew.\n").unwrap();
    memory.json(&["config", "set", "reflect.progress_file", "progress.md"]);
    memory.run(&["reflect"]).exits(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "Anew.\n", "nobody asked for it");
    memory.json(&["config", "set", "reflect.append_lessons", "on"]);
    memory.run(&["reflect"]).exits(0);
    assert!(fs::read_to_string(&file).unwrap().starts_with("Anew.\n\n<!-- hardwon:lessons"));
}

#[test]
fn the_context_has_the_fields_of_the_document() {
    let memory = memory();
    memory.write("progress.md", "Half way.\n");
    let args = ["reflect", "--run", "r2", "--print-context", "--progress", "progress.md"];
    let context = memory.run(&args).exits(0).json();
    let fields = [
        "projectRoot",
        "config",
        "episode",
        "relatedEpisodes",
        "trajectories",
        "sessions",
        "progressMd",
        "existingMemories",
    ];
    for field in fields {
        assert!(context.get(field).is_some(), "{field} is missing in {context:#}");
    }
    assert_eq!(context["progressMd"], "Half way.\n");
    assert_eq!(
        (&context["episode"]["id"], &context["episode"]["kind"]),
        (&json!("r2"), &json!("orchestrator_run"))
    );
    assert_eq!(context["relatedEpisodes"][0]["id"], "r1");
    assert_eq!(context["sessions"][0]["sessionId"], "s-9");
    assert_eq!(context["config"]["archivist"]["minImportanceToPersist"], 0.3);
    assert_eq!(memory.json(&args)["context"], context, "the same in an answer");
    assert_eq!(memory.lessons(), [] as [Value; 0], "looking changed something");
}

/// The whole context, as it is handed to whoever reflects. A change of it is seen here.
#[test]
fn the_context_is_as_it_was() {
    let memory = memory();
    memory.write("progress.md", "Half way.\n");
    let args = ["reflect", "--run", "r2", "--print-context", "--progress", "progress.md"];
    let context = memory.run(&args).exits(0).stdout;
    let home = memory.work().display().to_string();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/context.json");
    let context = context.replace(&home, "/shop");
    if std::env::var_os("HARDWON_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &context).unwrap();
    }
    assert_eq!(context, fs::read_to_string(&path).unwrap_or_default());
}

#[test]
fn what_ended_is_looked_back_upon_when_somebody_has_time() {
    let memory = memory();
    switch_on(&memory);
    assert_eq!(memory.json(&["reflect", "--pending"])["reason"], "nothing waits");
    for run in ["r1", "r2"] {
        memory.run(&["outcome", run, "failed"]).exits(0);
    }
    let queue = memory.home().join("queue");
    assert_eq!(fs::read_dir(&queue).unwrap().count(), 2);
    assert_eq!(memory.lessons(), [] as [Value; 0], "ending a run waits for nothing");
    let reflected = memory.json(&["reflect", "--pending"]);
    assert_eq!(reflected["status_of_reflection"], "reflected", "{reflected:#}");
    assert_eq!(reflected["runs"], json!(["r1", "r2"]), "{reflected:#}");
    assert!(reflected["created"].as_u64() > Some(0), "{reflected:#}");
    assert_eq!(fs::read_dir(&queue).unwrap().count(), 0);
    assert!(!memory.lessons().is_empty());
    let again = memory.json(&["reflect", "--pending"]);
    assert_eq!(again["status_of_reflection"], "skipped", "{again:#}");
}

#[test]
fn trouble_in_the_queue_is_noted_and_holds_nothing_up() {
    let memory = memory();
    switch_on(&memory);
    memory.run(&["outcome", "r2", "failed"]).exits(0);
    memory.write_home("queue/000-broken.json", "{\"host\":");
    let ran = memory.run(&["reflect", "--pending", "--json"]).exits(0);
    assert_eq!(ran.json()["runs"], json!(["r2"]), "{ran}");
    let doctor = memory.run(&["doctor", "--json"]).stdout;
    assert!(doctor.contains("no session"), "{doctor}");
}

#[test]
fn what_the_project_notes_is_told() {
    let memory = memory();
    switch_on(&memory);
    let text = "# Progress\n\n## Done\n- Search works\n\n## Blockers\n- No key for the sandbox\n";
    memory.write("progress.md", text);
    let told = memory.json(&["reflect", "--progress", "progress.md"]);
    assert!(told["worked"].to_string().contains("noted as done: Search works"), "{told:#}");
    let failed = told["failed"].to_string();
    assert!(failed.contains("noted as in the way: No key for the sandbox"), "{told:#}");
}
