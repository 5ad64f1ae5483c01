//! What is a line, a heading or a list of a review for? It announces, groups, tells more about
//! something, or is something of its own.

use hardwon_core::list;

use super::field::field;
use super::line::led;
use super::place;
use super::place::Place;
use super::section::is_quiet;
use super::title::{is_bare, without_number};
use super::tree::Item;
use super::words::{
    behind_label, bracketed, graded, leading, line_lead, only_grade, only_place, tail_mark,
};

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

/// Whether a line above a list is a heading without its sign: `Findings`, `Positive notes`.
pub fn is_plain_label(line: &str) -> bool {
    let is_plain = line.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '/' | '&'));
    let is_short = line.split_whitespace().count() <= 3;
    is_plain && is_short && (says_loud(line) || is_quiet(line) || says_closing(line))
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
    let is_sort = (is_counted || is_sort) && without_number(text).len() == text.len();
    is_sort || words().all(is_title) || names_sort(text)
}

/// Whether a heading only names a sort of things, counted or not: `7. Blocking review comments`,
/// `Security recommendations ⚠️`.
pub fn names_sort(text: &str) -> bool {
    const TITLES: &[&str] = list!("reviews.txt", "titles");
    const SORTS: &[&str] = list!("reviews.txt", "sorts");
    let name = without_number(text).split(" (").next().unwrap_or_default();
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let is_known = |word: &String| {
        let stem = word.trim_end_matches('s');
        TITLES.contains(&stem) || SORTS.contains(&word.as_str()) || graded(word).is_some()
    };
    let is_sort = words.last().is_some_and(|word| SORTS.contains(&word.as_str()));
    is_sort && words.iter().all(is_known)
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

/// The file of a heading that else only says what sort of things stand below: `` `app.py` issues ``.
pub fn sorted_place(heading: &str) -> Option<Place> {
    let found = place::first_place(heading)?;
    let is_other = |word: &&str| place::first_place(word).is_none();
    let others: Vec<&str> = heading.split_whitespace().filter(is_other).collect();
    (!others.is_empty() && is_bare(&others.join(" "))).then_some(found)
}

/// Whether a text says that something is wrong.
pub fn says_defect(text: &str) -> bool {
    const DEFECTS: &[&str] = list!("reviews.txt", "defects");
    const SHORT: usize = 3;
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '\''));
    words.any(|word| {
        let is_it =
            |known: &&str| word == *known || known.len() > SHORT && word.starts_with(*known);
        DEFECTS.iter().any(is_it)
    })
}

/// Whether a heading names an area, and not what is wrong in it: `Session management`.
pub fn is_area(heading: &str) -> bool {
    const MAX_WORDS: usize = 6;
    let title = without_number(heading).trim_end_matches(':');
    let n_words = title.split_whitespace().count();
    let is_plain = !title.contains(['`', ':']) && place::first_place(title).is_none();
    is_plain && n_words <= MAX_WORDS && !says_defect(title)
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
    let is_graded = |line: &str| leading(line).is_some() || behind_label(line).is_some();
    items.iter().filter_map(Item::first_line).any(is_graded)
}

/// Whether a line has no grade, neither before nor in it.
pub fn is_ungraded(line: &str) -> bool {
    let is_led = leading(line).is_some() || behind_label(line).is_some();
    !is_led && bracketed(line).0.is_none() && tail_mark(line).is_none()
}
