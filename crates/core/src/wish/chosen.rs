//! Does a clause choose one thing over another, or a manner, for good?

use super::named::{is_general, is_named};
use super::said::{begins, begins_with_any, has};
use crate::list;

const CHOOSES: &[&str] = list!("wishes.txt", "chooses");
const OVER: &[&str] = list!("wishes.txt", "over");
const MANNER: &[&str] = list!("wishes.txt", "manner");
const VAGUE: &[&str] = list!("wishes.txt", "vague");
const PROCESS: &[&str] = list!("wishes.txt", "process");

/// Most words of what is chosen.
const MAX_CHOSEN: usize = 7;

/// "Use vitest instead of jest", "we use pnpm, not npm", "I prefer small commits".
pub fn is_choice(words: &[&str], is_lasting: bool) -> bool {
    prefers(words)
        || sets_against(words, is_lasting)
        || keeps(words)
        || has_manner(words)
        || has_order(words)
}

fn prefers(words: &[&str]) -> bool {
    match words {
        ["prefer", rest @ ..] | ["i" | "we", "prefer", rest @ ..] => is_general(rest),
        ["i", "strongly" | "generally" | "usually", "prefer", rest @ ..] => is_general(rest),
        ["i'd", "rather", "have" | "see" | "use", rest @ ..] => {
            rest.contains(&"than") && is_general(rest)
        }
        _ => false,
    }
}

/// One thing over another. Where a file is named it is a task at that place.
fn sets_against(words: &[&str], is_lasting: bool) -> bool {
    let rest = match words {
        ["we" | "you", "should", "be", "using", rest @ ..] => rest,
        ["we" | "you", "should", "use", rest @ ..] | ["we", "use", rest @ ..] => rest,
        ["we're", "using", rest @ ..] | ["we", "are", "using", rest @ ..] => rest,
        [verb, rest @ ..] if CHOOSES.contains(verb) => rest,
        _ => return false,
    };
    let is_place = |word: &&str| word.contains('/') && word.contains('.') || word.contains(".go:");
    let over = (1..rest.len().min(MAX_CHOSEN)).find_map(|at| {
        let n = begins_with_any(&rest[at..], OVER)?;
        Some((at, at + n))
    });
    let Some((end, from)) = over else { return false };
    // "The name is not defined" tells something.
    if matches!(rest[end - 1], "is" | "are" | "was" | "were" | "do" | "does" | "did" | "can") {
        return false;
    }
    let (own, other) = (&rest[..end], &rest[from..]);
    let is_other = is_named(other) && !is_count(other[0]) && !VAGUE.contains(&other[0]);
    let is_placed = !is_lasting && own.iter().chain(other).any(is_place);
    let is_firm = is_lasting || is_general(own) || is_general(other);
    is_named(own) && is_other && is_firm && !is_placed && !is_count(own[0])
}

fn is_count(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

/// "Keep secrets out of the logs", "put URLs into the config", "only use the standard library".
fn keeps(words: &[&str]) -> bool {
    match words {
        ["keep" | "put" | "store", "our" | "all" | "every", rest @ ..] => {
            rest.len() > 1 && is_general(rest)
        }
        ["only", "use", rest @ ..] => is_general(rest),
        ["keep" | "store", object, rest @ ..] => {
            object.ends_with('s')
                && !object.ends_with("ss")
                && is_named(words.get(1..).unwrap_or_default())
                && !rest.is_empty()
        }
        _ => false,
    }
}

/// "Use British English in the docs", "use conventional commits".
fn has_manner(words: &[&str]) -> bool {
    let [verb, rest @ ..] = words else { return false };
    matches!(*verb, "use" | "using" | "follow" | "write" | "speak" | "answer")
        && rest.iter().take(5).any(|word| MANNER.contains(word))
        && is_named(rest)
}

/// "Run clippy before every commit", "regenerate the client after changing the schema".
fn has_order(words: &[&str]) -> bool {
    let [verb, object @ ..] = words else { return false };
    let is_order = |at: &usize| {
        let rest = &object[*at..];
        let is_time = matches!(rest[0], "before" | "after" | "when");
        let is_any = rest.get(1).is_some_and(|next| {
            matches!(*next, "every" | "each" | "any" | "committing" | "pushing" | "merging")
                || next.ends_with("ing") && rest.get(2).is_some_and(|_| is_general(&rest[2..]))
        });
        let is_yours =
            begins(rest, "before you commit").or(begins(rest, "before you push")).is_some();
        is_time && (is_any || is_yours)
    };
    let is_each = || {
        let is_it = |phrase: &str| has(object, &[phrase]);
        let every = ["for every", "for each", "every new", "each new", "with every", "per"];
        matches!(*verb, "write" | "use" | "include" | "run" | "wrap")
            && every.iter().any(|it| is_it(it))
    };
    (PROCESS.contains(verb) || is_each())
        && is_named(object)
        && ((1..object.len().min(MAX_CHOSEN)).any(|at| is_order(&at)) || is_each())
}
