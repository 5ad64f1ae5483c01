//! Words as numbers: fingerprints, and how much a share of texts tells.

/// Logarithm of the inverse share; never zero, so that a text of common words still equals itself.
///
/// Taken once per mark when a subject is prepared, so that comparing seldom needs a logarithm.
pub(super) fn rarity(share: f64) -> f64 {
    -share.clamp(1e-9, 0.9).ln()
}

/// FNV-1a: stable across versions and platforms, unlike the standard hasher.
pub(super) fn fingerprint(text: &str) -> u64 {
    hash(FNV_START, text.bytes())
}

/// Fingerprint in a name space of its own, so that a spelling never equals a stem.
pub(super) fn marked(space: char, text: &str) -> u64 {
    hash(FNV_START, (space as u32).to_le_bytes().into_iter().chain(text.bytes()))
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

fn hash(start: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
