//! The user's own redaction rules and exceptions, in every store that keeps texts.

use hardwon_engine::{Access, OpenMemory, Options, lessons};

use crate::harness::{Home, wish};

const TEXT: &str = "Never print corp_a1b2c3d4 or password=hunter2 in the logs";

const USER: &str =
    "[redact]\nallow = \"hunter2\"\n[redact.rules]\ncorp_id = \"corp_[a-z0-9]{8,}\"\n";

/// How `TEXT` is kept under these settings, and what is wrong with them.
fn kept(store: &str, user: &str, project: &str) -> (String, Vec<String>) {
    let home = Home::new();
    home.write("home/config.toml", user);
    home.write(".hardwon/config.toml", project);
    let options = Options { store: Some(store.to_owned()), ..Options::default() };
    let mut open = OpenMemory::open(&home.environment("home"), &options, Access::Write).unwrap();
    let lesson = lessons::add(&mut open.memory, &open.call, &wish(TEXT)).unwrap().body;
    let reasons = open.memory.settings.problems.iter().map(|problem| problem.reason.clone());
    (lesson.text.as_str().to_owned(), reasons.collect())
}

#[test]
fn the_users_rules_hold_in_every_store() {
    let hidden = "Never print [redacted:corp-id] or password=hunter2 in the logs";
    for store in ["sqlite:memory.db", "memory:"] {
        assert_eq!(kept(store, USER, ""), (hidden.to_owned(), vec![]), "{store}");
    }
}

#[test]
fn a_checkout_has_no_say() {
    let (text, problems) = kept("sqlite:memory.db", "", USER);
    assert_eq!(text, "Never print corp_a1b2c3d4 or password=[redacted:password] in the logs");
    let refused = problems.iter().filter(|reason| reason.contains("cannot set this"));
    assert_eq!(refused.count(), 2, "{problems:?}");
}

#[test]
fn a_flawed_rule_is_told_and_everything_else_holds() {
    let user =
        USER.replace("hunter2", "*").replace("[redact.rules]", "[redact.rules]\nbad = \"x[\"");
    let (text, problems) = kept("sqlite:memory.db", &user, "");
    assert_eq!(text, "Never print [redacted:corp-id] or password=[redacted:password] in the logs");
    for told in ["redact.rules.bad: ", "redact.allow: "] {
        assert!(problems.iter().any(|reason| reason.starts_with(told)), "{problems:?}");
    }
    assert_eq!(problems.len(), 2, "{problems:?}");
}

#[test]
fn nothing_is_written_while_the_rules_cannot_be_read() {
    let home = Home::new();
    home.write("home/config.toml", "[redact.rules\n");
    let environment = home.environment("home");
    let open = |access| OpenMemory::open(&environment, &Options::default(), access);
    let refused = open(Access::Write).map(drop).unwrap_err().to_string();
    assert!(refused.starts_with("settings file "), "{refused}");
    assert!(!open(Access::Read).unwrap().memory.settings.problems.is_empty(), "reading goes on");
}
