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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Empty,
    Plain,
    Single,
    Double,
    /// A block, a list, or `{…}`: read, and never written in this form.
    Other,
}

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

/// The text of a file up to the end of its head.
struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    /// From here to the end of the line, without its break.
    fn line(&self, at: usize) -> &'a str {
        self.0[at..].split('\n').next().unwrap_or_default().trim_end_matches('\r')
    }

    fn next(&self, at: usize) -> usize {
        self.0[at..].find('\n').map_or(self.0.len(), |length| at + length + 1)
    }

    fn has(&self, at: usize) -> bool {
        at < self.0.len()
    }

    fn broken<T>(&self, at: usize, reason: &'static str) -> Result<T, BrokenHead> {
        Err(BrokenHead { line: self.0[..at].matches('\n').count() + 1, reason })
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Reads a head, which goes from here to there in the text of a file.
pub(super) fn parse(text: &str, start: usize, end: usize) -> Result<Head, BrokenHead> {
    let text = Text(&text[..end]);
    let mut head = Head { entries: Vec::new(), end };
    let mut at = start;
    while text.has(at) {
        let content = text.line(at).trim_start_matches(' ').trim_end();
        if content.is_empty() || content.starts_with('#') {
            at = text.next(at);
        } else if content.starts_with('\t') {
            return text.broken(at, "a tab stands where only blanks may");
        } else if content == "-" || content.starts_with("- ") {
            let Some(last) = head.entries.last_mut() else {
                return text.broken(at, "a list belongs to no key");
            };
            at = text.next(at);
            (last.end, last.style) = (at, Style::Other);
        } else {
            at = read_key(&text, at, &mut head.entries)?;
        }
    }
    Ok(head)
}

/// Reads one key and its value; the answer is where the line behind it begins.
fn read_key(text: &Text<'_>, at: usize, entries: &mut Vec<Entry>) -> Result<usize, BrokenHead> {
    let line = text.line(at);
    let indent = indent_of(line);
    let Some((key, behind)) = split_key(&line[indent..]) else {
        return text.broken(at, "this is no key with a value");
    };
    let top = entries.iter().rev().find(|entry| entry.parent.is_none());
    let parent = match top {
        None if indent > 0 => return text.broken(at, "a first key must not be indented"),
        Some(top) if indent > 0 && matches!(top.style, Style::Empty | Style::Other) => {
            let mut children = entries.iter().filter(|entry| entry.parent.is_some());
            let depth =
                children.next_back().filter(|child| child.parent.as_ref() == Some(&top.key));
            if depth.is_some_and(|child| indent > child.indent) || top.style == Style::Other {
                // Deeper than what is needed: kept as it is.
                if let Some(last) = entries.last_mut() {
                    last.end = text.next(at);
                }
                return Ok(text.next(at));
            }
            if depth.is_some_and(|child| indent < child.indent) {
                return text.broken(at, "the key is not indented like those beside it");
            }
            Some(top.key.clone())
        }
        Some(_) if indent > 0 => return text.broken(at, "a key stands below a value"),
        Some(_) | None => None,
    };
    if entries.iter().any(|entry| entry.parent == parent && entry.key == key) {
        return text.broken(at, "the key stands there twice");
    }
    let (said, style, value) = read_value(text, at + indent + behind, indent)?;
    let end = text.next(value.end);
    entries.push(Entry { parent, key, text: said, style, value, end, indent });
    Ok(end)
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

type Value = (String, Style, Range<usize>);

/// The value that begins behind a colon.
fn read_value(text: &Text<'_>, start: usize, indent: usize) -> Result<Value, BrokenHead> {
    let line = text.line(start);
    let raw = line.trim_start();
    let begin = start + (line.len() - raw.len());
    match raw.chars().next() {
        None | Some('#') => Ok((String::new(), Style::Empty, start..start)),
        Some('"') => quoted(text, begin, '"', Style::Double),
        Some('\'') => quoted(text, begin, '\'', Style::Single),
        Some('[' | '{') => flow(text, begin),
        Some('|' | '>') => Ok(block(text, begin, indent)),
        Some(_) => plain(text, begin, indent),
    }
}

fn quoted(text: &Text<'_>, begin: usize, quote: char, style: Style) -> Result<Value, BrokenHead> {
    let mut said = String::new();
    let mut from = begin + 1;
    loop {
        if let Some(length) = unquote(text.line(from), quote, &mut said) {
            let end = from + length;
            let behind = text.line(end).trim();
            if !behind.is_empty() && !behind.starts_with('#') {
                return text.broken(end, "text stands behind a closing quote");
            }
            return Ok((said, style, begin..end));
        }
        from = text.next(from);
        if !text.has(from) {
            return text.broken(begin, "a quote is never closed");
        }
        let line = text.line(from);
        from += line.len() - line.trim_start().len();
        if !said.is_empty() {
            said.push(' ');
        }
    }
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

fn flow(text: &Text<'_>, begin: usize) -> Result<Value, BrokenHead> {
    let (mut depth, mut quote) = (0_i32, None);
    for (place, c) in text.0[begin..].char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, _) => {}
        }
        if depth == 0 && quote.is_none() {
            let value = begin..begin + place + 1;
            return Ok((text.0[value.clone()].to_owned(), Style::Other, value));
        }
    }
    text.broken(begin, "a bracket is never closed")
}

fn block(text: &Text<'_>, begin: usize, indent: usize) -> Value {
    let joint = if text.0[begin..].starts_with('|') { "\n" } else { " " };
    let mut end = begin + text.line(begin).len();
    // Blank lines count only before others.
    let (mut said, mut waiting) = (Vec::new(), Vec::new());
    let mut at = text.next(begin);
    while text.has(at) {
        let line = text.line(at);
        let content = line.trim();
        if !content.is_empty() && indent_of(line) <= indent {
            break;
        }
        waiting.push(content);
        if !content.is_empty() {
            said.append(&mut waiting);
            end = at + line.len();
        }
        at = text.next(at);
    }
    (said.join(joint), Style::Other, begin..end)
}

fn plain(text: &Text<'_>, begin: usize, indent: usize) -> Result<Value, BrokenHead> {
    let first = text.line(begin);
    let first = first.split(" #").next().unwrap_or(first).trim_end();
    let (mut said, mut end) = (first.to_owned(), begin + first.len());
    let mut at = text.next(begin);
    while text.has(at) {
        let line = text.line(at);
        let content = line.trim();
        if content.is_empty() || indent_of(line) <= indent || content.starts_with('#') {
            break;
        }
        if split_key(content).is_some() {
            return text.broken(at, "a key stands below a value");
        }
        said.push(' ');
        said.push_str(content);
        end = at + line.trim_end().len();
        at = text.next(at);
    }
    Ok((said, Style::Plain, begin..end))
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
