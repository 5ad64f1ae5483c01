//! Does a clause ask for something that lasts? It forbids, demands, obliges or chooses, and
//! what it speaks of is no single thing that only the conversation knows.

use super::chosen;
use super::named::{DEFINITE, POINTS, is_general, is_named, is_preposition};
use super::said::{Place, begins_with_any, has};
use crate::list;

const LEADS: &[&str] = list!("wishes.txt", "leads");
const LASTING: &[&str] = list!("wishes.txt", "lasting");
const AT_WORK: &[&str] = list!("wishes.txt", "at work");
const TASKS: &[&str] = list!("wishes.txt", "tasks");
const IDLE: &[&str] = list!("wishes.txt", "idle");
const BROAD: &[&str] = list!("wishes.txt", "broad");
const COMPLETE: &[&str] = list!("wishes.txt", "complete");
const TOLD: &[&str] = list!("wishes.txt", "told");
const VERBS: &[&str] = list!("wishes.txt", "verbs");
const THINGS: &[&str] = list!("wishes.txt", "things");
const MODAL: &[&str] = list!("wishes.txt", "modal");
const PRACTICE: &[&str] = list!("wishes.txt", "practice");
const WORKS: &[&str] = list!("wishes.txt", "works");
const OPENERS: &[&str] = list!("wishes.txt", "openers");

/// Words that make even a task last.
const UNTIL_REVOKED: &[&str] = &[
    "from now on",
    "going forward",
    "every time",
    "each time",
    "whenever",
    "you notice",
    "you touch",
];

/// Words that leave no exception.
const FIRM: &[&str] = &["always", "never", "ever"];

/// Longest subject of a rule, in words.
const MAX_SUBJECT: usize = 5;

/// Whether the clause that begins at this word is a wish, in its sentence.
pub fn is_wish(words: &[&str], place: Place) -> bool {
    let Place { first, start, is_apart } = place;
    let (clause, is_led) = led(&words[start..]);
    let is_at_work = begins_with_any(&words[first..], AT_WORK).is_some()
        || has(words, AT_WORK)
            && matches!(clause.first(), Some(&("use" | "we" | "don't" | "do" | "not")));
    let is_lasting = has(words, LASTING) || is_at_work;
    if is_of_the_product(&words[first..]) {
        return false;
    }
    // "Update the docs, don't keep the appendix": all of it is the task.
    let is_in_task = start > first && is_task(&words[first..start]);
    // A mention of a file is where the task is.
    if !is_lasting && !has(words, FIRM) && words.iter().any(|word| is_mention(word)) {
        return false;
    }
    if clause.is_empty() || clause.iter().filter(|word| word.starts_with('"')).count() > 1 {
        return false;
    }
    (forbids(clause, is_lasting, is_led) || is_apart && demands(clause))
        && (is_lasting || !is_in_task)
        || obliges(clause, is_lasting)
        || (is_lasting || !is_in_task) && chosen::is_choice(clause, is_lasting)
        || asks_first(clause)
        || asks_in_doubt(&words[first..])
        || is_lasting && begins_lasting(clause)
}

/// Whether a later clause of the sentence is a single task, with which this one goes.
pub fn goes_on_with_task(words: &[&str], place: Place, clauses: &[Place]) -> bool {
    let later = clauses.iter().filter(|clause| clause.start > place.start);
    let is_lasting = has(words, LASTING) || has(words, AT_WORK) || has(words, UNTIL_REVOKED);
    let is_firm = has(words, FIRM);
    let is_change = |clause: &Place| match &words[clause.start..] {
        // "Don't change code, just tell me where": for the moment. "Just use X" chooses.
        [verb, _, ..] if clause.start > 0 && words[clause.start - 1] == "just" => {
            WORKS.contains(verb) && !matches!(*verb, "use" | "run")
        }
        [verb, second, ..] => TASKS.contains(verb) && DEFINITE.contains(second),
        _ => false,
    };
    // "…, change the template instead" is the other half of the rule.
    let is_other = words.last() == Some(&"instead");
    !is_lasting && !is_firm && !is_other && later.into_iter().any(is_change)
}

/// Whether what stands before a clause is a single task: it changes something, or speaks of one
/// certain thing.
fn is_task(words: &[&str]) -> bool {
    let n = begins_with_any(words, OPENERS).unwrap_or(0);
    let words = &words[n.min(words.len())..];
    let words = words.strip_prefix(&["only"]).unwrap_or(words);
    match words {
        // "When redoing the routes, …": that one time.
        ["when" | "while", doing, third, ..] if doing.ends_with("ing") => DEFINITE.contains(third),
        [verb, second, ..] if VERBS.contains(verb) && DEFINITE.contains(second) => true,
        [verb, ..] => TASKS.contains(verb),
        [] => false,
    }
}

/// `@src/db.py`, `(78-80)`.
fn is_mention(word: &str) -> bool {
    let inner = word.trim_matches(['(', ')', ',', '.']);
    let is_range = inner
        .split_once('-')
        .is_some_and(|(from, to)| from.parse::<u32>().is_ok() && to.parse::<u32>().is_ok());
    word.starts_with('@') && word.contains(['.', '/']) || is_range
}

/// Whether a verb is of the work itself, also in the form behind "stop".
fn is_work(verb: &str) -> bool {
    let Some(stem) = verb.strip_suffix("ing").filter(|_| !WORKS.contains(&verb)) else {
        return WORKS.contains(&verb);
    };
    let undoubled = stem.get(..stem.len().saturating_sub(1)).unwrap_or_default();
    let with_e = format!("{stem}e");
    [stem, undoubled, with_e.as_str()].iter().any(|it| WORKS.contains(it))
}

/// "Whenever you are not sure about a field, ask me".
fn asks_in_doubt(words: &[&str]) -> bool {
    let [when, "you" | "you're" | "in", rest @ ..] = words else { return false };
    let is_doubt = has(rest, &["not sure", "unsure", "in doubt", "doubt", "uncertain"]);
    matches!(*when, "whenever" | "when" | "if") && is_doubt && rest.contains(&"ask")
}

/// "If the file is missing, …", "when a user logs in, …": how the product behaves.
fn is_of_the_product(words: &[&str]) -> bool {
    let is_case = matches!(words.first(), Some(&("if" | "when" | "once" | "on" | "at")));
    let is_yours = matches!(words.get(1), Some(&("you" | "in" | "we" | "unsure")))
        || words.get(1).is_some_and(|word| word.ends_with("ing"));
    is_case && !is_yours
}

/// What stands behind words that only lead to the instruction, and whether there are any.
fn led<'w>(words: &'w [&'w str]) -> (&'w [&'w str], bool) {
    let mut rest = words;
    while let Some(n) = begins_with_any(rest, LEADS) {
        // "Let's not" forbids, "let's use" only proposes.
        let is_proposal = matches!(rest[0], "let's" | "let") && n <= 2;
        if n >= rest.len() || is_proposal && !matches!(rest[n], "not" | "avoid" | "stop" | "never")
        {
            break;
        }
        rest = &rest[n..];
    }
    (rest, rest.len() < words.len())
}

/// Whether a verb and what follows it can be kept to.
fn is_doable(words: &[&str], is_lasting: bool) -> bool {
    let words = words.strip_prefix(&["just"]).unwrap_or(words);
    let Some((verb, object)) = words.split_first() else { return false };
    let is_anything = object.first() == Some(&"anything");
    if IDLE.contains(verb) || POINTS.contains(verb) || is_told(verb) || !is_work(verb) {
        return false;
    }
    if object.is_empty() || is_condition(object[0]) {
        return COMPLETE.contains(verb) && is_lasting;
    }
    !(is_anything && BROAD.contains(verb)) && is_named(object)
}

fn is_condition(word: &str) -> bool {
    matches!(word, "unless" | "without" | "when" | "if" | "before" | "after")
}

/// A form of a verb that tells what was, or is.
fn is_told(verb: &str) -> bool {
    TOLD.contains(&verb) || verb.ends_with("ed") && verb.len() > 4
}

/// "Don't add comments that repeat the code", "stop using sed", "no more mocks in tests".
fn forbids(words: &[&str], is_lasting: bool, is_led: bool) -> bool {
    let (rest, is_wanted) = match words {
        ["don't" | "never", "ever", rest @ ..] => return is_doable(rest, true),
        ["don't", rest @ ..] | ["do", "not", rest @ ..] | ["not", rest @ ..] => (rest, false),
        ["you" | "we", "should" | "must", "not", "be", doing, rest @ ..]
        | ["you" | "we", "shouldn't" | "mustn't", "be", doing, rest @ ..]
            if doing.ends_with("ing") =>
        {
            return is_work(doing) && !rest.is_empty() && is_named(rest);
        }
        ["you" | "we" | "claude", "should" | "must" | "may" | "can", "not", rest @ ..]
        | ["you" | "we" | "claude", "shouldn't" | "mustn't", rest @ ..] => (rest, false),
        ["we", "don't", rest @ ..] if rest.first().is_some_and(|v| PRACTICE.contains(v)) => {
            return is_doable(rest, is_lasting);
        }
        ["i" | "we", "don't", "want", "you", "to", rest @ ..] => (rest, false),
        ["i" | "we", "don't", "want", "to", "have", rest @ ..]
        | ["i" | "we", "don't", "want", rest @ ..] => (rest, true),
        ["avoid", rest @ ..] | ["no", "more", rest @ ..] | ["refrain", "from", rest @ ..] => {
            (rest, true)
        }
        ["stop", rest @ ..] if rest.first().is_some_and(|word| word.ends_with("ing")) => {
            return is_doable(rest, true) && is_general(&rest[1..]);
        }
        ["no", rest @ ..] => return forbids_by_name(rest),
        _ => return false,
    };
    // "Let's not archive it" is a proposal for the moment; "not all …" is a way of working.
    let is_whole = rest.iter().take(3).any(|word| matches!(*word, "all" | "any" | "every"));
    if words[0] == "not" && !(is_led && (is_lasting || is_whole)) {
        return false;
    }
    if is_wanted {
        let is_one = matches!(rest.first(), Some(&("a" | "an" | "to")));
        return rest.len() > 1 - usize::from(words[0] == "avoid") && is_general(rest) && !is_one;
    }
    is_doable(rest, is_lasting) && (is_lasting || is_general(&rest[1..]))
}

/// "No emojis in commit messages": several of them, and where.
fn forbids_by_name(rest: &[&str]) -> bool {
    let is_where = |word: &&str| matches!(*word, "in" | "without" | "for" | "unless" | "please");
    let Some(end) = rest.iter().position(is_where).filter(|end| (1..=4).contains(end)) else {
        return false;
    };
    rest[end - 1].ends_with('s') && is_general(&rest[end..])
}

/// "Never deploy from a branch", "we always run the formatter", "you must always sign".
fn demands(words: &[&str]) -> bool {
    let mut rest = words;
    let is_we = matches!(rest.first(), Some(&("we" | "you" | "claude")));
    if is_we {
        rest = &rest[1..];
        while matches!(rest.first(), Some(&("should" | "must" | "need" | "have" | "to" | "just"))) {
            rest = &rest[1..];
        }
    }
    let rest = match rest {
        ["always" | "never", rest @ ..] => rest,
        _ => return false,
    };
    let n_adverbs = rest
        .iter()
        .take_while(|word| matches!(**word, "just" | "directly" | "actually" | "really" | "even"))
        .count();
    let rest = &rest[n_adverbs..];
    match rest.first() {
        // "Never `npm link` a package": a command is done.
        Some(first) if first.starts_with('`') => true,
        // "Never with a new comment": what is done was said before.
        Some(first) if is_preposition(first) => !is_we && is_named(&rest[1..]),
        Some(_) => is_doable(rest, true),
        None => false,
    }
}

/// "Every new endpoint needs a test", "commit messages should be in English".
fn obliges(words: &[&str], is_lasting: bool) -> bool {
    let Some(first) = words.first() else { return false };
    let is_all = matches!(*first, "all" | "every" | "each" | "any" | "new" | "no");
    let end = (1..words.len().min(MAX_SUBJECT + 1))
        .find(|at| begins_with_any(&words[*at..], MODAL).is_some());
    let Some(end) = end else { return false };
    let head = words[end - 1];
    let is_thing = THINGS.contains(&head) || is_all && is_lasting;
    let is_thing =
        is_thing || matches!(*first, "every" | "each" | "any") && end >= 2 && is_work_word(head);
    let is_subject = is_thing && !DEFINITE.contains(first) && !POINTS.contains(first);
    let is_bare = matches!(words[end], "always" | "never");
    let is_report = is_bare && words.get(end + 1).is_none_or(|verb| is_told(verb));
    let n = begins_with_any(&words[end..], MODAL).unwrap_or(1);
    // "Tests need a fix", "tests go through": only with "should" or for all of them.
    let is_firm = is_all
        || is_lasting
        || is_bare
        || matches!(words[end], "should" | "shouldn't" | "must" | "mustn't");
    is_subject && is_firm && !is_report && words.len() > end + n || is_rule_of_names(words)
}

/// "Timestamps should always use UTC": whatever has no article is a sort of things.
fn is_rule_of_names(words: &[&str]) -> bool {
    let modal = words.iter().take(4).position(|word| matches!(*word, "should" | "must"));
    let Some(at) = modal.filter(|at| *at > 0) else { return false };
    let (subject, rest) = words.split_at(at);
    let is_bare = !DEFINITE.contains(&subject[0])
        && subject.iter().all(|word| !POINTS.contains(word) && !word.starts_with('@'))
        && !matches!(subject[0], "we" | "he" | "a" | "an" | "one");
    let is_always = matches!(rest.get(1), Some(&("always" | "never" | "only")));
    is_bare && is_always && rest.get(2).is_some_and(|verb| is_work(verb)) && rest.len() > 3
}

/// One of a sort of things that rules are made about.
fn is_work_word(word: &str) -> bool {
    let plural = format!("{word}s");
    let other = word.strip_suffix('y').map(|stem| format!("{stem}ies"));
    THINGS.contains(&word)
        || THINGS.contains(&plural.as_str())
        || other.is_some_and(|other| THINGS.contains(&other.as_str()))
        || THINGS.contains(&format!("{word}es").as_str())
        || matches!(word, "change" | "fix" | "pr" | "commit")
}

/// "Ask me before you delete files", "only push when I tell you to".
fn asks_first(words: &[&str]) -> bool {
    let has_before = words.iter().any(|word| matches!(*word, "before" | "unless"));
    match words {
        ["ask", rest @ ..] | ["check", "with", "me", rest @ ..] => {
            let rest = rest.strip_prefix(&["me"]).unwrap_or(rest);
            has_before && rest.len() > 2 && !matches!(rest.last(), Some(&("it" | "that")))
        }
        ["claude" | "you", "should" | "must", "ask", ..] => words.len() > 4,
        ["only", verb, rest @ ..] => {
            let is_told = rest
                .windows(2)
                .any(|pair| matches!(pair[0], "when" | "if" | "after") && pair[1] == "i");
            (VERBS.contains(verb) || COMPLETE.contains(verb))
                && is_told
                && !POINTS.contains(&rest[0])
        }
        _ => false,
    }
}

/// What follows words that make it last: an instruction, a practice, or a rule.
fn begins_lasting(words: &[&str]) -> bool {
    let n = begins_with_any(words, LASTING).or(begins_with_any(words, AT_WORK)).unwrap_or(0);
    let (rest, _) = led(&words[n..]);
    match rest {
        ["we" | "you", "should" | "must", verb, object @ ..] => {
            VERBS.contains(verb) && is_named(object)
        }
        ["we" | "you", "want", "to", verb, object @ ..] => !IDLE.contains(verb) && is_named(object),
        ["using", object @ ..] => is_named(object),
        ["we", verb, object @ ..] => PRACTICE.contains(verb) && is_named(object),
        ["all" | "every" | "each", _, _, ..] => n > 0,
        // "Update the plan so that we can … in the future" is a task.
        [verb, ..] if n == 0 && TASKS.contains(verb) && !has(words, UNTIL_REVOKED) => false,
        [verb, object @ ..] if VERBS.contains(verb) => is_named(object),
        [_, head, ..] if n > 0 => THINGS.contains(head) || THINGS.contains(&rest[0]),
        _ => false,
    }
}
