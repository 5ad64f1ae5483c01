//! Hostile checkouts: whatever a folder brings along, no command writes a byte outside of it,
//! and none waits for ever. Every case of [`cases`] meets commands of [`calls`] that write, with
//! `./test full` every one; what lies beside the checkout is compared byte by byte after each call.

mod calls;
mod cases;
mod identity;
mod tracked;
mod trusted;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::docs::every_command;
use crate::harness::{NOW, W, found, is_full, put, set_mode};
use calls::{Call, GROUPS, READS};
use cases::{CASES, Case};

/// Before the arguments of every call: the user's own word for what only a person may do.
const AS_PERSON: &[&str] = &["--as-user"];

/// A command that has not ended by then waits for ever.
const WATCHDOG: Duration = Duration::from_secs(120);

const N_THREADS: usize = 6;

/// A checkout, and what lies beside it.
pub struct Site {
    folder: tempfile::TempDir,
    pub work: PathBuf,
    /// Never to be touched.
    pub outside: PathBuf,
}

impl Site {
    /// A checkout that is still harmless.
    fn new(case: &Case) -> Site {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let work = folder.path().join(OsStr::from_bytes(case.folder));
        let outside = folder.path().join("outside");
        let site = Site { folder, work, outside };
        fs::create_dir(&site.work).expect("a new folder");
        site.put("run.jsonl", &found("r1", W));
        site.put("again.jsonl", &found("r2", W));
        site.put("notes.md", "# Progress\n\n## Done\n- nothing\n");
        site.put("events.jsonl", EVENTS);
        for (name, text) in OUTSIDE {
            put(&site.outside.join(name), text);
        }
        for name in [".bashrc", ".gitconfig", ".claude/settings.json", ".hardwon/config.toml"] {
            put(&site.home().join(name), "");
        }
        for name in ["open.jsonl", "flow/memory/lessons.jsonl", "dir/lessons.jsonl"] {
            set_mode(&site.outside.join(name), 0o666);
        }
        for name in ["dir/.left.hardwon-1-1", "flow/memory/.lessons.jsonl.hardwon-1-1"] {
            let left = fs::File::open(site.outside.join(name)).expect("it is there");
            left.set_modified(std::time::UNIX_EPOCH).expect("it is ours");
        }
        (case.build)(&site);
        site
    }

    pub fn put(&self, name: &str, text: &str) {
        put(&self.work.join(name), text);
    }

    /// A place in the checkout, with the folders above it.
    fn place(&self, name: &str) -> PathBuf {
        let path = self.work.join(name);
        fs::create_dir_all(path.parent().expect("it is below")).expect("folders can be made");
        path
    }

    /// A link in the checkout to what lies outside.
    pub fn link(&self, name: &str, target: &str) {
        symlink(self.outside.join(target), self.place(name)).expect("links can be made");
    }

    /// Another name in the checkout for a file outside.
    pub fn hard_link(&self, name: &str, target: &str) {
        fs::hard_link(self.outside.join(target), self.place(name)).expect("links can be made");
    }

    pub fn pipe(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.place(name)).status().expect("it is there");
        assert!(made.success());
    }

    /// A file that is larger than memory and takes no room.
    pub fn huge(&self, name: &str) {
        self.put(name, "");
        let file = fs::OpenOptions::new().write(true).open(self.work.join(name));
        file.and_then(|file| file.set_len(3 << 30)).expect("sparse files can be made");
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn command(&self, call: &Call) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardwon"));
        let home = if call.is_for_user { self.folder.path().join("user") } else { self.home() };
        command
            .args(AS_PERSON)
            .args(call.args.split(' '))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HARDWON_HOME", self.folder.path().join("data"))
            .env("HARDWON_WORKER", "off")
            .env("HARDWON_NOW", NOW)
            .env("HOME", home)
            .env("USER", "ada")
            .current_dir(&self.work)
            .stdout(Stdio::null());
        let complaints = fs::File::create(self.folder.path().join("stderr"));
        command.stderr(complaints.expect("the folder is ours"));
        let input = self.folder.path().join("stdin");
        let cwd = self.work.display().to_string();
        fs::write(&input, call.input.replace("CWD", &cwd)).expect("the folder is ours");
        command.stdin(fs::File::open(input).expect("it was written"));
        command
    }

    /// Everything that no command may change: what lies outside, the home, and git's own files.
    fn protected(&self) -> BTreeMap<PathBuf, Entry> {
        let mut all = BTreeMap::new();
        look(&self.outside, &mut all);
        look(&self.home(), &mut all);
        let git = self.work.join(".git");
        if fs::symlink_metadata(&git).is_ok_and(|about| about.is_dir()) {
            look(&git, &mut all);
            // Our mark, what it is written to first, and that the folder got them.
            let is_mark = |path: &Path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                path == git || name == "hardwon" || name.starts_with(".hardwon.hardwon-")
            };
            all.retain(|path, _| !is_mark(path));
        }
        all
    }

    /// What a call did that it must not do.
    fn fault_of(&self, case: &Case, call: &Call) -> Option<String> {
        let before = self.protected();
        let is_over = AtomicBool::new(false);
        let ended = std::thread::scope(|scope| {
            if !case.swapped.is_empty() {
                scope.spawn(|| swap(self, case.swapped, &is_over));
            }
            let ended = run(self.command(call));
            is_over.store(true, Ordering::Relaxed);
            ended
        });
        let told = fs::read(self.folder.path().join("stderr")).unwrap_or_default();
        let told = String::from_utf8_lossy(&told);
        let after = self.protected();
        let differing = || {
            let all = before.keys().chain(after.keys());
            let mut paths: Vec<String> = all
                .filter(|path| before.get(*path) != after.get(*path))
                .map(|path| path.display().to_string())
                .collect();
            paths.dedup();
            paths.join(", ")
        };
        match (ended, before == after) {
            (Err(reason), _) => Some(reason),
            (Ok(_), false) => Some(format!("changed {}", differing())),
            (Ok(_), true) if told.contains("panicked") => Some(told.into_owned()),
            (Ok(_), true) => None,
        }
    }
}

/// What lies under a name.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    mode: u32,
    modified: (i64, i64),
    content: Vec<u8>,
}

fn look(path: &Path, all: &mut BTreeMap<PathBuf, Entry>) {
    let Ok(about) = fs::symlink_metadata(path) else { return };
    let content = if about.is_symlink() {
        fs::read_link(path).expect("a link").as_os_str().as_bytes().to_vec()
    } else if about.is_file() && about.len() < 1 << 20 {
        fs::read(path).expect("it is ours")
    } else {
        about.len().to_string().into_bytes()
    };
    let modified = (about.mtime(), about.mtime_nsec());
    all.insert(path.to_owned(), Entry { mode: about.mode(), modified, content });
    if about.is_dir() {
        for entry in fs::read_dir(path).expect("it is ours").flatten() {
            look(&entry.path(), all);
        }
    }
}

/// Runs a command to its end, or says that it had to be ended.
fn run(mut command: Command) -> Result<Option<i32>, String> {
    let mut child = command.spawn().expect("the binary starts");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return Ok(status.code());
        }
        if started.elapsed() > WATCHDOG {
            let _ = child.kill();
            let _ = child.wait();
            return Err("it waits for ever".to_owned());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Turns folders into links and back until it is over.
fn swap(site: &Site, names: &[&str], is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        for name in names {
            let (path, aside) = (site.work.join(name), site.work.join(format!("{name}.aside")));
            if fs::rename(&path, &aside).is_ok() {
                let is_linked = symlink(site.outside.join("dir"), &path).is_ok();
                std::thread::yield_now();
                if is_linked {
                    let _ = fs::remove_file(&path);
                }
                let _ = fs::rename(&aside, &path);
            }
        }
    }
}

/// What lies beside the checkout.
const OUTSIDE: &[(&str, &str)] = &[
    ("target.txt", "keep\n"),
    ("empty", ""),
    ("config.toml", "budget = 5\n"),
    ("settings.json", "{}\n"),
    ("open.jsonl", "{}\n"),
    ("lessons.jsonl", LESSON),
    ("dir/config.toml", "budget = 5\n"),
    ("dir/settings.json", "{}\n"),
    ("dir/lessons.jsonl", LESSON),
    ("dir/.left.hardwon-1-1", "left\n"),
    ("flow/memory/lessons.jsonl", LESSON),
    ("flow/memory/.lessons.jsonl.hardwon-1-1", "left\n"),
    ("other/.git/HEAD", "ref: refs/heads/main\n"),
    ("other/.git/config", "[core]\n\tbare = false\n"),
    ("other/.git/logs/HEAD", "0000 1234 ada <ada@example.org> 1 +0000\tclone\n"),
    ("other/.git/worktrees/x/gitdir", "/nowhere/.git\n"),
    ("other/.git/worktrees/x/commondir", "../..\n"),
];

pub const LESSON: &str = "{\"id\":\"m-001\",\"ts\":\"2026-04-01T00:00:00Z\",\"run_id\":\"r0\",\
    \"type\":\"pattern\",\"source\":\"guardian\",\"description\":\"Escape what users type before \
    it is printed\",\"frequency\":3,\"severity\":\"bug\",\"domain\":\"code\",\"tags\":[],\
    \"archetype\":\"\",\"last_seen_run\":\"r0\",\"runs_since_last_seen\":0}\n";

const EVENTS: &str = "{\"ts\":\"2026-04-03T14:00:00Z\",\"run_id\":\"r7\",\"seq\":1,\"parent\":[],\
    \"type\":\"run.start\",\"phase\":\"plan\",\"agent\":null,\"data\":{\"task\":\"t\"}}\n";

#[test]
fn no_command_writes_outside_of_a_hostile_checkout() {
    assert!(CASES.len() >= 40, "{} cases", CASES.len());
    let all = CASES.iter().enumerate();
    let cells = all.flat_map(|at| GROUPS.iter().enumerate().map(move |group| (at, group)));
    // Else every case and every command, but not each with each.
    let is_played = |at: usize, group: usize| is_full() || at % GROUPS.len() == group;
    let cells: Vec<(&Case, &&[Call])> = cells
        .filter(|((at, _), (group, _))| is_played(*at, *group))
        .map(|((_, case), (_, group))| (case, group))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut faults = Vec::new();
        while let Some((case, group)) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
            let site = Site::new(case);
            // SQLite opens by path: where a running program swaps the folders above a store that
            // the user put into the checkout, nothing of ours can hold them.
            let is_held = |call: &&Call| case.swapped.is_empty() || !call.args.contains("sqlite:");
            for call in group.iter().filter(is_held) {
                let fault = site.fault_of(case, call);
                let said = |fault| format!("{} x {}: {fault}", case.name, call.args);
                faults.extend(fault.map(said));
            }
        }
        faults
    };
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..N_THREADS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no case panics")).collect()
    });
    let n_calls: usize = cells.iter().map(|(_, group)| group.len()).sum();
    println!("{} cases, {n_calls} calls, {} faults", CASES.len(), faults.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A command that is new has to be put into one of the two lists.
#[test]
fn every_command_is_known_as_one_that_writes_or_does_not() {
    let calls = GROUPS.iter().flat_map(|group| group.iter());
    let named = |call: &Call| call.args.split(' ').find(|word| !call.is_option(word));
    let writes: Vec<&str> = calls.filter_map(named).collect();
    for command in every_command() {
        let (writes, reads) = (writes.contains(&&*command), READS.contains(&&*command));
        assert!(writes != reads, "{command}: put it into calls.rs, once");
    }
}

/// The table shows a fault where there is one: a command that does follow a link is seen.
#[test]
fn the_table_sees_what_is_written_outside() {
    let case = CASES.iter().find(|case| case.name == "hardwon_folder_is_a_link").expect("a case");
    let site = Site::new(case);
    let before = site.protected();
    fs::write(site.work.join(".hardwon/config.toml"), "budget = 5\n").expect("it is followed");
    assert_ne!(before, site.protected(), "the same bytes, but written");
}
