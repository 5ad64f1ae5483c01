//! Which parts of a text are secrets, and what does the text look like without them?
//!
//! Every path into memory passes here before the first durable byte. The scan is a handful
//! of linear passes over the bytes: nothing backtracks. What counts as a secret is decided
//! in `shapes` (providers' shapes), `wire` (key blocks, headers, URLs), `assign` (values
//! under names that announce a secret), `manifest` (Kubernetes), `command` (arguments), `sentence`
//! (prose), `entropy` (random tokens) and `user_rules`.

mod assign;
mod coded;
mod command;
mod entropy;
mod fold;
mod keys;
mod manifest;
mod marks;
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

use marks::{Rank, Span};

pub use pattern::Flaw;
pub(super) use user_rules::Rules;
pub use user_rules::{UserRules, check_allow, check_rule};

/// How often a text with replacements is scanned again.
///
/// A replacement changes what its neighbors stand next to, so a second pass can find more;
/// the corpus and the random texts of the tests settle in two. The bound keeps hostile
/// text from costing one pass per byte.
const MAX_PASSES: usize = 6;

/// Takes the secrets out of `text`.
///
/// - Only the secret goes: the key of `key=value`, the user and host of a URL
///   and the word `Bearer` stay readable.
/// - Overlapping finds become one replacement, named by the most telling one.
/// - Redacting the result again changes nothing.
/// - Time grows linearly with the length of the text, whatever it holds.
pub(super) fn redact(text: &str, rules: &Rules) -> String {
    let mut shown = text.to_owned();
    for _ in 0..MAX_PASSES {
        let spans = find(&shown, rules);
        if spans.is_empty() {
            break;
        }
        shown = marks::render(&shown, &spans);
    }
    shown
}

/// The family of the first secret in `text`.
pub(super) fn first_family<'r>(text: &str, rules: &'r Rules) -> Option<&'r str> {
    find(text, rules).first().map(|span| span.family)
}

/// All secrets of `text` as disjoint spans in order.
fn find<'r>(text: &str, rules: &'r Rules) -> Vec<Span<'r>> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    marks::find_private(bytes, &mut spans);
    wire::find_keys(bytes, &mut spans);
    rules.find(bytes, &mut spans);
    scan::find_shapes(bytes, &mut spans);
    wire::find_schemes(bytes, &mut spans);
    wire::find_url_passwords(bytes, &mut spans);
    assign::find_values(bytes, &mut spans);
    manifest::find_data(bytes, &mut spans);
    command::find_arguments(bytes, &mut spans);
    sentence::find_stated(bytes, &mut spans);
    entropy::find_random(bytes, &mut spans);
    spans.retain(|span| {
        span.rank != Rank::Random || !is_coded_plain(&bytes[span.start..span.end], rules)
    });
    fold::follow(bytes, &mut spans);
    rules.spare(text, &mut spans);
    marks::spare_marks(bytes, marks::merge(text, spans))
}

/// A document in base64 looks random and says no more than it does when it is read.
fn is_coded_plain(token: &[u8], rules: &Rules) -> bool {
    coded::document(token).is_some_and(|text| find(&text, rules).is_empty())
}

/// Where the standard rules find a secret, in order, as `(start, end)`.
pub(super) fn secrets_of(text: &str) -> Vec<(usize, usize)> {
    find(text, &Rules::default()).iter().map(|span| (span.start, span.end)).collect()
}
