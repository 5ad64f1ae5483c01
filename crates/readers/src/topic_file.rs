//! A topic file of file memory: one fact in Markdown behind a head of YAML, as Claude Code and
//! jkz write it. Reading keeps where everything stands, so that a change replaces the bytes of
//! what changed and no others: unknown keys, comments, order, line ends and the shape of the
//! head stay.
//!
//! The head has `name`, `description` and `type` beside each other, or `type` below `metadata:`.
//! Both are read. A file without a head is a fact without a kind.

mod body;
mod head;

use std::ops::Range;

use hardwon_core::notes::names::stem;
use hardwon_core::notes::{Note, NoteKind};
use hardwon_core::time::Timestamp;

use body::Body;
pub use head::BrokenHead;
use head::{Head, Style, encoded};

/// The key below which Claude Code keeps what it adds.
const METADATA: &str = "metadata";

#[derive(Clone, Debug)]
pub struct TopicFile<'a> {
    raw: &'a str,
    head: Option<Head>,
    body: Body,
}

impl<'a> TopicFile<'a> {
    /// Reads a file. The only error is a head that cannot be read.
    pub fn parse(raw: &'a str) -> Result<Self, BrokenHead> {
        let start = raw.len() - raw.trim_start_matches('\u{feff}').len();
        let mut lines = lines_of(raw, start);
        let opening = lines.next().filter(|line| raw[line.clone()].trim_end() == "---");
        let Some(opening) = opening else {
            return Ok(TopicFile { raw, head: None, body: body::parse(raw, start) });
        };
        for line in lines {
            if matches!(raw[line.clone()].trim_end(), "---" | "...") {
                let head = head::parse(raw, after_break(raw, opening.end), line.start)?;
                let body = body::parse(raw, after_break(raw, line.end));
                return Ok(TopicFile { raw, head: Some(head), body });
            }
        }
        let line = raw[..opening.end].matches('\n').count() + 1;
        Err(BrokenHead { line, reason: "the head is never closed by a line ---" })
    }

    /// The value of a key at the top of the head.
    pub fn field(&self, key: &str) -> Option<&str> {
        let found = self.head.as_ref()?.find(None, key)?;
        Some(found.text.as_str()).filter(|text| !text.is_empty())
    }

    /// The keys of the head, those below another one too.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.head.iter().flat_map(|head| &head.entries).map(|entry| entry.key.as_str())
    }

    /// The value of a key that Claude Code keeps below `metadata`.
    fn metadata(&self, key: &str) -> Option<&str> {
        let found = self.head.as_ref().and_then(|head| head.find(Some(METADATA), key));
        let found = found.map(|entry| entry.text.as_str()).filter(|text| !text.is_empty());
        found.or_else(|| self.field(key))
    }

    pub fn note(&self, file: &str) -> Note {
        let text = |range: &Range<usize>| self.raw[range.clone()].to_owned();
        let part = |part: &Option<body::Part>| part.as_ref().map(|part| text(&part.content));
        let fact = text(&self.body.text);
        let name = self.field("name").map_or_else(|| heading(&fact), |name| Some(name.to_owned()));
        let mut links: Vec<String> = Vec::new();
        for (_, slug) in &self.body.links {
            if !links.contains(slug) {
                links.push(slug.clone());
            }
        }
        Note {
            file: file.to_owned(),
            name: name.unwrap_or_else(|| stem(file).to_owned()),
            description: self.field("description").unwrap_or_default().to_owned(),
            kind: self.metadata("type").and_then(NoteKind::parse),
            session: self.metadata("originSessionId").map(str::to_owned),
            modified: self.metadata("modified").and_then(Timestamp::parse),
            text: fact,
            why: part(&self.body.why),
            how: part(&self.body.how),
            links,
        }
    }

    /// The file with this note in it: only what differs from [`note`](Self::note) is written.
    pub fn edited(&self, to: &Note) -> String {
        let from = self.note(&to.file);
        let mut edits = Edits { raw: self.raw, all: Vec::new() };
        self.edit_head(&from, to, &mut edits);
        self.edit_body(&from, to, &mut edits);
        edits.applied()
    }

    /// The file with another value of a key at the top of the head; `None` takes the key away.
    pub fn with_field(&self, key: &str, value: Option<&str>) -> String {
        let mut edits = Edits { raw: self.raw, all: Vec::new() };
        self.set(None, key, value, &mut edits);
        edits.applied()
    }

    fn edit_head(&self, from: &Note, to: &Note, edits: &mut Edits<'_>) {
        let has_metadata =
            self.head.as_ref().is_some_and(|head| head.find(None, METADATA).is_some());
        let place = |key: &str| {
            let is_flat = self.head.as_ref().is_some_and(|head| head.find(None, key).is_some());
            (has_metadata && !is_flat).then_some(METADATA)
        };
        let word = |kind: Option<NoteKind>| kind.map(|kind| kind.word().to_owned());
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let changes = [
            (None, "name", some(&from.name), some(&to.name)),
            (None, "description", some(&from.description), some(&to.description)),
            (place("type"), "type", word(from.kind), word(to.kind)),
            (place("originSessionId"), "originSessionId", from.session.clone(), to.session.clone()),
            (place("modified"), "modified", time(from.modified), time(to.modified)),
        ];
        for (parent, key, old, new) in changes {
            if old != new {
                self.set(parent, key, new.as_deref(), edits);
            }
        }
    }

    fn set(&self, parent: Option<&str>, key: &str, value: Option<&str>, edits: &mut Edits<'_>) {
        let Some(head) = &self.head else {
            edits.head_line(&value.map(|value| line(0, key, value)).unwrap_or_default());
            return;
        };
        let newline = newline(self.raw);
        match (head.find(parent, key), value) {
            (Some(entry), Some(value)) => {
                let blank = if entry.style == Style::Empty { " " } else { "" };
                edits.put(entry.value.clone(), format!("{blank}{}", encoded(value, entry.style)));
            }
            (Some(entry), None) => {
                let start = self.raw[..entry.value.start].rfind('\n').map_or(0, |at| at + 1);
                edits.put(start..entry.end, String::new());
            }
            (None, Some(value)) => {
                let mut children = head.entries.iter().filter(|entry| entry.parent.is_some());
                let sibling = children.rfind(|entry| entry.parent.as_deref() == parent);
                let (at, indent) = match (parent, sibling) {
                    (None, _) => (head.end, 0),
                    (Some(_), Some(sibling)) => (sibling.end, sibling.indent),
                    (Some(parent), None) => {
                        (head.find(None, parent).map_or(head.end, |entry| entry.end), 2)
                    }
                };
                edits.put(at..at, line(indent, key, value).replace('\n', newline));
            }
            (None, None) => {}
        }
    }

    fn edit_body(&self, from: &Note, to: &Note, edits: &mut Edits<'_>) {
        let newline = newline(self.raw);
        let body = &self.body;
        if from.text != to.text {
            edits.put(body.text.clone(), in_lines(&to.text, newline));
        }
        let parts = [
            ("**Why:**", &body.why, &from.why, &to.why),
            ("**How to apply:**", &body.how, &from.how, &to.how),
        ];
        let mut added = String::new();
        for (marker, part, old, new) in parts {
            match (part, new) {
                _ if old == new => {}
                (Some(part), Some(new)) => {
                    let blank = if part.content.is_empty() { " " } else { "" };
                    edits.put(part.content.clone(), format!("{blank}{}", in_lines(new, newline)));
                }
                (Some(part), None) => edits.put(part.whole.clone(), String::new()),
                (None, Some(new)) => {
                    let new = in_lines(new, newline);
                    added.push_str(&format!("{newline}{newline}{marker} {new}"));
                }
                (None, None) => {}
            }
        }
        let ends = [Some(body.text.end), body.why.as_ref().map(|part| part.whole.end)];
        let how_end = body.how.as_ref().map(|part| part.whole.end);
        let end = ends.into_iter().flatten().chain(how_end).max().unwrap_or(self.raw.len());
        if !added.is_empty() {
            edits.put(end..end, added);
        }
        self.edit_links(from, to, end, edits);
    }

    /// New links come into the last line; one that is taken away leaves its words.
    fn edit_links(&self, from: &Note, to: &Note, end: usize, edits: &mut Edits<'_>) {
        let kept = from.text == to.text && from.why == to.why && from.how == to.how;
        for (range, slug) in self.body.links.iter().filter(|_| kept) {
            if !to.links.contains(slug) {
                edits.put(range.clone(), slug.clone());
            }
        }
        // What the new words already name needs no line of its own.
        let said = to.whole_text();
        let is_new =
            |slug: &&String| !from.links.contains(slug) && !said.contains(&format!("[[{slug}]]"));
        let new: Vec<String> =
            to.links.iter().filter(is_new).map(|slug| format!("[[{slug}]]")).collect();
        if new.is_empty() {
            return;
        }
        let newline = newline(self.raw);
        match &self.body.related {
            Some(line) => edits.put(line.end..line.end, format!(", {}", new.join(", "))),
            None => {
                let line = format!("{newline}{newline}Related: {}", new.join(", "));
                edits.put(end..end, line);
            }
        }
    }
}

/// A new file for a note, with the head beside each other and one blank line before the fact.
pub fn new_topic_file(note: &Note) -> String {
    let mut text = String::from("---\n");
    text.push_str(&line(0, "name", &note.name));
    text.push_str(&line(0, "description", &note.description));
    let kind = note.kind.map(|kind| kind.word().to_owned());
    let modified = note.modified.map(|at| at.to_string());
    let rest = [("type", kind), ("originSessionId", note.session.clone()), ("modified", modified)];
    for (key, value) in rest {
        text.push_str(&value.map(|value| line(0, key, &value)).unwrap_or_default());
    }
    text.push_str("---\n\n");
    text.push_str(note.text.trim());
    for (marker, part) in [("**Why:**", &note.why), ("**How to apply:**", &note.how)] {
        if let Some(part) = part {
            text.push_str(&format!("\n\n{marker} {}", part.trim()));
        }
    }
    let said = note.whole_text();
    let links = note.links.iter().map(|slug| format!("[[{slug}]]"));
    let links: Vec<String> = links.filter(|link| !said.contains(link.as_str())).collect();
    if !links.is_empty() {
        text.push_str(&format!("\n\nRelated: {}", links.join(", ")));
    }
    text.push('\n');
    text
}

fn line(indent: usize, key: &str, value: &str) -> String {
    format!("{:indent$}{key}: {}\n", "", encoded(value, Style::Plain))
}

/// The lines of a text from here on, without their breaks.
fn lines_of(raw: &str, start: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = start;
    raw[start..].split_inclusive('\n').map(move |line| {
        let bare = line.trim_end_matches(['\n', '\r']);
        let range = at..at + bare.len();
        at += line.len();
        range
    })
}

fn after_break(raw: &str, end: usize) -> usize {
    let rest = &raw[end..];
    end + rest.find('\n').filter(|at| *at <= 1).map_or(0, |at| at + 1)
}

fn newline(raw: &str) -> &'static str {
    if raw.contains("\r\n") { "\r\n" } else { "\n" }
}

fn in_lines(text: &str, newline: &str) -> String {
    text.trim().replace("\r\n", "\n").replace('\n', newline)
}

/// The first heading of a text without a head.
fn heading(text: &str) -> Option<String> {
    let line = text.lines().next()?.strip_prefix('#')?;
    let title = line.trim_start_matches('#').trim();
    (!title.is_empty()).then(|| title.to_owned())
}

/// What is replaced, in any order.
struct Edits<'a> {
    raw: &'a str,
    all: Vec<(Range<usize>, String)>,
}

impl Edits<'_> {
    fn put(&mut self, range: Range<usize>, text: String) {
        self.all.push((range, text));
    }

    /// A line of a head in a file that has none yet.
    fn head_line(&mut self, line: &str) {
        let start = self.raw.len() - self.raw.trim_start_matches('\u{feff}').len();
        let newline = newline(self.raw);
        let line = line.replace('\n', newline);
        match self
            .all
            .iter_mut()
            .find(|(range, text)| range.end == start && text.starts_with("---"))
        {
            Some((_, head)) => head.insert_str(head.len() - 3 - 2 * newline.len(), &line),
            None => self.put(start..start, format!("---{newline}{line}---{newline}{newline}")),
        }
    }

    fn applied(mut self) -> String {
        // Of two at one place the first that was asked for stands first.
        self.all.sort_by_key(|(range, _)| (range.start, range.end));
        let mut text = String::with_capacity(self.raw.len() + 64);
        let mut at = 0;
        for (range, new) in &self.all {
            text.push_str(&self.raw[at..range.start.max(at)]);
            text.push_str(new);
            at = range.end.max(at);
        }
        text.push_str(&self.raw[at..]);
        text
    }
}

#[cfg(test)]
mod tests;
