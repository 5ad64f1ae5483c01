//! Redaction holds what the table of `hardwon-sim redaction` promises.

use std::path::PathBuf;

use super::*;

const SEED: u64 = 1;

/// Ordinary texts may be altered in at most this share, in percent.
const MAX_ALTERED: f64 = 0.5;

#[test]
fn every_family_is_caught_wherever_it_stands() {
    let gate = Gate::standard();
    for family in FAMILIES {
        let recall = recall(family, 200, SEED, &gate);
        assert!(
            recall.holds(),
            "{}: {} of {}\n{:#?}",
            family.name,
            recall.n_caught,
            recall.n,
            recall.missed
        );
    }
}

#[test]
fn the_corpus_is_as_wide_as_it_says() {
    assert!(FAMILIES.len() >= 25);
    let mut names: Vec<_> = FAMILIES.iter().map(|family| family.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FAMILIES.len(), "no family counts twice");
    let all = FAMILIES.iter().flat_map(|family| cases(family, 200, SEED));
    let met: std::collections::BTreeSet<_> = all.map(|case| case.context).collect();
    assert_eq!(met.into_iter().collect::<Vec<_>>(), Context::ALL);
}

/// The yardstick itself: what is left as it is counts as missed, wherever it stands.
#[test]
fn nothing_counts_as_caught_that_was_left_alone() {
    for family in FAMILIES {
        for case in cases(family, 30, SEED) {
            assert!(leaks(&case, &case.text), "{}: {}", family.name, case.text);
            assert!(!leaks(&case, "[redacted:token]"), "{}: {}", family.name, case.text);
        }
    }
}

#[test]
fn same_seed_same_cases() {
    let texts =
        |seed| cases(&FAMILIES[0], 20, seed).into_iter().map(|c| c.text).collect::<Vec<_>>();
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
    assert_eq!(benign_texts(3), benign_texts(3));
}

#[test]
fn ordinary_texts_stay() {
    let gate = Gate::standard();
    let own = benign_texts(SEED);
    assert!(own.len() >= 200);
    let altered_own = altered(&own, &gate);
    assert!(altered_own.share() <= MAX_ALTERED, "{:#?}", altered_own.texts);
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/review-findings.jsonl");
    if !shared.exists() {
        println!("on {} texts of our own only: the shared findings are not there", own.len());
        return;
    }
    let findings = read(&shared).expect("the shared findings are JSON lines");
    println!("on {} texts of our own and {} shared findings", own.len(), findings.len());
    let altered = altered(&findings, &gate);
    assert!(altered.share() <= MAX_ALTERED, "{:#?}", altered.texts);
}

#[test]
fn the_table_has_a_row_for_each_family_and_says_what_was_missed() {
    let ask = Ask { n: 3, seed: SEED, findings: None };
    let table = run(&ask, &mut |_| ()).expect("nothing has to be read");
    assert_eq!(table.rows.len(), FAMILIES.len());
    let contexts = [(Context::Prose, (4, 1)), (Context::Log, (2, 1)), (Context::Yaml, (4, 0))];
    let missed = vec!["a".to_owned(), "b".to_owned()];
    let recall = Recall { family: "x", n: 10, n_caught: 8, contexts: contexts.into(), missed };
    assert!(!recall.holds());
    assert_eq!(recall.row()[3..], [Cell::Number(80.0, 1), Cell::Text("log: 1 of 2 missed".into())]);
}

#[test]
fn a_file_that_is_none_is_told() {
    let missing = Ask { n: 1, seed: SEED, findings: Some(Path::new("no-such-file.jsonl")) };
    assert!(run(&missing, &mut |_| ()).unwrap_err().contains("no-such-file.jsonl"));
}
