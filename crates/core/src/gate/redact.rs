//! Which parts of a text are secrets, and what does the text look like without them?
//!
//! Every path into memory passes here before the first durable byte. The scan
//! is a handful of hand-written linear passes over the bytes: nothing is
//! compiled at start, nothing backtracks. What counts as a secret is said in
//! `shapes` (providers' shapes), `assign` (values under telling names), `command`
//! (arguments of programs), `sentence` (prose) and `user_rules` (the user's wishes); cleaning and
//! limiting the text are other steps of the gate.

mod assign;
mod command;
mod entropy;
mod fold;
mod keys;
mod listed;
mod marks;
mod name;
mod pattern;
mod plain;
mod programs;
mod scan;
mod sentence;
mod shapes;
mod user_rules;
mod value;
mod wire;

#[cfg(test)]
mod tests;

use marks::Span;
use shapes::{Edge, SHAPES, Shape};

pub use pattern::Flaw;
pub use user_rules::{Wishes, check_allow, check_rule};

/// A text without its secrets, and what was taken out of it.
///
/// Holds no secret: neither the text nor a hit carries any part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'r> {
    /// The input with each secret replaced by `[redacted:<family>]` and each
    /// private passage by `[private]`; everything else is unchanged.
    pub text: String,
    /// One entry per replacement, ordered by place.
    pub hits: Vec<Hit<'r>>,
}

/// One replaced passage: its family and its place, never its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'r> {
    /// The name that stands in the replacement, or `private`.
    pub family: &'r str,
    /// Byte offset in the input where the replaced passage began.
    pub at: usize,
}

/// The rules a text is held against, made ready for scanning.
///
/// Making them costs some ten microseconds, so a short-lived process can do it
/// at its start; a long-lived one keeps them.
#[derive(Debug, Clone)]
pub struct Rules {
    /// For each byte, the shapes that can begin with it, in table order.
    by_first: Vec<Vec<Start>>,
    own: user_rules::Own,
}

/// What can be said about a shape's beginning without going to the shape.
#[derive(Debug, Clone, Copy)]
struct Start {
    second: Option<u8>,
    edge: Edge,
    shape: &'static Shape,
}

impl Rules {
    /// The built-in families.
    pub fn standard() -> Rules {
        let mut by_first = vec![Vec::new(); 256];
        for shape in SHAPES {
            let lead = shape.lead.as_bytes();
            let start = Start { second: lead.get(1).copied(), edge: shape.edge, shape };
            match lead.first() {
                Some(&first) => by_first[usize::from(first)].push(start),
                None => (0..=u8::MAX)
                    .filter(|byte| shape.body.set.has(*byte))
                    .for_each(|byte| by_first[usize::from(byte)].push(start)),
            }
        }
        Rules { by_first, own: user_rules::Own::default() }
    }

    /// The same with the user's wishes. They are made ready by the first text.
    pub fn with(self, wishes: Wishes) -> Rules {
        Rules { own: user_rules::Own::new(wishes), ..self }
    }

    /// The shapes worth trying at `at`, most telling first.
    ///
    /// The scan asks this for every byte of every text, hence the two checks here.
    fn starting_at<'a>(
        &'a self,
        bytes: &'a [u8],
        at: usize,
    ) -> impl Iterator<Item = &'static Shape> + 'a {
        let second = bytes.get(at + 1).copied();
        let fits = move |start: &&Start| start.second.is_none() || start.second == second;
        let allowed = move |start: &&Start| start.edge == Edge::Any || scan::starts_word(bytes, at);
        self.by_first[usize::from(bytes[at])]
            .iter()
            .filter(fits)
            .filter(allowed)
            .map(|start| start.shape)
    }
}

/// How often a text with replacements is looked at again.
///
/// A replacement changes what its neighbors stand next to, so a second look
/// can find more; the corpus and the random texts of the tests settle in two.
/// The bound keeps hostile text from buying one pass per byte.
const MAX_PASSES: usize = 6;

/// Takes the secrets out of `text`.
///
/// - Any text is accepted; a text without secrets comes back unchanged.
/// - Only the secret goes: the key of `key=value`, the user and host of a URL
///   and the word `Bearer` stay readable.
/// - Overlapping finds become one replacement that covers them all, named by
///   the most telling one.
/// - Redacting the result again changes nothing.
/// - Time grows linearly with the length of the text, whatever it holds.
///
/// An unclosed `<private>` hides everything to the end of the text.
pub fn redact<'r>(text: &str, rules: &'r Rules) -> Redacted<'r> {
    let mut spans = find(text, rules);
    let mut shown = marks::render(text, &spans);
    for _ in 1..MAX_PASSES {
        // A text without any find needs no second look: nothing moved.
        let more = if spans.is_empty() { Vec::new() } else { find(&shown, rules) };
        if more.is_empty() {
            break;
        }
        spans = marks::join(text, spans, &more);
        shown = marks::render(text, &spans);
    }
    let hits = spans.iter().map(|span| Hit { family: span.family, at: span.start }).collect();
    Redacted { text: shown, hits }
}

/// All secrets of `text` as disjoint spans in order.
fn find<'r>(text: &str, rules: &'r Rules) -> Vec<Span<'r>> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    marks::find_private(bytes, &mut spans);
    wire::find_keys(bytes, &mut spans);
    rules.own.find(bytes, &mut spans);
    scan::find_shapes(bytes, rules, &mut spans);
    wire::find_schemes(bytes, &mut spans);
    wire::find_url_passwords(bytes, &mut spans);
    assign::find_values(bytes, &mut spans);
    command::find_arguments(bytes, &mut spans);
    sentence::find_said(bytes, &mut spans);
    entropy::find_random(bytes, &mut spans);
    fold::follow(bytes, &mut spans);
    rules.own.spare(text, &mut spans);
    marks::spare_marks(bytes, marks::merge(text, spans))
}
