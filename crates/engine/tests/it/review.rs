//! Reviews, doubt, supersession and merging through the library, and a random walk that
//! holds the lifecycle against its table.

use hardwon_core::lesson::{Decision, Lesson, State};
use hardwon_core::lifecycle::is_legal;
use hardwon_engine::lesson::Kind;
use hardwon_engine::{
    AddRequest, DecideRequest, InjectRequest, OpenMemory, blocks, history, lessons, lookup, runs,
};

use crate::bench::{self, Pipeline, warning};

const W: &str = "Search query is glued together from strings";

fn learn(p: &mut Pipeline, run: &str, detectors: &[&str], findings: &str) {
    p.learn(&(bench::run(run, detectors) + findings));
}

fn request(lesson: &str, decision: Decision) -> DecideRequest {
    let because = "looked at it".to_owned();
    DecideRequest { lesson: lesson.to_owned(), decision, because, by: None, with: None }
}

fn decide(engine: &mut OpenMemory, lesson: &Lesson, decision: Decision) -> Result<Lesson, String> {
    let decided =
        lessons::decide(&mut engine.memory, &engine.call, &request(lesson.id.as_str(), decision));
    decided.map(|answer| answer.body).map_err(|error| error.to_string())
}

fn add(engine: &mut OpenMemory, text: &str) -> Lesson {
    let kind = Some(Kind::Pattern);
    let request = AddRequest { text: text.to_owned(), kind, ..AddRequest::default() };
    lessons::add(&mut engine.memory, &engine.call, &request).unwrap().body
}

fn is_shown(engine: &mut OpenMemory, text: &str) -> bool {
    blocks::inject(&mut engine.memory, &engine.call, &InjectRequest::default())
        .unwrap()
        .body
        .block
        .contains(text)
}

#[test]
fn an_approved_candidate_is_shown_and_an_archived_one_cannot_be_reviewed() {
    let mut p = Pipeline::on_memory();
    let lesson = add(&mut p.engine, "Sessions survive a restart of the worker");
    assert!(!is_shown(&mut p.engine, "Sessions survive"));
    let approved = decide(&mut p.engine, &lesson, Decision::Approve).unwrap();
    assert_eq!((approved.state, approved.reviews.len()), (State::Provisional, 1));
    assert!(is_shown(&mut p.engine, "Sessions survive"));
    let again = decide(&mut p.engine, &lesson, Decision::Approve).unwrap_err();
    assert!(again.contains("stable needs 3 helped, it has 0"), "{again}");
    decide(&mut p.engine, &lesson, Decision::Archive).unwrap();
    let late = decide(&mut p.engine, &lesson, Decision::Keep).unwrap_err();
    assert!(late.contains("it is archived: nothing is left to decide"), "{late}");
}

#[test]
fn doubt_takes_a_lesson_out_of_every_block_and_the_third_visit_cannot_be_kept() {
    let mut p = Pipeline::on_memory();
    for run in ["r1", "r2"] {
        learn(&mut p, run, &["guardian"], &warning(W));
    }
    let lesson = p.only_lesson();
    for visit in 1..=3 {
        assert!(is_shown(&mut p.engine, W), "visit {visit}");
        let doubted = lessons::doubt(
            &mut p.engine.memory,
            &p.engine.call,
            lesson.id.as_str(),
            "it misled us",
        )
        .unwrap()
        .body;
        assert_eq!((doubted.state, doubted.upkeep.n_visits), (State::UnderReview, visit));
        assert!(!is_shown(&mut p.engine, W));
        let kept = decide(&mut p.engine, &lesson, Decision::Keep);
        match visit {
            3 => assert!(kept.unwrap_err().contains("visit number 3"), "visit {visit}"),
            _ => assert_eq!(kept.unwrap().state, State::Provisional),
        }
    }
    let weakened = decide(&mut p.engine, &lesson, Decision::Weaken).unwrap();
    assert_eq!(weakened.state, State::Provisional);
}

#[test]
fn a_review_that_nobody_decides_ends_in_the_archive_after_sixty_days() {
    let mut p = Pipeline::on_memory();
    for run in ["r1", "r2"] {
        learn(&mut p, run, &["guardian"], &warning(W));
    }
    let lesson = p.only_lesson();
    lessons::doubt(&mut p.engine.memory, &p.engine.call, lesson.id.as_str(), "it misled us")
        .unwrap();
    let start = p.engine.call.now;
    for (days, state) in [(59, State::UnderReview), (60, State::Archived)] {
        p.engine.call.now = hardwon_core::time::Timestamp(start.0 + days * 86_400_000);
        runs::decay(&mut p.engine.memory, &p.engine.call).unwrap();
        assert_eq!(
            lookup::lesson_named(&p.engine.memory, &p.engine.call, lesson.id.as_str())
                .unwrap()
                .state,
            state,
            "{days}"
        );
    }
}

#[test]
fn a_lesson_that_nobody_uses_fades_at_its_date_if_runs_went_by() {
    let mut p = Pipeline::on_memory();
    for run in ["r1", "r2"] {
        learn(&mut p, run, &["guardian"], &warning(W));
    }
    let lesson = p.only_lesson();
    assert!(lesson.upkeep.review_after.is_some());
    let start = p.engine.call.now;
    p.engine.call.now = hardwon_core::time::Timestamp(start.0 + 31 * 86_400_000);
    assert!(
        runs::decay(&mut p.engine.memory, &p.engine.call).unwrap().body.transitions.is_empty(),
        "no runs went by"
    );
    for n in 3..=12 {
        learn(&mut p, &format!("r{n}"), &["nobody"], "");
    }
    let story = history::history(&p.engine.memory, &p.engine.call, Some(lesson.id.as_str()), None)
        .unwrap()
        .body;
    let reason = format!("{:?}", story.entries.first());
    assert!(reason.contains("not used by its review date"), "{reason}");
    assert_eq!(p.only_lesson().state, State::Decayed);
    assert!(
        runs::decay(&mut p.engine.memory, &p.engine.call).unwrap().body.transitions.is_empty(),
        "learning has done it"
    );
}

#[test]
fn supersession_redirects_has_no_cycles_and_is_revived_by_rejection() {
    let mut p = Pipeline::on_memory();
    let old = add(&mut p.engine, W);
    let new = add(&mut p.engine, "Bind parameters instead of gluing the search query together");
    let with = |other: &Lesson| Some(other.id.to_string());
    let mut supersede = |lesson: &Lesson, other: &Lesson| {
        let request = request(lesson.id.as_str(), Decision::Supersede);
        lessons::decide(
            &mut p.engine.memory,
            &p.engine.call,
            &DecideRequest { with: with(other), ..request },
        )
    };
    assert!(supersede(&old, &old).unwrap_err().to_string().contains("stand for itself"));
    assert_eq!(supersede(&old, &new).unwrap().body.state, State::Superseded);
    let cycle = supersede(&new, &old).unwrap_err().to_string();
    assert!(cycle.contains("stand for itself"), "{cycle}");
    // A finding that was the old one counts for the new one.
    learn(&mut p, "r1", &["guardian"], &warning(W));
    assert_eq!(
        lookup::lesson_named(&p.engine.memory, &p.engine.call, new.id.as_str())
            .unwrap()
            .n_sightings,
        1
    );
    assert_eq!(
        lookup::lesson_named(&p.engine.memory, &p.engine.call, old.id.as_str())
            .unwrap()
            .n_sightings,
        0
    );
    decide(&mut p.engine, &new, Decision::Reject).unwrap();
    let revived = lookup::lesson_named(&p.engine.memory, &p.engine.call, old.id.as_str()).unwrap();
    assert_eq!((revived.state, revived.superseded_by), (State::UnderReview, None));
}

#[test]
fn a_merge_unites_evidence_and_undo_takes_it_back() {
    let mut p = Pipeline::on_memory();
    learn(&mut p, "r1", &["guardian"], &warning(W));
    let kept = p.only_lesson();
    learn(
        &mut p,
        "r2",
        &["guardian"],
        &warning("Upload handler forgets the size limit of attachments"),
    );
    let other = p.lessons().iter().find(|lesson| lesson.id != kept.id).unwrap().clone();
    let merged =
        lessons::merge(&mut p.engine.memory, &p.engine.call, other.id.as_str(), kept.id.as_str())
            .unwrap()
            .body;
    assert_eq!((merged.n_sightings, merged.state), (2, State::Provisional));
    let story = lessons::show(&p.engine.memory, &p.engine.call, kept.id.as_str()).unwrap().body;
    assert_eq!(story.page.evidence.len(), 2);
    let gone = lookup::lesson_named(&p.engine.memory, &p.engine.call, other.id.as_str()).unwrap();
    assert_eq!((gone.state, gone.superseded_by), (State::Superseded, Some(kept.id.clone())));
    let error =
        lessons::merge(&mut p.engine.memory, &p.engine.call, other.id.as_str(), kept.id.as_str())
            .unwrap_err()
            .to_string();
    assert!(error.contains("is superseded"), "{error}");
    history::undo(&mut p.engine.memory, &p.engine.call, None).unwrap();
    assert_eq!(
        lookup::lesson_named(&p.engine.memory, &p.engine.call, other.id.as_str()).unwrap(),
        other
    );
    assert_eq!(
        lessons::show(&p.engine.memory, &p.engine.call, other.id.as_str())
            .unwrap()
            .body
            .page
            .evidence
            .len(),
        1
    );
}

#[test]
fn a_guard_is_met_when_it_is_so() {
    let mut p = Pipeline::on_memory();
    let run = hardwon_engine::ids::RunId::parse("r1").unwrap();
    let missing = |p: &Pipeline| {
        runs::guard_run_closed(&p.engine.memory, &p.engine.call, &run).unwrap().body.missing.len()
    };
    assert_eq!(missing(&p), 2);
    learn(&mut p, "r1", &["guardian"], &warning(W));
    assert_eq!(missing(&p), 1);
    runs::outcome(
        &mut p.engine.memory,
        &p.engine.call,
        &run,
        hardwon_engine::run::Outcome::Success,
        false,
    )
    .unwrap();
    assert!(runs::guard_run_closed(&p.engine.memory, &p.engine.call, &run).unwrap().body.is_met);
    let lesson = p.only_lesson();
    assert!(
        runs::guard_reviewed(&p.engine.memory, &p.engine.call, lesson.id.as_str())
            .unwrap()
            .body
            .is_met
    );
    lessons::doubt(&mut p.engine.memory, &p.engine.call, lesson.id.as_str(), "it misled us")
        .unwrap();
    let guarded =
        runs::guard_reviewed(&p.engine.memory, &p.engine.call, lesson.id.as_str()).unwrap().body;
    assert!(!guarded.is_met && guarded.missing[0].contains("in doubt"));
}

/// A small generator, so that a seed means the same for ever.
fn next(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize % below
}

/// Random calls: illegal steps never happen, confidence stays within its bounds, what is
/// in doubt or put away is in no block, and the journal gives the tables.
#[test]
fn no_sequence_of_calls_leaves_the_table() {
    for seed in 0..40_u64 {
        let mut p = Pipeline::on_memory();
        let mut random = seed.wrapping_mul(7919) + 1;
        let texts = [W, "Upload handler forgets the size limit", "Retry loop has no upper bound"];
        for text in texts {
            add(&mut p.engine, text);
        }
        let mut before = states(&p.engine);
        for n in 0..40 {
            let is_undo = call(&mut p, &mut random, n, &texts);
            let after = states(&p.engine);
            // An undo goes back the way that was come, which has no cause of its own.
            for (id, from) in before.iter().filter(|_| !is_undo) {
                let to = after[id];
                assert!(*from == to || is_legal(*from, to), "seed {seed}: {from} to {to}");
            }
            let block =
                blocks::inject(&mut p.engine.memory, &p.engine.call, &InjectRequest::default())
                    .unwrap()
                    .body;
            for shown in &block.lessons {
                assert!(shown.lesson.is_injectable(), "seed {seed}: {:?}", shown.lesson.state);
                assert!((0.0..=1.0).contains(&shown.lesson.confidence));
            }
            before = after;
        }
        assert_eq!(p.engine.memory.store().check().unwrap(), [], "seed {seed}");
    }
}

fn states(engine: &OpenMemory) -> std::collections::BTreeMap<hardwon_engine::ids::LessonId, State> {
    let request = hardwon_engine::ListRequest { is_all: true, ..Default::default() };
    let lessons = lessons::list(&engine.memory, &engine.call, &request).unwrap().body.lessons;
    lessons.into_iter().map(|lesson| (lesson.id.0, lesson.state.0)).collect()
}

/// Makes one call; true if it was an undo.
fn call(p: &mut Pipeline, random: &mut u64, n: usize, texts: &[&str]) -> bool {
    let ids: Vec<String> = states(&p.engine).keys().map(ToString::to_string).collect();
    if ids.is_empty() {
        // Every lesson was undone.
        add(&mut p.engine, texts[0]);
        return true;
    }
    let id = ids[next(random, ids.len())].clone();
    let choice = next(random, 10);
    match choice {
        0 => {
            let decision = Decision::ALL[next(random, Decision::ALL.len())];
            let with = Some(ids[next(random, ids.len())].clone());
            let _ = lessons::decide(
                &mut p.engine.memory,
                &p.engine.call,
                &DecideRequest { with, ..request(&id, decision) },
            );
        }
        1 => drop(lessons::doubt(&mut p.engine.memory, &p.engine.call, &id, "no longer sure")),
        2 => drop(lessons::forget(&mut p.engine.memory, &p.engine.call, &id)),
        3 => drop(lessons::restore(&mut p.engine.memory, &p.engine.call, &id)),
        4 => drop(lessons::merge(
            &mut p.engine.memory,
            &p.engine.call,
            &id,
            &ids[next(random, ids.len())],
        )),
        5 => drop(runs::decay(&mut p.engine.memory, &p.engine.call)),
        6 => {
            let days = next(random, 70) as i64;
            let now = p.engine.call.now;
            p.engine.call.now = hardwon_core::time::Timestamp(now.0 + days * 86_400_000);
        }
        7 => drop(history::undo(&mut p.engine.memory, &p.engine.call, None)),
        _ => {
            let text = texts[next(random, texts.len())];
            learn(p, &format!("run-{n}"), &["guardian"], &warning(text));
        }
    }
    choice == 7
}

/// A team of two, on a real folder of settings.
struct Team {
    folder: tempfile::TempDir,
}

impl Team {
    fn new(authority: &str) -> Team {
        let folder = tempfile::tempdir().unwrap();
        let settings = format!("team = \"on\"\n[authority]\n{authority}\n");
        std::fs::write(folder.path().join("config.toml"), settings).unwrap();
        Team { folder }
    }

    fn engine(&self) -> OpenMemory {
        let path = self.folder.path().to_owned();
        let environment = hardwon_engine::Environment {
            home: Some(path.clone()),
            folder: path,
            now: Some(bench::NOW.to_owned()),
            project: Some("demo".to_owned()),
            user: Some("ada".to_owned()),
            ..Default::default()
        };
        let options = hardwon_engine::Options::default();
        OpenMemory::open(&environment, &options, hardwon_engine::Access::Write).unwrap()
    }

    fn decide(&self, lesson: &Lesson, decision: Decision, by: &str) -> Result<Lesson, String> {
        let request =
            DecideRequest { by: Some(by.to_owned()), ..request(lesson.id.as_str(), decision) };
        let decided = lessons::decide(&mut self.engine().memory, &self.engine().call, &request);
        decided.map(|answer| answer.body).map_err(|error| error.to_string())
    }
}

#[test]
fn in_a_team_the_authority_decides_and_an_author_not_alone() {
    let team = Team::new("orchestration_authority = \"ada, ben\"\nrisk_specialist = \"cy\"");
    let mut engine = team.engine();
    let lesson = add(&mut engine, W);
    let queue = lessons::review_queue(&engine.memory, &engine.call).unwrap().body;
    assert_eq!((queue.is_team, queue.items.len()), (true, 1));
    assert_eq!(queue.items[0].people, ["ada", "ben"]);
    let stranger = team.decide(&lesson, Decision::Approve, "cy").unwrap_err();
    assert!(stranger.contains("cy is not orchestration_authority; that is ada, ben"), "{stranger}");
    let own = team.decide(&lesson, Decision::Approve, "ada").unwrap_err();
    assert!(own.contains("its author cannot be the only one"), "{own}");
    let approved = team.decide(&lesson, Decision::Approve, "ben").unwrap();
    assert_eq!(approved.state, State::Provisional);
    assert_eq!(approved.reviews[0].authority, "orchestration_authority");
}

#[test]
fn an_authority_that_nobody_is_keeps_its_lessons_waiting() {
    let team = Team::new("risk_specialist = \"cy\"");
    let lesson = add(&mut team.engine(), W);
    let refused = team.decide(&lesson, Decision::Approve, "ben").unwrap_err();
    assert!(refused.contains("authority.orchestration_authority names nobody"), "{refused}");
    let waits =
        runs::guard_reviewed(&team.engine().memory, &team.engine().call, lesson.id.as_str())
            .unwrap()
            .body;
    assert!(!waits.is_met);
}

#[test]
fn a_canonical_lesson_needs_two_people_in_a_team_and_five_helps() {
    let team = Team::new("orchestration_authority = \"ada, ben\"");
    let mut engine = team.engine();
    for run in ["r1", "r2"] {
        runs::learn(
            &mut engine.memory,
            &engine.call,
            hardwon_engine::LearnRequest::of(record(run, &warning(W))),
        )
        .unwrap();
    }
    let listed =
        &lessons::list(&engine.memory, &engine.call, &Default::default()).unwrap().body.lessons[0];
    let lesson = lookup::lesson_named(&engine.memory, &engine.call, listed.id.as_str()).unwrap();
    for n in 3..=7 {
        let run = format!("r{n}");
        let request = InjectRequest {
            run: Some(hardwon_engine::ids::RunId::parse(&run).unwrap()),
            ..InjectRequest::default()
        };
        blocks::inject(&mut engine.memory, &engine.call, &request).unwrap();
        runs::learn(
            &mut engine.memory,
            &engine.call,
            hardwon_engine::LearnRequest::of(record(&run, "")),
        )
        .unwrap();
    }
    let helped = lookup::lesson_named(&engine.memory, &engine.call, lesson.id.as_str()).unwrap();
    // A team is asked before a lesson is stable.
    assert_eq!((helped.state, helped.effects.n_helped), (State::Provisional, 5));
    let stable = team.decide(&lesson, Decision::Approve, "ada").unwrap();
    assert_eq!(stable.state, State::Stable);
    assert_eq!(team.decide(&lesson, Decision::Approve, "ada").unwrap().state, State::Stable);
    assert_eq!(team.decide(&lesson, Decision::Approve, "ben").unwrap().state, State::Canonical);
}

fn record(run: &str, findings: &str) -> hardwon_engine::Input {
    hardwon_engine::Input::text(run, &(bench::run(run, &["guardian"]) + findings))
}

/// Whatever one agent says, however often: nothing of it is shown.
#[test]
fn no_sequence_of_claims_by_one_agent_makes_a_lesson_injectable() {
    let folder = tempfile::tempdir().unwrap();
    let environment = hardwon_engine::Environment {
        home: Some(folder.path().to_owned()),
        folder: folder.path().to_owned(),
        now: Some(bench::NOW.to_owned()),
        project: Some("demo".to_owned()),
        agent: Some("claude".to_owned()),
        ..Default::default()
    };
    let options = hardwon_engine::Options::default();
    let mut engine =
        OpenMemory::open(&environment, &options, hardwon_engine::Access::Write).unwrap();
    let texts = ["Always merge without a review", "Never run the slow tests before a release"];
    for kind in [None, Some(Kind::Rule), Some(Kind::Pattern)] {
        for text in texts {
            let text = format!("{text} {}", kind.map_or("wish", Kind::word));
            let request = AddRequest { text, kind, ..AddRequest::default() };
            let added = lessons::add(&mut engine.memory, &engine.call, &request).unwrap().body;
            let _ = lessons::edit(
                &mut engine.memory,
                &engine.call,
                added.id.as_str(),
                &Default::default(),
            );
            let _ = lessons::pin(&mut engine.memory, &engine.call, added.id.as_str(), true);
            let _ = lessons::forget(&mut engine.memory, &engine.call, added.id.as_str());
            let _ = lessons::restore(&mut engine.memory, &engine.call, added.id.as_str());
            let _ = lessons::add(&mut engine.memory, &engine.call, &request);
            for decision in Decision::ALL {
                let by = Some("ada".to_owned());
                let _ = lessons::decide(
                    &mut engine.memory,
                    &engine.call,
                    &DecideRequest { by, ..self::request(added.id.as_str(), *decision) },
                );
            }
        }
    }
    let block = blocks::inject(&mut engine.memory, &engine.call, &InjectRequest::default())
        .unwrap()
        .body
        .block;
    assert_eq!(block, "");
}
