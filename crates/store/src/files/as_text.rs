//! How is a path kept in a file of ours? As it is, if it is text; otherwise in hex, so that no
//! two paths are written alike. For serde: `#[serde(with = "files::as_text")]`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use hardwon_core::digest::hex;
use serde::{Deserialize, Deserializer, Serializer};

/// Before a path in hex; every other one that is kept is absolute.
const HEX: &str = "hex:";

pub fn path_text(path: &Path) -> String {
    let text = path.to_str().map(str::to_owned);
    text.unwrap_or_else(|| format!("{HEX}{}", hex(path.as_os_str().as_bytes())))
}

/// The path that [`path_text`] wrote.
pub fn text_path(text: &str) -> PathBuf {
    let digits = |hex: &str| {
        let pairs = (0..hex.len()).step_by(2);
        pairs.map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect()
    };
    let bytes: Option<Vec<u8>> = text.strip_prefix(HEX).and_then(digits);
    bytes.map_or_else(|| PathBuf::from(text), |bytes| OsString::from_vec(bytes).into())
}

pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path))
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    String::deserialize(deserializer).map(|text| text_path(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_a_text_of_its_own() {
        let path = |bytes: &[u8]| PathBuf::from(OsString::from_vec(bytes.to_vec()));
        for bytes in [&b"/a"[..], b"/a\xff", b"/a\xfe", "/a\u{fffd}".as_bytes(), b""] {
            assert_eq!(text_path(&path_text(&path(bytes))), path(bytes));
        }
        assert_eq!(text_path("hex:zz"), Path::new("hex:zz"));
        assert_eq!(text_path("hex:f"), Path::new("hex:f"));
    }
}
