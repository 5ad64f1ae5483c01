//! The YAML between the `---` lines of a topic file: which keys, which values, and where do they
//! stand? Only what such files use is read (scalars of every form, and one level below a key);
//! lists and deeper levels are kept as they are. What is broken is told with its line.

use std::ops::Range;

/// Why the head of a file cannot be read, and where, in lines of the file from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenHead {
    pub line: usize,
    pub reason: &'static str,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Empty,
    Plain,
    Single,
    Double,
    /// A block, a list, or `{…}`: read, and never written in this form.
    Other,
}

/// One key with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub parent: Option<String>,
    pub key: String,
    pub text: String,
    pub style: Style,
    /// Where the value stands; behind the colon if there is none.
    pub value: Range<usize>,
    /// Where its last line ends, with the line break.
    pub end: usize,
    pub indent: usize,
}

/// The keys of a head, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub entries: Vec<Entry>,
    /// Where the closing `---` begins.
    pub end: usize,
}

impl Head {
    pub fn find(&self, parent: Option<&str>, key: &str) -> Option<&Entry> {
        let is_it = |entry: &&Entry| entry.parent.as_deref() == parent && entry.key == key;
        self.entries.iter().find(is_it)
    }
}

struct Lines<'a> {
    text: &'a str,
    /// Start and end of each line of the head, without its break.
    lines: Vec<Range<usize>>,
    first: usize,
}

impl<'a> Lines<'a> {
    fn get(&self, at: usize) -> Option<&'a str> {
        self.lines.get(at).map(|line| &self.text[line.clone()])
    }

    fn broken<T>(&self, at: usize, reason: &'static str) -> Result<T, BrokenHead> {
        Err(BrokenHead { line: self.first + at, reason })
    }

    /// Where a line ends, with its break.
    fn after(&self, at: usize) -> usize {
        let end = self.lines[at].end;
        let rest = &self.text[end..];
        end + if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) }
    }
}

/// Reads a head: `lines` are the byte ranges of its lines, the first of which has this number.
pub(super) fn parse(
    text: &str,
    lines: Vec<Range<usize>>,
    first: usize,
    end: usize,
) -> Result<Head, BrokenHead> {
    let lines = Lines { text, lines, first };
    let mut head = Head { entries: Vec::new(), end };
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let content = content.trim_end();
        if content.is_empty() || content.starts_with('#') {
            at += 1;
        } else if content.starts_with('\t') {
            return lines.broken(at, "a tab stands where only blanks may");
        } else if content == "-" || content.starts_with("- ") {
            let Some(last) = head.entries.last_mut() else {
                return lines.broken(at, "a list belongs to no key");
            };
            (last.end, last.style) = (lines.after(at), Style::Other);
            at += 1;
        } else {
            at = read_key(&lines, at, indent, &mut head.entries)?;
        }
    }
    Ok(head)
}

/// Reads one key and its value; the answer is the line behind it.
fn read_key(
    lines: &Lines<'_>,
    at: usize,
    indent: usize,
    entries: &mut Vec<Entry>,
) -> Result<usize, BrokenHead> {
    let line = lines.get(at).unwrap_or_default();
    let Some((key, behind)) = split_key(&line[indent..]) else {
        return lines.broken(at, "this is no key with a value");
    };
    let top = entries.iter().rev().find(|entry| entry.parent.is_none());
    let parent = match top {
        None if indent > 0 => return lines.broken(at, "a first key must not be indented"),
        Some(top) if indent > 0 && matches!(top.style, Style::Empty | Style::Other) => {
            let children = entries.iter().filter(|entry| entry.parent.is_some());
            let depth = children.last().filter(|child| child.parent.as_ref() == Some(&top.key));
            if depth.is_some_and(|child| indent > child.indent) || top.style == Style::Other {
                // Deeper than what is needed: kept as it is.
                if let Some(last) = entries.last_mut() {
                    last.end = lines.after(at);
                }
                return Ok(at + 1);
            }
            if depth.is_some_and(|child| indent < child.indent) {
                return lines.broken(at, "the key is not indented like those beside it");
            }
            Some(top.key.clone())
        }
        Some(_) if indent > 0 => return lines.broken(at, "a key stands below a value"),
        Some(_) | None => None,
    };
    if entries.iter().any(|entry| entry.parent == parent && entry.key == key) {
        return lines.broken(at, "the key stands there twice");
    }
    let start = lines.lines[at].start + indent + behind;
    let (text, style, value, last) = read_value(lines, at, start, indent)?;
    entries.push(Entry { parent, key, text, style, value, end: lines.after(last), indent });
    Ok(last + 1)
}

/// A key and where the text behind its colon begins.
fn split_key(content: &str) -> Option<(String, usize)> {
    if let Some(quote) = content.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let (key, rest) = content[1..].split_once(quote)?;
        let colon = rest.starts_with(':').then_some(key.len() + 3)?;
        return Some((key.to_owned(), colon));
    }
    let colon = content.match_indices(':').map(|(at, _)| at).find(|at| {
        let behind = &content[at + 1..];
        behind.is_empty() || behind.starts_with([' ', '\t'])
    })?;
    let key = content[..colon].trim_end();
    let is_plain = |c: char| c.is_alphanumeric() || "_-. /$".contains(c);
    let is_key = !key.is_empty() && key.len() <= 80 && key.chars().all(is_plain);
    is_key.then(|| (key.to_owned(), colon + 1))
}

type Value = (String, Style, Range<usize>, usize);

/// The value that begins on this line at this byte, and its last line.
fn read_value(
    lines: &Lines<'_>,
    at: usize,
    start: usize,
    indent: usize,
) -> Result<Value, BrokenHead> {
    let line = &lines.text[start..lines.lines[at].end];
    let raw = line.trim_start();
    let begin = start + (line.len() - raw.len());
    match raw.chars().next() {
        None | Some('#') => Ok((String::new(), Style::Empty, start..start, at)),
        Some('"') => quoted(lines, at, begin, '"', Style::Double),
        Some('\'') => quoted(lines, at, begin, '\'', Style::Single),
        Some('[' | '{') => flow(lines, at, begin),
        Some('|' | '>') => Ok(block(lines, at, begin, indent)),
        Some(_) => plain(lines, at, begin, indent),
    }
}

fn quoted(
    lines: &Lines<'_>,
    at: usize,
    begin: usize,
    quote: char,
    style: Style,
) -> Result<Value, BrokenHead> {
    let mut text = String::new();
    for last in at..lines.lines.len() {
        let from = if last == at { begin + 1 } else { lines.lines[last].start };
        let line = &lines.text[from..lines.lines[last].end];
        let line = if last == at { line } else { line.trim_start() };
        if last > at && !text.is_empty() {
            text.push(' ');
        }
        if let Some(length) = unquote(line, quote, &mut text) {
            let offset = from + (lines.lines[last].end - from - line.len());
            let end = offset + length;
            let behind = lines.text[end..lines.lines[last].end].trim();
            if !behind.is_empty() && !behind.starts_with('#') {
                return lines.broken(last, "text stands behind a closing quote");
            }
            return Ok((text, style, begin..end, last));
        }
    }
    lines.broken(at, "a quote is never closed")
}

/// Reads up to the closing quote; where that ends, if it is on this line.
fn unquote(line: &str, quote: char, text: &mut String) -> Option<usize> {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if quote == '"' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, escaped @ ('"' | '\\' | '/'))) => text.push(escaped),
                Some((_, other)) => text.extend(['\\', other]),
                None => {}
            },
            '\'' if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                chars.next();
                text.push('\'');
            }
            _ if c == quote => return Some(at + c.len_utf8()),
            _ => text.push(c),
        }
    }
    None
}

fn flow(lines: &Lines<'_>, at: usize, begin: usize) -> Result<Value, BrokenHead> {
    let (mut depth, mut quote) = (0_i32, None);
    for last in at..lines.lines.len() {
        let from = if last == at { begin } else { lines.lines[last].start };
        for (place, c) in lines.text[from..lines.lines[last].end].char_indices() {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '[' | '{') => depth += 1,
                (None, ']' | '}') => depth -= 1,
                (None, _) => {}
            }
            if depth == 0 && quote.is_none() {
                let end = from + place + 1;
                let text = lines.text[begin..end].to_owned();
                return Ok((text, Style::Other, begin..end, last));
            }
        }
    }
    lines.broken(at, "a bracket is never closed")
}

fn block(lines: &Lines<'_>, at: usize, begin: usize, indent: usize) -> Value {
    let is_inside = |line: &str| {
        line.trim().is_empty() || line.len() - line.trim_start_matches(' ').len() > indent
    };
    let mut last = at;
    while lines.get(last + 1).is_some_and(is_inside) {
        last += 1;
    }
    while last > at && lines.get(last).is_some_and(|line| line.trim().is_empty()) {
        last -= 1;
    }
    let joint = if lines.text[begin..].starts_with('|') { "\n" } else { " " };
    let parts = (at + 1..=last).filter_map(|place| lines.get(place)).map(str::trim);
    let text = parts.collect::<Vec<_>>().join(joint);
    (text, Style::Other, begin..lines.lines[last].end, last)
}

fn plain(lines: &Lines<'_>, at: usize, begin: usize, indent: usize) -> Result<Value, BrokenHead> {
    let without_comment = |line: &'_ str| line.find(" #").unwrap_or(line.len());
    let first = &lines.text[begin..lines.lines[at].end];
    let first = first[..without_comment(first)].trim_end();
    let (mut text, mut end, mut last) = (first.to_owned(), begin + first.len(), at);
    while let Some(line) = lines.get(last + 1) {
        let content = line.trim();
        let depth = line.len() - line.trim_start_matches(' ').len();
        let is_more = !content.is_empty() && depth > indent && !content.starts_with('#');
        if !is_more {
            break;
        }
        if split_key(content).is_some() {
            return lines.broken(last + 1, "a key stands below a value");
        }
        text.push(' ');
        text.push_str(content);
        last += 1;
        end = lines.lines[last].start + line.trim_end().len();
    }
    Ok((text, Style::Plain, begin..end, last))
}

/// A value as it is written, in the style that stood there if that is able to hold it.
pub(super) fn encoded(text: &str, style: Style) -> String {
    let text = text.trim();
    let is_line = !text.contains(|c: char| c.is_control());
    match style {
        Style::Single if is_line => format!("'{}'", text.replace('\'', "''")),
        Style::Empty | Style::Plain | Style::Other if is_line && is_plain(text) => text.to_owned(),
        _ => {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{}\"", text.replace('\n', "\\n").replace('\t', "\\t").replace('\r', ""))
        }
    }
}

/// Whether a value needs no quotes, here and for stricter readers.
fn is_plain(text: &str) -> bool {
    let is_odd_start = |c: char| "\"'[]{}|>#&*!%@`,?:-~=".contains(c) || c.is_whitespace();
    let is_word = ["true", "false", "yes", "no", "on", "off", "null", "~"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    !text.starts_with(is_odd_start)
        && !text.is_empty()
        && !text.contains(": ")
        && !text.ends_with(':')
        && !text.contains(" #")
        && !is_word
        && text.parse::<f64>().is_err()
}
