//! Who speaks? By what the caller says, by the name of the file, by what the report says about
//! itself, or by the letter of its ids: `J1` is the judge's.

use hardwon_core::{list, scope};
use serde_json::Value;

use crate::json::Object;

/// Roles with the letter of their ids, or without one.
const ROLES: &[&str] = list!("roles.txt", "roles");

/// Roles that do the work: what they say about it is no judgement.
const WORKERS: &[&str] = list!("roles.txt", "workers");

/// A role in one spelling, if it can be the name of one.
pub fn role_name(text: &str) -> Option<String> {
    scope::role_name(&text.trim().to_lowercase().replace(' ', "-")).ok()
}

pub fn is_known(role: &str) -> bool {
    WORKERS.contains(&role) || names().any(|(name, _)| name == role)
}

/// Whether a role does the work rather than judge it.
pub fn is_worker(role: &str) -> bool {
    WORKERS.contains(&role)
}

fn names() -> impl Iterator<Item = (&'static str, Option<char>)> {
    ROLES.iter().map(|row| {
        let (name, letter) = row.split_once(' ').unwrap_or((row, ""));
        (name, letter.chars().next())
    })
}

fn among(words: &str) -> Option<&'static str> {
    let words = words.to_lowercase();
    let is_role = |word: &str| {
        let named = names().map(|(name, _)| name).chain(WORKERS.iter().copied());
        named.into_iter().find(|name| *name == word)
    };
    words.split(|c: char| !c.is_alphanumeric()).find_map(is_role)
}

/// The role that a file is named after: `12-judge-2.md`.
pub fn of_file(input: &str) -> Option<&'static str> {
    among(file_stem(input))
}

pub fn file_stem(input: &str) -> &str {
    let name = input.rsplit(['/', '\\']).next().unwrap_or(input);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

pub fn of_object(object: &Object) -> Option<String> {
    let names = ["role", "agent", "author", "reviewer"];
    names.iter().find_map(|name| role_name(object.get(*name)?.as_str()?))
}

/// The role that the title of a report names among its first words.
pub fn of_title(text: &str) -> Option<&'static str> {
    let title = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let is_title = title.starts_with('#') || title.starts_with("**") || title.starts_with("===");
    let words: Vec<&str> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("jkz"))
        .take(2)
        .collect();
    among(&words.join(" ")).filter(|_| is_title)
}

/// The role by the letter that most ids of a verdict's own issues have.
pub fn of_ids(object: &Object) -> Option<&'static str> {
    let issues = ["issues", "findings"].iter().find_map(|name| object.get(*name)?.as_array());
    let ids = issues.into_iter().flatten().filter_map(|issue| issue.get("id")?.as_str());
    let letters: Vec<char> = ids.filter_map(letter).collect();
    let n_of = |letter: char| letters.iter().filter(|other| **other == letter).count();
    // Of equals the first.
    let most = letters.iter().copied().rev().max_by_key(|letter| n_of(*letter))?;
    names().find(|(_, letter)| *letter == Some(most)).map(|(name, _)| name)
}

/// The letter of an id: one, then a number.
fn letter(id: &str) -> Option<char> {
    let mut chars = id.trim().chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let rest = chars.as_str().trim_start_matches('-');
    let is_number = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| letter.to_ascii_uppercase())
}

/// Issue and iteration that a file is named after: `12-doctor-2.json`, `issue-12.md`.
pub fn issue_of_file(input: &str) -> (Option<String>, Option<u32>) {
    let stem = file_stem(input).to_lowercase();
    let parts: Vec<&str> = stem.split(['-', '_']).filter(|part| !part.is_empty()).collect();
    let number = |part: Option<&&str>| part.and_then(|part| part.parse::<u32>().ok());
    let word = parts.iter().position(|part| *part == "issue");
    if let Some(issue) = word.and_then(|at| number(parts.get(at + 1))) {
        return (Some(issue.to_string()), None);
    }
    let is_role = parts.get(1).is_some_and(|part| is_known(part));
    match number(parts.first()).filter(|_| is_role) {
        Some(issue) => (Some(issue.to_string()), number(parts.get(2))),
        None => (None, None),
    }
}

/// A value that names an issue: a number, or words.
pub fn issue_in(object: &Object, names: &[&str]) -> Option<String> {
    let named = names.iter().find_map(|name| match object.get(*name)? {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(hardwon_core::event::issue_name(text)),
        Value::Object(inner) => Some(inner.get("number")?.as_u64()?.to_string()),
        _ => None,
    });
    named.filter(|issue| !issue.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn roles_are_found_in_names_titles_and_ids() {
        for (file, role) in [
            ("reviews/12-judge-2.md", Some("judge")),
            ("Sentinel.md", Some("sentinel")),
            ("/tmp/judge/review.md", None),
            ("judgement.md", None),
            ("doctor_7.md", Some("doctor")),
        ] {
            assert_eq!(of_file(file), role, "{file}");
        }
        for (text, role) in [
            ("\n# Inspector validation of the judge\n", Some("inspector")),
            ("## jkz: Lens report", Some("lens")),
            ("# Review of the judge module", None),
            ("The judge says", None),
            ("", None),
        ] {
            assert_eq!(of_title(text), role, "{text}");
        }
        for (issues, role) in [
            (r#"[{"id":"J1"},{"id":"j2"}]"#, Some("judge")),
            (r#"[{"id":"A1"}]"#, Some("auditor")),
            (r#"[{"id":"C-3"},{"id":"J1"}]"#, Some("curator")),
            (r#"[{"id":"L1"},{"id":"S1"},{"id":"S2"}]"#, Some("sentinel")),
            (r#"[{"id":"I9"}]"#, Some("inspector")),
            (r#"[{"id":"Q1"},{"id":7},{"id":"JJ"}]"#, None),
            ("[]", None),
        ] {
            let object = parse(&format!("{{\"issues\":{issues}}}"), 8).unwrap().object;
            assert_eq!(of_ids(&object), role, "{issues}");
        }
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_no_role() {
        for (text, name) in [
            ("Judge ", Some("judge")),
            ("code-reviewer", Some("code-reviewer")),
            ("../x", None),
            ("a/b", None),
            ("a..b", None),
            ("", None),
            ("a\nb", None),
            ("Code Reviewer", Some("code-reviewer")),
        ] {
            assert_eq!(role_name(text).as_deref(), name, "{text}");
        }
        assert_eq!(role_name(&"x".repeat(65)), None);
    }

    #[test]
    fn files_are_named_after_their_issue() {
        for (file, issue, iteration) in [
            ("12-doctor-2.json", Some("12"), Some(2)),
            ("state/7-judge.json", Some("7"), None),
            ("issue-12.md", Some("12"), None),
            ("2026-05-11.md", None, None),
        ] {
            assert_eq!(issue_of_file(file), (issue.map(str::to_owned), iteration), "{file}");
        }
    }
}
