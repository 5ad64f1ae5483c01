use std::os::unix::fs::symlink;

use hardwon_engine::voice::Speaker;
use tempfile::TempDir;

use super::*;

/// A checkout and a home, both empty.
struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        let world = World { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.path("tree")).unwrap();
        fs::create_dir_all(world.path("home")).unwrap();
        world
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn put(&self, below: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn environment(&self) -> Environment {
        Environment {
            home: Some(self.path("data")),
            user_home: Some(self.path("home")),
            folder: self.path("tree"),
            speaker: Speaker::person(),
            now: Some("2026-04-03T14:00:00Z".to_owned()),
            ..Environment::default()
        }
    }

    fn told(&self, role: Option<&str>) -> Vec<String> {
        let loaded = Loaded { project: true, notebook: false };
        let at_hand = at_hand(&self.environment(), &Places::default(), role, loaded);
        at_hand.notebooks.into_iter().map(|note| note.text).collect()
    }

    fn project(&self, stated: Option<&str>) -> Vec<String> {
        let places = Places { stated: stated.map(|below| self.path(below)), ..Places::default() };
        let at_hand = at_hand(&self.environment(), &places, None, Loaded::default());
        at_hand.project.into_iter().map(|note| note.text).collect()
    }

    fn git(&self, arguments: &[&str]) {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(arguments)
            .current_dir(self.path("tree"))
            .env_remove("GIT_DIR")
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

const BUILDER: &str = "tree/.claude/agent-memory/builder";

#[test]
fn a_role_has_three_notebooks_and_no_other_name_leads_to_one() {
    let world = World::new();
    world.put(&format!("{BUILDER}/a.md"), "---\nname: A\n---\nSwitch back first\n");
    world.put("tree/.claude/agent-memory-local/builder/b.md", "Local fact");
    world.put("home/.claude/agent-memory/builder/c.md", "Fact of the user");
    world.put("tree/.claude/agent-memory/tester/d.md", "Fact of the tester");
    let mut all = world.told(Some("builder"));
    all.sort();
    assert_eq!(all, ["Fact of the user", "Local fact", "Switch back first"]);
    assert_eq!(world.told(Some("Builder")), world.told(Some("builder")));
    for role in [None, Some("../agent-memory/builder"), Some("."), Some(""), Some("build/er")] {
        assert!(world.told(role).is_empty(), "{role:?}");
    }
}

#[test]
fn a_link_into_another_notebook_brings_that_note_alone() {
    let world = World::new();
    world.put(&format!("{BUILDER}/a.md"), "Builds need a tag: [[tester/one]], not [[../x/one]]");
    world.put("tree/.claude/agent-memory/tester/one.md", "First of the tester");
    world.put("tree/.claude/agent-memory/tester/two.md", "Second of the tester");
    let all = world.told(Some("builder"));
    assert_eq!(all, ["Builds need a tag: [[tester/one]], not [[../x/one]]", "First of the tester"]);
}

#[test]
fn items_of_an_index_are_notes_too_the_last_first() {
    let world = World::new();
    let index = "# Mine\n- [A](a.md) — hook\n- older item\n```\n- in a fence\n```\n* newer item\n";
    world.put(&format!("{BUILDER}/MEMORY.md"), index);
    world.put(&format!("{BUILDER}/a.md"), "The fact");
    assert_eq!(world.told(Some("builder")), ["The fact", "newer item", "older item"]);
}

#[test]
fn links_pipes_and_odd_bytes_are_left_out() {
    let world = World::new();
    world.put("elsewhere/x.md", "Not for you");
    fs::create_dir_all(world.path("tree/.claude/agent-memory")).unwrap();
    symlink(world.path("elsewhere"), world.path("tree/.claude/agent-memory/linked")).unwrap();
    assert!(world.told(Some("linked")).is_empty());
    world.put(&format!("{BUILDER}/good.md"), "Good fact");
    world.put(&format!("{BUILDER}/bytes.md"), b"\xff\xfe bad");
    world.put(&format!("{BUILDER}/MEMORY.md"), b"- \xff\n");
    world.put(&format!("{BUILDER}/head.md"), "---\nname: never closed\n");
    world.put(&format!("{BUILDER}/long.md"), "x".repeat(100_000));
    symlink(world.path("elsewhere/x.md"), world.path(&format!("{BUILDER}/link.md"))).unwrap();
    fs::create_dir_all(world.path(&format!("{BUILDER}/folder.md"))).unwrap();
    assert_eq!(world.told(Some("builder")), ["Good fact"]);
    // A way that is a link anywhere leads nowhere.
    fs::rename(world.path("tree/.claude"), world.path("moved")).unwrap();
    symlink(world.path("moved"), world.path("tree/.claude")).unwrap();
    assert!(world.told(Some("builder")).is_empty());
}

#[test]
fn the_index_of_the_project_is_told_in_its_order_and_within_bounds() {
    let world = World::new();
    assert!(world.project(None).is_empty());
    let index =
        "# Notes\n- bare item\n- [Login](login.md) — old clients\n- [Out](../../etc/x.md) — no\n";
    world.put("notes/MEMORY.md", index);
    assert_eq!(world.project(Some("notes")), ["bare item", "Login: old clients"]);
    let line = |n: usize| format!("- [Title {n}](note_{n}.md) — hook of this line\n");
    world.put("notes/MEMORY.md", (0..5_000).map(line).collect::<String>());
    let told = world.project(Some("notes"));
    assert_eq!(told[0], "Title 0: hook of this line");
    assert!((400..700).contains(&told.len()), "{}", told.len());
    world.put("notes/MEMORY.md", "x".repeat(30_000));
    assert!(world.project(Some("notes")).is_empty());
    assert!(world.project(Some("nowhere")).is_empty());
}

#[test]
fn what_git_tracks_is_inert_until_a_person_approves_it() {
    let world = World::new();
    world.git(&["init", "--quiet"]);
    world.put(&format!("{BUILDER}/a.md"), "Came with the checkout");
    world.put("tree/.claude/agent-memory-local/builder/b.md", "Own fact");
    world.put("tree/.gitignore", ".claude/agent-memory-local\n");
    assert_eq!(world.told(Some("builder")).len(), 2, "git tracks nothing yet");
    world.git(&["add", "."]);
    assert_eq!(world.told(Some("builder")), ["Own fact"]);
    let path = ".claude/agent-memory/builder";
    let looked = crate::trust::look(&world.environment(), path).unwrap().body;
    assert_eq!(looked.notes, ["Came with the checkout"]);
    crate::trust::pin(&world.environment(), path).unwrap();
    assert_eq!(world.told(Some("builder")).len(), 2);
    world.put(&format!("{BUILDER}/a.md"), "Came with the next pull");
    assert_eq!(world.told(Some("builder")), ["Own fact"], "any change ends it");
    crate::trust::pin(&world.environment(), path).unwrap();
    crate::trust::unpin(&world.environment(), path).unwrap();
    assert_eq!(world.told(Some("builder")), ["Own fact"]);
}

#[test]
fn a_notebook_that_the_host_loads_is_not_told_again() {
    let world = World::new();
    world.put(&format!("{BUILDER}/a.md"), "Fact of the project");
    world.put("tree/.claude/agent-memory-local/builder/b.md", "Local fact");
    let told = |notebook: bool| {
        let loaded = Loaded { project: true, notebook };
        let all = at_hand(&world.environment(), &Places::default(), Some("builder"), loaded);
        all.notebooks.into_iter().map(|note| note.text).collect::<Vec<_>>()
    };
    assert_eq!(told(true).len(), 2, "no definition asks for it");
    let definition = "---\nname: builder\nmemory: project\n---\nYou build.\n";
    world.put("tree/.claude/agents/builder.md", definition);
    assert_eq!(told(true), ["Local fact"]);
    assert_eq!(told(false).len(), 2, "another host does not read it");
}
