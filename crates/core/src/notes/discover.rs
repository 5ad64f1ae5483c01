//! What do recent sessions know that the notes do not? Sentences with who said them go in;
//! proposals come out, said as a rule, few and best first: what a user corrected, what was
//! decided, what comes back in two sessions, and settings that were found by trial.

mod group;
mod rule;

use std::collections::{BTreeMap, BTreeSet};

use super::NoteKind;
use super::bar::{self, Candidate, Lack};
use super::policy::NotesPolicy;
use super::wording::rare_words;
use crate::conflict::deny_each_other;
use crate::gate::{Gate, Refusal};
use crate::lesson::Origin;
use crate::matching::{MatchPolicy, Relation};
use group::Groups;
pub use group::nearest;
use rule::{as_sentence, rule_of};

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

/// What a session found out by trying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// What did not work.
    pub failure: String,
    /// What did, said as a rule.
    pub repair: String,
    pub session: String,
    /// Whether it was the user who did not want it.
    pub is_rejection: bool,
}

/// What sessions said and tried, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub utterances: Vec<Utterance>,
    pub trials: Vec<Trial>,
}

/// What a proposal is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signal {
    Correction,
    Decision,
    /// A kind of call that users rejected.
    Rejection,
    Setting,
    /// What users said in more than one session.
    Repeated,
    /// The same of what agents wrote down.
    Recurring,
}

impl Signal {
    pub fn as_str(self) -> &'static str {
        match self {
            Signal::Correction => "correction",
            Signal::Decision => "decision",
            Signal::Rejection => "rejection",
            Signal::Setting => "setting",
            Signal::Repeated | Signal::Recurring => "recurring",
        }
    }

    /// Whether a person said it, who need not say it twice.
    fn is_stated(self) -> bool {
        match self {
            Signal::Correction | Signal::Decision => true,
            Signal::Rejection | Signal::Setting => false,
            Signal::Repeated | Signal::Recurring => false,
        }
    }

    /// Whether it has to be heard in several sessions to be looked at: much is said once.
    fn has_to_come_back(self) -> bool {
        matches!(self, Signal::Repeated | Signal::Recurring)
    }
}

/// What is known about what a proposal says.
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

    /// The fact that is meant.
    pub fn fact(&self) -> Option<&str> {
        match self {
            Against::Contradict { fact } | Against::Update { fact } => Some(fact),
            Against::FillGap => None,
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

/// Why something is not proposed.
#[derive(Clone, Debug, PartialEq)]
pub enum LeftOut {
    /// A fact says it.
    Known { fact: String },
    /// It does not pass the bar.
    Lacks(Vec<Lack>),
    /// Memory does not take such a text.
    Refused(Refusal),
    /// Others are better, and few are proposed at once.
    Surplus,
}

/// What sessions know that the notes do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Discovered {
    /// Best first.
    pub proposals: Vec<Discovery>,
    /// What is not proposed, and why.
    pub left_out: Vec<(Discovery, LeftOut)>,
}

/// A fact that is known: its name and its words.
#[derive(Clone, Copy, Debug)]
pub struct KnownFact<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// What discoveries are held against: facts, documents and manifests.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub facts: &'a [KnownFact<'a>],
    pub bar: bar::Known<'a>,
}

/// The rules by which discoveries are judged and let in.
#[derive(Clone, Copy)]
pub struct By<'a> {
    pub gate: &'a Gate,
    pub policy: &'a NotesPolicy,
    pub matching: &'a MatchPolicy,
}

/// What is worth proposing, few and best first, and what is not, with its reason.
pub fn discover(heard: &Heard, known: Known<'_>, by: By<'_>) -> Discovered {
    let By { gate, policy, matching } = by;
    let mut groups = Groups::new(matching);
    for utterance in &heard.utterances {
        if let Some(rule) = rule_of(utterance) {
            groups.add(rule, &utterance.text, &utterance.session);
        }
    }
    let trials = settings(&heard.trials);
    let held = Facts::new(known.facts, policy, matching);
    let mut answer = Discovered::default();
    // What is said once is passed over, not listed.
    let is_heard = |it: &Discovery| {
        !it.signal.has_to_come_back() || it.sessions.len() >= policy.recurrent_sessions
    };
    for discovery in groups.found.into_iter().filter(is_heard).chain(trials) {
        let why = judged(&discovery, &held, known.bar, policy);
        match why.and_then(|against| admitted(gate, Discovery { against, ..discovery.clone() })) {
            Ok(discovery) => answer.proposals.push(discovery),
            Err(why) => answer.left_out.push((cleaned(gate, discovery), why)),
        }
    }
    answer.proposals.sort_by_cached_key(|it| {
        let n_sessions = std::cmp::Reverse(it.sessions.len());
        (it.against.rank(), n_sessions, it.signal, it.rule.clone())
    });
    let n_kept = answer.proposals.len().min(policy.n_discovered);
    let surplus = answer.proposals.split_off(n_kept);
    answer.left_out.extend(surplus.into_iter().map(|it| (it, LeftOut::Surplus)));
    answer
}

/// What is known about a discovery, or why it is not proposed.
fn judged(
    discovery: &Discovery,
    facts: &Facts<'_>,
    known: bar::Known<'_>,
    policy: &NotesPolicy,
) -> Result<Against, LeftOut> {
    let candidate = Candidate {
        text: &discovery.rule,
        kind: Some(discovery.kind),
        how: None,
        n_sessions: discovery.sessions.len(),
        is_stated: discovery.signal.is_stated(),
    };
    let lacks = bar::lacks(&candidate, known, policy, facts.matching);
    if !lacks.is_empty() {
        return Err(LeftOut::Lacks(lacks));
    }
    facts.against(&discovery.rule).map_err(|fact| LeftOut::Known { fact: fact.to_owned() })
}

/// A discovery behind the gate.
fn admitted(gate: &Gate, discovery: Discovery) -> Result<Discovery, LeftOut> {
    let is_users = discovery.signal.is_stated() || discovery.signal == Signal::Repeated;
    let origin = if is_users { Origin::User } else { Origin::Agent };
    let rule = gate.statement(&discovery.rule, origin).map_err(LeftOut::Refused)?;
    Ok(Discovery { rule: rule.as_str().to_owned(), ..cleaned(gate, discovery) })
}

fn cleaned(gate: &Gate, discovery: Discovery) -> Discovery {
    let line = |text: &str| gate.line(text).as_str().to_owned();
    let (rule, evidence) = (line(&discovery.rule), line(&discovery.evidence));
    let sessions = discovery.sessions.iter().map(|session| line(session)).collect();
    Discovery { rule, evidence, sessions, ..discovery }
}

/// Settings that were found by trial. Commands that differ in one word are two: they are told
/// apart by every letter.
fn settings(trials: &[Trial]) -> Vec<Discovery> {
    let mut found: Vec<Discovery> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for trial in trials {
        let rule = as_sentence(&trial.repair);
        let place = *places.entry(rule.clone()).or_insert(found.len());
        if place == found.len() {
            found.push(Discovery {
                rule,
                kind: if trial.is_rejection { NoteKind::Feedback } else { NoteKind::Project },
                signal: if trial.is_rejection { Signal::Rejection } else { Signal::Setting },
                against: Against::FillGap,
                evidence: trial.failure.clone(),
                sessions: Vec::new(),
            });
        }
        let sessions = &mut found[place].sessions;
        if !sessions.contains(&trial.session) {
            sessions.push(trial.session.clone());
        }
    }
    found
}

/// How many rare words a rule and a fact have in common.
struct Share {
    n: usize,
    /// Of the one that has fewer.
    of_less: f64,
    /// Of those of the rule.
    of_rule: f64,
}

impl Share {
    fn of(rule: &BTreeSet<String>, fact: &BTreeSet<String>) -> Self {
        let n = rule.intersection(fact).count();
        let of = |n_all: usize| n as f64 / n_all.max(1) as f64;
        Share { n, of_less: of(rule.len().min(fact.len())), of_rule: of(rule.len()) }
    }
}

/// The facts that are known, ready to be compared.
struct Facts<'a> {
    facts: &'a [KnownFact<'a>],
    rare: Vec<BTreeSet<String>>,
    policy: &'a NotesPolicy,
    matching: &'a MatchPolicy,
}

impl<'a> Facts<'a> {
    fn new(facts: &'a [KnownFact<'a>], policy: &'a NotesPolicy, matching: &'a MatchPolicy) -> Self {
        let rare = facts.iter().map(|fact| rare_words(fact.text).into_iter().collect()).collect();
        Facts { facts, rare, policy, matching }
    }

    /// How a rule stands to them; the error is the fact that says it already.
    fn against(&self, rule: &str) -> Result<Against, &'a str> {
        let own: BTreeSet<String> = rare_words(rule).into_iter().collect();
        let near: Vec<(&KnownFact<'_>, Share)> = self
            .facts
            .iter()
            .zip(self.rare.iter().map(|words| Share::of(&own, words)))
            .filter(|(_, share)| share.of_less >= self.policy.near_share)
            .collect();
        // One word in common may be another thing.
        let may_oppose = |share: &Share| {
            share.of_less >= self.policy.opposed_share && share.n >= own.len().min(2)
        };
        let opposed =
            near.iter().find(|(fact, share)| may_oppose(share) && deny_each_other(rule, fact.text));
        if let Some((fact, _)) = opposed {
            return Ok(Against::Contradict { fact: fact.name.to_owned() });
        }
        let texts: Vec<&str> = near.iter().map(|(fact, _)| fact.text).collect();
        match nearest(rule, &texts, self.matching) {
            // What says the same, and leaves out nothing that is named, is known.
            Some((at, Relation::Same)) if near[at].1.of_rule >= self.policy.known_share => {
                Err(near[at].0.name)
            }
            Some((at, _)) => Ok(Against::Update { fact: near[at].0.name.to_owned() }),
            None => Ok(Against::FillGap),
        }
    }
}

#[cfg(test)]
mod tests;
