//! Which run, lesson, project or operation is meant? One newtype per id, so that
//! they cannot be mixed up; a run id is checked where it is made, because it comes
//! from outside and ends up in messages, keys and other people's scripts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::{base32, sha256};

/// A run id longer than this is refused.
const MAX_RUN_ID_CHARS: usize = 128;

/// Names one run within a project. Grammar: starts with a letter or digit, then
/// letters, digits and `. _ - : / @ + # =`; never two dots in a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId(String);

impl RunId {
    /// Checks the grammar. The reason never repeats the refused text, which may hold
    /// control characters or a secret.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let mut chars = text.chars();
        let Some(first) = chars.next() else {
            return Err("a run id cannot be empty");
        };
        if text.chars().count() > MAX_RUN_ID_CHARS {
            return Err("a run id has at most 128 characters");
        }
        if !first.is_alphanumeric() {
            return Err("a run id starts with a letter or a digit");
        }
        if !chars.all(|c| c.is_alphanumeric() || "._-:/@+#=".contains(c)) {
            return Err("a run id has only letters, digits and . _ - : / @ + # =");
        }
        if text.contains("..") {
            return Err("a run id cannot have two dots in a row");
        }
        Ok(Self(text.to_owned()))
    }

    /// The run that a text names: a text that breaks the grammar is replaced by its digest,
    /// so that the same text always names the same run. `None` for a blank text.
    pub fn named(text: &str) -> Option<Self> {
        let text = text.trim();
        let odd = || Self::derived(&sha256(&[text]));
        (!text.is_empty()).then(|| Self::parse(text).unwrap_or_else(|_| odd()))
    }

    /// The id of a run without a name: derived from its content, so that reading
    /// the same content again is the same run.
    pub fn derived(content_digest: &[u8]) -> Self {
        Self(format!("run-{}", &base32(content_digest)[..12]))
    }
}

/// Names one lesson, in the whole store: `l-` and at least seven base32 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LessonId(String);

impl LessonId {
    /// The id of a lesson of this kind with this first text; longer if `is_taken` says the short
    /// one belongs to another lesson. Deterministic: a lesson that is learned again
    /// finds its old id.
    pub fn derive(
        project: Option<&ProjectId>,
        kind: &str,
        text: &str,
        mut is_taken: impl FnMut(&LessonId) -> bool,
    ) -> Self {
        let owner = project.map_or("", ProjectId::as_str);
        let hash = base32(&sha256(&[owner, kind, text]));
        let mut length = 7;
        loop {
            let id = Self(format!("l-{}", &hash[..length]));
            if length == hash.len() || !is_taken(&id) {
                return id;
            }
            length += 1;
        }
    }

    /// An id read from a store, an alias table or a command line. No grammar: an
    /// unknown id is simply not found.
    pub fn given(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Names the project whose memory is meant: the git common directory's owner, or a
/// name that the user chose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProjectId(String);

impl ProjectId {
    /// Any non-empty text is a project.
    pub fn new(text: &str) -> Self {
        assert!(!text.is_empty(), "a project has a name");
        Self(text.to_owned())
    }
}

/// One command that wrote something; counts up within a store.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct OperationId(pub u64);

macro_rules! text_ids {
    ($($name:ident),+) => {$(
        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}
text_ids!(RunId, LessonId, ProjectId);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_ids_follow_their_grammar() {
        for good in ["r7", "2026-04-03-der-huster", "gh/1234:2", "日本-1", "a.b_c@d+e#f=g"] {
            assert!(RunId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "../x", "-r", ".r", "a..b", "a\nb", "a b", "a$(x)", &"a".repeat(129)] {
            assert!(RunId::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_odd_name_names_one_run() {
        assert_eq!(RunId::named(" r7\n"), RunId::parse("r7").ok());
        assert_eq!((RunId::named(""), RunId::named(" \t")), (None, None));
        let odd = RunId::named("nightly build 7").unwrap();
        assert!(RunId::parse(odd.as_str()).is_ok(), "{odd}");
        assert_eq!(RunId::named("nightly build 7 "), Some(odd.clone()));
        assert_ne!(RunId::named("nightly build 8"), Some(odd));
    }

    #[test]
    fn lesson_ids_grow_on_collision_and_are_stable() {
        let free = LessonId::derive(None, "pattern", "text", |_| false);
        assert_eq!(free.as_str().len(), 9);
        let longer = LessonId::derive(None, "pattern", "text", |id| *id == free);
        assert!(longer.as_str().starts_with(free.as_str()) && longer.as_str().len() == 10);
        assert_eq!(free, LessonId::derive(None, "pattern", "text", |_| false));
        let project = ProjectId::new("p");
        assert_ne!(free, LessonId::derive(Some(&project), "pattern", "text", |_| false));
    }
}
