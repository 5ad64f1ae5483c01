//! What does git know of a working tree? Its files, and single questions to its history. The
//! checkout may be anybody's: nothing that its settings name is started, nothing is waited for
//! longer than said, and nothing is written.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// More of an answer is not read.
const MAX_BYTES: u64 = 64 << 20;

/// How often a child that is not done is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Settings by which a checkout could make git start something, each with a harmless value.
const HARMLESS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "diff.external=",
    "log.showSignature=false",
    "core.attributesFile=/dev/null",
    "core.sshCommand=false",
    "protocol.allow=never",
    "core.quotePath=false",
];

/// What git answers; `None` if there is no git, it fails, or it takes longer.
pub fn ask_git(tree: &Path, arguments: &[String], until: Instant) -> Option<String> {
    let mut child = start(tree, arguments, until)?;
    let out = child.stdout.take()?;
    let bytes = std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let mut bytes = Vec::new();
            let read = out.take(MAX_BYTES).read_to_end(&mut bytes);
            read.ok().map(|_| bytes)
        });
        let is_good = ends_well(&mut child, until);
        reading.join().ok().flatten().filter(|_| is_good)
    })?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Nothing is started when its time is over already: a short answer could come before anybody
/// looks at the clock, and then the same question would be answered or not by chance.
fn start(tree: &Path, arguments: &[String], until: Instant) -> Option<Child> {
    if Instant::now() >= until {
        return None;
    }
    let mut command = Command::new("git");
    for setting in HARMLESS {
        command.args(["-c", setting]);
    }
    // A hook of git's own says where it is called; that is not where we look.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            command.env_remove(name);
        }
    }
    command
        .arg("-C")
        .arg(tree)
        .args(arguments)
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().ok()
}

/// Waits for a child, and ends it when its time is over.
fn ends_well(child: &mut Child, until: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK_EVERY),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// Folders that hold what was made or fetched, looked into only where git says so.
const NOT_SOURCE: &[&str] =
    &["node_modules", "target", "dist", "build", "vendor", "__pycache__", "venv"];

/// How deep a tree without git is followed, and how many files of any are looked at.
const MAX_DEPTH: usize = 24;
const MAX_FILES: usize = 200_000;

/// The files of a working tree, by their paths below it: as git lists them, without what it is
/// told to ignore; without git all but hidden ones and what was made or fetched.
pub fn tree_files(tree: &Path, until: Instant) -> Vec<String> {
    let arguments =
        ["ls-files", "-z", "--cached", "--others", "--exclude-standard"].map(str::to_owned);
    let listed = ask_git(tree, &arguments, until).map(|text| {
        let paths = text.split('\0').filter(|path| !path.is_empty());
        paths.take(MAX_FILES).map(str::to_owned).collect()
    });
    let mut files = listed.unwrap_or_else(|| {
        let mut files = Vec::new();
        walk(tree, "", MAX_DEPTH, &mut files);
        files
    });
    files.sort();
    files.dedup();
    files
}

fn walk(folder: &Path, above: &str, n_levels: usize, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(sort) = entry.file_type() else { continue };
        if files.len() >= MAX_FILES || name.starts_with('.') && sort.is_dir() {
            continue;
        }
        let path = if above.is_empty() { name.clone() } else { format!("{above}/{name}") };
        if sort.is_dir() && n_levels > 0 && !NOT_SOURCE.contains(&name.as_str()) {
            walk(&entry.path(), &path, n_levels - 1, files);
        } else if sort.is_file() {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    fn git(tree: &Path, arguments: &[&str]) {
        let ran = Command::new("git").arg("-C").arg(tree).args(arguments).output();
        assert!(ran.expect("git is there").status.success(), "{arguments:?}");
    }

    #[test]
    fn a_tree_is_listed_with_and_without_git() {
        let folder = tempfile::tempdir().expect("a folder");
        let tree = folder.path();
        for file in ["src/a.rs", "node_modules/x/index.js", "b.md", ".github/c.yml"] {
            fs::create_dir_all(tree.join(file).parent().expect("a folder")).expect("it is ours");
            fs::write(tree.join(file), "x\n").expect("it is ours");
        }
        assert_eq!(tree_files(tree, soon()), ["b.md", "src/a.rs"]);
        git(tree, &["init", "-q"]);
        fs::write(tree.join(".gitignore"), "node_modules\n").expect("it is ours");
        assert_eq!(tree_files(tree, soon()), [".github/c.yml", ".gitignore", "b.md", "src/a.rs"]);
        let past = Instant::now();
        assert_eq!(ask_git(tree, &["version".to_owned()], past - Duration::from_secs(1)), None);
    }

    /// A checkout may say what git is to start.
    #[test]
    fn nothing_that_a_checkout_names_is_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let tree = folder.path();
        git(tree, &["init", "-q"]);
        let trap = tree.join("trap.sh");
        let sprung = folder.path().join("sprung");
        fs::write(&trap, format!("#!/bin/sh\ntouch {}\n", sprung.display())).expect("it is ours");
        git(tree, &["config", "core.fsmonitor", &format!("sh {}", trap.display())]);
        git(tree, &["config", "diff.external", &format!("sh {}", trap.display())]);
        git(tree, &["config", "log.showSignature", "true"]);
        git(tree, &["config", "gpg.program", &format!("sh {}", trap.display())]);
        fs::write(tree.join("a.txt"), "one\n").expect("it is ours");
        assert!(tree_files(tree, soon()).contains(&"a.txt".to_owned()));
        let log = ["log", "-1", "-Sone", "--", ":(top)"].map(str::to_owned);
        ask_git(tree, &log, soon());
        assert!(!sprung.exists());
    }
}
