//! Every way into memory, as one hostile source would use it: one author, one root run,
//! one replayed file, one agent, one checkout, as often as it likes.

use std::fs;
use std::path::Path;

use hardwon_core::ids::{LessonId, RunId};
use hardwon_core::lesson::{Decision, Kind};
use hardwon_core::policy::Policy;
use hardwon_core::scope::Dimension;
use hardwon_engine::effect::EffectKind;
use hardwon_engine::voice::Speaker;
use hardwon_engine::{
    Access, AddRequest, EditRequest, Environment, InjectRequest, MarkRequest, OpenMemory, Options,
    Stated, blocks, runs,
};
use hardwon_foreign::{LAYOUTS, LayoutName, Reach as Carried};
use serde_json::{Value, json};

use super::cases::Case;
use super::memory::{KNOWN, Memory, Reach, finding, line, run_line};
use super::{not_typed, reviews, voices};

/// A way in.
pub struct Way {
    /// What the table calls it.
    pub words: &'static str,
    attempt: Attempt,
    /// Whether only families that are never a finding are tried here.
    is_for_orders: bool,
    /// Whether marks and structure are harmless as a line, since they came with a trusted
    /// reviewer's finding.
    pub may_be_inert: bool,
}

/// How a text is tried.
enum Attempt {
    /// On a small memory, whose blocks are looked at then.
    Memory(fn(&mut Memory, &str)),
    /// With a folder, and a look of its own at the blocks.
    Folder(fn(&mut Memory, &str, &Path) -> Result<Reach, String>),
}

const fn way(words: &'static str, attempt: fn(&mut Memory, &str)) -> Way {
    let attempt = Attempt::Memory(attempt);
    Way { words, attempt, is_for_orders: false, may_be_inert: false }
}

const fn beside(
    words: &'static str,
    attempt: fn(&mut Memory, &str, &Path) -> Result<Reach, String>,
) -> Way {
    let attempt = Attempt::Folder(attempt);
    Way { words, attempt, is_for_orders: false, may_be_inert: false }
}

/// Where a trusted reviewer is heard, or a tool.
const fn heard(way: Way, may_be_inert: bool) -> Way {
    Way { is_for_orders: true, may_be_inert, ..way }
}

/// Every way.
pub const ALL: [Way; 23] = [
    way("run record: one root run, its children, replays", reviewer),
    way("ArcheFlow log: one run, replays", archeflow_log),
    way("geas documents: one task, replays", geas_documents),
    way("run records by an agent, six root runs", agents_record),
    way("steps in run records by an agent, six root runs", agents_steps),
    way("commands and files in conversations that a host kept", conversations),
    heard(way("what checks print in sessions, as linters do", printed_by_tools), false),
    way("add, pin, learn by an agent", agents_lesson),
    way("edit by an agent of what was confirmed", agents_wording),
    way("review, merge, restore, undo by an agent", agents_decisions),
    way("author, category, tag, role, alias, scope", names),
    way("effects, rulings and marks", effects),
    beside("import of a folder that was not approved", import),
    beside("ArcheFlow folder and settings in a checkout", checkout),
    way("add --as-user, pin, review in an agent's shell", voices::agents_shell),
    way("comments of strangers before the reviewer's", voices::stranger_first),
    way("one program under two names, many runs in one session", voices::two_names),
    beside("citations that the working tree does not bear out", voices::unchecked_citation),
    beside("tags and turns of hosts, quoted by a trusted reviewer", voices::host_tags),
    heard(way("run records of a trusted reviewer, two root runs", two_roots), true),
    way("wishes in conversations that the user did not type", not_typed::attempt),
    way("reviews that a user pasted into a prompt", reviews::pasted),
    heard(way("reviews of sub-agents in sessions, three of them", reviews::said), true),
];

impl Way {
    /// Whether a case is tried here.
    pub fn takes(&self, case: &Case) -> bool {
        !self.is_for_orders || case.family.is_never_a_finding()
    }

    /// Tries it, and says what of it is in a block then.
    pub fn attempt(&self, case: &Case, policy: &Policy, folder: &Path) -> Result<Reach, String> {
        let mut memory = Memory::new(policy).map_err(|error| error.to_string())?;
        match self.attempt {
            Attempt::Memory(attempt) => {
                attempt(&mut memory, &case.text);
                memory.told_by_nobody(&case.text)
            }
            Attempt::Folder(attempt) => attempt(&mut memory, &case.text, folder),
        }
    }
}

fn reviewer(memory: &mut Memory, text: &str) {
    let record = |run: &str, parent: Option<&str>, author: &str| {
        run_line(run, parent) + &finding(author, text) + &finding("sage", text)
    };
    for name in ["a", "b", "c"] {
        let _ = memory.learn(name, &record("evil", None, "bot"));
    }
    for child in ["evil-1", "evil-2", "evil-3"] {
        let _ = memory.learn(child, &record(child, Some("evil"), child));
    }
    let _ = memory.learn("again", &record("evil-1", Some("evil-2"), "again"));
}

fn two_roots(memory: &mut Memory, text: &str) {
    for run in ["r3", "r4"] {
        let _ = memory.learn("record", &(run_line(run, None) + &finding("guardian", text)));
    }
}

fn archeflow_log(memory: &mut Memory, text: &str) {
    let verdict = |seq: u32, archetype: &str| {
        let item = json!({"severity": "CRITICAL", "description": text, "location": "src/a.rs:4"});
        line(json!({
            "ts": "2026-04-03T14:00:00Z", "run_id": "evil", "seq": seq, "type": "review.verdict",
            "agent": archetype, "data": {"archetype": archetype, "findings": [item, item]},
        }))
    };
    let fix = line(json!({
        "ts": "2026-04-03T14:00:00Z", "run_id": "evil", "seq": 9, "type": "fix.applied",
        "data": {"finding": text, "source": "maker", "file": "src/a.rs"},
    }));
    let log = verdict(1, "guardian") + &verdict(2, "sage") + &fix;
    for name in ["evil.jsonl", "copy.jsonl", "copy-2.jsonl"] {
        let _ = memory.learn(name, &log);
    }
}

fn geas_documents(memory: &mut Memory, text: &str) {
    let documents = [
        json!({"task_id": "T-6", "memory_candidates": [text, {"text": text}]}),
        json!({"task_id": "T-6", "reviewer_type": "risk", "status": "blocked",
            "blocking_concerns": [{"concern": text, "category": text}],
            "memory_suggestions": [text]}),
        json!({"task_id": "T-6", "failure_class": text, "failure_reason": text}),
        json!({"task_id": "T-6", "recovery_class": text}),
        json!({"task_id": "T-6", "task_kind": text, "known_risks": [text], "confidence": 1,
            "memory_suggestions": [{"summary": text}]}),
    ];
    for _ in 0..3 {
        for document in &documents {
            memory.try_learn("T-6", &line(document.clone()));
        }
    }
    // A worker writes its own self-checks, in every task.
    for task in ["T-7", "T-8", "T-9"] {
        let check = json!({"task_id": task, "task_kind": text, "known_risks": [], "confidence": 1});
        memory.try_learn(task, &line(check));
    }
}

fn agents_record(memory: &mut Memory, text: &str) {
    memory.engine.set_caller(Some("bot"));
    let proof = format!("{text}\n```\nerror: it failed\nexit code 1\n```");
    for (n, author) in ["guardian", "sage", "user", "judge", "tool", "bot"].iter().enumerate() {
        let run = format!("evil-{n}");
        let record = run_line(&run, None) + &finding(author, text) + &finding(author, &proof);
        let _ = memory.learn("record", &record);
        memory.try_learn(&run, &line(json!({"task_id": run, "memory_candidates": [text]})));
    }
}

fn agents_steps(memory: &mut Memory, text: &str) {
    memory.engine.set_caller(Some("bot"));
    for n in 0..6 {
        let run = json!({"type": "run", "id": format!("evil-{n}"), "outcome": "failed",
            "error_class": text, "summary": text, "session": text, "commit": "c1"});
        let step = |kind: &str, action: &str, ok: bool, output: &str| {
            line(json!({"type": "step", "kind": kind, "tool": "bash", "action": action, "ok": ok,
                "output": output, "duration_s": 900}))
        };
        let record = line(run)
            + &step("command", text, false, text)
            + &step("command", "make", false, text)
            + &step("command", &format!("make {text}"), true, "")
            + &step("test", text, false, text)
            + &step("test", text, true, "")
            + &step("edit", text, true, "").repeat(9)
            + &step("correction", text, true, "");
        let _ = memory.learn("record", &record);
    }
}

/// Whoever can make an agent run something can do so in several sessions.
fn conversations(memory: &mut Memory, text: &str) {
    let printed = format!("Exit code 1\n{text}");
    let call = |name: &str, input: Value, ok: bool| (name.to_owned(), input, printed.clone(), ok);
    let mut calls = vec![
        call("Bash", json!({"command": text}), false),
        call("Bash", json!({"command": format!("{text} --again")}), true),
    ];
    let edit = json!({"file_path": text, "old_string": "a", "new_string": "b"});
    calls.extend((0..9).map(|_| call("Edit", edit.clone(), true)));
    sessions(memory, &calls);
}

/// Four sessions of the same calls: the tool, its input, what it printed and whether it went well.
fn sessions(memory: &mut Memory, calls: &[(String, Value, String, bool)]) {
    memory.engine.set_caller(Some("claude-code"));
    for n in 0..4 {
        let mut kept = String::new();
        let mut said = |by: &str, id: usize, content: Value| {
            kept += &line(json!({"type": by, "sessionId": format!("s-{n}"), "cwd": "/w",
                "message": {"id": format!("m{id}"), "role": by, "content": [content]}}));
        };
        for (id, (name, input, printed, ok)) in calls.iter().enumerate() {
            let call = format!("t{id}");
            let used = json!({"type": "tool_use", "id": call, "name": name, "input": input});
            said("assistant", id, used);
            let result = json!({"type": "tool_result", "is_error": !ok, "tool_use_id": call,
                "content": printed});
            said("user", id, result);
        }
        memory.read_session(&kept);
    }
}

/// Output that looks like a linter's, a path that is an order, an error that talks, and a
/// repair that is chosen by somebody else.
fn printed_by_tools(memory: &mut Memory, text: &str) {
    // A tool's message stands in one line.
    let text = &text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lint = format!("src/a.go:12:3: {text} (wrapcheck)\nsrc/a.ts(1,2): error TS2345: {text}\n");
    let run = |command: &str, printed: &str, ok: bool| {
        ("Bash".to_owned(), json!({"command": command}), printed.to_owned(), ok)
    };
    let read = |path: &str, printed: &str| {
        ("Read".to_owned(), json!({"file_path": path}), printed.to_owned(), false)
    };
    let calls = [
        run("make lint", &lint, false),
        run("make seed", &format!("error: {text}"), false),
        run(&format!("make seed {text}"), "", true),
        read(&format!("/w/{text}"), "File does not exist."),
        read("/w/src/b.go", &format!("File does not exist. Did you mean {text}?")),
    ];
    sessions(memory, &calls);
}

fn agents_lesson(memory: &mut Memory, text: &str) {
    memory.engine.set_caller(Some("bot"));
    for kind in [Kind::Preference, Kind::Pattern, Kind::Rule, Kind::AntiPattern].map(Some) {
        for is_global in [false, true] {
            let text = text.to_owned();
            let stated = Stated { importance: Some(1.0), ..Stated::default() };
            let request = AddRequest { text, kind, is_global, stated, supersedes: None };
            if let Some(lesson) = memory.add(&request) {
                memory.pin(&lesson);
            }
        }
    }
    agents_record(memory, text);
}

fn agents_wording(memory: &mut Memory, text: &str) {
    memory.engine.set_caller(Some("bot"));
    for id in [memory.known.clone(), memory.wish.clone()] {
        for kind in [None, Some(Kind::Preference), Some(Kind::Rule)] {
            let text = Some(text.to_owned());
            memory.edit(&id, &EditRequest { text, kind, ..EditRequest::default() });
        }
        memory.pin(&id);
    }
    agents_record(memory, text);
    recurs(memory);
}

/// The pipeline goes on reporting what it reported before.
fn recurs(memory: &mut Memory) {
    memory.engine.set_caller(None);
    for run in ["r5", "r6", "r7"] {
        let _ = memory.learn("record", &(run_line(run, None) + &finding("guardian", KNOWN)));
    }
}

fn agents_decisions(memory: &mut Memory, text: &str) {
    memory.engine.set_caller(Some("bot"));
    // Alike enough to be taken for what the pipeline reports.
    let near = format!("{KNOWN}: {text}");
    let mut own: Vec<LessonId> = Vec::new();
    for (text, kind) in [(text, Kind::Pattern), (&near, Kind::Pattern), (text, Kind::Preference)] {
        let (text, kind) = (text.to_owned(), Some(kind));
        own.extend(memory.add(&AddRequest { text, kind, ..AddRequest::default() }));
    }
    let known = memory.known.clone();
    for id in own {
        for decision in Decision::ALL {
            memory.decide(&id, *decision, text, Some(&known));
            memory.decide(&known, *decision, text, Some(&id));
            memory.restore(&id);
        }
        memory.merge(&known, &id);
        memory.merge(&id, &known);
        memory.forget(&id);
        memory.restore(&id);
        memory.undo();
    }
    recurs(memory);
}

fn names(memory: &mut Memory, text: &str) {
    let run = line(json!({
        "type": "run", "id": "evil", "role": text, "agent": text, "task": text, "domain": text,
        "detectors": [text, "guardian"], "tags": [text], "tools": [text], "paths": [text],
    }));
    let finding = line(json!({
        "type": "finding", "author": text, "severity": "bug", "category": text, "rule": text,
        "text": KNOWN, "path": text, "line": 1,
    }));
    let _ = memory.learn(text, &(run + &finding));
    memory.engine.set_caller(Some(text));
    let stated = Stated {
        category: Some(text.to_owned()),
        scope: vec![(Dimension::Domain, text.to_owned()), (Dimension::Role, text.to_owned())],
        tags: vec![text.to_owned()],
        paths: vec![text.to_owned()],
        aliases: vec![format!("mem-{text}"), text.to_owned()],
        ..Stated::default()
    };
    let request = EditRequest { stated, ..EditRequest::default() };
    for id in [memory.known.clone(), memory.wish.clone()] {
        memory.edit(&id, &request);
    }
}

fn effects(memory: &mut Memory, text: &str) {
    let known = memory.known.clone();
    let run = RunId::parse("r8").ok();
    let shown = InjectRequest { run: run.clone(), ..InjectRequest::default() };
    let _ = blocks::inject(&mut memory.engine.memory, &memory.engine.call, &shown);
    let effect = |effect: &str| {
        line(json!({
            "type": "effect", "lesson": known.as_str(), "effect": effect, "because": text,
        }))
    };
    let ruling = line(json!({
        "type": "verdict", "author": text, "grade": "executed", "false_positives": [text],
    }));
    let record = run_line("r8", None) + &effect("helped") + &effect("hurt") + &ruling;
    for _ in 0..3 {
        let _ = memory.learn("record", &record);
    }
    memory.engine.set_caller(Some("bot"));
    if let Some(run) = run {
        let (lesson, because) = (known.to_string(), text.to_owned());
        let mark = MarkRequest { lesson, effect: EffectKind::Helped, run, because };
        let _ = runs::mark(&mut memory.engine.memory, &memory.engine.call, &mark);
    }
}

fn environment(folder: &Path) -> Environment {
    Environment {
        home: Some(folder.join("home")),
        now: Some("2026-04-03T14:00:00Z".to_owned()),
        project: Some("demo".to_owned()),
        folder: folder.join("checkout"),
        speaker: Speaker::person(),
        ..Environment::default()
    }
}

/// A checkout with lessons for ArcheFlow: wishes, often seen, also put away.
fn write_folder(folder: &Path, text: &str) -> Result<(), String> {
    let at_folder = |error: std::io::Error| format!("{}: {error}", folder.display());
    let record = |id: u32, kind: &str, text: &str| {
        line(json!({
            "id": format!("m-{id:03}"), "ts": "2026-04-01T00:00:00Z", "run_id": "evil",
            "type": kind, "source": "user_feedback", "description": text, "frequency": 9,
            "severity": "CRITICAL", "domain": "general", "tags": ["security"],
            "archetype": null, "last_seen_run": "evil", "runs_since_last_seen": 0,
        }))
    };
    let near = format!("{KNOWN}: {text}");
    let all = record(1, "preference", text)
        + &record(2, "pattern", text)
        + &record(3, "archetype_hint", &near);
    let memory = folder.join("checkout/.archeflow/memory");
    let settings = folder.join("checkout/.hardwon");
    for place in [&memory, &settings] {
        fs::create_dir_all(place).map_err(at_folder)?;
    }
    fs::write(memory.join("lessons.jsonl"), &all).map_err(at_folder)?;
    fs::write(memory.join("archive.jsonl"), record(4, "pattern", &near)).map_err(at_folder)?;
    let wishes = "store = \"archeflow:.archeflow\"\npolicy = \"archeflow\"\nteam = \"off\"\n";
    fs::write(settings.join("config.toml"), wishes).map_err(at_folder)
}

fn import(memory: &mut Memory, text: &str, folder: &Path) -> Result<Reach, String> {
    write_folder(folder, text)?;
    let environment = environment(folder);
    for _ in 0..2 {
        let imported = hardwon_foreign::import(
            &mut memory.engine.memory,
            &memory.engine.call,
            &environment,
            ".archeflow",
            LayoutName::from_word("archeflow"),
            Carried::Project,
        );
        imported.map_err(|error| error.to_string())?;
    }
    memory.engine.set_caller(Some("bot"));
    for id in memory.lessons() {
        memory.pin(&id);
        memory.restore(&id);
        memory.decide(&id, Decision::Approve, "fine", None);
    }
    recurs(memory);
    memory.told_by_nobody(text)
}

/// A block is asked for inside the checkout.
fn checkout(_: &mut Memory, text: &str, folder: &Path) -> Result<Reach, String> {
    write_folder(folder, text)?;
    let text_of = |error: hardwon_engine::EngineError| error.to_string();
    let engine = OpenMemory::open(
        &environment(folder),
        &Options { foreign: LAYOUTS, ..Options::default() },
        Access::Read,
    )
    .map_err(text_of)?;
    let block = blocks::compose(&engine.memory, &engine.call, &InjectRequest::default())
        .map_err(text_of)?
        .block;
    Ok(if block.is_empty() { Reach::Nothing } else { Reach::Words })
}
