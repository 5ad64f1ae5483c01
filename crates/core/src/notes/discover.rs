//! What do recent sessions know that the notes do not? Sentences with who said them go in;
//! proposals come out, said as a rule, few and best first: what a user corrected, what was
//! decided, what comes back in two sessions, and settings that were found by trial.

use std::collections::BTreeSet;

use super::NoteKind;
use super::bar::is_said_as_rule;
use super::wording::rare_words;
use crate::conflict::deny_each_other;
use crate::list;
use crate::matching::{Author, Corpus, MatchPolicy, Prepared, Relation, Subject, best_of_prepared};
use crate::wish;

/// Who said a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Speaker {
    User,
    Agent,
}

/// A sentence of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    pub text: String,
    pub session: String,
    pub speaker: Speaker,
}

/// What failed and what worked in its place, in one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    pub failed: String,
    pub worked: String,
    pub session: String,
}

/// What a proposal is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signal {
    Correction,
    Decision,
    Setting,
    Recurring,
}

impl Signal {
    pub fn as_str(self) -> &'static str {
        match self {
            Signal::Correction => "correction",
            Signal::Decision => "decision",
            Signal::Setting => "setting",
            Signal::Recurring => "recurring",
        }
    }
}

/// How a proposal stands to what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// A fact says the opposite.
    Contradict {
        fact: String,
    },
    /// A fact says nearly that.
    Update {
        fact: String,
    },
    FillGap,
}

impl Against {
    pub fn as_str(&self) -> &'static str {
        match self {
            Against::Contradict { .. } => "CONTRADICT",
            Against::Update { .. } => "UPDATE",
            Against::FillGap => "FILL_GAP",
        }
    }

    fn rank(&self) -> usize {
        match self {
            Against::Contradict { .. } => 0,
            Against::Update { .. } => 1,
            Against::FillGap => 2,
        }
    }
}

/// One thing that may be worth a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// Said as a rule.
    pub rule: String,
    pub kind: NoteKind,
    pub signal: Signal,
    pub against: Against,
    /// The sentence that it was made of.
    pub evidence: String,
    /// Every session that says it, the first first.
    pub sessions: Vec<String>,
}

/// A fact that is known: its name and its words.
#[derive(Clone, Copy, Debug)]
pub struct KnownFact<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

const DECIDED: &[&str] = list!("notes.txt", "decided");
const BECAUSE: &[&str] = list!("notes.txt", "because");

/// At most `n_most` proposals, best first.
///
/// What a fact says already is left out, and so is what only agents say in one session.
pub fn discover(
    utterances: &[Utterance],
    trials: &[Trial],
    known: &[KnownFact<'_>],
    matching: &MatchPolicy,
    n_most: usize,
) -> Vec<Discovery> {
    let mut found: Vec<Discovery> = Vec::new();
    for utterance in utterances {
        if let Some(signal) = signal_of(utterance) {
            add(&mut found, signal, utterance, matching);
        }
    }
    for trial in trials {
        add(&mut found, setting(trial), &told(trial), matching);
    }
    found.retain(is_worth);
    let mut found: Vec<Discovery> =
        found.into_iter().filter_map(|it| held_against(it, known, matching)).collect();
    found.sort_by_key(|it| {
        (it.against.rank(), it.signal, std::cmp::Reverse(it.sessions.len()), it.rule.clone())
    });
    found.truncate(n_most);
    found
}

/// What agents say counts when two sessions say it, and so does what is no correction and no
/// decision.
fn is_worth(discovery: &Discovery) -> bool {
    match discovery.signal {
        Signal::Correction | Signal::Decision => true,
        Signal::Setting | Signal::Recurring => discovery.sessions.len() >= 2,
    }
}

type Rule = (String, NoteKind, Signal);

/// What a sentence may become.
fn signal_of(utterance: &Utterance) -> Option<Rule> {
    let text = utterance.text.trim();
    if let Some(rule) = decision(text) {
        let signal = match utterance.speaker {
            Speaker::User => Signal::Decision,
            Speaker::Agent => Signal::Recurring,
        };
        return Some((rule, NoteKind::Project, signal));
    }
    match (utterance.speaker, wish::judge(text)) {
        (Speaker::User, Ok(rule)) => {
            Some((without_lead(&rule), NoteKind::Feedback, Signal::Correction))
        }
        (Speaker::User, Err(_)) | (Speaker::Agent, _) => {
            let is_rule = is_said_as_rule(text) && is_general(text);
            is_rule.then(|| (as_sentence(text), NoteKind::Project, Signal::Recurring))
        }
    }
}

/// A rule holds from now on anyway.
fn without_lead(rule: &str) -> String {
    const LEADS: &[&str] =
        &["from now on", "going forward", "in the future", "in future", "please"];
    let mut rest = rule.trim();
    while let Some(lead) = LEADS
        .iter()
        .find(|lead| rest.get(..lead.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(lead)))
    {
        rest = rest[lead.len()..].trim_start_matches([',', ' ']);
    }
    as_sentence(rest)
}

/// Whether a sentence stands without the moment: no question, nothing that was just done.
fn is_general(text: &str) -> bool {
    let lower = text.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    let is_own =
        matches!(first, "i" | "i'll" | "i've" | "i'm" | "let" | "let's" | "now" | "ok" | "done");
    let n_words = text.split_whitespace().count();
    let has_name = !rare_words(text).is_empty();
    !is_own && !text.ends_with('?') && (4..=40).contains(&n_words) && has_name
}

/// "We chose X over Y because Z" as a rule: "Use X, not Y, because Z."
fn decision(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let (at, phrase) = DECIDED.iter().find_map(|phrase| {
        let at = lower.find(phrase)?;
        let is_apart = at == 0 || !lower[..at].ends_with(|c: char| c.is_alphanumeric());
        is_apart.then_some((at, *phrase))
    })?;
    if lower.len() != text.len() || text.ends_with('?') || is_unsure(&lower) {
        return None;
    }
    let rest = &text[at + phrase.len()..];
    let (what, why) = BECAUSE.iter().find_map(|word| {
        let place = rest.to_lowercase().find(word)?;
        Some((&rest[..place], &rest[place + word.len()..]))
    })?;
    let what = what.trim().trim_end_matches([',', ';']);
    let why = why.trim().trim_end_matches(['.', '!', ';']);
    let (n_what, n_why) = (what.split_whitespace().count(), why.split_whitespace().count());
    if !(1..=20).contains(&n_what) || !(2..=40).contains(&n_why) {
        return None;
    }
    let what = what.replacen(" over ", ", not ", 1).replacen(" instead of ", ", not ", 1);
    let is_verb = phrase.ends_with(" to");
    let rule = if is_verb {
        format!("{what}, because {why}")
    } else {
        format!("Use {what}, because {why}")
    };
    Some(as_sentence(&rule))
}

fn is_unsure(lower: &str) -> bool {
    ["maybe", "perhaps", "might", "could we", "should we", "i think we"]
        .iter()
        .any(|it| lower.contains(it))
}

fn setting(trial: &Trial) -> Rule {
    let rule = format!("Use `{}`; `{}` fails here.", trial.worked.trim(), trial.failed.trim());
    (rule, NoteKind::Project, Signal::Setting)
}

fn told(trial: &Trial) -> Utterance {
    let text = format!("`{}` failed, `{}` worked", trial.failed.trim(), trial.worked.trim());
    Utterance { text, session: trial.session.clone(), speaker: Speaker::Agent }
}

fn as_sentence(text: &str) -> String {
    let text = text.trim().trim_start_matches(['-', '*', ' ']).trim_end_matches(['.', '!', ';']);
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", chars.as_str())
}

/// Adds a session to what says the same, or begins anew.
fn add(
    found: &mut Vec<Discovery>,
    (rule, kind, signal): Rule,
    utterance: &Utterance,
    matching: &MatchPolicy,
) {
    let texts: Vec<&str> = found.iter().map(|it| it.rule.as_str()).collect();
    let same = nearest(&rule, &texts, matching).filter(|(_, relation)| *relation == Relation::Same);
    let Some((at, _)) = same else {
        let (evidence, sessions) = (utterance.text.clone(), vec![utterance.session.clone()]);
        let against = Against::FillGap;
        return found.push(Discovery { rule, kind, signal, against, evidence, sessions });
    };
    let known = &mut found[at];
    if !known.sessions.contains(&utterance.session) {
        known.sessions.push(utterance.session.clone());
    }
    // The words of a correction go before those of others.
    if signal < known.signal {
        (known.rule, known.kind, known.signal) = (rule, kind, signal);
        known.evidence.clone_from(&utterance.text);
    }
}

/// How a proposal stands to the facts; `None` if one of them says it.
fn held_against(
    discovery: Discovery,
    known: &[KnownFact<'_>],
    matching: &MatchPolicy,
) -> Option<Discovery> {
    let own: BTreeSet<String> = rare_words(&discovery.rule).into_iter().collect();
    // How much of what either names the other names too, and of what the proposal names.
    let shares = |fact: &KnownFact<'_>| {
        let words = rare_words(fact.text);
        let n_shared = words.iter().filter(|word| own.contains(*word)).count() as f64;
        let n_least = own.len().min(words.len()).max(1);
        (n_shared / n_least as f64, n_shared / own.len().max(1) as f64)
    };
    let by_share: Vec<(f64, f64)> = known.iter().map(shares).collect();
    let opposed = known
        .iter()
        .zip(&by_share)
        .find(|(fact, (share, _))| *share >= 0.5 && deny_each_other(&discovery.rule, fact.text));
    if let Some((fact, _)) = opposed {
        let against = Against::Contradict { fact: fact.name.to_owned() };
        return Some(Discovery { against, ..discovery });
    }
    let texts: Vec<&str> = known.iter().map(|fact| fact.text).collect();
    let against = match nearest(&discovery.rule, &texts, matching) {
        // What says the same, and leaves out nothing that is named, is known.
        Some((at, Relation::Same)) if by_share[at].1 >= 0.8 => return None,
        Some((at, _)) if by_share[at].0 >= 0.4 => {
            Against::Update { fact: known[at].name.to_owned() }
        }
        Some(_) | None => Against::FillGap,
    };
    Some(Discovery { against, ..discovery })
}

/// The text that is most like this one, if it is the same or similar.
fn nearest(text: &str, texts: &[&str], matching: &MatchPolicy) -> Option<(usize, Relation)> {
    let subject = |text| Subject { text, author: Author::Person, ..Subject::default() };
    let prepare = |text| Prepared::new(&subject(text), matching.method);
    let prepared: Vec<Prepared<'_>> = texts.iter().map(|text| prepare(text)).collect();
    let all: Vec<&Prepared<'_>> = prepared.iter().collect();
    let found = best_of_prepared(&prepare(text), &all, &Corpus::default(), matching);
    Some((found.index?, found.relation))
}

#[cfg(test)]
mod tests;
