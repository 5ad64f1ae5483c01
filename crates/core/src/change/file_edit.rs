//! A change of one file that a person or a host keeps, as the bytes that differ and the digests
//! of the whole before and after: enough to write it, to take it back, and to notice that
//! somebody else wrote in between.

use serde::{Deserialize, Serialize};

use crate::digest::sha256_of_bytes;

/// What changes in a file of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEdit {
    /// Below the folder of the store, or absolute.
    pub path: String,
    /// Digest of the whole before; `None` if there was no such file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Digest of the whole after; `None` if the file goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Where the difference begins, in bytes; always at the beginning of a line.
    pub at: usize,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub removed: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub added: String,
}

impl FileEdit {
    /// The change from one text of a file to another; `None` for no file. Nothing if they are
    /// equal.
    pub fn between(path: &str, before: Option<&str>, after: Option<&str>) -> Option<FileEdit> {
        if before == after {
            return None;
        }
        let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
        let at = common_lines(old.split_inclusive('\n'), new.split_inclusive('\n'));
        let (old_rest, new_rest) = (&old[at..], &new[at..]);
        let (from_end, to_end) = (old_rest.split_inclusive('\n'), new_rest.split_inclusive('\n'));
        let n_end = common_lines(from_end.rev(), to_end.rev());
        Some(FileEdit {
            path: path.to_owned(),
            before: before.map(digest),
            after: after.map(digest),
            at,
            removed: old_rest[..old_rest.len() - n_end].to_owned(),
            added: new_rest[..new_rest.len() - n_end].to_owned(),
        })
    }

    /// Whether the file is as this change found it.
    pub fn fits(&self, text: Option<&str>) -> bool {
        self.before == text.map(digest)
    }

    /// Whether the file is as this change leaves it.
    pub fn is_done(&self, text: Option<&str>) -> bool {
        self.after == text.map(digest)
    }

    /// The text after it; `None` if it does not fit what is there.
    pub fn applied(&self, text: Option<&str>) -> Option<Option<String>> {
        if !self.fits(text) {
            return None;
        }
        if self.after.is_none() {
            return Some(None);
        }
        let text = text.unwrap_or_default();
        let rest = text.get(self.at..)?.strip_prefix(self.removed.as_str())?;
        let new = format!("{}{}{rest}", &text[..self.at], self.added);
        self.is_done(Some(&new)).then_some(Some(new))
    }

    /// The change that takes it back.
    pub fn inverse(&self) -> FileEdit {
        let FileEdit { path, before, after, at, removed, added } = self.clone();
        FileEdit { path, before: after, after: before, at, removed: added, added: removed }
    }
}

fn digest(text: &str) -> String {
    sha256_of_bytes(text.as_bytes())
}

/// How many bytes the lines have that both begin with.
fn common_lines<'a>(
    one: impl Iterator<Item = &'a str>,
    other: impl Iterator<Item = &'a str>,
) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(line, _)| line.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn another_text_is_refused() {
        let edit = FileEdit::between("a.md", Some("one\n"), Some("two\n")).unwrap();
        assert_eq!(edit.applied(Some("three\n")), None);
        assert_eq!(edit.applied(None), None);
    }

    #[test]
    fn a_file_comes_and_goes() {
        let made = FileEdit::between("a.md", None, Some("")).unwrap();
        assert_eq!(made.applied(None), Some(Some(String::new())));
        assert_eq!(made.inverse().applied(Some("")), Some(None));
        assert_eq!(FileEdit::between("a.md", None, None), None);
    }

    proptest! {
        /// There and back again, whatever the texts are.
        #[test]
        fn it_leads_there_and_back(
            before in prop::option::of("[ab\u{e4}\r\n]{0,12}"),
            after in prop::option::of("[ab\u{e4}\r\n]{0,12}"),
        ) {
            let (before, after) = (before.as_deref(), after.as_deref());
            let Some(edit) = FileEdit::between("a.md", before, after) else {
                prop_assert_eq!(before, after);
                return Ok(());
            };
            let there = edit.applied(before);
            prop_assert_eq!(there.as_ref().map(|it| it.as_deref()), Some(after));
            let back = edit.inverse().applied(after);
            prop_assert_eq!(back.as_ref().map(|it| it.as_deref()), Some(before));
        }
    }
}
