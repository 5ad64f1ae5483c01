//! Which files of a folder are offered, and which are left alone.

use std::fs;

use hardwon_readers::files_in;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn with_files(names: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
        Folder(folder)
    }

    fn listed(&self) -> Vec<String> {
        let files = files_in(self.0.path()).unwrap();
        let relative = files.iter().map(|path| path.strip_prefix(self.0.path()).unwrap());
        relative.map(|path| path.to_string_lossy().replace('\\', "/")).collect()
    }
}

#[test]
fn record_files_are_listed_in_order_down_to_four_levels() {
    let names =
        ["b.jsonl", "a.JSON", "c.ndjson", "a.md", "jsonl", "1/2/3/in.jsonl", "1/2/3/4/o.json"];
    let folder = Folder::with_files(&names);
    assert_eq!(folder.listed(), ["1/2/3/in.jsonl", "a.JSON", "b.jsonl", "c.ndjson"]);
}

#[test]
fn an_empty_folder_is_fine_and_a_missing_one_is_not() {
    let folder = Folder::with_files(&[]);
    assert_eq!(folder.listed(), [""; 0]);
    assert!(files_in(&folder.0.path().join("missing")).is_err());
}

#[cfg(unix)]
#[test]
fn links_and_sockets_are_left_alone() {
    use std::os::unix::{fs::symlink, net::UnixListener};

    let outside = Folder::with_files(&["secret.jsonl"]);
    let folder = Folder::with_files(&["real.jsonl"]);
    symlink(outside.0.path().join("secret.jsonl"), folder.0.path().join("file-link.jsonl"))
        .unwrap();
    symlink(outside.0.path(), folder.0.path().join("folder-link")).unwrap();
    symlink(folder.0.path(), folder.0.path().join("loop")).unwrap();
    let _socket = UnixListener::bind(folder.0.path().join("socket.jsonl")).unwrap();
    assert_eq!(folder.listed(), ["real.jsonl"]);
}
