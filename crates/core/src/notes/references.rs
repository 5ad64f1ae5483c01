//! The files, folders and scripts that a note names. Whether they are still there is looked up by
//! the caller.

use super::{Note, NoteKind};

/// What runs a script of a manifest.
const RUNNERS: &[&str] =
    &["npm run ", "pnpm run ", "yarn run ", "bun run ", "make ", "just ", "composer run "];

/// A sentence with one of these does not say that what it names is there now, or says it as a
/// principle.
const NOT_NOW: &[&str] = &[
    "no longer",
    "not use",
    "any more",
    "anymore",
    "instead of",
    "removed",
    "deleted",
    " gone",
    "was ",
    "were ",
    "used to",
    "formerly",
    "never",
    "always",
    "prefer",
];

/// Something that can be looked up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A file or folder of the tree.
    Path(String),
    /// A script of a manifest: `seed` of `npm run seed`.
    Script(String),
}

/// A thing that a note names, with its sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The file of the note.
    pub note: String,
    pub named: Named,
    pub sentence: String,
}

/// What a note names as being there, each thing once. Preferences name what somebody likes, and do
/// not become stale.
pub fn references(note: &Note) -> Vec<Reference> {
    if matches!(note.kind, Some(NoteKind::User | NoteKind::Feedback)) {
        return Vec::new();
    }
    let text = note.whole_text();
    let mut found: Vec<Reference> = Vec::new();
    for sentence in text.lines().flat_map(|line| line.split_inclusive(". ")).map(str::trim) {
        let lower = sentence.to_lowercase();
        if NOT_NOW.iter().any(|sign| lower.contains(sign)) {
            continue;
        }
        for named in scripts(sentence).into_iter().chain(paths(sentence)) {
            if !found.iter().any(|known| known.named == named) {
                let (note, sentence) = (note.file.clone(), sentence.to_owned());
                found.push(Reference { note, named, sentence });
            }
        }
    }
    found
}

/// Scripts that stand in back quotes behind what runs them.
fn scripts(sentence: &str) -> Vec<Named> {
    let codes = sentence.split('`').skip(1).step_by(2);
    let named = codes.filter_map(|code| {
        let rest = RUNNERS.iter().find_map(|runner| code.trim().strip_prefix(runner))?;
        let name = rest.split_whitespace().next()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_:-".contains(c);
        let is_plain = name.chars().all(is_name) && !name.starts_with('-');
        is_plain.then(|| Named::Script(name.to_owned()))
    });
    named.collect()
}

/// Words that look like a path below the tree.
fn paths(sentence: &str) -> Vec<Named> {
    let is_around = |c: char| !c.is_alphanumeric() && c != '_';
    let words = sentence.split(|c: char| c.is_whitespace() || "`\"'()[]<>,;|".contains(c));
    let named = words.filter_map(|word| {
        let path = word.trim_start_matches("./").trim_end_matches(is_around);
        let is_usual = |c: char| c.is_alphanumeric() || "_-./".contains(c);
        let is_plain = path.chars().all(is_usual)
            && path.starts_with(|c: char| c.is_alphanumeric() || "_.".contains(c))
            && !path.split('/').any(|part| part.is_empty() || part == "..");
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        let is_file = ending.is_some_and(|(_, ending)| {
            (1..=5).contains(&ending.len())
                && path.len() > "e.g".len()
                && ending.starts_with(|c: char| c.is_ascii_lowercase())
        });
        (is_plain && (path.contains('/') || is_file)).then(|| Named::Path(path.to_owned()))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(kind: NoteKind, text: &str) -> Vec<Named> {
        let note = Note { kind: Some(kind), text: text.to_owned(), ..Note::default() };
        references(&note).into_iter().map(|it| it.named).collect()
    }

    #[test]
    fn files_folders_and_scripts_are_named() {
        let path = |path: &str| Named::Path(path.to_owned());
        let script = |name: &str| Named::Script(name.to_owned());
        for (text, expected) in [
            ("The release is made by `tools/gone.sh`.", vec![path("tools/gone.sh")]),
            (
                "Caching is in src/cache/ and (old_cache.rs).",
                vec![path("src/cache"), path("old_cache.rs")],
            ),
            ("Run `npm run seed --all` or `make db:up`", vec![script("seed"), script("db:up")]),
            ("See [the page](docs/a.md), e.g. v1.2", vec![path("docs/a.md")]),
            ("At https://example.org/a.md, `/etc/x.conf` or ~/y.toml", vec![]),
            ("`tools/gone.sh` was removed. It took an hour", vec![]),
            ("We make do with little", vec![]),
        ] {
            assert_eq!(named(NoteKind::Project, text), expected, "{text}");
        }
        assert_eq!(named(NoteKind::Feedback, "Look at `tools/gone.sh`"), []);
    }
}
