//! A folder of notes as a live store: what Claude Code keeps is taken over, and only what may be
//! shown gets a file and a line of the index.

use std::os::unix::fs::symlink;

use hardwon_core::change::{Change, FileEdit};
use hardwon_engine::lesson::{Kind, State};
use hardwon_engine::write::{Command, write};
use hardwon_engine::{AddRequest, Call, EngineError, Memory, history, lessons};
use hardwon_foreign::LAYOUTS;

use crate::place::Place;

const PNPM: &str = "---
name: Package manager
description: pnpm, because of the workspace
metadata:
  node_type: memory
  type: feedback
  originSessionId: 3f2b
  modified: 2026-03-01T09:00:00Z
color: blue # of a person
---

Use pnpm, never npm.

More about it, see [[project_ci]].

**Why:** the workspace needs it.

**How to apply:** replace npm in scripts.
";

const INDEX: &str =
    "# Memory\n\n- [Package manager](feedback_pnpm.md) — pnpm\n\nSome prose of others.\n";

fn folder() -> Place {
    let place = Place::new("jkz:notes", "notes", LAYOUTS);
    place.put("feedback_pnpm.md", PNPM);
    place.put("MEMORY.md", INDEX);
    place
}

fn edit(
    place: &Place,
    edits: &[(&str, Option<&str>, Option<&str>)],
) -> Result<Option<u64>, EngineError> {
    let changes: Vec<Change> = edits
        .iter()
        .filter_map(|(path, before, after)| FileEdit::between(path, *before, *after))
        .map(|edit| Change::EditFile { edit: Box::new(edit) })
        .collect();
    let apply = |memory: &mut Memory, call: &Call| {
        let written =
            write(memory, call, &Command::new("notes"), &mut |_, _| Ok((changes.clone(), ())));
        Ok::<_, EngineError>(written)
    };
    place.write(apply).map(|(operation, ())| operation.map(|it| it.0))
}

#[test]
fn what_may_be_shown_gets_a_file_and_a_line() {
    let place = folder();
    let kept = place.write(|memory, call| {
        let text = "A candidate lives in the journal.".into();
        let request = AddRequest { text, kind: Some(Kind::Pattern), ..AddRequest::default() };
        lessons::add(memory, call, &request)
    });
    assert_eq!(kept.body.state, State::Candidate);
    assert_eq!(place.text("MEMORY.md"), INDEX, "it may not be shown yet");
    let lesson = place.add("Error messages name the next step.");
    let file = format!("{}.md", lesson.aliases[0]);
    assert!(place.text(&file).contains("Error messages name the next step."), "{file}");
    assert!(place.text("MEMORY.md").starts_with(INDEX), "lines of others stay");
    assert!(place.text("MEMORY.md").contains(&format!("]({file})")));
    assert_eq!(place.text("feedback_pnpm.md"), PNPM, "untouched");
    assert_eq!(place.texts().len(), 3);
    // The folder is the host's: nothing of ours lies in it.
    let names = std::fs::read_dir(place.folder.path().join("notes")).unwrap();
    assert_eq!(names.count(), 3);
}

#[test]
fn what_others_write_is_taken_over() {
    let place = folder();
    place.add("Error messages name the next step.");
    place.put(
        "project_ci.md",
        "---\nname: CI\ndescription: x\ntype: project\n---\nCI runs on ARM.\n",
    );
    place.put("feedback_pnpm.md", PNPM.replace("never npm", "never yarn"));
    let texts = place.texts();
    assert!(texts.contains(&"CI runs on ARM.".to_owned()), "{texts:?}");
    assert!(texts.contains(&"Use pnpm, never yarn.".to_owned()), "{texts:?}");
    place.remove("project_ci.md");
    assert_eq!(place.texts().len(), 2);
}

#[test]
fn odd_files_are_left_alone() {
    let place = folder();
    place.put("project_broken.md", "---\nname: never closed\n");
    place.put("project_bytes.md", b"\xff\xfe");
    symlink("/etc/passwd", place.file("project_link.md")).unwrap();
    std::fs::create_dir(place.file("project_folder.md")).unwrap();
    let lesson = place.add("Error messages name the next step.");
    assert_eq!(place.texts().len(), 2);
    assert_eq!(place.bytes("project_bytes.md"), b"\xff\xfe");
    assert!(place.file("project_link.md").symlink_metadata().unwrap().is_symlink());
    place.forget(lesson.id.as_str());
    assert!(place.file("project_folder.md").is_dir());
}

#[test]
fn a_name_that_a_broken_file_has_is_not_taken() {
    let place = folder();
    let broken = "---\nname: never closed\n";
    place.put("feedback_error-messages-name-the-next-step.md", broken);
    place.put("project_error-messages-name-the-next-step.md", broken);
    let lesson = place.add("Error messages name the next step.");
    assert!(lesson.aliases[0].ends_with("-2"), "{:?}", lesson.aliases);
    assert_eq!(place.text("project_error-messages-name-the-next-step.md"), broken);
}

#[test]
fn files_are_edited_as_one_operation() {
    let place = folder();
    let new = "---\nname: CI\ndescription: x\ntype: project\n---\nCI runs on ARM.\n";
    let rules = place.folder.path().join("CLAUDE.md");
    std::fs::write(&rules, "# Rules\n").unwrap();
    let index = format!("{INDEX}- [CI](project_ci.md) — x\n");
    let outside = rules.to_str().unwrap();
    edit(
        &place,
        &[
            ("project_ci.md", None, Some(new)),
            ("MEMORY.md", Some(INDEX), Some(&index)),
            (outside, Some("# Rules\n"), Some("# Rules\n\n- CI runs on ARM.\n")),
        ],
    )
    .unwrap();
    assert_eq!(place.text("project_ci.md"), new);
    assert_eq!(std::fs::read_to_string(&rules).unwrap(), "# Rules\n\n- CI runs on ARM.\n");
    assert!(place.texts().contains(&"CI runs on ARM.".to_owned()));
    place.write(|memory, call| history::undo(memory, call, None));
    assert_eq!((place.text("project_ci.md"), place.text("MEMORY.md")), ("".into(), INDEX.into()));
    assert_eq!(std::fs::read_to_string(&rules).unwrap(), "# Rules\n");
    assert_eq!(place.texts(), ["Use pnpm, never npm."]);
}

#[test]
fn an_undo_is_refused_if_a_file_changed_since() {
    let place = folder();
    edit(&place, &[("MEMORY.md", Some(INDEX), Some("# Memory\n"))]).unwrap();
    place.put("MEMORY.md", "# Memory of somebody else\n");
    let refused = place
        .write(|memory, call| Ok::<_, EngineError>(history::undo(memory, call, None).map(drop)));
    let reason = refused.unwrap_err().to_string();
    assert!(reason.contains("MEMORY.md"), "{reason}");
    assert_eq!(place.text("MEMORY.md"), "# Memory of somebody else\n");
}

/// A writer that decided on other bytes never writes.
#[test]
fn an_edit_that_does_not_fit_is_not_written() {
    let place = folder();
    let outcome = edit(&place, &[("MEMORY.md", Some("# Other\n"), Some("# New\n"))]);
    assert!(outcome.is_err());
    assert_eq!(place.text("MEMORY.md"), INDEX);
}
