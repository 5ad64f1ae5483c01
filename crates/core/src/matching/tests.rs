//! Cases and properties of `matching`.

use super::{Author, Corpus, Match, MatchPolicy, Relation, Subject, best_match};
use crate::signature::of_rule;
use proptest::prelude::*;

fn subject(text: &str) -> Subject<'_> {
    Subject { text, ..Subject::default() }
}

fn best(finding: &Subject, lessons: &[Subject]) -> Match {
    best_match(finding, lessons, &Corpus::default(), &MatchPolicy::default())
}

fn likeness(a: &Subject, b: &Subject, corpus: &Corpus, policy: &MatchPolicy) -> f64 {
    best_match(a, &[*b], corpus, policy).likeness
}

#[track_caller]
fn check(name: &str, finding: &str, lesson: &str, relation: Relation) {
    let found = best(&subject(finding), &[subject(lesson)]);
    assert_eq!(found.relation, relation, "{name}: {:.3} {:?}", found.likeness, found.parts);
    assert_eq!(found.index.is_some(), relation != Relation::New, "{name}");
}

#[test]
fn the_bar_rises_with_the_crowd() {
    let policy = MatchPolicy::default();
    let relation = |likeness, n_texts| policy.relation(likeness, n_texts, Author::Reviewer);
    assert_eq!(relation(policy.same, 0), Relation::Same);
    assert_eq!(relation(policy.same, 500), Relation::Same);
    assert_eq!(relation(policy.same, 10_000), Relation::New);
    assert_eq!(relation(policy.same + 0.06, 10_000), Relation::Same);
    assert_eq!(relation(1.0, u64::MAX), Relation::Same, "the same words are always the same");
}

#[test]
fn wordings_of_one_problem_meet() {
    for (name, finding, lesson) in [
        (
            "other words",
            "before_validation calls host.sub! without checking for nil",
            "host may be nil when before_validation calls sub!, raising NoMethodError",
        ),
        ("identifier apart", "missing null check on user_name", "userName lacks a null check"),
        ("stop words only", "it is what it is", "it is what it is"),
        ("only signs", "?!", "?!"),
        ("German", "Größe wird nicht geprüft", "Die Größe der Datei wird nie geprüft"),
        ("Russian", "Нет проверки на пустое имя", "Проверка на пустое имя отсутствует"),
        ("Japanese", "入力値の検証が不足している", "入力値の検証が行われていない"),
        ("Chinese", "缺少空指针检查", "没有进行空指针检查"),
        ("Korean", "널 검사가 누락되었습니다", "사용자 이름의 널 검사가 누락"),
    ] {
        check(name, finding, lesson, Relation::Same);
        check(name, finding, finding, Relation::Same);
    }
}

#[test]
fn what_denies_a_lesson_is_no_sighting_of_it() {
    for (name, finding, lesson) in [
        (
            "asked and forbidden",
            "Always retry failed payment requests three times",
            "Never retry failed payment requests three times",
        ),
        ("less", "Always retry failed payments", "Never retry failed payments three times"),
        (
            "praise",
            "I ran the importer and it works fine with big files",
            "The importer breaks in src/import.rs for big files",
        ),
    ] {
        check(name, finding, lesson, Relation::New);
        check(name, lesson, finding, Relation::New);
    }
    // A fingerprint does not tell them apart.
    let signed = |text| Subject { text, signature: Some("s-1"), ..Subject::default() };
    let (ask, forbid) = ("Always retry failed payments", "Never retry failed payments");
    assert_eq!(best(&signed(ask), &[signed(forbid)]).relation, Relation::New);
}

#[test]
fn a_lesson_that_is_denied_hides_no_other() {
    let lessons = [
        subject("Never retry failed payment requests three times"),
        subject("Retry a failed payment request up to three times"),
    ];
    let found = best(&subject("Always retry failed payment requests three times"), &lessons);
    assert_eq!((found.index, found.relation), (Some(1), Relation::Same));
}

#[test]
fn a_praise_with_a_but_and_the_same_advice_in_other_words_are_still_alike() {
    for (name, finding, lesson) in [
        (
            "a but",
            "The importer works fine with small files but breaks for big files",
            "The importer breaks for big files",
        ),
        (
            "without and with",
            "Never merge a pull request without a review",
            "Always merge a pull request with a review",
        ),
        (
            "two halves of one advice",
            "Avoid string concatenation in SQL queries of the search",
            "Use parameters in SQL queries of the search, not string concatenation",
        ),
    ] {
        check(name, finding, lesson, Relation::Same);
    }
}

#[test]
fn other_problems_stay_apart() {
    for (name, finding, lesson) in [
        ("no word in common", "Retry loop never ends", "userName lacks a null check"),
        (
            "common words in common",
            "The method returns an incorrect value",
            "The check should not use this string instead",
        ),
        (
            "one rare word in common",
            "host may be nil in before_validation",
            "The migration interpolates host into raw SQL",
        ),
        ("empty finding", "", "userName lacks a null check"),
        ("both empty", "", ""),
        ("Japanese", "ループが終了しない", "入力値の検証が不足している"),
    ] {
        let found = best(&subject(finding), &[subject(lesson)]);
        assert_ne!(found.relation, Relation::Same, "{name}: {found:?}");
    }
    check("nothing in common", "Retry loop never ends", "userName lacks a check", Relation::New);
}

#[test]
fn the_best_wins_and_the_lowest_of_equals() {
    let twin = "null check for user name missing";
    let lessons = ["null check for user", twin, twin].map(subject);
    let found = best(&subject("user name: null check missing"), &lessons);
    assert_eq!(found.index, Some(1));
}

#[test]
fn an_equal_signature_decides_and_an_empty_one_does_not() {
    let signed = |text, signature| Subject { signature: Some(signature), ..subject(text) };
    let lessons = [subject("one thing here"), signed("quite another", "s-1")];
    let found = best(&signed("one thing", "s-1"), &lessons);
    assert_eq!(
        (found.index, found.likeness, found.parts),
        (Some(1), 1.0, vec![("signature", 1.0)])
    );
    let found = best(&signed("retry never ends", ""), &[signed("missing null check", "")]);
    assert_eq!(found.relation, Relation::New);
}

#[test]
fn category_and_place_move_a_little_and_absence_moves_nothing() {
    let of = |a: &Subject, b: &Subject| likeness(a, b, &Corpus::default(), &MatchPolicy::default());
    let (a, b) =
        (subject("null check missing for the user"), subject("missing check of user input"));
    let plain = of(&a, &b);
    let categories =
        |x, y| of(&Subject { category: Some(x), ..a }, &Subject { category: Some(y), ..b });
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let paths = |x: &[&str], y: &[&str]| {
        of(&Subject { paths: &owned(x), ..a }, &Subject { paths: &owned(y), ..b })
    };
    assert!(categories("Security", "security") > plain);
    assert!(categories("security", "style") < plain);
    assert_eq!(of(&Subject { category: Some("style"), ..a }, &b), plain);
    assert!(paths(&["src/a.rs"], &["lib/b.rs", "src/a.rs"]) > paths(&["src/a.rs"], &["src/b.rs"]));
    assert!(paths(&["src/a.rs"], &["src/b.rs"]) > plain);
    assert!(paths(&["src/a.rs"], &["lib/a.rs"]) < plain);
    assert_eq!(paths(&["src/a.rs"], &[]), plain);
    check("equal text elsewhere", "null check missing", "null check missing", Relation::Same);
}

#[test]
fn a_word_that_every_lesson_has_counts_less() {
    let policy = MatchPolicy::default();
    let (finding, lesson) = (subject("frobnicator leaks"), subject("frobnicator panics"));
    let with = |n_seen| {
        let df = [("frobnicator".to_string(), n_seen)].into();
        likeness(&finding, &lesson, &Corpus { n_texts: 1000, df }, &policy)
    };
    assert!(with(900) < with(1) / 1.2, "{} {}", with(900), with(1));
}

/// Facts of ArcheFlow's matching: the share of the finding's tokens, rounded down, half is enough.
#[test]
fn overlap_counts_the_findings_tokens() {
    let policy = MatchPolicy::overlap();
    let of = |a, b: &Subject| likeness(&subject(a), b, &Corpus::default(), &policy);
    let lesson = subject("null checks missing before user access");
    assert_eq!(of("null checks", &lesson), 1.0);
    assert_eq!(of("null checks missing before user access", &subject("null checks")), 0.33);
    assert_eq!(of("", &lesson), 0.0);
    assert_eq!(of("a b", &lesson), 0.0);
    assert_eq!(of("security hole", &Subject { tags: &["security".to_owned()], ..lesson }), 0.5);
    let lessons = [subject("null pointers"), subject("null checks")];
    let found = best_match(&subject("null checks"), &lessons, &Corpus::default(), &policy);
    assert_eq!((found.index, found.relation), (Some(1), Relation::Same));
}

fn any_text() -> impl Strategy<Value = String> {
    let pieces = "null userName user_name the 検証 Größe retry 10MB ? of loop fetch missing is";
    let piece = prop::sample::select(pieces.split(' ').collect::<Vec<_>>());
    prop::collection::vec(piece, 1..13).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn likeness_is_a_share_symmetric_and_full_for_equal_texts(
        a in any_text(),
        b in any_text(),
        n_texts in 0..50u64,
        n_seen in prop::array::uniform3(0..50u64),
    ) {
        let df = ["null", "user", "retry"].map(str::to_owned).into_iter().zip(n_seen);
        let df = df.map(|(word, n)| (word, n.min(n_texts))).collect();
        let (corpus, policy) = (Corpus { n_texts, df }, MatchPolicy::default());
        let of = |a: &str, b: &str| likeness(&subject(a), &subject(b), &corpus, &policy);
        prop_assert!((0.0..=1.0).contains(&of(&a, &b)));
        prop_assert!((of(&a, &b) - of(&b, &a)).abs() < 1e-9);
        prop_assert_eq!(of(&a, &a), 1.0);
    }
}

/// A finding, or a lesson, of a tool.
fn ruled<'a>(text: &'a str, rules: &'a [String]) -> Subject<'a> {
    Subject { text, rules, ..Subject::default() }
}

#[test]
fn tests_are_told_apart_by_their_names() {
    let named = |name| of_rule("test", Some(name));
    for (a, b) in [
        (
            ("tests.test_pool::test_pool_works", "TimeoutError: connection pool exhausted"),
            ("tests.test_mail::test_mail_works", "UnicodeEncodeError: cannot encode subject"),
        ),
        (
            ("tests/test_a.py::test_one", "AssertionError: assert 1 == 2"),
            ("tests/test_b.py::test_two", "AssertionError: assert 1 == 2"),
        ),
        (("t::parses[1]", "assert 1 == 2"), ("t::parses[2]", "assert 1 == 3")),
    ] {
        let text = |(name, said)| format!("Test {name} fails: {said}");
        let (text_a, text_b) = (text(a), text(b));
        let policy = MatchPolicy::default();
        let alike = likeness(&subject(&text_a), &subject(&text_b), &Corpus::default(), &policy);
        assert!(alike >= policy.same, "without names they are alike: {alike}");
        let (rules_a, rules_b) = ([named(a.0)], [named(b.0)]);
        let found = best(&ruled(&text_a, &rules_a), &[ruled(&text_b, &rules_b)]);
        assert_eq!((found.relation, found.parts), (Relation::New, vec![("rule", -1.0)]), "{a:?}");
        // A fingerprint that both have is none.
        let signed = |subject| Subject { signature: Some("x-1"), ..subject };
        let lessons = [signed(ruled(&text_b, &rules_b))];
        assert_eq!(best(&signed(ruled(&text_a, &rules_a)), &lessons).relation, Relation::New);
    }
}

#[test]
fn messages_of_one_rule_meet_and_those_of_two_do_not() {
    let of = |rule| of_rule("lint", Some(rule));
    let (rule, other, nameless) = (of("R1"), of("R2"), of_rule("lint", None));
    let (foreign, prose) = (of_rule("check", Some("R1")), "s-15d7aa8159b57cad");
    let assigned = "'x' is assigned a value but never used.";
    let defined = "'handleRequest' is defined but never used.";
    let shouted = "Unexpected console statement.";
    let parsing = "Parsing error: unexpected console token }";
    let todo = ("TODO: remove the shim", "FIXME: rounding of cents is wrong");
    for (name, (a, rules_a), (b, rules_b), expected) in [
        ("words alone", (assigned, vec![]), (defined, vec![]), Relation::New),
        ("one rule", (assigned, vec![&*rule]), (defined, vec![&*rule]), Relation::Same),
        ("one of two", (assigned, vec![&*rule]), (defined, vec![&*other, &*rule]), Relation::Same),
        ("one rule, two things", (todo.0, vec![&*rule]), (todo.1, vec![&*rule]), Relation::New),
        ("alike by chance", (shouted, vec![]), (parsing, vec![]), Relation::Same),
        ("a rule and none", (shouted, vec![&*rule]), (parsing, vec![&*nameless]), Relation::New),
        ("no rules", (shouted, vec![&*nameless]), (parsing, vec![&*nameless]), Relation::Same),
        ("two tools", (shouted, vec![&*rule]), (parsing, vec![&*foreign]), Relation::Same),
        ("a reviewer's lesson", (shouted, vec![&*rule]), (parsing, vec![prose]), Relation::Same),
        ("two rules, one text", (shouted, vec![&*rule]), (shouted, vec![&*other]), Relation::Same),
    ] {
        let owned = |rules: Vec<&str>| rules.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let (rules_a, rules_b) = (owned(rules_a), owned(rules_b));
        let (a, b) = (ruled(a, &rules_a), ruled(b, &rules_b));
        let found = best(&a, &[b]);
        assert_eq!(found.relation, expected, "{name}: {:.3} {:?}", found.likeness, found.parts);
        assert_eq!(best(&b, &[a]).relation, expected, "{name}, the other way");
    }
}
