//! Where does what stand in a JSON file that people edit? Comments and trailing commas are
//! read, and nothing is ever written anew: the tree only knows places, so that an edit can
//! insert or cut at them and leave every other byte as it is.

use std::ops::Range;

/// Deeper files are nobody's settings.
const MAX_DEPTH: usize = 64;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub span: Range<usize>,
    pub kind: Kind,
}

/// What sort of value it is.
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
    /// The children of an object or a list.
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
    let mut parser = Parser { text, at: text.len() - text.trim_start_matches('\u{feff}').len() };
    parser.trivia()?;
    if parser.is_over() {
        return Ok(None);
    }
    let root = parser.value(0)?;
    parser.trivia()?;
    match parser.is_over() {
        true => Ok(Some(root)),
        false => Err(parser.fault("something follows the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn is_over(&self) -> bool {
        self.at >= self.text.len()
    }

    fn fault(&self, what: &str) -> String {
        let line = self.text.as_bytes()[..self.at].iter().filter(|byte| **byte == b'\n').count();
        format!("line {}: {what}", line + 1)
    }

    /// Passes blanks and comments.
    fn trivia(&mut self) -> Result<(), String> {
        loop {
            let rest = &self.text[self.at..];
            if matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
                self.at += 1;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let end = inside.find("*/");
                self.at += end.ok_or_else(|| self.fault("a comment does not end"))? + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, String> {
        if depth > MAX_DEPTH {
            return Err(self.fault("nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            b'{' => Kind::Object(self.items(b'}', depth)?),
            b'[' => Kind::Array(self.items(b']', depth)?),
            b'"' => Kind::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn items(&mut self, close: u8, depth: usize) -> Result<Vec<Item>, String> {
        let mut items: Vec<Item> = Vec::new();
        self.at += 1;
        loop {
            self.trivia()?;
            if self.peek() == close {
                self.at += 1;
                return Ok(items);
            }
            if items.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.fault("a comma or the end of a list or object is missing"));
            }
            let start = self.at;
            let key = if close == b'}' { self.key()? } else { String::new() };
            let value = self.value(depth + 1)?;
            let span = start..self.at;
            self.trivia()?;
            let comma = (self.peek() == b',').then_some(self.at);
            self.at += usize::from(comma.is_some());
            items.push(Item { key, span, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, String> {
        if self.peek() != b'"' {
            return Err(self.fault("a name in quotes is missing"));
        }
        let key = self.string()?;
        self.trivia()?;
        if self.peek() != b':' {
            return Err(self.fault("a colon is missing"));
        }
        self.at += 1;
        self.trivia()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<String, String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => {
                    self.at = start;
                    return Err(self.fault("a text does not end"));
                }
            }
        }
        self.at += 1;
        let read = serde_json::from_str(&self.text[start..self.at]);
        read.map_err(|_| self.fault("a text that is not valid JSON"))
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Kind, String> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let read: Result<serde_json::Value, _> = serde_json::from_str(&rest[..length]);
        let kind = match read {
            Ok(serde_json::Value::Bool(is_so)) => Kind::Bool(is_so),
            Ok(_) => Kind::Other,
            Err(_) => return Err(self.fault("a value is missing")),
        };
        self.at += length;
        Ok(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_read() {
        for text in [
            "{}",
            "\u{feff}{\r\n\t\"a\": [1, -2.5e3, true, null,], // why\r\n}\r\n",
            "/* head */ { \"a\" /* k */ : /* v */ \"\\\"}\\u00e9\" /* e */ , /* c */ }",
            "[[[]]]",
            "{\"a\":{\"b\":\"// no comment\"}}",
        ] {
            let node = parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
            assert!(node.is_some(), "{text}");
        }
        for text in ["", "\u{feff}", " \r\n", "// only a comment", "/* a */\n// b\n"] {
            assert_eq!(parse(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_with_its_line() {
        for (text, fault) in [
            ("{\n\"a\": }", "line 2: a value is missing"),
            ("{\"a\" 1}", "line 1: a colon is missing"),
            ("{a: 1}", "line 1: a name in quotes is missing"),
            ("{\"a\": 1 \"b\": 2}", "line 1: a comma or the end of a list or object is missing"),
            ("{\"a\": 1", "line 1: a comma or the end of a list or object is missing"),
            ("{,}", "line 1: a name in quotes is missing"),
            ("[1,,2]", "line 1: a value is missing"),
            ("{} x", "line 1: something follows the end"),
            ("{\"a", "line 1: a text does not end"),
            ("{\"a\\", "line 1: a text does not end"),
            ("\"a\nb\"", "line 2: a text that is not valid JSON"),
            ("{} /* x", "line 1: a comment does not end"),
            ("nul", "line 1: a value is missing"),
        ] {
            assert_eq!(parse(text), Err(fault.to_owned()), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(parse(&deep), Err("line 1: nested too deeply".to_owned()));
    }

    #[test]
    fn the_last_of_two_names_counts() {
        let node = parse("{\"a\": 1, \"a\": {\"b\": \"c\"}}").unwrap().unwrap();
        let text = node.get("a").and_then(|a| a.get("b")).and_then(Node::text);
        assert_eq!(text, Some("c"));
    }
}
