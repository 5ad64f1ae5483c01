//! Content digests: how texts, lessons and blocks are recognized by their bytes.

use sha2::{Digest, Sha256};

/// SHA-256 over the parts, each preceded by its length so that no two lists of
/// parts give the same bytes.
pub fn sha256(parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}

/// `sha256:` and the hex digest of exactly these bytes, as other tools print it.
pub fn sha256_of_bytes(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)] as char);
        out.push(DIGITS[usize::from(byte & 15)] as char);
    }
    out
}

/// Lower-case base32 without look-alikes (no i, l, o, u), five bits a character.
pub fn base32(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut out = String::with_capacity(bytes.len() * 8 / 5);
    let (mut buffer, mut n_bits) = (0u32, 0u32);
    for byte in bytes {
        buffer = (buffer << 8) | u32::from(*byte);
        n_bits += 8;
        while n_bits >= 5 {
            n_bits -= 5;
            out.push(DIGITS[((buffer >> n_bits) & 31) as usize] as char);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        assert_eq!(
            sha256_of_bytes(b""),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(base32(&[0xff, 0x00, 0xff, 0x00, 0xff]), "zw0fy07z");
        assert_ne!(sha256(&["ab", "c"]), sha256(&["a", "bc"]));
    }
}
