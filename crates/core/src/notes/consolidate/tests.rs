use super::super::audit::AuditKind;
use super::super::discover::{Against, Signal};
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
    let expected =
        [("EDIT", "Use Node 22."), ("REMOVE", ""), ("ADD", "Use it anew."), ("ADD", "Never push.")];
    assert_eq!(told, expected);
    assert!(
        found[0].reason.contains("CONTRADICT (correction) in s1: no, not so | CONTRADICT: seen")
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

#[test]
fn only_the_sentence_that_is_meant_is_replaced() {
    let text = "Deploys go through Buildkite. Use Node 18. Ask Kim before a release.";
    let facts = [fact("a.md", text)];
    let against = Against::Update { fact: "a.md".to_owned() };
    let found = consolidate(&facts, &[], &[discovery("Use Node 22.", against)]);
    assert_eq!(
        found[0].after,
        "Deploys go through Buildkite. Use Node 22. Ask Kim before a release."
    );
    let note = Note {
        text: "Deploys go through Buildkite.".to_owned(),
        how: Some("Use Node 18.".to_owned()),
        why: Some("It was so.".to_owned()),
        ..Note::default()
    };
    let note = edited_note(&note, &found[0].edits);
    assert_eq!(note.how.as_deref(), Some("Use Node 22."));
    assert_eq!(note.text, "Deploys go through Buildkite.");
    assert_eq!(found[0].diff(), format!("- {text}\n+ {}\n", found[0].after));
}

#[test]
fn a_new_fact_gets_a_file_of_its_own() {
    let one = discovery("Never push to main, the hook deploys it.", Against::FillGap);
    let found = consolidate(&[], &[], &[one]);
    let note = found[0].new_note(&|_| false).unwrap();
    assert_eq!(
        (note.file.as_str(), note.name.as_str()),
        ("feedback_never-push-to-main.md", "Never push to main")
    );
    assert_eq!(note.description, "Never push to main, the hook deploys it");
    assert_eq!(note.session.as_deref(), Some("s1"));
    let other = found[0].new_note(&|name| name == note.file).unwrap();
    assert_eq!(other.file, "feedback_never-push-to-main-2.md");
}

#[test]
fn a_proposal_is_known_by_what_it_does() {
    let on = |rule: &str| consolidate(&[], &[], &[discovery(rule, Against::FillGap)]).remove(0);
    let (one, again, other) = (on("Never push."), on("Never push."), on("Never pull."));
    assert_eq!(one.id(), again.id());
    assert_ne!(one.id(), other.id());
    assert_eq!(one.id().len(), N_DIGITS);
}
