//! By what is a folder of Markdown files recognized? By the names and bytes of all of them, so
//! that who approved it approved nothing that comes later.

use std::fs;
use std::io::Read;
use std::path::Path;

use hardwon_core::digest::sha256_of_bytes;

use crate::files::open_plain;

/// A folder with more or larger files has no digest, and so cannot be approved.
const MAX_FILES: usize = 2_000;
const MAX_BYTES: u64 = 1 << 20;

/// The digest of every Markdown file right in a folder; `None` if one of them is a link, no
/// plain file or too large, or the folder is.
pub fn pages_digest(folder: &Path) -> Option<String> {
    if !fs::symlink_metadata(folder).ok()?.is_dir() {
        return None;
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let name = entry.ok()?.file_name();
        if Path::new(&name).extension().is_some_and(|ending| ending == "md") {
            names.push(name);
        }
        if names.len() > MAX_FILES {
            return None;
        }
    }
    names.sort();
    let mut all = String::new();
    for name in names {
        let mut bytes = Vec::new();
        let file = open_plain(&folder.join(&name)).ok()?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > MAX_BYTES {
            return None;
        }
        let name = sha256_of_bytes(name.as_encoded_bytes());
        all.push_str(&format!("{name} {}\n", sha256_of_bytes(&bytes)));
    }
    Some(sha256_of_bytes(all.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_byte_counts_and_a_link_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let digest = || pages_digest(folder.path());
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        put("a.md", "one");
        let first = digest();
        put("notes.txt", "no page");
        assert!(first.is_some() && digest() == first);
        put("b.md", "");
        let second = digest();
        assert_ne!(second, first);
        put("a.md", "two");
        assert_ne!(digest(), second);
        std::os::unix::fs::symlink("a.md", folder.path().join("c.md")).unwrap();
        assert_eq!(digest(), None);
        assert_eq!(pages_digest(&folder.path().join("nowhere")), None);
    }
}
