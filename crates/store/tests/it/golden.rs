//! The journal payload of every change, as released: what was written must stay
//! readable, and must be written the same again. A new change gets a new line; a line
//! is never edited.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::conformance::erase_cases::forgotten;
use crate::conformance::sample::{
    add_attempt, add_consultation, add_deliberation, add_effect, add_finding, add_injection,
    add_lesson, add_run, attempt, consultation, deliberation, describe, edit_consultation,
    edit_project, effect, finding, injection, lesson, project_at, run, run_id, text,
};
use hardwon_core::change::{Change, LessonField, PAYLOAD_VERSION};
use hardwon_core::consult::{Consultation, Proposed, Spend};
use hardwon_core::effect::{Effect, EffectCounts, EffectKind, FollowUp, Injection, Shown, Surface};
use hardwon_core::episode::Episode;
use hardwon_core::finding::{Finding, FindingState, Grade, Severity};
use hardwon_core::lesson::{Arms, Guidance, Kind, Lesson, State, Trust, Unseen, Upkeep};
use hardwon_core::run::{Outcome, Run};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;

/// One of every change, with every field of a lesson in the edits.
fn every_change() -> Vec<Change> {
    let mut changes = first_changes();
    changes.extend(changes_since());
    changes.extend(changes_of_forgetting());
    changes.extend(changes_of_judging());
    changes.extend(changes_of_reflecting());
    changes.extend(changes_of_projects());
    changes.extend(changes_of_repairs());
    changes.extend(changes_of_deliberating());
    changes.extend(changes_of_asking());
    changes.extend(changes_of_rewording());
    changes
}

/// What came with models: a question, and what it cost and gave.
fn changes_of_asking() -> Vec<Change> {
    let asked = consultation("r12", 1_775_000_600_000);
    let proposed = Proposed {
        is_yes: Some(true),
        text: "Close the pool".into(),
        reason: "both speak of the pool".into(),
        rejected: None,
    };
    let answered = Consultation {
        spent: Some(Spend { tokens_in: 8100, tokens_out: 420, micro_usd: 10_200 }),
        is_answered: true,
        failure: Some("none".into()),
        proposed: Some(proposed),
        ..asked.clone()
    };
    let ask = add_consultation(&asked);
    vec![ask.clone(), ask.inverse(), edit_consultation(&asked, &answered)]
}

/// What came with deliberations: answers, attempts, and who dismissed a finding.
fn changes_of_deliberating() -> Vec<Change> {
    let answer =
        add_deliberation(&deliberation("r11", 1_775_000_500_000, "The pool leaks. Close it."));
    let tried = add_attempt(&attempt("r11", 1_775_000_500_000, "Close the pool"));
    let ruled_by = Some("inspector".to_owned());
    let state = FindingState::Dismissed;
    let found = Finding { ruled_by, state, ..finding("r11", "Socket left open") };
    vec![answer.clone(), answer.inverse(), tried.clone(), tried.inverse(), add_finding(&found)]
}

/// What came with repairs: what the author of a finding says to do, and the lesson after it.
fn changes_of_repairs() -> Vec<Change> {
    let repair = Some("Close it when the request ends".to_owned());
    let found = Finding { repair: repair.clone(), ..finding("r10", "Socket left open") };
    let before = without_summary(lesson("Socket left open"));
    let guidance = Guidance { repair, ..before.guidance.clone() };
    let after = Lesson { guidance, ..before.clone() };
    let edit = Change::edit_lesson(&before, &after, "seen again").unwrap();
    vec![add_finding(&found), edit]
}

/// What came with identities of projects.
fn changes_of_projects() -> Vec<Change> {
    let shop = project_at("shop-0123456789", "/home/ada/shop", Some("one"));
    let both = shop.clone().with(project_at("x", "/yard/notes", None).checkouts[0].clone());
    vec![describe(&shop), edit_project(&shop, &both)]
}

/// What came with reflection: what a run tells about itself, and the rule of a lesson.
fn changes_of_reflecting() -> Vec<Change> {
    let full = without_summary(lesson("Socket left open"));
    let before = Lesson { guidance: Guidance::default(), ..full.clone() };
    let edit = Change::edit_lesson(&before, &full, "reflected upon").unwrap();
    vec![add_run(&run("r9", 9)), add_lesson(&full), edit]
}

/// As journals were before reflection.
fn untold(run: Run) -> Run {
    Run { episode: Episode::default(), ..run }
}

/// As they were before better words.
fn without_summary(lesson: Lesson) -> Lesson {
    let guidance = Guidance { summary: None, ..lesson.guidance };
    Lesson { guidance, ..lesson }
}

/// What came with better words: a short form beside the text.
fn changes_of_rewording() -> Vec<Change> {
    let full = lesson("Socket left open");
    let before = without_summary(full.clone());
    vec![Change::edit_lesson(&before, &full, "edited by ada").unwrap()]
}

fn without_rule(lesson: Lesson) -> Lesson {
    Lesson { guidance: Guidance::default(), ..lesson }
}

/// What came with verdicts: who judged the work of a run, and lessons that had proved
/// themselves and failed.
fn changes_of_judging() -> Vec<Change> {
    let failed = effect(&lesson("Socket left open"), "r8", 8, EffectKind::NoHelp);
    let failed = Effect { expected: None, ..failed };
    vec![add_run(&untold(run("r8", 8))), add_effect(&failed)]
}

/// What came with `forget --hard`.
fn changes_of_forgetting() -> Vec<Change> {
    let mut changes = forgotten(&lesson("Socket left open"), &[], &["src/socket.rs"]);
    let lifted = changes[1].inverse();
    changes.remove(0);
    changes.push(lifted);
    changes
}

/// What came later: where a lesson came from, its reviews and what chance showed; domain,
/// surface and hold-out of an injection; surface, follow-up and arm of an effect.
fn changes_since() -> Vec<Change> {
    let full = without_rule(lesson("Socket left open"));
    let edit = Change::edit_lesson(&bare(full.clone()), &full, "imported").unwrap();
    let shown = injection("r7", "judge", &[&full]);
    let hurt = Effect { expected: None, ..effect(&full, "r7", 7, EffectKind::Hurt) };
    let hurt = Effect { is_regression: false, ..hurt };
    vec![add_lesson(&full), add_injection(&shown), add_effect(&hurt), edit]
}

/// A lesson as the first journals had it.
fn bare(lesson: Lesson) -> Lesson {
    Lesson {
        extra: None,
        upkeep: Upkeep::default(),
        reviews: Vec::new(),
        superseded_by: None,
        arms: Arms::default(),
        guidance: Guidance::default(),
        ..lesson
    }
}

fn first_changes() -> Vec<Change> {
    let before = bare(lesson("Query built by string concatenation"));
    let edit = Change::edit_lesson(&before, &all_different(&before), "seen again").unwrap();
    let found = finding("r7", "Socket left open");
    let run = Run { judgements: BTreeMap::new(), ..untold(run("r7", 7)) };
    let ended = Run { outcome: Some(Outcome::Failed), ..run.clone() };
    let fixed = Finding {
        state: FindingState::Fixed,
        lesson: Some(before.id.clone()),
        fixed_in: Some(run_id("r6")),
        ..found.clone()
    };
    let full = injection("r7", "judge", &[&before]);
    let certain = |shown: &Shown| Shown { is_randomised: false, ..shown.clone() };
    let shown = Injection {
        domain: String::new(),
        shown: full.shown.iter().map(certain).collect(),
        held_out: Vec::new(),
        surface: Surface::TaskPacket,
        ..full
    };
    let helped = Effect {
        surface: Surface::TaskPacket,
        follow_up: FollowUp::None,
        is_regression: false,
        arm: None,
        weight: 1.0,
        expected: None,
        ..effect(&before, "r7", 7, EffectKind::Helped)
    };
    let adds = [
        add_run(&run),
        add_finding(&found),
        add_lesson(&before),
        add_injection(&shown),
        add_effect(&helped),
    ];
    let mut changes: Vec<Change> =
        adds.iter().flat_map(|add| [add.clone(), add.inverse()]).collect();
    changes.extend([
        Change::EditRun { before: Box::new(run), after: Box::new(ended) },
        Change::EditFinding { before: Box::new(found), after: Box::new(fixed) },
        edit,
    ]);
    changes
}

fn all_different(lesson: &Lesson) -> Lesson {
    Lesson {
        kind: Kind::AntiPattern,
        category: None,
        text: text("Bind parameters instead of building a query"),
        scope: Scope::default().with(Dimension::Role, "judge"),
        tags: vec!["sql".into()],
        paths: Vec::new(),
        severity: Severity::Critical,
        state: State::Stable,
        importance: 1.0,
        base_confidence: 0.7,
        confidence: 0.8,
        n_sightings: 3,
        standing: 3,
        last_seen_run: None,
        unseen: Unseen { n_runs: 0, checked_at: 7 },
        detectors: BTreeSet::from(["clippy".to_owned()]),
        grade: Some(Grade::Executed),
        effects: EffectCounts { n_helped: 2, n_hurt: 1, ..EffectCounts::default() },
        is_pinned: true,
        trust: Trust::Trusted,
        aliases: vec!["AF-7".into()],
        signatures: vec!["s-0123456789abcdef".into()],
        updated_at: Timestamp(1_775_000_400_000),
        ..lesson.clone()
    }
}

fn golden() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/golden/journal-v{PAYLOAD_VERSION}.jsonl"));
    // For a new change, before it is released; the diff must only add lines.
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let lines = every_change().into_iter().map(|c| serde_json::to_string(&c).unwrap() + "\n");
        std::fs::write(&path, lines.collect::<String>()).unwrap();
    }
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn old_payloads_are_read_and_written_the_same() {
    for line in golden().lines() {
        let change: Change = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&change).unwrap(), line);
    }
}

#[test]
fn todays_payloads_are_the_golden_ones() {
    let golden = golden();
    for (change, line) in every_change().iter().zip(golden.lines()) {
        assert_eq!(serde_json::to_string(change).unwrap(), line);
    }
    let new: Vec<String> = every_change()
        .iter()
        .skip(golden.lines().count())
        .map(|change| serde_json::to_string(change).unwrap())
        .collect();
    assert!(new.is_empty(), "to be added to the file:\n{}", new.join("\n"));
}

#[test]
fn every_field_of_a_lesson_is_in_the_golden_edits() {
    let changes = every_change();
    let fields = changes.iter().flat_map(|change| match change {
        Change::EditLesson { fields, .. } => &fields[..],
        _ => &[],
    });
    let names: BTreeSet<&str> = fields.map(LessonField::name).collect();
    let lesson = serde_json::to_value(lesson("x")).unwrap();
    let fixed = ["id", "project", "author", "origin", "created_at"];
    let changeable = lesson.as_object().unwrap().keys().map(String::as_str);
    let changeable: BTreeSet<&str> = changeable.filter(|name| !fixed.contains(name)).collect();
    assert_eq!(names, changeable);
}

/// A case that is taken out of the list would be missed by nobody.
#[test]
fn every_store_passes_every_case_that_was_frozen() {
    let file = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        std::fs::read_to_string(path).unwrap()
    };
    let source = file("tests/conformance/mod.rs");
    let (_, list) = source.split_once("{ $make =>").unwrap();
    let (list, _) = list.split_once('}').unwrap();
    let of_module = |part: &str| {
        let (module, cases) = part.split_once(':')?;
        let named = |case: &str| format!("{}::{}", module.trim(), case.trim());
        Some(cases.split(',').map(named).collect::<Vec<String>>())
    };
    let cases: BTreeSet<String> = list.split(';').filter_map(of_module).flatten().collect();
    let frozen: BTreeSet<String> =
        file("tests/golden/conformance.txt").lines().map(str::to_owned).collect();
    assert_eq!(cases, frozen, "a new case gets a line of conformance.txt, and none is taken out");
    for store in ["src/memory/tests.rs", "tests/it/sqlite.rs", "tests/postgres/main.rs"] {
        assert!(file(store).contains("crate::conformance::conformance_tests!("), "{store}");
    }
}
