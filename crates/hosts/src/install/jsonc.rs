//! Where does what stand in a JSON file that people edit? Comments and trailing commas are
//! read, and nothing is ever written anew: the tree only knows places, so that an edit can
//! insert or cut at them and leave every other byte as it is.
//!
//! `jsonc-parser` reads the file. Its tree for editing (`cst`, tried at 0.34) is not used:
//! adding to it drops blank lines of others and breaks a file of one line into many, removing
//! from it takes the comments along that stand on the same line, and it knows no places, which
//! the manifest needs to give every byte back without keeping a copy.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::{Range as ParsedRange, Ranged};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub span: Range<usize>,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Object(Vec<Item>),
    Array(Vec<Item>),
    Text(String),
    Bool(bool),
    /// A number or null.
    Other,
}

/// A member of an object or an element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Empty in a list.
    pub key: String,
    /// From the key, or the element, to the value's end.
    pub span: Range<usize>,
    pub value: Node,
    /// Where the comma after it stands.
    pub comma: Option<usize>,
}

impl Node {
    pub fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Object(items) | Kind::Array(items) => items,
            Kind::Text(_) | Kind::Bool(_) | Kind::Other => &[],
        }
    }

    /// The member of this name. The last one counts, as for those who read these files.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(members) => {
                members.iter().rev().find(|member| member.key == key).map(|member| &member.value)
            }
            Kind::Array(_) | Kind::Text(_) | Kind::Bool(_) | Kind::Other => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            Kind::Object(_) | Kind::Array(_) | Kind::Bool(_) | Kind::Other => None,
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }

    pub fn is_array(&self) -> bool {
        matches!(self.kind, Kind::Array(_))
    }
}

/// The tree of a file; `None` if there is nothing but blanks and comments in it. An error
/// says where it cannot be read, and never repeats what stands there.
pub fn parse(text: &str) -> Result<Option<Node>, String> {
    let json = text.trim_start_matches('\u{feff}');
    let collected = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
    let parsed = parse_to_ast(json, &collected, &OPTIONS).map_err(|error| {
        let mut what = error.kind().to_string();
        what[..1].make_ascii_lowercase();
        format!("line {}: {what}", error.line_display())
    })?;
    let tokens = parsed.tokens.unwrap_or_default();
    // The library reads these; the programs whose files they are do not.
    let has_control = |token: &&TokenAndRange<'_>| {
        matches!(token.token, Token::String(_)) && token.text(json).contains(|c| c < ' ')
    };
    if let Some(text) = tokens.iter().find(has_control) {
        let line = json[..text.range.start].matches('\n').count() + 1;
        return Err(format!("line {line}: a text that is not valid JSON"));
    }
    let commas = tokens.iter().filter(|token| token.token == Token::Comma);
    let places = Places {
        n_before: text.len() - json.len(),
        tokens: tokens.iter().map(|token| token.range.start).collect(),
        commas: commas.map(|comma| comma.range.start).collect(),
    };
    Ok(parsed.value.map(|value| places.node(&value)))
}

/// Why a host that reads strict JSON refuses the whole of a file that could be parsed.
pub fn refused_by(host: &str, text: &str) -> Option<String> {
    let json = text.trim_start_matches('\u{feff}');
    let error = serde_json::from_str::<serde::de::IgnoredAny>(json).err()?;
    (!json.trim().is_empty()).then(|| {
        format!(
            "line {}: {host} reads neither comments nor a comma before a bracket, and refuses the \
             whole file; take it out first",
            error.line()
        )
    })
}

/// Comments and trailing commas, and nothing else that JSON does not have.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Where things stand that the library's tree does not know.
struct Places {
    /// Bytes of the file before what was parsed.
    n_before: usize,
    tokens: Vec<usize>,
    commas: Vec<usize>,
}

impl Places {
    fn node(&self, value: &Value<'_>) -> Node {
        let kind = match value {
            Value::Object(object) => Kind::Object(
                object
                    .properties
                    .iter()
                    .map(|member| self.item(member.name.as_str(), member.range, &member.value))
                    .collect(),
            ),
            Value::Array(list) => Kind::Array(
                list.elements.iter().map(|value| self.item("", value.range(), value)).collect(),
            ),
            Value::StringLit(text) => Kind::Text(text.value.to_string()),
            Value::BooleanLit(is_so) => Kind::Bool(is_so.value),
            Value::NumberLit(_) | Value::NullKeyword(_) => Kind::Other,
        };
        Node { span: self.span(value.range()), kind }
    }

    fn item(&self, key: &str, range: ParsedRange, value: &Value<'_>) -> Item {
        let next = self.tokens.partition_point(|start| *start < range.end);
        let next = self.tokens.get(next).filter(|next| self.commas.binary_search(next).is_ok());
        Item {
            key: key.to_owned(),
            span: self.span(range),
            value: self.node(value),
            comma: next.map(|comma| comma + self.n_before),
        }
    }

    fn span(&self, range: ParsedRange) -> Range<usize> {
        range.start + self.n_before..range.end + self.n_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_told_with_its_line() {
        for (text, fault) in [
            ("{\n\"a\": }", "line 2: unexpected close brace"),
            ("{\"a\": 1", "line 1: unterminated object"),
            ("{} x", "line 1: text cannot contain more than one JSON value"),
            ("{\"a", "line 1: unterminated string literal"),
            ("[\n\"a\nb\"]", "line 2: a text that is not valid JSON"),
            ("+1", "line 1: unary plus on numbers is not allowed"),
        ] {
            assert_eq!(parse(text), Err(fault.to_owned()), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(parse(&deep), Err("line 1: maximum nesting depth exceeded".to_owned()));
    }

    #[test]
    fn what_a_strict_reader_refuses_is_told() {
        for (text, line) in [
            ("{\n  // mine\n}", "line 2: "),
            ("{\"a\": 1,\n}", "line 2: "),
            ("/* a */ {}", "line 1: "),
            ("// mine\n", "line 1: "),
        ] {
            let reason = refused_by("Claude Code", text).unwrap();
            assert!(reason.starts_with(line) && reason.contains("whole file"), "{reason}");
        }
        for text in ["", " \n", "\u{feff}{}", "{\"a\": \"// no comment,}\"}"] {
            assert_eq!(refused_by("Codex", text), None, "{text}");
        }
    }

    #[test]
    fn the_last_of_two_names_counts() {
        let node = parse("{\"a\": 1, \"a\": {\"b\": \"c\"}}").unwrap().unwrap();
        let text = node.get("a").and_then(|a| a.get("b")).and_then(Node::text);
        assert_eq!(text, Some("c"));
    }
}
