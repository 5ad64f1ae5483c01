//! Where does a command line carry a secret as an argument?
//!
//! `mysql -pX`, `sshpass -p X`, `docker login -p X`, `curl -su user:X`, `htpasswd -b f user X`:
//! no name tells, only the program and its flag do (`programs`). One walk over the text:
//! a known program opens a command line, whatever ends it hands back to the search.

use super::assign::{self, Value};
use super::keys::{self, Key, Need};
use super::marks::{Rank, Span};
use super::programs::{self, Flag, Part, Place, Program, Rest};
use super::value::{self, Setting};

const PASSWORD: Key = Key { family: "password", need: Need::Little };

/// How far back quotes are counted, to know whether a command stands in one.
const MAX_BACK: usize = 256;

/// Adds a span for every secret that a known program is given.
pub(super) fn find_arguments(bytes: &[u8], spans: &mut Vec<Span<'_>>) {
    let mut at = 0;
    let mut is_edge = true;
    while at < bytes.len() {
        if is_edge && let Some((program, end)) = program_at(bytes, at) {
            let mut line = Line { bytes, program, at: end, words: Vec::new(), n_in_row: 0 };
            line.walk(spans);
            at = line.at;
            is_edge = is_edge_byte(bytes[at - 1]);
            continue;
        }
        is_edge = is_edge_byte(bytes[at]);
        at += 1;
    }
}

/// What may stand before a program: `/usr/bin/mysql` is one, `my-mysql` is not.
fn is_edge_byte(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"/\"'`;|&($>".contains(&byte)
}

/// The program whose name stands at `at` with a blank behind it, and where the name ends.
fn program_at(bytes: &[u8], at: usize) -> Option<(&'static Program, usize)> {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let length = bytes[at..].iter().take(16).take_while(is_part).count();
    let end = at + length;
    let name = &bytes[at..end];
    let end = end + if bytes[end..].starts_with(b".exe") { 4 } else { 0 };
    if !matches!(bytes.get(end), Some(b' ' | b'\t')) || is_value_of_flag(bytes, at) {
        return None;
    }
    programs::program_named(name).map(|program| (program, end))
}

/// `--name mongo` names a container.
fn is_value_of_flag(bytes: &[u8], at: usize) -> bool {
    let Some(before) = bytes[..at].strip_suffix(b" ") else {
        return false;
    };
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let length = before.iter().rev().take(32).take_while(is_part).count();
    let word = &before[before.len() - length..];
    word.len() > 2 && word.starts_with(b"--")
}

/// A command line that is being read.
struct Line<'a> {
    bytes: &'a [u8],
    program: &'static Program,
    at: usize,
    /// The first words without a flag.
    words: Vec<&'a [u8]>,
    /// Those since the last flag.
    n_in_row: usize,
}

/// Subcommands and places come first.
const MAX_WORDS: usize = 8;

impl Line<'_> {
    /// Reads arguments until the command ends or another program begins.
    fn walk(&mut self, spans: &mut Vec<Span<'_>>) {
        while self.skip_gap() {
            let start = self.at;
            let end = word_end(self.bytes, start);
            if program_at(self.bytes, start).is_some() || self.n_in_row > self.program.most_words {
                return;
            }
            let found = match self.bytes[start] {
                b'-' => self.flag(start, end),
                _ => self.word(start, end),
            };
            let behind = self.argument_end(start, end);
            self.at = found.map_or(behind, |span| span.end.max(behind));
            spans.extend(found);
        }
    }

    /// Goes to the next argument; false where the command ends.
    fn skip_gap(&mut self) -> bool {
        let from = self.at;
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.bytes.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                Some(byte) => return self.at > from && !b"\n\r|;&`)".contains(byte),
                None => return false,
            }
        }
    }

    /// Behind an argument, its quotes included. What touches a closing quote ends the line.
    fn argument_end(&self, start: usize, end: usize) -> usize {
        let is_quoted = matches!(self.bytes.get(end), Some(b'"' | b'\''));
        if !is_quoted || start < end && !matches!(self.bytes[end - 1], b'=' | b'\\') {
            return end.max(start + 1);
        }
        let read = assign::read_value(self.bytes, end, Setting::Literal);
        read.map_or(end + 1, |value| assign::whole_end(self.bytes, &value) + 1)
            .min(self.bytes.len())
    }

    fn flag(&mut self, start: usize, end: usize) -> Option<Span<'static>> {
        self.n_in_row = 0;
        let word = &self.bytes[start..end];
        if self.program.rest == Rest::Third && self.words.is_empty() {
            return self.third(start, end);
        }
        self.program.flags.iter().find_map(|flag| {
            let is_due = flag.after.is_none_or(|word| self.words.contains(&word.as_bytes()));
            let from = is_due.then(|| self.value_start(flag, word, end)).flatten()?;
            self.secret(from, flag.part)
        })
    }

    /// Where the value of `flag` begins, if `word` is that flag and has one.
    fn value_start(&self, flag: &Flag, word: &[u8], end: usize) -> Option<usize> {
        let name = flag.name.as_bytes();
        let is_long = name.len() > 2;
        let clustered = self.program.names == ["curl"]
            && word.len() <= 6
            && word.ends_with(b"u")
            && word[1..].iter().all(u8::is_ascii_alphabetic);
        if word == name || clustered {
            return match self.bytes.get(end) {
                Some(b' ') if matches!(flag.place, Place::Behind | Place::Either) => {
                    self.next_value(end)
                }
                Some(b'"' | b'\'' | b'\\') if !is_long => {
                    (flag.place != Place::Behind && !self.closes_quote(end)).then_some(end)
                }
                Some(_) | None => None,
            };
        }
        let rest = word.strip_prefix(name)?;
        let glued = end - rest.len();
        match rest.first() {
            Some(b'=') if flag.place != Place::Glued => Some(glued + 1),
            Some(byte) if !is_long && flag.place != Place::Behind => {
                let is_word = [&b"assword"[..], b"ort", b"rotocol", b"rint"].contains(&rest);
                (!is_word && !b"/,.:;|)]}[".contains(byte)).then_some(glued)
            }
            Some(_) | None => None,
        }
    }

    /// The next argument, unless it is a flag: then the program asks.
    fn next_value(&self, end: usize) -> Option<usize> {
        let n_blank = self.bytes[end..].iter().take_while(|byte| **byte == b' ').count();
        let from = end + n_blank;
        self.bytes.get(from).filter(|byte| !b"-`|;&<>\n)".contains(byte)).map(|_| from)
    }

    /// Whether the quote at `at` ends one that the whole command stands in.
    fn closes_quote(&self, at: usize) -> bool {
        let quote_at = at + self.bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
        let before = &self.bytes[at.saturating_sub(MAX_BACK)..at];
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let quote = self.bytes.get(quote_at);
        let n_open = line.iter().filter(|byte| Some(*byte) == quote).count();
        // An escaped quote inside a quoted command opens a value.
        let opens = at == quote_at && n_open % 2 == 0 || at < quote_at && n_open % 2 == 1;
        !opens
    }

    fn word(&mut self, start: usize, end: usize) -> Option<Span<'static>> {
        let word = &self.bytes[start..end];
        let found = match self.program.rest {
            Rest::Pairs if self.words.contains(&&b"kv"[..]) => self.secret(start, Part::Pair),
            Rest::Named if self.words.ends_with(&[b"configure", b"set"]) => self.named(start, end),
            Rest::Pairs | Rest::Named | Rest::Third | Rest::Nothing => None,
        };
        let is_pair = word.contains(&b'=');
        self.n_in_row += usize::from(!is_pair);
        if self.words.len() < MAX_WORDS {
            self.words.push(word);
        }
        found
    }

    /// The value behind a telling name: `aws_secret_access_key X`.
    fn named(&self, start: usize, end: usize) -> Option<Span<'static>> {
        let key = keys::key(&self.bytes[start..end])?;
        let from = self.next_value(end)?;
        assign::judge(self.bytes, assign::read_value(self.bytes, from, Setting::Literal)?, key)
    }

    /// The third word behind `-b`, the second behind `-nb`.
    fn third(&self, start: usize, end: usize) -> Option<Span<'static>> {
        let letters = &self.bytes[start..end];
        let n_before = if letters.contains(&b'n') { 1 } else { 2 };
        let mut at = letters.contains(&b'b').then_some(end)?;
        for _ in 0..n_before {
            let from = self.next_value(at)?;
            at = self.argument_end(from, word_end(self.bytes, from));
        }
        self.secret(self.next_value(at)?, Part::All)
    }

    /// The secret part of the value at `from`.
    fn secret(&self, from: usize, part: Part) -> Option<Span<'static>> {
        let value = assign::read_value(self.bytes, from, Setting::Literal)?;
        let (start, end) = (value.start, assign::whole_end(self.bytes, &value));
        let text = self.bytes.get(start..end)?;
        match part {
            Part::All => hidden(self.bytes, start, end),
            Part::Behind(sign) => {
                let n_user = text.iter().position(|byte| *byte == sign)?;
                hidden(self.bytes, start + n_user + 1, end)
            }
            Part::Pass => {
                text.starts_with(b"pass:").then(|| hidden(self.bytes, start + 5, end)).flatten()
            }
            Part::Pair => self.pair(&value, start, end, |_| Some(PASSWORD)),
            Part::Settings => {
                let length = text.iter().position(|byte| *byte == b',').unwrap_or(text.len());
                self.pair(&value, start, start + length, keys::key)
            }
        }
    }

    /// The value of `name=value` between `start` and `end`.
    fn pair(
        &self,
        value: &Value,
        start: usize,
        end: usize,
        key: impl Fn(&[u8]) -> Option<Key>,
    ) -> Option<Span<'static>> {
        let n_name = self.bytes[start..end].iter().position(|byte| *byte == b'=')?;
        let name = &self.bytes[start..start + n_name];
        let key = key(&name[name.len().saturating_sub(keys::MAX_NAME)..])?;
        let from = start + n_name + 1;
        if from == end && value.end == end {
            // `name="value"`: the quote opens behind the sign.
            let quoted = assign::read_value(self.bytes, from, Setting::Literal)?;
            return assign::judge(self.bytes, quoted, key);
        }
        let judged = self.bytes.get(from..end)?;
        let is_secret =
            !judged.starts_with(b"@") && value::is_secret(judged, key, Setting::Literal);
        is_secret.then_some(Span { start: from, end, family: key.family, rank: Rank::Assigned })
    }
}

/// Up to a blank, a quote or a sign of the shell.
fn word_end(bytes: &[u8], from: usize) -> usize {
    let ends = |at: usize| {
        let is_escape = || bytes.get(at + 1).is_some_and(|next| b"nrt\"'\n".contains(next));
        let byte = bytes[at];
        byte.is_ascii_whitespace() || b"\"'`;|&".contains(&byte) || byte == b'\\' && is_escape()
    };
    (from..bytes.len()).find(|at| ends(*at)).unwrap_or(bytes.len())
}

/// What such a flag carries is secret, unless it is a placeholder.
fn hidden(bytes: &[u8], start: usize, end: usize) -> Option<Span<'static>> {
    let text = bytes.get(start..end)?;
    let is_name = text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    let is_ports = text.contains(&b':')
        && text.iter().all(|byte| byte.is_ascii_digit() || b":.".contains(byte));
    let stays = text.len() < 2 || is_name || is_ports || value::is_reference(text);
    let stays = stays || value::is_plain(text);
    (!stays).then_some(Span { start, end, family: PASSWORD.family, rank: Rank::Assigned })
}
