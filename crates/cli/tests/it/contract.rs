//! What scripts build on: every command answers `--json` with one object that has
//! `status`, `problems` and the fields of the design's section 16, as the published
//! schema describes it.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::docs::{every_command, subcommands};
use crate::harness::{Memory, Ran, each, found, run_line, start_piped, text_of, warning};
use crate::readme::root;
use schema::faults;

/// What every command is called with, and what its answer must have; see the file.
const ANSWERS: &str = include_str!("../fixtures/answers.txt");

/// One call of a command.
struct Case {
    args: &'static str,
    /// Name of the published schema; empty if there is none.
    schema: &'static str,
    fields: &'static str,
}

fn cases() -> Vec<Case> {
    let parts = |line: &'static str| -> Option<[&'static str; 3]> {
        line.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok()
    };
    let calls = ANSWERS.lines().filter(|line| !line.starts_with('#')).filter_map(parts);
    calls.map(|[args, schema, fields]| Case { args, schema, fields }).collect()
}

/// The fields of a lesson.
fn lesson_fields() -> impl Iterator<Item = &'static str> {
    let line = ANSWERS.lines().find_map(|line| line.strip_prefix("LESSON = "));
    line.expect("the file names them").split(' ')
}

#[test]
fn every_command_answers_in_json_as_published() {
    let memory = lived_in();
    let lesson = text_of(&memory.only_lesson(), "id");
    let mut finding = String::new();
    let mut faults = Vec::new();
    for case in cases() {
        // `_` stands for a blank within one argument.
        if case.args.contains("FINDING") {
            let found = memory.json(&["list", "findings", "--state", "regressed"]);
            finding = text_of(&found["findings"][0], "id");
        }
        let named = |word: &str| word.replace("LESSON", &lesson).replace("FINDING", &finding);
        let words = case.args.split(' ').map(|word| named(word).replace('_', " "));
        let args: Vec<String> = words.chain(["--json".to_owned()]).collect();
        let ran = memory.run(&args);
        let expected = if case.args == "log --regressions r5" { 1 } else { 0 };
        let mut found = Vec::new();
        if ran.status != Some(expected) {
            found.push(format!("exit status {:?}", ran.status));
        }
        found.extend(faults_of_answer(&case, &ran));
        if !found.is_empty() {
            faults.push(format!("{}\n{ran}", found.join("\n")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

fn faults_of_answer(case: &Case, ran: &Ran) -> Vec<String> {
    let Ok(answer) = serde_json::from_str::<Value>(&ran.stdout) else {
        return vec!["not one JSON document".to_owned()];
    };
    let mut found = Vec::new();
    let paths = case.fields.split_whitespace().flat_map(|path| match path.strip_suffix("LESSON") {
        Some(before) => lesson_fields().map(|field| format!("{before}{field}")).collect(),
        None => vec![path.to_owned()],
    });
    for path in ["status".to_owned(), "problems".to_owned()].into_iter().chain(paths) {
        found.extend(reach(vec![&answer], &path).err());
    }
    if !case.schema.is_empty() {
        found.extend(faults(&published(case.schema), &answer));
    }
    found
}

/// Follows a path; the fault if it leads nowhere.
fn reach(values: Vec<&Value>, path: &str) -> Result<(), String> {
    let mut values = values;
    for step in path.split('.') {
        let name = step.trim_end_matches("[]");
        let missing = || format!("no field {name} (of {path})");
        let all: Option<Vec<&Value>> = values.iter().map(|value| value.get(name)).collect();
        values = all.ok_or_else(missing)?;
        if step.ends_with("[]") {
            let lists: Option<Vec<&Vec<Value>>> = values.iter().map(|v| v.as_array()).collect();
            let lists = lists.ok_or(format!("{name} is no list (of {path})"))?;
            values = lists.into_iter().flatten().collect();
            if values.is_empty() {
                return Err(format!("{name} is empty (of {path})"));
            }
        }
    }
    Ok(())
}

/// What a judge answered, and what a doctor tried.
const ANSWERED: &str = "{\"type\":\"deliberation\",\"role\":\"judge\",\"verdict\":\"FAIL\",\
    \"response\":\"The pool of connections leaks. Close it.\",\"model\":\"m-1\"}\n";
const TRIED: &str = "{\"type\":\"attempt\",\"role\":\"doctor\",\"issue\":12,\"iteration\":1,\
    \"approach\":\"Close the pool\",\"result\":\"failed\",\"why\":\"it still leaks\"}\n";

/// A note; its index names it.
const NOTE: &str = "---\nname: Use pnpm\ndescription: pnpm, not npm\ntype: feedback\n---\n\
    Use pnpm in this repository.\n\n**Why:** the lock file is pnpm's.\n";

/// A memory with `W` shown to the run that the first case learns.
fn lived_in() -> Memory {
    let memory = Memory::new();
    let versions = memory.work().join("versions.json").display().to_string();
    let memory = memory.with("JKZ_MEMORY_VERSIONS_FILE", versions);
    memory.learn_w(2);
    memory.json(&["inject", "--run", "r3"]);
    let leak = "Temporary files stay behind after a failed import";
    let fixed = warning(leak).replace("\"severity\"", "\"state\":\"fixed\",\"severity\"");
    let lock = warning("Deadlock between scheduler locks during shutdown");
    let once = warning("Password is written to the audit log");
    let fifth = found("r5", leak) + &lock + &once + ANSWERED + TRIED;
    let runs = [run_line("r3"), run_line("r4") + &fixed + &lock, fifth];
    memory.write("record.jsonl", runs.concat());
    memory.write("notes/feedback_use-pnpm.md", NOTE);
    memory.write("notes/MEMORY.md", "- [Use pnpm](feedback_use-pnpm.md) — pnpm, not npm\n");
    let wanted = "{\"task_id\":\"task-001\",\"memory_candidates\":\
                  [\"Run the importer on the largest sample before handing over\"]}";
    memory.write(".geas/missions/m1/tasks/task-001/retrospective.json", wanted);
    let past = (0..12).map(|n| found(&format!("p{n}"), leak));
    memory.write("past.jsonl", past.collect::<String>());
    memory
}

#[test]
fn no_command_is_without_a_case() {
    let covered: BTreeSet<&str> = cases().iter().map(|case| case.args).collect();
    let is_covered =
        |command: &&String| covered.iter().any(|args| format!("{args} ").starts_with(*command));
    let commands: Vec<String> = commands(&Memory::new(), "");
    assert!(commands.len() > 20, "the list of commands was not understood: {commands:?}");
    // Tables are made on a server, and `team.rs` has one to share with.
    let apart = ["config store migrate ", "config store keep ", "share "];
    let is_apart = |command: &&String| apart.contains(&command.as_str());
    let missing = commands.iter().filter(|command| !is_covered(command));
    let missing: Vec<&String> = missing.filter(|command| !is_apart(command)).collect();
    assert!(missing.is_empty(), "no case with --json for {missing:?}");
}

/// Commands as `--help` lists them, each with a blank at its end: `config get `.
fn commands(memory: &Memory, group: &str) -> Vec<String> {
    let args: Vec<&str> = group.split_whitespace().chain(["--help"]).collect();
    let names = match group {
        "" => every_command(),
        _ => subcommands(&memory.run(&args).exits(0).stdout),
    };
    let mut all = Vec::new();
    for name in names {
        let command = format!("{group}{name} ");
        let below = commands(memory, &command);
        match below.is_empty() {
            true => all.push(command),
            false => all.extend(below),
        }
    }
    all
}

#[test]
fn no_schema_is_without_a_case() {
    let folder = fs::read_dir(root().join("docs/schemas")).expect("schemas are published");
    let names = folder.map(|it| it.expect("an entry").file_name().into_string().expect("UTF-8"));
    let mut names: BTreeSet<String> =
        names.filter_map(|name| Some(name.strip_suffix(".schema.json")?.to_owned())).collect();
    // The run record is input; failures have tests of their own below, and a server is not here.
    assert!(names.remove("hardwon.run-1") && names.remove("error"));
    assert!(names.remove("store-migrate") && names.remove("share") && names.remove("shared"));
    assert!(names.remove("store-keep"));
    let used: BTreeSet<String> =
        cases().iter().map(|case| case.schema.to_owned()).filter(|name| !name.is_empty()).collect();
    assert_eq!(names, used);
}

#[test]
fn wrong_calls_are_told_in_words_and_in_json_and_make_no_store() {
    let unknown = "no lesson is called l-nothing";
    let cases: &[(&[&str], &str)] = &[
        (&[], "requires a subcommand"),
        (&["fly"], "fly"),
        (&["list", "--colour"], "--colour"),
        (&["list", "--limit", "few"], "few"),
        (&["list", "--state", "asleep"], "not one of candidate"),
        (&["list", "--kind", "wish"], "not one of preference"),
        (&["list", "--store", "nowhere:x"], "use sqlite:PATH"),
        (&["list", "--policy", "nope"], "no policy is called nope"),
        (&["list", "--project", ""], "a project needs a name"),
        (&["inject", "--store", "nowhere:x"], "use sqlite:PATH"),
        (&["inject", "--style", "nope"], "not one of hardwon, archeflow"),
        (&["show"], "ID"),
        (&["show", "l-nothing"], unknown),
        (&["why", "l-nothing"], unknown),
        (&["edit", "l-nothing", "--tag", "x"], unknown),
        (&["pin", "l-nothing"], unknown),
        (&["forget", "l-nothing"], unknown),
        (&["restore", "l-nothing"], unknown),
        (&["history", "l-nothing"], unknown),
        (&["check", "r99"], "no run is called r99"),
        (&["regressions", "r99"], "no run is called r99"),
        (&["undo"], "nothing to undo"),
        (&["undo", "99"], "no operation 99"),
        (&["undo", "x"], "'x'"),
        (&["add"], "TEXT"),
        (&["add", "of the"], "refused"),
        (&["add", "Errors name the next step", "--importance", "2"], "0 to 1"),
        (&["add", "Errors name the next step", "--severity", "spicy"], "not one of critical"),
        (&["outcome", "r1"], "OUTCOME"),
        (&["outcome", " ", "success"], "a run id cannot be empty"),
        (&["outcome", "r1", "splendid"], "not one of success, partial, failed, aborted"),
        (&["learn", "--format", "xml"], "not one of run, archeflow"),
        (&["config"], "requires a subcommand"),
        (&["config", "get", "wages"], "wages"),
        (&["config", "set", "wages", "5"], "wages"),
        (&["policy", "show", "nope"], "nope"),
        (&["replay", "--policy", "nope"], "nope"),
    ];
    each(cases, |(args, message)| check_wrong_call(Memory::new(), args, message));
    for (name, value, message) in [
        ("HARDWON_NOW", "yesterday", "2026-04-03T14:00:00Z"),
        ("HARDWON_STORE", "postgres:host", "postgres:host"),
    ] {
        check_wrong_call(Memory::new().with(name, value), &["list"], message);
    }
}

#[track_caller]
fn check_wrong_call(memory: Memory, args: &[&str], message: &str) {
    let ran = memory.run(args).exits(2);
    assert_eq!(ran.stdout, "", "{ran}");
    // To a person, a command without its sub-command prints its help.
    let in_words = if message == "requires a subcommand" { "Usage: hardwon" } else { message };
    assert!(ran.stderr.contains(in_words), "expected {in_words:?}\n{ran}");
    let ran = memory.run(&[args, &["--json"][..]].concat()).exits(2);
    assert_eq!(ran.json()["status"], "failed", "{ran}");
    assert_eq!(faults(&published("error"), &ran.json()), [""; 0], "{ran}");
    assert!(ran.reasons().contains(message), "expected {message:?}\n{ran}");
    assert!(ran.stderr.contains(message), "{message:?} is not on stderr\n{ran}");
    assert!(!memory.database().exists(), "a wrong call made a store\n{ran}");
}

/// Old spellings do what the new ones do, and say which those are; what scripts rely on stays as
/// it is.
#[test]
fn old_spellings_name_the_new_ones() {
    let memory = lived_in();
    memory.run(&["learn", "record.jsonl"]).exits(0);
    for (old, new) in [
        (&["search", "query"][..], &["list", "query"][..]),
        (&["--json", "runs", "show", "r5"], &["--json", "show", "r5"]),
        (&["--project", "demo", "history"], &["--project", "demo", "log"]),
        (&["team", "list"], &["config", "team", "list"]),
    ] {
        let (was, is) = (memory.run(old), memory.run(new));
        assert_eq!((was.status, &was.stdout), (is.status, &is.stdout), "{was}\n{is}");
        let notice = was.stderr.strip_suffix(is.stderr.as_str()).unwrap_or_default();
        assert!(notice.contains("until 0.3.0") && notice.lines().count() == 1, "{was}");
    }
    let script = memory.run(&["guard", "run-closed", "r5"]);
    assert!(!script.stderr.contains("0.3.0"), "{script}");
}

#[test]
fn failures_are_as_published() {
    let memory = Memory::new();
    memory.write_home("memory.db", "no database at all");
    let listed = memory.run(&["list", "--json"]).exits(3);
    assert_eq!(faults(&published("error"), &listed.json()), [""; 0], "{listed}");
    let injected = memory.run(&["inject", "--json"]).exits(0);
    assert_eq!(faults(&published("inject"), &injected.json()), [""; 0], "{injected}");
}

/// Whatever way somebody asks for help, the first screen has the commands in groups.
#[test]
fn help_and_version_are_answers() {
    for (args, exit) in [(&["--help"][..], 0), (&["-h"], 0), (&["help"], 0), (&[], 2)] {
        let ran = Memory::new().run_as_script(args).exits(exit);
        let help = format!("{}{}", ran.stdout, ran.stderr);
        assert!(help.contains("Every run:\n  install "), "{args:?}\n{help}");
        assert!(!help.contains("\n  backtest "), "{args:?}: that is for `help all`\n{help}");
    }
    for args in [&["help", "all"][..], &["help", "config", "get"], &["learn", "--help"], &["-V"]] {
        let ran = Memory::new().run(args).exits(0);
        assert!(ran.stdout.contains("hardwon") && ran.stderr.is_empty(), "{ran}");
    }
    for words in [&["config", "get"][..], &["archeflow"], &["geas"], &["jkz"]] {
        let usage = Memory::new().run(&[&["help"], words].concat()).exits(0).stdout;
        assert!(usage.contains(&format!("Usage: hardwon {}", words.join(" "))), "{usage}");
    }
    let unknown = Memory::new().run(&["help", "config", "fly"]).exits(2);
    assert!(unknown.stderr.contains("config fly") && unknown.stdout.is_empty(), "{unknown}");
}

#[test]
fn completions_are_printed_for_every_shell() {
    let memory = Memory::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let printed = memory.run(&["install", "--completions", shell]).exits(0).stdout;
        assert!(printed.contains("reflect") && printed.contains("budget"), "{shell}");
        let answer = memory.json(&["install", "--completions", shell]);
        assert_eq!(answer["text"], printed, "{shell}");
    }
}

/// A reader that goes away, such as `head`, is no trouble.
#[test]
fn a_closed_pipe_is_no_failure() {
    let (memory, _) = Memory::taught();
    let args = ["list", "--json"];
    let mut child = start_piped(memory.command(&args));
    drop(child.stdout.take());
    assert_eq!(Ran::ended(&args, child).exits(0).stderr, "");
}

fn published(name: &str) -> Value {
    let path = root().join("docs/schemas").join(format!("{name}.schema.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).expect("a schema is JSON")
}

mod schema {
    //! Does a value keep what a JSON schema promises? The part of the language that our
    //! schemas use; a keyword beyond it is a fault, so that nothing is taken for checked
    //! that is not. Stricter in one point: a field that an object's schema does not
    //! describe is a fault too, because nobody could know of it.

    use serde_json::{Value, json};

    /// What is wrong with a value; empty if nothing is.
    pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
        within(schema, schema, value, "$")
    }

    fn within(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let need = |is_good: bool, fault: String| match is_good {
            true => Vec::new(),
            false => vec![format!("{at}: {fault}")],
        };
        let Some(keywords) = schema.as_object() else {
            return need(schema == &json!(true), "nothing is allowed here".to_owned());
        };
        let check = |(keyword, rule): (&String, &Value)| match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" => Vec::new(),
            "format" => need(has_format(rule, value), format!("{value} is not in format {rule}")),
            "type" => need(has_type(rule, value), format!("is not {rule}")),
            "const" => need(rule == value, format!("is not {rule}")),
            "enum" => need(list(rule).contains(value), format!("{value} is not one of {rule}")),
            "minimum" => need(at_least(value, rule), format!("is below {rule}")),
            "maximum" => need(at_least(rule, value), format!("is above {rule}")),
            "$ref" => within(root, target(root, rule), value, at),
            "anyOf" | "oneOf" => {
                let fits = |choice: &&Value| within(root, choice, value, at).is_empty();
                let n_fitting = list(rule).iter().filter(fits).count();
                let is_good = n_fitting == 1 || (keyword == "anyOf" && n_fitting > 1);
                need(is_good, format!("{n_fitting} of {keyword} fit {value}"))
            }
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                let item = |(n, item)| within(root, rule, item, &format!("{at}[{n}]"));
                items.flat_map(item).collect()
            }
            "required" => {
                let is_there = |name| value.as_object().is_none_or(|it| it.contains_key(name));
                let names = list(rule).iter().filter_map(Value::as_str);
                names.flat_map(|name| need(is_there(name), format!("{name} is missing"))).collect()
            }
            "properties" | "additionalProperties" => {
                let described = keywords.get("properties").and_then(Value::as_object);
                let others = keywords.get("additionalProperties");
                let field = |(name, value): (&String, &Value)| {
                    let at = format!("{at}.{name}");
                    match described.and_then(|described| described.get(name)).or(others) {
                        Some(schema) => within(root, schema, value, &at),
                        None => vec![format!("{at}: is not described")],
                    }
                };
                value.as_object().into_iter().flatten().flat_map(field).collect()
            }
            _ => need(false, format!("keyword {keyword} cannot be checked")),
        };
        keywords.iter().flat_map(check).collect()
    }

    fn has_format(rule: &Value, value: &Value) -> bool {
        match (rule.as_str(), value) {
            (Some("date-time"), Value::String(text)) => is_time(text),
            (Some("uint32"), Value::Number(n)) => n.as_u64().is_some_and(|n| n <= u32::MAX.into()),
            (Some("uint64"), Value::Number(n)) => n.is_u64(),
            (name, _) => matches!(name, Some("date-time" | "uint32" | "uint64" | "double")),
        }
    }

    fn target<'a>(root: &'a Value, reference: &Value) -> &'a Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let found = pointer.and_then(|pointer| root.pointer(pointer));
        found.unwrap_or_else(|| panic!("the schema has no {reference}"))
    }

    fn list(rule: &Value) -> &[Value] {
        rule.as_array().map_or(&[], Vec::as_slice)
    }

    fn has_type(rule: &Value, value: &Value) -> bool {
        let names = rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice);
        names.iter().any(|name| match name.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("null") => value.is_null(),
            Some("number") => value.is_number(),
            Some("integer") => value.is_i64() || value.is_u64(),
            _ => false,
        })
    }

    fn at_least(value: &Value, limit: &Value) -> bool {
        match (value.as_f64(), limit.as_f64()) {
            (Some(value), Some(limit)) => value >= limit,
            _ => true,
        }
    }

    /// RFC 3339 in UTC.
    fn is_time(text: &str) -> bool {
        let shape: String =
            text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let (whole, rest) = shape.split_at(shape.len().min(19));
        whole == "0000-00-00T00:00:00" && rest.ends_with('Z') && !rest.contains(['+', '-'])
    }

    #[test]
    fn what_a_schema_forbids_is_found() {
        let schema = json!({
            "$defs": {"Word": {"enum": ["a", "b"], "type": "string"}},
            "type": "object",
            "required": ["word", "count"],
            "properties": {
                "word": {"$ref": "#/$defs/Word"},
                "count": {"type": "integer", "minimum": 0, "format": "uint32"},
                "at": {"type": ["string", "null"], "format": "date-time"},
                "all": {"type": "array", "items": {"$ref": "#/$defs/Word"}},
                "one": {"anyOf": [{"$ref": "#/$defs/Word"}, {"type": "null"}]},
                "map": {"type": "object", "additionalProperties": {"type": "number"}},
            },
        });
        let good = json!({"word": "a", "count": 1, "at": "2026-04-03T14:00:00Z", "all": ["a"],
            "one": null, "map": {"x": 0.5}});
        assert_eq!(faults(&schema, &good), [""; 0]);
        let flaws = [
            ("word", json!("c")),
            ("word", json!(1)),
            ("count", json!(-1)),
            ("count", json!(1.5)),
            ("count", json!(5_000_000_000u64)),
            ("at", json!("yesterday")),
            ("at", json!(5)),
            ("all", json!(["a", "c"])),
            ("one", json!("c")),
            ("map", json!({"x": "y"})),
            ("unknown", json!(1)),
        ];
        for (field, flaw) in flaws {
            let mut value = good.clone();
            value[field] = flaw.clone();
            assert!(!faults(&schema, &value).is_empty(), "{field}: {flaw}");
        }
        assert!(!faults(&schema, &json!({"word": "a"})).is_empty(), "count is missing");
        assert!(!faults(&json!({"uniqueItems": true}), &json!([])).is_empty(), "unknown keyword");
    }
}
