//! What does each clause of a text order, forbid or state, of what, and under which condition?

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::{APOSTROPHES, ASKING, LEADING, MODAL, TURNING};
use crate::list;
use crate::words::{is_stop_word, word_of};

const READ_AS: &[&str] = list!("conflict.txt", "read as");
const NEGATING: &[&str] = list!("conflict.txt", "negating");
const FOLLOWING: &[&str] = list!("conflict.txt", "following");
const CHOOSING: &[&str] = list!("conflict.txt", "choosing");
const PLAIN: &[&str] = list!("conflict.txt", "plain");
const PREPOSITIONS: &[&str] = list!("conflict.txt", "prepositions");
const BINDING: &[&str] = list!("conflict.txt", "binding");
const LINKING: &[&str] = list!("conflict.txt", "linking");
const LACKING: &[&str] = list!("conflict.txt", "lacking");
const IRREGULAR: &[&str] = list!("conflict.txt", "irregular");
const OBJECTS: &[&str] = list!("conflict.txt", "objects");
const RIVALS: &[&str] = list!("conflict.txt", "rivals");
/// Set before a word that stands behind a preposition: to what something is done, and where, are
/// not the same.
const BEHIND: char = '>';

/// Things of which only one is done or had.
pub(super) struct Rivals {
    /// Each by its names, and a name by its words.
    things: Vec<Vec<Vec<String>>>,
    /// These words and those that say what all of them are, as they stand in a clause.
    pub words: BTreeSet<String>,
}

pub(super) static ALL_RIVALS: LazyLock<Vec<Rivals>> = LazyLock::new(|| {
    let stems = |names: &str| names.split_whitespace().map(stem).collect::<Vec<String>>();
    let of_row = |row: &&str| {
        let (kind, things) = row.split_once(':').unwrap_or(("", row));
        let names = |thing: &str| thing.split('/').map(stems).collect();
        let things: Vec<Vec<Vec<String>>> = things.split(',').map(names).collect();
        let words = stems(kind).into_iter().chain(things.iter().flatten().flatten().cloned());
        let words = words.flat_map(|word| [format!("{BEHIND}{word}"), word]).collect();
        Rivals { things, words }
    };
    RIVALS.iter().map(of_row).collect()
});

/// One clause of a text.
#[derive(Default)]
pub(super) struct Clause {
    /// Whether it orders or forbids something; else it states it, or orders it by a bare verb.
    pub is_order: bool,
    /// Whether it forbids or denies.
    pub is_turned: bool,
    /// What it speaks of, as index words.
    pub about: BTreeSet<String>,
    /// Under which condition.
    pub condition: BTreeSet<String>,
    /// The first word of what it speaks of.
    pub first: Option<String>,
    /// Whether its first word may be a verb with what it acts on: "Log the body".
    pub has_object: bool,
    /// Which thing it names of which rivals.
    pub choices: Vec<(usize, usize)>,
    words: Vec<String>,
}

/// The clauses of a text.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    let mut condition = BTreeSet::new();
    for words in cut(text) {
        let first = words[0].as_str();
        if let ("even", Some(last)) = (first, found.last_mut()) {
            last.add(&words);
            continue;
        }
        if BINDING.contains(&first) && first != "only" {
            condition = bound(&words);
            continue;
        }
        let (own, aside) = choice(&words);
        let mut clause = Clause::of(own, found.last().is_some_and(|last| last.is_order));
        clause.condition.append(&mut condition);
        let aside = (!aside.is_empty() && clause.is_order).then(|| {
            let is_turned = !clause.is_turned;
            let mut other = Clause { is_order: true, is_turned, ..Clause::default() };
            other.add(aside);
            other
        });
        found.push(clause);
        found.extend(aside);
    }
    found.iter_mut().for_each(Clause::choose);
    found
}

impl Clause {
    /// A clause; "not X" is an order where it follows one.
    fn of(words: &[String], follows_order: bool) -> Self {
        let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|w| list.contains(&&**w));
        let is_lack = is(0, &["no"]) && (words.len() < 2 || is(1, LACKING));
        let opens = is(0, TURNING) && !is_lack || is(0, LEADING) || is(0, ASKING);
        let opens = opens || follows_order && is(0, &["not"]);
        let modal = || (0..words.len()).find(|at| is(*at, MODAL));
        let start = if opens { Some(0) } else { modal() };
        let turns = |at: &usize| is(*at, TURNING) || is(*at, &["not"]);
        let is_opening = |at: &usize| turns(at) || is(*at, LEADING) || is(*at, FOLLOWING);
        let opening =
            start.map(|start| start..start + (start..words.len()).take_while(is_opening).count());
        if let Some(opening) = opening.filter(|it| !is_report(words, it.start, it.end)) {
            let is_turned = opening.clone().filter(turns).count() % 2 == 1;
            let mut clause = Clause { is_order: true, is_turned, ..Clause::default() };
            // What it acts on may stand before it: "the body must not be logged".
            clause.add(&words[..opening.start]);
            clause.add(&words[opening.end..]);
            return clause;
        }
        let denies = |at: &usize| is(*at, TURNING) || is(*at, NEGATING);
        let is_turned = (0..words.len()).filter(denies).count() % 2 == 1;
        let is_plural = |w: &String| w.ends_with('s') && !w.ends_with("ss");
        let has_object = is(1, OBJECTS) || words.get(1).is_some_and(is_plural);
        let first = Some(stem(&words[0]));
        let mut clause = Clause { is_turned, has_object, first, ..Clause::default() };
        clause.add(words);
        clause
    }

    fn add(&mut self, words: &[String]) {
        let end = words.iter().position(|word| BINDING.contains(&word.as_str()));
        let (main, rest) = words.split_at(end.unwrap_or(words.len()));
        let mut is_behind = false;
        for (at, word) in main.iter().enumerate() {
            // "Turn on" is one verb.
            if PREPOSITIONS.contains(&word.as_str()) && (word != "on" || at != 1) {
                is_behind = true;
            } else if is_content(word) {
                let stem = stem(word);
                self.first.get_or_insert_with(|| stem.clone());
                self.about.insert(if is_behind { format!("{BEHIND}{stem}") } else { stem });
            }
        }
        if rest.len() > 1 {
            self.condition.extend(bound(rest));
        }
        self.words.extend(words.iter().map(|word| stem(word)));
    }

    /// Looks up which of several rivals it names. Who names two of them chooses none.
    fn choose(&mut self) {
        let words = &self.words;
        let has = |name: &Vec<String>| words.windows(name.len()).any(|part| part == name);
        let named = |rivals: &Rivals| {
            let is_named = |at: &usize| rivals.things[*at].iter().any(has);
            let mut named = (0..rivals.things.len()).filter(is_named);
            named.next().filter(|_| named.next().is_none())
        };
        let all = ALL_RIVALS.iter().enumerate();
        let choices = all.filter_map(|(at, rivals)| Some((at, named(rivals)?))).collect();
        self.choices = choices;
    }
}

/// "Never validates the input" complains of what "always validate the input" asks for: the form
/// of the verb tells a report from an order.
fn is_report(words: &[String], start: usize, verb: usize) -> bool {
    let is_bare = matches!(&*words[start], "always" | "never") && verb == start + 1;
    let Some(verb) = words.get(verb) else { return true };
    let is_inflected = (verb.ends_with('s') && !verb.ends_with("ss")) || verb.ends_with("ed");
    is_bare && is_inflected
}

/// What is chosen, and what is set aside for it: "a instead of b", "prefer a over b".
fn choice(words: &[String]) -> (&[String], &[String]) {
    let sets_aside = |at: &usize| match words[*at].as_str() {
        "instead" => true,
        "over" | "to" => words[..*at].iter().any(|word| CHOOSING.contains(&word.as_str())),
        _ => false,
    };
    match (1..words.len()).find(sets_aside) {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[]),
    }
}

fn bound(words: &[String]) -> BTreeSet<String> {
    let says = |word: &&String| BINDING.contains(&word.as_str()) || is_content(word);
    words.iter().filter(says).map(|word| stem(word)).collect()
}

fn is_content(word: &str) -> bool {
    let lists = [PLAIN, ASKING, LEADING, FOLLOWING, TURNING, NEGATING];
    !is_stop_word(word) && !lists.iter().any(|list| list.contains(&word))
}

/// The index word of a word, each verb in the form that asks.
fn stem(word: &str) -> String {
    let mut forms = IRREGULAR.iter().filter_map(|row| row.split_once(' '));
    word_of(forms.find(|(form, _)| *form == word).map_or(word, |(_, asked)| asked))
}

/// The words of each clause, in lower case and without apostrophes.
pub(super) fn cut(text: &str) -> Vec<Vec<String>> {
    let text = text.to_lowercase().replace(APOSTROPHES, "");
    let mut clauses: Vec<Vec<String>> = vec![Vec::new()];
    for token in text.split_whitespace() {
        // What stands in backticks is a name, also if it is spelled like a small word; so is what
        // has a point inside: `.env` is not `.env.example`.
        let is_seam = |c: char| !c.is_alphanumeric() && !"_`.".contains(c);
        let is_word = |word: &&str| word.contains(char::is_alphanumeric);
        let words = token.split(is_seam).map(|word| word.trim_matches('.'));
        for word in words.filter(is_word) {
            if LINKING.contains(&word) {
                clauses.push(Vec::new());
            }
            push(clauses.last_mut().expect("there is a first one"), word);
        }
        // Only at the end of a token: a point inside `a.rs` or `1.5` ends nothing.
        if token.ends_with([';', ',', ':', '.', '!', '?']) {
            clauses.push(Vec::new());
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// Adds a word; a phrase that ends with it becomes the word that it is read as.
fn push(clause: &mut Vec<String>, word: &str) {
    clause.push(word.to_owned());
    for (phrase, read) in READ_AS.iter().filter_map(|row| row.split_once(": ")) {
        let n_before = clause.len().saturating_sub(phrase.split(' ').count());
        if clause[n_before..].join(" ") == phrase {
            clause.truncate(n_before);
            clause.push(read.to_owned());
        }
    }
}
