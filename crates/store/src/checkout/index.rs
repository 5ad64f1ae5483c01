//! Does git track a folder? What it tracks came with the checkout, or will go with the next
//! one. git itself is not asked: a repository that nobody trusts may name programs that git
//! starts. Its index is read instead, within bounds, and only as far as the question goes. What
//! cannot be read counts as tracked.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{MAX_CONFIG_BYTES, git_dirs, text, value};
use crate::files::open_plain;

/// A larger index is not read.
const MAX_BYTES: u64 = 256 << 20;

/// Times, numbers, mode, owners and size of an entry.
const STAT_BYTES: usize = 40;

/// In the flags of an entry: two more bytes of flags follow.
const IS_EXTENDED: u16 = 0x4000;

/// The extension of an index of which a part lies in another file.
const SPLIT: &[u8] = b"link";

/// Whether git tracks this folder, anything in it, or a link or module in its place.
pub fn is_tracked(folder: &Path) -> bool {
    let (Some(above), Some(name)) = (folder.parent(), folder.file_name()) else { return true };
    let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    let Ok(above) = fs::canonicalize(above) else { return true };
    let mut roots = above.ancestors();
    let root = roots.find(|root| fs::symlink_metadata(root.join(".git")).is_ok());
    let Some(root) = root else { return false };
    let path = above.join(name);
    let Ok(path) = path.strip_prefix(root) else { return true };
    let Some(dirs) = git_dirs(root) else { return true };
    let index = match open_plain(&dirs.own.join("index")) {
        Ok(index) => index,
        // Nothing was ever added.
        Err(error) if error.kind() == ErrorKind::NotFound => return false,
        Err(_) => return true,
    };
    let config = text(&dirs.common.join("config"), MAX_CONFIG_BYTES).ok().flatten();
    let config = config.unwrap_or_default().to_ascii_lowercase();
    let is_sha256 = value(&config, "[extensions]", "objectformat") == Some("sha256");
    let hash_bytes = if is_sha256 { 32 } else { 20 };
    let is_whole = !has_shared_part(&dirs.own);
    names(index, hash_bytes, path.as_os_str().as_bytes(), is_whole).unwrap_or(true)
}

/// Whether a part of the index may lie in another file.
fn has_shared_part(git_dir: &Path) -> bool {
    let is_shared = |entry: fs::DirEntry| entry.file_name().as_bytes().starts_with(b"sharedindex.");
    fs::read_dir(git_dir).is_ok_and(|entries| entries.flatten().any(is_shared))
}

/// Whether an index names this path or anything below or above it. One that is whole is read as
/// far as names may begin like the path: it is in the order of bytes, and may be long.
fn names(index: File, hash_bytes: usize, path: &[u8], is_whole: bool) -> io::Result<bool> {
    let length = index.metadata()?.len();
    if length > MAX_BYTES {
        return Err(unusable());
    }
    let mut reader = IndexReader { from: BufReader::new(index.take(MAX_BYTES)), at: 0, hash_bytes };
    let head: [u8; 12] = reader.bytes()?;
    let number =
        |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let version = number(4);
    if &head[..4] != b"DIRC" || !(2..=4).contains(&version) {
        return Err(unusable());
    }
    let mut name = Vec::new();
    for _ in 0..number(8) {
        reader.entry(version, &mut name)?;
        if is_on_way(&name, path) {
            return Ok(true);
        }
        if is_whole && is_behind(&name, path) {
            return Ok(false);
        }
    }
    while reader.at + (hash_bytes as u64) < length {
        let [a, b, c, d, size @ ..]: [u8; 8] = reader.bytes()?;
        if [a, b, c, d] == SPLIT {
            return Err(unusable());
        }
        reader.skip(u64::from(u32::from_be_bytes(size)))?;
    }
    Ok(false)
}

/// Whether a name, and all that follow it, begin with a later letter than the path does.
fn is_behind(name: &[u8], path: &[u8]) -> bool {
    let first = path.first().map(u8::to_ascii_lowercase);
    name.first() > first.as_ref()
}

/// Whether one of two paths is the other or lies above it. File systems that ignore the case
/// of letters are common.
fn is_on_way(name: &[u8], path: &[u8]) -> bool {
    // A folder that is not checked out is one entry, with a slash at its end.
    let name = name.strip_suffix(b"/").unwrap_or(name);
    let (short, long) = if name.len() <= path.len() { (name, path) } else { (path, name) };
    let is_end = long.len() == short.len() || long[short.len()] == b'/';
    is_end && long[..short.len()].eq_ignore_ascii_case(short)
}

struct IndexReader {
    from: BufReader<io::Take<File>>,
    /// Bytes that were read.
    at: u64,
    hash_bytes: usize,
}

impl IndexReader {
    /// Reads the next entry; its name takes the place of the one before it.
    fn entry(&mut self, version: u32, name: &mut Vec<u8>) -> io::Result<()> {
        let begin = self.at;
        self.skip((STAT_BYTES + self.hash_bytes) as u64)?;
        let flags = u16::from_be_bytes(self.bytes()?);
        if flags & IS_EXTENDED != 0 {
            if version == 2 {
                return Err(unusable());
            }
            self.skip(2)?;
        }
        if version == 4 {
            let n_dropped = self.number()?;
            name.truncate(name.len().checked_sub(n_dropped).ok_or_else(unusable)?);
        } else {
            name.clear();
        }
        let n_before = name.len();
        let n_read = self.from.read_until(0, name)?;
        self.at += n_read as u64;
        if name.pop() != Some(0) || (version == 4 && name.len() < n_before) || name.is_empty() {
            return Err(unusable());
        }
        // One zero byte at the end of the name was read; up to seven more fill the entry.
        let n_over = (self.at - begin) % 8;
        if version == 4 || n_over == 0 { Ok(()) } else { self.skip(8 - n_over) }
    }

    /// How many bytes of the name before an entry of version 4 does not take over.
    fn number(&mut self) -> io::Result<usize> {
        let mut number: usize = 0;
        loop {
            let [byte] = self.bytes()?;
            let more = number.checked_mul(128).ok_or_else(unusable)?;
            number = more + usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            number += 1;
        }
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn skip(&mut self, n_bytes: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.from.by_ref().take(n_bytes), &mut io::sink())?;
        self.at += skipped;
        if skipped == n_bytes { Ok(()) } else { Err(unusable()) }
    }
}

fn unusable() -> io::Error {
    io::Error::other("not an index that can be read")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]);
        git.args(["-c", "protocol.file.allow=always"]).args(args).current_dir(folder);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
            git.env_remove(name);
        }
        let output = git.output().expect("git is installed");
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    /// A repository that tracks these files.
    fn repository(init: &[&str], files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        git(folder.path(), &[&["init", "--quiet"], init, &["work"]].concat());
        for file in files {
            fs::create_dir_all(work.join(file).parent().unwrap()).unwrap();
            fs::write(work.join(file), file).unwrap();
        }
        if !files.is_empty() {
            git(&work, &["add", "."]);
        }
        (folder, work)
    }

    const FILES: &[&str] =
        &["a", "a.b", "deep/er/still", "memory/lessons.jsonl", "memory2", "z/long/name/of/a/file"];

    #[test]
    fn what_git_tracks_is_found_in_every_version() {
        for init in [&[][..], &["--object-format=sha256"]] {
            for version in ["2", "3", "4"] {
                let (_folder, work) = repository(init, FILES);
                git(&work, &["update-index", "--index-version", version]);
                if version == "3" {
                    // Version 3 is written only where an entry has more flags.
                    fs::write(work.join("later"), "").unwrap();
                    git(&work, &["add", "--intent-to-add", "later"]);
                }
                for tracked in ["memory", "MEMORY", "deep", "deep/er", "z/long", "a", "memory2"] {
                    assert!(is_tracked(&work.join(tracked)), "{tracked} {version} {init:?}");
                }
                for other in ["mem", "Memory3", "deep/e", "b", "A9", "name", "lessons.jsonl", ".x"]
                {
                    assert!(!is_tracked(&work.join(other)), "{other} {version} {init:?}");
                }
            }
        }
    }

    #[test]
    fn outside_of_a_repository_nothing_is_tracked() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_tracked(&folder.path().join("memory")));
        let (_folder, work) = repository(&[], &[]);
        assert!(!is_tracked(&work.join("memory")), "nothing was added");
    }

    #[test]
    fn links_modules_and_what_is_not_checked_out_are_tracked() {
        let (_folder, work) = repository(&[], &["other/a", "kept/a"]);
        symlink("other", work.join("memory")).unwrap();
        git(&work, &["add", "."]);
        assert!(is_tracked(&work.join("memory")), "a link in its place");
        let (_module, inner) = repository(&[], &["a"]);
        git(&inner, &["commit", "--quiet", "-m", "begin"]);
        git(&work, &["submodule", "--quiet", "add", inner.to_str().unwrap(), "module"]);
        assert!(is_tracked(&work.join("module")));
        assert!(is_tracked(&work.join("module/a")), "by the module's own index");
        assert!(!is_tracked(&work.join("module/b")));
        git(&work, &["commit", "--quiet", "-m", "begin"]);
        git(&work, &["sparse-checkout", "set", "--cone", "--sparse-index", "kept"]);
        assert!(is_tracked(&work.join("other/a")), "a folder that is one entry");
        git(&work, &["worktree", "add", "--quiet", "../tree"]);
        let tree = work.parent().unwrap().join("tree");
        assert!(is_tracked(&tree.join("other")) && !is_tracked(&tree.join("new")));
    }

    #[test]
    fn what_cannot_be_read_counts_as_tracked() {
        let (_folder, work) = repository(&[], FILES);
        let index = work.join(".git/index");
        let whole = fs::read(&index).unwrap();
        // Behind all of them, so that all are read.
        let asked = work.join("zz");
        assert!(!is_tracked(&asked));
        // Within the entries; behind them only the checksum is missing.
        for n in 0..whole.len() - 60 {
            fs::write(&index, &whole[..n]).unwrap();
            assert!(is_tracked(&asked), "{n} bytes of {}", whole.len());
        }
        for changed in [0, 4, 7, 8] {
            let mut bytes = whole.clone();
            bytes[changed] = 0xff;
            fs::write(&index, bytes).unwrap();
            assert!(is_tracked(&asked), "byte {changed}");
        }
        File::create(&index).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert!(is_tracked(&asked));
        fs::write(&index, &whole).unwrap();
        git(&work, &["update-index", "--split-index"]);
        assert!(is_tracked(&asked), "a part of it is elsewhere");
        fs::remove_file(&index).unwrap();
        symlink("/dev/zero", &index).unwrap();
        assert!(is_tracked(&asked));
        fs::remove_dir_all(work.join(".git")).unwrap();
        fs::write(work.join(".git"), "gitdir: elsewhere\n").unwrap();
        assert!(is_tracked(&asked));
    }
}
