//! What does the user add to the built-in rules, and what do they allow?
//!
//! The rules come from the user's settings as plain text; they are compiled when the first
//! text is scanned, so that a process which scans none does not pay. `<private>` passages
//! and key blocks are hidden whatever is allowed.

use std::sync::OnceLock;

use super::marks::{Rank, Span};
use super::pattern::{Flaw, MIN_MATCH, Pattern};

/// The user's rules and exceptions as they wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserRules {
    /// Names and patterns of what is hidden as well.
    pub rules: Vec<(String, String)>,
    /// Texts that are not secrets, separated by commas; `*` matches anything.
    pub allow: String,
}

/// Longest name of a rule.
const MAX_NAME: usize = 32;

/// What is wrong with a rule, if something is.
pub fn check_rule(name: &str, pattern: &str) -> Result<(), Flaw> {
    mark_name(name)?;
    Pattern::parse(pattern).map(|_| ())
}

/// What is wrong with a list of allowed texts, if something is.
pub fn check_allow(list: &str) -> Result<(), Flaw> {
    let is_enough = entries(list).all(|entry| n_literal(entry) >= MIN_MATCH);
    if is_enough { Ok(()) } else { Err(Flaw::Allowed) }
}

fn n_literal(entry: &str) -> usize {
    entry.chars().filter(|c| *c != '*').count()
}

fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// The name as it stands in a replacement.
fn mark_name(name: &str) -> Result<String, Flaw> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let fits = (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_part);
    if fits { Ok(name.to_ascii_lowercase().replace('_', "-")) } else { Err(Flaw::Name) }
}

/// The built-in rules with those of the user.
#[derive(Debug, Clone, Default)]
pub(in crate::gate) struct Rules {
    user: UserRules,
    compiled: OnceLock<Compiled>,
}

#[derive(Debug, Clone, Default)]
struct Compiled {
    rules: Vec<(String, Pattern)>,
    /// Without `*`.
    exact: Vec<String>,
    globs: Vec<String>,
}

impl Rules {
    pub(in crate::gate) fn with(user: UserRules) -> Rules {
        Rules { user, compiled: OnceLock::new() }
    }

    fn compiled(&self) -> Option<&Compiled> {
        let is_none = self.user.rules.is_empty() && self.user.allow.is_empty();
        (!is_none).then(|| self.compiled.get_or_init(|| Compiled::from_rules(&self.user)))
    }

    /// Adds a span for everything that a rule of the user's matches.
    pub(super) fn find<'r>(&'r self, bytes: &[u8], spans: &mut Vec<Span<'r>>) {
        for (name, pattern) in self.compiled().into_iter().flat_map(|compiled| &compiled.rules) {
            let span = |(start, end)| Span { start, end, family: name, rank: Rank::Own };
            spans.extend(pattern.find(bytes).into_iter().map(span));
        }
    }

    /// Drops the spans that the user allows.
    pub(super) fn spare(&self, text: &str, spans: &mut Vec<Span<'_>>) {
        let Some(compiled) = self.compiled().filter(|_| !spans.is_empty()) else {
            return;
        };
        let exact = compiled.exact.iter().flat_map(|entry| text.match_indices(entry.as_str()));
        let places: Vec<(usize, usize)> = exact.map(|(at, entry)| (at, at + entry.len())).collect();
        spans.retain(|span| {
            let within = |(start, end): &(usize, usize)| *start <= span.start && span.end <= *end;
            let value = &text.as_bytes()[span.start..span.end];
            let is_like = |glob: &String| matches_glob(value, glob.as_bytes());
            let is_allowed = places.iter().any(within) || compiled.globs.iter().any(is_like);
            matches!(span.rank, Rank::Private | Rank::Block) || !is_allowed
        });
    }
}

impl Compiled {
    /// Flawed rules were reported when the settings were read; the others apply.
    fn from_rules(user: &UserRules) -> Compiled {
        let rule = |(name, pattern): &(String, String)| {
            Some((mark_name(name).ok()?, Pattern::parse(pattern).ok()?))
        };
        let allowed = entries(&user.allow).filter(|entry| n_literal(entry) >= MIN_MATCH);
        let (globs, exact) = allowed.map(str::to_owned).partition(|entry| entry.contains('*'));
        Compiled { rules: user.rules.iter().filter_map(rule).collect(), exact, globs }
    }
}

/// Whether `value` is like `glob` as a whole; `*` is any run of bytes.
fn matches_glob(value: &[u8], glob: &[u8]) -> bool {
    let mut parts = glob.split(|&byte| byte == b'*');
    let Some(mut rest) = parts.next().and_then(|head| value.strip_prefix(head)) else {
        return false;
    };
    let parts: Vec<&[u8]> = parts.collect();
    let Some((tail, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle.iter().filter(|part| !part.is_empty()) {
        match rest.windows(part.len()).position(|window| window == *part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::super::redact;
    use super::*;

    fn shown(text: &str, rules: &[(&str, &str)], allow: &str) -> String {
        let rules = rules.iter().map(|(name, rule)| ((*name).to_owned(), (*rule).to_owned()));
        let user = UserRules { rules: rules.collect(), allow: allow.to_owned() };
        redact(text, &Rules::with(user))
    }

    #[test]
    fn a_rule_hides_what_it_matches_under_its_name() {
        let corp: &[_] = &[("Corp_Id", "corp_[a-z0-9]{6,}")];
        assert_eq!(shown("see corp_abc123xyz here", corp, ""), "see [redacted:corp-id] here");
        assert_eq!(shown("see corp_abc here", corp, ""), "see corp_abc here");
        let built_in = "password=hunter2 and corp_abc123";
        let expected = "password=[redacted:password] and [redacted:corp-id]";
        assert_eq!(shown(built_in, corp, ""), expected);
        let broken: &[_] = &[("bad", "corp_[a"), ("good", "good_\\d{4}")];
        assert_eq!(
            shown("password=hunter2 good_1234", broken, ""),
            "password=[redacted:password] [redacted:good]"
        );
    }

    #[test]
    fn what_is_allowed_stays() {
        let text = "password=hunter2, token=a1b2c3d4e5f6, postgres://ci:ci-pass9@db/test";
        let all = shown(text, &[], "");
        assert_eq!(all.matches("[redacted").count(), 3);
        assert_eq!(shown(text, &[], "hunter2, a1b2*, postgres://ci:ci-pass9@db/test"), text);
        let two = shown(text, &[], "hunter2");
        assert_eq!(two, all.replacen("[redacted:password]", "hunter2", 1));
        let longer = "password=hunter2345";
        assert_ne!(shown(longer, &[], "hunter2"), longer, "only the whole value is allowed");
        let hidden = "<private>password=hunter2</private>";
        assert_eq!(shown(hidden, &[], "<private>password=hunter2</private>, hunter2"), "[private]");
    }

    #[test]
    fn what_allows_everything_is_refused() {
        assert_eq!(check_allow("hunter2, exam*, *-fixture-*"), Ok(()));
        assert_eq!(check_allow("hunter2, *"), Err(Flaw::Allowed));
        assert_eq!(check_allow("a*b"), Err(Flaw::Allowed));
        assert_eq!(check_rule("two words", "abcd"), Err(Flaw::Name));
        assert_eq!(shown("password=hunter2", &[], "*"), "password=[redacted:password]");
    }

    #[test]
    fn globs_match_whole_values() {
        for (value, glob, expected) in [
            ("abcdef", "abc*", true),
            ("abcdef", "*def", true),
            ("abcdef", "a*c*f", true),
            ("abcdef", "a*x*f", false),
            ("abcdef", "bcd*", false),
            ("aXa", "aXa*aXa", false),
        ] {
            assert_eq!(matches_glob(value.as_bytes(), glob.as_bytes()), expected, "{glob}");
        }
    }
}
