//! A text that has passed the gate. Only `gate` can make one, so nothing that was not
//! cleaned and redacted can reach a store: the compiler keeps that promise.
//!
//! A text is known by the digest of its body. The journal and the tables hold the
//! digest; bodies live in one place, so that one deletion removes a text everywhere.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::{base32, sha256};

/// Digest of a text's body.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextId(String);

impl TextId {
    /// What a text with this body is known by.
    pub fn of(body: &str) -> Self {
        TextId(format!("t-{}", &base32(&sha256(&[body]))[..26]))
    }

    /// An id that was written down.
    pub fn named(id: &str) -> Self {
        TextId(id.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A cleaned and redacted text. Serialized as its id alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text {
    id: TextId,
    body: Option<String>,
}

impl Text {
    /// For `gate` only: every other way to a text goes through a store.
    pub(crate) fn admitted(body: String) -> Self {
        Text { id: TextId::of(&body), body: Some(body) }
    }

    /// A text as a table names it; its body is still to be filled in.
    pub fn unfilled(id: &str) -> Self {
        Text { id: TextId::named(id), body: None }
    }

    /// What replaces an erased text: no body ever fills it again, and all erased texts look
    /// the same.
    pub fn erased() -> Self {
        Text::unfilled("t-erased")
    }

    pub fn id(&self) -> &TextId {
        &self.id
    }

    /// The body; `[erased]` when it is gone.
    pub fn as_str(&self) -> &str {
        self.body.as_deref().unwrap_or("[erased]")
    }

    /// The body, if it is still there.
    pub fn body(&self) -> Option<&str> {
        self.body.as_deref()
    }

    /// Puts the stored body in. False, and nothing changes, if the body is not the
    /// one that the id was made of: the store was edited by hand.
    pub fn fill(&mut self, body: &str) -> bool {
        let is_genuine = TextId::of(body) == self.id;
        if is_genuine {
            self.body = Some(body.to_owned());
        }
        is_genuine
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.id.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = TextId::deserialize(deserializer)?;
        Ok(Text { id, body: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_genuine_body_fills_a_text() {
        let text = Text::admitted("never do this".into());
        let mut unfilled = Text::unfilled(text.id().as_str());
        assert_eq!(unfilled.as_str(), "[erased]");
        assert!(!unfilled.fill("ALWAYS do this"));
        assert!(unfilled.fill("never do this"));
        assert_eq!(unfilled, text);
    }
}
