//! Rules of a gitleaks file that the user brings: what would gitleaks itself report?
//!
//! Read are a rule's keywords, expression, secret group, entropy and allow lists (its own and
//! the file's), but for paths: a text has none. Expressions are in the dialect of RE2.

use regex_automata::nfa::thompson::pikevm::{Cache, PikeVM};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::syntax;
use regex_syntax::hir::Hir;
use serde::Deserialize;

/// The file.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    allowlist: Option<AllowRow>,
    #[serde(default)]
    allowlists: Vec<AllowRow>,
    #[serde(default)]
    rules: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    regex: Option<String>,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    secret_group: usize,
    #[serde(default)]
    allowlists: Vec<AllowRow>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AllowRow {
    #[serde(default)]
    condition: String,
    #[serde(default)]
    regex_target: String,
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
}

/// The rules of a file, and those that have no expression or one that cannot be read.
pub struct Rules {
    pub rules: Vec<Rule>,
    pub left_out: Vec<String>,
}

/// One rule, compiled.
pub struct Rule {
    pub id: String,
    pub keywords: Vec<String>,
    /// The expression as it is written: where it ignores case, the case that its author used.
    pub hir: Hir,
    pub ignores_case: bool,
    expression: Expression,
    entropy: f64,
    secret_group: usize,
    allows: Vec<Allow>,
}

struct Allow {
    needs_all: bool,
    target: Target,
    expressions: Vec<Expression>,
    stopwords: Vec<String>,
}

/// What an expression of an allow list is held against.
#[derive(Clone, Copy)]
enum Target {
    Secret,
    Match,
    Line,
}

impl Rules {
    /// Reads a file's text; what is wrong with it is told as the parser says it.
    pub fn read(text: &str) -> Result<Rules, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let (mut rules, mut left_out) = (Vec::new(), Vec::new());
        for row in file.rules {
            let everywhere = file.allowlist.iter().chain(&file.allowlists);
            let allows = row.allowlists.iter().chain(everywhere).filter_map(Allow::read).collect();
            let read = row
                .regex
                .as_deref()
                .and_then(|regex| Some((Expression::read(regex)?, as_written(regex)?)));
            match read {
                None => left_out.push(row.id),
                Some((expression, hir)) => rules.push(Rule {
                    id: row.id,
                    keywords: row.keywords,
                    hir,
                    ignores_case: row.regex.is_some_and(|regex| regex.contains("(?i")),
                    expression,
                    entropy: row.entropy,
                    secret_group: row.secret_group,
                    allows,
                }),
            }
        }
        Ok(Rules { rules, left_out })
    }
}

impl Rule {
    /// The secrets that gitleaks would report of `text`, as byte ranges.
    pub fn reported(&self, text: &str) -> Vec<(usize, usize)> {
        let small = text.to_ascii_lowercase();
        if !self.keywords.is_empty() && !self.keywords.iter().any(|word| small.contains(word)) {
            return Vec::new();
        }
        self.secrets(text)
    }

    /// The same without regard to keywords: what would be a secret next to one.
    pub fn secrets(&self, text: &str) -> Vec<(usize, usize)> {
        let matches = self.expression.find(text, self.secret_group);
        let is_reported = |found: &Found| {
            let secret = &text[found.secret.0..found.secret.1];
            let is_random = self.entropy == 0.0 || shannon(secret) > self.entropy;
            is_random && !self.allows.iter().any(|allow| allow.spares(text, found))
        };
        matches.into_iter().filter(is_reported).map(|found| found.secret).collect()
    }
}

impl Allow {
    /// A list of paths alone, or one with an expression that cannot be read, spares nothing.
    fn read(row: &AllowRow) -> Option<Allow> {
        let needs_all = row.condition.eq_ignore_ascii_case("and");
        if needs_all && !row.paths.is_empty() {
            return None;
        }
        let target = match row.regex_target.as_str() {
            "match" => Target::Match,
            "line" => Target::Line,
            _ => Target::Secret,
        };
        let expressions = row.regexes.iter().filter_map(|regex| Expression::read(regex)).collect();
        let stopwords = row.stopwords.iter().map(|word| word.to_ascii_lowercase()).collect();
        Some(Allow { needs_all, target, expressions, stopwords })
    }

    fn spares(&self, text: &str, found: &Found) -> bool {
        let secret = &text[found.secret.0..found.secret.1];
        let target = match self.target {
            Target::Secret => secret,
            Target::Match => &text[found.whole.0..found.whole.1],
            Target::Line => line_of(text, found.whole),
        };
        let small = secret.to_ascii_lowercase();
        let by_expression = self.expressions.iter().any(|one| one.is_in(target));
        let by_word = self.stopwords.iter().any(|word| small.contains(word));
        let asks = [!self.expressions.is_empty(), !self.stopwords.is_empty()];
        let says = [by_expression, by_word];
        match self.needs_all {
            true => asks.contains(&true) && (0..2).all(|one| says[one] || !asks[one]),
            false => says.contains(&true),
        }
    }
}

fn line_of(text: &str, (start, end): (usize, usize)) -> &str {
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
    &text[from..to]
}

/// A match: all of it, and the secret in it.
struct Found {
    whole: (usize, usize),
    secret: (usize, usize),
}

struct Expression(PikeVM);

fn as_written(regex: &str) -> Option<Hir> {
    let sensitive = in_our_dialect(regex).replace("(?i)", "").replace("(?i:", "(?:");
    syntax::parse_with(&sensitive, &ascii()).ok()
}

/// As Go reads them: classes, word boundaries and case are those of ASCII.
fn ascii() -> syntax::Config {
    syntax::Config::new().unicode(false).utf8(false)
}

impl Expression {
    fn read(regex: &str) -> Option<Expression> {
        let limits = thompson::Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::All)
            .nfa_size_limit(Some(64 << 20));
        let mut builder = PikeVM::builder();
        let builder = builder.syntax(ascii()).thompson(limits);
        builder.build(&in_our_dialect(regex)).ok().map(Expression)
    }

    fn is_in(&self, text: &str) -> bool {
        self.0.is_match(&mut self.cache(), text)
    }

    fn cache(&self) -> Cache {
        self.0.create_cache()
    }

    /// All matches; the secret is the group that is named, or the first that took part.
    fn find(&self, text: &str, group: usize) -> Vec<Found> {
        let mut cache = self.cache();
        let whole = |span: regex_automata::Span| (span.start, span.end);
        let found = self.0.captures_iter(&mut cache, text).filter_map(|groups| {
            let all = whole(groups.get_group(0)?);
            let first = (1..groups.group_len())
                .filter_map(|index| groups.get_group(index))
                .find(|span| !span.is_empty());
            let secret = if group > 0 { groups.get_group(group) } else { first };
            Some(Found { whole: all, secret: secret.map_or(all, whole) })
        });
        let on_edges = |found: &Found| {
            let ends = [found.whole.0, found.whole.1, found.secret.0, found.secret.1];
            ends.iter().all(|at| text.is_char_boundary(*at))
        };
        found.filter(on_edges).collect()
    }
}

/// RE2 takes `{` for itself where no number follows; here it has to be escaped.
fn in_our_dialect(regex: &str) -> String {
    let mut out = String::with_capacity(regex.len());
    let mut rest = regex;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            // `\p{…}` and `\x{…}` keep their braces.
            '\\' if matches!(rest.get(1..3), Some("p{" | "P{" | "x{")) => {
                rest.find('}').map_or(1, |end| end + 1)
            }
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => first.len_utf8(),
        };
        let is_open = first == '{' && !rest[1..].starts_with(|next: char| next.is_ascii_digit());
        out += if is_open { "\\" } else { "" };
        out += &rest[..length];
        rest = &rest[length..];
    }
    out
}

fn shannon(text: &str) -> f64 {
    let mut counts = [0_usize; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let share = |count: usize| count as f64 / text.len() as f64;
    let bits = |count: &usize| -share(*count) * share(*count).log2();
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}
