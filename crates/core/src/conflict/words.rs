//! The words of a sentence as they are compared: in small letters, without the marks around them.
//! What stands in backticks or quotes is one word.

/// The words of a sentence.
pub fn words(sentence: &str) -> Vec<String> {
    let mut rest = sentence.trim_start_matches(['-', '*', '•', '–', ' ']).trim();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (token, behind) = rest.split_at(end_of_word(rest, first));
        found.extend(word(token));
        rest = behind.trim_start();
    }
    found
}

/// What is quoted is one word, with the marks behind it.
fn end_of_word(rest: &str, first: char) -> usize {
    let blank = |from: usize| {
        rest[from..].find(char::is_whitespace).map_or(rest.len(), |place| from + place)
    };
    let close = match first {
        '`' => '`',
        '"' => '"',
        '“' => '”',
        _ => return blank(0),
    };
    let n = first.len_utf8();
    rest[n..].find(close).map_or_else(|| blank(0), |place| blank(n + place + close.len_utf8()))
}

fn word(token: &str) -> Option<String> {
    let is_quoted = token.starts_with(['`', '"', '“']);
    let inner = if is_quoted {
        token.trim_end_matches([',', ';', ':', '.', '!', '?'])
    } else {
        token.trim_matches(|c: char| ",;:!?()[]{}*\"“”".contains(c)).trim_end_matches('.')
    };
    let text = inner.to_lowercase().replace('\u{2019}', "'");
    let text = match text.trim_matches('_') {
        "dont" => "don't",
        "shouldnt" => "shouldn't",
        "" => &text,
        plain => plain,
    };
    let is_word = text.chars().any(|c| c.is_alphanumeric() || "-–—".contains(c));
    is_word.then(|| text.to_owned())
}

/// Whether the words begin with those of a phrase.
pub fn begins(words: &[String], phrase: &str) -> bool {
    let mut parts = phrase.split(' ').enumerate();
    parts.all(|(at, part)| words.get(at).is_some_and(|word| word == part))
}
