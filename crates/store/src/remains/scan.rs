//! Does a file hold any of these bytes? One pass with a rolling sum, whatever their
//! number, in bounded memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::sqlite::read_copy;

const CHUNK: usize = 1 << 20;
const BASE: u64 = 1_099_511_628_211;

/// The first of the patterns, in their order, that the file holds; of a compressed copy, what was
/// compressed.
pub fn look(path: &Path, patterns: &[Vec<u8>]) -> io::Result<Option<usize>> {
    find(&mut read_copy(path)?, patterns)
}

/// The files below a folder, so many folders deep. Links are not followed.
pub fn files_below(folder: &Path, depth: usize, files: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => files_below(&entry.path(), depth - 1, files),
            Ok(kind) if kind.is_file() => drop(files.insert(entry.path())),
            _ => {}
        }
    }
}

fn find(input: &mut impl Read, patterns: &[Vec<u8>]) -> io::Result<Option<usize>> {
    let Some(longest) = patterns.iter().map(Vec::len).max() else { return Ok(None) };
    let search = Search::new(patterns);
    let mut best: Option<usize> = None;
    // The end of one piece is looked at again with the next: a pattern may lie across.
    let mut buffer: Vec<u8> = Vec::with_capacity(CHUNK + longest);
    loop {
        let n_kept = buffer.len().min(longest.saturating_sub(1));
        buffer.drain(..buffer.len() - n_kept);
        let n_read = input.take(CHUNK as u64).read_to_end(&mut buffer)?;
        if n_read == 0 {
            return Ok(best);
        }
        best = search.best_in(&buffer).into_iter().chain(best).min();
        if best == Some(0) {
            return Ok(best);
        }
    }
}

/// Patterns by the sum of their first bytes.
struct Search<'a> {
    patterns: &'a [Vec<u8>],
    width: usize,
    by_sum: BTreeMap<u64, Vec<usize>>,
    /// What the byte that leaves the window had added.
    leaving: u64,
    /// Sums that may occur, by their lowest bits.
    may_be: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(patterns: &'a [Vec<u8>]) -> Self {
        let width = patterns.iter().map(Vec::len).min().unwrap_or(0).clamp(1, 16);
        let mut by_sum: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut may_be = vec![false; 1 << 16];
        for (index, pattern) in patterns.iter().enumerate().filter(|(_, p)| p.len() >= width) {
            let sum = sum(&pattern[..width]);
            may_be[(sum & 0xffff) as usize] = true;
            by_sum.entry(sum).or_default().push(index);
        }
        let leaving = (1..width).fold(1u64, |power, _| power.wrapping_mul(BASE));
        Search { patterns, width, by_sum, leaving, may_be }
    }

    fn best_in(&self, bytes: &[u8]) -> Option<usize> {
        if bytes.len() < self.width {
            return None;
        }
        let mut best = None;
        let mut rolling = sum(&bytes[..self.width]);
        for at in 0..=bytes.len() - self.width {
            if self.may_be[(rolling & 0xffff) as usize] {
                best = self.starting(&bytes[at..], rolling).into_iter().chain(best).min();
            }
            if let Some(next) = bytes.get(at + self.width) {
                let left = u64::from(bytes[at]).wrapping_mul(self.leaving);
                rolling = rolling.wrapping_sub(left).wrapping_mul(BASE);
                rolling = rolling.wrapping_add(u64::from(*next));
            }
        }
        best
    }

    fn starting(&self, bytes: &[u8], sum: u64) -> Option<usize> {
        let candidates = self.by_sum.get(&sum)?;
        candidates.iter().copied().find(|index| bytes.starts_with(&self.patterns[*index]))
    }
}

fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_mul(BASE).wrapping_add(u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: &[u8], patterns: &[&str]) -> Option<usize> {
        let patterns: Vec<Vec<u8>> = patterns.iter().map(|p| p.as_bytes().to_vec()).collect();
        find(&mut &bytes[..], &patterns).unwrap()
    }

    #[test]
    fn patterns_are_found_wherever_they_lie() {
        let needle = "a needle of more than sixteen bytes";
        for at in [0, 1, CHUNK - 20, CHUNK - 1, CHUNK, 2 * CHUNK + 7] {
            let mut hay = vec![b'a'; at];
            hay.extend_from_slice(needle.as_bytes());
            hay.extend_from_slice(b"the end");
            assert_eq!(found(&hay, &["nothing of the sort", needle]), Some(1), "{at}");
            assert_eq!(found(&hay, &["the end", needle]), Some(0), "{at}");
            assert_eq!(found(&hay[..at + 30], &[needle]), None, "{at}");
        }
        assert_eq!(found(b"short", &["a longer pattern"]), None);
        assert_eq!(found(b"", &["x"]), None);
        assert_eq!(found(b"anything", &[]), None);
    }
}
