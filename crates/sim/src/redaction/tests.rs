//! Redaction holds what the table of `hardwon-sim redaction` promises.

use super::*;

const SEED: u64 = 1;

/// One of so many ordinary texts may be altered.
const MOST_ALTERED: usize = 200;

#[test]
fn every_family_is_caught_wherever_it_stands() {
    let gate = Gate::standard();
    for family in FAMILIES {
        let recall = recall(family, 200, SEED, &gate);
        assert!(recall.holds(), "{recall:#?}");
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
    let altered = altered(&own, &gate);
    assert!(altered.len() * MOST_ALTERED <= own.len(), "{altered:#?}");
}

#[test]
fn the_table_has_a_row_for_each_family_and_says_what_was_missed() {
    let ask = Ask { n: 3, seed: SEED, findings: None, rules: None };
    let table = run(&ask, &mut |_| ()).expect("nothing has to be read");
    assert_eq!(table.rows.len(), FAMILIES.len());
    let contexts = [(Context::Prose, (4, 1)), (Context::Log, (2, 1)), (Context::Yaml, (4, 0))];
    let missed = vec!["a".to_owned(), "b".to_owned()];
    let recall =
        Recall { family: "x".into(), n: 10, n_caught: 8, contexts: contexts.into(), missed };
    assert!(!recall.holds());
    assert_eq!(
        recall.row()[3..],
        [
            ("recall_percent", Cell::Number(80.0, 1)),
            ("worst_context", Cell::Text("log: 1 of 2 missed".into())),
        ]
    );
}

#[test]
fn a_file_that_is_none_is_told() {
    let missing =
        Ask { n: 1, seed: SEED, findings: Some(Path::new("no-such-file.jsonl")), rules: None };
    assert!(run(&missing, &mut |_| ()).unwrap_err().contains("no-such-file.jsonl"));
}

/// Rules of our own in the form of gitleaks.
const RULES: &str = r#"
[allowlist]
regexes = ['''^\${(?:[A-Z_]+)}$''']
stopwords = ["example"]

[[rules]]
id = "heroku-key"
regex = '''(?i)[\w.-]{0,50}?(?:heroku)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|:)[\s'"]{0,5}([a-f0-9]{32})(?:['"\s;]|$)'''
keywords = ["heroku"]
entropy = 2.5

[[rules]]
id = "zed-token"
regex = '''\bzed_[a-z]{3}\d{40}\b'''
keywords = ["zed_"]

[[rules]]
id = "files"
path = '''\.p12$'''
"#;

#[test]
fn rules_report_what_gitleaks_would() {
    let rules = Rules::read(RULES).expect("the file is sound");
    assert_eq!(rules.left_out, ["files"]);
    let value = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
    let cases = [
        (format!("HEROKU_KEY={value}"), true),
        (format!("heroku: '{value}'"), true),
        (format!("other_key={value}"), false),
        ("heroku_key=00000000000000000000000000000000".to_owned(), false),
        (format!("heroku_key={}", &value[..31]), false),
    ];
    for (text, is_reported) in cases {
        let found = rules.rules[0].reported(&text);
        let found: Vec<&str> = found.into_iter().map(|(start, end)| &text[start..end]).collect();
        assert_eq!(found, if is_reported { vec![value] } else { vec![] }, "{text}");
    }
}

/// Each case is one that its rule reports, and the yardstick sees what is left alone.
#[test]
fn cases_of_rules_are_reported_and_count_as_missed_if_left_alone() {
    for rule in Rules::read(RULES).expect("the file is sound").rules {
        let cases = brought::cases(&rule, 24, SEED);
        assert_eq!(cases.len(), 24, "{}", rule.id);
        for counted in &cases {
            assert!(!rule.reported(&counted.case.text).is_empty(), "{}", counted.case.text);
            assert!(counted.leaks(&counted.case.text), "{}", counted.case.text);
            assert!(!counted.leaks("[redacted:token]"));
        }
        let contexts: std::collections::BTreeSet<_> =
            cases.iter().map(|c| c.case.context).collect();
        assert!(contexts.len() >= 4, "{}: {contexts:?}", rule.id);
    }
}

#[test]
fn a_file_of_rules_is_measured_in_place_of_our_families() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("rules.toml");
    fs::write(&path, RULES).expect("it can be written");
    let rules = read_rules(&path).expect("the file is sound");
    let gate = Gate::standard();
    let recalls: Vec<Recall> =
        rules.rules.iter().map(|rule| brought::recall(rule, 50, SEED, &gate)).collect();
    assert!(recalls[0].holds(), "{:#?}", recalls[0].missed);
    assert!(recall_notes(&recalls)[0].contains("of 2 families"), "{:?}", recall_notes(&recalls));
    fs::write(&path, "rules = 1").expect("it can be written");
    assert!(read_rules(&path).err().expect("it is refused").contains("rules.toml"));
}
