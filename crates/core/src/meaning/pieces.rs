//! A word in the pieces that the model was trained on: without accents, cut from its beginning
//! into the longest pieces that the vocabulary has.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A longer word is unknown as a whole.
const MAX_WORD_CHARS: usize = 100;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_piece_comes_first() {
        let vocabulary = ["un", "unbound", "##ed", "##e", "##d"];
        let known = |piece: &str| vocabulary.iter().position(|known| *known == piece);
        assert_eq!(split_word("unbounded", &known), Some(vec![1, 2]));
        assert_eq!(split_word("unbünded", &known), None);
        assert_eq!(split_word("", &known), Some(vec![]));
    }
}
