//! What does a rule of the user's own match?
//!
//! A rule is a regular expression over bytes: ASCII classes, groups, alternatives, repetition,
//! word boundaries. `regex-automata` compiles it to an NFA; the walk over a text is ours. It
//! follows all beginnings at once, so that the time is the length of the text times the
//! number of states, and matches that overlap are hidden as one: no end of a longer token is
//! left. `regex-lite` would be 82 KB instead of
//! 342 KB, but finds one match after the other: what overlaps stays, and the worst case is
//! the square of the text.

use std::fmt;

use regex_automata::nfa::thompson::{Compiler, Config, NFA, State, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;

/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 200;

/// Most memory for its steps, with repetitions written out: about a thousand of them.
const MAX_STEP_BYTES: usize = 32 << 10;

/// A rule that matches less would take ordinary words out of every text.
pub(super) const MIN_MATCH: usize = 4;

/// What is wrong with a user's rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    Empty,
    TooLong,
    /// Not a regular expression, and why not.
    Syntax(String),
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
                "the pattern is longer than {MAX_PATTERN} bytes, or too long with its repetitions"
            ),
            Flaw::Syntax(why) => write!(
                f,
                "the pattern is not a regular expression: {why}; put \\ before a character that \
                 is meant itself"
            ),
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

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    steps: NFA,
    /// Which bytes can begin a match.
    first: Vec<bool>,
}

impl Pattern {
    pub(super) fn parse(text: &str) -> Result<Pattern, Flaw> {
        if text.is_empty() {
            return Err(Flaw::Empty);
        }
        if text.len() > MAX_PATTERN {
            return Err(Flaw::TooLong);
        }
        let rules = syntax::Config::new().unicode(false).utf8(false);
        let parsed = syntax::parse_with(text, &rules).map_err(|error| {
            // The last line says what is wrong, those before show where.
            let message = error.to_string();
            Flaw::Syntax(message.rsplit("error: ").next().unwrap_or_default().to_owned())
        })?;
        if parsed.properties().minimum_len().is_none_or(|n| n < MIN_MATCH) {
            return Err(Flaw::TooShort);
        }
        let limits = Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MAX_STEP_BYTES));
        let steps = Compiler::new().configure(limits).build_from_hir(&parsed);
        let steps = steps.map_err(|_| Flaw::TooLong)?;
        let first = first_bytes(&steps);
        Ok(Pattern { steps, first })
    }

    /// Every match in `bytes`, as `(start, end)`, in order; overlapping ones are one.
    pub(super) fn find(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut here = Threads::before(&self.steps);
        let mut next = Threads::before(&self.steps);
        for at in 0..=bytes.len() {
            let byte = bytes.get(at).copied();
            if byte.is_some_and(|byte| self.first[usize::from(byte)]) {
                here.reach(&self.steps, self.steps.start_anchored(), at, |look| {
                    self.steps.look_matcher().matches(look, bytes, at)
                });
            }
            if let Some(start) = here.matched.take() {
                join(&mut found, start, at);
            }
            for &(step, start) in &here.waiting {
                let to = byte.and_then(|byte| after(self.steps.state(step), byte));
                if let Some(to) = to {
                    next.reach(&self.steps, to, start, |look| {
                        self.steps.look_matcher().matches(look, bytes, at + 1)
                    });
                }
            }
            here.clear();
            std::mem::swap(&mut here, &mut next);
        }
        found
    }
}

/// Adds a match that ends behind all earlier ones.
fn join(found: &mut Vec<(usize, usize)>, mut start: usize, end: usize) {
    while let Some((earlier, _)) = found.pop_if(|(_, end)| start < *end) {
        start = start.min(earlier);
    }
    found.push((start, end));
}

/// Which steps are under way at one place of a text.
struct Threads {
    /// Steps that wait for a byte, each with the earliest beginning that leads to it; in the
    /// order of their beginnings.
    waiting: Vec<(StateID, usize)>,
    /// Where the earliest match began that ends here.
    matched: Option<usize>,
    is_reached: Vec<bool>,
    reached: Vec<StateID>,
    /// Steps that are still to be gone to; empty in between.
    left: Vec<StateID>,
}

impl Threads {
    fn before(steps: &NFA) -> Threads {
        let is_reached = vec![false; steps.states().len()];
        let (waiting, reached, left) = (Vec::new(), Vec::new(), Vec::new());
        Threads { waiting, matched: None, is_reached, reached, left }
    }

    /// Goes to a step and to all that follow it without a byte. Earlier beginnings come first,
    /// so a step that was reached needs no second visit.
    fn reach(&mut self, steps: &NFA, to: StateID, start: usize, holds: impl Fn(Look) -> bool) {
        self.left.push(to);
        while let Some(step) = self.left.pop() {
            if std::mem::replace(&mut self.is_reached[step], true) {
                continue;
            }
            self.reached.push(step);
            match steps.state(step) {
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => {
                    self.waiting.push((step, start));
                }
                State::Match { .. } => self.matched = self.matched.or(Some(start)),
                State::Look { look, next } => {
                    self.left.extend(Some(*next).filter(|_| holds(*look)))
                }
                State::Union { alternates } => self.left.extend(alternates.iter()),
                State::BinaryUnion { alt1, alt2 } => self.left.extend([*alt1, *alt2]),
                State::Capture { next, .. } => self.left.push(*next),
                State::Fail => {}
            }
        }
    }

    fn clear(&mut self) {
        self.waiting.clear();
        self.matched = None;
        for step in self.reached.drain(..) {
            self.is_reached[step] = false;
        }
    }
}

fn after(step: &State, byte: u8) -> Option<StateID> {
    match step {
        State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
        State::Sparse(transitions) => transitions.matches_byte(byte),
        State::Dense(transitions) => transitions.matches_byte(byte),
        // The others wait for no byte.
        _ => None,
    }
}

fn first_bytes(steps: &NFA) -> Vec<bool> {
    let mut threads = Threads::before(steps);
    threads.reach(steps, steps.start_anchored(), 0, |_| true);
    let begins =
        |byte| threads.waiting.iter().any(|(step, _)| after(steps.state(*step), byte).is_some());
    (0..=u8::MAX).map(begins).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: &[&str]) {
        let pattern = Pattern::parse(pattern).expect("the pattern is valid");
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
        check("(?:AKIA|ASIA)[A-Z0-9]{4}", "AKIA1234, ASIAX, ASIAXXXXX", &["AKIA1234", "ASIAXXXX"]);
        check("\\bcorp\\d\\b", "xcorp1 corp2 corp33 corp4", &["corp2", "corp4"]);
        check("^corp\\d$", "corp1", &["corp1"]);
        check("abcdefgh|cdef", "abcdefgh cdef abcdefg", &["abcdefgh", "cdef", "cdef"]);
    }

    #[test]
    fn a_flawed_pattern_says_why() {
        let cases = [
            ("", Flaw::Empty),
            (".*", Flaw::TooShort),
            ("abc", Flaw::TooShort),
            ("corp|key", Flaw::TooShort),
            ("corp_a{9999}", Flaw::TooLong),
            ("((((a{50}){50}){50}){50})", Flaw::TooLong),
        ];
        for (pattern, flaw) in cases {
            assert_eq!(Pattern::parse(pattern).map(|_| ()), Err(flaw), "{pattern}");
        }
        for pattern in [
            "corp_[a-z",
            "corp_[]",
            "corp_[z-a]",
            "*corp",
            "corp_a{",
            "corp_a{3,2}",
            "corp_\\",
            "(corp",
        ] {
            let flaw = Pattern::parse(pattern).map(|_| ()).unwrap_err();
            assert!(matches!(flaw, Flaw::Syntax(_)), "{pattern}: {flaw}");
            assert!(!flaw.to_string().contains('\n'), "{flaw}");
        }
    }

    /// A pattern for which finding one match after the other takes the square of the text.
    #[test]
    fn no_pattern_makes_a_text_slow() {
        let pattern = Pattern::parse("[^b]*bbbb|aaaa").expect("the pattern is valid");
        let text = "a".repeat(1 << 20);
        assert_eq!(pattern.find(text.as_bytes()), [(0, 1 << 20)]);
    }
}
