//! Which value wins, who may set what, and what a settings file looks like afterwards.
//! Also which project a folder belongs to.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Memory, W, each, list_of, run_line, text_of, warning};

/// A setting as `config list --show-origin` tells it: value and origin.
#[track_caller]
fn setting(memory: &Memory, name: &str, flags: &[&str]) -> (String, String) {
    let answer = memory.json(&[&["config", "list", "--show-origin"], flags].concat());
    let all = list_of(&answer, "settings");
    let found = all.iter().find(|setting| setting["name"] == name);
    let found = found.unwrap_or_else(|| panic!("{name} is not among {all:#?}"));
    (text_of(found, "value"), text_of(found, "set_by"))
}

#[track_caller]
fn check(memory: &Memory, flags: &[&str], value: &str, origin: &str) {
    let (found, set_by) = setting(memory, "policy", flags);
    assert_eq!(found, value, "set by {set_by}");
    assert!(set_by.contains(origin), "{set_by} is not {origin}");
}

const FLAGS: &[&str] = &["--policy", "archeflow"];

#[test]
fn flags_beat_variables_beat_the_project_beat_the_user_beat_defaults() {
    let memory = Memory::new();
    check(&memory, &[], "hardwon", "default");
    check(&memory, FLAGS, "archeflow", "flag --policy");
    memory.write_home("config.toml", "policy = \"archeflow\"\n");
    check(&memory, &[], "archeflow", "user file");
    memory.write(".hardwon/config.toml", "policy = \"hardwon\"\n");
    check(&memory, &[], "hardwon", "project file");
    let memory = memory.with("HARDWON_POLICY", "archeflow");
    check(&memory, &[], "archeflow", "environment HARDWON_POLICY");
    check(&memory, &["--policy", "hardwon"], "hardwon", "flag --policy");
}

#[test]
fn the_store_is_set_by_flag_variable_or_user() {
    let memory = Memory::new();
    let store = |memory: &Memory, flags: &[&str]| setting(memory, "store", flags).0;
    memory.write_home("config.toml", "store = \"sqlite:user.db\"\n");
    assert_eq!(store(&memory, &[]), "sqlite:user.db");
    memory.learn_w(1);
    assert!(memory.work().join("user.db").exists(), "the user's store is the one that is used");
    let memory = memory.with("HARDWON_STORE", "sqlite:variable.db");
    assert_eq!(store(&memory, &[]), "sqlite:variable.db");
    assert_eq!(store(&memory, &["--store", "sqlite:flag.db"]), "sqlite:flag.db");
    assert_eq!(memory.lessons(), [] as [Value; 0], "another store is another memory");
    assert_eq!(list_of(&memory.json(&["list", "--store", "sqlite:user.db"]), "lessons").len(), 1);
}

#[test]
fn a_project_file_cannot_say_where_memory_lives() {
    let memory = Memory::new();
    memory.write(".hardwon/config.toml", "store = \"sqlite:stolen.db\"\n");
    let learned = memory.learn(&(run_line("r1") + &warning(W)));
    check_problem(&learned, "config.toml", "store: a project file cannot set this");
    assert!(!memory.work().join("stolen.db").exists());
    assert!(memory.database().exists());
    let listed = memory.json(&["config", "list"]);
    check_problem(&listed, "config.toml", "store: a project file cannot set this");
    let set = memory.run(&["config", "set", "store", "sqlite:x.db", "--in-project"]).exits(2);
    assert!(set.stderr.contains("a project file cannot set this"), "{set}");
}

/// A file that came with a checkout is nobody's wrong call: the run goes on.
#[test]
fn a_flaw_in_a_settings_file_is_a_problem_and_no_failure() {
    let cases = [
        ("unknown key", "wages = 5\n", "wages"),
        ("wrong type", "budget = \"many\"\n", "budget"),
        ("negative", "max_lessons = -1\n", "max_lessons"),
        ("no TOML", "policy = [\n", "expected"),
        ("unknown policy", "policy = \"nope\"\n", "nope"),
        ("unknown style", "style = \"nope\"\n", "nope"),
    ];
    each(&cases, |(name, file, reason)| {
        let memory = Memory::new();
        memory.learn_w(2);
        memory.write(".hardwon/config.toml", file);
        let ran = memory.run(&["inject", "--json"]);
        assert_eq!(ran.status, Some(0), "{name}\n{ran}");
        assert!(text_of(&ran.json(), "block").contains(W), "{name}\n{ran}");
        assert_eq!(ran.json()["status"], "degraded", "{name}\n{ran}");
        assert!(ran.reasons().contains(reason), "{name}\n{ran}");
        assert!(ran.stdout.contains("config.toml"), "{name}: no place\n{ran}");
    });
}

#[test]
fn a_problem_of_the_settings_is_told_once() {
    let memory = Memory::new();
    memory.write(".hardwon/config.toml", "wages = 5\n");
    each(&[&["list"][..], &["report"], &["inject"], &["config", "list"]], |args| {
        let ran = memory.run(args).exits(0);
        assert_eq!(ran.stderr.matches("wages").count(), 1, "{ran}");
    });
}

#[test]
fn config_set_keeps_comments_and_order() {
    let memory = Memory::new();
    let before = "# mine\nstyle = \"archeflow\" # as before\n\n# tokens\nbudget = 300 # enough\n\n\
                  [budget_by_role]\nguardian = 900\n";
    let file = memory.write_home("config.toml", before);
    let set = |args: &[&str]| drop(memory.run(&[&["config"], args].concat()).exits(0));
    set(&["set", "budget", "400"]);
    assert_eq!(read(&file), before.replace("300", "400"));
    set(&["set", "budget_by_role.maker", "70"]);
    assert_eq!(read(&file), before.replace("300", "400") + "maker = 70\n");
    set(&["unset", "budget_by_role.maker"]);
    set(&["set", "budget", "300"]);
    assert_eq!(read(&file), before);
    let left = fs::read_dir(memory.home()).expect("the home is there").count();
    assert_eq!(left, 1, "no temporary file stays behind");
}

#[test]
fn config_set_get_and_unset() {
    let memory = Memory::new();
    let file = memory.work().join(".hardwon/config.toml");
    let set = ["config", "set", "budget", "123", "--in-project"];
    let answer = memory.json(&set);
    assert_eq!(answer["settings"][0]["value"], "123", "{answer:#}");
    assert_eq!(read(&file), "budget = 123\n");
    assert_eq!(memory.run(&["config", "get", "budget"]).exits(0).stdout, "123\n");
    memory.run(&["config", "unset", "budget", "--in-project"]).exits(0);
    assert_eq!(read(&file), "");
    assert_eq!(memory.json(&["config", "get", "budget"])["status"], "empty");
}

#[test]
fn what_cannot_be_set_is_refused_and_the_file_left_alone() {
    let cases = [
        ("unknown key", ["wages", "5"], "there is no such setting"),
        ("no number", ["budget", "many"], "not a whole number"),
        ("negative", ["max_lessons", "-1"], "-1"),
        ("unknown policy", ["policy", "nope"], "nope"),
        ("unknown style", ["style", "nope"], "nope"),
    ];
    each(&cases, |(name, pair, message)| {
        let memory = Memory::new();
        let file = memory.write_home("config.toml", "# mine\n");
        let ran = memory.run(&[&["config", "set"][..], pair].concat());
        assert_eq!(ran.status, Some(2), "{name}\n{ran}");
        assert!(ran.stderr.contains(message), "{name}\n{ran}");
        assert_eq!(read(&file), "# mine\n", "{name}");
    });
}

#[test]
fn the_user_says_what_is_redacted_as_well_and_what_is_left_alone() {
    let memory = Memory::new();
    let text = "Never print corp_a1b2c3d4 or password=hunter2 in the logs";
    let stored = |memory: &Memory| {
        memory.run(&["add", text]).exits(0);
        text_of(&memory.only_lesson(), "text")
    };
    let set = |args: &[&str]| memory.run(&[&["config", "set"], args].concat());
    set(&["redact.rules.corp", "corp_[a-z0-9]{8,}"]).exits(0);
    set(&["redact.allow", "hunter2"]).exits(0);
    assert_eq!(stored(&memory), text.replace("corp_a1b2c3d4", "[redacted:corp]"));
    let file = read(&memory.home().join("config.toml"));
    assert!(file.contains("[redact.rules]\ncorp = \"corp_[a-z0-9]{8,}\""), "{file}");
    memory.run(&["config", "unset", "redact.rules.corp"]).exits(0);
    assert!(!read(&memory.home().join("config.toml")).contains("corp_"));

    for (key, value, reason) in [
        ("redact.rules.corp", "corp_[a-z", "unclosed character class"),
        ("redact.rules.corp", "(corp|firm_x", "unclosed group"),
        ("redact.rules.my.rule", "corp_x", "a rule's name"),
        ("redact.allow", "hunter2, *", "at least 4 characters"),
    ] {
        let refused = set(&[key, value]).exits(2);
        assert!(refused.stderr.contains(reason), "{refused}");
    }
    let in_project = set(&["redact.allow", "hunter2", "--in-project"]).exits(2);
    assert!(in_project.stderr.contains("a project file cannot set this"), "{in_project}");
}

/// A flaw in one rule is told; every other rule holds.
#[test]
fn a_flawed_rule_is_told_and_the_others_hold() {
    let memory = Memory::new();
    let rules =
        "[redact]\nallow = \"*\"\n[redact.rules]\nbad = \"corp_[\"\ngood = \"firm_[0-9]{4}\"\n";
    memory.write_home("config.toml", rules);
    memory.write(".hardwon/config.toml", "redact.allow = \"hunter2\"\n");
    let text = "Never print firm_1234 or password=hunter2 in the logs";
    let added = memory.run(&["add", text]).exits(0);
    for told in ["redact.rules.bad: the pattern is not", "redact.allow: each", "cannot set this"] {
        assert!(added.stderr.contains(told), "{told}\n{added}");
    }
    let hidden = "Never print [redacted:good] or password=[redacted:password] in the logs";
    assert_eq!(text_of(&memory.only_lesson(), "text"), hidden);
}

#[test]
fn budgets_hold_by_role() {
    let memory = Memory::new();
    for text in [
        "Prefer small commits with one reason each",
        "Error messages name the file and the next step",
        "Every retry loop needs an upper bound",
    ] {
        memory.run(&["add", text]).exits(0);
    }
    let n_shown = |memory: &Memory, flags: &[&str]| {
        list_of(&memory.json(&[&["inject"], flags].concat()), "lessons").len()
    };
    let guardian = &["--role", "guardian"];
    assert_eq!((n_shown(&memory, &[]), n_shown(&memory, guardian)), (3, 3));
    memory.write_home("config.toml", "[budget_by_role]\nguardian = 5\n");
    assert_eq!((n_shown(&memory, &[]), n_shown(&memory, guardian)), (3, 0));
    memory.write_home("config.toml", "budget = 5\n[budget_by_role]\nguardian = 500\n");
    assert_eq!((n_shown(&memory, &[]), n_shown(&memory, guardian)), (0, 3));
    assert_eq!(n_shown(&memory, &["--budget", "500"]), 3, "the flag beats the file");
    memory.write_home("config.toml", "max_lessons = 2\n");
    assert_eq!((n_shown(&memory, &[]), n_shown(&memory, &["--max", "1"])), (2, 1));
}

#[test]
fn the_archeflow_policy_and_style_can_be_chosen() {
    let memory = Memory::new();
    memory.learn_w(2);
    let block = |flags: &[&str]| memory.run(&[&["inject"], flags].concat()).exits(0).stdout;
    let ours = block(&[]);
    let theirs = block(&["--style", "archeflow"]);
    assert!(ours.contains(W) && theirs.contains(W), "{ours}\n{theirs}");
    assert_ne!(ours, theirs);
    memory.write(".hardwon/config.toml", "style = \"archeflow\"\n");
    assert_eq!(block(&[]), theirs, "a project may choose the style");
    assert_eq!(block(&["--style", "hardwon"]), ours);

    let learned = Memory::new().with("HARDWON_POLICY", "archeflow");
    learned.learn_w(2);
    assert_eq!(learned.only_lesson()["sightings"], 2);
    let show = |name| memory.json(&["policy", "show", name])["policy"].clone();
    assert_ne!(show("archeflow"), show("hardwon"));
}

#[test]
fn a_packet_is_one_document_and_assembled_anew_when_it_is_stale() {
    let memory = Memory::new();
    memory.learn_w(2);
    let inject = ["inject", "--style", "packet", "--run", "r3", "--role", "maker"];
    let served = || memory.run(&inject).exits(0);
    let first = served();
    let packet = first.json();
    assert_eq!(text_of(&packet, "packet_id"), "r3-1");
    assert_eq!(packet["meta"]["created_at"], crate::harness::NOW);
    assert_eq!(packet["hardwon"]["items"][0]["text"], W);
    assert_eq!(served().stdout, first.stdout);
    let id = text_of(&memory.only_lesson(), "id");
    let named = [Value::from(id.as_str())];
    assert_eq!(list_of(&packet, "applicable_memory_ids"), named);
    memory.run(&["edit", &id, "--text", "Query of the user search is glued together"]).exits(0);
    let anew = served().json();
    assert_eq!(text_of(&anew, "packet_id"), "r3-2");
    assert_ne!(anew["hardwon"]["digest"], packet["hardwon"]["digest"]);
    memory.run(&["review", "request", &id, "--because", "it misled us"]).exits(0);
    assert_eq!(served().stdout, "", "nothing to say is nothing");
}

#[test]
fn worktrees_of_a_repository_share_its_memory() {
    let memory = Memory::new().with("HARDWON_PROJECT", "");
    let main = memory.work().join("main");
    let worktree = memory.work().join("worktree");
    git(&memory, &["init", "--quiet", "main"]);
    let name = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "empty"];
    git(&memory, &[&["-C", "main"], &name[..], &commit].concat());
    git(&memory, &["-C", "main", "worktree", "add", "--quiet", "-b", "side", "../worktree"]);
    git(&memory, &["init", "--quiet", "other"]);

    fs::create_dir_all(main.join("src/deep")).expect("folders can be made");
    memory.write("record.jsonl", run_line("r1") + &warning(W));
    let learned = memory
        .command(&["learn", "../../../record.jsonl"])
        .current_dir(main.join("src/deep"))
        .status();
    assert!(learned.expect("the binary starts").success());
    assert_eq!(texts_in(&memory, &worktree), [W]);
    assert_eq!(texts_in(&memory, &main), [W]);
    assert_eq!(texts_in(&memory, &memory.work().join("other")), [] as [&str; 0]);
    assert_eq!(texts_in(&memory, &memory.work()), [] as [&str; 0], "not a repository");
}

#[test]
fn projects_do_not_see_each_other() {
    let memory = Memory::new();
    memory.learn_w(2);
    memory.run(&["add", "Prefer small commits with one reason each", "--global"]).exits(0);
    let answer = memory.json(&["list", "--project", "another"]);
    let texts: Vec<Value> = list_of(&answer, "lessons").iter().map(|l| l["text"].clone()).collect();
    assert_eq!(texts, [json!("Prefer small commits with one reason each")]);
    let block = memory.run(&["inject", "--project", "another"]).exits(0).stdout;
    assert!(!block.contains(W), "{block}");
}

fn texts_in(memory: &Memory, folder: &Path) -> Vec<String> {
    let mut command = memory.command(&["list", "--json"]);
    let output = command.current_dir(folder).output().expect("the binary starts");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("it answers in JSON");
    list_of(&answer, "lessons").iter().map(|lesson| text_of(lesson, "text")).collect()
}

fn git(memory: &Memory, args: &[&str]) {
    let mut command = Command::new("git");
    memory.prepare(command.args(args));
    command.env("HOME", memory.work()).env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[track_caller]
fn check_problem(answer: &Value, place: &str, reason: &str) {
    assert_eq!(answer["status"], "degraded", "{answer:#}");
    let problems = list_of(answer, "problems");
    let is_it = |problem: &&Value| {
        text_of(problem, "where").contains(place) && text_of(problem, "reason").contains(reason)
    };
    assert_eq!(problems.iter().filter(is_it).count(), 1, "{answer:#}");
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).expect("the settings file is there")
}
