//! Which project is it? Checkouts that are moved, copied, cloned, replaced, forged and joined.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use hardwon_engine::answer::ProjectShown;
use hardwon_engine::ids::{LessonId, ProjectId};
use hardwon_engine::voice::Speaker;
use hardwon_engine::{Access, EngineError, Environment, ListRequest, Options, lessons, projects};

use crate::harness::{NOW, Pipeline, WISH as LESSON, wish};

const OTHER: &str = "Name branches after the ticket number";

/// A disk with checkouts, and one memory for all of them.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new() -> Self {
        Disk(tempfile::tempdir().unwrap())
    }

    /// A disk with a checkout of one commit, in which `LESSON` was stated.
    fn with_shop() -> Self {
        let disk = Disk::new();
        disk.repository("shop", "0000 1111 ada");
        disk.state("shop", LESSON);
        disk
    }

    fn at(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap().join(name)
    }

    fn environment(&self, name: &str) -> Environment {
        let (home, now, folder) = (Some(self.at("home")), Some(NOW.into()), self.at(name));
        Environment { home, now, folder, speaker: Speaker::person(), ..Environment::default() }
    }

    fn read(&self, name: &str) -> Pipeline {
        Pipeline::open_for(&self.environment(name), Access::Read)
    }

    fn open(&self, name: &str) -> Pipeline {
        Pipeline::open(&self.environment(name))
    }

    /// The same where the caller names the project.
    fn open_named(&self, name: &str, project: &str) -> Pipeline {
        let project = Some(project.to_owned());
        Pipeline::open(&Environment { project, ..self.environment(name) })
    }

    /// A repository as git leaves it after one commit.
    fn repository(&self, name: &str, reflog: &str) {
        fs::create_dir_all(self.at(name).join(".git/logs")).unwrap();
        fs::write(self.at(name).join(".git/logs/HEAD"), format!("{reflog}\n")).unwrap();
    }

    fn state(&self, name: &str, text: &str) -> LessonId {
        self.open(name).wish(text).id
    }

    /// The lessons that are seen from there.
    fn seen(&self, name: &str) -> Vec<String> {
        self.read(name).lessons().iter().map(|lesson| lesson.text.as_str().to_owned()).collect()
    }

    fn project(&self, name: &str) -> ProjectId {
        self.read(name).call.project.clone()
    }

    fn shown(&self, name: &str) -> ProjectShown {
        self.read(name).project_show(None).unwrap().body
    }

    fn because(&self, name: &str) -> String {
        self.shown(name).because.unwrap_or_default()
    }

    fn checkouts(&self, name: &str) -> Vec<String> {
        self.shown(name).project.checkouts
    }

    fn move_to(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).unwrap();
    }

    fn copy(&self, from: &str, to: &str) {
        run(Command::new("cp").arg("-a").arg(self.at(from)).arg(self.at(to)));
    }

    fn git(&self, name: &str, args: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(self.at(name)).env("GIT_CONFIG_GLOBAL", "/dev/null");
        git.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(args);
        run(&mut git);
    }

    /// A bare repository with a commit, and two clones of it.
    fn clones(&self) {
        fs::create_dir(self.at("first")).unwrap();
        self.git("first", &["init", "-q"]);
        self.git("first", &["commit", "-q", "--allow-empty", "-m", "begin"]);
        self.git("", &["clone", "-q", "--bare", "first", "origin.git"]);
        self.git("", &["clone", "-q", "origin.git", "shop"]);
        self.git("", &["clone", "-q", "origin.git", "clone"]);
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}

#[test]
fn a_moved_checkout_finds_its_memory_again() {
    let disk = Disk::with_shop();
    let project = disk.project("shop");
    assert!(project.as_str().starts_with("shop-"), "an id is no path: {project}");
    disk.move_to("shop", "store");
    assert_eq!((disk.seen("store"), disk.project("store")), (vec![LESSON.to_owned()], project));
    assert!(disk.because("store").starts_with("it was moved here from "));
    // Until something is written, it is found by its mark alone; then its new place is known.
    disk.state("store", OTHER);
    assert_eq!(disk.checkouts("store"), [disk.at("store").display().to_string()]);
    assert_eq!(disk.because("store"), "this checkout belongs to it");
    // The reflog is pruned by git; our file keeps the mark.
    fs::write(disk.at("store/.git/logs/HEAD"), "1111 2222 ada\n").unwrap();
    disk.move_to("store", "elsewhere");
    assert_eq!(disk.seen("elsewhere").len(), 2);
}

#[test]
fn a_copy_is_a_project_of_its_own() {
    let disk = Disk::with_shop();
    disk.copy("shop", "copy");
    assert_eq!(disk.seen("copy"), [""; 0]);
    assert!(disk.because("copy").starts_with("new: a copy of a checkout of shop-"));
    disk.state("copy", OTHER);
    assert_eq!((disk.seen("shop").len(), disk.seen("copy").len()), (1, 1));
    // From now on each has a mark of its own: the copy does not become the other one when
    // that is gone, and both can be moved.
    fs::remove_dir_all(disk.at("shop")).unwrap();
    disk.move_to("copy", "moved");
    assert_eq!(disk.seen("moved"), [OTHER]);
}

#[test]
fn a_clone_is_new_and_is_offered_its_kin_once() {
    let disk = Disk::new();
    disk.clones();
    disk.state("shop", LESSON);
    let shop = disk.project("shop");
    assert_eq!(disk.seen("clone"), [""; 0]);
    let offered = |name: &str| disk.open(name).offered_kin().unwrap().map(|kin| kin.id);
    assert_eq!(offered("clone"), Some(shop.clone()));
    disk.open("clone").keep_apart().unwrap();
    assert_eq!(offered("clone"), None, "it was asked once");
    assert_eq!(disk.shown("clone").kin, [shop.as_str()]);
    // What has another remote is another repository, whatever it began with.
    disk.git("", &["clone", "-q", "shop", "fork"]);
    assert_eq!(offered("fork"), None);
}

#[test]
fn a_clone_can_be_joined_by_hand_and_parted_again() {
    let disk = Disk::new();
    disk.clones();
    disk.state("shop", LESSON);
    disk.open("clone").project_alias("shop", None).unwrap();
    assert_eq!(
        (disk.seen("clone"), disk.project("clone")),
        (vec![LESSON.into()], disk.project("shop"))
    );
    assert_eq!(disk.checkouts("shop").len(), 2);
    disk.open("clone").undo().unwrap();
    assert_eq!((disk.seen("clone").len(), disk.seen("shop").len()), (0, 1));
}

#[test]
fn checkouts_of_one_project_are_handed_to_another() {
    let disk = Disk::new();
    disk.repository("a", "0000 1111 ada");
    disk.repository("b", "0000 2222 ada");
    disk.state("a", LESSON);
    disk.state("b", OTHER);
    let (a, b) = (disk.project("a"), disk.project("b"));
    disk.open("a").project_alias("b", Some("a")).unwrap();
    assert_eq!((disk.project("b"), disk.seen("b")), (a, vec![LESSON.to_owned()]));
    assert_eq!(disk.open_named("b", b.as_str()).lessons().len(), 1, "nothing is lost");
}

#[test]
fn a_named_project_is_its_name() {
    let disk = Disk::new();
    disk.repository("shop", "0000 1111 ada");
    let mut bakery = disk.open_named("shop", "bakery");
    let lesson = bakery.wish(LESSON);
    let id = LessonId::derive(Some(&ProjectId::new("bakery")), "preference", LESSON, |_| false);
    assert_eq!(lesson.id, id);
    assert!(!disk.at("shop/.git/hardwon").exists(), "the checkout has nothing to do with it");
    assert_eq!(disk.seen("shop"), [""; 0]);
    assert!(matches!(bakery.project_alias("bakery", None), Err(EngineError::NoCheckout)));
}

#[test]
fn reading_and_what_comes_to_nothing_leave_nothing_behind() {
    let disk = Disk::new();
    disk.repository("shop", "0000 1111 ada");
    assert_eq!(disk.read("shop").compose(&Default::default()).unwrap().block, "");
    assert_eq!(disk.seen("shop"), [""; 0]);
    assert!(disk.open("shop").forget("l-nothing").is_err());
    assert!(!disk.at("home").exists());
    assert_eq!(fs::read_dir(disk.at("shop/.git")).unwrap().count(), 1);
}

/// An archive brings its git directory along, and with it whatever it wants to be.
#[test]
fn a_checkout_cannot_claim_anothers_memory() {
    let disk = Disk::with_shop();
    let mark = fs::read_to_string(disk.at("shop/.git/hardwon")).unwrap();
    disk.repository("marked", "0000 3333 eve");
    fs::write(disk.at("marked/.git/hardwon"), mark).unwrap();
    fs::create_dir(disk.at("pointing")).unwrap();
    let git_dir = disk.at("shop/.git").display().to_string();
    fs::write(disk.at("pointing/.git"), format!("gitdir: {git_dir}\n")).unwrap();
    fs::create_dir(disk.at("linked")).unwrap();
    std::os::unix::fs::symlink(&git_dir, disk.at("linked/.git")).unwrap();
    fs::create_dir_all(disk.at("worktree/fake")).unwrap();
    fs::write(disk.at("worktree/fake/commondir"), &git_dir).unwrap();
    fs::write(disk.at("worktree/.git"), "gitdir: fake\n").unwrap();
    for name in ["marked", "pointing", "linked", "worktree"] {
        assert_eq!(disk.seen(name), [""; 0], "{name}");
        disk.state(name, OTHER);
        assert_eq!(disk.seen("shop"), [LESSON], "{name}");
    }
}

#[test]
fn projects_are_listed_shown_and_renamed() {
    let disk = Disk::with_shop();
    let lesson = disk.open("shop").only_lesson();
    let shown = disk.open("shop").project_rename(".", "The Shop").unwrap().body.project;
    assert_eq!((shown.name.as_str(), shown.n_lessons), ("The Shop", 1));
    assert_eq!(disk.read("shop").only_lesson().id, lesson.id);
    let list = disk.read("shop").project_list().unwrap().body.projects;
    assert_eq!(list.len(), 1);
    assert!(list[0].is_current && list[0].checkouts.len() == 1, "{list:?}");
    let named = |name: &str| disk.read("shop").project_show(Some(name));
    assert_eq!(named("The Shop").unwrap().body.project.id, shown.id);
    assert!(matches!(named("bakery"), Err(EngineError::UnknownProject { .. })));
}

#[test]
fn an_agent_does_not_say_where_a_checkout_belongs() {
    let disk = Disk::with_shop();
    disk.repository("other", "0000 2222 ada");
    let agent = Environment { speaker: Speaker::agent("claude"), ..disk.environment("other") };
    let mut p = Pipeline::open(&agent);
    for refused in [p.project_alias("shop", None), p.project_rename("shop", "mine")] {
        assert!(matches!(refused, Err(EngineError::NeedsPerson { .. })));
    }
}

#[test]
fn a_project_is_known_once_something_is_kept_of_it_and_asking_makes_none() {
    let disk = Disk::with_shop();
    let shop = disk.read("shop");
    let id = shop.call.project.clone();
    assert_eq!(projects::known(&shop.memory, &id).unwrap().id, id);
    let asked = projects::known(&shop.memory, &ProjectId::new("bakery"));
    assert!(matches!(asked, Err(EngineError::UnknownProject { name }) if name == "bakery"));
    assert_eq!(disk.read("shop").project_list().unwrap().body.projects.len(), 1);
}

#[test]
fn a_call_about_another_project_reads_that_one_and_joins_no_checkout() {
    let disk = Disk::with_shop();
    disk.repository("bakery", "0000 2222 ada");
    disk.state("bakery", OTHER);
    let bakery = disk.read("bakery").call.project.clone();
    // A checkout that is new here, and would be joined by its first write.
    disk.repository("fresh", "0000 3333 ada");
    let mut fresh = disk.open("fresh");
    let there = fresh.call.about(bakery.clone());
    lessons::add(&mut fresh.memory, &there, &wish("Weigh the flour twice")).unwrap();
    let listed = lessons::list(&fresh.memory, &there, &ListRequest::default()).unwrap();
    assert_eq!(listed.body.lessons.len(), 2);
    assert_eq!(disk.checkouts("bakery").len(), 1);
}

#[test]
fn what_makes_an_open_memory_stale_is_named() {
    let disk = Disk::with_shop();
    let environment = disk.environment("shop");
    let watched = Options::default().watched(&environment);
    let home = disk.at("home");
    let project = disk.at("shop").join(".hardwon").join("config.toml");
    assert_eq!(watched.settings, [home.join("config.toml"), project]);
    assert_eq!(watched.store, Some(home.join("memory.db")));
    let options = Options { store: Some("sqlite:other.db".into()), ..Options::default() };
    let elsewhere = options.watched(&environment);
    assert_eq!(elsewhere.store, Some(disk.at("shop").join("other.db")));
    assert!(!elsewhere.is_foreign);
}
