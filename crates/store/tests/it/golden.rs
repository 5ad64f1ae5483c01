//! The journal payload of every change, as released: what was written must stay
//! readable, and must be written the same again. A new change gets a new line; a line
//! is never edited.

use std::collections::BTreeSet;
use std::path::Path;

use crate::conformance::erase_cases::forgotten;
use crate::conformance::sample::{
    add_attempt, add_consultation, add_deliberation, add_finding, add_injection, add_run, attempt,
    consultation, deliberation, describe, edit_project, finding, injection, lesson, project_at,
    run,
};
use hardwon_core::change::{Change, LessonField, PAYLOAD_VERSION};
use hardwon_core::lesson::{Guidance, Lesson};

/// Changes as they are made today: their ids and digests, too, have to stay what they are.
fn todays_changes() -> Vec<Change> {
    let full = lesson("Socket left open");
    let with = |guidance: Guidance| Lesson { guidance, ..full.clone() };
    let unworded = with(Guidance { summary: None, ..full.guidance.clone() });
    let shop = project_at("shop-0123456789", "/home/ada/shop", Some("one"));
    let both = shop.clone().with(project_at("x", "/yard/notes", None).checkouts[0].clone());
    let answer = deliberation("r11", 1_775_000_500_000, "The pool leaks. Close it.");
    let mut changes = forgotten(&full, &[], &["src/socket.rs"]).split_off(1);
    changes.extend([
        add_run(&run("r9", 9)),
        add_finding(&finding("r7", "Socket left open")),
        add_injection(&injection("r7", "judge", &[&with(Guidance::default())])),
        describe(&shop),
        edit_project(&shop, &both),
        add_deliberation(&answer),
        add_attempt(&attempt("r11", 1_775_000_500_000, "Close the pool")),
        add_consultation(&consultation("r12", 1_775_000_600_000)),
        Change::edit_lesson(&unworded, &full, "edited by ada").unwrap(),
    ]);
    changes
}

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(path).unwrap()
}

fn golden() -> String {
    file(&format!("tests/golden/journal-v{PAYLOAD_VERSION}.jsonl"))
}

#[test]
fn old_payloads_are_read_and_written_the_same() {
    for line in golden().lines() {
        let change: Change = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&change).unwrap(), line);
    }
}

#[test]
fn todays_payloads_are_the_golden_ones() {
    let golden = golden();
    for change in todays_changes() {
        let line = serde_json::to_string(&change).unwrap();
        assert!(golden.lines().any(|it| it == line), "to be added to the file:\n{line}");
    }
}

#[test]
fn every_field_of_a_lesson_is_in_the_golden_edits() {
    let golden = golden();
    let changes: Vec<Change> = golden.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let fields = changes.iter().flat_map(|change| match change {
        Change::EditLesson { fields, .. } => &fields[..],
        _ => &[],
    });
    let names: BTreeSet<&str> = fields.map(LessonField::name).collect();
    let lesson = serde_json::to_value(lesson("x")).unwrap();
    let fixed = ["id", "project", "author", "origin", "created_at"];
    let changeable = lesson.as_object().unwrap().keys().map(String::as_str);
    let changeable: BTreeSet<&str> = changeable.filter(|name| !fixed.contains(name)).collect();
    assert_eq!(names, changeable);
}

/// A case that is taken out of the list would be missed by nobody.
#[test]
fn every_store_passes_every_case_that_was_frozen() {
    let source = file("tests/conformance/mod.rs");
    let (_, list) = source.split_once("{ $make =>").unwrap();
    let (list, _) = list.split_once('}').unwrap();
    let of_module = |part: &str| {
        let (module, cases) = part.split_once(':')?;
        let named = |case: &str| format!("{}::{}", module.trim(), case.trim());
        Some(cases.split(',').map(named).collect::<Vec<String>>())
    };
    let cases: BTreeSet<String> = list.split(';').filter_map(of_module).flatten().collect();
    let frozen: BTreeSet<String> =
        file("tests/golden/conformance.txt").lines().map(str::to_owned).collect();
    assert_eq!(cases, frozen, "a new case gets a line of conformance.txt, and none is taken out");
    for store in ["src/memory/tests.rs", "tests/it/sqlite.rs", "tests/postgres/main.rs"] {
        assert!(file(store).contains("crate::conformance::conformance_tests!("), "{store}");
    }
}
