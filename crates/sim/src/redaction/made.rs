//! Strings that a regular expression matches, made up by chance, and which of their
//! characters chance chose: what the expression itself says is public and no secret.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::random::Random;

/// An open repetition gets at most so many more than it needs.
const MAX_MORE: usize = 24;

/// A made-up string.
#[derive(Clone, Debug, Default)]
pub struct Made {
    pub text: String,
    /// For each byte, whether chance chose it.
    pub is_chance: Vec<bool>,
}

impl Made {
    fn push(&mut self, byte: u8, is_chance: bool) {
        self.text.push(char::from(byte));
        self.is_chance.push(is_chance);
    }
}

/// Which letters are taken from a class. An expression that ignores case names the small
/// letters alone, and means both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Written,
    Both,
}

/// A string for `hir`. Conditions without a length (`\b`, `$`) are left to whoever checks it.
pub fn make(hir: &Hir, case: Case, chance: &mut Random) -> Made {
    let mut made = Made::default();
    add(hir, case, chance, &mut made);
    made
}

fn add(hir: &Hir, case: Case, chance: &mut Random, made: &mut Made) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            literal
                .0
                .iter()
                .filter(|byte| byte.is_ascii())
                .for_each(|&byte| made.push(byte, false));
        }
        HirKind::Class(class) => {
            let members = members(class, case);
            // `hooks.slack.com`: a lone dot is meant as one.
            if is_any(&members) {
                made.push(b'.', false);
            } else if !members.is_empty() {
                made.push(chance.pick(&members), !is_one_letter(&members));
            }
        }
        HirKind::Repetition(repetition) => {
            let least = repetition.min as usize;
            let most = repetition.max.map_or(least + MAX_MORE, |max| max as usize);
            let most = if is_blank(&repetition.sub) { least.max(1).min(most) } else { most };
            let n = least + chance.index(most.min(least + MAX_MORE) - least + 1);
            (0..n).for_each(|_| add_repeated(&repetition.sub, case, chance, made));
        }
        HirKind::Capture(capture) => add(&capture.sub, case, chance, made),
        HirKind::Concat(parts) => parts.iter().for_each(|part| add(part, case, chance, made)),
        HirKind::Alternation(parts) => {
            add(&parts[chance.index(parts.len())], case, chance, made);
        }
    }
}

/// Where anything may stand, letters, digits and a few signs do.
fn add_repeated(hir: &Hir, case: Case, chance: &mut Random, made: &mut Made) {
    const PLAIN: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_.!+";
    match hir.kind() {
        HirKind::Class(class) if is_any(&members(class, case)) => {
            made.push(chance.pick(PLAIN), true)
        }
        _ => add(hir, case, chance, made),
    }
}

fn is_blank(hir: &Hir) -> bool {
    let HirKind::Class(class) = hir.kind() else {
        return false;
    };
    members(class, Case::Written).iter().all(u8::is_ascii_whitespace)
}

/// All printable characters, but for a few.
fn is_any(members: &[u8]) -> bool {
    members.len() > 85
}

/// The printable characters of a class, without its blanks if it has others.
fn members(class: &Class, case: Case) -> Vec<u8> {
    let has = |byte: u8| match class {
        Class::Bytes(class) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&byte))
        }
        Class::Unicode(class) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte)))
        }
    };
    let printable: Vec<u8> = (b'!'..=b'~').filter(|byte| has(*byte)).collect();
    let both =
        |byte: &u8| has(*byte) || has(byte.to_ascii_lowercase()) && byte.is_ascii_uppercase();
    match (case, printable.is_empty()) {
        (_, true) => b" \n".iter().copied().filter(|byte| has(*byte)).take(1).collect(),
        (Case::Both, false) => (b'!'..=b'~').filter(both).collect(),
        (Case::Written, false) => printable,
    }
}

/// `[Aa]`: an expression that ignores case still says which letter it is.
fn is_one_letter(members: &[u8]) -> bool {
    members.iter().all(|byte| byte.eq_ignore_ascii_case(&members[0]))
}
