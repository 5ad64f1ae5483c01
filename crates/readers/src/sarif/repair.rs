//! What does a tool say to do about a result? Its own fix in words, or else what the help of the
//! rule recommends: one sentence of it.

use hardwon_core::list;
use serde_json::Value;

use crate::fields::Fields;

/// Headings of a rule's help below which it says what to do.
const HEADINGS: &[&str] = list!("repairs.txt", "help headings");

pub fn repair(rule: Option<&Value>, result: Fields<'_>) -> Option<String> {
    let fix = || result.value("fixes")?.get(0)?["description"]["text"].as_str();
    let help = || recommended(rule?["help"]["text"].as_str()?);
    fix().and_then(first_sentence).or_else(help)
}

/// The first sentence below the heading that announces it; of a help without headings, the first
/// sentence of all.
fn recommended(help: &str) -> Option<String> {
    let mut lines = help.lines().map(str::trim);
    let heading = |line: &str| -> Option<String> {
        let name = line.strip_prefix('#')?.trim_matches(['#', ' ', ':', '*']);
        Some(name.to_lowercase())
    };
    if !help.lines().any(|line| heading(line.trim()).is_some()) {
        return first_sentence(help);
    }
    lines.find(|line| heading(line).is_some_and(|name| HEADINGS.contains(&name.as_str())))?;
    let below: Vec<&str> = lines.take_while(|line| heading(line).is_none()).collect();
    first_sentence(&below.join("\n"))
}

/// One sentence, if it is neither empty nor only an address.
fn first_sentence(text: &str) -> Option<String> {
    let paragraph = text.split("\n\n").map(str::trim).find(|text| !text.is_empty())?;
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    let sentence = line[..end].trim_end_matches('.');
    let is_said = sentence.contains(' ') && !sentence.contains("://");
    is_said.then(|| sentence.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_help_is_one_sentence_of_what_it_recommends() {
        let long = "# SQL injection\nA query that is built from input is dangerous.\n\n\
                    ## Recommendation\nBind parameters instead of\nbuilding the query. It is safe.\n\
                    ## Example\nNo.";
        for (help, expected) in [
            (long, Some("Bind parameters instead of building the query")),
            ("Use a prepared statement. See below.", Some("Use a prepared statement")),
            ("https://rules.example/sql", None),
            ("More at https://rules.example/sql", None),
            ("# Title\nWhat is wrong here.", None),
            ("", None),
        ] {
            assert_eq!(recommended(help).as_deref(), expected, "{help}");
        }
    }
}
