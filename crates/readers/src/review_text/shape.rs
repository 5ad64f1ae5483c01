//! What is a line, a heading or a list of a review for? It announces, groups, tells more about
//! something, or is something of its own.

use hardwon_core::list;

use super::field::field;
use super::line::led;
use super::place;
use super::section::is_quiet;
use super::title::without_number;
use super::tree::Item;
use super::words::{bracketed, graded, leading, line_lead, only_grade, only_place, tail_mark};

/// Whether a line only announces what follows.
pub fn is_label(line: &str) -> bool {
    let bare = line.trim_end_matches(['*', '_', ' ']);
    let is_bold = line.starts_with("**") && line.trim_end().ends_with("**");
    let is_short = line.split_whitespace().count() <= 8 && !bare.contains(". ");
    bare.ends_with(':')
        && is_short
        && only_place(line).is_none()
        && (is_bold || is_quiet(line) || says_loud(line))
}

/// Whether a line in bold above a list only says what stands in it: `**Security: ⚠️**`.
pub fn is_bold_label(line: &str) -> bool {
    let inner = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    let is_short = |inner: &str| inner.split_whitespace().count() <= 4 && !inner.contains("**");
    inner.is_some_and(|inner| is_short(inner) && is_marked(inner) && only_place(line).is_none())
}

/// Whether a title ends with a mark that grades or praises.
fn is_marked(title: &str) -> bool {
    tail_mark(title).is_some() || title.ends_with(['✅', '✔', '✓'])
}

/// Whether a heading names a sort of things or the message itself, not one thing.
pub fn is_group(text: &str) -> bool {
    const TITLES: &[&str] = list!("reviews.txt", "titles");
    let is_counted = text.trim_end().strip_suffix(')').is_some_and(|rest| {
        let inside = rest.rsplit_once('(').map_or("", |(_, inside)| inside);
        !inside.is_empty() && inside.chars().all(|c| c.is_ascii_digit())
    });
    let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_title = |word: &str| TITLES.contains(&word.to_lowercase().trim_end_matches('s'));
    let is_named = text.trim_end_matches(':').contains(": ");
    let is_sort = says_loud(text) && words().count() <= 4 && !is_named;
    (is_counted || is_sort) && without_number(text).len() == text.len() || words().all(is_title)
}

/// Whether an item with items below it only says what they are about.
pub fn is_group_item(text: &str) -> bool {
    let is_short = text.split_whitespace().count() <= 4 && !text.ends_with('.');
    let names_file = only_place(text).is_some_and(|((_, line), _)| line.is_none());
    let is_placed = place::first_place(text).is_some();
    only_grade(text).is_some() || names_file || is_short && !is_placed && leading(text).is_none()
}

/// Whether the items of a list tell more about one thing: a field, or only a place, is among them,
/// or none of them has a place or a grade of its own.
pub fn is_details(items: &[Item]) -> bool {
    let firsts: Vec<&str> = items.iter().filter_map(Item::first_line).collect();
    let has_line = |line: &str| only_place(line).is_some_and(|((_, line), _)| line.is_some());
    let is_detail = |line: &&str| field(line).is_some() || has_line(line);
    let is_own = |line: &&str| {
        led(line).is_some()
            || leading(line).is_some()
            || line_lead(line).is_some()
            || only_grade(line).is_some()
            || place::with_line(line).is_some()
    };
    firsts.iter().any(is_detail) || !firsts.iter().any(is_own)
}

/// Whether a line begins with a place and a grade in brackets: `src/a.rs:3 (bug): …`.
pub fn graded_place(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_place =
        words.next().is_some_and(|word| place::place(word).is_some_and(|(_, line)| line.is_some()));
    let grade = words.next().filter(|word| word.starts_with(['(', '[']));
    is_place && grade.is_some_and(|word| graded(word).is_some())
}

/// Whether a word of a text praises.
pub fn says_praise(text: &str) -> bool {
    const PRAISE: &[&str] = list!("reviews.txt", "praise");
    has_word(text, PRAISE)
}

pub fn says_loud(text: &str) -> bool {
    const LOUD: &[&str] = list!("reviews.txt", "loud");
    const PHRASES: &[&str] = list!("reviews.txt", "loud phrases");
    let lower = text.to_lowercase();
    let is_phrase = PHRASES.iter().any(|phrase| lower.contains(phrase));
    (is_phrase || has_word(text, LOUD)) && !says_praise(text)
}

/// Whether one of these words, without its plural s, stands in a text.
fn has_word(text: &str, known: &[&str]) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).any(|word| known.contains(&word.trim_end_matches('s')))
}

/// Whether a heading announces what to do about all that was reported: `Recommendations`, `Action
/// items`. One with a grade or a sort of findings reports itself.
pub fn says_closing(text: &str) -> bool {
    const CLOSING: &[&str] = list!("reviews.txt", "closing");
    let is_graded = text
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| graded(word).is_some_and(|grade| !grade.is_weak));
    has_word(text, CLOSING) && !is_graded && !says_loud(text)
}

/// Whether the title of a message says that it tells how to review.
pub fn says_guide(text: &str) -> bool {
    const GUIDES: &[&str] = list!("reviews.txt", "guides");
    let title = text.split(['(', '[']).next().unwrap_or_default();
    let words = title.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| word.to_lowercase()).collect();
    let is_guide = |word: &String| GUIDES.contains(&word.trim_end_matches('s'));
    matches!(&words[..], [.., what, kind] if what == "review" && is_guide(kind))
}

/// Whether an item of a list begins with a grade.
pub fn has_grade(items: &[Item]) -> bool {
    items.iter().filter_map(Item::first_line).any(|line| leading(line).is_some())
}

/// Whether a line has no grade, neither before nor in it.
pub fn is_ungraded(line: &str) -> bool {
    leading(line).is_none() && bracketed(line).0.is_none() && tail_mark(line).is_none()
}
