//! What are the next tag and the next text of an XML stream? A pull reader for reports: it
//! knows elements, attributes, text and CDATA, expands the five predefined and the numeric
//! entities and no others, refuses documents that declare a type, and never holds more than
//! one tag or the start of one text.

use std::io::{self, BufRead};

/// A tag that is longer is not believed to be one.
const MAX_TAG_BYTES: usize = 256 << 10;

/// Of a longer text only the start is kept.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// One piece of a document.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    Start {
        name: String,
        attributes: Vec<(String, String)>,
        is_empty: bool,
    },
    End {
        name: String,
    },
    Text(String),
    /// The end of the input. The caller knows whether anything is still open.
    Over,
    /// Nothing more can be read, and why.
    Broken(&'static str),
}

/// A document that is being read.
pub struct Xml<R> {
    reader: R,
    n_left: u64,
    n_line_ends: u64,
    is_cut: bool,
    /// The bracket that opens a tag was read already.
    is_in_tag: bool,
    is_over: bool,
}

impl<R: BufRead> Xml<R> {
    pub fn new(reader: R, max_bytes: u64) -> Self {
        Xml {
            reader,
            n_left: max_bytes,
            n_line_ends: 0,
            is_cut: false,
            is_in_tag: false,
            is_over: false,
        }
    }

    /// The line, from 1.
    pub fn line(&self) -> u64 {
        self.n_line_ends + 1
    }

    /// Whether the limit of the input was met before its end.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub fn next_piece(&mut self) -> io::Result<Piece> {
        loop {
            if self.is_over {
                return Ok(Piece::Over);
            }
            if std::mem::take(&mut self.is_in_tag) {
                match self.tag()? {
                    Some(piece) => return Ok(piece),
                    None => continue,
                }
            }
            let mut text = Vec::new();
            self.is_in_tag = self.until(b"<", MAX_TEXT_BYTES, &mut text)?;
            if !text.trim_ascii().is_empty() {
                return Ok(Piece::Text(expanded(&text)));
            }
        }
    }

    /// What stands behind a bracket; `None` for what says nothing.
    fn tag(&mut self) -> io::Result<Option<Piece>> {
        let mut tag = Vec::new();
        let (mut quote, mut n_seen) = (None, 0);
        // A bracket inside an attribute does not end its tag.
        loop {
            if tag.len() > MAX_TAG_BYTES {
                return Ok(Some(self.broken("a tag is too long")));
            }
            if !self.until(b">", MAX_TAG_BYTES, &mut tag)? {
                return Ok(Some(Piece::Over));
            }
            if tag.starts_with(b"!--") {
                return self.comment(&tag);
            }
            if tag.starts_with(b"![CDATA[") {
                return self.character_data(tag);
            }
            if tag.starts_with(b"!DOCTYPE") || tag.starts_with(b"!ENTITY") {
                return Ok(Some(self.broken("the document declares a type (DOCTYPE), which is never read: write it without one")));
            }
            if tag.starts_with(b"!") || tag.starts_with(b"?") {
                return Ok(None);
            }
            quote = open_quote(quote, &tag[n_seen..]);
            n_seen = tag.len();
            if quote.is_none() {
                return Ok(Some(element(&tag)));
            }
            tag.push(b'>');
        }
    }

    fn broken(&mut self, why: &'static str) -> Piece {
        self.is_over = true;
        Piece::Broken(why)
    }

    fn comment(&mut self, start: &[u8]) -> io::Result<Option<Piece>> {
        let is_closed = start.len() >= 5 && start.ends_with(b"--");
        if is_closed || self.until(b"-->", 0, &mut Vec::new())? {
            return Ok(None);
        }
        Ok(Some(Piece::Over))
    }

    fn character_data(&mut self, start: Vec<u8>) -> io::Result<Option<Piece>> {
        let mut data = start[b"![CDATA[".len()..].to_vec();
        if !data.ends_with(b"]]") {
            data.push(b'>');
            if !self.until(b"]]>", MAX_TEXT_BYTES, &mut data)? {
                return Ok(Some(Piece::Over));
            }
        } else {
            data.truncate(data.len() - 2);
        }
        Ok(Some(Piece::Text(String::from_utf8_lossy(&data).into_owned())))
    }

    /// Reads to this mark, which is left out; keeps about so many bytes. False at the end
    /// of the input.
    fn until(&mut self, mark: &[u8], max_bytes: usize, into: &mut Vec<u8>) -> io::Result<bool> {
        let last = mark[mark.len() - 1];
        // As many of the newest bytes as the mark has, whether they are kept or not.
        let mut newest: Vec<u8> = Vec::with_capacity(mark.len());
        loop {
            let block = self.reader.fill_buf()?;
            let n_allowed = block.len().min(usize::try_from(self.n_left).unwrap_or(usize::MAX));
            if n_allowed == 0 {
                self.is_cut = !block.is_empty();
                self.is_over = true;
                return Ok(false);
            }
            let block = &block[..n_allowed];
            let at = block.iter().position(|byte| *byte == last);
            let taken = at.map_or(block, |at| &block[..=at]);
            let n_kept = max_bytes.saturating_sub(into.len()).min(taken.len());
            let n_taken = taken.len();
            into.extend_from_slice(&taken[..n_kept]);
            let is_kept = n_kept == n_taken;
            newest.extend_from_slice(&taken[n_taken.saturating_sub(mark.len())..]);
            let n_old = newest.len().saturating_sub(mark.len());
            newest.drain(..n_old);
            self.n_line_ends += taken.iter().filter(|byte| **byte == b'\n').count() as u64;
            self.n_left -= n_taken as u64;
            self.reader.consume(n_taken);
            if at.is_some() && newest == mark {
                if is_kept {
                    into.truncate(into.len().saturating_sub(mark.len()));
                }
                return Ok(true);
            }
        }
    }
}

/// The quote that is open behind these bytes of a tag.
fn open_quote(mut quote: Option<u8>, bytes: &[u8]) -> Option<u8> {
    for &byte in bytes {
        match quote {
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            Some(open) if open == byte => quote = None,
            _ => {}
        }
    }
    quote
}

fn element(tag: &[u8]) -> Piece {
    let tag = String::from_utf8_lossy(tag);
    if let Some(name) = tag.strip_prefix('/') {
        return Piece::End { name: local(name.trim()).to_owned() };
    }
    let (tag, is_empty) = match tag.strip_suffix('/') {
        Some(tag) => (tag, true),
        None => (tag.as_ref(), false),
    };
    let (name, rest) = tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
    Piece::Start { name: local(name).to_owned(), attributes: attributes(rest), is_empty }
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn attributes(mut rest: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    while let Some((name, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else { break };
        let Some((value, after)) = after[1..].split_once(quote) else { break };
        found.push((local(name.trim()).to_owned(), expanded(value.as_bytes())));
        rest = after;
    }
    found
}

/// A text with its entities. One that is not known stays as it is written.
fn expanded(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    if !text.contains('&') {
        return text.into_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let entity = tail.split_once(';').and_then(|(name, after)| Some((entity(name)?, after)));
        match entity {
            Some((c, after)) => {
                out.push(c);
                rest = after;
            }
            None => {
                out.push('&');
                rest = tail;
            }
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let code = name.strip_prefix('#')?;
            let code = match code.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => code.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Every piece in short, read in blocks of this many bytes.
    fn pieces(text: &str, n_bytes: usize) -> Vec<String> {
        let mut xml = Xml::new(BufReader::with_capacity(n_bytes, text.as_bytes()), u64::MAX);
        let mut out = Vec::new();
        loop {
            out.push(match xml.next_piece().unwrap() {
                Piece::Start { name, attributes, is_empty } => {
                    let end = if is_empty { "/" } else { "" };
                    let all: String =
                        attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                    format!("<{name}{all}{end}>")
                }
                Piece::End { name } => format!("</{name}>"),
                Piece::Text(text) => text,
                Piece::Broken(why) => format!("broken: {why}"),
                Piece::Over => return out,
            });
        }
    }

    #[test]
    fn documents_fall_into_pieces() {
        let declared = "broken: the document declares a type (DOCTYPE), which is never read: write it without one";
        let cases: [(&str, &[&str]); 11] = [
            ("", &[]),
            ("<?xml version=\"1.0\"?>\n<a/>", &["<a/>"]),
            ("<a b=\"1\" c = '2>3'>x</a>", &["<a b=1 c=2>3>", "x", "</a>"]),
            ("<n:a n:b=\"1\"></n:a>", &["<a b=1>", "</a>"]),
            (
                "<a>1 &lt; &#50;&#x33; &amp;lt; &nbsp; &</a>",
                &["<a>", "1 < 23 &lt; &nbsp; &", "</a>"],
            ),
            ("<a><![CDATA[x > y ]] <b>]]></a>", &["<a>", "x > y ]] <b>", "</a>"]),
            ("<a><![CDATA[]]></a>", &["<a>", "", "</a>"]),
            ("<a><!-- <b> -- > --><c/></a>", &["<a>", "<c/>", "</a>"]),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", &[declared]),
            ("<a b=\"x", &[]),
            ("<a>x<b", &["<a>", "x"]),
        ];
        for (text, expected) in cases {
            for n_bytes in [1, 2, 3, 7, 1000] {
                assert_eq!(pieces(text, n_bytes), expected, "{text} by {n_bytes}");
            }
        }
    }

    #[test]
    fn long_texts_and_tags_take_little_memory() {
        let text = format!("<a>{}</a>", "x".repeat(1 << 20));
        let found = pieces(&text, 4096);
        assert_eq!((found.len(), found[1].len(), found[2].as_str()), (3, MAX_TEXT_BYTES, "</a>"));
        let tag = format!("<a b=\"{}\"/><c/>", "x>".repeat(1 << 20));
        assert_eq!(pieces(&tag, 4096), ["broken: a tag is too long"]);
    }
}
