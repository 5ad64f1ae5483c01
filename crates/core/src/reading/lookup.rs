//! Does a command or a path that a lesson names stand in the session?

use super::quotation::plain;
use crate::session::Digest;

/// Whether a path stands in any entry.
pub(super) fn stands_somewhere(digest: &Digest, name: &str) -> bool {
    let name = plain(name);
    !name.is_empty() && digest.entries.iter().any(|entry| plain(&entry.text()).contains(&name))
}

/// Whether code stands in a session, as a whole or word by word; `<name>` stands for any word.
pub(super) fn has_code(digest: &Digest, code: &str) -> bool {
    let is_placeholder = |word: &str| word.starts_with('<') && word.ends_with('>');
    let mut words = code.split_whitespace().filter(|word| !is_placeholder(word));
    stands_somewhere(digest, code) || words.all(|word| stands_somewhere(digest, word))
}
