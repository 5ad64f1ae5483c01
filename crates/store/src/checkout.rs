//! What does the folder show in which a command was called? Where its repository lies, and the
//! mark inside its git directory that no clone brings along. It is on the hot path: a few small
//! files, read within bounds and without following links, and no process is started. Only what
//! clones have in common is asked of git, within a time limit, when a checkout is joined.

mod index;

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hardwon_core::project::{self, Mark};

use crate::files::{Mode, NewFile, Place, open_plain};
use crate::history::ask_git;

pub use index::is_tracked;

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
    /// into the common directory; all worktrees are one project. Whatever else `.git` is, this
    /// folder belongs to no other repository.
    fn at(folder: &Path) -> Option<Self> {
        fs::symlink_metadata(folder.join(".git")).ok()?;
        let owner = folder.to_owned();
        let Some(dirs) = git_dirs(folder) else {
            return Some(Repository { owner, git_dir: None });
        };
        if dirs.own == dirs.common {
            return Some(Repository { owner, git_dir: Some(dirs.common) });
        }
        let is_hidden = dirs.common.file_name().is_some_and(|name| name == ".git");
        let owner = dirs.common.parent().filter(|_| is_hidden).unwrap_or(&dirs.common).to_owned();
        Some(Repository { owner, git_dir: Some(dirs.common) })
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
        // From the folder above on: a `.git` that became a link meanwhile is not followed.
        let place = Place::below(git_dir.parent()?, &git_dir.join(MARK_FILE));
        let text = format!("{}\n", mark.as_str());
        if let Ok(new) = NewFile::write(place, text.as_bytes(), Mode::Kept(0o666)) {
            // Of two processes that mark at once, one wins.
            let _ = if replaces { new.place() } else { new.place_first() };
        }
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

/// The root of the checkout that a folder lies in, whatever its `.git` is; the folder itself
/// if it lies in none.
pub fn root_of(folder: &Path) -> &Path {
    let is_root = |folder: &&Path| fs::symlink_metadata(folder.join(".git")).is_ok();
    folder.ancestors().find(is_root).unwrap_or(folder)
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

/// The git directories of a checkout: its own, and the one that it shares with others.
struct GitDirs {
    own: PathBuf,
    common: PathBuf,
}

/// The git directories that belong to the folder in which this `.git` stands. Anybody can write
/// a file that points elsewhere: it counts only if git's own files there point back.
fn git_dirs(folder: &Path) -> Option<GitDirs> {
    let git = folder.join(".git");
    let kind = fs::symlink_metadata(&git).ok()?;
    if kind.is_dir() {
        return Some(GitDirs { own: git.clone(), common: git });
    }
    let pointer = text(&git, MAX_BYTES).ok().flatten()?;
    let own = folder.join(pointer.trim().strip_prefix("gitdir:")?.trim());
    let own = fs::canonicalize(own).ok()?;
    match text(&own.join("commondir"), MAX_BYTES).ok()? {
        Some(common) => {
            let common = fs::canonicalize(own.join(common.trim())).ok()?;
            // A folder of the checkout's own can name any common directory, and itself.
            let is_listed = own.parent() == Some(&common.join("worktrees"));
            (is_listed && points_back(&own, &git)).then_some(GitDirs { own, common })
        }
        // A submodule: its git directory is its own.
        None => is_worktree(&own, folder).then(|| GitDirs { own: own.clone(), common: own }),
    }
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
    use ErrorKind::{NotADirectory, NotFound, Other};
    let file = match open_plain(path) {
        // A folder or a pipe is no file of git's.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | Other) => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
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
    let arguments = ["rev-list", "--max-parents=0", "HEAD"].map(str::to_owned);
    let roots = ask_git(folder, &arguments, Instant::now() + GIT_LIMIT)?;
    roots.lines().min().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

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
        assert_eq!(Repository::of(&forged), Some(own.clone()));
        // A git directory that it brought along points back to it, and to another checkout.
        fs::create_dir_all(forged.join("brought/worktrees/x")).unwrap();
        for (git_dir, common) in [
            ("brought", base.join("main/.git")),
            ("brought/worktrees/x", base.join("main/.git")),
            ("brought/worktrees/x", base.join("main/.git/worktrees/../")),
        ] {
            let git_dir = forged.join(git_dir);
            fs::write(git_dir.join("commondir"), common.display().to_string()).unwrap();
            fs::write(git_dir.join("gitdir"), forged.join(".git").display().to_string()).unwrap();
            fs::write(forged.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
            assert_eq!(Repository::of(&forged), Some(own.clone()), "{git_dir:?}");
        }
    }

    /// What is no `.git` of git's is nobody else's either: neither a folder above it nor the
    /// target of a link is taken for its repository, and nothing waits for a pipe.
    #[test]
    fn an_odd_git_belongs_to_its_own_folder() {
        let folder = tempfile::tempdir().unwrap();
        let above = fs::canonicalize(folder.path()).unwrap();
        repository(&above, "line");
        let odd = above.join("odd");
        let git = odd.join(".git");
        let make: [(&str, &dyn Fn()); 6] = [
            ("pipe", &|| {
                let status = Command::new("mkfifo").arg(&git).status().unwrap();
                assert!(status.success());
            }),
            ("socket", &|| drop(std::os::unix::net::UnixListener::bind(&git).unwrap())),
            ("device", &|| std::os::unix::fs::symlink("/dev/zero", &git).unwrap()),
            ("loop", &|| std::os::unix::fs::symlink(".git", &git).unwrap()),
            ("huge", &|| fs::File::create(&git).unwrap().set_len(3 << 30).unwrap()),
            ("text", &|| fs::write(&git, "gitdir:").unwrap()),
        ];
        for (name, make) in make {
            fs::create_dir(&odd).unwrap();
            make();
            let own = Repository { owner: odd.clone(), git_dir: None };
            assert_eq!(Repository::of(&odd), Some(own), "{name}");
            fs::remove_dir_all(&odd).unwrap();
        }
    }

    /// Every file inside may be any of these, too.
    #[test]
    fn odd_files_in_a_git_directory_are_not_read() {
        let files = ["hardwon", "logs/HEAD", "config", "shallow", "commondir", "gitdir", "HEAD"];
        for file in files {
            let folder = tempfile::tempdir().unwrap();
            let repository = repository(folder.path(), "line");
            let path = folder.path().join(".git").join(file);
            let _ = fs::remove_file(&path);
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            let mark = repository.mark().unwrap();
            assert_eq!(mark.is_some(), file != "logs/HEAD", "{file}");
            assert_eq!(repository.lineage(), None);
            fs::remove_file(&path).unwrap();
            fs::File::create(&path).unwrap().set_len(3 << 30).unwrap();
            assert!(repository.mark().unwrap().is_some_and(|mark| mark.as_str().len() == 28));
            assert!(repository.keep_mark(&Mark::derive(&["own"]), false).is_some());
        }
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
