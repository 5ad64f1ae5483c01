//! What an audit and a discovery propose together, doubles removed: facts to add, to edit, to
//! merge and to remove, each with its target, its reason and the words before and after. Nothing
//! is written here, and nothing without a person's consent.

use super::NoteKind;
use super::audit::{AuditFinding, Edit, Fact};
use super::discover::{Discovery, Against};

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
                let (action, before) = (Action::Add, String::new());
                proposals.push(Proposal { action, target, before, ..proposal });
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
    let before = fact.text.clone();
    let merge = findings.iter().find_map(|finding| match &finding.edit {
        Edit::MergeInto { name } => Some((finding, name)),
        Edit::Remove | Edit::Replace { .. } | Edit::RemoveSentence { .. } => None,
    });
    if let Some((finding, into)) = merge {
        let target = Target::Two(fact.name.clone(), into.clone());
        let (action, after) = (Action::Merge, String::new());
        return Proposal { action, target, reason: reason(finding), before, after };
    }
    let target = Target::Fact(fact.name.clone());
    let reasons = findings.iter().map(|finding| reason(finding)).collect::<Vec<_>>().join(" | ");
    let is_gone = |finding: &&&AuditFinding| finding.edit == Edit::Remove;
    if let Some(finding) = findings.iter().find(is_gone) {
        let (action, after) = (Action::Remove, String::new());
        return Proposal { action, target, reason: reason(finding), before, after };
    }
    let after = findings.iter().fold(before.clone(), |text, finding| edited(&text, &finding.edit));
    let after = after.trim().to_owned();
    let action = if after.is_empty() { Action::Remove } else { Action::Edit };
    Proposal { action, target, reason: reasons, before, after }
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
    let after = discovery.rule.clone();
    let known = match &discovery.against {
        Against::Contradict { fact } | Against::Update { fact } => {
            facts.iter().find(|it| it.name == *fact)
        }
        Against::FillGap => None,
    };
    match known {
        Some(fact) => {
            let target = Target::Fact(fact.name.clone());
            let before = fact.text.clone();
            Proposal { action: Action::Edit, target, reason, before, after }
        }
        None => {
            let target = Target::New(discovery.kind);
            Proposal { action: Action::Add, target, reason, before: String::new(), after }
        }
    }
}

fn joined(known: &Proposal, proposal: Proposal) -> Proposal {
    Proposal { reason: format!("{} | {}", proposal.reason, known.reason), ..proposal }
}

#[cfg(test)]
mod tests {
    use super::super::audit::AuditKind;
    use super::super::discover::Signal;
    use super::*;

    fn fact(name: &str, text: &str) -> Fact {
        Fact::new(name, text, false, None)
    }

    fn finding(fact: &str, kind: AuditKind, edit: Edit) -> AuditFinding {
        let (fact, evidence) = (fact.to_owned(), vec!["seen".to_owned()]);
        AuditFinding { fact, kind, quote: String::new(), evidence, edit }
    }

    fn discovery(rule: &str, against: Against) -> Discovery {
        Discovery {
            rule: rule.to_owned(),
            kind: NoteKind::Feedback,
            signal: Signal::Correction,
            against,
            evidence: "no, not so".to_owned(),
            sessions: vec!["s1".to_owned()],
        }
    }

    fn replace(from: &str, to: &str) -> Edit {
        Edit::Replace { from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn each_fact_gets_one_proposal() {
        let facts = [
            fact("a.md", "On Node 18 since yesterday."),
            fact("b.md", "Gone."),
            fact("c.md", "As a."),
            fact("d.md", "Holds."),
        ];
        let findings = [
            finding("a.md", AuditKind::Contradict, replace("Node 18", "Node 20")),
            finding("a.md", AuditKind::DateFix, replace("yesterday", "2026-04-02")),
            finding("b.md", AuditKind::Stale, Edit::Remove),
            finding("b.md", AuditKind::DateFix, replace("Gone", "x")),
            finding("c.md", AuditKind::Redundant, Edit::MergeInto { name: "a.md".to_owned() }),
        ];
        let found = consolidate(&facts, &findings, &[]);
        let told: Vec<(&str, &str)> =
            found.iter().map(|it| (it.action.as_str(), it.after.as_str())).collect();
        assert_eq!(told, [("EDIT", "On Node 20 since 2026-04-02."), ("REMOVE", ""), ("MERGE", "")]);
        assert_eq!(found[2].target, Target::Two("c.md".to_owned(), "a.md".to_owned()));
        assert_eq!(found[0].reason, "CONTRADICT: seen | DATE_FIX: seen");
    }

    #[test]
    fn sessions_and_search_about_one_fact_are_one_proposal() {
        let facts = [fact("a.md", "Use Node 18."), fact("b.md", "Gone.")];
        let findings = [
            finding("a.md", AuditKind::Contradict, replace("18", "20")),
            finding("b.md", AuditKind::Stale, Edit::Remove),
        ];
        let on = |name: &str| Against::Contradict { fact: name.to_owned() };
        let all = [
            discovery("Use Node 22.", on("a.md")),
            discovery("Use it anew.", on("b.md")),
            discovery("Never push.", Against::FillGap),
        ];
        let found = consolidate(&facts, &findings, &all);
        let told: Vec<(&str, &str)> =
            found.iter().map(|it| (it.action.as_str(), it.after.as_str())).collect();
        let expected = [
            ("EDIT", "Use Node 22."),
            ("REMOVE", ""),
            ("ADD", "Use it anew."),
            ("ADD", "Never push."),
        ];
        assert_eq!(told, expected);
        assert!(
            found[0]
                .reason
                .contains("CONTRADICT (correction) in s1: no, not so | CONTRADICT: seen")
        );
        assert_eq!(found[3].target, Target::New(NoteKind::Feedback));
    }

    #[test]
    fn a_sentence_goes_with_its_mark() {
        let remove = |text: &str, sentence: &str| {
            edited(text, &Edit::RemoveSentence { sentence: sentence.to_owned() })
        };
        assert_eq!(remove("One. Two. Three.", "Two."), "One. Three.");
        assert_eq!(remove("One. Two.", "One."), "Two.");
        assert_eq!(remove("- One\n- Two\n- Three", "Two"), "- One\n- Three");
        assert_eq!(remove("- One\n- Two", "Two"), "- One\n");
        assert_eq!(remove("One.", "Other."), "One.");
    }
}
