//! jkz's patterns: whose they are, what a block holds, what is counted for and against them.
//! Tests are named after the parts and lines of issue 17 and the sections of seed-facts.

use hardwon_engine::answer::Injected;
use hardwon_engine::lesson::{Decision, Kind};
use hardwon_engine::need::Need;
use hardwon_engine::{InjectRequest, Style, policy};

use crate::harness::{Pipeline, finding, reworded, role, run, wish};

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
fn part_1_line_5_a_block_is_the_roles_own_then_its_sort() {
    let seen = ("lens", "The lens saw a typo in the name");
    let mut p = reported(&[("sentinel", TOKEN), ("judge", LIMITER), seen]);
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
    // The rest share with each other.
    let mut p = reported(&[("architect", LIMITER)]);
    assert!(block(&mut p, "builder").contains("via:architect"));
    assert_eq!(block(&mut p, "judge"), "");
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

#[test]
fn part_1_line_10_a_near_copy_is_told_and_offered_as_a_merge() {
    for name in ["hardwon", "jkz", "archeflow", "geas", "archivist"] {
        let mut p = Pipeline::with_policy(name);
        let first = p.wish("Pin every dependency of the build in this repository");
        let added = p.add(&wish("Pin every dependency of the build in this repository please"));
        let added = added.unwrap();
        let said = &added.problems[0].reason;
        let offer = format!("`hardwon review merges {} {}`", added.body.id, first.id);
        assert!(said.contains(&offer), "{name}: {said}");
        p.merge(added.body.id.as_str(), first.id.as_str()).unwrap();
        let other = p.add(&wish("Name the next step in every error message")).unwrap();
        assert_eq!(other.problems, [], "{name}");
    }
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
