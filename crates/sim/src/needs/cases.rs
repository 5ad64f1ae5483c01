//! Lessons, and needs with the lessons that concern them. The form of a file stands at the top of
//! our own (`cases/needs.txt`).

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

const OWN: &str = include_str!("../../cases/needs.txt");

/// What one file holds.
#[derive(Default)]
pub struct Cases {
    pub lessons: Vec<Lesson>,
    pub sets: Vec<(String, Vec<Asked>)>,
}

pub struct Lesson {
    pub key: String,
    pub path: String,
    pub text: String,
}

pub struct Asked {
    pub need: String,
    /// Keys of the lessons that concern it; empty if none does.
    pub fits: BTreeSet<String>,
}

/// Our own, as they stand in the repository.
pub fn own() -> Result<Cases, String> {
    parse(OWN)
}

/// Each file by itself.
pub fn read(files: &[PathBuf]) -> Result<Vec<Cases>, String> {
    let one = |file: &PathBuf| {
        let named = |what: String| format!("{}: {what}", file.display());
        let text = fs::read_to_string(file).map_err(|error| named(error.to_string()))?;
        parse(&text).map_err(named)
    };
    files.iter().map(one).collect()
}

fn parse(text: &str) -> Result<Cases, String> {
    let mut cases = Cases::default();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("line {number}: {what}");
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            cases.sets.push((name.to_owned(), Vec::new()));
        } else if let Some(rest) = line.strip_prefix("= ") {
            cases.lessons.push(lesson(rest).ok_or_else(|| wrong("no key, path and text"))?);
        } else {
            let asked = asked(line, &cases.lessons).map_err(|what| wrong(&what))?;
            let set =
                cases.sets.last_mut().ok_or_else(|| wrong("a need before the first [NAME]"))?;
            set.1.push(asked);
        }
    }
    Ok(cases)
}

fn lesson(rest: &str) -> Option<Lesson> {
    let (head, text) = rest.split_once(" | ")?;
    let (key, path) = head.trim().split_once(' ')?;
    Some(Lesson { key: key.to_owned(), path: path.trim().to_owned(), text: text.trim().to_owned() })
}

fn asked(line: &str, lessons: &[Lesson]) -> Result<Asked, String> {
    if let Some(need) = line.strip_prefix("- ") {
        return Ok(Asked { need: need.to_owned(), fits: BTreeSet::new() });
    }
    let rest = line.strip_prefix("+ ").ok_or("begins with none of = [ + - #")?;
    let (names, need) = rest.split_once(" | ").ok_or("no lessons before the need")?;
    let mut fits = BTreeSet::new();
    for name in names.split_whitespace() {
        let begin = name.strip_suffix('*');
        let is_meant = |key: &str| begin.map_or(key == name, |begin| key.starts_with(begin));
        let meant = lessons.iter().map(|lesson| &lesson.key).filter(|key| is_meant(key));
        let n_before = fits.len();
        fits.extend(meant.cloned());
        if fits.len() == n_before {
            return Err(format!("no lesson {name} before, or it is named twice"));
        }
    }
    Ok(Asked { need: need.to_owned(), fits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named() {
        let told = |text: &str| parse(text).err().unwrap();
        assert_eq!(told("= a b"), "line 1: no key, path and text");
        assert_eq!(told("- a"), "line 1: a need before the first [NAME]");
        assert!(told("[s]\n+ b* | a").starts_with("line 2: no lesson b*"));
        let cases = parse("= b1 p | x\n= c p | y\n[s]\n+ b* c | need\n- none").unwrap();
        assert_eq!(cases.sets[0].1[0].fits.len(), 2);
        assert!(cases.sets[0].1[1].fits.is_empty());
    }
}
