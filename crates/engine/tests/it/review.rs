//! Reviews, doubt, supersession and merging through the library, and a random walk that
//! holds the lifecycle against its table.

use std::collections::BTreeMap;

use hardwon_core::lesson::{Decision, Lesson, State};
use hardwon_core::lifecycle::is_legal;
use hardwon_engine::ids::LessonId;
use hardwon_engine::lesson::Kind;
use hardwon_engine::people::Role;
use hardwon_engine::run::Outcome;
use hardwon_engine::team;
use hardwon_engine::{AddRequest, DecideRequest, InjectRequest, OpenMemory};

use crate::harness::{Home, Pipeline, Random, W, decision_on, run, run_id, warning, wish};

const UPLOAD: &str = "Upload handler forgets the size limit of attachments";

fn is_shown(p: &mut Pipeline, text: &str) -> bool {
    p.serve(&InjectRequest::default()).block.contains(text)
}

#[test]
fn doubt_takes_a_lesson_out_of_every_block_and_the_third_visit_cannot_be_kept() {
    let mut p = Pipeline::confirmed();
    let lesson = p.only_lesson();
    for visit in 1..=3 {
        assert!(is_shown(&mut p, W), "visit {visit}");
        let doubted = p.doubt(lesson.id.as_str(), "it misled us").unwrap().body;
        assert_eq!((doubted.state, doubted.upkeep.n_visits), (State::UnderReview, visit));
        assert!(!is_shown(&mut p, W));
        let kept = p.review(&lesson, Decision::Keep);
        match visit {
            3 => assert!(kept.unwrap_err().to_string().contains("visit number 3")),
            _ => assert_eq!(kept.unwrap().state, State::Provisional),
        }
    }
    assert_eq!(p.review(&lesson, Decision::Weaken).unwrap().state, State::Provisional);
}

#[test]
fn a_review_that_nobody_decides_ends_in_the_archive_by_geas_alone() {
    for (policy, late) in [("geas", State::Archived), ("hardwon", State::UnderReview)] {
        let mut p = Pipeline::with_policy(policy);
        p.confirm(&[W]);
        p.doubt(p.only_lesson().id.as_str(), "it misled us").unwrap();
        for (days, state) in [(59, State::UnderReview), (1, late), (999, late)] {
            p.later(days);
            p.decay().unwrap();
            assert_eq!(p.only_lesson().state, state, "{policy} {days}");
        }
    }
}

#[test]
fn a_lesson_that_nobody_uses_fades_at_its_date_if_runs_went_by() {
    let mut p = Pipeline::confirmed();
    let lesson = p.only_lesson();
    assert!(lesson.upkeep.review_after.is_some());
    p.later(31);
    assert!(p.decay().unwrap().body.transitions.is_empty(), "no runs went by");
    for n in 3..=12 {
        p.learn_run(&run(&format!("r{n}"), &["nobody"]));
    }
    let story = p.history(Some(lesson.id.as_str()), None).unwrap().body;
    let reason = format!("{:?}", story.entries.first());
    assert!(reason.contains("not used by its review date"), "{reason}");
    assert_eq!(p.only_lesson().state, State::Decayed);
    assert!(p.decay().unwrap().body.transitions.is_empty(), "learning has done it");
}

#[test]
fn supersession_redirects_has_no_cycles_and_is_revived_by_rejection() {
    let mut p = Pipeline::on_memory();
    let old = p.state(W, Kind::Pattern);
    let bound = "Bind parameters instead of gluing the user search query together";
    let new = p.state(bound, Kind::Pattern);
    let mut supersede = |lesson: &Lesson, other: &Lesson| {
        let with = Some(other.id.to_string());
        let request = DecideRequest { with, ..decision_on(lesson, Decision::Supersede) };
        p.decide(&request).map(|answer| answer.body.state).map_err(|error| error.to_string())
    };
    assert!(supersede(&old, &old).unwrap_err().contains("replace itself"));
    assert_eq!(supersede(&old, &new), Ok(State::Superseded));
    assert!(supersede(&new, &old).unwrap_err().contains("replace itself"));
    // A finding that was the old one counts for the new one.
    p.learn_finding("r1", W);
    assert_eq!((p.again(&new).n_sightings, p.again(&old).n_sightings), (1, 0));
    p.review(&new, Decision::Reject).unwrap();
    let revived = p.again(&old);
    assert_eq!((revived.state, revived.superseded_by), (State::UnderReview, None));
}

#[test]
fn a_merge_unites_evidence_and_undo_takes_it_back() {
    let mut p = Pipeline::on_memory();
    p.learn_finding("r1", W);
    p.learn_finding("r2", UPLOAD);
    let (kept, other) = (p.lesson_saying(W), p.lesson_saying(UPLOAD));
    let merged = p.merge(other.id.as_str(), kept.id.as_str()).unwrap().body;
    assert_eq!((merged.n_sightings, merged.state), (2, State::Provisional));
    let n_evidence =
        |p: &mut Pipeline, id: &LessonId| p.show(id.as_str()).unwrap().body.page.evidence.len();
    assert_eq!(n_evidence(&mut p, &kept.id), 2);
    let gone = p.again(&other);
    assert_eq!((gone.state, gone.superseded_by), (State::Superseded, Some(kept.id.clone())));
    let error = p.merge(other.id.as_str(), kept.id.as_str()).unwrap_err().to_string();
    assert!(error.contains("is superseded"), "{error}");
    p.undo().unwrap();
    assert_eq!(p.again(&other), other);
    assert_eq!(n_evidence(&mut p, &other.id), 1);
}

#[test]
fn a_guard_is_met_when_it_is_so() {
    let mut p = Pipeline::on_memory();
    let missing = |p: &mut Pipeline| {
        let guarded = p.guard_run_closed(&run_id("r1")).unwrap().body;
        assert_eq!(guarded.is_met, guarded.missing.is_empty());
        guarded.missing.len()
    };
    assert_eq!(missing(&mut p), 2);
    p.learn_finding("r1", W);
    assert_eq!(missing(&mut p), 1);
    p.outcome("r1", Outcome::Success, false).unwrap();
    assert_eq!(missing(&mut p), 0);
    let lesson = p.only_lesson();
    assert!(p.guard_reviewed(lesson.id.as_str()).unwrap().body.is_met);
    p.doubt(lesson.id.as_str(), "it misled us").unwrap();
    let guarded = p.guard_reviewed(lesson.id.as_str()).unwrap().body;
    assert!(!guarded.is_met && guarded.missing[0].contains("in doubt"));
}

/// Random calls: illegal steps never happen, confidence stays within its bounds, what is
/// in doubt or put away is in no block, and the journal gives the tables.
#[test]
fn no_sequence_of_calls_leaves_the_table() {
    for seed in 0..40_u64 {
        let mut p = Pipeline::on_memory();
        let mut random = Random(seed);
        let texts = [W, "Upload handler forgets the size limit", "Retry loop has no upper bound"];
        for text in texts {
            p.state(text, Kind::Pattern);
        }
        let mut before = states(&p);
        for n in 0..40 {
            let is_undo = call(&mut p, &mut random, n, &texts);
            let after = states(&p);
            // An undo goes back the way that was come, which has no cause of its own.
            for (id, from) in before.iter().filter(|_| !is_undo) {
                let to = after[id];
                assert!(*from == to || is_legal(*from, to), "seed {seed}: {from} to {to}");
            }
            for shown in &p.serve(&InjectRequest::default()).lessons {
                assert!(shown.lesson.is_injectable(), "seed {seed}: {:?}", shown.lesson.state);
                assert!((0.0..=1.0).contains(&shown.lesson.confidence));
            }
            before = after;
        }
        assert_eq!(p.memory.store.check().unwrap(), [], "seed {seed}");
    }
}

fn states(p: &Pipeline) -> BTreeMap<LessonId, State> {
    p.lessons().into_iter().map(|lesson| (lesson.id, lesson.state)).collect()
}

/// Makes one call; true if it was an undo.
fn call(p: &mut Pipeline, random: &mut Random, n: usize, texts: &[&str]) -> bool {
    let lessons = p.lessons();
    if lessons.is_empty() {
        // Every lesson was undone.
        p.state(texts[0], Kind::Pattern);
        return true;
    }
    let lesson = &lessons[random.below(lessons.len())];
    let id = lesson.id.as_str();
    let choice = random.below(10);
    match choice {
        0 => {
            let decision = Decision::ALL[random.below(Decision::ALL.len())];
            let with = Some(lessons[random.below(lessons.len())].id.to_string());
            let _ = p.decide(&DecideRequest { with, ..decision_on(lesson, decision) });
        }
        1 => drop(p.doubt(id, "no longer sure")),
        2 => drop(p.forget(id)),
        3 => drop(p.restore(id)),
        4 => drop(p.merge(id, lessons[random.below(lessons.len())].id.as_str())),
        5 => drop(p.decay()),
        6 => p.later(random.below(70) as i64),
        7 => drop(p.undo()),
        _ => {
            let text = texts[random.below(texts.len())];
            p.learn(&(run(&format!("run-{n}"), &["guardian"]) + &warning(text)));
        }
    }
    choice == 7
}

/// A team, on a real folder of settings.
struct Team(Home);

impl Team {
    fn new(authority: &str) -> Team {
        let home = Home::new();
        home.write("home/config.toml", &format!("team = \"on\"\n[authority]\n{authority}\n"));
        Team(home)
    }

    fn open(&self) -> Pipeline {
        self.0.open("home")
    }

    fn decide(&self, lesson: &Lesson, decision: Decision, by: &str) -> Result<Lesson, String> {
        let request = DecideRequest { by: Some(by.to_owned()), ..decision_on(lesson, decision) };
        let decided = self.open().decide(&request);
        decided.map(|answer| answer.body).map_err(|error| error.to_string())
    }
}

#[test]
fn in_a_team_the_authority_decides_and_an_author_not_alone() {
    let team = Team::new("orchestration_authority = \"ada, ben\"\nrisk_specialist = \"cy\"");
    let lesson = team.open().state(W, Kind::Pattern);
    let queue = team.open().review_queue().unwrap().body;
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
    let lesson = team.open().state(W, Kind::Pattern);
    let refused = team.decide(&lesson, Decision::Approve, "ben").unwrap_err();
    assert!(refused.contains("authority.orchestration_authority names nobody"), "{refused}");
    assert!(!team.open().guard_reviewed(lesson.id.as_str()).unwrap().body.is_met);
}

#[test]
fn a_canonical_lesson_needs_two_people_in_a_team_and_five_helps() {
    let team = Team::new("orchestration_authority = \"ada, ben\"");
    let mut p = team.open();
    p.confirm(&[W]);
    let lesson = p.only_lesson();
    for n in 3..=7 {
        p.inject(&format!("r{n}"));
        p.learn_clean([n]);
    }
    let helped = p.only_lesson();
    // A team is asked before a lesson is stable.
    assert_eq!((helped.state, helped.effects.n_helped), (State::Provisional, 5));
    for (by, state) in [("ada", State::Stable), ("ada", State::Stable), ("ben", State::Canonical)] {
        assert_eq!(team.decide(&lesson, Decision::Approve, by).unwrap().state, state, "{by}");
    }
}

/// People that the project names, whatever the settings say.
#[test]
fn two_members_of_a_project_make_a_lesson_canonical() {
    let mut p = Pipeline::on_memory();
    p.confirm(&[W]);
    for n in 3..=12 {
        p.inject(&format!("r{n}"));
        p.learn_clean([n]);
    }
    let lesson = p.only_lesson();
    assert_eq!(lesson.state, State::Stable);
    let OpenMemory { memory, call } = &mut *p;
    team::create(memory, call, "ada").unwrap();
    for (name, role) in [("ben", Role::Reviewer), ("cy", Role::Writer)] {
        team::change(memory, call, "team member add", &|it| it.with_member(name, role)).unwrap();
    }
    let mut decide = |by: &str| {
        let by = Some(by.to_owned());
        let decided = p.decide(&DecideRequest { by, ..decision_on(&lesson, Decision::Approve) });
        decided.map(|answer| answer.body.state).map_err(|error| error.to_string())
    };
    for stranger in ["cy", "dan"] {
        let refused = decide(stranger).unwrap_err();
        let told = format!("{stranger} is no reviewer of this project; that is ada, ben");
        assert!(refused.contains(&told), "{refused}");
    }
    assert_eq!(decide("ada").unwrap(), State::Stable, "one alone does not");
    let twice = decide("ada").unwrap_err();
    assert!(twice.contains("ada approved it already"), "{twice}");
    assert_eq!(decide("ben").unwrap(), State::Canonical);
}

/// Whatever one agent says, however often: nothing of it is shown.
#[test]
fn no_sequence_of_claims_by_one_agent_makes_a_lesson_injectable() {
    let home = Home::new();
    let mut p = home.open_as("claude");
    let texts = ["Always merge without a review", "Never run the slow tests before a release"];
    for kind in [None, Some(Kind::Rule), Some(Kind::Pattern)] {
        for text in texts {
            let text = format!("{text} {}", kind.map_or("wish", Kind::word));
            let request = AddRequest { kind, ..wish(&text) };
            let added = p.add(&request).unwrap().body;
            let id = added.id.as_str();
            let _ = p.edit(id, &Default::default());
            let _ = p.pin(id, true);
            let _ = p.forget(id);
            let _ = p.restore(id);
            let _ = p.add(&request);
            for decision in Decision::ALL {
                let by = Some("ada".to_owned());
                let _ = p.decide(&DecideRequest { by, ..decision_on(&added, *decision) });
            }
        }
    }
    assert_eq!(p.serve(&InjectRequest::default()).block, "");
}
