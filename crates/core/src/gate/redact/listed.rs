//! Which name does a `value` have that stands in a list of names and values?
//!
//! `{"name": "API_KEY", "value": "…"}`, `- name: API_KEY` over `value: …`, and
//! `<add key="ApiKey" value="…"/>`: the pair before it tells.

use super::keys;
use super::name::{Name, name_start};

/// Quotes, commas and blanks between two fields.
const MAX_GAP: usize = 24;

/// The secret-like name of the `value` that ends at `end`.
pub(super) fn named(bytes: &[u8], end: usize) -> Option<Name> {
    let start = name_start(bytes, end);
    if !bytes[start..end].eq_ignore_ascii_case(b"value") {
        return None;
    }
    let name_end = start - n_between(&bytes[..start]);
    let name = name_start(bytes, name_end);
    let key = keys::key(&bytes[name..name_end])?;
    let label_end = name - n_between(&bytes[..name]);
    let label = &bytes[name_start(bytes, label_end)..label_end];
    let is_label =
        ["name", "key", "id"].iter().any(|word| label.eq_ignore_ascii_case(word.as_bytes()));
    is_label.then_some(Name { start, key })
}

fn n_between(before: &[u8]) -> usize {
    let is_between = |byte: &&u8| byte.is_ascii_whitespace() || b"\"'`\\,:=;".contains(byte);
    before.iter().rev().take(MAX_GAP).take_while(is_between).count()
}
