//! Which words does a text have, for the index and for matching?
//!
//! One tokenizer for all stores and for similarity, so that what is proposed and what is
//! scored agree. Weighting words is left to `matching` and `rank`.

use std::iter::once;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::list;

/// Longest word in bytes; longer runs are cut at a character boundary.
pub const MAX_WORD_BYTES: usize = 64;

/// English function words, in order, that say nothing about which problem is meant.
///
/// Contractions stand without their apostrophe, as [`words`] folds them.
/// Words such as `not`, `null` or `only` are kept out of this list: in findings they carry meaning.
const STOP_WORDS: &[&str] = list!("stop_words.txt");

/// The index words of a text, in order of appearance, repeats kept.
///
/// Guarantees: deterministic; every word is non-empty, lower-case and at most
/// [`MAX_WORD_BYTES`] long; English stop words and single Latin letters are left out.
/// Identifiers come apart (`fooBar`, `foo_bar` and `foo bar` give the same words),
/// scripts written without spaces become overlapping pairs of characters, and
/// ASCII words lose common English endings. A text without words gives an empty list.
pub fn words(text: &str) -> Vec<String> {
    let mut found = spellings(text);
    found.iter_mut().for_each(stem);
    found
}

/// The index word of a spelling as [`spellings`] gives it.
pub fn word_of(spelling: &str) -> String {
    let mut word = spelling.to_owned();
    stem(&mut word);
    word
}

/// Whether a lower-case word says nothing about which problem is meant.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// [`words`] with their endings, one for one.
pub fn spellings(text: &str) -> Vec<String> {
    let mut found = Vec::with_capacity(text.len() / 6);
    if text.is_ascii() {
        scan_ascii(text, &mut found);
    } else {
        scan(text.nfkc(), &mut found);
    }
    found
}

/// The words of a text, each once, in byte order. See [`words`].
pub fn unique_words(text: &str) -> Vec<String> {
    sorted_unique(words(text))
}

/// Sorted, each once.
pub(crate) fn sorted_unique<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all.dedup();
    all
}

/// How words of two ASCII characters or more begin, whatever their case: what has none of these
/// beginnings has none of the words, and is told apart without being looked up.
pub(crate) struct Beginnings([u32; 32]);

impl Beginnings {
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut seconds = [0; 32];
        for word in words {
            let (first, second) = Self::place(word.as_bytes());
            seconds[first] |= second;
        }
        Beginnings(seconds)
    }

    pub fn has(&self, word: &[u8]) -> bool {
        let (first, second) = Self::place(word);
        self.0[first] & second != 0
    }

    /// By five bits of each, which tell letters apart; others at worst cost a closer look.
    fn place(word: &[u8]) -> (usize, u32) {
        (usize::from(word[0] & 31), 1 << (word[1] & 31))
    }
}

/// Shared words over all words of the two, 0..1. Both are sorted, each word once.
pub fn jaccard(a: &[String], b: &[String]) -> f64 {
    let n_both = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    n_both as f64 / (a.len() + b.len() - n_both).max(1) as f64
}

/// ArcheFlow's tokens of a text: ASCII letters and digits only, lower-case, three or longer, each once, in byte order.
///
/// Kept apart from [`words`] because its preset must reproduce the documented percentages.
/// Letters beyond ASCII separate words there, so `für` has no token.
pub fn ascii_words(text: &str) -> Vec<String> {
    let tokens = text.split(|c: char| !c.is_ascii_alphanumeric());
    sorted_unique(tokens.filter(|token| token.len() >= 3).map(str::to_ascii_lowercase).collect())
}

/// What a character does to the word around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// Han, kana, Hangul, Thai and their like: no spaces between words.
    Unspaced,
    /// A combining mark or joiner: stays with whatever it follows.
    Mark,
    Apostrophe,
    Other,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '\'' | '\u{2019}' => Class::Apostrophe,
        _ if c.is_ascii() => Class::Other,
        _ if is_unspaced(c) => Class::Unspaced,
        '\u{200c}' | '\u{200d}' => Class::Mark,
        _ if is_combining_mark(c) => Class::Mark,
        _ if c.is_uppercase() => Class::Upper,
        _ if c.is_numeric() => Class::Digit,
        _ if c.is_alphabetic() => Class::Lower,
        _ => Class::Other,
    }
}

/// Whether a letter is of a script that puts no spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e01}'..='\u{0e3a}' | '\u{0e40}'..='\u{0e4e}' // Thai
        | '\u{0e81}'..='\u{0ece}' // Lao
        | '\u{1000}'..='\u{1049}' // Myanmar
        | '\u{1780}'..='\u{17d3}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' // kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' // Han
        | '\u{20000}'..='\u{323af}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}' // Hangul
    )
}

/// [`scan`] for ASCII alone. Most words of most texts are of small letters only: nothing in them has
/// to be looked at one by one.
fn scan_ascii(text: &str, found: &mut Vec<String>) {
    for run in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'') {
        let is_plain = run.bytes().all(|b| b.is_ascii_lowercase());
        if !is_plain {
            scan(run.chars(), found);
        } else if run.len() > 1 && !is_stop_word(run) {
            found.push(run[..run.len().min(MAX_WORD_BYTES)].to_owned());
        }
    }
}

/// Splits characters into runs of one kind and hands each to its emitter.
fn scan(chars: impl Iterator<Item = char>, found: &mut Vec<String>) {
    let mut run: Vec<(char, Class)> = Vec::new();
    for c in chars.chain(once(' ')) {
        let class = class(c);
        let unspaced_run = run.first().is_some_and(|first| first.1 == Class::Unspaced);
        let continues = match class {
            Class::Other => false,
            Class::Unspaced => unspaced_run || run.is_empty(),
            Class::Mark => true,
            Class::Lower | Class::Upper | Class::Digit | Class::Apostrophe => !unspaced_run,
        };
        if !continues {
            emit_run(&run, found);
            run.clear();
        }
        let starts_word = !matches!(class, Class::Other | Class::Mark | Class::Apostrophe);
        if starts_word || (!run.is_empty() && class != Class::Other) {
            run.push((c, class));
        }
    }
}

/// A run of an unspaced script as overlapping pairs, or its only character.
fn emit_run(run: &[(char, Class)], found: &mut Vec<String>) {
    match run {
        [] => {}
        [(only, Class::Unspaced)] => found.push(only.to_string()),
        [(_, Class::Unspaced), ..] => {
            found.extend(run.windows(2).map(|pair| pair.iter().map(|(c, _)| c).collect::<String>()))
        }
        _ => emit_identifier(run, found),
    }
}

/// Cuts a run of letters and digits where an identifier has its seams.
fn emit_identifier(run: &[(char, Class)], found: &mut Vec<String>) {
    let mut start = 0;
    for at in 1..run.len() {
        if is_seam(run, start, at) {
            emit_word(&run[start..at], found);
            start = at;
        }
    }
    emit_word(&run[start..], found);
}

/// Whether a new word starts at `at`: `foo|Bar`, `HTTP|Server`, `10|MB`, but `utf8`, `i18n` and `URLs` stay whole.
fn is_seam(run: &[(char, Class)], start: usize, at: usize) -> bool {
    let (before, here) = (run[at - 1].1, run[at].1);
    match here {
        Class::Upper if before == Class::Upper => {
            let rest = &run[at + 1..];
            let plural = matches!(rest, [('s', _)] | [('s', _), (_, Class::Upper), ..]);
            rest.first().is_some_and(|next| next.1 == Class::Lower) && !plural
        }
        Class::Upper => matches!(before, Class::Lower | Class::Digit | Class::Mark),
        Class::Lower => run[start..at].iter().all(|c| c.1 == Class::Digit),
        Class::Digit | Class::Mark | Class::Apostrophe | Class::Unspaced | Class::Other => false,
    }
}

fn emit_word(part: &[(char, Class)], found: &mut Vec<String>) {
    let mut word = String::with_capacity(part.len());
    for &(c, class) in without_acronym_plural(part) {
        if class != Class::Apostrophe {
            push_folded(c, &mut word);
        }
    }
    word.truncate(word.floor_char_boundary(MAX_WORD_BYTES));
    let one_letter =
        word.len() <= 2 && word.chars().count() == 1 && !word.starts_with(char::is_numeric);
    if word.is_empty() || one_letter || is_stop_word(&word) {
        return;
    }
    found.push(word);
}

/// `IDs` and `APIs` are too short for the stemmer to judge; their letter case says it.
fn without_acronym_plural(part: &[(char, Class)]) -> &[(char, Class)] {
    match part {
        [acronym @ .., ('s', _)]
            if acronym.len() >= 2 && acronym.iter().all(|c| c.1 == Class::Upper) =>
        {
            acronym
        }
        _ => part,
    }
}

/// Lower case, plus the three foldings that writers themselves mix up.
fn push_folded(c: char, word: &mut String) {
    match c {
        'a'..='z' | '0'..='9' => word.push(c),
        'ß' | 'ẞ' => word.push_str("ss"),
        'ς' => word.push('σ'),
        'ё' | 'Ё' => word.push('е'),
        _ => word.extend(c.to_lowercase()),
    }
}

/// Takes common English endings off, so that `validates`, `validated` and `validation` meet.
fn stem(word: &mut String) {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    strip_plural(word);
    if !strip_ending(word, "ing") && !strip_ending(word, "ed") {
        if word.ends_with("tion") && word.len() >= 7 {
            word.truncate(word.len() - 3);
        } else if word.ends_with("ly") && word.len() >= 6 {
            word.truncate(word.len() - 2);
        }
    }
    if word.len() >= 4 && word.ends_with('e') {
        word.pop();
    }
}

fn strip_plural(word: &mut String) {
    let keeps = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if !word.ends_with('s') || keeps {
        return;
    }
    let n_cut = if word.ends_with("ies") && word.len() > 4 {
        word.replace_range(word.len() - 3.., "y");
        0
    } else if ["sses", "xes", "ches", "shes", "zes"].iter().any(|end| word.ends_with(end)) {
        2
    } else {
        1
    };
    word.truncate(word.len() - n_cut);
}

/// Removes `ing` or `ed` when a syllable of three letters or more is left, and undoes a doubled consonant.
fn strip_ending(word: &mut String, ending: &str) -> bool {
    let Some(rest) = word.strip_suffix(ending) else {
        return false;
    };
    let has_vowel = rest.bytes().any(|b| b"aeiouy".contains(&b));
    if rest.len() < 3 || !has_vowel {
        return false;
    }
    let n_rest = rest.len();
    word.truncate(n_rest);
    let bytes = word.as_bytes();
    let last = bytes[n_rest - 1];
    if last == bytes[n_rest - 2] && !b"aeioulsz".contains(&last) {
        word.pop();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected, "{name}");
    }

    #[test]
    fn identifiers_come_apart() {
        for form in "fooBar FooBar foo_bar foo-bar FOO_BAR foo.bar foo::bar()".split(' ') {
            check(form, form, &["foo", "bar"]);
        }
        check("apart", "foo bar", &["foo", "bar"]);
        check("acronym first", "HTTPServer", &["http", "server"]);
        check("acronym inside", "parseHTTPRequest", &["pars", "http", "request"]);
        check("plural acronym", "URLs IDs APIs", &["url", "id", "api"]);
        check("plural acronym inside", "userIDsList", &["user", "id", "list"]);
    }

    #[test]
    fn digits_stay_with_the_letters_before_them() {
        check("after letters", "utf8 sha256 i18n", &["utf8", "sha256", "i18n"]);
        check("before letters", "10MB 200ms 10 mb", &["10", "mb", "200", "ms", "10", "mb"]);
        check("before a capital", "oauth2Client", &["oauth2", "client"]);
        check("alone", "a 4 b", &["4"]);
    }

    #[test]
    fn endings_come_off() {
        for word in ["validate", "validates", "validated", "validating", "validation"] {
            check(word, word, &["validat"]);
        }
        check("doubled consonant", "dropped dropping drops", &["drop", "drop", "drop"]);
        check("ies", "queries query", &["query", "query"]);
        check("es", "caches classes boxes", &["cach", "class", "box"]);
        let whole = ["class", "status", "analysis", "bus", "string", "bring"];
        check("no ending", &whole.join(" "), &whole);
        check("ly", "incorrectly only", &["incorrect", "only"]);
        check("too short to judge", "red bed king", &["red", "bed", "king"]);
    }

    #[test]
    fn small_words_are_left_out() {
        check("stop words", "this is what it doesn't do", &[]);
        check("possessive", "the user’s and the user's", &["user", "user"]);
        check("quotes", "'quoted'", &["quot"]);
        check("letters", "a b x", &[]);
        check("nothing", " .,;—\n", &[]);
    }

    #[test]
    fn other_languages_keep_their_words() {
        check("German", "Größe STRASSE Straße", &["grösse", "strass", "strass"]);
        check("Russian", "Ещё ошибка", &["еще", "ошибка"]);
        check("Greek", "λόγος ΛΌΓΟΣ", &["λόγοσ", "λόγοσ"]);
        check("Japanese", "型変換 と、カナ", &["型変", "変換", "と", "カナ"]);
        check("mixed", "null値の検証", &["null", "値の", "の検", "検証"]);
        check("Korean", "검사 누락", &["검사", "누락"]);
        check("Thai", "ไทย", &["ไท", "ทย"]);
        check("Hindi keeps its marks", "हिन्दी", &["हिन्दी"]);
        check("full width", "ＡＢＣ１２", &["abc12"]);
        check("composed later", "Cafe\u{301}", &["café"]);
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        for text in ["x1".repeat(100), "я".repeat(100), format!("x{}", "я".repeat(100))] {
            let found = words(&text);
            assert_eq!(found.len(), 1);
            assert!((MAX_WORD_BYTES - 1..=MAX_WORD_BYTES).contains(&found[0].len()));
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig {
            failure_persistence: None, ..Default::default()
        })]

        #[test]
        fn ascii_is_cut_as_any_text_is(text in "[ -~]{0,40}|[a-z' ]{0,90}|([a-z]{1,70}[A-Z0-9'_. ]){0,6}") {
            let mut one_by_one = Vec::new();
            scan(text.chars(), &mut one_by_one);
            assert_eq!(spellings(&text), one_by_one, "{text:?}");
        }
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    /// ArcheFlow lower-cases, splits on every byte that is not an ASCII letter or digit, keeps three and longer.
    #[test]
    fn ascii_words_follow_archeflow() {
        for (text, expected) in [
            ("Missing NULL checks, missing tests!", &["checks", "missing", "null", "tests"][..]),
            ("user_name in fooBar() is a db id", &["foobar", "name", "user"]),
            ("für Größe naïve", &["gr", "na"][..0]),
            ("the the the", &["the"]),
            ("", &[]),
        ] {
            assert_eq!(ascii_words(text), expected, "{text}");
        }
    }
}
