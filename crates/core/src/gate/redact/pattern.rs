//! What does a rule of the user's own match?
//!
//! Patterns are what a token format needs and no more: characters, classes, repetition.
//! `corp_[A-Za-z0-9]{20,}` is one. Without groups and alternatives a pattern is a chain
//! of steps, and one walk over the text follows all beginnings at once: the time is the
//! length of the text times the length of the pattern, whatever either holds.

use std::fmt;

/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 200;

/// Most steps of a pattern with its repetitions written out.
const MAX_STEPS: usize = 256;

/// A rule that matches less would take ordinary words out of every text.
const MIN_MATCH: usize = 4;

/// Why a pattern is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    Empty,
    TooLong,
    /// `( ) | ^ $` and their like.
    Unsupported(char),
    /// `[` without `]`, or nothing in it.
    Class,
    /// `{` without a number and `}`, or a repetition of nothing.
    Repetition,
    /// Ends in a backslash, or an unknown letter behind it.
    Escape,
    /// Could match fewer than four characters.
    TooShort,
    /// The name of a rule.
    Name,
    /// An entry of the allow list says too little.
    Allowed,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Empty => f.write_str("the pattern is empty"),
            Flaw::TooLong => write!(
                f,
                "the pattern is longer than {MAX_PATTERN} bytes, or than {MAX_STEPS} with its \
                 repetitions"
            ),
            Flaw::Unsupported(c) => write!(
                f,
                "{c} is not supported: a pattern has characters, classes and repetition; put \\ \
                 before a character that is meant itself"
            ),
            Flaw::Class => f.write_str("a class needs its ] and something inside, in ASCII"),
            Flaw::Repetition => {
                f.write_str("a repetition is ?, *, +, {n}, {n,} or {n,m}, behind what it repeats")
            }
            Flaw::Escape => f.write_str("behind \\ stands d, w, s or a sign"),
            Flaw::TooShort => {
                write!(f, "the pattern must match at least {MIN_MATCH} characters")
            }
            Flaw::Name => f.write_str("a rule's name has at most 32 letters, digits, - and _"),
            Flaw::Allowed => {
                write!(f, "each allowed text needs at least {MIN_MATCH} characters besides *")
            }
        }
    }
}

/// A pattern, read and found to be one.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    atoms: Vec<Atom>,
}

/// So many bytes of a set.
#[derive(Debug, Clone)]
struct Atom {
    set: Bytes,
    min: usize,
    /// `None` for any number.
    max: Option<usize>,
}

/// A set of bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Bytes([u64; 4]);

impl Bytes {
    fn of(has: impl Fn(u8) -> bool) -> Bytes {
        let mut set = Bytes::default();
        (0..=u8::MAX).filter(|byte| has(*byte)).for_each(|byte| set.add(byte));
        set
    }

    fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0
    }

    fn join(&mut self, other: &Bytes) {
        self.0.iter_mut().zip(other.0).for_each(|(bits, more)| *bits |= more);
    }

    fn without_case(self) -> Bytes {
        Bytes::of(|byte| self.has(byte.to_ascii_lowercase()) || self.has(byte.to_ascii_uppercase()))
    }
}

impl Pattern {
    /// Reads a pattern. `(?i)` at its beginning makes case not count.
    pub(super) fn parse(text: &str) -> Result<Pattern, Flaw> {
        if text.len() > MAX_PATTERN {
            return Err(Flaw::TooLong);
        }
        let (text, any_case) = match text.strip_prefix("(?i)") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let mut reader = Reader { rest: text.as_bytes() };
        let mut atoms = Vec::new();
        while !reader.rest.is_empty() {
            let set = reader.set()?;
            let (min, max) = reader.repetition()?;
            atoms.push(Atom { set: if any_case { set.without_case() } else { set }, min, max });
        }
        check(&atoms)?;
        Ok(Pattern { atoms })
    }

    /// Every match in `bytes`, as `(start, end)`, in order; overlapping ones are one.
    pub(super) fn find(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        Walk::new(self).over(bytes)
    }
}

fn check(atoms: &[Atom]) -> Result<(), Flaw> {
    let n_steps: usize = atoms.iter().map(|atom| atom.max.unwrap_or(atom.min + 1)).sum();
    let n_least: usize = atoms.iter().map(|atom| atom.min).sum();
    match () {
        () if atoms.is_empty() => Err(Flaw::Empty),
        () if n_steps > MAX_STEPS => Err(Flaw::TooLong),
        () if n_least < MIN_MATCH => Err(Flaw::TooShort),
        () => Ok(()),
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn set(&mut self) -> Result<Bytes, Flaw> {
        match self.next().ok_or(Flaw::Empty)? {
            b'[' => self.class(),
            b'\\' => self.escape(),
            b'.' => Ok(Bytes::of(|byte| byte != b'\n')),
            b'?' | b'*' | b'+' | b'{' | b'}' => Err(Flaw::Repetition),
            byte @ (b'(' | b')' | b'|' | b'^' | b'$' | b']') => {
                Err(Flaw::Unsupported(char::from(byte)))
            }
            byte => Ok(Bytes::of(|other| other == byte)),
        }
    }

    fn escape(&mut self) -> Result<Bytes, Flaw> {
        match self.next().ok_or(Flaw::Escape)? {
            b'd' => Ok(Bytes::of(|byte| byte.is_ascii_digit())),
            b'w' => Ok(Bytes::of(|byte| byte.is_ascii_alphanumeric() || byte == b'_')),
            b's' => Ok(Bytes::of(|byte| byte.is_ascii_whitespace())),
            byte if byte.is_ascii_punctuation() => Ok(Bytes::of(|other| other == byte)),
            _ => Err(Flaw::Escape),
        }
    }

    fn class(&mut self) -> Result<Bytes, Flaw> {
        let negated = self.rest.first() == Some(&b'^');
        self.rest = &self.rest[usize::from(negated)..];
        let mut set = Bytes::default();
        let mut is_empty = true;
        loop {
            let byte = self.next().ok_or(Flaw::Class)?;
            match byte {
                b']' if is_empty => return Err(Flaw::Class),
                b']' => break,
                b'\\' => set.join(&self.escape()?),
                _ if !byte.is_ascii() => return Err(Flaw::Class),
                first => {
                    let last = self.range_end(first)?;
                    (first..=last).for_each(|byte| set.add(byte));
                }
            }
            is_empty = false;
        }
        Ok(if negated { Bytes::of(|byte| !set.has(byte)) } else { set })
    }

    /// The end of `a-z`, or `first` itself where no range begins.
    fn range_end(&mut self, first: u8) -> Result<u8, Flaw> {
        let [b'-', last, ..] = *self.rest else {
            return Ok(first);
        };
        if last == b']' {
            return Ok(first);
        }
        self.rest = &self.rest[2..];
        if last < first || !last.is_ascii() || last == b'\\' { Err(Flaw::Class) } else { Ok(last) }
    }

    fn repetition(&mut self) -> Result<(usize, Option<usize>), Flaw> {
        let found = match self.rest.first() {
            Some(b'?') => (0, Some(1)),
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'{') => return self.counted(),
            Some(_) | None => return Ok((1, Some(1))),
        };
        self.rest = &self.rest[1..];
        Ok(found)
    }

    fn counted(&mut self) -> Result<(usize, Option<usize>), Flaw> {
        let length = self.rest.iter().position(|&byte| byte == b'}').ok_or(Flaw::Repetition)?;
        let inner = std::str::from_utf8(&self.rest[1..length]).map_err(|_| Flaw::Repetition)?;
        self.rest = &self.rest[length + 1..];
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| Flaw::Repetition);
        let (min, max) = match inner.split_once(',') {
            None => (number(inner)?, Some(number(inner)?)),
            Some((min, "")) => (number(min)?, None),
            Some((min, max)) => (number(min)?, Some(number(max)?)),
        };
        let is_real = max.is_none_or(|max| max >= min && max > 0);
        let fits = min <= MAX_STEPS && max.unwrap_or(0) <= MAX_STEPS;
        if !is_real {
            return Err(Flaw::Repetition);
        }
        if fits { Ok((min, max)) } else { Err(Flaw::TooLong) }
    }
}

/// A step of the chain.
#[derive(Clone, Copy)]
struct Step<'a> {
    set: &'a Bytes,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Once,
    Optional,
    /// Any number of times.
    Loop,
}

/// For each step, where the earliest match began that waits before it.
struct Walk<'a> {
    steps: Vec<Step<'a>>,
    waiting: Vec<usize>,
    /// The same after the next byte; kept to be filled again.
    next: Vec<usize>,
    /// Which bytes can begin a match.
    first: Bytes,
}

const NOBODY: usize = usize::MAX;

impl<'a> Walk<'a> {
    fn new(pattern: &'a Pattern) -> Walk<'a> {
        let mut steps = Vec::new();
        for atom in &pattern.atoms {
            let step = |kind| Step { set: &atom.set, kind };
            steps.extend(std::iter::repeat_n(step(Kind::Once), atom.min));
            match atom.max {
                Some(max) => {
                    steps.extend(std::iter::repeat_n(step(Kind::Optional), max - atom.min))
                }
                None => steps.push(step(Kind::Loop)),
            }
        }
        let mut first = Bytes::default();
        for step in &steps {
            first.join(step.set);
            if step.kind == Kind::Once {
                break;
            }
        }
        let waiting = vec![NOBODY; steps.len() + 1];
        Walk { steps, next: waiting.clone(), waiting, first }
    }

    fn over(mut self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let mut is_idle = true;
        for (at, &byte) in bytes.iter().enumerate() {
            if is_idle && !self.first.has(byte) {
                continue;
            }
            is_idle = self.step(at, byte);
            let start = self.waiting[self.steps.len()];
            match found.last_mut() {
                _ if start == NOBODY => {}
                Some((_, end)) if start < *end => *end = at + 1,
                Some(_) | None => found.push((start, at + 1)),
            }
        }
        found
    }

    /// Takes one byte; says whether nothing is under way any more.
    fn step(&mut self, at: usize, byte: u8) -> bool {
        self.waiting[0] = self.waiting[0].min(at);
        self.pass_over_optional();
        self.next.fill(NOBODY);
        for (index, step) in self.steps.iter().enumerate() {
            let start = self.waiting[index];
            if start == NOBODY || !step.set.has(byte) {
                continue;
            }
            let to = if step.kind == Kind::Loop { index } else { index + 1 };
            self.next[to] = self.next[to].min(start);
        }
        std::mem::swap(&mut self.waiting, &mut self.next);
        self.pass_over_optional();
        self.waiting.iter().all(|start| *start == NOBODY)
    }

    fn pass_over_optional(&mut self) {
        for (index, step) in self.steps.iter().enumerate() {
            if step.kind != Kind::Once {
                self.waiting[index + 1] = self.waiting[index + 1].min(self.waiting[index]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: &[&str]) {
        let pattern = Pattern::parse(pattern).expect("the pattern is one");
        let found: Vec<&str> =
            pattern.find(text.as_bytes()).into_iter().map(|(a, b)| &text[a..b]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn patterns_match() {
        check(
            "corp_[a-z0-9]{4,}",
            "a corp_ab12cd, b corp_x corp_0000",
            &["corp_ab12cd", "corp_0000"],
        );
        check("[a-z]+_[0-9]{2}", "key_12 x_345", &["key_12", "x_34"]);
        check("[a-z_]+_end", "a_b_end", &["a_b_end"]);
        check("ab?c*d{2}e", "abde add acccdde", &["acccdde"]);
        check("(?i)tok-\\d{3}", "TOK-123 tok-456", &["TOK-123", "tok-456"]);
        check("x\\.[^ ]{3}", "xaabc x.a1! y", &["x.a1!"]);
        check("größe\\d", "die größe1", &["größe1"]);
        check("aaaa", "aaaaaa", &["aaaaaa"]);
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        let cases = [
            ("", Flaw::Empty),
            ("(a|b)cccc", Flaw::Unsupported('(')),
            ("^corp", Flaw::Unsupported('^')),
            ("corp_[a-z", Flaw::Class),
            ("corp_[]", Flaw::Class),
            ("corp_[z-a]", Flaw::Class),
            ("*corp", Flaw::Repetition),
            ("corp_a{", Flaw::Repetition),
            ("corp_a{3,2}", Flaw::Repetition),
            ("corp_a++", Flaw::Repetition),
            ("corp_\\", Flaw::Escape),
            ("corp_\\b", Flaw::Escape),
            (".*", Flaw::TooShort),
            ("abc", Flaw::TooShort),
            ("corp_a{9999}", Flaw::TooLong),
        ];
        for (pattern, flaw) in cases {
            assert_eq!(Pattern::parse(pattern).map(|_| ()), Err(flaw), "{pattern}");
        }
    }
}
