//! The place that a text names: `src/api.rs:41`, in backticks, in brackets or bare.

use hardwon_core::list;

pub type Place = (String, Option<u32>);

/// A path and its line, if this word is a place: a name with a folder or an ending.
pub fn place(word: &str) -> Option<Place> {
    let is_around = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_' | '@' | '~');
    // A sentence may end behind the tick or the bracket around it.
    let word = word.trim_matches(is_around).trim_end_matches('.').trim_matches(is_around);
    let (path, line) = match word.find([':', '#']) {
        // A drive letter is not a path with a line.
        Some(1) => (word, None),
        Some(at) => (&word[..at], line_number(&word[at + 1..])),
        None => (word, None),
    };
    let has_line = path.len() < word.len() && line.is_some();
    is_path(path, has_line).then(|| (path.to_owned(), line))
}

pub fn first_place(text: &str) -> Option<Place> {
    text.split_whitespace().find_map(place)
}

/// The number behind `line` or `lines`.
pub fn stated_line(text: &str) -> Option<u32> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let named = words.windows(2).find(|pair| matches!(pair[0], "line" | "lines"));
    named.and_then(|pair| pair[1].parse().ok())
}

/// Every file that a text names, each once, relative to the folder if it lies below it.
pub fn places(text: &str, folder: Option<&str>, max: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let words = text.split_whitespace().map(|word| word.trim_start_matches('@'));
    for (path, _) in words.filter_map(place) {
        let path = relative(&path, folder);
        if found.len() < max && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

pub fn relative(path: &str, folder: Option<&str>) -> String {
    let folder = folder.map(|folder| folder.trim_end_matches('/')).filter(|f| !f.is_empty());
    let below = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    below.or(path.strip_prefix("./")).unwrap_or(path).to_owned()
}

/// The first number of `41`, `41-52`, `L41`, `41:7`.
pub fn line_number(text: &str) -> Option<u32> {
    let digits = text.trim_start_matches(['L', 'l', '~', '`', ' ']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

fn is_path(path: &str, has_line: bool) -> bool {
    let is_clean = path.chars().all(|c| c.is_alphanumeric() || "/._-@~+[]\\".contains(c));
    // `[id].tsx` is a file, `hash[` is the beginning of something else.
    let is_open = path.matches('[').count() != path.matches(']').count();
    if is_open || path.len() < 3 || path.contains("..") && !path.starts_with("../") || !is_clean {
        return false;
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let ending = name.rsplit_once('.');
    let has_ending = ending.is_some_and(|(stem, ending)| {
        let is_word = ending.chars().all(|c| c.is_ascii_alphanumeric());
        let has_letter = ending.chars().any(|c| c.is_ascii_alphabetic());
        // `0.5f` is a number.
        let is_name = stem.contains(|c: char| c.is_alphabetic() || c == '_') || has_line;
        let is_short = (1..=5).contains(&ending.len()) || is_known_ending(ending);
        !stem.is_empty() && is_name && is_word && has_letter && is_short
    });
    // `and/or`, `e.g` and `1.2` are no files; a folder needs two separators or a line.
    let n_folders = path.matches(['/', '\\']).count();
    // `time.Now` and `agent.List` are names in code.
    let is_capital = ending.is_some_and(|(_, ending)| {
        ending.starts_with(char::is_uppercase) && ending.contains(char::is_lowercase)
    });
    // `me@example.org`
    let is_address = n_folders == 0 && path.find('@').is_some_and(|at| at > 0);
    if has_ending && !is_address {
        let is_file = !matches!(name, "e.g" | "i.e") && !is_capital && !is_code(name);
        has_line || n_folders > 0 && !is_product(name) || is_file && has_known_ending(name)
    } else if is_address {
        false
    } else {
        // `/api/users/list` is the address of an endpoint, and a time of day has a number behind its colon as well.
        let is_time = path.starts_with(|c: char| c.is_ascii_digit());
        // `A01:2021` is a number in a catalog; files without an ending have names of letters.
        let is_name = n_folders > 0 || !path.contains(|c: char| c.is_ascii_digit());
        has_line && !is_time && is_name || n_folders >= 2 && is_folder(path)
    }
}

/// Whether a name without a folder ends as files do: `order.total` is code.
fn has_known_ending(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    is_known_ending(ending) && !is_product(name)
}

fn is_known_ending(ending: &str) -> bool {
    const ENDINGS: &[&str] = list!("places.txt", "endings");
    ENDINGS.contains(&ending.to_lowercase().as_str())
}

/// Whether a name is that of a program: `Node.js`.
fn is_product(name: &str) -> bool {
    const PRODUCTS: &[&str] = list!("places.txt", "products");
    PRODUCTS.contains(&name.to_lowercase().as_str()) && name.starts_with(char::is_uppercase)
}

/// Whether words with slashes between them are a folder: `read/write/list` are words.
fn is_folder(path: &str) -> bool {
    const FOLDERS: &[&str] = list!("places.txt", "folders");
    let mut parts = path.split(['/', '\\']);
    let is_named = |part: &str| FOLDERS.contains(&part) || part.starts_with(['.', '@', '~']);
    let is_code = |part: &str| part.contains(['_', '-', '.']);
    !path.starts_with('/') && (parts.clone().any(is_named) || parts.any(is_code))
}

/// Whether a name with a dot is one of code: `console.log`, `res.json`.
fn is_code(name: &str) -> bool {
    const OBJECTS: &[&str] = list!("places.txt", "objects");
    const FILES: &[&str] = &[
        "ts", "tsx", "js", "jsx", "py", "rs", "go", "rb", "java", "cs", "kt", "gradle", "yml",
        "yaml", "toml", "xml", "md", "sh", "sql", "css", "scss", "html", "vue", "swift", "php",
    ];
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    !FILES.contains(&ending) && OBJECTS.contains(&stem.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_distinguished_from_words() {
        type Place = Option<(&'static str, Option<u32>)>;
        let cases: [(&str, Place); 12] = [
            ("src/api.rs:41", Some(("src/api.rs", Some(41)))),
            ("`src/api.rs:41-52`", Some(("src/api.rs", Some(41)))),
            ("(src/api.rs#L7)", Some(("src/api.rs", Some(7)))),
            ("main.py", Some(("main.py", None))),
            ("Makefile:3", Some(("Makefile", Some(3)))),
            ("crates/core/src", Some(("crates/core/src", None))),
            ("and/or", None),
            ("e.g.", None),
            ("1.2.3", None),
            ("done.", None),
            ("10:30", None),
            ("https://example.org/a.rs", None),
        ];
        for (word, expected) in cases {
            let expected = expected.map(|(path, line)| (path.to_owned(), line));
            assert_eq!(place(word), expected, "{word}");
        }
    }

    #[test]
    fn words_with_dots_and_slashes_are_no_places() {
        let words = "A01:2021 read/write/list me@example.org order.total Node.js browser/Node.js \
            this.logger.log";
        words.split(' ').for_each(|word| assert_eq!(place(word), None, "{word}"));
        let files = ["`src/a.rs`).", "`src/a.rs`.", "src/a.rs"];
        files.iter().for_each(|word| {
            assert_eq!(place(word), Some(("src/a.rs".to_owned(), None)), "{word}");
        });
        for file in ["build.gradle", "demo.entitlements", "src/engine/blocks", "my-app/core/io"] {
            assert_eq!(place(file), Some((file.to_owned(), None)), "{file}");
        }
    }

    #[test]
    fn paths_are_relative_to_the_folder() {
        assert_eq!(relative("/home/me/app/src/a.rs", Some("/home/me/app/")), "src/a.rs");
        assert_eq!(relative("/home/me/apple/a.rs", Some("/home/me/app")), "/home/me/apple/a.rs");
        assert_eq!(relative("./a.rs", None), "a.rs");
    }
}
