//! Is an error about the same thing as a lesson, beyond what every error says? Most words of
//! an error are its tool's: "No such file or directory" fits any file. Only what is left
//! without them counts: names, paths and rare words that both have.
//!
//! Asked before a lesson is recalled because of a failure, where a wrong one is worse than
//! none. Whether two texts say the same is decided in `matching`.

use std::collections::BTreeMap;

use super::Corpus;
use super::background::background;
use super::marks::fingerprint;
use crate::command::boilerplate::{is_boilerplate, is_path};
use crate::signature::without_line;
use crate::words::words;

/// Weight of a rare word or a file name, and of a word that many findings have.
const RARE: f64 = 1.0;
const COMMON: f64 = 0.5;
/// A whole path is what the error is about; with a line it is only where it was noticed.
const PATH: f64 = 2.0;
const PLACE: f64 = 0.5;
/// How much both must have in common; for what has the same signature, one thing is enough.
const ENOUGH: f64 = 2.0;
const ENOUGH_IF_SIGNED: f64 = 1.0;
/// From so many lessons on, a word in more than this share of them is not specific.
const MANY_TEXTS: u64 = 20;
const EVERYDAY_SHARE: f64 = 0.1;

/// Whether an error and a lesson, or a finding, name the same thing.
pub fn name_the_same(error: &str, lesson: &str, is_signed: bool, corpus: &Corpus) -> bool {
    let (error, lesson) = (names(error), names(lesson));
    let is_everyday = |name: &str| {
        let n_texts = corpus.df.get(name).copied().unwrap_or(0) as f64;
        corpus.n_texts >= MANY_TEXTS && n_texts > EVERYDAY_SHARE * corpus.n_texts as f64
    };
    let shared = error.iter().filter(|(name, _)| !is_everyday(name));
    let shared: Vec<f64> =
        shared.filter_map(|(name, weight)| Some(lesson.get(name)?.min(*weight))).collect();
    let has_rare = shared.iter().any(|weight| *weight >= RARE);
    let enough = if is_signed { ENOUGH_IF_SIGNED } else { ENOUGH };
    has_rare && shared.iter().sum::<f64>() >= enough
}

/// What a text names, without boilerplate, each with its weight.
fn names(text: &str) -> BTreeMap<String, f64> {
    let mut names = BTreeMap::new();
    for piece in text.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;=".contains(c)) {
        let piece = piece.trim_matches(|c: char| ".:!?*".contains(c));
        let bare = without_line(piece);
        if is_path(&bare) {
            let weight = match (bare.len() < piece.len(), bare.contains('/')) {
                (true, _) => PLACE,
                (false, true) => PATH,
                (false, false) => RARE,
            };
            let path = bare.trim_start_matches('/').to_lowercase();
            if !is_boilerplate(&path) {
                names.insert(path, weight);
            }
            continue;
        }
        for word in words(piece).into_iter().filter(|word| !is_boilerplate(word)) {
            let weight = weight(&word);
            names.insert(word, weight);
        }
    }
    names
}

/// A number, or a word that many findings have, counts little alone.
fn weight(word: &str) -> f64 {
    let is_number = word.chars().all(|c| c.is_ascii_digit());
    let is_common = background().rarity(fingerprint(word)).is_finite();
    if is_number || is_common { COMMON } else { RARE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lessons as reports of failures leave them.
    const LOGIN: &str = "Test api::tests::login fails: thread panicked at src/api.rs:41:10";
    const FIXTURES: &str = "cargo test failed because the file fixtures/users.json was not found";
    const CACHE: &str = "No such file or directory when the cache folder is missing at startup";
    const LOGS: &str = "Permission denied when writing to the log folder in the container";
    const LINKER: &str = "cargo test: linker `cc` not found: install the compiler before the tests";
    const DATABASE: &str = "Connection to the test database refused on port 5432";
    const MODULE: &str = "ModuleNotFoundError: No module named 'yaml'";

    #[track_caller]
    fn check(error: &str, lesson: &str, is_signed: bool, expected: bool) {
        let shared = (names(error), names(lesson));
        let is_known = name_the_same(error, lesson, is_signed, &Corpus::default());
        assert_eq!(is_known, expected, "{error} / {lesson}: {shared:?}");
    }

    #[test]
    fn what_every_error_says_recalls_nothing() {
        for error in [
            "ls: cannot access '/nowhere': No such file or directory",
            "cat: notes/today.md: No such file or directory",
            "cargo test: error: test failed, to rerun pass `--lib`",
            "error: test failed, to rerun pass `-p demo --test it`",
            "File does not exist. Note: your current working directory is /home/me/app",
            "thread 'main' panicked at src/main.rs:3:5: index out of bounds: the len is 3",
            "thread 'parse::tests::dates' (7) panicked at src/parse.rs:12:9:",
            "thread 'api::tests::logout' panicked at src/api.rs:99:5: assertion failed",
            "bash: ./run.sh: Permission denied",
            "bash: line 1: zebra: command not found",
            "Traceback (most recent call last):",
            "Error: Cannot find module 'left-pad'",
            "npm ERR! code ELIFECYCLE",
            "fatal: not a git repository (or any of the parent directories): .git",
            "error: could not compile `demo` (lib) due to 2 previous errors",
            "Exit code 1",
        ] {
            for lesson in [LOGIN, FIXTURES, CACHE, LOGS, LINKER, DATABASE, MODULE] {
                check(error, lesson, false, false);
            }
        }
    }

    #[test]
    fn what_is_named_recalls_what_names_it() {
        for (error, lesson) in [
            ("thread 'api::tests::login' panicked at src/api.rs:41:10:", LOGIN),
            ("Error: fixtures/users.json was not found", FIXTURES),
            ("startup: cache folder: No such file or directory", CACHE),
            ("container: cannot write to the log folder: Permission denied", LOGS),
            ("error: linker `cc` not found", LINKER),
            ("Error: connection to the test database refused on port 5432", DATABASE),
            ("password compared with a function that returns early", "Password compared early"),
        ] {
            check(error, lesson, false, true);
        }
    }

    #[test]
    fn a_signature_needs_a_name_beside_it() {
        check("ModuleNotFoundError: No module named 'yaml'", MODULE, true, true);
        // Signatures leave out what is quoted.
        check("ModuleNotFoundError: No module named 'requests'", MODULE, true, false);
        check("File does not exist.", "File does not exist.", true, false);
    }

    #[test]
    fn a_word_of_every_lesson_names_nothing() {
        let lesson = "Zebra gateway drops the herd";
        let error = "error: zebra gateway is down";
        let df = ["zebra", "gateway"].map(|word| (words(word)[0].clone(), 9));
        let corpus = |n_texts| Corpus { n_texts, df: df.clone().into_iter().collect() };
        assert!(name_the_same(error, lesson, false, &corpus(19)));
        assert!(name_the_same(error, lesson, false, &corpus(1_000)));
        assert!(!name_the_same(error, lesson, false, &corpus(30)));
    }
}
