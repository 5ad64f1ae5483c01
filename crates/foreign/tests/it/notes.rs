//! Notes as a person changes them: one step for files and index, taken back as one, whole after a
//! kill, with every byte of others in place.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hardwon_engine::voice::{Speaker, Voice};
use hardwon_engine::{Access, EngineError, Environment, OpenMemory, Options, history};
use hardwon_foreign::LAYOUTS;
use hardwon_foreign::jkz::notes::{self, NewNote, NoteKind, Target};
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
        let store = Some(format!("jkz:{}", self.notes().display()));
        let options = Options { store, foreign: LAYOUTS, ..Options::default() };
        let OpenMemory { mut memory, call } =
            OpenMemory::open(&self.environment, &options, Access::Write)?;
        history::undo(&mut memory, &call, None).map(drop)
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
    let (text, kind, links) = (text.to_owned(), NoteKind::Project, Vec::new());
    NewNote { text, kind, title: None, why: None, how: None, links, is_forced: false }
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
    assert!(notes::promote(environment, path, &slug, None, true).is_err());
    assert!(notes::add(environment, path, &new(SIGN)).is_err());
    assert_eq!(desk.files(), before, "an agent writes nothing");
    let desk = desk.with_voice(Voice::Script);
    let recurrent = desk.add("Never deploy on Fridays, nobody watches.").unwrap_err();
    assert!(recurrent.to_string().contains("recurrent"), "{recurrent}");
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
