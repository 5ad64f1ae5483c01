//! How do the lists under `data/` get into the program? Each is a text file with one entry
//! a line, parsed by the compiler: a list costs nothing at start, and a malformed file does
//! not build. Tables whose rows have fields are packed by `build.rs`.
//!
//! The form: the first line is a comment that says what the file decides. A line that
//! begins with `#` is a comment, `[name]` begins a section. An entry with blanks at its ends,
//! or one that would be read as one of these, stands in double quotes.

/// The entries of a file under the crate's `data/`, or of one section of it, in the order
/// of the file, as a `&'static [&'static str; N]`.
///
/// A file that has no such section, or does not say first what it decides, does not
/// compile.
///
/// ```
/// const SHELLS: &[&str] = hardwon_core::list!("programs.txt", "shells");
/// assert!(SHELLS.contains(&"bash"));
/// ```
#[macro_export]
macro_rules! list {
    ($file:literal) => {
        $crate::list!($file, "")
    };
    ($file:literal, $section:expr) => {{
        const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file));
        const N: usize = $crate::lists::count(TEXT, $section);
        const ENTRIES: [&str; N] = $crate::lists::entries(TEXT, $section);
        &ENTRIES
    }};
}

/// How many entries a section has; the part before the first section is called "".
pub const fn count(text: &'static str, section: &str) -> usize {
    assert!(
        is_comment(split_line(text.as_bytes()).0),
        "the first line of a list says what it decides"
    );
    let n = fill(text, section, &mut []);
    assert!(n > 0, "the list has no such section, or nothing in it");
    n
}

/// The entries of a section, as many as [`count`] counts.
pub const fn entries<const N: usize>(text: &'static str, section: &str) -> [&'static str; N] {
    let mut found = [""; N];
    fill(text, section, &mut found);
    found
}

/// Puts as many entries of a section in as there is space, and counts all of them.
const fn fill(text: &'static str, section: &str, found: &mut [&'static str]) -> usize {
    let mut n = 0;
    let mut rest = text.as_bytes();
    let mut is_inside = section.is_empty();
    while !rest.is_empty() {
        let (line, after) = split_line(rest);
        rest = after;
        match read(line) {
            Line::Section(name) => is_inside = is_same(name, section.as_bytes()),
            Line::Entry(entry) if is_inside => {
                if n < found.len() {
                    found[n] = as_text(entry);
                }
                n += 1;
            }
            Line::Nothing | Line::Entry(_) => {}
        }
    }
    n
}

enum Line<'a> {
    Nothing,
    Section(&'a [u8]),
    Entry(&'a [u8]),
}

const fn read(line: &[u8]) -> Line<'_> {
    match line.trim_ascii() {
        [] | [b'#', ..] => Line::Nothing,
        [b'[', name @ .., b']'] => Line::Section(name),
        [b'"', entry @ .., b'"'] => Line::Entry(entry),
        entry => Line::Entry(entry),
    }
}

const fn is_comment(line: &[u8]) -> bool {
    matches!(line, [b'#', b' ', _, ..])
}

/// The first line without its end, and what follows.
const fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    while at < text.len() && text[at] != b'\n' {
        at += 1;
    }
    let (line, rest) = text.split_at(at);
    match rest {
        [_, after @ ..] => (line, after),
        [] => (line, rest),
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

const fn as_text(entry: &[u8]) -> &str {
    match std::str::from_utf8(entry) {
        Ok(text) => text,
        Err(_) => panic!("text that is cut at ASCII bytes is UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Decides nothing.\none\n\n  two words \n# a comment\n[next]\r\n\
                        \" kept \"\r\n\"[inst]\"\n[\n\"#\"\nöß\n[last]\nthree";

    #[test]
    fn sections_and_entries_are_read() {
        assert_eq!(entries::<2>(TEXT, ""), ["one", "two words"]);
        assert_eq!(entries::<5>(TEXT, "next"), [" kept ", "[inst]", "[", "#", "öß"]);
        assert_eq!((count(TEXT, ""), count(TEXT, "next"), count(TEXT, "last")), (2, 5, 1));
    }

    #[test]
    #[should_panic(expected = "no such section")]
    fn a_missing_section_does_not_build() {
        count(TEXT, "other");
    }

    #[test]
    #[should_panic(expected = "says what it decides")]
    fn a_file_says_what_it_decides() {
        count("one\n", "");
    }
}
