//! How does something get into a file that people edit, and out again? By insertions and
//! cuts at places of its tree. What was inserted is remembered, so that taking it out again
//! gives the very bytes that were there.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::jsonc::{Item, Node};

/// A text that was put in, in the place of an older one of ours if there was one. Those of one
/// edit follow each other: each place is one in the
/// text as the earlier ones left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Insertion {
    pub at: usize,
    pub text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub replaced: String,
}

pub struct Draft {
    pub text: String,
    pub insertions: Vec<Insertion>,
}

impl Draft {
    pub fn of(text: &str) -> Self {
        Draft { text: text.to_owned(), insertions: Vec::new() }
    }

    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Puts a text in the place of what stands there.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        let text = text.into();
        let replaced = self.text[range.clone()].to_owned();
        self.text.replace_range(range.clone(), &text);
        self.insertions.push(Insertion { at: range.start, text, replaced });
    }
}

/// The text without what was put in; `None` if that is not there.
pub fn taken_out(text: &str, insertions: &[Insertion]) -> Option<String> {
    let mut text = text.to_owned();
    for Insertion { at, text: inserted, replaced } in insertions.iter().rev() {
        let range = *at..at.checked_add(inserted.len())?;
        if text.get(range.clone())? != inserted {
            return None;
        }
        text.replace_range(range, replaced);
    }
    Some(text)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    newline: &'static str,
    /// One step to the right.
    unit: String,
    is_one_line: bool,
}

impl Style {
    pub fn of(text: &str, root: Option<&Node>) -> Style {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            Some(_) | None => "\n",
        };
        let first = root.and_then(|root| root.items().first());
        let unit = first.and_then(|item| indent_before(text, item.span.start));
        let unit = unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned();
        let is_one_line = root.is_some_and(|root| {
            !text[root.span.clone()].contains('\n') && !root.items().is_empty()
        });
        Style { newline, unit, is_one_line }
    }

    /// A value as this file would have it, its later lines below `indent`.
    fn written<T: Serialize>(&self, value: &T, indent: &str) -> String {
        if self.is_one_line {
            return serde_json::to_string(value).expect("plain data is writable");
        }
        let mut out = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        value.serialize(&mut serializer).expect("plain data is writable");
        let text = String::from_utf8(out).expect("JSON is UTF-8");
        text.replace('\n', &format!("{}{indent}", self.newline))
    }

    /// A whole document for a file without one.
    pub fn document<T: Serialize>(&self, draft: &mut Draft, value: &T) {
        let has_end = draft.text.is_empty() || draft.text.ends_with(['\n', '\u{feff}']);
        let before = if has_end { "" } else { self.newline };
        let text = format!("{before}{}{}", self.written(value, ""), self.newline);
        draft.insert(draft.text.len(), text);
    }

    /// A child at the end of an object (with a name) or list (without).
    pub fn child<T: Serialize>(&self, draft: &mut Draft, parent: &Node, key: &str, value: &T) {
        let outer = line_indent(&draft.text, parent.span.start).to_owned();
        let last = parent.items().last();
        let inner = last.and_then(|last| indent_before(&draft.text, last.span.start));
        let inner = inner.map_or_else(|| format!("{outer}{}", self.unit), str::to_owned);
        let name = match (key, self.is_one_line) {
            ("", _) => String::new(),
            (key, true) => format!("{}:", serde_json::Value::from(key)),
            (key, false) => format!("{}: ", serde_json::Value::from(key)),
        };
        let child = format!("{name}{}", self.written(value, &inner));
        match last {
            Some(last) => self.after(draft, last, parent, &inner, &child),
            None => self.inside(draft, parent, (&outer, &inner), &child),
        }
    }

    fn after(&self, draft: &mut Draft, last: &Item, parent: &Node, inner: &str, child: &str) {
        let has_lines = draft.text[parent.span.clone()].contains('\n');
        let end = last.comma.map_or(last.span.end, |comma| comma + 1);
        let mut place = after_comments(&draft.text, end);
        if last.comma.is_none() {
            draft.insert(last.span.end, ",");
            place += 1;
        }
        let before = match (has_lines, self.is_one_line) {
            (true, _) => format!("{}{inner}", self.newline),
            (false, true) => String::new(),
            (false, false) => " ".to_owned(),
        };
        draft.insert(place, format!("{before}{child}"));
    }

    fn inside(&self, draft: &mut Draft, parent: &Node, indents: (&str, &str), child: &str) {
        let (outer, inner) = indents;
        let place = after_comments(&draft.text, parent.span.start + 1);
        if self.is_one_line {
            return draft.insert(place, child);
        }
        let has_lines = draft.text[place..parent.span.end].contains('\n');
        let after = if has_lines { String::new() } else { format!("{}{outer}", self.newline) };
        draft.insert(place, format!("{}{inner}{child}{after}", self.newline));
    }
}

/// What has to be cut so that a child is gone: itself with its line's beginning, and one
/// comma. Comments stay. From the back to the front.
pub fn cuts(text: &str, parent: &Node, index: usize) -> Vec<Range<usize>> {
    let items = parent.items();
    let item = &items[index];
    let end = item.comma.map_or(item.span.end, |comma| comma + 1);
    let rest = text[end..].trim_start_matches([' ', '\t', '\r']);
    let start = match indent_before(text, item.span.start) {
        // Its line goes only if nothing else is on it: a comment may end the one before.
        Some(indent) if rest.starts_with('\n') => {
            before_newline(text, item.span.start - indent.len())
        }
        Some(_) | None => item.span.start,
    };
    let mut cuts = Vec::new();
    let earlier = index.checked_sub(1).and_then(|before| items[before].comma);
    match (item.comma, earlier) {
        (Some(comma), _) => cuts.extend([comma..comma + 1, start..item.span.end]),
        (None, Some(comma)) => cuts.extend([start..item.span.end, comma..comma + 1]),
        (None, None) => cuts.push(start..item.span.end),
    }
    cuts
}

/// The end of the comments that follow on the same line: they belong to what stands before.
fn after_comments(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let bare = rest.trim_start_matches([' ', '\t']);
        let blank = rest.len() - bare.len();
        if bare.starts_with("//") {
            let line = bare.split('\n').next().unwrap_or_default();
            return at + blank + line.trim_end_matches('\r').len();
        }
        let Some(end) = bare.strip_prefix("/*").and_then(|inner| inner.find("*/")) else {
            return at;
        };
        if bare[..end + 4].contains('\n') {
            return at;
        }
        at += blank + end + 4;
    }
}

/// The blanks before this place, if nothing else stands before it on its line.
fn indent_before(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n')? + 1;
    let before = &text[start..at];
    before.chars().all(|c| matches!(c, ' ' | '\t')).then_some(before)
}

/// The blanks with which the line of this place begins.
fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Before the newline that ends here.
fn before_newline(text: &str, at: usize) -> usize {
    let before = text[..at].strip_suffix('\n').unwrap_or(&text[..at]);
    before.strip_suffix('\r').unwrap_or(before).len()
}
