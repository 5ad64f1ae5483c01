//! What does the folder show in which a command was called? Where its repository lies, and the
//! mark inside its git directory that no clone brings along. It is on the hot path: a few small
//! files, read within bounds and without following links, and no process is started. Only what
//! clones have in common is asked of git, within a time limit, when a checkout is joined.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hardwon_core::project::{self, Mark};

/// Our file in a git directory. The reflog, which git prunes, only stands in for it.
const MARK_FILE: &str = "hardwon";

/// No file that is looked at here needs more.
const MAX_BYTES: u64 = 4 << 10;

/// Of a configuration file, so much is read.
const MAX_CONFIG_BYTES: u64 = 64 << 10;

/// How long git may take to find the first commit.
const GIT_LIMIT: Duration = Duration::from_secs(2);

/// A git repository, seen from one of its checkouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The folder that owns it, which all worktrees share; a bare repository is its own.
    pub owner: PathBuf,
    /// The git common directory; `None` if it is only claimed by a link or a pointer that does
    /// not point back.
    pub git_dir: Option<PathBuf>,
}

impl Repository {
    /// The repository that a folder belongs to.
    pub fn of(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(Repository::at)
    }

    /// The repository whose `.git` stands here. In a worktree `.git` is a file that points
    /// into the common directory; all worktrees are one project.
    fn at(folder: &Path) -> Option<Self> {
        let git = folder.join(".git");
        let kind = fs::symlink_metadata(&git).ok()?;
        let own = |git_dir| Some(Repository { owner: folder.to_owned(), git_dir });
        if kind.is_dir() {
            return own(Some(git));
        }
        if kind.is_symlink() {
            return own(None);
        }
        let pointer = text(&git, MAX_BYTES).ok().flatten()?;
        let git_dir = folder.join(pointer.trim().strip_prefix("gitdir:")?.trim());
        // Anybody can write a pointer; the git directory must know its worktree.
        let Ok(Some(common)) = text(&git_dir.join("commondir"), MAX_BYTES) else {
            // A submodule: its git directory is its own.
            return own(fs::canonicalize(&git_dir).ok().filter(|_| is_worktree(&git_dir, folder)));
        };
        if !points_back(&git_dir, &git) {
            return own(None);
        }
        let common = fs::canonicalize(git_dir.join(common.trim())).ok()?;
        let is_hidden = common.file_name().is_some_and(|name| name == ".git");
        let owner = common.parent().filter(|_| is_hidden).unwrap_or(&common).to_owned();
        Some(Repository { owner, git_dir: Some(common) })
    }

    /// The mark that it carries: the one in our file, or what the reflog's first line gives.
    /// An error if something is there that cannot be read.
    pub fn mark(&self) -> std::io::Result<Option<Mark>> {
        let Some(git_dir) = &self.git_dir else { return Ok(None) };
        let kept = text(&git_dir.join(MARK_FILE), MAX_BYTES)?;
        if let Some(mark) = kept.as_deref().and_then(|kept| Mark::parse(kept.trim())) {
            return Ok(Some(mark));
        }
        let logs = git_dir.join("logs");
        let is_folder = fs::symlink_metadata(&logs).is_ok_and(|about| about.is_dir());
        let log = if is_folder { text(&logs.join("HEAD"), MAX_BYTES)? } else { None };
        let line = log.as_deref().and_then(|log| log.lines().next()).unwrap_or_default();
        Ok((!line.is_empty()).then(|| Mark::derive(&["reflog", line])))
    }

    /// Puts a mark into the git directory, unless it has one already or `replaces` it. Gives
    /// the mark that is there then.
    pub fn keep_mark(&self, mark: &Mark, replaces: bool) -> Option<Mark> {
        let git_dir = self.git_dir.as_ref()?;
        let file = git_dir.join(MARK_FILE);
        let unfinished = git_dir.join(format!("{MARK_FILE}.{}.tmp", std::process::id()));
        let _ = write_new(&unfinished, &format!("{}\n", mark.as_str()));
        // A link that must be new: of two processes that mark at once, one wins.
        let put = |target: &Path| {
            if replaces {
                fs::rename(&unfinished, target)
            } else {
                fs::hard_link(&unfinished, target)
            }
        };
        let _ = put(&file);
        let _ = fs::remove_file(&unfinished);
        self.mark().ok().flatten()
    }

    /// What clones of this repository have in common; `None` if there is no remote, if only a
    /// part of its history is here, or if git does not tell in time.
    pub fn lineage(&self) -> Option<String> {
        let git_dir = self.git_dir.as_ref()?;
        if git_dir.join("shallow").exists() {
            return None;
        }
        let config = text(&git_dir.join("config"), MAX_CONFIG_BYTES).ok().flatten()?;
        let remote = value(&config, "[remote \"origin\"]", "url")?;
        Some(project::lineage(&first_commit(&self.owner)?, remote))
    }
}

/// Whether what lies at this path carries the mark, or cannot be looked at.
pub fn may_carry(path: &str, mark: &Mark) -> bool {
    let folder = Path::new(path);
    match fs::symlink_metadata(folder) {
        Err(error) => {
            return !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        }
        Ok(_) if !folder.is_absolute() => return true,
        Ok(_) => {}
    }
    let bare = || Repository { owner: folder.to_owned(), git_dir: Some(folder.to_owned()) };
    let repository = Repository::at(folder).unwrap_or_else(bare);
    repository.mark().map_or(true, |found| found.as_ref() == Some(mark))
}

/// Whether a git directory of a worktree names this `.git` file as its own.
fn points_back(git_dir: &Path, git: &Path) -> bool {
    let back = text(&git_dir.join("gitdir"), MAX_BYTES).ok().flatten();
    let back = back.and_then(|back| fs::canonicalize(git_dir.join(back.trim())).ok());
    back.is_some() && back == fs::canonicalize(git).ok()
}

/// Whether a git directory of a submodule names this folder as its worktree.
fn is_worktree(git_dir: &Path, folder: &Path) -> bool {
    let config = text(&git_dir.join("config"), MAX_CONFIG_BYTES).ok().flatten();
    let named = config.as_deref().and_then(|config| value(config, "[core]", "worktree"));
    let named = named.and_then(|named| fs::canonicalize(git_dir.join(named)).ok());
    named.is_some() && named == fs::canonicalize(folder).ok()
}

/// The beginning of a plain file; `None` if there is none.
fn text(path: &Path, max_bytes: u64) -> std::io::Result<Option<String>> {
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = match options.open(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        opened => opened?,
    };
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).custom_flags(libc::O_NOFOLLOW);
    options.open(path)?.write_all(text.as_bytes())
}

/// What a configuration file of git sets in a section, as git itself writes it.
fn value<'a>(config: &'a str, section: &str, key: &str) -> Option<&'a str> {
    let mut lines = config.lines().map(str::trim);
    lines.find(|line| *line == section)?;
    let lines = lines.take_while(|line| !line.starts_with('['));
    let mut values = lines.filter_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
    values.next().map(str::trim).filter(|value| !value.is_empty())
}

/// The first commit, as git finds it; of several roots the first by name.
fn first_commit(folder: &Path) -> Option<String> {
    let mut git = Command::new("git");
    git.args(["rev-list", "--max-parents=0", "HEAD"]).current_dir(folder);
    // A hook of git's own says where it is called; that is not where we look.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            git.env_remove(name);
        }
    }
    git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_OPTIONAL_LOCKS", "0");
    git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = git.spawn().ok()?;
    let started = Instant::now();
    let ended = loop {
        match child.try_wait().ok()? {
            Some(ended) => break ended,
            None if started.elapsed() > GIT_LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let mut roots = String::new();
    child.stdout.take()?.read_to_string(&mut roots).ok()?;
    roots.lines().min().filter(|_| ended.success()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with one line in its reflog.
    fn repository(folder: &Path, line: &str) -> Repository {
        fs::create_dir_all(folder.join(".git/logs")).unwrap();
        fs::write(folder.join(".git/logs/HEAD"), format!("{line}\nmore\n")).unwrap();
        Repository::at(folder).unwrap()
    }

    #[test]
    fn a_mark_outlives_the_reflog_that_gave_it() {
        let folder = tempfile::tempdir().unwrap();
        let repository = repository(folder.path(), "0000 1234 ada");
        let mark = repository.mark().unwrap().unwrap();
        assert_eq!(mark, Mark::derive(&["reflog", "0000 1234 ada"]));
        assert_eq!(repository.keep_mark(&mark, false), Some(mark.clone()));
        fs::write(folder.path().join(".git/logs/HEAD"), "1234 5678 bob\n").unwrap();
        assert_eq!(repository.mark().unwrap(), Some(mark.clone()));
        // Who comes second takes what is there, unless it is to be another one.
        let other = Mark::derive(&["other"]);
        assert_eq!(repository.keep_mark(&other, false), Some(mark));
        assert_eq!(repository.keep_mark(&other, true), Some(other));
        let left = fs::read_dir(folder.path().join(".git")).unwrap().count();
        assert_eq!(left, 2, "the log and our file");
    }

    #[test]
    fn links_and_other_texts_are_no_marks() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        fs::write(&secret, Mark::derive(&["secret"]).as_str()).unwrap();
        let repository = repository(&folder.path().join("work"), "line");
        let file = folder.path().join("work/.git/hardwon");
        std::os::unix::fs::symlink(&secret, &file).unwrap();
        assert!(repository.mark().is_err(), "a link is not followed");
        fs::remove_file(&file).unwrap();
        fs::write(&file, "m-../../etc/passwd").unwrap();
        assert_eq!(repository.mark().unwrap(), Some(Mark::derive(&["reflog", "line"])));
        // A `.git` that is a link shows no mark at all.
        fs::create_dir(folder.path().join("linked")).unwrap();
        let link = folder.path().join("linked/.git");
        std::os::unix::fs::symlink(folder.path().join("work/.git"), link).unwrap();
        let linked = Repository::at(&folder.path().join("linked")).unwrap();
        assert_eq!((linked.git_dir.clone(), linked.mark().unwrap()), (None, None));
        assert_eq!(linked.keep_mark(&Mark::derive(&["x"]), true), None);
    }

    #[test]
    fn a_worktree_is_its_repositorys_if_that_knows_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let main = repository(&base.join("main"), "line");
        let (git_dir, tree) = (base.join("main/.git/worktrees/tree"), base.join("tree"));
        fs::create_dir_all(&git_dir).unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(git_dir.join("commondir"), "../..\n").unwrap();
        fs::write(git_dir.join("gitdir"), tree.join(".git").display().to_string()).unwrap();
        let pointer = format!("gitdir: {}\n", git_dir.display());
        fs::write(tree.join(".git"), &pointer).unwrap();
        assert_eq!(Repository::of(&tree), Some(main));
        let forged = base.join("forged");
        fs::create_dir(&forged).unwrap();
        fs::write(forged.join(".git"), &pointer).unwrap();
        let own = Repository { owner: forged.clone(), git_dir: None };
        assert_eq!(Repository::of(&forged), Some(own));
    }

    #[test]
    fn what_is_gone_carries_nothing_and_what_is_closed_may() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let mark = repository(&folder.path().join("work"), "line").mark().unwrap().unwrap();
        fs::create_dir(folder.path().join("plain")).unwrap();
        assert!(may_carry(&at("work"), &mark));
        assert!(!may_carry(&at("work"), &Mark::derive(&["other"])));
        assert!(!may_carry(&at("gone"), &mark) && !may_carry(&at("plain"), &mark));
        fs::create_dir(folder.path().join("work/.git/hardwon")).unwrap();
        assert!(may_carry(&at("work"), &mark), "a folder is no file of ours");
    }

    #[test]
    fn a_submodule_has_the_git_directory_that_knows_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let (git_dir, sub) = (base.join("main/.git/modules/sub"), base.join("main/sub"));
        fs::create_dir_all(&git_dir).unwrap();
        fs::create_dir(&sub).unwrap();
        fs::write(git_dir.join("config"), "[core]\n\tworktree = ../../../sub\n").unwrap();
        fs::write(sub.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
        let own = Repository { owner: sub.clone(), git_dir: Some(git_dir.clone()) };
        assert_eq!(Repository::of(&sub), Some(own));
        let forged = base.join("forged");
        fs::create_dir(&forged).unwrap();
        fs::write(forged.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
        assert_eq!(Repository::of(&forged).unwrap().git_dir, None);
    }

    #[test]
    fn the_remote_is_that_of_origin() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n\turl = no\n[remote \"origin\"]\n\
                      \tfetch = +refs\n\turl = https://example.com/shop.git\n[branch \"x\"]\n";
        let remote = |config| value(config, "[remote \"origin\"]", "url");
        assert_eq!(remote(config), Some("https://example.com/shop.git"));
        assert_eq!(remote("[core]\n\turl = no\n"), None);
    }
}
