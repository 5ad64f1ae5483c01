//! What changes in a text, as a unified diff that people and `patch` can read.

use std::ops::Range;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{ChangeTag, DiffOp, group_diff_ops};

/// Lines around a change that are shown with it.
const N_AROUND: usize = 3;

/// The difference; empty if the texts are equal. No old text means a new file, no new text a
/// deleted file.
pub fn unified(path: &str, old: Option<&str>, new: Option<&str>) -> String {
    let lines = |text: Option<&'_ str>| -> Vec<String> {
        text.unwrap_or_default().split_inclusive('\n').map(str::to_owned).collect()
    };
    let (old_lines, new_lines) = (lines(old), lines(new));
    let groups = group_diff_ops(differences(&old_lines, &new_lines), N_AROUND);
    let pieces: String = groups.iter().map(|ops| piece(ops, &old_lines, &new_lines)).collect();
    if pieces.is_empty() && old.is_some() == new.is_some() {
        return pieces;
    }
    let name = |text: Option<&str>| if text.is_some() { path } else { "/dev/null" };
    format!("--- {}\n+++ {}\n{}", name(old), name(new), pieces.replace("\r\n", "\n"))
}

/// By the one algorithm: what chooses among six is several times as large.
fn differences(old: &[String], new: &[String]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut found, old, 0..old.len(), new, 0..new.len());
    found.into_inner().into_inner().into_ops()
}

/// Changes that are close together, with the lines around them.
fn piece(ops: &[DiffOp], old: &[String], new: &[String]) -> String {
    let (first, last) = (ops[0], ops[ops.len() - 1]);
    let mut piece = format!(
        "@@ -{} +{} @@\n",
        place(first.old_range().start..last.old_range().end),
        place(first.new_range().start..last.new_range().end)
    );
    for change in ops.iter().flat_map(|op| op.iter_changes(old, new)) {
        let sign = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        let line: String = change.value();
        piece.push(sign);
        piece.push_str(&line);
        if !line.ends_with('\n') {
            piece.push_str("\n\\ No newline at end of file\n");
        }
    }
    piece
}

/// Lines as the heading of a piece names them.
fn place(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        n => format!("{},{n}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn files_come_and_go() {
        let made = unified("p", None, Some("a\n"));
        assert_eq!(made, "--- /dev/null\n+++ p\n@@ -0,0 +1 @@\n+a\n");
        let gone = unified("p", Some("a\n"), None);
        assert_eq!(gone, "--- p\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
        assert_eq!(unified("p", None, Some("")), "--- /dev/null\n+++ p\n");
        assert_eq!(unified("p", Some("a\n"), Some("a\n")), "");
        let windows = unified("p", Some("a\r\n"), Some("a\r\nb\r\n"));
        assert_eq!(windows, "--- p\n+++ p\n@@ -1 +1,2 @@\n a\n+b\n");
    }

    #[test]
    fn changes_far_apart_are_pieces_of_their_own() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let new = old.replace("\n5\n", "\n").replace("\n30\n", "\nX\n30\n");
        let diff = unified("p", Some(&old), Some(&new));
        assert_eq!(diff.matches("@@ -").count(), 2, "{diff}");
        assert!(diff.contains("\n-5\n") && diff.contains("\n+X\n"), "{diff}");
    }
}
