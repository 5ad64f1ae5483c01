//! How is a digest cut to what a reader may be sent? What is worth least goes first, the later of
//! equals before the earlier; what was typed, and the first time that something failed, stay longest.

use std::collections::BTreeMap;

use super::digest::{Digest, Entry, PRINTED, Shows, short};
use super::entries::Collected;
use crate::command::trouble::telling_line;

/// Characters of a token, at least.
const TOKEN_CHARS: usize = 3;
/// What is left of a text that is not worth its length.
const SHORT_CHARS: usize = 200;
/// Worth from which an entry is shortened rather than left out.
const KEPT: u8 = 8;

pub(super) fn fit(collected: Collected, tokens: usize) -> Digest {
    let Collected { mut digest, worth } = collected;
    let mut left_out: BTreeMap<String, u32> = BTreeMap::new();
    let mut entries: Vec<Option<Entry>> =
        std::mem::take(&mut digest.entries).into_iter().map(Some).collect();
    let length = |entry: &Entry| entry.text().chars().count() + 8;
    let mut n_chars: usize = entries.iter().flatten().map(length).sum();
    let room = (tokens * TOKEN_CHARS).saturating_sub(digest.head.len() + 200);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| (worth[*at], usize::MAX - at));
    // First everything that is long and worth little becomes short, then it goes.
    for is_last in [false, true] {
        for at in &order {
            let Some(entry) = entries[*at].as_mut().filter(|_| n_chars > room) else { continue };
            let before = length(entry);
            if !is_last && worth[*at] < KEPT || is_last && worth[*at] == KEPT {
                entry.body = shortened(entry);
                n_chars = n_chars + length(entry) - before;
            }
            if is_last && worth[*at] < KEPT || is_last && worth[*at] == KEPT && n_chars > room {
                *left_out.entry(name(entry.shows).to_owned()).or_default() += 1;
                n_chars -= length(entry);
                entries[*at] = None;
            }
        }
    }
    let numbers: BTreeMap<usize, usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, it)| it.is_some())
        .enumerate()
        .map(|(n, (at, _))| (at + 1, n + 1))
        .collect();
    digest.entries = entries.into_iter().flatten().collect();
    for entry in &mut digest.entries {
        entry.head = renumbered(&entry.head, &numbers);
        entry.ends = entry.ends.iter().filter_map(|n| numbers.get(n).copied()).collect();
    }
    digest.left_out = left_out;
    digest
}

/// What is left of an entry that is too long: of a failure the line that tells it.
fn shortened(entry: &Entry) -> String {
    let printed: Vec<&str> = entry.printed().collect();
    let line = telling_line(&printed.join("\n")).filter(|_| entry.shows == Shows::Failed);
    line.map_or_else(|| short(&entry.body, SHORT_CHARS), |line| format!("{PRINTED}{line}"))
}

/// A heading whose numbers are those of the entries that are left.
fn renumbered(head: &str, numbers: &BTreeMap<usize, usize>) -> String {
    let mut parts = head.split('[');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.split_once(']').and_then(|(n, rest)| Some((n.parse().ok()?, rest)));
        match number {
            Some((number, rest)) => {
                let now =
                    numbers.get(&number).map_or("an earlier one".to_owned(), |n| format!("[{n}]"));
                out += &format!("{now}{rest}");
            }
            None => out += &format!("[{part}"),
        }
    }
    out
}

fn name(shows: Shows) -> &'static str {
    match shows {
        Shows::Typed => "typed",
        Shows::Put => "not typed",
        Shows::Agent => "of the agent",
        Shows::Refused | Shows::Interrupted => "refused",
        Shows::Failed => "failures",
        Shows::Worked => "repairs",
        Shows::Check => "checks",
        Shows::Found => "found",
        Shows::Edits => "edits",
        Shows::Foreign => "fetched",
    }
}
