//! Do two lessons give opposite advice? Only where it is clear: one says to do what the other
//! says not to do, in the same words. Then one of them gives way, and a block never
//! contradicts itself. Unclear cases are left alone: two lessons that differ cost a line, a
//! lesson that is wrongly left out costs a repeated mistake.
//!
//! The same question keeps a finding from being a sighting of what it denies.

mod denial;
mod opposed;
mod words;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::eligible::Exclusion;
use crate::lesson::{Kind, Lesson, State, Trust};
use crate::list;
use crate::policy::RankPolicy;
use crate::scope::Dimension;
use crate::words::{Beginnings, sorted_unique, unique_words};

pub use denial::deny_each_other;
pub use opposed::{ends, oppose};

/// Category of a lesson that warns of a risk.
const RISK_CATEGORY: &str = "risk_pattern";

const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];
/// Words that make a clause an instruction wherever they stand.
const MODAL: &[&str] = list!("conflict.txt", "modal");
/// Words that ask for something at the beginning of a clause.
const ASKING: &[&str] = list!("conflict.txt", "asking");
/// Words that forbid what follows, if they are part of an instruction.
const FORBIDDING: &[&str] = list!("conflict.txt", "forbidding");
/// Words that turn an instruction round.
const TURNING: &[&str] = list!("conflict.txt", "turning");
/// Words within an instruction that turn nothing.
const LEADING: &[&str] = list!("conflict.txt", "leading");
/// Of these, words that open no instruction by themselves.
const NOT_OPENING: &[&str] = list!("conflict.txt", "not opening");
/// Words that begin another clause without a comma.
const LINKING: &[&str] = list!("conflict.txt", "linking");
/// Small words that change what is asked for: two texts with different ones are about
/// different things ("never merge without a review", "always merge with a review").
const BINDING: &[&str] = list!("conflict.txt", "binding");

/// Forms of verbs that share no stem, each with the form that asks.
const IRREGULAR: &[&str] = list!("conflict.txt", "irregular");

/// Whether a lesson warns of a risk.
pub fn is_risk(lesson: &Lesson) -> bool {
    lesson.category.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(RISK_CATEGORY))
}

/// What goes before what, first to last: rules and wishes, the project's lessons, a role's,
/// those of no project, warnings of risk. (The source of this order has no lessons without
/// a project; what is known of this very project goes before them.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precedence {
    Rule,
    Project,
    Role,
    Global,
    Risk,
}

impl Precedence {
    pub fn of(lesson: &Lesson) -> Self {
        // A rule that no person stated or approved is a claim like any other.
        let is_rule = lesson.kind == Kind::Rule && lesson.trust == Trust::Trusted;
        if is_rule || lesson.is_wish() {
            Precedence::Rule
        } else if is_risk(lesson) {
            Precedence::Risk
        } else if lesson.scope.0.contains_key(&Dimension::Role) {
            Precedence::Role
        } else if lesson.project.is_none() {
            Precedence::Global
        } else {
            Precedence::Project
        }
    }
}

/// Lessons that give way to one that contradicts them, by index, each with the reason. A
/// lesson gives way only to one that stays.
pub fn losers(lessons: &[Lesson], policy: &RankPolicy) -> Vec<(usize, Exclusion)> {
    if policy.conflict_words > 1.0 {
        return Vec::new();
    }
    let texts = lessons.iter().map(|lesson| lesson.text.as_str()).enumerate();
    let texts = texts.filter(|(_, text)| may_instruct(text));
    let mut advice: Vec<(usize, Advice)> =
        texts.filter_map(|(index, text)| Some((index, Advice::of(&clauses(text))?))).collect();
    advice.sort_by(|(a, _), (b, _)| goes_before(&lessons[*a]).cmp(&goes_before(&lessons[*b])));
    let mut staying: Vec<(usize, Advice)> = Vec::new();
    let mut losing: Vec<(usize, Exclusion)> = Vec::new();
    for (index, own) in advice {
        let winner = staying.iter().find(|(_, other)| own.opposes(other, policy.conflict_words));
        match winner {
            Some((winner, _)) => {
                let by = lessons[*winner].id.to_string();
                losing.push((index, Exclusion::Contradicts { by }));
            }
            None => staying.push((index, own)),
        }
    }
    losing.sort_by_key(|(index, _)| *index);
    losing
}

/// Order in which lessons stay: by precedence; then pinned ones, better established ones,
/// surer ones, newer ones; then by id, so that the order is total.
fn goes_before(lesson: &Lesson) -> impl Ord {
    let state = match lesson.state {
        State::Canonical => 0,
        State::Stable => 1,
        State::Provisional => 2,
        State::Candidate | State::UnderReview | State::Decayed | State::Quarantined => 3,
        State::Superseded | State::Archived | State::Rejected => 3,
    };
    let confidence = Reverse((lesson.confidence * 1000.0) as i64);
    let newest = Reverse(lesson.updated_at);
    let id = lesson.id.to_string();
    (Precedence::of(lesson), !lesson.is_pinned, state, confidence, newest, id)
}

/// Whether two texts tell the reader opposite things.
pub fn contradict(a: &str, b: &str, bar: f64) -> bool {
    let both = Advice::of(&clauses(a)).zip(Advice::of(&clauses(b)));
    both.is_some_and(|(a, b)| a.opposes(&b, bar))
}

/// Words by which a text could ask or forbid, in byte order, and how they begin: every word of
/// every candidate is looked up, once a block.
static OPENERS: LazyLock<(Vec<&str>, Beginnings)> = LazyLock::new(|| {
    let lists = [MODAL, ASKING, FORBIDDING, TURNING, LEADING];
    let all = lists.iter().flat_map(|list| list.iter().copied());
    let words = sorted_unique(all.filter(|word| !NOT_OPENING.contains(word)).collect());
    let beginnings = Beginnings::of(words.iter().copied());
    (words, beginnings)
});

/// Whether a text holds a word by which it could ask or forbid. Most texts do not, which
/// is seen without cutting them up.
pub(crate) fn may_instruct(text: &str) -> bool {
    let (openers, beginnings) = &*OPENERS;
    let mut letters = String::new();
    let opens = |word: &str| {
        letters.clear();
        letters.extend(word.chars().filter(|c| !APOSTROPHES.contains(c)));
        letters.make_ascii_lowercase();
        let may_open = letters.len() > 1 && beginnings.has(letters.as_bytes());
        may_open && openers.binary_search(&letters.as_str()).is_ok()
    };
    // An instruction begins a clause, or has a modal verb.
    text.split(|c: char| !c.is_alphanumeric() && !APOSTROPHES.contains(&c)).any(opens)
}

/// What a text asks for or forbids.
struct Advice {
    is_asked_for: bool,
    /// The words that say what, without those that ask or forbid.
    words: BTreeSet<String>,
    /// The small words that say under which condition.
    binding: BTreeSet<String>,
}

/// The words that say something, each verb in the form that asks.
fn words_of(said: &[String]) -> BTreeSet<String> {
    let asking = |word: &String| {
        let mut forms = IRREGULAR.iter().filter_map(|row| row.split_once(' '));
        forms.find(|(form, _)| form == word).map_or(word.clone(), |(_, asked)| asked.to_owned())
    };
    let said: Vec<String> = said.iter().map(asking).collect();
    unique_words(&said.join(" ")).into_iter().collect()
}

fn binding_of(said: &[String]) -> BTreeSet<String> {
    said.iter().filter(|word| BINDING.contains(&word.as_str())).cloned().collect()
}

impl Advice {
    /// `None` if a text neither asks nor forbids, or does both.
    fn of(clauses: &[Vec<String>]) -> Option<Self> {
        let mut signs: BTreeSet<bool> = BTreeSet::new();
        let mut rest: Vec<String> = Vec::new();
        for clause in clauses {
            let (sign, said) = instruction(clause).unzip();
            signs.extend(sign);
            let said: Range<usize> = said.unwrap_or_default();
            rest.extend_from_slice(&clause[..said.start]);
            rest.extend_from_slice(&clause[said.end..]);
        }
        let is_asked_for = signs.pop_first().filter(|_| signs.is_empty())?;
        Some(Advice { is_asked_for, words: words_of(&rest), binding: binding_of(&rest) })
    }

    /// Opposite advice about the same. A word on each side that the other lacks mostly
    /// means another subject, however many words they share.
    fn opposes(&self, other: &Advice, bar: f64) -> bool {
        if self.is_asked_for == other.is_asked_for || self.binding != other.binding {
            return false;
        }
        let n_shared = self.words.intersection(&other.words).count();
        let is_within = n_shared == self.words.len() || n_shared == other.words.len();
        let n_all = self.words.len() + other.words.len() - n_shared;
        is_within && n_shared > 0 && n_shared as f64 / n_all as f64 >= bar
    }
}

/// The words of each clause, in lower case and without apostrophes.
fn clauses(text: &str) -> Vec<Vec<String>> {
    let text = text.to_lowercase().replace(APOSTROPHES, "");
    let mut clauses: Vec<Vec<String>> = vec![Vec::new()];
    for token in text.split_whitespace() {
        let is_seam = |c: char| !c.is_alphanumeric() && c != '_';
        for word in token.split(is_seam).filter(|word| !word.is_empty()) {
            if LINKING.contains(&word) {
                clauses.push(Vec::new());
            }
            clauses.last_mut().expect("there is a first one").push(word.to_owned());
        }
        // Only at the end of a token: a point inside `a.rs` or `1.5` ends nothing.
        if token.ends_with([';', ',', ':', '.', '!', '?']) {
            clauses.push(Vec::new());
        }
    }
    clauses
}

/// Whether a clause asks for something (`true`) or forbids it, and which of its words say
/// so; `None` if it does neither.
fn instruction(clause: &[String]) -> Option<(bool, Range<usize>)> {
    let is = |at: usize, list: &[&str]| clause.get(at).is_some_and(|w| list.contains(&&**w));
    let is_opening = |at: usize| is(at, TURNING) || is(at, FORBIDDING) || is(at, LEADING);
    let modal = || (0..clause.len()).find(|&at| is(at, MODAL));
    // "do" opens an instruction only with "not", and "not all paths …" is none at all.
    let opens = is_opening(0) && !is(0, NOT_OPENING);
    let start = if opens || is(0, ASKING) { 0 } else { modal()? };
    let n_opening = (start..clause.len()).take_while(|&at| is_opening(at)).count();
    let verb = start + n_opening;
    let n_turns = (start..verb).filter(|&at| is(at, TURNING) || is(at, FORBIDDING)).count();
    let is_instruction = n_opening > 0 || is(start, ASKING);
    if !is_instruction || is_report(clause, start, verb) {
        return None;
    }
    Some((n_turns % 2 == 0, start..verb + usize::from(is(verb, ASKING))))
}

/// "Never validates the input" complains of what "always validate the input" asks for:
/// the form of the verb tells a report from an instruction.
fn is_report(clause: &[String], start: usize, verb: usize) -> bool {
    let is_bare = matches!(&*clause[start], "always" | "never") && verb == start + 1;
    let Some(verb) = clause.get(verb) else { return true };
    let is_inflected = (verb.ends_with('s') && !verb.ends_with("ss")) || verb.ends_with("ed");
    is_bare && is_inflected
}
