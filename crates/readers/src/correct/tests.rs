//! Which messages are corrections, one by one.

use super::*;

const CORRECTIONS: &[&str] = &[
    "no that's wrong, use pnpm not npm in this repository",
    "You should never edit generated files under gen/",
    "Don't change the signature, fix the caller",
    "No, keep migrations in db/migrate",
    "Use vitest instead of jest",
    "Never deploy from a branch",
    "No, never deploy from a branch",
    "Always run the formatter before you commit",
    "Always run the formatter first",
    "The endpoint is /v2, not /v1",
    "edit b.rs, not a.rs",
    "No, use the staging database",
    "that's wrong, the port is 8080",
    "Don\u{2019}t touch the lock file",
    "Please do not edit Cargo.lock by hand",
    "stop using unwrap here",
    "I said use pnpm, not npm",
    "From now on, use tabs instead of spaces",
    "Tests should live in tests/it",
    "You must not log tokens",
    "Nice work. But never commit the lock file of the docs.",
    "Why did you use npm? Use pnpm rather than npm.",
];

const OTHERS: &[&str] = &[
    "I said hello to the backend team about the parser.",
    "Don't commit yet, I want to look at the parser diff first.",
    "I meant the other button, the blue one",
    "Don't use token X use the other.",
    "Don't you think the parser should handle tabs?",
    "Don't you think the parser should handle tabs",
    "Actually, that is a great idea",
    "Actually I was wrong, your version is right",
    "Actually looks great, ship it",
    "No worries",
    "No problem, go on",
    "No, that's fine",
    "No, keep going",
    "No, keep it as it is",
    "Wait",
    "wait, don't push the branch",
    "Don't run the migration for now",
    "Use the old parser this time instead of the new parser",
    "Run the tests first",
    "Don't touch that button",
    "Don't do that",
    "Why did you use npm instead of pnpm?",
    "should we use pnpm instead of npm",
    "Great that you used pnpm instead of npm",
    "The build is green, not sure why",
    "The tests are not passing",
    "that should work",
    "You should be able to see the page",
    "This should never happen to a user",
    "I never liked that parser",
    "Wrong file",
    "Undo the last change",
    "Now add a test",
    "don't worry about the docs",
    "Never mind",
    "stop the server",
    "Notify the user when it fails",
    "Nothing else, thanks",
    "Make the button blue instead of red",
    "<system-reminder>no, wrong</system-reminder>",
    "[Request interrupted by user]",
    "<hardwon-memory>\n- Don't do x\n</hardwon-memory>",
    "",
];

#[test]
fn corrections_are_told_from_what_passes() {
    let missed: Vec<&&str> = CORRECTIONS.iter().filter(|said| corrected(said).is_none()).collect();
    let made_up: Vec<&&str> = OTHERS.iter().filter(|said| corrected(said).is_some()).collect();
    assert!(missed.is_empty() && made_up.is_empty(), "missed {missed:#?}, made up {made_up:#?}");
    assert_eq!(corrected(" Use b instead of c ").as_deref(), Some("Use b instead of c"));
    let task = format!("Never use {}", "x ".repeat(250));
    assert_eq!(corrected(&task), None, "a whole new task");
}

#[test]
fn a_stated_correction_may_be_chatter() {
    for said in
        ["Great, ship it", "Why npm?", "Thanks. Looks good!", "Actually, that is a great idea"]
    {
        assert!(is_chatter(said), "{said}");
    }
    for said in CORRECTIONS.iter().chain(&["use the api", "wrong folder", "Use good names"]) {
        assert!(!is_chatter(said), "{said}");
    }
}

#[test]
fn a_refused_call_may_say_why() {
    let refusal = |said: &str| {
        format!(
            "The user doesn't want to proceed with this tool use. To tell you how to proceed, \
             the user said:\n{said}"
        )
    };
    assert_eq!(refused(&refusal("use the api")), Some(Some("use the api".to_owned())));
    assert_eq!(refused(&refusal("wait, let me look at it first")), Some(None));
    assert_eq!(refused(&refusal("what does that do?")), Some(None));
    assert_eq!(refused("The user doesn't want to proceed."), Some(None));
    assert_eq!(refused("Error: x"), None);
}
