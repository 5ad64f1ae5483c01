//! What sessions know, and what is proposed for notes: `notes discover`, `notes learn`.

use hardwon_core::notes::bar::Lack;
use hardwon_core::notes::consolidate::{Proposal, Target};
use hardwon_core::notes::discover::{Discovered, Discovery, LeftOut};
use hardwon_core::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// What recent sessions know that is not known yet.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NotesDiscovered {
    pub folder: String,
    /// Sessions since then were listened to; null for all.
    pub since: Option<String>,
    /// Conversations that were read.
    pub n_sessions: u64,
    /// Best first.
    pub proposals: Vec<DiscoveredRule>,
    /// What is not proposed.
    pub left_out: Vec<RuleLeftOut>,
}

/// One thing that may be worth a note.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DiscoveredRule {
    pub rule: String,
    /// user, feedback, project or reference
    #[serde(rename = "type")]
    pub kind: String,
    /// correction, decision, rejection, setting or recurring
    pub signal: String,
    /// CONTRADICT, UPDATE or FILL_GAP
    pub against: String,
    /// The note, lesson or place in a document that is meant; null if nothing says it.
    pub fact: Option<String>,
    /// What it was made of.
    pub evidence: String,
    /// Every session that says it.
    pub sessions: Vec<String>,
}

impl From<&Discovery> for DiscoveredRule {
    fn from(it: &Discovery) -> Self {
        DiscoveredRule {
            rule: it.rule.clone(),
            kind: it.kind.to_string(),
            signal: it.signal.as_str().to_owned(),
            against: it.against.as_str().to_owned(),
            fact: it.against.fact().map(str::to_owned),
            evidence: it.evidence.clone(),
            sessions: it.sessions.clone(),
        }
    }
}

/// One thing that is not proposed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RuleLeftOut {
    pub rule: String,
    pub signal: String,
    pub sessions: Vec<String>,
    pub because: Vec<String>,
}

impl NotesDiscovered {
    pub fn of(
        folder: &str,
        since: Option<Timestamp>,
        n_sessions: u64,
        found: &Discovered,
    ) -> NotesDiscovered {
        let left_out = found.left_out.iter().map(|(it, why)| RuleLeftOut {
            rule: it.rule.clone(),
            signal: it.signal.as_str().to_owned(),
            sessions: it.sessions.clone(),
            because: because(why),
        });
        NotesDiscovered {
            folder: folder.to_owned(),
            since: since.map(|at| at.to_string()),
            n_sessions,
            proposals: found.proposals.iter().map(DiscoveredRule::from).collect(),
            left_out: left_out.collect(),
        }
    }
}

fn because(why: &LeftOut) -> Vec<String> {
    match why {
        LeftOut::Known { fact } => vec![format!("known: {fact} says it")],
        LeftOut::Lacks(lacks) => lacks.iter().map(lack_told).collect(),
        LeftOut::Refused(refusal) => vec![format!("refused: {refusal}")],
        LeftOut::Surplus => vec!["surplus: others come first".to_owned()],
    }
}

/// What a fact lacks, in words.
pub fn lack_told(lack: &Lack) -> String {
    let what = lack.as_str();
    match lack {
        Lack::Recurrent { n_sessions } => match n_sessions {
            1 => format!("{what}: only one session says it"),
            n => format!("{what}: only {n} sessions say it"),
        },
        Lack::Undocumented { place, .. } => {
            format!("{what}: {}:{} says this already", place.file, place.line)
        }
        Lack::NonObvious { field } => {
            format!("{what}: {}:{} says it", field.file, field.line)
        }
        Lack::Actionable => format!("{what}: it does not say what to do, to avoid, or when"),
    }
}

/// What is proposed for a folder of notes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NotesProposals {
    pub folder: String,
    /// A name of this list, which stays the same as long as the list does.
    pub list: String,
    /// Conversations that were read.
    pub n_sessions: u64,
    pub proposals: Vec<NotesProposal>,
    /// Notes that agents want to add, each of which a person accepts by itself.
    pub waiting: Vec<WaitingNote>,
}

/// A note that an agent wants to add.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WaitingNote {
    /// For `notes accept`
    pub id: String,
    pub text: String,
}

/// One proposal for notes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotesProposal {
    /// In this list, from 1.
    pub number: u64,
    /// Stays the same as long as the proposal does.
    pub id: String,
    /// ADD, EDIT, MERGE or REMOVE
    pub action: String,
    /// The note that is meant, or the type of a new one.
    pub target: String,
    /// The note into which it is merged.
    pub into: Option<String>,
    pub reason: String,
    pub diff: String,
}

impl NotesProposal {
    pub fn of(number: usize, proposal: &Proposal) -> Self {
        let (target, into) = match &proposal.target {
            Target::Fact(name) => (name.clone(), None),
            Target::Two(name, into) => (name.clone(), Some(into.clone())),
            Target::New(kind) => (kind.to_string(), None),
        };
        NotesProposal {
            number: number as u64,
            id: proposal.id(),
            action: proposal.action.as_str().to_owned(),
            target,
            into,
            reason: proposal.reason.clone(),
            diff: proposal.diff(),
        }
    }
}
