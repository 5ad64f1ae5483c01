//! Which rules does a tool list, which of them is a result about, and what do both say: in a message
//! with its arguments, and about what is to be done?

use std::collections::BTreeSet;

use hardwon_core::list;
use serde_json::Value;

use super::Run;
use crate::fields::Fields;
use crate::json::Object;
use crate::report::shortened;

/// A message with more arguments is none that anybody reads.
const MAX_ARGUMENTS: usize = 32;

/// Headings of a rule's help below which it says what to do.
const HEADINGS: &[&str] = list!("repairs.txt", "help headings");

/// The rule that a result points to: by index, or else by its id.
pub fn rule_of<'t>(run: &'t Run, result: &Object) -> Option<&'t Value> {
    let pointer = result.get("rule");
    let extension = pointer.and_then(|rule| rule.pointer("/toolComponent/index"));
    let component = match extension.and_then(Value::as_u64) {
        Some(index) => run.tool.get("extensions")?.get(usize::try_from(index).ok()?)?,
        None => run.tool.get("driver")?,
    };
    let rules = component.get("rules")?.as_array()?;
    let index = result.get("ruleIndex").or_else(|| pointer?.get("index")).and_then(Value::as_u64);
    let by_index = index.and_then(|index| rules.get(usize::try_from(index).ok()?));
    let id = result.get("ruleId").or_else(|| pointer?.get("id")).and_then(Value::as_str);
    by_index.or_else(|| {
        let id = id?;
        let is_it = |rule: &&Value| rule.get("id").and_then(Value::as_str) == Some(id);
        // A rule may be named with what follows its id: `CA1000/1`.
        let root = id.split('/').next().unwrap_or(id);
        let is_root = |rule: &&Value| rule.get("id").and_then(Value::as_str) == Some(root);
        rules.iter().find(is_it).or_else(|| rules.iter().find(is_root))
    })
}

pub fn rules(run: &Run) -> BTreeSet<&str> {
    let driver = run.tool.get("driver").into_iter();
    let extensions = run.tool.get("extensions").and_then(Value::as_array).into_iter().flatten();
    let lists = driver.chain(extensions).filter_map(|part| part.get("rules")?.as_array());
    lists.flatten().filter_map(|rule| rule.get("id")?.as_str()).collect()
}

pub fn broken_rule<'r>(run: &'r Run, result: &'r Object) -> Option<&'r str> {
    let listed = rule_of(run, result).and_then(|rule| rule.get("id"));
    listed.or_else(|| result.get("ruleId"))?.as_str()
}

/// A text with `{0}` replaced by the first argument; `{{` is a bracket.
pub fn filled(text: &str, arguments: &[Value]) -> String {
    let (open, close) = ("\u{1}", "\u{2}");
    let mut filled = text.replace("{{", open).replace("}}", close);
    for (index, argument) in arguments.iter().take(MAX_ARGUMENTS).enumerate() {
        if let Some(argument) = argument.as_str() {
            filled = filled.replace(&format!("{{{index}}}"), argument);
        }
    }
    shortened(&filled.replace(open, "{").replace(close, "}"))
}

/// What a tool says to do about a result: its own fix in words, or else one sentence of what the help
/// of the rule recommends.
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
    fn arguments_fill_their_places() {
        let arguments = [Value::from("x"), Value::from(7)];
        let cases = [
            ("no place", "no place"),
            ("'{0}' is unused", "'x' is unused"),
            ("{0}{0}", "xx"),
            ("{1} {2} {a} {", "{1} {2} {a} {"),
            ("{{0}} and }}", "{0} and }"),
        ];
        for (text, expected) in cases {
            assert_eq!(filled(text, &arguments), expected, "{text}");
        }
    }

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
