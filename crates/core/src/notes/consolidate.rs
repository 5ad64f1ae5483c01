//! What an audit and a discovery propose together, doubles removed: facts to add, to edit, to
//! merge and to remove, each with its target, its reason and the words before and after. Nothing
//! is written here, and nothing without a person's consent.

use std::fmt::Write as _;

use super::audit::{AuditFinding, Edit, Fact};
use super::discover::Discovery;
use super::names::file_name;
use super::wording::{rare_words, sentences};
use super::{Note, NoteKind};
use crate::digest::{hex, sha256};

/// What would be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    Remove,
    Merge,
    Edit,
    Add,
}

impl Action {
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Add => "ADD",
            Action::Edit => "EDIT",
            Action::Merge => "MERGE",
            Action::Remove => "REMOVE",
        }
    }
}

/// One proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    pub action: Action,
    /// The fact that it changes, or the kind of a new one.
    pub target: Target,
    pub reason: String,
    /// The words of the fact as they are; empty for a new one.
    pub before: String,
    /// The words as they would be; empty if the fact goes.
    pub after: String,
    /// How the words become others, one step after the other.
    pub edits: Vec<Edit>,
    /// The session that says it, for a new fact.
    pub session: Option<String>,
}

impl Proposal {
    /// A name that stays the same as long as the proposal does.
    pub fn id(&self) -> String {
        let (target, other) = match &self.target {
            Target::Fact(name) => (name.as_str(), ""),
            Target::Two(name, into) => (name.as_str(), into.as_str()),
            Target::New(kind) => (kind.as_str(), ""),
        };
        let parts = [self.action.as_str(), target, other, &self.before, &self.after];
        let digest = hex(&sha256(&parts));
        digest[..N_DIGITS].to_owned()
    }

    /// A name for a list of proposals, by their ids.
    pub fn list_id(ids: &[&str]) -> String {
        hex(&sha256(ids))[..N_DIGITS].to_owned()
    }

    /// The note of a new fact, in a file that none of these has; `None` for what changes one.
    pub fn new_note(&self, taken: &dyn Fn(&str) -> bool) -> Option<Note> {
        let Target::New(kind) = self.target else { return None };
        let title = title(&self.after);
        let file = file_name(kind, &title).or_else(|_| file_name(kind, &self.id())).ok()?;
        let stem = file.trim_end_matches(".md");
        let names = std::iter::once(file.clone())
            .chain((2..100).map(|number| format!("{stem}-{number}.md")));
        Some(Note {
            file: names.into_iter().find(|name| !taken(name))?,
            name: title,
            description: self.after.trim_end_matches('.').to_owned(),
            kind: Some(kind),
            session: self.session.clone(),
            text: self.after.clone(),
            ..Note::default()
        })
    }

    /// What is taken away and what comes, line by line.
    pub fn diff(&self) -> String {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (before, after) = (lines(&self.before), lines(&self.after));
        let mut diff = String::new();
        for (mark, own, other) in [('-', &before, &after), ('+', &after, &before)] {
            for line in own.iter().filter(|line| !other.contains(line)) {
                let _ = writeln!(diff, "{mark} {line}");
            }
        }
        diff
    }
}

/// How much of a digest names a proposal.
const N_DIGITS: usize = 8;

/// Most words of a rule that are its title.
const TITLE_WORDS: usize = 8;

/// The beginning of a rule, up to where its reason begins.
fn title(rule: &str) -> String {
    let clause = rule.split([',', ';', ':']).next().unwrap_or(rule);
    let words: Vec<&str> = clause.split_whitespace().collect();
    let words = if words.len() < 3 { rule.split_whitespace().collect() } else { words };
    let title = words.into_iter().take(TITLE_WORDS).collect::<Vec<_>>().join(" ");
    title.trim_end_matches(['.', ',', ';', ':']).to_owned()
}

/// A note with these edits made, wherever in it their words stand.
pub fn edited_note(note: &Note, edits: &[Edit]) -> Note {
    let of = |text: &str| edits.iter().fold(text.to_owned(), |text, edit| edited(&text, edit));
    let of_part = |part: &Option<String>| {
        part.as_deref().map(|part| of(part).trim().to_owned()).filter(|part| !part.is_empty())
    };
    let text = of(&note.text).trim().to_owned();
    Note { text, why: of_part(&note.why), how: of_part(&note.how), ..note.clone() }
}

/// What a proposal is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Fact(String),
    /// The first goes into the second.
    Two(String, String),
    New(NoteKind),
}

/// Findings and discoveries as proposals, in the order in which facts and discoveries stand:
/// what is wrong first. Of a fact that goes nothing else is proposed.
pub fn consolidate(
    facts: &[Fact],
    findings: &[AuditFinding],
    discoveries: &[Discovery],
) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    for fact in facts {
        let own: Vec<&AuditFinding> = findings.iter().filter(|it| it.fact == fact.name).collect();
        if own.is_empty() {
            continue;
        }
        proposals.push(of_findings(fact, &own));
    }
    for discovery in discoveries {
        let proposal = of_discovery(discovery, facts);
        // A fact that is merged away cannot be edited either.
        let said = |known: &Proposal| match (&known.target, &proposal.target) {
            (Target::Two(own, _), Target::Fact(name)) => own == name,
            (known, target) => known == target,
        };
        match proposals.iter_mut().find(|known| proposal.action == Action::Edit && said(known)) {
            // What sessions say now goes before what a search says of the old words.
            Some(known) if known.action == Action::Edit => *known = joined(known, proposal),
            Some(_) => {
                let target = Target::New(discovery.kind);
                let (action, before, after) = (Action::Add, String::new(), discovery.rule.clone());
                let edits = Vec::new();
                proposals.push(Proposal { action, target, before, after, edits, ..proposal });
            }
            None => proposals.push(proposal),
        }
    }
    proposals
}

/// One proposal for all that an audit found about a fact.
fn of_findings(fact: &Fact, findings: &[&AuditFinding]) -> Proposal {
    let reason = |finding: &AuditFinding| {
        format!("{}: {}", finding.kind.as_str(), finding.evidence.join("; "))
    };
    let made = |action, target, reason, after: String, edits| Proposal {
        action,
        target,
        reason,
        before: fact.text.clone(),
        after,
        edits,
        session: None,
    };
    let merge = findings.iter().find_map(|finding| match &finding.edit {
        Edit::MergeInto { name } => Some((finding, name)),
        Edit::Remove | Edit::Replace { .. } | Edit::RemoveSentence { .. } => None,
    });
    if let Some((finding, into)) = merge {
        let target = Target::Two(fact.name.clone(), into.clone());
        return made(Action::Merge, target, reason(finding), String::new(), Vec::new());
    }
    let target = Target::Fact(fact.name.clone());
    let is_gone = |finding: &&&AuditFinding| finding.edit == Edit::Remove;
    if let Some(finding) = findings.iter().find(is_gone) {
        return made(Action::Remove, target, reason(finding), String::new(), Vec::new());
    }
    let reasons = findings.iter().map(|finding| reason(finding)).collect::<Vec<_>>().join(" | ");
    let edits: Vec<Edit> = findings.iter().map(|finding| finding.edit.clone()).collect();
    let after = edits.iter().fold(fact.text.clone(), |text, edit| edited(&text, edit));
    let after = after.trim().to_owned();
    let action = if after.is_empty() { Action::Remove } else { Action::Edit };
    made(action, target, reasons, after, edits)
}

/// A text with an edit made; one whose words are not there changes nothing.
pub fn edited(text: &str, edit: &Edit) -> String {
    match edit {
        Edit::Replace { from, to } => text.replacen(from.as_str(), to, 1),
        Edit::RemoveSentence { sentence } => {
            let Some(at) = text.find(sentence.as_str()) else { return text.to_owned() };
            let (before, behind) = (&text[..at], &text[at + sentence.len()..]);
            // A list item goes with its mark, a sentence with its blank.
            let bare = before.trim_end_matches(['-', '*', ' ']);
            let is_item = bare.is_empty() || bare.ends_with('\n');
            let is_line = behind.is_empty() || behind.starts_with('\n');
            match (is_item, is_line) {
                (true, true) => format!("{bare}{}", behind.trim_start_matches('\n')),
                (true, false) => format!("{before}{}", behind.trim_start()),
                (false, _) => format!("{}{behind}", before.trim_end_matches(' ')),
            }
        }
        Edit::Remove | Edit::MergeInto { .. } => String::new(),
    }
}

fn of_discovery(discovery: &Discovery, facts: &[Fact]) -> Proposal {
    let sessions = discovery.sessions.join(", ");
    let reason = format!(
        "{} ({}) in {sessions}: {}",
        discovery.against.as_str(),
        discovery.signal.as_str(),
        discovery.evidence
    );
    let session = discovery.sessions.first().cloned();
    let known = discovery.against.fact();
    let Some(fact) = known.and_then(|known| facts.iter().find(|it| it.name == known)) else {
        let (target, after) = (Target::New(discovery.kind), discovery.rule.clone());
        let (before, edits) = (String::new(), Vec::new());
        return Proposal { action: Action::Add, target, reason, before, after, edits, session };
    };
    let from = sentence_about(&fact.text, &discovery.rule);
    let edit = Edit::Replace { from, to: discovery.rule.clone() };
    let (before, after) = (fact.text.clone(), edited(&fact.text, &edit));
    let target = Target::Fact(fact.name.clone());
    Proposal { action: Action::Edit, target, reason, before, after, edits: vec![edit], session }
}

/// The sentence of a fact that is about what a rule says: only its words are replaced.
fn sentence_about(text: &str, rule: &str) -> String {
    let rare = rare_words(rule);
    let n_shared =
        |sentence: &&str| rare_words(sentence).iter().filter(|word| rare.contains(word)).count();
    // Of several the first.
    let all = sentences(text);
    let best = all.iter().rev().max_by_key(|sentence| n_shared(sentence));
    best.map_or(text, |sentence| *sentence).to_owned()
}

/// What sessions say, and then what a search says of the words that are left.
fn joined(known: &Proposal, proposal: Proposal) -> Proposal {
    let edits: Vec<Edit> = proposal.edits.iter().chain(&known.edits).cloned().collect();
    let after = edits.iter().fold(known.before.clone(), |text, edit| edited(&text, edit));
    let reason = format!("{} | {}", proposal.reason, known.reason);
    Proposal { reason, after: after.trim().to_owned(), edits, ..proposal }
}

#[cfg(test)]
mod tests;
