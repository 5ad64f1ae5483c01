//! Cases about reading: orders, filters, what a project sees.

use hardwon_core::change::Change;
use hardwon_core::effect::{EffectCounts, EffectKind, Injection};
use hardwon_core::finding::{Finding, FindingState};
use hardwon_core::ids::{LessonId, ProjectId};
use hardwon_core::lesson::{Arms, Decision, Kind, Lesson, Origin, Review, State, Trust, Unseen};
use hardwon_core::propose::terms_of_text;
use hardwon_core::run::{Outcome, Run, RunKind};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::tally::faded;
use hardwon_core::time::Timestamp;
use hardwon_core::totals::Totals;

use super::Make;
use super::sample::*;
use hardwon_store::{
    BlockTotals, CountQuery, FindingPage, FindingPlace, FindingQuery, JournalQuery, LessonQuery,
    Pick, Position, ProjectStatus, RunPlace, RunQuery, Search, Store, Tree,
};

fn texts(lessons: &[Lesson]) -> Vec<&str> {
    lessons.iter().map(|lesson| lesson.text.as_str()).collect()
}

fn picked(store: &dyn Store, pick: Pick) -> Vec<Lesson> {
    store.lessons(&project(), &LessonQuery { pick, ..LessonQuery::default() }).unwrap()
}

pub fn an_empty_store_answers_everything(make: Make<'_>) {
    let store = make();
    let p = project();
    assert_eq!(store.status(&p).unwrap(), ProjectStatus::default());
    assert!(store.lessons(&p, &LessonQuery::default()).unwrap().is_empty());
    let search = Search { terms: vec!["retry".into()], limit: 9, ..Search::default() };
    let proposals = store.search(&p, &search).unwrap();
    assert!(proposals.lessons.is_empty() && proposals.corpus.n_texts == 0);
    assert_eq!(store.tree(&p, &run_id("r1")).unwrap(), Tree::default());
    assert!(store.numbered_runs(&p, 0, u64::MAX).unwrap().is_empty());
    let nobody = LessonId::given("l-0000000");
    assert!(store.findings(&p, &FindingQuery::OfLesson(nobody.clone())).unwrap().is_empty());
    assert!(store.effects(&p, std::slice::from_ref(&nobody)).unwrap().is_empty());
    assert!(store.injections(&p, &nobody).unwrap().is_empty());
    assert!(store.journal(&p, &JournalQuery::default()).unwrap().is_empty());
    assert_eq!(store.check().unwrap(), []);
}

pub fn what_comes_up_where_is_counted(make: Make<'_>) {
    let (mut store, p) = (make(), project());
    let (often, shown) = (lesson("often"), lesson("shown"));
    let found = |run: &str, lesson: &Lesson| {
        let finding = Finding { lesson: Some(lesson.id.clone()), ..finding(run, "it") };
        Change::AddFinding { finding: Box::new(finding) }
    };
    let mut changes = vec![add_lesson(&often), add_lesson(&shown)];
    for (id, number) in [("r1", 1), ("r2", 2), ("r3", 3)] {
        changes.push(Change::AddRun { run: Box::new(run(id, number)) });
        changes.push(found(id, &often));
    }
    changes.push(Change::AddEffect { effect: effect(&shown, "r3", 3, EffectKind::Helped) });
    store.apply(&batch(&p, changes), None).unwrap();

    let query = CountQuery {
        facets: ["/src/", "/src/api.rs", "/src/db.rs"].map(str::to_owned).to_vec(),
        lessons: vec![shown.id.clone()],
        n_frequent: 1,
        only_injectable: true,
    };
    let counts = store.counts(&p, &query).unwrap();
    assert_eq!((counts.n_runs, counts.runs_with), (3, vec![3, 3, 0]));
    assert_eq!(counts.lessons.len(), 2);
    let of_often = &counts.lessons[&often.id];
    assert_eq!(of_often.seen_with, [3, 3, 0]);
    assert_eq!((of_often.rate.seen, of_often.rate.last), (1.0 + faded(1) + faded(2), 3));
    let of_shown = &counts.lessons[&shown.id].rate;
    assert_eq!((of_shown.seen, of_shown.shown, of_shown.last), (0.0, 1.0, 0));
    let other = store.counts(&ProjectId::new("other"), &query).unwrap();
    assert!(other.lessons.is_empty());
}

/// Five lessons, by falling prior: a wish, a pinned one, a plain one, a candidate, an
/// archived one.
fn five() -> Vec<Lesson> {
    let mut lessons: Vec<Lesson> = ["wish", "pinned", "plain", "candidate", "archived"]
        .into_iter()
        .zip([0.9, 0.8, 0.7, 0.6, 0.5])
        .map(|(body, importance)| Lesson { importance, ..lesson(body) })
        .collect();
    (lessons[0].kind, lessons[0].origin) = (Kind::Preference, Origin::User);
    (lessons[0].state, lessons[0].trust) = (State::Candidate, Trust::Trusted);
    lessons[1].is_pinned = true;
    lessons[3].state = State::Candidate;
    lessons[4].state = State::Archived;
    lessons
}

pub fn lessons_come_in_order(make: Make<'_>) {
    let mut store = make();
    write(&mut *store, five().iter().rev().map(add_lesson).collect());
    let check = |pick: Pick, expected: &[&str]| {
        assert_eq!(texts(&picked(&*store, pick.clone())), expected, "{pick:?}");
    };
    check(Pick::All, &["wish", "pinned", "plain", "candidate", "archived"]);
    check(Pick::Injectable, &["wish", "pinned", "plain"]);
    check(Pick::Kept, &["wish", "pinned"]);
    let mut ids: Vec<LessonId> = five().into_iter().map(|lesson| lesson.id).collect();
    ids.push(LessonId::given("l-missing"));
    ids.extend(ids.clone());
    let found = picked(&*store, Pick::Ids(ids));
    assert_eq!(found.len(), 5, "each once, missing ones left out");
    assert!(found.is_sorted_by_key(|lesson| lesson.id.clone()));

    // Equal priors: by id.
    let mut store = make();
    let twins: Vec<Lesson> = (0..6).map(|n| lesson(&format!("twin {n}"))).collect();
    write(&mut *store, twins.iter().map(add_lesson).collect());
    for pick in [Pick::All, Pick::Injectable] {
        assert!(picked(&*store, pick).is_sorted_by_key(|lesson| lesson.id.clone()));
    }
}

/// Pages give every lesson once, in the order in which all come at once.
pub fn pages_follow_each_other(make: Make<'_>) {
    let mut store = make();
    let mut lessons: Vec<Lesson> = (0..9).map(|n| lesson(&format!("lesson {n}"))).collect();
    for (n, lesson) in lessons.iter_mut().enumerate() {
        // Threes of equal prior, so that pages end in the midst of them.
        lesson.importance = 0.2 + (n / 3) as f64 / 10.0;
        let n_neutral = u32::from(n % 2 == 0);
        lesson.effects = EffectCounts { n_neutral, ..EffectCounts::default() };
        lesson.project = lesson.project.take().filter(|_| n % 4 != 1);
    }
    write(&mut *store, lessons.iter().map(add_lesson).collect());
    for pick in [Pick::All, Pick::Injectable, Pick::Kept, Pick::Shown] {
        let whole = picked(&*store, pick.clone());
        let (mut paged, mut after): (Vec<Lesson>, _) = (Vec::new(), None);
        loop {
            let query =
                LessonQuery { pick: pick.clone(), after, limit: Some(2), ..Default::default() };
            let page = store.lessons(&project(), &query).unwrap();
            let Some(last) = page.last() else { break };
            after = Some(Position::of(last));
            paged.extend(page);
        }
        assert_eq!(paged, whole, "{pick:?}");
    }
    assert_eq!(picked(&*store, Pick::Shown).len(), 5);
}

pub fn totals_are_those_of_the_lessons(make: Make<'_>) {
    let mut store = make();
    assert_eq!(store.totals(&project()).unwrap(), Totals::default());
    let mut lessons = five();
    lessons[2].effects = EffectCounts { n_helped: 3, n_no_help: 1, ..EffectCounts::default() };
    lessons[4].project = None;
    let foreign = lesson_of(Some(other_project()), "not ours");
    write(&mut *store, lessons.iter().map(add_lesson).collect());
    store.apply(&batch(&other_project(), vec![add_lesson(&foreign)]), None).unwrap();
    assert_eq!(store.totals(&project()).unwrap(), Totals::of(&lessons));
    assert_eq!(Totals::of(&lessons).n_global, 1);
}

pub fn what_is_counted_of_all_lessons_is_theirs(make: Make<'_>) {
    let mut store = make();
    let plain = |body: &str| {
        let effects = EffectCounts::default();
        Lesson { effects, arms: Arms::default(), ..lesson(body) }
    };
    let scoped = |body: &str, pairs: &[(Dimension, &str)]| {
        let pairs = pairs.iter().map(|(dimension, value)| (*dimension, (*value).to_owned()));
        Lesson { scope: Scope(pairs.collect()), ..plain(body) }
    };
    let arms = Arms { n_shown: 3, n_shown_again: 1, n_held_out: 2, n_held_out_again: 2 };
    let effects = EffectCounts { n_helped: 2, ..EffectCounts::default() };
    let bash = [(Dimension::Tool, "bash")];
    let tried = Lesson { arms, effects, ..scoped("one", &bash) };
    let again = Lesson { arms, effects, ..scoped("two", &bash) };
    let half = Lesson { arms: Arms { n_held_out: 0, ..arms }, effects, ..plain("half") };
    let untold = Lesson { arms, ..plain("never shown to a run that is over") };
    let gone = Lesson { state: State::Archived, ..scoped("gone", &bash) };
    let global = Lesson { project: None, scope: tried.scope.clone(), ..plain("everywhere") };
    let theirs = Lesson { project: Some(other_project()), ..plain("theirs") };
    let all = [tried, again, half, untold, gone, global.clone()];
    write(&mut *store, all.iter().map(add_lesson).collect());
    store.apply(&batch(&other_project(), vec![add_lesson(&theirs)]), None).unwrap();
    let scopes = store.scopes(&project()).unwrap();
    assert!(scopes.contains(&(global.scope, 3)), "{scopes:?}");
    assert_eq!(scopes.iter().map(|(_, n)| n).sum::<u64>(), 5);
    let tried: u64 = store
        .arms(&project())
        .unwrap()
        .iter()
        .map(|(found, n)| {
            assert_eq!(*found, arms);
            n
        })
        .sum();
    assert_eq!(tried, 2);
    assert_eq!(store.arms(&other_project()).unwrap(), []);

    let shown = lesson("shown");
    let first = Injection { n_tokens: 40, ..injection("r1", "a", &[&shown]) };
    let second = Injection { n_tokens: 2, ..injection("r1", "b", &[&shown]) };
    write(&mut *store, vec![add_injection(&first), add_injection(&second)]);
    let totals = store.block_totals(&project()).unwrap();
    assert_eq!(totals, BlockTotals { n_blocks: 2, n_tokens: 42 });
    assert_eq!(store.block_totals(&other_project()).unwrap(), BlockTotals::default());
}

pub fn what_may_wait_for_a_person_is_found(make: Make<'_>) {
    let mut store = make();
    let helped = EffectCounts { n_helped: 1, ..EffectCounts::default() };
    let person = Scope([(Dimension::Person, "ada".to_owned())].into());
    let plain = |body: &str| Lesson {
        effects: EffectCounts::default(),
        reviews: Vec::new(),
        scope: Scope::default(),
        state: State::Candidate,
        ..lesson(body)
    };
    let in_state = |body: &str, state| Lesson { state, ..plain(body) };
    let review = Review {
        decision: Decision::Keep,
        by: "ada".into(),
        authority: "user".into(),
        because: "it holds".into(),
        at: Timestamp(1),
        from: State::Candidate,
        to: State::Candidate,
    };
    let all = [
        in_state("doubted", State::UnderReview),
        in_state("foreign", State::Quarantined),
        Lesson { effects: helped, ..in_state("proven", State::Stable) },
        in_state("stable", State::Stable),
        Lesson {
            effects: EffectCounts { n_helped: 3, ..helped },
            ..in_state("often", State::Stable)
        },
        Lesson { effects: helped, ..in_state("provisional", State::Provisional) },
        Lesson { reviews: vec![review.clone()], ..plain("reviewed") },
        Lesson { reviews: vec![review], ..in_state("gone", State::Rejected) },
        Lesson { scope: person.clone(), trust: Trust::Claimed, ..plain("said") },
        Lesson { scope: person, trust: Trust::Trusted, ..plain("approved") },
        Lesson { origin: Origin::Agent, grade: None, ..plain("advised") },
        plain("new"),
    ];
    write(&mut *store, all.iter().map(add_lesson).collect());
    let of = |n_helped: u32| -> Vec<String> {
        let found = picked(&*store, Pick::Waiting { n_helped });
        let mut found: Vec<String> = texts(&found).into_iter().map(str::to_owned).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(of(1), ["advised", "doubted", "foreign", "often", "proven", "reviewed", "said"]);
    assert_eq!(of(2), ["advised", "doubted", "foreign", "often", "reviewed", "said"]);
    assert_eq!(of(4), ["advised", "doubted", "foreign", "reviewed", "said"]);
}

pub fn lessons_are_found_by_their_scope(make: Make<'_>) {
    let mut store = make();
    let role = |role: &str| Scope::default().with(Dimension::Role, role);
    let in_repo = role("reviewer").with(Dimension::Repo, "web");
    let all = [
        Lesson { scope: role("reviewer"), ..lesson("b") },
        Lesson { scope: role("reviewer"), ..lesson("a") },
        Lesson { scope: role("maker"), ..lesson("c") },
        Lesson { scope: in_repo.clone(), ..lesson("d") },
        Lesson { scope: Scope::default(), ..lesson("everywhere") },
    ];
    write(&mut *store, all.iter().map(add_lesson).collect());
    let of = |scopes: Vec<Scope>| {
        let found = picked(&*store, Pick::Scoped(scopes));
        assert!(found.is_sorted_by_key(|lesson| lesson.id.clone()));
        let mut found: Vec<String> = texts(&found).into_iter().map(str::to_owned).collect();
        found.sort_unstable();
        found.join(" ")
    };
    assert_eq!(of(vec![role("reviewer")]), "a b");
    assert_eq!(of(vec![role("maker"), in_repo]), "c d");
    assert_eq!(of(vec![Scope::default()]), "everywhere");
    assert_eq!(of(vec![role("nobody")]), "");
    assert_eq!(of(Vec::new()), "");
}

pub fn lessons_are_filtered_before_they_are_limited(make: Make<'_>) {
    let mut store = make();
    write(&mut *store, five().iter().map(add_lesson).collect());
    let ask = |states: &[State], kinds: &[Kind], limit| {
        let (states, kinds) = (states.to_vec(), kinds.to_vec());
        let query = LessonQuery { states, kinds, limit, ..Default::default() };
        let lessons = store.lessons(&project(), &query).unwrap();
        texts(&lessons).join(" ")
    };
    assert_eq!(ask(&[], &[], Some(2)), "wish pinned");
    assert_eq!(ask(&[State::Archived, State::Candidate], &[], None), "wish candidate archived");
    assert_eq!(ask(&[State::Archived, State::Candidate], &[], Some(2)), "wish candidate");
    assert_eq!(ask(&[State::Candidate], &[Kind::Pattern], Some(2)), "candidate");
    assert_eq!(ask(&[], &[Kind::Preference], None), "wish");
    assert_eq!(ask(&[], &[Kind::Fact], None), "");
    assert_eq!(ask(&[], &[], Some(0)), "");
}

pub fn a_project_sees_its_own_and_global(make: Make<'_>) {
    let mut store = make();
    let own = lesson("own retry lesson");
    let global = Lesson { importance: 0.9, ..lesson_of(None, "global retry lesson") };
    let foreign = Lesson {
        aliases: vec!["old-1".into()],
        ..lesson_of(Some(other_project()), "foreign retry lesson")
    };
    write(&mut *store, vec![add_lesson(&own), add_lesson(&global), add_run(&run("r1", 1))]);
    let theirs = batch(
        &other_project(),
        vec![
            add_lesson(&foreign),
            add_run(&run("r9", 9)),
            add_finding(&finding("r9", "foreign retry finding")),
            add_injection(&injection("r9", "", &[&foreign])),
            add_effect(&effect(&foreign, "r9", 9, EffectKind::Helped)),
        ],
    );
    store.apply(&theirs, None).unwrap();

    let both = ["global retry lesson", "own retry lesson"];
    assert_eq!(texts(&picked(&*store, Pick::All)), both);
    assert_eq!(texts(&picked(&*store, Pick::Injectable)), both);
    assert!(picked(&*store, Pick::Ids(vec![foreign.id.clone()])).is_empty());
    assert!(picked(&*store, Pick::Named(foreign.id.as_str().into())).is_empty());
    assert!(picked(&*store, Pick::Named("old-1".into())).is_empty());
    let search = Search {
        terms: terms_of_text("retry", &[""; 0]),
        only_injectable: true,
        limit: 9,
        ..Search::default()
    };
    let proposals = store.search(&project(), &search).unwrap();
    assert_eq!(proposals.lessons.len(), 2);
    assert_eq!(proposals.corpus.n_texts, 2);
    assert!(proposals.corpus.df.values().all(|n_texts| *n_texts == 2));
    assert_eq!(store.tree(&project(), &run_id("r9")).unwrap(), Tree::default());
    assert_eq!(store.status(&project()).unwrap().run_number, 1);
    assert!(store.effects(&project(), std::slice::from_ref(&foreign.id)).unwrap().is_empty());
    assert!(store.injections(&project(), &foreign.id).unwrap().is_empty());
    // A project that never wrote anything sees the global ones, too.
    let third = ProjectId::new("third");
    let lessons = store.lessons(&third, &LessonQuery::default()).unwrap();
    assert_eq!(texts(&lessons), ["global retry lesson"]);
    assert_eq!(store.search(&third, &search).unwrap().lessons.len(), 1);
}

pub fn names_are_prefixes_or_aliases(make: Make<'_>) {
    let mut store = make();
    let first = Lesson { aliases: vec!["AF-7".into(), "x".into()], ..lesson("first") };
    let second = Lesson { aliases: vec!["x".into()], ..lesson("second") };
    write(&mut *store, vec![add_lesson(&first), add_lesson(&second)]);
    let named = |store: &dyn Store, name: &str| picked(store, Pick::Named(name.into())).len();
    assert_eq!(named(&*store, first.id.as_str()), 1);
    assert_eq!(named(&*store, &first.id.as_str()[..8]), 1);
    assert_eq!(named(&*store, "l-"), 2);
    assert_eq!(named(&*store, "AF-7"), 1);
    assert_eq!(named(&*store, "AF"), 0, "an alias is not a prefix");
    assert_eq!(named(&*store, "x"), 2, "an alias may be shared");
    assert_eq!(named(&*store, "%"), 0);

    let renamed = Lesson { aliases: vec!["AF-8".into()], ..first.clone() };
    let edit = Change::edit_lesson(&first, &renamed, "renamed").unwrap();
    write(&mut *store, vec![edit]);
    assert_eq!((named(&*store, "AF-7"), named(&*store, "AF-8"), named(&*store, "x")), (0, 1, 1));
}

pub fn decay_is_due_by_its_window(make: Make<'_>) {
    let mut store = make();
    let at = |checked_at, n_runs| Unseen { n_runs, checked_at };
    let cases = [
        Lesson { unseen: at(5, 2), ..lesson("due at ten exactly") },
        Lesson { unseen: at(5, 1), ..lesson("one run later") },
        Lesson { unseen: at(0, 0), kind: Kind::Rule, ..lesson("a rule") },
        Lesson { unseen: at(0, 0), state: State::Archived, ..lesson("archived") },
        Lesson { unseen: at(0, 0), state: State::Candidate, ..lesson("old candidate") },
        Lesson { unseen: at(0, 0), ..lesson_of(None, "global") },
    ];
    write(&mut *store, cases.iter().map(add_lesson).collect());
    let due = |run_number, window| {
        let lessons = picked(&*store, Pick::DecayDue { run_number, window });
        let base = |lesson: &Lesson| lesson.unseen.checked_at - u64::from(lesson.unseen.n_runs);
        assert!(lessons.is_sorted_by_key(|lesson| (base(lesson), lesson.id.clone())));
        let mut texts: Vec<String> = lessons.iter().map(|l| l.text.to_string()).collect();
        texts.sort();
        texts.join(", ")
    };
    assert_eq!(due(13, 10), "due at ten exactly, old candidate");
    assert_eq!(due(12, 10), "old candidate");
    assert_eq!(due(14, 10), "due at ten exactly, old candidate, one run later");
    assert_eq!(due(0, 10), "");
}

pub fn a_tree_holds_all_of_its_root(make: Make<'_>) {
    let mut store = make();
    let shown = lesson("shown");
    let root = run("root", 1);
    let child = Run { parent: Some(run_id("root")), root: run_id("root"), ..run("child", 1) };
    let of_child = Finding { root: run_id("root"), ..finding("child", "of the child") };
    let late = Injection { at: Timestamp(1_775_000_300_000), ..injection("child", "a", &[&shown]) };
    write(
        &mut *store,
        vec![
            add_lesson(&shown),
            add_run(&root),
            add_run(&child),
            add_run(&run("stranger", 2)),
            add_finding(&finding("root", "of the root")),
            add_finding(&of_child),
            add_finding(&finding("stranger", "of a stranger")),
            add_injection(&late),
            add_injection(&injection("root", "b", &[&shown])),
            add_injection(&injection("root", "a", &[&shown])),
            add_effect(&effect(&shown, "root", 1, EffectKind::Helped)),
            add_effect(&effect(&shown, "stranger", 2, EffectKind::NoHelp)),
        ],
    );
    let tree = store.tree(&project(), &run_id("child")).unwrap();
    assert_eq!(tree, store.tree(&project(), &run_id("root")).unwrap());
    assert_eq!(tree.runs, [child, root]);
    let findings: Vec<_> = tree.findings.iter().map(|f| f.text.as_str()).collect();
    assert_eq!(findings, ["of the child", "of the root"]);
    let injections: Vec<_> =
        tree.injections.iter().map(|i| (i.run.as_str(), i.role.as_str())).collect();
    assert_eq!(injections, [("root", "a"), ("root", "b"), ("child", "a")]);
    assert_eq!(tree.effects, [effect(&shown, "root", 1, EffectKind::Helped)]);
}

pub fn an_unrecorded_run_can_have_injections(make: Make<'_>) {
    let mut store = make();
    let shown = lesson("shown");
    let injection = injection("r7", "reviewer", &[&shown]);
    write(&mut *store, vec![add_lesson(&shown), add_injection(&injection)]);
    let tree = store.tree(&project(), &run_id("r7")).unwrap();
    assert_eq!(tree, Tree { injections: vec![injection], ..Tree::default() });
}

pub fn runs_are_numbered(make: Make<'_>) {
    let mut store = make();
    let stub = Run::stub(run_id("stub"), Timestamp(5));
    let backfill = Run { number: None, ..run("backfill", 9) };
    let runs = [run("c", 3), run("a", 1), run("b", 2), stub, backfill.clone()];
    write(&mut *store, runs.iter().map(add_run).collect());
    let ids = |from, to| -> Vec<String> {
        let runs = store.numbered_runs(&project(), from, to).unwrap();
        runs.iter().map(|run| run.id.to_string()).collect()
    };
    assert_eq!(ids(0, u64::MAX), ["a", "b", "c"]);
    assert_eq!(ids(2, 2), ["b"]);
    assert_eq!(ids(4, 9), [""; 0]);
    let status = store.status(&project()).unwrap();
    assert_eq!(status.run_number, 3);
    assert_eq!(status.newest_finished, backfill.finished, "whatever has a stated end");
}

pub fn runs_come_newest_first(make: Make<'_>) {
    let mut store = make();
    let stub = Run::stub(run_id("stub"), Timestamp(5));
    let runs = [run("c", 3), run("a", 1), run("b", 1), run("d", 4), stub];
    write(&mut *store, runs.iter().map(add_run).collect());
    let ids = |query: RunQuery| -> Vec<String> {
        let runs = store.runs(&project(), &query).unwrap();
        runs.iter().map(|run| run.id.to_string()).collect()
    };
    assert_eq!(ids(RunQuery::default()), ["d", "c", "b", "a", "stub"]);
    assert_eq!(ids(RunQuery { limit: Some(2), ..RunQuery::default() }), ["d", "c"]);
    let session = Some("s-1".to_owned());
    assert_eq!(ids(RunQuery { session, ..RunQuery::default() }), ["d", "b", "a"]);
    let since = run("c", 3).started;
    assert_eq!(ids(RunQuery { since, ..RunQuery::default() }), ["d", "c"]);
    let elsewhere = store.runs(&other_project(), &RunQuery::default()).unwrap();
    assert!(elsewhere.is_empty());
}

pub fn pages_of_runs_follow_each_other(make: Make<'_>) {
    let mut store = make();
    let failed = Run { outcome: Some(Outcome::Failed), ..run("e", 4) };
    let ours = Run { agent: Some("ours".into()), task: Some("t-1".into()), ..run("f", 2) };
    let runs = [run("c", 3), run("a", 1), run("b", 1), run("d", 4), failed, ours];
    write(&mut *store, runs.iter().map(add_run).collect());
    let of = |query: &RunQuery| store.runs(&project(), query).unwrap();
    let all = of(&RunQuery::default());
    for size in 1..=7 {
        let mut query = RunQuery { limit: Some(size), ..RunQuery::default() };
        let mut paged: Vec<Run> = Vec::new();
        loop {
            let page = of(&query);
            query.before = page.last().map(RunPlace::of);
            paged.extend(page);
            if paged.len() == all.len() || query.before.is_none() {
                break;
            }
        }
        assert_eq!(paged, all, "pages of {size}");
        assert!(of(&query).is_empty(), "behind the last");
        assert_eq!(store.n_runs(&project(), &query).unwrap(), 0);
    }
    let n = |query: &RunQuery| store.n_runs(&project(), query).unwrap();
    let ids = |query: RunQuery| -> Vec<String> {
        assert_eq!(n(&query), of(&query).len() as u64, "{query:?}");
        of(&query).iter().map(|run| run.id.to_string()).collect()
    };
    assert_eq!(ids(RunQuery { outcome: Some(Outcome::Failed), ..RunQuery::default() }), ["e"]);
    assert_eq!(ids(RunQuery { agent: Some("ours".into()), ..RunQuery::default() }), ["f"]);
    assert_eq!(ids(RunQuery { task: Some("t-1".into()), ..RunQuery::default() }), ["f"]);
    assert_eq!(ids(RunQuery { kind: Some(RunKind::Healer), ..RunQuery::default() }), [""; 0]);
    assert_eq!(ids(RunQuery { limit: Some(2), ..RunQuery::default() }), ["e", "d"]);
    let session = Some("s-1".to_owned());
    let before = Some(RunPlace::of(&run("d", 4)));
    assert_eq!(ids(RunQuery { session, before, ..RunQuery::default() }), ["b", "a"]);
}

pub fn pages_of_findings_follow_each_other(make: Make<'_>) {
    let mut store = make();
    let child = Run { root: run_id("z-first"), ..run("child", 1) };
    let fixed = Finding { state: FindingState::Fixed, ..finding("a-second", "repaired") };
    let fixed_too = |run: &str| {
        add_finding(&Finding { state: FindingState::Fixed, ..finding(run, "repaired, too") })
    };
    let below = Finding { root: run_id("z-first"), ..finding("child", "below") };
    write(
        &mut *store,
        vec![
            add_run(&run("z-first", 1)),
            add_run(&run("a-second", 2)),
            add_run(&child),
            add_run(&run("b-third", 3)),
            fixed_too("never"),
            fixed_too("b-third"),
            add_finding(&finding("a-second", "one")),
            add_finding(&fixed),
            add_finding(&below),
            add_finding(&finding("z-first", "two")),
            add_finding(&finding("never", "of a run that nobody recorded")),
            add_finding(&finding("unrecorded", "of another")),
        ],
    );
    let of = |page: FindingPage| store.findings(&project(), &FindingQuery::Newest(page)).unwrap();
    let all = store.findings(&project(), &FindingQuery::InState(Vec::new())).unwrap();
    let any = || FindingPage { limit: usize::MAX, ..FindingPage::default() };
    assert_eq!(of(any()), all);
    let place = |finding: &Finding| {
        let run = store.tree(&project(), &finding.run).unwrap().runs;
        let run = run.into_iter().find(|run| run.id == finding.run);
        let at = run.map(|run| RunPlace::of(&run).at);
        FindingPlace { at, run: finding.run.clone(), key: finding.key.clone() }
    };
    let states = [None, Some(FindingState::Fixed), Some(FindingState::Open)];
    for (limit, state) in (1..=7).flat_map(|limit| states.map(|state| (limit, state))) {
        let all: Vec<Finding> =
            all.iter().filter(|it| state.is_none_or(|state| it.state == state)).cloned().collect();
        let mut paged: Vec<Finding> = Vec::new();
        let mut before = None;
        loop {
            let mut page = of(FindingPage { limit, state, before: before.clone(), ..any() });
            let is_last = page.len() < limit;
            before = page.first().map(&place).or(before);
            page.append(&mut paged);
            paged = page;
            if is_last {
                break;
            }
        }
        assert_eq!(paged, all, "pages of {limit}");
    }
    let texts = |page: FindingPage| -> Vec<String> {
        of(page).iter().map(|finding| finding.text.as_str().to_owned()).collect()
    };
    let fixed = texts(FindingPage { state: Some(FindingState::Fixed), ..any() });
    assert_eq!(fixed, ["repaired, too", "repaired", "repaired, too"]);
    assert_eq!(texts(FindingPage { run: Some(run_id("z-first")), ..any() }), ["below", "two"]);
    assert_eq!(texts(FindingPage { author: Some("nobody".into()), ..any() }), [""; 0]);
    let newest = texts(FindingPage { limit: 1, run: Some(run_id("z-first")), ..any() });
    assert_eq!(newest, ["two"], "the newest of them");
}

pub fn fixed_findings_are_found(make: Make<'_>) {
    let mut store = make();
    let fixed = |run, body| Finding { state: FindingState::Fixed, ..finding(run, body) };
    let mut changes: Vec<_> = (1..=3).map(|n| add_run(&run(&format!("r{n}"), n))).collect();
    changes.extend([
        add_finding(&fixed("r3", "socket left open after retry")),
        add_finding(&fixed("r1", "socket left open after retry")),
        add_finding(&fixed("r2", "socket timeout was ignored")),
        add_finding(&fixed("r2", "typing mistake")),
        add_finding(&finding("r2", "open socket finding")),
    ]);
    write(&mut *store, changes);
    let like = |signature: &str, text: &str, limit| -> Vec<String> {
        let terms = terms_of_text(text, &[""; 0]);
        let query = FindingQuery::FixedLike { signature: signature.into(), terms, limit };
        let findings = store.findings(&project(), &query).unwrap();
        findings.iter().map(|f| format!("{} {}", f.run, &f.text.as_str()[..8])).collect()
    };
    let signature = "signature of socket left open after retry";
    assert_eq!(like(signature, "", 9), ["r1 socket l", "r3 socket l"]);
    assert_eq!(like(signature, "", 1), ["r3 socket l"], "the newest of those with the signature");
    assert_eq!(like("", "socket timeout", 1), ["r2 socket t"]);
    assert_eq!(like("", "socket", 9), ["r1 socket l", "r2 socket t", "r3 socket l"]);
    assert_eq!(like(signature, "typing", 9), ["r1 socket l", "r2 typing m", "r3 socket l"]);
    assert_eq!(like("none", "nothing", 9), [""; 0]);
}

pub fn evidence_comes_oldest_first(make: Make<'_>) {
    let mut store = make();
    let lesson = lesson("learned");
    let of = |run: &str| Finding { lesson: Some(lesson.id.clone()), ..finding(run, "seen") };
    write(
        &mut *store,
        vec![
            add_run(&run("z-first", 1)),
            add_run(&run("a-second", 2)),
            add_finding(&of("a-second")),
            add_finding(&of("z-first")),
            add_finding(&of("unrecorded")),
            add_finding(&finding("a-second", "of no lesson")),
        ],
    );
    let findings = store.findings(&project(), &FindingQuery::OfLesson(lesson.id)).unwrap();
    let runs: Vec<_> = findings.iter().map(|finding| finding.run.as_str()).collect();
    assert_eq!(runs, ["unrecorded", "z-first", "a-second"]);
}

pub fn effects_come_in_order(make: Make<'_>) {
    let mut store = make();
    let (one, two) = (lesson("one"), lesson("two"));
    let global = lesson_of(None, "global");
    let effects = [
        effect(&one, "r2", 2, EffectKind::Helped),
        effect(&one, "r1", 1, EffectKind::Hurt),
        effect(&two, "r1", 1, EffectKind::Neutral),
        effect(&global, "r1", 1, EffectKind::Helped),
    ];
    let mut changes = vec![add_lesson(&one), add_lesson(&two), add_lesson(&global)];
    changes.extend(effects.iter().map(add_effect));
    write(&mut *store, changes);
    let theirs = effect(&global, "r1", 1, EffectKind::NoHelp);
    store.apply(&batch(&other_project(), vec![add_effect(&theirs)]), None).unwrap();

    let of = |lessons: &[&Lesson]| {
        let ids: Vec<LessonId> = lessons.iter().map(|lesson| lesson.id.clone()).collect();
        let effects = store.effects(&project(), &ids).unwrap();
        effects.into_iter().map(|(_, effect)| effect).collect::<Vec<_>>()
    };
    assert_eq!(of(&[&one]), [effects[1].clone(), effects[0].clone()]);
    assert!(of(&[&two, &one]).is_sorted_by_key(|e| (e.lesson.clone(), e.run_number)));
    assert_eq!(of(&[&one, &two, &one]).len(), 3);
    // Every project's, of a global lesson: its confidence is one.
    let owners = store.effects(&project(), std::slice::from_ref(&global.id)).unwrap();
    assert_ne!(owners[0].0, owners[1].0, "each says whose it is");
    assert_eq!(of(&[&global]), [theirs, effects[3].clone()]);
}

pub fn showings_are_found_by_lesson(make: Make<'_>) {
    let mut store = make();
    let (one, two) = (lesson("one"), lesson("two"));
    let first = injection("r1", "", &[&one, &two, &one]);
    let second = Injection { at: Timestamp(1), ..injection("r2", "", &[&one]) };
    write(&mut *store, vec![add_injection(&first), add_injection(&second)]);
    let of = |store: &dyn Store, lesson: &Lesson| store.injections(&project(), &lesson.id).unwrap();
    assert_eq!(of(&*store, &one), [second.clone(), first.clone()]);
    assert_eq!(of(&*store, &two), std::slice::from_ref(&first));
    write(&mut *store, vec![add_injection(&first).inverse()]);
    assert_eq!(of(&*store, &one), [second]);
    assert_eq!(of(&*store, &two), []);
}

pub fn any_script_survives(make: Make<'_>) {
    let mut store = make();
    let japanese = Lesson {
        tags: vec!["認証".into()],
        paths: vec!["src/日本 語.rs".into()],
        aliases: vec!["Ä-1".into()],
        ..lesson("クエリを文字列連結で作らない 🦀 naïve Straße")
    };
    let quotes = lesson("'; DROP TABLE lessons; -- \"%_\\ and so on");
    write(&mut *store, vec![add_lesson(&japanese), add_lesson(&quotes)]);
    let mut expected = vec![japanese, quotes];
    expected.sort_by_key(|lesson| lesson.id.clone());
    assert_eq!(picked(&*store, Pick::Named("l-".into())), expected);
    assert_eq!(picked(&*store, Pick::Named("Ä-1".into())).len(), 1);
    let terms = terms_of_text("naïve", &["./src/日本 語.rs"]);
    let search = Search { terms, only_injectable: true, limit: 9, ..Search::default() };
    assert_eq!(store.search(&project(), &search).unwrap().lessons.len(), 1);
    assert_eq!(store.check().unwrap(), []);
}
