//! What a model made of texts, in one file beside the store. Derived: whoever finds it missing,
//! damaged or made by another model starts anew, and an erasure removes it whole. It holds digests of
//! texts and numbers, no text.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use hardwon_core::meaning::Vector;
use hardwon_core::text::TextId;

use crate::files::{self, Mode, Place};

/// First bytes of the file.
const MAGIC: &[u8; 4] = b"HWV1";
/// Letters of a digest of a text, and of the model.
const ID_BYTES: usize = 28;
const MODEL_BYTES: usize = 71;
const HEADER_BYTES: usize = 4 + MODEL_BYTES + 4;
/// A million texts; more is not ours.
const MAX_BYTES: u64 = 1 << 30;

/// Vectors of texts, by one model.
///
/// The form of the file: `HWV1`, the model's digest, the length of a vector in bytes (4 bytes,
/// little end first); then for each text its digest and its vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vectors {
    path: Option<PathBuf>,
    model: String,
    known: BTreeMap<TextId, Vector>,
}

impl Vectors {
    /// Those that this model made; none if there is no place for them, or no such file.
    pub fn open(path: Option<PathBuf>, model: &str) -> Self {
        let bytes = path.as_ref().and_then(|path| files::read(&Place::own(path), MAX_BYTES).ok());
        let known = bytes.and_then(|bytes| parse(&bytes, model)).unwrap_or_default();
        Vectors { path, model: model.to_owned(), known }
    }

    pub fn get(&self, text: &TextId) -> Option<&Vector> {
        self.known.get(text)
    }

    pub fn add(&mut self, text: TextId, vector: Vector) {
        self.known.insert(text, vector);
    }

    /// Writes them, without waiting for the disk: what is lost is made again.
    pub fn save(&self) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let n_bytes = self.known.values().next().map_or(0, |vector| vector.to_bytes().len());
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.model.as_bytes());
        bytes.extend((n_bytes as u32).to_le_bytes());
        for (text, vector) in &self.known {
            bytes.extend(text.as_str().as_bytes());
            bytes.extend(vector.to_bytes());
        }
        files::replace_unsynced(path, &bytes, Mode::PRIVATE)
    }
}

fn parse(bytes: &[u8], model: &str) -> Option<BTreeMap<TextId, Vector>> {
    let (head, rest) = bytes.split_at_checked(HEADER_BYTES)?;
    let model_found = head.strip_prefix(MAGIC)?.get(..MODEL_BYTES)?;
    let n_bytes = u32::from_le_bytes(head[HEADER_BYTES - 4..].try_into().ok()?) as usize;
    let n_entry = ID_BYTES + n_bytes;
    if model_found != model.as_bytes() || !rest.len().is_multiple_of(n_entry) {
        return None;
    }
    let entry = |entry: &[u8]| {
        let id = std::str::from_utf8(&entry[..ID_BYTES]).ok()?;
        Some((TextId::named(id), Vector::of_bytes(&entry[ID_BYTES..])))
    };
    rest.chunks_exact(n_entry).map(entry).collect()
}

/// Removes the file and what is left of others that were being written. That there is none is
/// no error.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    files::sweep(path);
    match Place::own(path).remove() {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(letter: char) -> String {
        format!("sha256:{}", letter.to_string().repeat(64))
    }

    #[test]
    fn what_is_saved_is_found_by_the_same_model_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db-vectors");
        let mut vectors = Vectors::open(Some(path.clone()), &digest('a'));
        let (text, vector) = (TextId::of("a text"), Vector::of_bytes(&[1, 0, 255, 255]));
        vectors.add(text.clone(), vector.clone());
        vectors.save().unwrap();
        assert_eq!(Vectors::open(Some(path.clone()), &digest('a')), vectors);
        assert_eq!(Vectors::open(Some(path.clone()), &digest('b')).get(&text), None);
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(6).any(|found| found == b"a text"));
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(Vectors::open(Some(path.clone()), &digest('a')).get(&text), None);
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn without_a_place_nothing_is_kept() {
        let mut vectors = Vectors::open(None, &digest('a'));
        vectors.add(TextId::of("a"), Vector::of_bytes(&[1, 0]));
        vectors.save().unwrap();
        assert!(vectors.get(&TextId::of("a")).is_some());
    }
}
