//! Which files of a folder are offered, and which are left alone.

use std::fs;
use std::path::PathBuf;

use hardwon_readers::files_in;

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hardwon-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn with_files(self, names: &[&str]) -> Self {
        for name in names {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
        self
    }

    fn listed(&self) -> Vec<String> {
        let files = files_in(&self.0).unwrap();
        let relative = files.iter().map(|path| path.strip_prefix(&self.0).unwrap());
        relative.map(|path| path.to_string_lossy().replace('\\', "/")).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn record_files_are_listed_in_order_down_to_four_levels() {
    let names = [
        "b.jsonl",
        "a.JSON",
        "c.ndjson",
        "notes.md",
        "jsonl",
        "1/2/3/in.jsonl",
        "1/2/3/4/out.json",
    ];
    let folder = Folder::new("levels").with_files(&names);
    assert_eq!(folder.listed(), ["1/2/3/in.jsonl", "a.JSON", "b.jsonl", "c.ndjson"]);
}

#[test]
fn an_empty_folder_is_fine_and_a_missing_one_is_not() {
    let folder = Folder::new("empty");
    assert_eq!(folder.listed(), [""; 0]);
    assert!(files_in(&folder.0.join("missing")).is_err());
}

#[cfg(unix)]
#[test]
fn links_and_sockets_are_left_alone() {
    use std::os::unix::{fs::symlink, net::UnixListener};

    let outside = Folder::new("outside").with_files(&["secret.jsonl"]);
    let folder = Folder::new("links").with_files(&["real.jsonl"]);
    symlink(outside.0.join("secret.jsonl"), folder.0.join("file-link.jsonl")).unwrap();
    symlink(&outside.0, folder.0.join("folder-link")).unwrap();
    symlink(&folder.0, folder.0.join("loop")).unwrap();
    let _socket = UnixListener::bind(folder.0.join("socket.jsonl")).unwrap();
    assert_eq!(folder.listed(), ["real.jsonl"]);
}
