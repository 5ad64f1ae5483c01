//! Do two texts have only a frame in common? A heading, an example or a turn of phrase makes
//! two findings similar that are about different things, and of twins ("Exit code 2 is not
//! documented", "Exit code 5 is not documented") all words but one agree.
//!
//! Both rules were set on cases of our own and tried on 997 labelled findings: twins are
//! found in none of 2,845 pairs of the same problem, a run and nothing else in 4 of them, and
//! in 25 of 797 pairs of different ones.

use std::collections::BTreeSet;

use super::MatchPolicy;
use super::background::background;
use super::features::{Features, Weights};
use super::grams::fingerprint;
use super::likeness::InCommon;
use crate::list;
use crate::signature::{is_hex, without_line};
use crate::words::words;

/// Share of the words in which twins agree, at least.
const FRAME_SHARE: f64 = 0.5;
/// Most words that stand in one gap of the frame.
const MAX_GAP: usize = 3;
/// Longer texts are cut: a frame shows at their beginning.
const MAX_PIECES: usize = 120;
/// Fewest pieces that make a run, and that must be left without it.
const MIN_RUN: usize = 2;
const MIN_LEFT: usize = 2;
/// Below this likeness nothing but the run is in common.
const NOTHING: f64 = 0.06;

/// Words that turn a text round. Whether one denies the other is asked elsewhere.
const TURNING: &[&str] = list!("conflict.txt", "turning");

/// Whether two texts are one frame in which only names, numbers or single words differ.
pub(super) fn are_twins(a: &str, b: &str) -> bool {
    let (a, b) = (pieces(a), pieces(b));
    let in_common = common(&a, &b);
    if (in_common.len() as f64) < FRAME_SHARE * a.len().max(b.len()) as f64 {
        return false;
    }
    let (mut from_a, mut from_b, mut differ) = (0usize, 0usize, false);
    for &(at_a, at_b) in in_common.iter().chain([&(a.len(), b.len())]) {
        let before = from_a.checked_sub(1).map(|at| a[at].text.as_str());
        match gap(before, &a[from_a..at_a], &b[from_b..at_b]) {
            Gap::None => {}
            Gap::Differs => differ = true,
            Gap::Paraphrase => return false,
        }
        (from_a, from_b) = (at_a + 1, at_b + 1);
    }
    differ
}

/// A piece of a text between blanks, as it is compared.
struct Piece {
    text: String,
    /// Its words without those that say nothing.
    words: Vec<String>,
}

fn pieces(text: &str) -> Vec<Piece> {
    let bare = |piece: &str| {
        let piece = piece.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let piece = without_line(&piece);
        (!piece.is_empty()).then(|| Piece { words: words(&piece), text: piece })
    };
    text.split_whitespace().filter_map(bare).take(MAX_PIECES).collect()
}

/// The longest sequence that both have, as pairs of places.
fn common(a: &[Piece], b: &[Piece]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut longest = vec![0u16; (a.len() + 1) * width];
    for at_a in (0..a.len()).rev() {
        for at_b in (0..b.len()).rev() {
            let next = |da: usize, db: usize| longest[(at_a + da) * width + at_b + db];
            let is_same = a[at_a].text == b[at_b].text;
            longest[at_a * width + at_b] =
                if is_same { next(1, 1) + 1 } else { next(1, 0).max(next(0, 1)) };
        }
    }
    let (mut at_a, mut at_b, mut pairs) = (0, 0, Vec::new());
    while at_a < a.len() && at_b < b.len() {
        if a[at_a].text == b[at_b].text {
            pairs.push((at_a, at_b));
            (at_a, at_b) = (at_a + 1, at_b + 1);
        } else if longest[(at_a + 1) * width + at_b] >= longest[at_a * width + at_b + 1] {
            at_a += 1;
        } else {
            at_b += 1;
        }
    }
    pairs
}

/// What stands between two places in which both texts agree.
enum Gap {
    /// Nothing that says which problem is meant.
    None,
    /// Two names, numbers or words that have nothing to do with each other.
    Differs,
    /// One says more, or says it in other words.
    Paraphrase,
}

fn gap(before: Option<&str>, a: &[Piece], b: &[Piece]) -> Gap {
    let telling = |pieces: &'_ [Piece]| -> Vec<usize> {
        let is_telling = |piece: &Piece| {
            let says_little = piece.words.is_empty() || TURNING.contains(&piece.text.as_str());
            !says_little && !is_moving(&piece.text)
        };
        (0..pieces.len()).filter(|&at| is_telling(&pieces[at])).collect()
    };
    let (told_a, told_b) = (telling(a), telling(b));
    // Where it is moves with the code.
    let is_line = before.is_some_and(|word| matches!(word, "line" | "lines"));
    match (told_a.len(), told_b.len()) {
        (0, 0) => return Gap::None,
        _ if is_line => return Gap::None,
        (0, _) | (_, 0) => return Gap::Paraphrase,
        (n_a, n_b) if n_a.max(n_b) > MAX_GAP => return Gap::Paraphrase,
        _ => {}
    }
    let joined = |pieces: &[Piece], told: &[usize]| -> String {
        told.iter().flat_map(|&at| &pieces[at].words).map(String::as_str).collect()
    };
    if joined(a, &told_a) == joined(b, &told_b) {
        return Gap::None;
    }
    let are_names = told_a.iter().all(|&at| is_name(&a[at].text))
        && told_b.iter().all(|&at| is_name(&b[at].text));
    let are_related = || !notions(a, &told_a).is_disjoint(&notions(b, &told_b));
    if are_names || !are_related() { Gap::Differs } else { Gap::Paraphrase }
}

/// A path, a commit, a place in a file (`l40`): these change while the problem stays.
fn is_moving(piece: &str) -> bool {
    let is_line =
        |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == '-');
    piece.contains(['/', '\\']) || is_hex(piece) || piece.strip_prefix('l').is_some_and(is_line)
}

/// Whether a piece looks like a name from code, a selector or a number.
fn is_name(piece: &str) -> bool {
    piece.chars().any(|c| c.is_ascii_digit() || "_.#:()=-".contains(c))
}

/// Words and what they mean, by fingerprint.
fn notions(pieces: &[Piece], told: &[usize]) -> BTreeSet<u64> {
    let words = told.iter().flat_map(|&at| &pieces[at].words).map(|word| fingerprint(word));
    words.flat_map(|word| [Some(word), background().notion(word)]).flatten().collect()
}

/// Whether two texts share a run of words, and nothing without it.
pub(super) fn share_only_a_run(a: &str, b: &str, weights: &Weights, policy: &MatchPolicy) -> bool {
    let split =
        |text: &'_ str| text.split_whitespace().take(MAX_PIECES).map(str::to_owned).collect();
    let (a, b): (Vec<String>, Vec<String>) = (split(a), split(b));
    let Some((from_a, from_b, n)) = longest_run(&a, &b) else { return false };
    let left = |all: &[String], from: usize| [&all[..from], &all[from + n..]].concat().join(" ");
    let (a, b) = (left(&a, from_a), left(&b, from_b));
    let n_left = |text: &str| text.split(' ').filter(|piece| !words(piece).is_empty()).count();
    if n_left(&a).min(n_left(&b)) < MIN_LEFT {
        return false;
    }
    let common = InCommon::of(&Features::weighted(&a), &Features::weighted(&b), weights);
    common.likeness(policy) < NOTHING
}

/// Where the longest run that both have begins in each, and how long it is.
fn longest_run(a: &[String], b: &[String]) -> Option<(usize, usize, usize)> {
    let bare = |pieces: &[String]| -> Vec<String> {
        let trim =
            |piece: &String| piece.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        pieces.iter().map(trim).collect()
    };
    let (a, b) = (bare(a), bare(b));
    let mut best = (0, 0, 0);
    let mut before = vec![0; b.len() + 1];
    for (at_a, own) in a.iter().enumerate() {
        let mut here = vec![0; b.len() + 1];
        for at_b in (0..b.len()).filter(|&at_b| b[at_b] == *own && !own.is_empty()) {
            let n = before[at_b] + 1;
            here[at_b + 1] = n;
            if n > best.2 {
                best = (at_a + 1 - n, at_b + 1 - n, n);
            }
        }
        before = here;
    }
    (best.2 >= MIN_RUN).then_some(best)
}
