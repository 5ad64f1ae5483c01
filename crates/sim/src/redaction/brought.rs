//! What of the strings that the rules of a gitleaks file describe is taken out?
//!
//! Each rule is a family. Strings that match its expression are made up and put into the
//! contexts of `contexts`, under names made of the rule's id and keywords. A text counts only
//! if gitleaks itself would report the string there. Where no context carries a rule (it
//! describes a whole command or document), the made-up text itself is the case.

use hardwon_core::gate::Gate;

use super::contexts::{self, Case, Context};
use super::made::{self, Made};
use super::rules::Rule;
use super::{Recall, unmarked};
use crate::random::Random;

/// How many texts are tried for each that counts.
const TRIES: usize = 12;

/// What follows a keyword in the name of a setting.
const ENDS: &[&str] = &["", " key", " token", " secret", " api key"];

const NEUTRAL: &[&str] = &["value", "build arg", "note"];

/// Counts what becomes of `n` reported strings of a rule; fewer if fewer are reported.
pub fn recall(rule: &Rule, n: usize, seed: u64, gate: &Gate) -> Recall {
    let mut recall = Recall::new(&rule.id);
    for counted in cases(rule, n, seed) {
        let left = gate.redacted(&counted.case.text);
        recall.count(counted.case.context, counted.leaks(&left).then_some(left));
    }
    recall
}

/// A case in which gitleaks reports the secret.
pub struct Counted {
    pub case: Case,
    /// For each byte of the secret, whether chance chose it.
    is_chance: Vec<bool>,
}

/// So many characters of a secret in a row are a leak.
const LEAK: usize = 8;

impl Counted {
    /// Whether the text still shows a part of the secret that the rule does not tell itself.
    pub fn leaks(&self, left: &str) -> bool {
        let left = unmarked(left);
        self.case.spellings.iter().any(|spelling| {
            let length = LEAK.min(spelling.len());
            let n_starts = spelling.len() - length + 1;
            (0..n_starts).any(|at| {
                // Other spellings are longer; there every part counts.
                let is_chance = self.is_chance.get(at..at + length).unwrap_or_default();
                let n_public = is_chance.iter().filter(|is_chance| !**is_chance).count();
                let is_public = spelling.len() == self.is_chance.len() && n_public * 2 > length;
                !is_public && left.contains(&spelling[at..at + length])
            })
        })
    }
}

/// The cases of a rule, in turn of contexts and texts; a quarter in letters of both cases,
/// where the rule ignores case.
pub fn cases(rule: &Rule, n: usize, seed: u64) -> Vec<Counted> {
    let mut chance = Random::named(seed, &rule.id);
    let names = names(rule);
    let mut counted = Vec::new();
    for index in 0..n * TRIES {
        if counted.len() == n {
            break;
        }
        let Some(secret) = secret(rule, index, &mut chance) else {
            continue;
        };
        let name = &names[chance.index(names.len())];
        let case = contexts::anywhere(&secret.text, &[name], index, &mut chance);
        if is_reported(rule, &case) {
            counted.push(Counted { case, is_chance: secret.is_chance });
        }
    }
    // A rule that describes a whole command or document fits into few contexts.
    if counted.len() * 4 < n {
        let n_missing = n - counted.len();
        counted.extend(own_texts(rule, n_missing, seed));
    }
    counted
}

fn case_of(rule: &Rule, index: usize) -> made::Case {
    let is_both = rule.ignores_case && index % 4 == 3;
    if is_both { made::Case::Both } else { made::Case::Written }
}

/// A made-up secret: the part of a made-up match that gitleaks reports.
fn secret(rule: &Rule, index: usize, chance: &mut Random) -> Option<Made> {
    let whole = made::make(&rule.hir, case_of(rule, index), chance);
    let (start, end) = *rule.secrets(&whole.text).first()?;
    // A rule whose secret has its quotes: the contexts have quotes of their own.
    let is_quoted = whole.text[start..end].starts_with('"') && end - start > 2;
    let (start, end) = if is_quoted { (start + 1, end - 1) } else { (start, end) };
    let (text, is_chance) = (whole.text[start..end].to_owned(), &whole.is_chance[start..end]);
    Some(Made { text, is_chance: is_chance.to_vec() })
}

/// The made-up matches as they are.
fn own_texts(rule: &Rule, n: usize, seed: u64) -> Vec<Counted> {
    let mut chance = Random::named(seed, &rule.id);
    let case = |index: usize| {
        let whole = made::make(&rule.hir, case_of(rule, index), &mut chance);
        let (start, end) = *rule.reported(&whole.text).first()?;
        let (secret, is_chance) = (whole.text[start..end].to_owned(), &whole.is_chance[start..end]);
        let is_chance = is_chance.to_vec();
        let case = Case { context: Context::Own, text: whole.text, spellings: vec![secret] };
        Some(Counted { case, is_chance })
    };
    (0..n * TRIES).filter_map(case).take(n).collect()
}

/// Names that a setting with such a value has. Only those under which gitleaks reports it
/// are counted, so that unlucky ones do no harm.
fn names(rule: &Rule) -> Vec<String> {
    let spaced = |text: &str| {
        let words = text.split(|char: char| !char.is_ascii_alphanumeric());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let keywords = rule.keywords.iter().map(|word| spaced(word)).filter(|word| !word.is_empty());
    let by_keyword = keywords.flat_map(|word| ENDS.iter().map(move |end| format!("{word}{end}")));
    let neutral = NEUTRAL.iter().map(|name| (*name).to_owned());
    let is_name = |word: &&String| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let as_it_is = rule.keywords.iter().filter(is_name).cloned();
    [spaced(&rule.id)].into_iter().chain(by_keyword).chain(as_it_is).chain(neutral).collect()
}

fn is_reported(rule: &Rule, case: &Case) -> bool {
    let reported = rule.reported(&case.text);
    let holds = |(start, end): (usize, usize)| {
        case.spellings.iter().any(|spelling| case.text[start..end].contains(spelling.as_str()))
    };
    reported.into_iter().any(holds)
}
