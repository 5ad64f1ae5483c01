//! What is looked for after an erasure? The texts whole, and pieces of them that are long
//! enough to be nobody else's words, as they stand and as JSON would write them.

use std::collections::BTreeSet;

/// Characters of a piece; shorter ones occur by chance.
const PIECE_CHARS: usize = 24;

/// Characters below which a text is not looked for inside others.
const SHORT_CHARS: usize = 12;

/// What to look for in files.
pub struct Patterns {
    pub bytes: Vec<Vec<u8>>,
    /// So many of the first ones are whole texts.
    pub n_whole: usize,
}

/// Texts, and pieces of them that stand nowhere else.
#[derive(Clone, Debug, Default)]
pub struct Needles {
    texts: BTreeSet<String>,
    pieces: BTreeSet<String>,
    /// The texts as they may stand in others: in lower case, and as JSON writes them.
    lower: Vec<String>,
    json: Vec<String>,
    /// Bytes of the shortest of all these.
    n_shortest: usize,
}

impl Needles {
    /// What was said, and what was seen of it: of the latter only what is long enough to
    /// be told from anybody's words.
    pub fn new(said: &BTreeSet<String>, seen: impl Iterator<Item = String>) -> Self {
        let is_longer = |text: &String, n_chars| text.chars().count() >= n_chars;
        let said = said.iter().filter(|text| is_longer(text, SHORT_CHARS)).cloned();
        let seen = seen.filter(|text| is_longer(text, PIECE_CHARS));
        let texts: BTreeSet<String> = said.chain(seen).collect();
        let pieces = texts.iter().flat_map(|text| pieces(text)).collect();
        let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        let json: Vec<String> = texts.iter().map(|text| as_json(text)).collect();
        let n_shortest = lower.iter().chain(&json).map(String::len).min().unwrap_or(usize::MAX);
        // Lower case may be longer or shorter in bytes.
        let n_shortest = n_shortest / 2;
        Needles { texts, pieces, lower, json, n_shortest }
    }

    /// What was said besides, looked for whole or not at all.
    pub fn whole(said: &BTreeSet<String>) -> Self {
        Needles { pieces: BTreeSet::new(), ..Needles::new(said, std::iter::empty()) }
    }

    /// Whether one of the texts stands in this one, whatever its case.
    pub fn is_in(&self, text: &str) -> bool {
        if text.len() < self.n_shortest {
            return false;
        }
        let lower = text.to_lowercase();
        let has_lower = self.lower.iter().any(|needle| lower.contains(needle.as_str()));
        has_lower || self.json.iter().any(|needle| text.contains(needle.as_str()))
    }

    /// Whether a piece of one of the texts stands in this one.
    pub fn has_piece_in(&self, text: &str) -> bool {
        text.len() >= PIECE_CHARS && self.pieces.iter().any(|piece| text.contains(piece.as_str()))
    }

    /// Does not look for what stands in this text: it may be there.
    pub fn leave(&mut self, text: &str) {
        if text.len() >= PIECE_CHARS {
            self.pieces.retain(|piece| !text.contains(piece.as_str()));
        }
        if text.len() >= self.n_shortest {
            self.texts.retain(|needle| !text.contains(needle.as_str()));
        }
    }

    /// What to look for in files, whole texts first.
    pub fn patterns(&self) -> Patterns {
        let forms = |texts: &BTreeSet<String>| -> BTreeSet<Vec<u8>> {
            let both = texts.iter().flat_map(|text| [text.clone(), as_json(text)]);
            both.map(String::into_bytes).collect()
        };
        let whole = forms(&self.texts);
        let n_whole = whole.len();
        Patterns { bytes: whole.into_iter().chain(forms(&self.pieces)).collect(), n_whole }
    }
}

/// As JSON writes it, without the quotes.
fn as_json(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("a text can be written as JSON");
    quoted[1..quoted.len() - 1].to_owned()
}

/// Pieces that begin with a word, and every few characters where words are not parted.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let is_start =
        |at: usize| at == 0 || at.is_multiple_of(PIECE_CHARS / 2) || chars[at - 1].is_whitespace();
    let last = chars.len().saturating_sub(PIECE_CHARS);
    let starts = (0..=last).filter(|at| is_start(*at) || *at == last);
    let long = starts.filter(|at| at + PIECE_CHARS <= chars.len());
    long.map(|at| chars[at..at + PIECE_CHARS].iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(text: &str) -> Needles {
        Needles::new(&BTreeSet::from([text.to_owned()]), std::iter::empty())
    }

    #[test]
    fn short_texts_are_not_looked_for_inside_others() {
        let seen = ["fixed".to_owned(), "fixed it for once and for all".to_owned()];
        let needles = Needles::new(&BTreeSet::from(["no tabs".to_owned()]), seen.into_iter());
        assert!(!needles.is_in("no tabs, said somebody who fixed it"));
        assert!(needles.is_in("and fixed it for once and for all"));
    }

    #[test]
    fn texts_are_found_as_they_stand_in_any_case_and_as_json() {
        let needles = needles("Say \"no\" to it");
        assert!(needles.is_in("x Say \"no\" to it y"));
        assert!(needles.is_in("say \"NO\" to it"));
        assert!(needles.is_in(r#"{"text":"Say \"no\" to it"}"#));
        assert!(!needles.is_in("Say yes to it"));
    }

    #[test]
    fn pieces_cover_a_text_and_leave_others_alone() {
        let text = "never let the nightly job write to the archive of last year";
        let mut needles = needles(text);
        assert!(needles.has_piece_in("… the nightly job write to t …"));
        assert!(needles.has_piece_in(&text[text.len() - 24..]));
        needles.leave("let the nightly job write to the log");
        assert!(!needles.has_piece_in("the nightly job write to the log"));
        assert!(needles.has_piece_in(text));
        let unparted = self::needles(&"検索".repeat(40));
        assert!(unparted.has_piece_in(&"検索".repeat(15)));
    }
}
