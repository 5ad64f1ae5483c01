//! Did a user correct something, in a way that holds beyond the moment? Counted is only
//! what has the form of a lasting instruction or fact, so that one is rather missed than
//! made up; what hosts and we ourselves put under the user's name is skipped.

use crate::review_text::without_blocks;

use hardwon_core::list;

/// A longer message is a new task, not a correction.
const MAX_CHARS: usize = 400;

/// How hosts begin what they say in the user's name.
const HOST_BEGINS: &[&str] = list!("corrections.txt", "host");

/// Words before the point: those that say that something was wrong, and others.
const AGAINST: &[&str] = list!("corrections.txt", "against");
const OPENERS: &[&str] = list!("corrections.txt", "openers");

/// About the moment only, or revoked: nothing of the message lasts.
const MOMENT: &[&str] = list!("corrections.txt", "moment");

const PRAISE: &[&str] = list!("corrections.txt", "praise");

/// Words that may stand before praise.
const BEFORE_PRAISE: &[&str] = list!("corrections.txt", "before praise");

/// Begins a question, with or without its mark.
const ASKS: &[&str] = list!("corrections.txt", "asks");

/// Words for what only the conversation names: no lesson can begin so.
const POINTS: &[&str] = list!("corrections.txt", "points");

/// What follows "this" where it means the whole work.
const WORK: &[&str] = list!("corrections.txt", "work");

/// Verbs of lasting choices.
const CHOOSES: &[&str] = list!("corrections.txt", "chooses");

/// Of those, the ones that last even if nothing is named that they are chosen over.
const KEEPS: &[&str] = list!("corrections.txt", "keeps");

/// Verbs of facts.
const IS: &[&str] = list!("corrections.txt", "is");

/// After "don't", "should" and the like these ask for nothing that could be kept to.
const IDLE: &[&str] = list!("corrections.txt", "idle");

/// After "not" these name nothing.
const VAGUE: &[&str] = list!("corrections.txt", "vague");

/// The correction, if the message is one.
pub fn corrected(message: &str) -> Option<String> {
    let message = without_blocks(message);
    let message = message.trim();
    let lower = message.to_lowercase().replace('\u{2019}', "'");
    let is_host = HOST_BEGINS.iter().any(|sign| lower.starts_with(sign));
    if message.is_empty() || message.chars().count() > MAX_CHARS || is_host || is_passing(&lower) {
        return None;
    }
    sentences(&lower).any(is_lasting).then(|| message.to_owned())
}

/// Whether it is nothing but a question or praise, whoever calls it a correction.
pub fn is_chatter(message: &str) -> bool {
    let lower = message.to_lowercase().replace('\u{2019}', "'");
    let is_idle = |sentence| {
        let words = words(sentence);
        let (words, _) = opened(&words);
        let n_before = words.iter().take_while(|word| BEFORE_PRAISE.contains(word)).count();
        let is_praise = PRAISE.iter().any(|praise| begins(&words[n_before..], praise));
        is_question(sentence, words) || is_praise
    };
    !sentences(&lower).any(is_lasting) && sentences(&lower).all(is_idle)
}

/// Whether a message is about the moment. "First" is, unless it is so always.
fn is_passing(lower: &str) -> bool {
    let words = words(lower);
    let is_always = has(&words, &["always", "never", "from now on"]);
    let lasting: Vec<&str> = if has(&words, &["from now on"]) {
        words.iter().copied().filter(|word| *word != "now").collect()
    } else {
        words.clone()
    };
    has(&lasting, MOMENT) || !is_always && has(&words, &["first"])
}

/// With the marks at their ends; a stop within a name ends none.
fn sentences(lower: &str) -> impl Iterator<Item = &str> {
    let lines = lower.split('\n');
    let ends = |line| str::split_inclusive(line, [' ', '\t']);
    lines.flat_map(move |line| {
        let mut from = 0;
        let mut at = 0;
        let mut found = Vec::new();
        for word in ends(line) {
            at += word.len();
            if word.trim_end().ends_with(['.', '!', '?', ';']) {
                found.push(&line[from..at]);
                from = at;
            }
        }
        found.push(&line[from..]);
        found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty())
    })
}

/// Without the marks around them.
fn words(text: &str) -> Vec<&str> {
    let is_mark = |c: char| ",;:!?\"()*".contains(c);
    let bare = |word| str::trim_matches(word, is_mark).trim_end_matches('.');
    text.split_whitespace().map(bare).filter(|word| !word.is_empty() && *word != "-").collect()
}

fn begins(words: &[&str], phrase: &str) -> bool {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.starts_with(&phrase)
}

fn has(words: &[&str], phrases: &[&str]) -> bool {
    (0..words.len()).any(|at| phrases.iter().any(|phrase| begins(&words[at..], phrase)))
}

fn is_one_of(word: Option<&&str>, list: &[&str]) -> bool {
    word.is_some_and(|word| list.contains(word))
}

/// What stands behind the opening words, and whether those say that something was wrong.
fn opened<'a, 'b>(mut words: &'a [&'b str]) -> (&'a [&'b str], bool) {
    let mut is_against = false;
    let find = |list: &'static [&'static str], words: &[&str]| {
        list.iter().find(|opener| begins(words, opener)).map(|opener| opener.split(' ').count())
    };
    loop {
        let against = find(AGAINST, words);
        let Some(n) = against.or_else(|| find(OPENERS, words)) else { break };
        words = &words[n..];
        is_against |= against.is_some();
    }
    (words, is_against)
}

fn is_question(sentence: &str, words: &[&str]) -> bool {
    sentence.ends_with('?') || ASKS.iter().any(|ask| begins(words, ask))
}

/// Whether a sentence states what to do or what is so, for good. Any of its clauses may.
fn is_lasting(sentence: &str) -> bool {
    let all = words(sentence);
    let (rest, is_against) = opened(&all);
    if is_question(sentence, rest) {
        return false;
    }
    let clauses = sentence.match_indices([',', ':']).map(|(at, _)| &sentence[at + 1..]);
    let clauses = clauses.filter(|clause| clause.starts_with(' '));
    [sentence].into_iter().chain(clauses).any(|clause| {
        let words = words(clause);
        let (words, _) = opened(&words);
        forbids(words)
            || demands(words)
            || !has(words, PRAISE)
                && (obliges(words)
                    || sets_against(words, clause)
                    || is_against && (keeps(words) || names_a_value(words)))
    })
}

/// Whether words name something by itself, not only point at it.
fn is_named(object: &[&str]) -> bool {
    let is_work = is_one_of(object.get(1), WORK);
    !object.is_empty() && (is_work || !is_one_of(object.first(), POINTS))
}

/// "Don't touch the lock file", "stop using unwrap".
fn forbids(words: &[&str]) -> bool {
    let rest = match words {
        ["don't" | "dont", rest @ ..] | ["do", "not", rest @ ..] => rest,
        ["stop", rest @ ..] if rest.first().is_some_and(|word| word.ends_with("ing")) => rest,
        _ => return false,
    };
    !is_one_of(rest.first(), IDLE) && is_named(rest.get(1..).unwrap_or_default())
}

/// "Never deploy from a branch", "we always run the formatter".
fn demands(words: &[&str]) -> bool {
    let Some(at) = words.iter().position(|word| matches!(*word, "never" | "always")) else {
        return false;
    };
    let is_told = at == 0 || matches!(words[at - 1], "should" | "must" | "we" | "shall" | "please");
    let rest = &words[at + 1..];
    is_told && !is_one_of(rest.first(), IDLE) && is_named(rest.get(1..).unwrap_or_default())
}

/// "You must not edit generated files", "tests should live in tests/".
fn obliges(words: &[&str]) -> bool {
    let is_modal = |word: &&str| matches!(*word, "should" | "shouldn't" | "must" | "mustn't");
    let Some(at) = words.iter().position(is_modal).filter(|at| *at > 0) else { return false };
    let rest = &words[at + 1..];
    let rest = rest.strip_prefix(&["not"]).unwrap_or(rest);
    let is_idle = is_one_of(rest.first(), IDLE)
        || is_one_of(rest.first(), &["be"]) && is_one_of(words.first(), &["you", "we"]);
    !is_one_of(words.first(), POINTS) && !is_idle && is_named(rest.get(1..).unwrap_or_default())
}

/// "Use vitest instead of jest", "edit b.rs, not a.rs", "the endpoint is /v2, not /v1".
fn sets_against(words: &[&str], clause: &str) -> bool {
    let chooses = is_one_of(words.first(), CHOOSES);
    let at = |phrase: &str| (2..words.len()).find(|at| begins(&words[*at..], phrase));
    let is_fact = |end: usize| words[1..end].iter().any(|word| IS.contains(word));
    let fits = |end: usize| !is_one_of(words.first(), POINTS) && (chooses || is_fact(end));
    let over = |phrase: &str| {
        let end = at(phrase).filter(|end| fits(*end))?;
        is_named(&words[end + phrase.split(' ').count()..]).then_some(())
    };
    let is_over = over("instead of").or_else(|| over("rather than")).is_some();
    let is_not = at("not").is_some_and(|end| {
        let is_apart = chooses || clause.contains(", not ");
        let object = &words[end + 1..];
        is_apart && fits(end) && !is_one_of(object.first(), VAGUE) && is_named(object)
    });
    (is_over || is_not) && is_named(&words[1..])
}

/// "No, keep migrations in db/migrate".
fn keeps(words: &[&str]) -> bool {
    is_one_of(words.first(), KEEPS) && is_named(&words[1..])
}

/// "No, the port is 8080": a value, not how things stand.
fn names_a_value(words: &[&str]) -> bool {
    let is_value = |word: &&str| word.contains(|c: char| c.is_ascii_digit() || "/._`".contains(c));
    let at = words.iter().position(|word| IS.contains(word)).filter(|at| *at > 0);
    !is_one_of(words.first(), POINTS) && at.is_some_and(|at| words[at + 1..].iter().any(is_value))
}

/// Why a user refused a call, in the words with which Claude Code passes it on.
/// The refusal makes it a correction; a question or a word on the moment is none all the same.
pub fn refused(result: &str) -> Option<Option<String>> {
    let is_refusal = result.starts_with("The user doesn't want to ");
    let reason = || {
        let (_, reason) = result.split_once("the user said:")?;
        let reason = without_blocks(reason);
        let reason = reason.trim();
        let is_short = !reason.is_empty() && reason.chars().count() <= MAX_CHARS;
        let lower = reason.to_lowercase().replace('\u{2019}', "'");
        (is_short && !is_passing(&lower) && !is_chatter(reason)).then(|| reason.to_owned())
    };
    is_refusal.then(reason)
}

#[cfg(test)]
mod tests;
