//! Cases about deliberations, attempts and questions to a model: listed, searched, filtered, struck.

use std::collections::BTreeSet;

use hardwon_core::consult::{Consultation, Proposed, Spend};
use hardwon_core::deliberation::{Deliberation, DeliberationFilter, keep};
use hardwon_core::propose::terms_of_text;
use hardwon_core::time::Timestamp;

use super::Make;
use super::random::{Random, changes, projects};
use super::sample::*;
use hardwon_store::{About, ConsultationQuery, JournalQuery, MemoryStore, Search, Store};

fn found(store: &dyn Store, words: &str, filter: DeliberationFilter) -> Vec<Deliberation> {
    let terms = terms_of_text(words, &[""; 0]);
    let about = About::Deliberations(filter);
    let search = Search { terms, about, limit: 20, ..Search::default() };
    store.search(&project(), &search).unwrap().deliberations
}

fn ids(found: &[Deliberation]) -> Vec<&str> {
    found.iter().map(|it| it.id.as_str()).collect()
}

pub fn deliberations_are_listed_and_found(make: Make<'_>) {
    let mut store = make();
    let pool = deliberation("r1", 10, "The connection pool is never closed. It leaks.");
    let token = Deliberation {
        role: "auditor".into(),
        verdict: Some("pass".into()),
        ..deliberation("r2", 30, "The session token is compared in constant time.")
    };
    let old = deliberation("r1", 5, "The retry loop has no delay.");
    write(&mut *store, vec![add_run(&run("r1", 1)), add_deliberation(&pool)]);
    write(&mut *store, vec![add_deliberation(&token), add_deliberation(&old)]);
    let all = DeliberationFilter::default;
    assert_eq!(found(&*store, "", all()), [token.clone(), pool.clone(), old.clone()]);
    assert_eq!(ids(&found(&*store, "leaking connections", all())), [&pool.id]);
    assert!(found(&*store, "banana", all()).is_empty());
    let judge = DeliberationFilter { role: Some("judge".into()), ..all() };
    assert_eq!(found(&*store, "", judge.clone()).len(), 2);
    assert_eq!(ids(&found(&*store, "token pool", judge)), [&pool.id]);
    let passed = DeliberationFilter { verdict: Some("pass".into()), ..all() };
    assert_eq!(ids(&found(&*store, "", passed)), [&token.id]);
    let of_run = DeliberationFilter { run: Some(run_id("r1")), ..all() };
    assert_eq!(ids(&found(&*store, "", of_run)), [&pool.id, &old.id]);
    let since = DeliberationFilter { since: Some(Timestamp(10)), ..all() };
    assert_eq!(found(&*store, "", since).len(), 2);
    let named = DeliberationFilter { id: Some(pool.id[..6].to_owned()), ..all() };
    assert_eq!(ids(&found(&*store, "", named)), [&pool.id]);
    let about = About::Deliberations(all());
    let elsewhere = Search { about, limit: 9, ..Search::default() };
    assert!(store.search(&other_project(), &elsewhere).unwrap().deliberations.is_empty());
    assert_eq!(store.check().unwrap(), []);
}

pub fn attempts_are_those_of_the_issue(make: Make<'_>) {
    let mut store = make();
    let (first, second) = (attempt("r1", 1, "Retry it"), attempt("r2", 2, "Close the socket"));
    let other = hardwon_core::attempt::Attempt { issue: "13".into(), ..attempt("r3", 3, "Wait") };
    let all = [&first, &second, &other].map(add_attempt);
    write(&mut *store, all.to_vec());
    let about = About::Attempts("12".into());
    let search = Search { about, limit: 9, ..Search::default() };
    assert_eq!(store.search(&project(), &search).unwrap().attempts, [second.clone(), first]);
    let last = Search { limit: 1, ..search.clone() };
    assert_eq!(store.search(&project(), &last).unwrap().attempts, [second]);
    assert!(store.search(&other_project(), &search).unwrap().attempts.is_empty());
    assert_eq!(store.check().unwrap(), []);
}

/// Caps count what was spent in the whole store.
pub fn questions_are_found_in_every_project(make: Make<'_>) {
    let mut store = make();
    let (first, second) = (consultation("r1", 10), consultation("r2", 20));
    let elsewhere = consultation("r1", 30);
    write(&mut *store, vec![add_consultation(&first), add_consultation(&second)]);
    store.apply(&batch(&other_project(), vec![add_consultation(&elsewhere)]), None).unwrap();
    let twice = batch(&project(), vec![add_consultation(&first)]);
    assert!(store.apply(&twice, None).is_err(), "the same is asked once");
    let spent = Some(Spend { tokens_in: 8000, tokens_out: 300, micro_usd: 9_500 });
    let settled = Consultation { spent, is_answered: true, ..first.clone() };
    write(&mut *store, vec![edit_consultation(&first, &settled)]);
    let found = |query: ConsultationQuery| store.consultations(&query).unwrap();
    let own = |it: &Consultation| (project(), it.clone());
    let other = (other_project(), elsewhere.clone());
    let all = ConsultationQuery::default();
    assert_eq!(found(all.clone()), [other.clone(), own(&second), own(&settled)]);
    let since = ConsultationQuery { since: Some(Timestamp(20)), ..all.clone() };
    assert_eq!(found(since), [other.clone(), own(&second)]);
    let evidence = Some(first.evidence.clone());
    assert_eq!(found(ConsultationQuery { evidence, ..all.clone() }), [other, own(&settled)]);
    let of_project = ConsultationQuery { project: Some(project()), limit: Some(1), ..all };
    assert_eq!(found(of_project), [own(&second)]);
    assert_eq!(store.check().unwrap(), []);
}

pub fn what_was_proposed_about_a_lesson_is_erased_with_it(make: Make<'_>) {
    let mut store = make();
    let lesson = lesson("Close the socket");
    let proposed = |reason: &str| Some(Proposed { reason: reason.into(), ..Proposed::default() });
    let about = vec![lesson.id.to_string()];
    let asked =
        Consultation { about, proposed: proposed("both close it"), ..consultation("r1", 1) };
    let other = Consultation { proposed: proposed("they differ"), ..consultation("r2", 2) };
    write(
        &mut *store,
        vec![add_lesson(&lesson), add_consultation(&asked), add_consultation(&other)],
    );
    write(&mut *store, super::erase_cases::forgotten(&lesson, &[], &[]));
    let left = store.consultations(&ConsultationQuery::default()).unwrap();
    assert_eq!(left[0].1, other);
    let left = left[1].1.proposed.clone().unwrap_or_default();
    assert!(!left.reason.contains("both close it"), "{left:?}");
    assert!(
        !store
            .journal(&project(), &JournalQuery::default())
            .unwrap()
            .iter()
            .any(|entry| { format!("{entry:?}").contains("both close it") })
    );
    assert_eq!(store.check().unwrap(), []);
}

/// Issue 17, part 3: the oldest are struck by an erasure, and verdict and summary stay.
pub fn struck_responses_leave_verdict_and_summary(make: Make<'_>) {
    let mut store = make();
    let long = |n: i64| deliberation("r1", n, &format!("Answer {n}. {}", "word ".repeat(80)));
    let all: Vec<Deliberation> = (1..=5).map(long).collect();
    write(&mut *store, all.iter().map(add_deliberation).collect());
    let about =
        About::Deliberations(DeliberationFilter { oldest_kept: true, ..Default::default() });
    let search = Search { about, limit: 9, ..Search::default() };
    let before = store.search(&project(), &search).unwrap();
    assert_eq!(before.deliberations, all);
    let n_bytes: u64 = all.iter().map(Deliberation::n_bytes).sum();
    assert_eq!(before.n_bytes, n_bytes);
    let texts = keep::struck(&before.deliberations, n_bytes, n_bytes / 2);
    assert_eq!(texts.len(), 3);
    write(&mut *store, vec![keep::striking(texts)]);
    let after = store.search(&project(), &search).unwrap();
    assert_eq!(after.deliberations, all[3..]);
    assert_eq!(after.n_bytes, n_bytes / 5 * 2);
    let listed = found(&*store, "", DeliberationFilter::default());
    assert_eq!(listed.len(), 5);
    assert_eq!(listed[4].response.body(), None);
    assert_eq!((&listed[4].summary, &listed[4].verdict), (&all[0].summary, &all[0].verdict));
    assert_eq!(store.check().unwrap(), []);
}

pub fn deliberations_answer_like_memory(make: Make<'_>) {
    for seed in 0..3 {
        let (mut store, mut model) = (make(), MemoryStore::new());
        let mut random = Random::new(seed);
        for _ in 0..60 {
            let project = projects()[random.below(3)].clone();
            let batch = batch(&project, changes(&mut random, model.tables(), &project));
            store.apply(&batch, None).unwrap();
            model.apply(&batch, None).unwrap();
        }
        for n in 0..20 {
            let project = &projects()[random.below(3)];
            let role = (n % 2 == 0).then(|| "judge".to_owned());
            let about = About::Deliberations(DeliberationFilter { role, ..Default::default() });
            let terms = terms_of_text(&random.words(), &[""; 0]);
            let search = Search { terms, about, limit: 200, ..Search::default() };
            let (one, other) =
                (store.search(project, &search).unwrap(), model.search(project, &search).unwrap());
            let set = |all: &[Deliberation]| -> BTreeSet<String> {
                all.iter().map(|it| format!("{it:?}")).collect()
            };
            assert_eq!(set(&one.deliberations), set(&other.deliberations), "{search:?}");
            assert_eq!((one.corpus, one.n_bytes), (other.corpus, other.n_bytes), "{search:?}");
        }
    }
}
