//! Notes as a person changes them: one step for files and index, taken back as one, whole after a
//! kill, with every byte of others in place.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::voice::{Speaker, Voice};
use hardwon_engine::{EngineError, Environment};
use hardwon_foreign::notes::{self, NewNote, NoteChange, NoteKind, Target};
use proptest::prelude::*;

use crate::place::environment;

struct Desk {
    folder: tempfile::TempDir,
    environment: Environment,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("notes")).unwrap();
        let environment = environment(folder.path());
        Desk { folder, environment }
    }

    fn with_voice(mut self, voice: Voice) -> Self {
        self.environment.speaker = Speaker { voice, ..Speaker::person() };
        self
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("notes")
    }

    fn put(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).unwrap_or_default()
    }

    fn add(&self, text: &str) -> Result<String, EngineError> {
        let added = notes::add(&self.environment, &self.notes(), &new(text))?;
        Ok(added.body.slug.unwrap_or_default())
    }

    fn undo(&self) -> Result<(), EngineError> {
        notes::undo(&self.environment, &self.notes(), None).map(drop)
    }

    /// Every file of the folder of notes, and the rules.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let rules = self.folder.path().join("CLAUDE.md");
        found.extend(fs::read(&rules).ok().map(|bytes| (rules, bytes)));
        take(&self.notes(), &mut found);
        found
    }

    fn journal(&self) -> PathBuf {
        let data = self.environment.data_folder().unwrap().join("notes");
        let own = fs::read_dir(data).unwrap().next().unwrap().unwrap().path();
        own.join("journal.jsonl")
    }
}

fn take(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => take(&path, found),
            false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
}

fn new(text: &str) -> NewNote {
    NewNote {
        text: text.to_owned(),
        kind: NoteKind::Project,
        title: None,
        why: None,
        how: None,
        links: Vec::new(),
        is_forced: false,
    }
}

const MIGRATE: &str = "Run the migrations before the tests, they share a database.";
const SIGN: &str = "Sign images with the key of the build machine, never by hand.";

#[test]
fn a_note_is_added_with_its_line_and_taken_back() {
    let desk = Desk::new();
    let slug = desk.add(MIGRATE).unwrap();
    assert_eq!(slug, "project_run-the-migrations-before-the-tests");
    let file = desk.text(&format!("notes/{slug}.md"));
    assert!(file.contains(MIGRATE) && file.contains("type: project"), "{file}");
    let index = desk.text("notes/MEMORY.md");
    let line =
        format!("- [Run the migrations before the tests]({slug}.md) — they share a database.");
    assert!(index.contains(&line), "{index}");
    desk.undo().unwrap();
    assert_eq!(desk.files(), BTreeMap::new());
    assert!(desk.undo().is_err(), "there is nothing more");
}

#[test]
fn what_is_documented_obvious_or_known_is_refused_with_its_reason() {
    let desk = Desk::new();
    desk.put("docs/tests.md", format!("# Tests\n\n{MIGRATE}\n"));
    let refused = desk.add(MIGRATE).unwrap_err().to_string();
    assert!(refused.contains("docs/tests.md:3"), "{refused}");
    let forced = NewNote { is_forced: true, ..new(MIGRATE) };
    notes::add(&desk.environment, &desk.notes(), &forced).unwrap();
    let again = notes::add(&desk.environment, &desk.notes(), &forced).unwrap_err().to_string();
    assert!(again.contains("says the same"), "{again}");
    let vague = desk.add("The import module has some history in the project.").unwrap_err();
    assert!(vague.to_string().contains("actionable"), "{vague}");
}

#[test]
fn who_is_speaking_decides() {
    let desk = Desk::new();
    let slug = desk.add(MIGRATE).unwrap();
    let before = desk.files();
    let desk = desk.with_voice(Voice::Agent);
    let (environment, path) = (&desk.environment, &desk.notes());
    assert!(notes::forget(environment, path, &slug).is_err());
    assert!(notes::edit(environment, path, &slug, &NoteChange::default()).is_err());
    assert!(notes::fix(environment, path, false).is_err());
    assert!(notes::shorten(environment, path, false).is_err());
    assert!(notes::promote(environment, path, &slug, None, true).is_err());
    let proposed = notes::add(environment, path, &new(SIGN)).unwrap().body;
    assert!(proposed.is_proposal && proposed.files.is_empty(), "{proposed:?}");
    assert_eq!(desk.files(), before, "an agent writes nothing");
    let id = proposed.slug.unwrap();
    assert!(notes::accept(environment, path, &id).is_err());
    let desk = desk.with_voice(Voice::Script);
    assert!(notes::accept(&desk.environment, &desk.notes(), &id).is_err());
    let recurrent = desk.add("Never deploy on Fridays, nobody watches.").unwrap_err();
    assert!(recurrent.to_string().contains("recurrent"), "{recurrent}");
    let desk = desk.with_voice(Voice::Person);
    let accepted = notes::accept(&desk.environment, &desk.notes(), &id).unwrap().body;
    let file = desk.text(&format!("notes/{}.md", accepted.slug.unwrap()));
    assert!(file.contains(SIGN), "{file}");
}

#[test]
fn an_edit_changes_what_is_named() {
    let desk = Desk::new();
    let odd = "---\r\nname: \"Odd: one\"\r\ndescription: d # of a person\r\nextra: [1, 2]\r\ntype: \
               project\r\n---\r\n\r\nThe fact.\r\n\r\nMore of it.\r\n";
    desk.put("notes/odd.md", odd);
    let slug = desk.add(MIGRATE).unwrap();
    let links = vec![slug.clone()];
    let change = NoteChange { why: Some("because".into()), links, ..NoteChange::default() };
    notes::edit(&desk.environment, &desk.notes(), "odd", &change).unwrap();
    let text = desk.text("notes/odd.md");
    let head = odd.split("---").nth(1).unwrap();
    assert!(text.contains(head.trim_end()), "{text:?}");
    assert!(text.contains("More of it.\r\n\r\n**Why:** because\r\n"), "{text:?}");
    assert!(text.contains(&format!("[[{slug}]]")), "{text:?}");
    let nowhere = NoteChange { links: vec!["nowhere".into()], ..NoteChange::default() };
    assert!(notes::edit(&desk.environment, &desk.notes(), "odd", &nowhere).is_err());
}

#[test]
fn faults_are_repaired_as_far_as_they_can_be() {
    let desk = Desk::new();
    desk.put("notes/project_a.md", "---\nname: A\ntype: project\n---\nSee [[b]] and [[gone]].\n");
    desk.put("notes/project_b.md", "---\nname: Long B\ntype: project\n---\nSomething else.\n");
    desk.put("notes/project_c.md", "---\nname: never closed\n");
    let index = "# Mine\n\n- [A](project_a.md) — a\n- [A](project_a.md) — again\n\
                 - [G](gone.md) — g\n- [Out](../../etc/x.md) — o\ntext\n";
    desk.put("notes/MEMORY.md", index);
    let fixed = notes::fix(&desk.environment, &desk.notes(), false).unwrap().body;
    assert!(desk.text("notes/project_a.md").contains("See [[project_b]] and gone."));
    let now = desk.text("notes/MEMORY.md");
    assert!(now.starts_with("# Mine\n\n- [A](project_a.md) — a\ntext\n"), "{now}");
    assert!(now.contains("(project_b.md)"), "{now}");
    assert!(fixed.remarks.iter().any(|it| it.contains("project_c.md")), "{fixed:?}");
    desk.undo().unwrap();
    assert_eq!(desk.text("notes/MEMORY.md"), index);
}

#[test]
fn an_index_that_is_too_long_is_shortened() {
    let desk = Desk::new();
    let prose: String =
        (0..5_000).map(|n| format!("- detail number {n} of the deploys\n")).collect();
    let index = format!("# Deploys\n\n{prose}\n# Other\n\n- [A](project_a.md) — a\n");
    desk.put("notes/MEMORY.md", &index);
    desk.put("notes/project_a.md", "---\nname: A\ntype: project\n---\nA fact.\n");
    let dry = notes::shorten(&desk.environment, &desk.notes(), true).unwrap().body;
    assert!(dry.operation.is_none() && !dry.files.is_empty());
    assert_eq!(desk.text("notes/MEMORY.md"), index, "nothing is written yet");
    notes::shorten(&desk.environment, &desk.notes(), false).unwrap();
    let now = desk.text("notes/MEMORY.md");
    assert!(now.lines().count() < 20, "{now}");
    assert!(now.contains("- [Deploys](project_deploys.md)") && now.contains("- [A]"), "{now}");
    let moved = desk.text("notes/project_deploys.md");
    assert!((0..5_000).all(|n| moved.contains(&format!("number {n} of"))), "something is lost");
    desk.undo().unwrap();
    assert_eq!(desk.text("notes/MEMORY.md"), index);
}

#[test]
fn a_note_becomes_a_rule() {
    let desk = Desk::new();
    let rules = "# Rules\n\n## Build\n\nUse make.\n\n## Style\n\nTabs.\n";
    desk.put("CLAUDE.md", rules);
    let slug = desk.add(MIGRATE).unwrap();
    let target = Target::parse("CLAUDE.md#Build");
    let promote = |target: &Target, is_applied| {
        notes::promote(&desk.environment, &desk.notes(), &slug, Some(target), is_applied)
    };
    let scored = promote(&target, false).unwrap().body;
    assert_eq!((scored.advice.as_str(), scored.parts.len()), ("promote", 5));
    assert_eq!(desk.text("CLAUDE.md"), rules);
    for outside in ["../CLAUDE.md", "/etc/x.md", "CLAUDE.md#Nowhere", "README"] {
        assert!(promote(&Target::parse(outside), true).is_err(), "{outside}");
    }
    promote(&target, true).unwrap();
    let block = format!("<!-- hardwon:rules -->\n- {MIGRATE}\n<!-- /hardwon:rules -->\n\n## Style");
    assert!(desk.text("CLAUDE.md").contains(&block), "{}", desk.text("CLAUDE.md"));
    assert!(desk.text(&format!("notes/archive/{slug}.md")).contains(MIGRATE));
    assert!(!desk.text("notes/MEMORY.md").contains(&slug));
    desk.put("CLAUDE.md", desk.text("CLAUDE.md").replace("Tabs", "Spaces"));
    let refused = desk.undo().unwrap_err().to_string();
    assert!(refused.contains("CLAUDE.md"), "{refused}");
    desk.put("CLAUDE.md", desk.text("CLAUDE.md").replace("Spaces", "Tabs"));
    desk.undo().unwrap();
    assert_eq!(desk.text("CLAUDE.md"), rules);
}

/// Whatever files a killed process came to, the next command finds all of them as they were
/// meant, outside the folder too.
#[test]
fn a_kill_between_any_two_files_is_finished() {
    let desk = Desk::new();
    desk.put("CLAUDE.md", "# Rules\n");
    let slug = desk.add(MIGRATE).unwrap();
    let before = desk.files();
    notes::promote(&desk.environment, &desk.notes(), &slug, None, true).unwrap();
    let after = desk.files();
    let journal = fs::read_to_string(desk.journal()).unwrap();
    let cut = &journal[..journal.rfind("{\"done\":").unwrap()];
    let mut paths: Vec<&PathBuf> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    for came_to in 0..1 << paths.len() {
        for (at, path) in paths.iter().enumerate() {
            let is_done = came_to & (1 << at) != 0;
            match if is_done { after.get(*path) } else { before.get(*path) } {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => drop(fs::remove_file(path)),
            }
        }
        fs::write(desk.journal(), cut).unwrap();
        notes::settle(&desk.environment, &desk.notes()).unwrap();
        assert_eq!(desk.files(), after, "{came_to:b}");
    }
}

/// Two that write at once: both are there.
#[test]
fn two_writers_lose_nothing() {
    let desk = Desk::new();
    let texts: Vec<String> = (0..8)
        .map(|n| format!("Never restart worker number {n} by hand, use the queue."))
        .collect();
    std::thread::scope(|scope| {
        for text in &texts {
            scope.spawn(|| desk.add(text).unwrap());
        }
    });
    let listed = notes::list(&desk.notes(), None).unwrap().body;
    assert_eq!(listed.notes.len(), 8);
    assert_eq!(desk.text("notes/MEMORY.md").matches("](project_").count(), 8);
}

proptest! {
    /// A folder of whatever others left there survives what we do, byte for byte.
    #[test]
    fn bytes_of_others_stay(
        files in prop::collection::btree_map(
            "[a-z]{1,6}",
            prop_oneof![
                "(---\n(name: [a-z:\"']{0,8}\n|x: [1-9\\[{]{0,3}\n|type: project\r?\n){0,4}---\n)?\
                 [a-z#*\\[\\] \n\r]{0,40}".prop_map(String::into_bytes),
                prop::collection::vec(any::<u8>(), 0..40),
            ],
            0..5,
        ),
        index in "(# [a-z]{1,5}\r?\n|- \\[[a-z]{1,3}\\]\\([a-z]{1,6}\\.md\\) — [a-z]{0,5}\r?\n|\
                  [a-z<!-]{0,9}\r?\n){0,8}",
    ) {
        let desk = Desk::new();
        for (name, bytes) in &files {
            desk.put(&format!("notes/{name}.md"), bytes);
        }
        desk.put("notes/MEMORY.md", &index);
        let before = desk.files();
        let slug = desk.add(MIGRATE).unwrap();
        for (path, bytes) in &before {
            if !path.ends_with("MEMORY.md") {
                prop_assert_eq!(&fs::read(path).unwrap(), bytes);
            }
        }
        // Lines of others stay, in their order.
        let now = desk.text("notes/MEMORY.md");
        let mut rest = now.lines();
        for line in index.lines() {
            prop_assert!(rest.any(|it| it == line), "{line:?} is lost: {now:?}");
        }
        notes::forget(&desk.environment, &desk.notes(), &slug).unwrap();
        desk.undo().unwrap();
        desk.undo().unwrap();
        prop_assert_eq!(desk.files(), before);
    }
}
