use std::fs;

use hardwon_core::notes::NoteKind;
use hardwon_core::notes::audit::{AuditFinding, AuditKind, Edit, Fact};
use hardwon_core::notes::discover::{Against, Discovery, Signal};
use tempfile::TempDir;

use super::*;

const NOW: Timestamp = Timestamp(1_775_210_400_000);

fn note(name: &str, text: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\ntype: project\n---\n\n{text}\n")
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |file: &str, text: &str| fs::write(folder.path().join(file), text).unwrap();
    put(
        "MEMORY.md",
        "# Mine\n\n- [Cache](project_cache.md) — warm it\n- [Warm](project_warm.md) — warm it\n",
    );
    put("project_cache.md", &note("Cache", "Warm the cache with `make warm`. It takes a minute."));
    put("project_warm.md", &note("Warm", "Warm the cache."));
    put("project_ci.md", &note("CI", "CI is on Node 18, see [[project_warm]]."));
    folder
}

fn finding(fact: &str, kind: AuditKind, edit: Edit) -> AuditFinding {
    let evidence = vec!["seen".to_owned()];
    AuditFinding { fact: fact.to_owned(), kind, quote: String::new(), evidence, edit }
}

fn discovery(rule: &str) -> Discovery {
    Discovery {
        rule: rule.to_owned(),
        kind: NoteKind::Feedback,
        signal: Signal::Correction,
        against: Against::FillGap,
        evidence: "no".to_owned(),
        sessions: vec!["claude-s1".to_owned()],
    }
}

fn consolidation(folder: &TempDir) -> Consolidation {
    let folder = NotesFolder::read(folder.path()).unwrap();
    let facts: Vec<Fact> = folder.set.notes.iter().map(|it| Fact::of_note(it, None)).collect();
    let replace = Edit::Replace { from: "Node 18".to_owned(), to: "Node 20".to_owned() };
    let into = Edit::MergeInto { name: "project_cache.md".to_owned() };
    let findings = [
        finding("project_ci.md", AuditKind::Contradict, replace),
        finding("project_warm.md", AuditKind::Redundant, into),
    ];
    let proposals = consolidate(&facts, &findings, &[discovery("Never push to main.")]);
    let limits = IndexLimits::default();
    Consolidation {
        folder,
        proposals,
        limits,
        waiting: Vec::new(),
        n_sessions: 1,
        problems: Vec::new(),
    }
}

fn names(listed: &[&str]) -> Vec<String> {
    listed.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn all_proposals_become_one_list_of_edits() {
    let folder = folder();
    let all = consolidation(&folder);
    let actions: Vec<&str> = all.proposals.iter().map(|it| it.action.as_str()).collect();
    assert_eq!(actions, ["EDIT", "MERGE", "ADD"]);
    let chosen: Vec<&Proposal> = all.proposals.iter().collect();
    let edits = all.edits(&chosen, NOW).unwrap();
    let after = |file: &str| edits.iter().find(|edit| edit.file == file).unwrap().after.clone();
    let files: Vec<&str> = edits.iter().map(|edit| edit.file.as_str()).collect();
    let expected = [
        "MEMORY.md",
        "archive/project_warm.md",
        "feedback_never-push-to-main.md",
        "project_ci.md",
        "project_warm.md",
        ".last-consolidation",
    ];
    assert_eq!(files, expected);
    assert_eq!(
        after("MEMORY.md").unwrap(),
        "# Mine\n\n- [Cache](project_cache.md) — warm it\n<!-- hardwon -->\n- [Never push to \
         main](feedback_never-push-to-main.md) — Never push to main\n<!-- /hardwon -->\n"
    );
    assert!(after("project_ci.md").unwrap().contains("CI is on Node 20, see [[project_cache]]."));
    assert_eq!(after("project_warm.md"), None);
    assert_eq!(after("archive/project_warm.md").unwrap(), note("Warm", "Warm the cache."));
    let new = after("feedback_never-push-to-main.md").unwrap();
    assert!(new.contains("originSessionId: claude-s1"), "{new}");
    assert!(new.ends_with("Never push to main.\n"), "{new}");
    assert_eq!(after(MARK).unwrap(), "2026-04-03T10:00:00Z\n");
}

#[test]
fn what_is_not_accepted_is_not_touched() {
    let folder = folder();
    let all = consolidation(&folder);
    let chosen = all.chosen(&names(&["1"]), Some(&all.list())).unwrap();
    let edits = all.edits(&chosen, NOW).unwrap();
    let files: Vec<&str> = edits.iter().map(|edit| edit.file.as_str()).collect();
    assert_eq!(files, ["project_ci.md", MARK]);
}

#[test]
fn a_list_that_has_changed_is_refused() {
    let folder = folder();
    let all = consolidation(&folder);
    let id = all.proposals[2].id();
    assert_eq!(all.chosen(&names(&[&id]), None).unwrap(), [&all.proposals[2]]);
    assert_eq!(all.chosen(&names(&["3", "3"]), Some(&all.list())).unwrap().len(), 1);
    let refused = |named: &[&str], list: Option<&str>| all.chosen(&names(named), list).unwrap_err();
    assert_eq!(refused(&["3"], None), NotAccepted::Number("3".to_owned()));
    assert_eq!(refused(&["4"], Some(&all.list())), NotAccepted::Unknown("4".to_owned()));
    assert_eq!(refused(&["00000000"], None), NotAccepted::Number("00000000".to_owned()));
    assert_eq!(refused(&["deadbeef"], None), NotAccepted::Unknown("deadbeef".to_owned()));
    assert!(matches!(refused(&["1"], Some("old")), NotAccepted::OtherList { .. }));
}

#[test]
fn an_index_that_is_full_takes_no_line() {
    let folder = folder();
    let lines = "- something of others\n".repeat(200);
    fs::write(folder.path().join("MEMORY.md"), lines).unwrap();
    let all = consolidation(&folder);
    let chosen = vec![&all.proposals[2]];
    assert_eq!(all.edits(&chosen, NOW).unwrap_err(), NotAccepted::IndexFull);
}
