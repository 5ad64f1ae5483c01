//! jkz's patterns: whose they are, what a block holds, what is counted for and against them.
//! Tests are named after the parts and lines of issue 17 and the sections of seed-facts.

use hardwon_engine::answer::{Injected, Pattern, PatternChanged};
use hardwon_engine::lesson::{Decision, Kind};
use hardwon_engine::need::Need;
use hardwon_engine::voice::{Speaker, Voice};
use hardwon_engine::{
    InjectRequest, PatternQuery, PatternStated, ReinforceRequest, Style, jkz, policy,
};
use serde_json::json;

use crate::harness::{Pipeline, finding, reworded, role, run, run_id, verdict, wish};

const LIMITER: &str = "Rate limiter is created per request and never shared";
const TOKEN: &str = "Session token is logged in plain text";

/// A pipeline in which a role reported these texts in two runs.
fn reported(by: &[(&str, &str)]) -> Pipeline {
    let mut p = Pipeline::with_policy("jkz");
    for id in ["r1", "r2"] {
        let findings: String = by.iter().map(|(role, text)| finding(role, "bug", text)).collect();
        p.learn(&(run(id, &["judge", "sentinel", "inspector"]) + &findings));
    }
    p
}

fn styled(p: &mut Pipeline, reader: &str, budget: Option<u32>) -> Injected {
    let style = Some(Style::Jkz);
    p.serve(&InjectRequest { need: role(reader), budget, style, ..InjectRequest::default() })
}

/// So many patterns that a person stated and approved, of about so many words.
fn approved(n: usize, n_words: usize, end: &str) -> Pipeline {
    let mut p = Pipeline::with_policy("jkz");
    for n in 0..n {
        let rest: String = (0..n_words).map(|word| format!(" detail{n}x{word}")).collect();
        let stated = p.state(&format!("The part{n} loses entries{rest}{end}"), Kind::Pattern);
        p.review(&stated, Decision::Approve).unwrap();
    }
    p
}

#[test]
fn part_1_line_4_what_a_person_stated_and_approved_is_shown() {
    let mut p = Pipeline::with_policy("jkz");
    let stated = p.state(LIMITER, Kind::Pattern);
    p.review(&stated, Decision::Approve).unwrap();
    let injected = p.inject_for(None, role("judge"));
    assert!(injected.block.contains(LIMITER), "{:?}", injected.left_out);
    assert_eq!(injected.lessons[0].score.0, 1.0);
}

#[test]
fn part_1_line_5_a_block_is_the_roles_own_then_its_sort() {
    let mut p = reported(&[
        ("sentinel", TOKEN),
        ("judge", LIMITER),
        ("lens", "The lens saw a typo in the name"),
    ]);
    let block = |p: &mut Pipeline, name: &str| p.inject_for(None, role(name)).block;
    let judged = block(&mut p, "judge");
    let own = judged.find(LIMITER).expect("the role's own");
    let borrowed = judged.find(TOKEN).expect("of the same sort");
    assert!(own < borrowed, "{judged}");
    assert!(judged.contains("via:sentinel)"), "{judged}");
    assert!(!judged.contains("via:judge") && !judged.contains("typo"), "{judged}");
    assert!(block(&mut p, "inspector").contains("via:lens"));
    assert_eq!(block(&mut p, "builder"), "", "the rest is a sort of its own");
    let everything = p.inject_for(None, Need::default());
    assert_eq!(everything.lessons.len(), 3, "who reads it is not known");
    let left_out = p.inject_for(None, role("builder")).left_out;
    assert!(left_out.iter().any(|left| left.reason.contains("another sort")), "{left_out:?}");
}

#[test]
fn part_1_line_5_the_rest_share_with_each_other() {
    let mut p = reported(&[("architect", LIMITER)]);
    assert!(p.inject_for(None, role("builder")).block.contains("via:architect"));
    assert_eq!(p.inject_for(None, role("judge")).block, "");
}

#[test]
fn part_1_line_5_the_sorts_are_policy_data() {
    let mut rules = policy::load("jkz").unwrap();
    if let hardwon_core::policy::RankOrder::Jkz(formula) = &mut rules.ranking.order {
        formula.sorts.insert("builders".into(), vec!["judge".into(), "builder".into()]);
        formula.sorts.remove("adversarial");
    }
    let mut p = Pipeline::with_rules(rules);
    for id in ["r1", "r2"] {
        p.learn(&(run(id, &["judge"]) + &finding("judge", "bug", LIMITER)));
    }
    assert!(p.inject_for(None, role("builder")).block.contains("via:judge"));
}

#[test]
fn part_1_line_6_tokens_alone_decide_how_many() {
    let mut p = approved(12, 1, "");
    let injected = p.inject_for(None, role("judge"));
    assert_eq!(injected.lessons.len(), 12, "{}", injected.block);
    assert!(injected.n_tokens <= 800);
}

#[test]
fn part_5_three_ways_to_fill_a_budget_and_never_over_it() {
    let mut p = approved(12, 3, "; it was seen by two reviewers in the nightly build");
    let all = styled(&mut p, "judge", None);
    assert!(all.lessons.len() == 12 && all.block.contains("; it was seen"), "{}", all.block);
    let short = styled(&mut p, "judge", Some(all.n_tokens - 40));
    assert!(short.lessons.len() == 12 && !short.block.contains("; it was"), "{}", short.block);
    let fewer = styled(&mut p, "judge", Some(120));
    assert!((1..12).contains(&fewer.lessons.len()), "{}", fewer.block);
    for tokens in [60, 61, 75, 100, 150, 300, 500, 800] {
        let block = styled(&mut p, "judge", Some(tokens));
        assert!(block.n_tokens <= tokens, "{} of {tokens}", block.n_tokens);
    }
}

/// The document: 800 tokens for adversarial roles, 500 for constructive ones; `--budget` is the
/// room that is left.
#[test]
fn facts_4_2_budgets_by_role() {
    let mut p = approved(80, 4, "");
    for (reader, most) in
        [("auditor", 800), ("Judge", 800), ("sentinel", 800), ("inspector", 500), ("builder", 500)]
    {
        let n_tokens = styled(&mut p, reader, None).n_tokens;
        assert!((most - 40..=most).contains(&n_tokens), "{reader}: {n_tokens}");
        assert_eq!(styled(&mut p, reader, Some(2000)).n_tokens, n_tokens, "it only lowers");
        assert!(styled(&mut p, reader, Some(200)).n_tokens <= 200);
        assert_eq!(styled(&mut p, reader, Some(59)).block, "", "too little room: nothing");
    }
}

#[test]
fn part_5_the_style_is_the_documented_block() {
    let mut p = reported(&[("judge", LIMITER), ("sentinel", TOKEN)]);
    assert_eq!(
        styled(&mut p, "judge", None).block,
        format!(
            "=== HISTORICAL PATTERNS (judge) ===\n- {LIMITER} [score:1.00]\n- {TOKEN} [score:1.00, \
             via:sentinel]\n=== END HISTORICAL PATTERNS ===\n"
        )
    );
}

/// Part 6: a script calls for the roles of a pipeline.
fn scripted() -> Pipeline {
    let mut p = Pipeline::with_policy("jkz");
    p.call.speaker = Speaker { voice: Voice::Script, ..Speaker::person() };
    p.call.actor = "script".to_owned();
    p
}

fn stored(p: &mut Pipeline, role: &str, text: &str) -> PatternChanged {
    let (role, text) = (role.to_owned(), text.to_owned());
    p.store_pattern(&PatternStated { role, text, ..PatternStated::default() }).unwrap().body
}

fn listed(p: &mut Pipeline, role: &str) -> Vec<Pattern> {
    let query = PatternQuery { role: role.to_owned(), limit: 10, ..PatternQuery::default() };
    p.patterns(&query).unwrap().body
}

fn reinforced(p: &mut Pipeline, id: &str, evidence: Option<&str>) -> PatternChanged {
    let request = ReinforceRequest {
        role: "judge".to_owned(),
        ids: vec![id.to_owned()],
        evidence: evidence.map(str::to_owned),
        run: None,
    };
    p.reinforce_patterns(&request).unwrap().body.remove(0)
}

/// seed-facts 4.1: an upsert of the same text and role raises the count; 4.2: observed (1),
/// candidate (2).
#[test]
fn part_6_the_same_text_and_role_raises_the_count() {
    let mut p = scripted();
    let first = stored(&mut p, "judge", LIMITER);
    assert_eq!((first.id, first.success_count), (Some(1), 1));
    assert_eq!(first.lifecycle_state, Some("observed"));
    let second = stored(&mut p, "judge", LIMITER);
    assert_eq!((second.id, second.success_count), (Some(1), 2));
    assert_eq!(second.lifecycle_state, Some("candidate"));
    assert_eq!(stored(&mut p, "judge", TOKEN).id, Some(2));
    assert!(styled(&mut p, "judge", None).block.contains(LIMITER), "seen twice, it is shown");
    assert!(!styled(&mut p, "judge", None).block.contains(TOKEN));
    p.assert_sound();
}

#[test]
fn part_6_one_deliberation_counts_once() {
    let mut p = scripted();
    let request = PatternStated {
        role: "judge".to_owned(),
        text: LIMITER.to_owned(),
        deliberation: Some(run_id("delib-7")),
        category: Some("causal".to_owned()),
        labels: vec!["payments".to_owned()],
        files: vec!["src/limit.rs".to_owned()],
    };
    p.store_pattern(&request).unwrap();
    let again = p.store_pattern(&request).unwrap().body;
    assert!(!again.is_changed && again.success_count == 1, "{again:?}");
    let listed = listed(&mut p, "judge").remove(0);
    assert_eq!((listed.category.as_deref(), listed.score.0), (Some("causal"), 1.1));
}

/// seed-facts 4.2: verified by distinct contexts, never active by itself.
#[test]
fn facts_4_2_two_contexts_verify() {
    let in_context = |p: &mut Pipeline, label: &str, file: &str| {
        let (labels, files) = (vec![label.to_owned()], vec![file.to_owned()]);
        let (role, text) = ("judge".to_owned(), LIMITER.to_owned());
        let request = PatternStated { role, text, labels, files, ..PatternStated::default() };
        p.store_pattern(&request).unwrap().body.lifecycle_state
    };
    let mut p = scripted();
    assert_eq!(in_context(&mut p, "payments", "api/limit.rs"), Some("observed"));
    assert_eq!(in_context(&mut p, "Payments", "api/other.rs"), Some("candidate"));
    assert_eq!(in_context(&mut p, "search", "web/limit.rs"), Some("verified"));
    for n in 0..5 {
        let state = in_context(&mut p, &format!("label{n}"), "x/y.rs");
        assert_eq!(state, Some("verified"), "only a person makes it active");
    }
}

/// Numbers are never used twice: not after a lesson was put away, not after an undo.
#[test]
fn part_6_a_number_is_never_used_twice() {
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    p.call.speaker = Speaker::person();
    p.undo().unwrap();
    assert_eq!(stored(&mut p, "judge", TOKEN).id, Some(2));
    let n_before = p.n_entries();
    assert_eq!(listed(&mut p, "judge").len(), 1);
    assert_eq!(p.n_entries(), n_before, "a read writes nothing");
    assert_eq!(stored(&mut p, "judge", LIMITER).id, Some(1), "it is the same lesson");
}

#[test]
fn part_6_own_patterns_come_before_borrowed_ones() {
    let mut p = scripted();
    for (role, text) in [("sentinel", TOKEN), ("judge", LIMITER), ("lens", "The lens saw a typo")] {
        stored(&mut p, role, text);
    }
    let listed = listed(&mut p, "judge");
    let rows: Vec<(&str, Option<&str>)> =
        listed.iter().map(|row| (row.text.as_str(), row.via.as_deref())).collect();
    assert_eq!(rows, [(LIMITER, None), (TOKEN, Some("sentinel"))]);
    let observed = vec![jkz::state_of("active").unwrap()];
    let query =
        PatternQuery { role: "judge".into(), limit: 10, states: observed, ..Default::default() };
    assert!(p.patterns(&query).unwrap().body.is_empty());
}

/// seed-facts 4.2: the weight follows the penalised pattern's role: 1.5 for sentinel and
/// inspector, else 1. One success and one ruling: 1/(1 + 1.5) = 0.4, 1/(1 + 1) = 0.5; with
/// `--weight 3`: 1/(1 + 3) = 0.25.
#[test]
fn facts_4_2_ignore_weights() {
    let cases = [("inspector", None, 0.4), ("sentinel", None, 0.4), ("judge", None, 0.5)];
    for (role, weight, score) in cases.into_iter().chain([("judge", Some(3.0), 0.25)]) {
        let mut p = scripted();
        stored(&mut p, role, LIMITER);
        p.later(3);
        let fresh = listed(&mut p, role)[0].score.0;
        let ruled = p.ignore_pattern(role, "rate limiter is created per request", weight).unwrap();
        assert_eq!(ruled.body.unwrap().ignore_count, 1);
        let row = listed(&mut p, role).remove(0);
        let share = (row.score.0 / fresh * 1000.0).round() / 1000.0;
        assert!((share - score).abs() < 0.002, "{role}: {share}, not fresher either");
        p.assert_sound();
    }
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    let other = p.ignore_pattern("lens", LIMITER, None).unwrap();
    assert!(other.body.is_none() && other.problems.len() == 1, "not the lens's pattern");
    for _ in 0..10 {
        p.ignore_pattern("judge", LIMITER, None).unwrap();
    }
    stored(&mut p, "judge", LIMITER);
    assert_eq!(listed(&mut p, "judge")[0].ignore_count, 10, "each ruling counts");
    assert_eq!(
        styled(&mut p, "judge", None).block.lines().nth(1).unwrap_or_default(),
        format!("- {LIMITER} [-8 net, 10x ignored]")
    );
}

#[test]
fn part_6_an_agents_ruling_on_an_approved_pattern_is_a_flag() {
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    stored(&mut p, "judge", LIMITER);
    p.call.speaker = Speaker::person();
    let lesson = p.only_lesson();
    p.review(&lesson, Decision::Approve).unwrap();
    p.set_caller(Some("codex"));
    let flagged = p.ignore_pattern("judge", LIMITER, None).unwrap().body.unwrap();
    assert!(!flagged.is_changed && flagged.ignore_count == 0, "{flagged:?}");
    assert_eq!(p.only_lesson().open_proposals().len(), 1);
}

/// What one agent claims by itself is shown under no rules, in however many roles it speaks.
#[test]
fn part_6_an_agent_alone_makes_no_pattern() {
    let mut p = Pipeline::with_policy("jkz");
    p.set_caller(Some("codex"));
    for role in ["judge", "judge", "sentinel", "auditor"] {
        stored(&mut p, role, LIMITER);
    }
    assert_eq!(styled(&mut p, "judge", None).block, "");
    assert!(!reinforced(&mut p, "1", Some("```\ntest result: FAILED. 1 failed\n```")).is_changed);
    p.set_caller(None);
    p.call.speaker = Speaker { voice: Voice::Script, ..Speaker::person() };
    stored(&mut p, "judge", TOKEN);
    p.set_caller(Some("codex"));
    assert!(!stored(&mut p, "judge", TOKEN).is_changed, "others reported it");
}

/// seed-facts 4.3: execution output is level 1, a cited fragment level 2; "ran it, works" is 3.
#[test]
fn facts_4_3_only_executed_or_cited_evidence_reinforces() {
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    let said = reinforced(&mut p, "1", Some("Ran it, works"));
    assert!(!said.is_changed && said.because.contains("reasoning only"), "{said:?}");
    let none = reinforced(&mut p, "1", None);
    assert!(!none.is_changed && none.because.contains("no PASS of judge"), "{none:?}");
    let ran = "```\n$ cargo test limiter\ntest result: ok. 3 passed; 0 failed\n```";
    assert_eq!(reinforced(&mut p, "1", Some(ran)).success_count, 2);
    let again = reinforced(&mut p, "1", Some(ran));
    assert!(!again.is_changed && again.success_count == 2, "the same evidence counts once");
    let row = listed(&mut p, "judge").remove(0);
    assert!(row.was_validated, "{row:?}");
    let ids = vec!["99".to_owned(), "l-nothing".to_owned()];
    let request =
        ReinforceRequest { role: "judge".into(), ids, evidence: Some(ran.into()), run: None };
    let unknown = p.reinforce_patterns(&request).unwrap();
    assert!(unknown.body.is_empty() && unknown.problems.len() == 2, "{:?}", unknown.problems);
    p.assert_sound();
}

#[test]
fn part_6_without_evidence_the_newest_pass_is_the_ground() {
    let mut p = scripted();
    stored(&mut p, "judge", LIMITER);
    let pass = |grade: &str, evidence: &str| {
        verdict(json!({"author": "judge", "verdict": "PASS", "grade": grade,
            "evidence": evidence}))
    };
    p.learn(&(run("r1", &["judge"]) + &pass("reasoned", "It looks right")));
    let said = reinforced(&mut p, "1", None);
    assert!(!said.is_changed && said.because.contains("r1 by reasoning only"), "{said:?}");
    let ran = "```\n$ cargo test\ntest result: ok. 3 passed; 0 failed\n```";
    p.learn(&(run("r2", &["judge"]) + &pass("executed", ran)));
    let done = reinforced(&mut p, "1", None);
    assert!(done.is_changed && done.because.contains("passed r2"), "{done:?}");
    assert!(!reinforced(&mut p, "1", None).is_changed, "the same run counts once");
}

#[test]
fn part_1_line_10_a_near_copy_is_told_and_offered_as_a_merge() {
    for name in ["hardwon", "jkz", "archeflow", "geas", "archivist"] {
        let mut p = Pipeline::with_policy(name);
        let first = p.wish("Pin every dependency of the build in this repository");
        let added = p.add(&wish("Pin every dependency of the build in this repository please"));
        let added = added.unwrap();
        let said = &added.problems[0].reason;
        let offer = format!("`hardwon merge {} {}`", added.body.id, first.id);
        assert!(said.contains(&offer), "{name}: {said}");
        p.merge(added.body.id.as_str(), first.id.as_str()).unwrap();
        let other = p.add(&wish("Name the next step in every error message")).unwrap();
        assert_eq!(other.problems, [], "{name}");
    }
}

#[test]
fn part_4_list_has_jkzs_word_beside_ours() {
    let mut p = reported(&[("judge", LIMITER)]);
    let lessons = p.list(&Default::default()).unwrap().body.lessons;
    assert_eq!(lessons[0].jkz_state, Some("candidate"));
    let mut p = Pipeline::confirmed();
    assert_eq!(p.list(&Default::default()).unwrap().body.lessons[0].jkz_state, None);
}

/// Versions of a lesson: what it said, not what was counted; going back appends.
#[test]
fn part_6_a_version_comes_back_whatever_came_after() {
    for mut p in Pipeline::on_both() {
        let lesson = p.wish("Bundle related changes into one pull request");
        let id = lesson.id.to_string();
        p.edit(&id, &reworded("Bundle related changes into few pull requests")).unwrap();
        p.pin(&id, true).unwrap();
        p.edit(&id, &reworded("Split unrelated changes")).unwrap();
        let numbers = |p: &mut Pipeline| -> Vec<(u32, Option<u32>)> {
            let versions = p.versions(&id).unwrap().body.versions;
            versions.iter().map(|version| (version.version, version.restored_from)).collect()
        };
        assert_eq!(numbers(&mut p), [(3, None), (2, None), (1, None)]);
        p.restore_version(&id, 1).unwrap();
        let now = p.again(&lesson);
        assert_eq!(now.text, lesson.text);
        assert!(now.is_pinned, "what came after stands");
        assert_eq!(numbers(&mut p), [(4, Some(1)), (3, None), (2, None), (1, None)]);
        let unknown = p.restore_version(&id, 9).unwrap_err().to_string();
        assert_eq!(unknown, format!("no version 9 of {id} is kept"));
        for n in 0..12 {
            p.edit(&id, &reworded(&format!("Split unrelated changes by topic {n}"))).unwrap();
        }
        let kept = numbers(&mut p);
        assert_eq!((kept.len(), kept[0].0, kept[9].0), (10, 16, 7));
        assert!(p.restore_version(&id, 2).is_err(), "no longer kept");
        p.set_caller(Some("codex"));
        assert!(p.restore_version(&id, 8).is_err(), "for a person");
        p.assert_sound();
    }
}
