//! Which words does every failure have? They tell no failure from any other.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::list;
use crate::words::unique_words;

/// What tools print for any failure, and what agents call them by. Its words do not
/// distinguish failures.
const BOILERPLATE: &[&str] = list!("boilerplate.txt");

/// Whether a word says nothing but that something failed.
pub fn is_boilerplate(word: &str) -> bool {
    boilerplate().contains(word)
}

/// The words and paths of all boilerplate.
fn boilerplate() -> &'static BTreeSet<String> {
    static WORDS: OnceLock<BTreeSet<String>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let words = BOILERPLATE.iter().flat_map(|line| unique_words(line));
        let pieces = BOILERPLATE.iter().flat_map(|line| line.split([' ', ';']));
        words.chain(pieces.filter(|piece| is_path(piece)).map(str::to_lowercase)).collect()
    })
}

/// A name with a slash, or of a file.
pub(crate) fn is_path(piece: &str) -> bool {
    let has_letters = piece.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    let is_file = || {
        let ending = piece.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| {
            (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_lowercase())
        })
    };
    has_letters && (piece.contains('/') || is_file())
}
