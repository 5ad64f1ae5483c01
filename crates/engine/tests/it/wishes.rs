//! The user's own redaction rules and exceptions, in every store that keeps texts.

use std::path::Path;

use hardwon_engine::{Access, AddRequest, Environment, ListRequest, OpenMemory, Options, lessons};

use crate::bench::NOW;

const TEXT: &str = "Never print corp_a1b2c3d4 or password=hunter2 in the logs";
const HIDDEN: &str = "Never print [redacted:corp-id] or password=hunter2 in the logs";

const USER: &str =
    "[redact]\nallow = \"hunter2\"\n[redact.rules]\ncorp_id = \"corp_[a-z0-9]{8,}\"\n";

fn open(folder: &Path, store: &str, user: &str, project: &str) -> OpenMemory {
    std::fs::create_dir_all(folder.join("home")).unwrap();
    std::fs::create_dir_all(folder.join(".hardwon")).unwrap();
    std::fs::write(folder.join("home/config.toml"), user).unwrap();
    std::fs::write(folder.join(".hardwon/config.toml"), project).unwrap();
    let environment = Environment {
        home: Some(folder.join("home")),
        folder: folder.to_owned(),
        now: Some(NOW.into()),
        ..Environment::default()
    };
    let options = Options { store: Some(store.to_owned()), ..Options::default() };
    OpenMemory::open(&environment, &options, Access::Write).unwrap()
}

fn add_and_list(engine: &mut OpenMemory) -> Vec<String> {
    lessons::add(
        &mut engine.memory,
        &engine.call,
        &AddRequest { text: TEXT.into(), ..AddRequest::default() },
    )
    .unwrap();
    texts(engine)
}

fn texts(engine: &OpenMemory) -> Vec<String> {
    let all = ListRequest { is_all: true, ..ListRequest::default() };
    let lessons = lessons::list(&engine.memory, &engine.call, &all).unwrap().body.lessons;
    lessons.iter().map(|lesson| lesson.text.as_str().to_owned()).collect()
}

#[test]
fn wishes_hold_in_every_store() {
    for store in ["sqlite:memory.db", "memory:"] {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = open(folder.path(), store, USER, "");
        assert_eq!(add_and_list(&mut engine), [HIDDEN], "{store}");
        assert_eq!(engine.memory.settings().problems, [], "{store}");
    }
}

#[test]
fn a_checkout_has_no_say() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = open(folder.path(), "sqlite:memory.db", "", USER);
    let expected = "Never print corp_a1b2c3d4 or password=[redacted:password] in the logs";
    assert_eq!(add_and_list(&mut engine), [expected]);
    let told =
        engine.memory.settings().problems.iter().filter(|p| p.reason.contains("cannot set this"));
    assert_eq!(told.count(), 2);
}

#[test]
fn a_flawed_wish_is_told_and_everything_else_holds() {
    let folder = tempfile::tempdir().unwrap();
    let user =
        USER.replace("hunter2", "*").replace("[redact.rules]", "[redact.rules]\nbad = \"x[\"");
    let mut engine = open(folder.path(), "sqlite:memory.db", &user, "");
    let told: Vec<&str> =
        engine.memory.settings().problems.iter().map(|p| p.reason.as_str()).collect();
    assert!(told.iter().any(|reason| reason.starts_with("redact.rules.bad: ")), "{told:?}");
    assert!(told.iter().any(|reason| reason.starts_with("redact.allow: ")), "{told:?}");
    assert_eq!(told.len(), 2, "{told:?}");
    let expected = "Never print [redacted:corp-id] or password=[redacted:password] in the logs";
    assert_eq!(add_and_list(&mut engine), [expected]);
}

#[test]
fn nothing_is_written_while_the_rules_cannot_be_read() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment {
        home: Some(home.path().to_owned()),
        folder: home.path().to_owned(),
        now: Some(NOW.into()),
        ..Environment::default()
    };
    let file = environment.settings_file().unwrap();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "[redact.rules\n").unwrap();
    let open = |access| OpenMemory::open(&environment, &Options::default(), access);
    let refused = open(Access::Write).map(drop).unwrap_err().to_string();
    assert!(refused.starts_with("settings file "), "{refused}");
    assert!(!open(Access::Read).unwrap().memory.settings().problems.is_empty(), "reading goes on");
}
