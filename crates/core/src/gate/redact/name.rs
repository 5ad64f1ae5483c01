//! A name that may announce a secret, as bytes before a value.

use super::keys::{Key, MAX_NAME};

/// A secret-like name: where it begins and what it says.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub start: usize,
    pub key: Key,
}

/// Where the name begins that ends at `end`.
pub(super) fn name_start(bytes: &[u8], end: usize) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte == b'-';
    end - bytes[..end].iter().rev().take(MAX_NAME).take_while(is_part).count()
}
