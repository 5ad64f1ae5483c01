//! A file of the working tree, as somebody cites it: read bounded, without following links and
//! without waiting, and nothing beside the tree.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::files;

/// A longer file is not looked into.
const MAX_BYTES: u64 = 4 << 20;

/// What stands in a file of this tree; `None` if the tree has no such file, or none that is
/// read as text. A path may be given from the root of the file system.
pub fn cited_file(tree: &Path, path: &str) -> Option<String> {
    let inside = inside(tree, Path::new(path))?;
    let mut place = tree.to_owned();
    for part in inside.components() {
        place.push(part);
        // A link may lead out of the tree.
        if fs::symlink_metadata(&place).ok()?.is_symlink() {
            return None;
        }
    }
    let file = files::open_plain(&place).ok()?;
    let about = file.metadata().ok()?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn inside(tree: &Path, path: &Path) -> Option<PathBuf> {
    let inside = if path.is_absolute() { path.strip_prefix(tree).ok()? } else { path };
    let inside = inside.strip_prefix(".").unwrap_or(inside);
    let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && inside != Path::new("")).then(|| inside.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_tree_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("src")).expect("it is ours");
        fs::write(tree.join("src/a.rs"), "fn a() {}\n").expect("it is ours");
        fs::write(folder.path().join("out.rs"), "secret\n").expect("it is ours");
        std::os::unix::fs::symlink("../../out.rs", tree.join("src/link.rs")).expect("a link");
        std::os::unix::fs::symlink("..", tree.join("up")).expect("a link");
        let absolute = tree.join("src/a.rs");
        for path in ["src/a.rs", "./src/a.rs", absolute.to_str().expect("UTF-8")] {
            assert_eq!(cited_file(&tree, path).as_deref(), Some("fn a() {}\n"), "{path}");
        }
        let outside =
            ["../out.rs", "src/link.rs", "up/out.rs", "/etc/hostname", "src", "", "no.rs"];
        for path in outside {
            assert_eq!(cited_file(&tree, path), None, "{path}");
        }
    }
}
