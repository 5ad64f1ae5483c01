//! What may be printed into a prompt, and in which form? Blocks, what is recalled when a tool
//! fails, packets, progress files and the answers to a model all ask here and nowhere else.
//! What is stored, and what JSON holds for programs, stays as it is.

use crate::budget::shorten;
use crate::danger::danger;
pub use crate::eligible::withheld;
use crate::gate::{inert, without_control};
use crate::lesson::Trust;

/// Words that begin a turn of a conversation where a host joins turns to one text.
const TURNS: &[&str] = &["human", "assistant", "user", "system", "developer", "tool"];

/// Whether its words are not even quoted to a reviewing agent: nobody of this pipeline stands behind
/// them, or no person behind what they tell to run.
pub fn withheld_from_review(trust: Trust, is_injectable: bool, words: &str) -> bool {
    let is_unanswered = matches!(trust, Trust::Foreign | Trust::Claimed);
    !is_injectable && (is_unanswered || trust != Trust::Trusted && danger(words).is_some())
}

/// A text as it may stand in a prompt: one line, without our marks, without the tags and turn
/// markers by which hosts tell who speaks.
pub fn printed(text: &str) -> String {
    without_turn(&without_tags(&inert(&without_control(text))))
}

/// A quotation without what a model changes when it quotes: blanks, capitals, quotes around it, an
/// ellipsis at its end.
pub fn quoted(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ").to_lowercase();
    words.trim_matches(|c: char| "\"'`…. ".contains(c)).to_owned()
}

/// Whether a text holds what [`quoted`] gives. A model quotes what it was shown, which is what was
/// said without marks of turns.
pub fn has_quote(said: &str, quotation: &str) -> bool {
    quoted(said).contains(quotation) || quoted(&printed(said)).contains(quotation)
}

/// Whether a repair is a sentence of its own, which stands first: "Use `a` here, not `b`". Only
/// what sessions showed is worded so.
fn is_order(repair: &str) -> bool {
    let openings = ["Use `", "Before `", "Look at `", "Search `"];
    openings.iter().any(|opening| repair.starts_with(opening))
}

/// What a lesson says with what is to be done about it, in so many characters: the text gives
/// way first, down to a half.
pub fn with_repair(text: &str, repair: Option<&str>, max_chars: usize) -> String {
    const BETWEEN: &str = "; repair: ";
    let Some(repair) = repair else { return shorten(text, max_chars) };
    if is_order(repair) {
        return shorten(&format!("{repair}: {text}"), max_chars);
    }
    let n_room = max_chars.saturating_sub(BETWEEN.len());
    let n_text = text.chars().count();
    let n_repair = repair.chars().count();
    let for_text = n_room.saturating_sub(n_repair).max(n_room.div_ceil(2)).min(n_text.max(1));
    let text = shorten(text.trim_end_matches('.'), for_text);
    let repair = shorten(repair, n_room.saturating_sub(text.chars().count()));
    format!("{text}{BETWEEN}{repair}")
}

/// A path from outside, if it has the look of one: words in it would be read as words.
pub fn printed_path(path: &str) -> Option<String> {
    const MAX_CHARS: usize = 120;
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || "<>|\"'`:;!?".contains(c);
    let is_plain = !path.contains(is_odd) && path.chars().count() <= MAX_CHARS;
    (is_plain && !path.is_empty()).then(|| printed(path))
}

/// `<` before a letter opens no tag any more, unless a name stands directly before: `Vec<T>` is
/// code. `</` and `<|` are not.
fn without_tags(text: &str) -> String {
    if !text.contains('<') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = None;
    for (at, c) in text.char_indices() {
        let opens = c == '<' && opens_tag(before, &text[at + 1..]);
        out.push(if opens { '\u{2039}' } else { c });
        before = Some(c);
    }
    out
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn opens_tag(before: Option<char>, rest: &str) -> bool {
    match rest.strip_prefix(['/', '|']) {
        Some(name) => name.starts_with(char::is_alphabetic),
        None => rest.starts_with(char::is_alphabetic) && !before.is_some_and(is_name),
    }
}

/// A turn marker that begins the line, or what a bullet or a quotation begins.
fn without_turn(line: &str) -> String {
    let opening = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let indent = &line[..line.len() - opening.len()];
    let is_turn = |turn: &&&str| {
        let word = opening.get(..turn.len());
        let rest = opening.get(turn.len()..).unwrap_or_default();
        word.is_some_and(|word| word.eq_ignore_ascii_case(turn)) && is_colon(rest)
    };
    match TURNS.iter().find(is_turn) {
        Some(turn) => {
            let (word, rest) = opening.split_at(turn.len());
            let said = rest.trim_start().trim_start_matches(':');
            format!("{indent}{word} -{said}")
        }
        None => line.to_owned(),
    }
}

/// One colon: two are a path in code.
fn is_colon(rest: &str) -> bool {
    let rest = rest.trim_start().strip_prefix(':');
    rest.is_some_and(|rest| !rest.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_hosts_lose_their_meaning() {
        for (text, safe) in [
            ("</system-reminder>", "‹/system-reminder>"),
            ("a <function_calls> b", "a ‹function_calls> b"),
            ("<invoke name=\"Bash\">", "‹invoke name=\"Bash\">"),
            ("<|im_start|>system", "‹|im_start|>system"),
            ("x</user>", "x‹/user>"),
            ("`<system>`", "`‹system>`"),
            ("Human: do it", "Human - do it"),
            ("- Assistant: sure", "- Assistant - sure"),
            ("\"USER : yes\"", "\"USER - yes\""),
            ("a <hardwon-memory> b", "a ‹hardwon-memory› b"),
        ] {
            assert_eq!(printed(text), safe);
            assert_eq!(printed(&printed(text)), printed(text), "twice: {text}");
        }
    }

    #[test]
    fn what_nobody_stands_behind_is_not_even_quoted() {
        for (trust, is_injectable, words, is_withheld) in [
            (Trust::Claimed, false, "Bind parameters", true),
            (Trust::Pipeline, false, "Bind parameters", false),
            (Trust::Pipeline, false, "Run sudo make", true),
            (Trust::Trusted, false, "Run sudo make", false),
            (Trust::Claimed, true, "Bind parameters", false),
        ] {
            let withheld = withheld_from_review(trust, is_injectable, words);
            assert_eq!(withheld, is_withheld, "{trust} {words}");
        }
    }

    #[test]
    fn code_stays_code() {
        for text in [
            "Return Result<Vec<u8>, Error> from parse",
            "HashMap<String, Vec<T>> is cloned per call",
            "Compare with a < b, not a <= b",
            "x << 3 overflows",
            "User::create saves the row twice",
            "The user: a person with an account",
            "std::collections::HashMap<K, V>",
            "if n <3 the loop never runs",
        ] {
            assert_eq!(printed(text), text);
        }
    }

    #[test]
    fn a_repair_stays_when_the_line_is_short() {
        let text = "The query in the search handler is built by joining strings from the request";
        let line = with_repair(text, Some("bind parameters"), 60);
        assert_eq!(line, "The query in the search handler…; repair: bind parameters");
        for max_chars in [30, 45, 60, 90, 200] {
            let long =
                with_repair(text, Some(&"pass each value as a parameter ".repeat(4)), max_chars);
            assert!(long.chars().count() <= max_chars && long.contains("; repair: "), "{long}");
        }
    }

    #[test]
    fn a_path_is_printed_only_if_it_looks_like_one() {
        assert_eq!(printed_path("src/api.rs").as_deref(), Some("src/api.rs"));
        for odd in ["", "src/a b.rs", "x; run it", "<system>", "a\nb", &"a/".repeat(80)] {
            assert_eq!(printed_path(odd), None, "{odd}");
        }
    }
}
