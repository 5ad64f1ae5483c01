//! The pages of a database file as they lie there, whether or not SQLite would open it. Of a page
//! that the log has, the newest committed version counts. Nothing is written.
//!
//! The form of file and log is SQLite's own, which promises not to change it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::sqlite::connection::log_path;

/// The size that our stores have; taken if the header says nothing that could be.
const USUAL_SIZE: usize = 4096;

/// Bytes of the log's own header, and of the one before each of its pages.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// A file and its log.
pub(super) struct Pages {
    file: File,
    log: Option<File>,
    /// Where in the log a page begins.
    in_log: BTreeMap<u32, u64>,
    pub size: usize,
    /// How many there are, numbered from 1.
    pub n: u32,
}

impl Pages {
    pub fn open(path: &Path) -> io::Result<Pages> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut header = [0; 18];
        let is_read = file.read_exact_at(&mut header, 0).is_ok();
        let log = File::open(log_path(path)).ok();
        let stated = Some(usize::from(u16::from_be_bytes([header[16], header[17]])));
        let is_size = |size: &usize| size.is_power_of_two() && (512..=32768).contains(size);
        let size = stated.filter(|size| is_read && is_size(size)).unwrap_or(USUAL_SIZE);
        let in_log = log.as_ref().and_then(|log| committed(log, size).ok()).unwrap_or_default();
        let in_file = length.div_ceil(size as u64);
        let last = in_log.keys().next_back().copied().unwrap_or(0);
        let n = u32::try_from(in_file).unwrap_or(u32::MAX).max(last);
        Ok(Pages { file, log, in_log, size, n })
    }

    /// A page; what a cut file lacks of it is zeros.
    pub fn read(&self, number: u32) -> Option<Vec<u8>> {
        if number == 0 || number > self.n {
            return None;
        }
        let mut page = vec![0; self.size];
        if let (Some(at), Some(log)) = (self.in_log.get(&number), &self.log) {
            log.read_exact_at(&mut page, *at).ok()?;
            return Some(page);
        }
        let from = u64::from(number - 1) * self.size as u64;
        let mut n_read = 0;
        while n_read < page.len() {
            match self.file.read_at(&mut page[n_read..], from + n_read as u64) {
                Ok(0) | Err(_) => break,
                Ok(n) => n_read += n,
            }
        }
        Some(page)
    }
}

/// Where the log has committed pages, each in its newest version. It counts up to the first frame
/// whose sum is wrong, as it does for SQLite.
fn committed(log: &File, size: usize) -> io::Result<BTreeMap<u32, u64>> {
    let mut header = [0; LOG_HEADER];
    log.read_exact_at(&mut header, 0)?;
    let word = |bytes: &[u8], at: usize| {
        u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    let is_big_endian = word(&header, 0) & 1 == 1;
    let mut sum = (0, 0);
    add(&mut sum, &header[..24], is_big_endian);
    let mut pages = BTreeMap::new();
    if sum != (word(&header, 24), word(&header, 28)) || word(&header, 8) as usize != size {
        return Ok(pages);
    }
    let mut frame = vec![0; FRAME_HEADER + size];
    let mut pending: Vec<(u32, u64)> = Vec::new();
    let mut at = LOG_HEADER as u64;
    while log.read_exact_at(&mut frame, at).is_ok() {
        add(&mut sum, &frame[..8], is_big_endian);
        add(&mut sum, &frame[FRAME_HEADER..], is_big_endian);
        let is_of_log = frame[8..16] == header[16..24];
        if !is_of_log || sum != (word(&frame, 16), word(&frame, 20)) {
            break;
        }
        pending.push((word(&frame, 0), at + FRAME_HEADER as u64));
        if word(&frame, 4) != 0 {
            pages.extend(pending.drain(..));
        }
        at += frame.len() as u64;
    }
    Ok(pages)
}

/// Goes on with the log's own sum.
fn add(sum: &mut (u32, u32), bytes: &[u8], is_big_endian: bool) {
    for pair in bytes.chunks_exact(8) {
        let word = |at: usize| {
            let bytes = [pair[at], pair[at + 1], pair[at + 2], pair[at + 3]];
            if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        sum.0 = sum.0.wrapping_add(word(0)).wrapping_add(sum.1);
        sum.1 = sum.1.wrapping_add(word(4)).wrapping_add(sum.0);
    }
}
