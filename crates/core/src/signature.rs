//! By which fingerprint is a finding recognized again after the code around it moved?
//!
//! Keeps what names the problem (tool, rule, message, file) and puts aside what changes from run to run:
//! numbers, quoted names, hex, paths, lines. Likeness of different wordings is left to `matching`.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::digest::{hex, sha256};
use crate::list;

/// Fewest letters that a message must keep; with fewer, everything it said was put aside.
const MIN_LETTERS: usize = 3;

/// Stable fingerprint of a finding: `s-` and 16 hex digits.
///
/// Guarantees: deterministic; moving code (other line numbers, other counts, other addresses) keeps it;
/// another tool, rule or file changes it; letter case of the message and spacing do not matter.
/// A message that consists only of quoted names or numbers keeps them, so that two such messages stay apart.
/// Absent and empty tool, rule or path are the same. A tool's own fingerprint, where it has one, should be preferred.
pub fn signature(tool: Option<&str>, rule: Option<&str>, text: &str, path: Option<&str>) -> String {
    let fields = [
        tool.unwrap_or("").trim().to_lowercase(),
        rule.unwrap_or("").trim().to_string(),
        message(text),
        path.map(without_line).unwrap_or_default(),
    ];
    let mut hash = Sha256::new();
    for field in &fields {
        // The length before each field keeps ("ab", "c") and ("a", "bc") apart.
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field.as_bytes());
    }
    format!("s-{}", hex(&hash.finalize()[..8]))
}

/// The message without what changes; the raw words when nothing else is left.
fn message(text: &str) -> String {
    let kept: Vec<String> = unquoted(text).split_whitespace().filter_map(lasting_word).collect();
    let n_letters: usize =
        kept.iter().map(|word| word.chars().filter(|c| c.is_alphabetic()).count()).sum();
    if n_letters >= MIN_LETTERS {
        return kept.join(" ");
    }
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Replaces quoted names by a blank. A quote that never closes, or an apostrophe inside a word, quotes nothing.
fn unquoted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(OPENING_QUOTES) {
        let (before, quoted) = rest.split_at(start);
        kept.push_str(before);
        let quote = quoted.chars().next().unwrap_or('"');
        let in_word = quote == '\'' && before.ends_with(char::is_alphanumeric);
        let inside = &quoted[quote.len_utf8()..];
        match closing(inside, quote).filter(|_| !in_word) {
            Some(end) => {
                kept.push(' ');
                rest = &inside[end..];
            }
            None => {
                kept.push(if in_word { quote } else { ' ' });
                rest = inside;
            }
        }
    }
    kept.push_str(rest);
    kept
}

const OPENING_QUOTES: [char; 7] = ['`', '"', '\'', '\u{201c}', '\u{2018}', '\u{ab}', '\u{300c}'];

/// Where the text after the closing quote starts.
fn closing(inside: &str, quote: char) -> Option<usize> {
    let close = match quote {
        '\u{201c}' => '\u{201d}',
        '\u{2018}' => '\u{2019}',
        '\u{ab}' => '\u{bb}',
        '\u{300c}' => '\u{300d}',
        same => same,
    };
    inside
        .match_indices(close)
        .map(|(at, _)| at + close.len_utf8())
        .find(|&end| close != '\'' || !inside[end..].starts_with(char::is_alphanumeric))
}

/// The letters of a word, or `None` when it is a number, a place, an address or a path.
fn lasting_word(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '\\'));
    if word.is_empty() || is_path(word) || is_hex(word) {
        return None;
    }
    let letters: String = word.to_lowercase().chars().filter(|c| !c.is_numeric()).collect();
    let bare = letters.trim_matches(|c: char| !c.is_alphanumeric());
    (!bare.is_empty()).then(|| bare.to_string())
}

/// A slash between two names, or a file name with a line (`a.rs:12`). `and/or` loses nothing by being put aside.
fn is_path(word: &str) -> bool {
    let has_separator = word.contains(['/', '\\']) && word.chars().any(char::is_alphanumeric);
    let has_line = word.contains('.') && without_line(word).len() < word.len();
    has_separator || has_line
}

/// `0x1f`, and seven or more hex digits of which one is a decimal digit (a commit, an address, a digest).
pub(crate) fn is_hex(word: &str) -> bool {
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return digits.chars().all(|c| c.is_ascii_hexdigit() || c == '_');
    }
    let digits = || word.chars().filter(|&c| c != '-');
    digits().count() >= 7
        && digits().all(|c| c.is_ascii_hexdigit())
        && digits().any(|c| c.is_ascii_digit())
}

/// The path with `/` as its separator and without `:12`, `:12:5`, `:12-20`, `#L12` or `(12,5)` behind it.
pub(crate) fn without_line(path: &str) -> String {
    let mut path = path.trim();
    loop {
        let shorter =
            path.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | ',' | 'L'));
        let cut = shorter.strip_suffix([':', '#', '(']).filter(|_| shorter.len() < path.len());
        match cut.or_else(|| path.strip_suffix(')').filter(|open| is_bracketed_line(open))) {
            Some(cut) => path = cut,
            None => break,
        }
    }
    let path = path.replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_string()
}

/// Whether the text ends in `(12` or `(12,5`, as some compilers write places.
fn is_bracketed_line(open: &str) -> bool {
    let bare = open.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',');
    bare.len() < open.len() && bare.ends_with('(')
}

/// What a signature begins with that a tool's own fingerprint was made into.
const FINGERPRINT_PREFIX: &str = "x-";

/// The signature of a finding that brings its tool's own fingerprint. A digest, because
/// a fingerprint may be long and look like a secret.
pub fn of_fingerprint(fingerprint: &str) -> String {
    format!("{FINGERPRINT_PREFIX}{}", hex(&sha256(&[fingerprint])[..8]))
}

/// What a signature begins with that names a rule of a tool.
const RULE_PREFIX: &str = "r-";

/// A rule of a tool as a signature: `r-`, the tool in 8 hex digits, `-`, the rule in 12.
/// The end is empty for what a tool reports without a rule. By it a lesson is recognized in
/// every file, and two rules of one tool are kept apart, however similar their messages are.
pub fn of_rule(tool: &str, rule: Option<&str>) -> String {
    let part = |text: &str, n_bytes: usize| hex(&sha256(&[&text.trim().to_lowercase()])[..n_bytes]);
    let rule = rule.map(str::trim).filter(|rule| !rule.is_empty());
    let rule = rule.map_or(String::new(), |rule| part(rule, 6));
    format!("{RULE_PREFIX}{}-{rule}", part(tool, 4))
}

/// Tool and rule of a signature that [`of_rule`] made; the rule may be empty.
pub fn rule_parts(signature: &str) -> Option<(&str, &str)> {
    signature.strip_prefix(RULE_PREFIX)?.split_once('-')
}

/// Whether the signature was made of a tool's own fingerprint.
pub fn is_of_fingerprint(signature: &str) -> bool {
    signature.starts_with(FINGERPRINT_PREFIX)
}

/// What tools write in place of a fingerprint.
const PLACEHOLDERS: &[&str] = list!("evidence.txt", "placeholders");

/// A fingerprint as stated, with what it should distinguish.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint<'a> {
    pub tool: &'a str,
    pub text: &'a str,
    pub rule: Option<&'a str>,
    pub path: Option<&'a str>,
    /// A test is the same wherever it breaks.
    pub is_test: bool,
}

/// For each fingerprint of a run, whether it can be relied on. One that different rules or
/// files of a tool share distinguishes nothing, and neither does a word such as "none".
pub fn are_reliable(all: &[Fingerprint<'_>]) -> Vec<bool> {
    type Owner<'a> = (Option<&'a str>, Option<&'a str>);
    fn owner<'a>(one: &Fingerprint<'a>) -> Owner<'a> {
        (one.rule, one.path.filter(|_| !one.is_test))
    }
    let mut owners: BTreeMap<(&str, &str), Option<Owner<'_>>> = BTreeMap::new();
    for one in all {
        let owner = owner(one);
        let known = owners.entry((one.tool, one.text)).or_insert(Some(owner));
        *known = known.filter(|known| *known == owner);
    }
    let is_reliable = |one: &Fingerprint<'_>| {
        owners[&(one.tool, one.text)].is_some() && !is_placeholder(one.text)
    };
    all.iter().map(is_reliable).collect()
}

/// Whether a fingerprint, or the value behind its name, is a word that every result has.
fn is_placeholder(fingerprint: &str) -> bool {
    let lower = fingerprint.trim().to_lowercase();
    let value = lower.rsplit_once('=').map_or(lower.as_str(), |(_, value)| value);
    value.trim().is_empty() || PLACEHOLDERS.contains(&value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_tool_are_told_apart() {
        let of = |tool, rule| of_rule(tool, Some(rule));
        assert_eq!(of("clippy", "clippy::unwrap_used"), of("Clippy ", "clippy::unwrap_used"));
        assert_ne!(of("clippy", "clippy::unwrap_used"), of("clippy", "clippy::expect_used"));
        let (tool, rule) = (of("eslint", "eqeqeq"), of("tsc", "eqeqeq"));
        let (a, b) = (rule_parts(&tool).unwrap(), rule_parts(&rule).unwrap());
        assert!(a.0 != b.0 && a.1 == b.1, "{a:?} {b:?}");
        let bare = of_rule("eslint", Some(" "));
        assert_eq!((bare.clone(), rule_parts(&bare)), (of_rule("eslint", None), Some((a.0, ""))));
        // Stored, so the form must not change.
        assert_eq!(tool, "r-b335494e-abb03288f52f");
        for other in ["s-15d7aa8159b57cad", "x-15d7aa8159b57cad", "r-", ""] {
            assert_eq!(rule_parts(other), None, "{other}");
        }
    }

    #[test]
    fn a_fingerprint_that_many_share_is_none() {
        fn of<'a>(text: &'a str, rule: &'a str, path: &'a str) -> Fingerprint<'a> {
            let (rule, path) = (Some(rule), Some(path));
            Fingerprint { tool: "scan", text, rule, path, is_test: false }
        }
        let check = |name: &str, all: &[Fingerprint<'_>], expected: &[bool]| {
            assert_eq!(are_reliable(all), expected, "{name}");
        };
        check("alone", &[of("ab12", "eval", "a.py")], &[true]);
        let twice = [of("ab12", "eval", "a.py"), of("ab12", "eval", "a.py")];
        check("told twice", &twice, &[true, true]);
        let rules = [of("ab12", "eval", "a.py"), of("ab12", "md5", "a.py")];
        check("two rules", &rules, &[false, false]);
        let files = [of("ab12", "eval", "a.py"), of("ab12", "eval", "b.py"), of("c", "e", "b.py")];
        check("two files", &files, &[false, false, true]);
        let tests = files.map(|one| Fingerprint { is_test: true, ..one });
        check("a test that breaks in two files", &tests, &[true, true, true]);
        let tools = [files[0], Fingerprint { tool: "other", ..files[1] }];
        check("two tools", &tools, &[true, true]);
        for text in ["requires login", "Semgrep OSS matchBasedId/v1=requires login", "k=", "None"] {
            check(text, &[of(text, "eval", "a.py")], &[false]);
        }
    }

    #[track_caller]
    fn check(same: bool, cases: &[(&str, &str, &str)]) {
        for (name, a, b) in cases {
            let sign = |text| signature(Some("tool"), None, text, Some("src/a.rs"));
            assert_eq!(sign(a) == sign(b), same, "{name}: {:?} / {:?}", message(a), message(b));
        }
    }

    #[test]
    fn what_changes_is_put_aside() {
        check(
            true,
            &[
                ("line number", "unused import at line 12", "unused import at line 22"),
                ("quoted name", "variable `foo` is unused", "variable `bar` is unused"),
                ("double quotes", "cannot find \"foo\" here", "cannot find \"a b c\" here"),
                ("curly quotes", "cannot find “foo” here", "cannot find “bar” here"),
                ("single quotes", "type 'int' expected", "type 'don't' expected"),
                ("hex", "crash at 0x7fff12ab in loop", "crash at 0x1 in loop"),
                ("commit", "regressed in 3f2a9c1d today", "regressed in 99aa00bb7 today"),
                ("path", "see src/a/b.rs:10:2 for it", "see lib/c.rs:99 for it"),
                ("count in word", "took 10ms too long", "took 250ms too long"),
                ("case and spacing", "Unused  Import", "unused import"),
                ("final period", "unused import.", "unused import"),
            ],
        );
    }

    #[test]
    fn what_names_the_problem_is_kept() {
        check(
            false,
            &[
                ("other words", "unused import", "unused variable"),
                ("only quoted names", "`foo`", "`bar`"),
                ("only quoted names and a number", "'foo' 3", "'bar' 3"),
                ("only numbers", "404", "500"),
                ("apostrophes no quotes", "don't lock the user's row", "don't log the user's row"),
                ("unclosed quote", "missing ` after name", "missing ` before value"),
                ("other script", "ошибка в цикле", "ошибка в имени"),
                ("only paths", "src/a.rs:1", "src/b.rs:1"),
            ],
        );
    }

    #[test]
    fn places_lose_their_line() {
        let places = "src/a.rs src/a.rs:12 src/a.rs:12:5 src/a.rs#L12 src/a.rs#L12-L20 \
            src/a.rs(12,5) ./src/a.rs:3-9 src\\a.rs:7";
        for place in places.split(' ') {
            assert_eq!(without_line(place), "src/a.rs", "{place}");
        }
        assert_eq!(without_line("v1.2/page-3"), "v1.2/page-3");
    }

    #[test]
    fn every_field_counts() {
        let sign = signature(Some("t"), Some("r"), "bad thing", Some("a.rs"));
        assert_ne!(sign, signature(Some("u"), Some("r"), "bad thing", Some("a.rs")));
        assert_ne!(sign, signature(Some("t"), Some("s"), "bad thing", Some("a.rs")));
        assert_ne!(sign, signature(Some("t"), Some("r"), "bad thing", Some("b.rs")));
        assert_ne!(sign, signature(None, Some("tr"), "bad thing", Some("a.rs")));
        assert_eq!(signature(None, None, "x", None), signature(Some(""), Some(""), "x", Some("")));
    }

    /// The fingerprint is stored, so its bytes must not change between versions.
    #[test]
    fn the_form_is_fixed() {
        let (tool, rule, place) = (Some("clippy"), Some("unwrap_used"), Some("src/lib.rs:3"));
        let sign = signature(tool, rule, "used `unwrap()` on a value", place);
        assert_eq!(sign.len(), 18);
        assert_eq!(sign, "s-15d7aa8159b57cad");
    }
}
