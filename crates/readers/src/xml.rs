//! What are the next tag and the next text of an XML stream? A report is read by `quick-xml`,
//! one event at a time, through a source that stops an event which grows too large: the library
//! itself holds a whole text or tag, however long it is. Only the five predefined and the
//! numeric entities are expanded, and documents that declare a type are refused.

use std::io::{self, BufRead, Read, Take};

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Error, Reader};

/// A tag that is longer is not believed to be one. A longer text comes in pieces, of longer
/// character data only the start is kept.
const MAX_EVENT_BYTES: usize = 256 << 10;

const DECLARES_TYPE: &str =
    "the document declares a type (DOCTYPE), which is never read: write it without one";

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

pub struct Xml<R> {
    source: Source<R>,
    event: Vec<u8>,
}

impl<R: BufRead> Xml<R> {
    pub fn new(reader: R, max_bytes: u64) -> Self {
        let source = Source { reader: reader.take(max_bytes), n_line_ends: 0, n_of_event: 0 };
        Xml { source, event: Vec::new() }
    }

    /// The line, from 1.
    pub fn line(&self) -> u64 {
        self.source.n_line_ends + 1
    }

    /// Whether the limit of the input was met before its end.
    pub fn is_cut(&mut self) -> bool {
        let reader = &mut self.source.reader;
        reader.limit() == 0 && reader.get_mut().fill_buf().is_ok_and(|rest| !rest.is_empty())
    }

    pub fn next_piece(&mut self) -> io::Result<Piece> {
        loop {
            if let Some(piece) = self.read_event()? {
                return Ok(piece);
            }
        }
    }

    /// The next event; `None` for what says nothing. The library's reader is a new one for
    /// every event: so it keeps no names of open elements, which a hostile input could pile
    /// up, and goes on after what is broken.
    fn read_event(&mut self) -> io::Result<Option<Piece>> {
        self.event.clear();
        self.source.n_of_event = 0;
        let mut reader = lenient(Reader::from_reader(&mut self.source));
        let error = match reader.read_event_into(&mut self.event) {
            Ok(event) => return Ok(piece(event)),
            Err(error) => error,
        };
        match error {
            Error::Io(_) if self.source.n_of_event >= MAX_EVENT_BYTES => self.too_long(),
            Error::Io(error) => Err(io::Error::new(error.kind(), error)),
            Error::Encoding(_) => {
                let text = String::from_utf8_lossy(&self.event);
                Ok(lenient(Reader::from_str(&text)).read_event().ok().and_then(piece))
            }
            _ if self.event.starts_with(b"<!D") || self.event.starts_with(b"<!d") => {
                Ok(Some(Piece::Broken(DECLARES_TYPE)))
            }
            _ => self.skip(b">"),
        }
    }

    /// What becomes of an event whose end is not in sight.
    fn too_long(&mut self) -> io::Result<Option<Piece>> {
        const DATA: &[u8] = b"<![CDATA[";
        let start = self.event.as_slice();
        if start.starts_with(b"<!--") {
            return self.skip(b"-->");
        }
        if let Some(data) = start.strip_prefix(DATA) {
            let text = String::from_utf8_lossy(data).into_owned();
            return Ok(self.skip(b"]]>")?.or(Some(Piece::Text(text))));
        }
        Ok(Some(match start {
            [b'<', b'!', ..] => Piece::Broken(DECLARES_TYPE),
            [b'<', ..] => Piece::Broken("a tag is too long"),
            text => Piece::Text(String::from_utf8_lossy(text).into_owned()),
        }))
    }

    /// Leaves out everything up to and with this mark, of which a part may be read already.
    fn skip(&mut self, mark: &[u8]) -> io::Result<Option<Piece>> {
        let n_kept = self.event.len().min(mark.len() - 1);
        let mut newest = self.event.split_off(self.event.len() - n_kept);
        loop {
            self.source.n_of_event = 0;
            let Some(&byte) = self.source.fill_buf()?.first() else { return Ok(Some(Piece::Over)) };
            self.source.consume(1);
            newest.push(byte);
            if newest.ends_with(mark) {
                return Ok(None);
            }
            if newest.len() > mark.len() {
                newest.remove(0);
            }
        }
    }
}

/// Reports are read for what they say: nothing is asked of their form.
fn lenient<R>(mut reader: Reader<R>) -> Reader<R> {
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    reader
}

/// The input, with its lines counted and no more than so many bytes for one event.
struct Source<R> {
    reader: Take<R>,
    n_line_ends: u64,
    n_of_event: usize,
}

impl<R: BufRead> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let n_allowed = MAX_EVENT_BYTES - self.n_of_event;
        let block = self.reader.fill_buf()?;
        if n_allowed == 0 && !block.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(&block[..block.len().min(n_allowed)])
    }

    fn consume(&mut self, n: usize) {
        // What is consumed stands in the buffer: nothing is read here.
        let taken = self.reader.fill_buf().map_or(&[][..], |block| &block[..n]);
        self.n_line_ends += taken.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.n_of_event += n;
        self.reader.consume(n);
    }
}

impl<R: BufRead> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

fn piece(event: Event<'_>) -> Option<Piece> {
    Some(match event {
        Event::Start(tag) => start(&tag, false),
        Event::Empty(tag) => start(&tag, true),
        Event::End(tag) => Piece::End { name: tag.local_name().as_ref().to_owned() },
        Event::Text(text) => Piece::Text(text.into_inner().into_owned()),
        Event::CData(data) => Piece::Text(data.into_inner().into_owned()),
        Event::GeneralRef(name) => Piece::Text(entity(&name)),
        Event::DocType(_) => Piece::Broken(DECLARES_TYPE),
        Event::Eof => Piece::Over,
        Event::Comment(_) | Event::Decl(_) | Event::PI(_) => return None,
    })
}

fn start(tag: &BytesStart<'_>, is_empty: bool) -> Piece {
    let mut all = tag.attributes();
    let whole = all.with_checks(false).map_while(Result::ok);
    let named = |attribute: Attribute<'_>| {
        (attribute.key.local_name().as_ref().to_owned(), expanded(&attribute.value))
    };
    let attributes = whole.map(named).collect();
    Piece::Start { name: tag.local_name().as_ref().to_owned(), attributes, is_empty }
}

/// A value with its entities. The library's own way gives up at the first one that it does not
/// know, or at a lone `&`; what producers write has both.
fn expanded(value: &str) -> String {
    let mut parts = value.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(';') {
            Some((name, after)) => out.extend([&entity(name), after]),
            None => out.extend(["&", part]),
        }
    }
    out
}

/// The text of an entity. An unknown one stays as it is written.
fn entity(name: &str) -> String {
    if let Ok(Some(letter)) = BytesRef::new(name).resolve_char_ref() {
        return letter.into();
    }
    resolve_predefined_entity(name).map_or_else(|| format!("&{name};"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Every piece in short, read in blocks of this many bytes; the parts of a text together,
    /// without those of spaces only.
    fn pieces(text: &[u8], n_bytes: usize) -> Vec<String> {
        let mut xml = Xml::new(BufReader::with_capacity(n_bytes, text), u64::MAX);
        let (mut out, mut text) = (Vec::new(), String::new());
        loop {
            let piece = xml.next_piece().unwrap();
            if let Piece::Text(part) = piece {
                assert!(part.len() <= MAX_EVENT_BYTES);
                text.push_str(&part);
                continue;
            }
            out.extend(Some(std::mem::take(&mut text)).filter(|text| !text.trim().is_empty()));
            out.push(match piece {
                Piece::Start { name, attributes, is_empty } => {
                    let end = if is_empty { "/" } else { "" };
                    let all: String =
                        attributes.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                    format!("<{name}{all}{end}>")
                }
                Piece::End { name } => format!("</{name}>"),
                Piece::Broken(why) => {
                    out.push(format!("broken: {why}"));
                    return out;
                }
                Piece::Text(_) => unreachable!("joined above"),
                Piece::Over => return out,
            });
        }
    }

    #[test]
    fn documents_fall_into_pieces() {
        let declared = format!("broken: {DECLARES_TYPE}");
        let cases: [(&str, &[&str]); 15] = [
            ("", &[]),
            ("<?xml version=\"1.0\"?>\n<a/>", &["<a/>"]),
            ("<a b=\"1\" c = '2>3'>x</a>", &["<a b=1 c=2>3>", "x", "</a>"]),
            ("<a b=\"1 && 2 &lt; &#51;&eacute;\"/>", &["<a b=1 && 2 < 3&eacute;/>"]),
            ("<n:a n:b=\"1\"></n:a>", &["<a b=1>", "</a>"]),
            ("<a>1 &lt;&#50;&#x33; &amp;lt; &nbsp; &</a>", &["<a>", "1 <23 &lt; &nbsp; &", "</a>"]),
            ("<a><![CDATA[x > y ]] <b>]]></a>", &["<a>", "x > y ]] <b>", "</a>"]),
            ("<a><![CDATA[]]></a>", &["<a>", "</a>"]),
            ("<a><!-- <b> -- > --><c/></a>", &["<a>", "<c/>", "</a>"]),
            ("<a></b><c></a>", &["<a>", "</b>", "<c>", "</a>"]),
            ("<a><!ELEMENT b><c/></a>", &["<a>", "<c/>", "</a>"]),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", &[&declared]),
            ("<!DOCTYPE a [<!ENTITY b \"c\">", &[&declared]),
            ("<a b=\"x", &[]),
            ("<a>x<b", &["<a>", "x"]),
        ];
        for (text, expected) in cases {
            for n_bytes in [1, 2, 3, 7, 1000] {
                assert_eq!(pieces(text.as_bytes(), n_bytes), expected, "{text} by {n_bytes}");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        let found = pieces(b"<a b=\"\xFF\">x\xFEy</a>", 1000);
        assert_eq!(found, ["<a b=\u{fffd}>", "x\u{fffd}y", "</a>"]);
    }

    #[test]
    fn long_texts_and_tags_take_little_memory() {
        let long = "x >".repeat(1 << 19);
        let cases = [
            (format!("<a>{long}</a>"), vec!["<a>", &long, "</a>"]),
            (format!("<a>&{long}</a>"), vec!["<a>", "&", &long, "</a>"]),
            (format!("<a><!--{long}--><c/>"), vec!["<a>", "<c/>"]),
            (format!("<a b=\"{long}\"/><c/>"), vec!["broken: a tag is too long"]),
        ];
        for (text, expected) in cases {
            let expected = expected.concat();
            assert_eq!(pieces(text.as_bytes(), 4096).concat(), expected, "{}", &text[..9]);
        }
        let data = format!("<a><![CDATA[{long}]]]><c/>");
        let found = pieces(data.as_bytes(), 4096);
        assert_eq!((found.len(), found[1].len(), &*found[2]), (3, MAX_EVENT_BYTES - 9, "<c/>"));
    }
}
