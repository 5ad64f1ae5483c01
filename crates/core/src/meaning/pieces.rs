//! A text in the pieces that the model was trained on: lower-case words without accents, each
//! cut from its beginning into the longest pieces that the vocabulary has.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A longer word is unknown as a whole.
const MAX_WORD_CHARS: usize = 100;

/// The words of a text as the model counts them: every mark of punctuation and every character
/// of a script without spaces is one.
pub fn plain_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars().flat_map(char::to_lowercase).nfd() {
        if c.is_whitespace() || c.is_control() {
            words.push(String::new());
        } else if is_alone(c) {
            words.push(c.to_string());
            words.push(String::new());
        } else if !is_combining_mark(c)
            && let Some(word) = words.last_mut()
        {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Cuts a lower-case word; `None` if a part of it is in no vocabulary. `known` gives the place
/// of a piece; all but the first begin with `##`.
pub fn split_word(word: &str, known: &dyn Fn(&str) -> Option<usize>) -> Option<Vec<usize>> {
    let word: String = word.nfd().filter(|c| !is_combining_mark(*c)).collect();
    if word.chars().count() > MAX_WORD_CHARS {
        return None;
    }
    let mut found = Vec::new();
    let mut rest = word.as_str();
    while !rest.is_empty() {
        let begin = if found.is_empty() { "" } else { "##" };
        let ends = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
        let (place, end) = ends
            .into_iter()
            .find_map(|end| Some((known(&format!("{begin}{}", &rest[..end]))?, end)))?;
        found.push(place);
        rest = &rest[end..];
    }
    Some(found)
}

fn is_alone(c: char) -> bool {
    let is_mark = c.is_ascii_punctuation()
        || matches!(c, '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}')
        || ('\u{2010}'..='\u{2027}').contains(&c)
        || ('\u{2030}'..='\u{205e}').contains(&c)
        || ('\u{3001}'..='\u{3003}').contains(&c)
        || ('\u{3008}'..='\u{3011}').contains(&c)
        || ('\u{ff01}'..='\u{ff0f}').contains(&c);
    let is_han = ('\u{4e00}'..='\u{9fff}').contains(&c)
        || ('\u{3400}'..='\u{4dbf}').contains(&c)
        || ('\u{20000}'..='\u{2fa1f}').contains(&c)
        || ('\u{f900}'..='\u{faff}').contains(&c);
    is_mark || is_han
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_case_and_accents_and_marks_stand_alone() {
        assert_eq!(
            plain_words("Don't  Zürich-Süd\n型変"),
            ["don", "'", "t", "zurich", "-", "sud", "型", "変"]
        );
    }

    #[test]
    fn the_longest_piece_comes_first() {
        let vocabulary = ["un", "unbound", "##ed", "##e", "##d"];
        let known = |piece: &str| vocabulary.iter().position(|known| *known == piece);
        assert_eq!(split_word("unbounded", &known), Some(vec![1, 2]));
        assert_eq!(split_word("unbünded", &known), None);
        assert_eq!(split_word("", &known), Some(vec![]));
    }
}
