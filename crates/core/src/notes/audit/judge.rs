//! What the evidence says about each fact: stale, contradicted, redundant, or wrongly dated.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fact, History, Question, Tree};
use crate::list;
use crate::matching::{Author, Corpus, MatchPolicy, Prepared, Relation, Subject, best_of_prepared};
use crate::notes::claims::{Claim, Claimed, fixed_date, is_past};
use crate::notes::manifest::{FieldKind, ManifestField};
use crate::notes::policy::NotesPolicy;
use crate::notes::wording::{rare_words, sentences};
use crate::time::Timestamp;
use crate::words::unique_words;

/// Words by which a sentence speaks of a version that is not the present one.
const ELSEWHEN: &[&str] = list!("audit.txt", "other versions");

/// What is wrong with a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuditKind {
    /// What it names is gone.
    Stale,
    /// Another version or value stands there now.
    Contradict,
    /// Another fact says the same.
    Redundant,
    /// A date that means something else by now, or cannot be.
    DateFix,
}

impl AuditKind {
    pub fn as_str(self) -> &'static str {
        match self {
            AuditKind::Stale => "STALE",
            AuditKind::Contradict => "CONTRADICT",
            AuditKind::Redundant => "REDUNDANT",
            AuditKind::DateFix => "DATE_FIX",
        }
    }
}

/// What a finding proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// These words become those.
    Replace { from: String, to: String },
    /// The sentence goes.
    RemoveSentence { sentence: String },
    /// The fact goes.
    Remove,
    /// The fact goes into another.
    MergeInto { name: String },
}

/// One finding of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFinding {
    pub fact: String,
    pub kind: AuditKind,
    /// The words of the fact that it is about.
    pub quote: String,
    /// What was looked up and found, quoted; never empty.
    pub evidence: Vec<String>,
    pub edit: Edit,
}

/// Findings about facts, in the order of the facts. `answers` belong to the questions one for one.
pub fn judge(
    facts: &[Fact],
    tree: &Tree,
    questions: &[Question],
    answers: &[Option<History>],
    policy: &NotesPolicy,
    matching: &MatchPolicy,
) -> Vec<AuditFinding> {
    let mut found = Vec::new();
    let asked: BTreeMap<usize, (&Question, &History)> = questions
        .iter()
        .zip(answers)
        .filter_map(|(question, answer)| Some((question.fact, (question, answer.as_ref()?))))
        .collect();
    let redundant = redundant(facts, policy, matching);
    for (place, fact) in facts.iter().enumerate() {
        if let Some((question, history)) = asked.get(&place) {
            found.extend(stale(fact, question, history, tree));
        }
        for claimed in &fact.claims {
            found.extend(contradicted(fact, claimed, tree));
            found.extend(misdated(fact, claimed));
        }
        found.extend(redundant.get(&place).cloned());
    }
    found
}

fn stale(fact: &Fact, question: &Question, history: &History, tree: &Tree) -> Option<AuditFinding> {
    let claimed = fact.claims.get(question.claim)?;
    let History { commit, date, subject, renamed_to, .. } = history;
    let searched = match &claimed.claim {
        Claim::Path(path) => format!("no file or folder `{path}` in the tree (0 hits)"),
        Claim::Script { name, .. } => format!("no script `{name}` in the manifests (0 hits)"),
        Claim::Symbol(name) | Claim::Flag(name) => format!("search for `{name}`: 0 hits"),
        Claim::Version { .. } | Claim::Value { .. } => return None,
        Claim::Date(_) | Claim::RelativeDate(_) => return None,
    };
    let moved = renamed_to.as_ref().filter(|path| tree.has_path(path));
    let (did, edit) = match moved {
        Some(path) => {
            let (from, to) = (claimed.quote.clone(), path.clone());
            (format!("renamed it to `{path}`"), Edit::Replace { from, to })
        }
        None => ("removed it".to_owned(), without(fact, claimed)),
    };
    let mut evidence = vec![searched, format!("commit {commit} of {date} {did}: {subject}")];
    let elsewhere = tree.namesakes(&claimed.quote).first().filter(|_| moved.is_none());
    evidence.extend(elsewhere.map(|path| format!("a file of that name is at `{path}`")));
    let (fact, quote) = (fact.name.clone(), claimed.sentence.clone());
    Some(AuditFinding { fact, kind: AuditKind::Stale, quote, evidence, edit })
}

/// A fact of one sentence goes whole.
fn without(fact: &Fact, claimed: &Claimed) -> Edit {
    match sentences(&fact.text).len() {
        0 | 1 => Edit::Remove,
        _ => Edit::RemoveSentence { sentence: claimed.sentence.clone() },
    }
}

fn contradicted(fact: &Fact, claimed: &Claimed, tree: &Tree) -> Option<AuditFinding> {
    if claimed.is_denied {
        return None;
    }
    let (evidence, from, to) = match &claimed.claim {
        Claim::Version { of, version } => {
            let field = other_version(of, version, claimed, tree)?;
            let line = format!("{}:{}: {} {}", field.file, field.line, field.name, field.value);
            (line, version, plain_version(&field.value))
        }
        // `NAME=1` says how something is called; what stands in the tree is the usual value.
        Claim::Value { name, .. } if claimed.sentence.contains(&format!("{name}=")) => return None,
        Claim::Value { name, value } => {
            let (line, now) = other_value(name, value, tree)?;
            (line, value, now)
        }
        Claim::Path(_) | Claim::Symbol(_) | Claim::Flag(_) | Claim::Script { .. } => return None,
        Claim::Date(_) | Claim::RelativeDate(_) => return None,
    };
    let to = claimed.sentence.replacen(from.as_str(), &to, 1);
    let edit = Edit::Replace { from: claimed.sentence.clone(), to };
    let (fact, quote) = (fact.name.clone(), claimed.sentence.clone());
    let kind = AuditKind::Contradict;
    Some(AuditFinding { fact, kind, quote, evidence: vec![evidence], edit })
}

/// The field that gives another version, if all that name it do.
fn other_version<'t>(
    of: &str,
    version: &str,
    claimed: &Claimed,
    tree: &'t Tree,
) -> Option<&'t ManifestField> {
    // "Since Node 18" and "Node 18 is too old" say nothing about the present.
    let lower = claimed.sentence.to_lowercase();
    if ELSEWHEN.iter().any(|sign| lower.contains(sign)) {
        return None;
    }
    let is_it = |field: &&ManifestField| {
        let is_kind = matches!(field.kind, FieldKind::Version | FieldKind::Dependency);
        is_kind && field.name.eq_ignore_ascii_case(of) && has_number(&field.value)
    };
    // Of many packages each may have its own; only that at the root speaks for all.
    let fields: Vec<&ManifestField> = tree.manifests.iter().filter(is_it).collect();
    let is_root = |field: &&&ManifestField| !field.file.contains('/');
    let of_root: Vec<&ManifestField> = fields.iter().filter(is_root).copied().collect();
    let fields = if of_root.is_empty() && fields.len() == 1 { fields } else { of_root };
    let mut fields = fields.into_iter();
    let first = fields.next()?;
    let all_differ = std::iter::once(first).chain(fields).all(|it| !agrees(version, &it.value));
    all_differ.then_some(first)
}

fn has_number(value: &str) -> bool {
    value.contains(|c: char| c.is_ascii_digit()) && !value.contains("||")
}

fn plain_version(value: &str) -> String {
    let start = value.find(|c: char| c.is_ascii_digit()).unwrap_or(value.len());
    let rest = &value[start..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].trim_end_matches('.').to_owned()
}

/// Whether a claimed version fits what a manifest says, as far as both say it.
fn agrees(claimed: &str, value: &str) -> bool {
    let numbers =
        |text: &str| -> Vec<u64> { text.split('.').filter_map(|part| part.parse().ok()).collect() };
    let (claimed, stated) = (numbers(claimed), numbers(&plain_version(value)));
    let is_lower_bound = value.trim_start().starts_with(['>', '^', '~']);
    let same_start = claimed.iter().zip(&stated).all(|(a, b)| a == b);
    let is_within = match value.trim_start().chars().next() {
        Some('>') => claimed >= stated,
        Some('^' | '~') => claimed.first() == stated.first() && claimed >= stated,
        _ => false,
    };
    same_start || is_lower_bound && is_within
}

/// A line that gives a name another value, if none gives it the claimed one.
fn other_value(name: &str, value: &str, tree: &Tree) -> Option<(String, String)> {
    let hits = tree.hits.get(name)?;
    let given = hits.lines.iter().filter_map(|hit| Some((hit, value_in(&hit.text, name)?)));
    let given: Vec<_> = given.collect();
    let is_claimed =
        |found: &str| found.eq_ignore_ascii_case(value) || found.replace('_', "") == value;
    if given.is_empty() || given.iter().any(|(_, found)| is_claimed(found)) {
        return None;
    }
    // Where the lines disagree with each other, nobody knows which one is meant.
    let (hit, now) = &given[0];
    let is_one = given.iter().all(|(_, found)| found == now);
    is_one.then(|| (format!("{}:{}: {}", hit.file, hit.line, hit.text), now.clone()))
}

/// The literal that a line gives to a name: `NAME: u32 = 5;`, `name: 5`, `NAME=5`.
fn value_in(line: &str, name: &str) -> Option<String> {
    let at = line.find(name)?;
    let rest = line[at + name.len()..].trim_start_matches(['"', '\'', ' ']);
    let value = match rest.split_once('=') {
        Some((between, value)) if between.len() <= 24 && !value.starts_with('=') => value,
        _ => rest.strip_prefix(':')?,
    };
    let value = value.trim_start_matches(['>', ' ']);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let literal = match quote {
        Some(quote) => value[1..].split(quote).next()?,
        None => value.split(|c: char| c.is_whitespace() || ",;)#}".contains(c)).next()?,
    };
    let is_literal = quote.is_some()
        || literal.starts_with(|c: char| c.is_ascii_digit())
        || matches!(literal, "true" | "false");
    (is_literal && !literal.is_empty()).then(|| literal.to_owned())
}

fn misdated(fact: &Fact, claimed: &Claimed) -> Option<AuditFinding> {
    let written = fact.written?;
    let (evidence, to) = match &claimed.claim {
        Claim::RelativeDate(phrase) => {
            let fixed = fixed_date(phrase, written)?;
            (format!("written on {}, when \"{phrase}\" meant {fixed}", written.date()), fixed)
        }
        Claim::Date(date) => {
            let at = Timestamp::parse(&format!("{date}T00:00:00Z"))?;
            // A day is left for other time zones.
            if at.0 <= written.0 + 86_400_000 || !is_past(&claimed.sentence) {
                return None;
            }
            (format!("{date} is after {}, when it was written", written.date()), written.date())
        }
        Claim::Path(_) | Claim::Symbol(_) | Claim::Flag(_) | Claim::Script { .. } => return None,
        Claim::Version { .. } | Claim::Value { .. } => return None,
    };
    let edit = Edit::Replace { from: claimed.quote.clone(), to };
    let (fact, quote) = (fact.name.clone(), claimed.sentence.clone());
    Some(AuditFinding { fact, kind: AuditKind::DateFix, quote, evidence: vec![evidence], edit })
}

/// For each fact that an earlier one says already, that finding.
fn redundant(
    facts: &[Fact],
    policy: &NotesPolicy,
    matching: &MatchPolicy,
) -> BTreeMap<usize, AuditFinding> {
    let subject = |text| Subject { text, author: Author::Person, ..Subject::default() };
    let rare: Vec<Vec<String>> = facts.iter().map(|fact| rare_words(&fact.text)).collect();
    let codes: Vec<BTreeSet<&str>> = facts.iter().map(|fact| code_in(&fact.text)).collect();
    let prepared: Vec<Prepared<'_>> = facts
        .iter()
        .map(|fact| Prepared::new(&subject(fact.text.as_str()), matching.method))
        .collect();
    let words: Vec<Vec<String>> = facts.iter().map(|fact| unique_words(&fact.text)).collect();
    // What only leads to a list says nothing by itself.
    let is_title: Vec<bool> = facts.iter().map(|fact| is_title(&fact.text)).collect();
    let mut found = BTreeMap::new();
    for place in (1..facts.len()).filter(|place| !is_title[*place]) {
        // The matcher is asked only where most of what is named is shared.
        let near = (0..place).filter(|other| {
            // What somebody wants and what is so are two things, whatever their words.
            !is_title[*other]
                && facts[place].is_preference == facts[*other].is_preference
                && is_named_there(&rare[place], &rare[*other], policy)
                && share(&words[place], &words[*other]) >= policy.redundant_words
        });
        // What names another command, file or symbol says something else, however alike.
        let near = near.filter(|other| codes[*other].is_superset(&codes[place]));
        let near: Vec<usize> = near.filter(|other| !found.contains_key(other)).collect();
        let candidates: Vec<&Prepared<'_>> = near.iter().map(|other| &prepared[*other]).collect();
        let same = best_of_prepared(&prepared[place], &candidates, &Corpus::default(), matching);
        let Some(at) = same.index.filter(|_| same.relation == Relation::Same) else { continue };
        let (fact, other) = (&facts[place], &facts[near[at]]);
        let evidence = vec![format!("{} says: {}", other.name, first_line(&other.text))];
        let finding = AuditFinding {
            fact: fact.name.clone(),
            kind: AuditKind::Redundant,
            quote: first_line(&fact.text).to_owned(),
            evidence,
            edit: Edit::MergeInto { name: other.name.clone() },
        };
        found.insert(place, finding);
    }
    found
}

/// Whether most of what the first names is named by the second. A few words are too little to
/// tell.
fn is_named_there(a: &[String], b: &[String], policy: &NotesPolicy) -> bool {
    a.len() >= policy.redundant_names && share(a, b) >= policy.redundant_rare
}

/// The share of the first words that are among the second. Both are sorted.
fn share(a: &[String], b: &[String]) -> f64 {
    let n_shared = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    n_shared as f64 / a.len().max(1) as f64
}

/// Whether a text is what stands above a list: "**Modes:**".
fn is_title(text: &str) -> bool {
    text.trim_end_matches(|c: char| c.is_whitespace() || "*_".contains(c)).ends_with(':')
}

/// What stands in back quotes.
fn code_in(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|code| !code.is_empty()).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}
