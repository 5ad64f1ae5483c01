//! What may a note be called, and where may a link lead? Never out of its folder.

use super::NoteKind;
use crate::percent;

/// Longest slug, in characters.
const MAX_SLUG_CHARS: usize = 60;
/// Longest name of a file or a role, in bytes.
const MAX_NAME_BYTES: usize = 120;

/// Names that a system takes for a device, whatever their ending.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "com1", "com2", "com3", "lpt1", "lpt2"];

/// Why a name cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum BadName {
    #[error("it is empty")]
    Empty,
    #[error("it is too long")]
    TooLong,
    #[error("it leads out of its folder")]
    Climbs,
    #[error("it has a character that names do not have")]
    Character,
    #[error("it does not end in .md")]
    Ending,
}

/// A title in lower case with dashes: letters and digits of any script, nothing else.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') && c != '\'' && c != '\u{2019}' {
            slug.push('-');
        }
    }
    let end = slug.char_indices().nth(MAX_SLUG_CHARS).map_or(slug.len(), |(at, _)| at);
    let mut cut = &slug[..end];
    if end < slug.len() {
        // Of a long title whole words stay.
        cut = cut.rsplit_once('-').map_or(cut, |(whole, _)| whole);
    }
    cut.trim_matches('-').to_owned()
}

/// `TYPE_slug.md`; of a title without letters and digits nothing can be made.
pub fn file_name(kind: NoteKind, title: &str) -> Result<String, BadName> {
    match slug(title) {
        slug if slug.is_empty() => Err(BadName::Empty),
        slug => Ok(format!("{kind}_{slug}.md")),
    }
}

/// A file's name without folder and ending.
pub fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".md").unwrap_or(name)
}

/// The file below the folder of notes that a link of the index leads to.
///
/// Refused are links that climb out, absolute ones, and what is no Markdown file; escapes
/// such as `%2e` are read first, so that they hide nothing.
pub fn inside(link: &str) -> Result<String, BadName> {
    let link = link.trim().trim_matches(['<', '>']);
    let link = percent::decoded(link.split('#').next().unwrap_or_default());
    let link = String::from_utf8(link).map_err(|_| BadName::Character)?;
    if link.is_empty() {
        return Err(BadName::Empty);
    }
    if link.len() > 2 * MAX_NAME_BYTES {
        return Err(BadName::TooLong);
    }
    let is_drive = link.as_bytes().get(1) == Some(&b':');
    if link.starts_with(['/', '~', '\\']) || is_drive {
        return Err(BadName::Climbs);
    }
    let parts: Vec<&str> = link.split(['/', '\\']).filter(|part| *part != ".").collect();
    if parts.contains(&"..") {
        return Err(BadName::Climbs);
    }
    for part in &parts {
        plain(part)?;
    }
    let link = parts.join("/");
    if link.ends_with(".md") { Ok(link) } else { Err(BadName::Ending) }
}

/// Whether a link leads to an address elsewhere, and so to no note at all.
pub fn is_address(link: &str) -> bool {
    let link = link.trim().trim_matches(['<', '>']);
    link.contains("://") || link.starts_with("mailto:") || link.starts_with('#')
}

/// The name of a role's notebook: letters, digits, `-` and `_`.
pub fn role(name: &str) -> Result<&str, BadName> {
    let is_usual = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    match name {
        "" => Err(BadName::Empty),
        _ if name.contains(['/', '\\']) || name.contains("..") => Err(BadName::Climbs),
        _ if name.len() > MAX_NAME_BYTES => Err(BadName::TooLong),
        _ if !name.chars().all(is_usual) => Err(BadName::Character),
        _ => Ok(name),
    }
}

/// The longest name of a project's folder: Claude Code cuts it there, and adds something of its
/// own.
const MAX_KEY_CHARS: usize = 200;

/// What Claude Code calls the folder of a project: of its path everything but ASCII letters and
/// digits is a dash.
///
/// ```
/// use hardwon_core::notes::names::project_key;
///
/// assert_eq!(project_key("/home/user/my_repo"), "-home-user-my-repo");
/// ```
pub fn project_key(path: &str) -> String {
    let plain = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        Ok(_) | Err(_) => '-',
    };
    path.encode_utf16().take(MAX_KEY_CHARS).map(plain).collect()
}

/// One part of a path: visible, not hidden, and the same name on every system.
fn plain(part: &str) -> Result<(), BadName> {
    let is_odd = |c: char| c.is_control() || "<>:\"|?*".contains(c) || is_unseen(c);
    let first = part.split('.').next().unwrap_or_default().to_lowercase();
    if part.is_empty() || part == "." {
        return Err(BadName::Empty);
    }
    if part.len() > MAX_NAME_BYTES {
        return Err(BadName::TooLong);
    }
    let is_bad = part.chars().any(is_odd) || part.starts_with('.') || part.ends_with([' ', '.']);
    if is_bad || DEVICES.contains(&first.as_str()) {
        return Err(BadName::Character);
    }
    Ok(())
}

/// Characters that steer the direction of writing, or show nothing.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_slugs() {
        for (title, expected) in [
            ("Don't mock the DB", "dont-mock-the-db"),
            ("  `cargo nextest` — not cargo test ", "cargo-nextest-not-cargo-test"),
            ("Größe prüfen", "größe-prüfen"),
            ("型変換を先に", "型変換を先に"),
            ("...", ""),
            ("..\\..\\x", "x"),
        ] {
            assert_eq!(slug(title), expected, "{title}");
        }
        let long = slug(&"word ".repeat(40));
        assert!(long.chars().count() <= MAX_SLUG_CHARS && long.ends_with("word"), "{long}");
        assert_eq!(file_name(NoteKind::Feedback, "Use X").as_deref(), Ok("feedback_use-x.md"));
        assert_eq!(file_name(NoteKind::User, "!!"), Err(BadName::Empty));
    }

    #[test]
    fn no_link_leads_out() {
        for (link, expected) in [
            ("a.md", Ok("a.md")),
            ("./a.md", Ok("a.md")),
            ("<a b.md>", Ok("a b.md")),
            ("a%20b.md", Ok("a b.md")),
            ("clusters/a.md#x", Ok("clusters/a.md")),
            ("größe.md", Ok("größe.md")),
            ("../a.md", Err(BadName::Climbs)),
            ("x/../../a.md", Err(BadName::Climbs)),
            ("%2e%2e/a.md", Err(BadName::Climbs)),
            ("..\\a.md", Err(BadName::Climbs)),
            ("/etc/a.md", Err(BadName::Climbs)),
            ("~/a.md", Err(BadName::Climbs)),
            ("C:/a.md", Err(BadName::Climbs)),
            (".git/a.md", Err(BadName::Character)),
            ("a\u{202e}.md", Err(BadName::Character)),
            ("nul.md", Err(BadName::Character)),
            ("%ff.md", Err(BadName::Character)),
            ("a//b.md", Err(BadName::Empty)),
            ("", Err(BadName::Empty)),
            ("../../etc/x", Err(BadName::Climbs)),
            ("notes.txt", Err(BadName::Ending)),
        ] {
            assert_eq!(inside(link).as_deref(), expected.as_ref().copied(), "{link}");
        }
    }

    #[test]
    fn roles_are_plain() {
        assert_eq!(role("code-reviewer_2"), Ok("code-reviewer_2"));
        for (name, why) in [
            ("../x", BadName::Climbs),
            ("a/b", BadName::Climbs),
            ("a b", BadName::Character),
            ("", BadName::Empty),
        ] {
            assert_eq!(role(name), Err(why), "{name}");
        }
    }
}
