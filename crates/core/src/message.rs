//! By what a message of a session is known wherever it is copied to: a short digest of the id that its
//! host gave it, or of who said what when.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::{base32, sha256};

/// Forty bits: two of a hundred thousand messages have the same once in two hundred projects.
const DIGEST_CHARS: usize = 8;

/// Most messages of a session that are remembered.
const MAX_MESSAGES: usize = 8_000;

/// The messages of a session, by short digests of what is theirs alone.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Messages(pub BTreeSet<String>);

/// By what a message is known wherever it stands: the id that its host gave it, or who said what when.
///
/// ```
/// use hardwon_core::message::message;
///
/// assert_eq!(message(&["call_7Yq2"]), message(&["call_7Yq2"]));
/// assert_ne!(message(&["user", "2026-05-12T08:00:00Z", "go on"]), message(&["user", "", "go on"]));
/// ```
pub fn message(parts: &[&str]) -> String {
    base32(&sha256(parts))[..DIGEST_CHARS].to_owned()
}

impl Messages {
    pub fn of(digests: impl IntoIterator<Item = String>) -> Self {
        Messages(digests.into_iter().take(MAX_MESSAGES).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those of both.
    pub fn merged(&self, other: &Messages) -> Messages {
        Messages::of(self.0.union(&other.0).cloned())
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

impl From<String> for Messages {
    fn from(text: String) -> Self {
        let is_digest = |digest: &&[u8]| digest.len() == DIGEST_CHARS && digest.is_ascii();
        let digests = text.as_bytes().chunks(DIGEST_CHARS).filter(is_digest);
        Messages::of(digests.map(|digest| String::from_utf8_lossy(digest).into_owned()))
    }
}

impl From<Messages> for String {
    fn from(messages: Messages) -> Self {
        messages.0.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_kept_in_one_text() {
        let messages = Messages::of(["1", "2"].map(|name| message(&[name])));
        let text = String::from(messages.clone());
        assert_eq!(text.len(), 2 * DIGEST_CHARS);
        assert_eq!(Messages::from(text), messages);
        assert!(Messages::from("é is no digest".to_owned()).is_empty());
    }
}
