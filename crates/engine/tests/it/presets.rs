//! The presets hold what each source system documents.

use hardwon_core::policy::Policy;
use hardwon_engine::policy;
use serde_json::Value;

use crate::harness::{Pipeline, role};

fn load(name: &str) -> Policy {
    policy::load(name).unwrap()
}

#[test]
fn documented_numbers_hold() {
    let lines = include_str!("../fixtures/documented.txt").lines();
    let lines: Vec<&str> = lines.filter(|it| !it.is_empty() && !it.starts_with('#')).collect();
    assert!(lines.len() > 90);
    for line in lines {
        let [preset, field, value] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let policy = serde_json::to_value(load(preset)).unwrap();
        let found = policy.pointer(&format!("/{}", field.replace('.', "/")));
        let documented: Value = serde_json::from_str(value).unwrap();
        assert_eq!(found, Some(&documented), "{line}");
    }
}

#[test]
fn five_presets_the_default_first() {
    assert_eq!(policy::names(), ["hardwon", "archeflow", "geas", "jkz", "archivist"]);
    for name in policy::names() {
        assert!(!load(name).note.is_empty());
        let is_ours = name == "hardwon";
        assert_eq!(load(name).holdout.share > 0.0, is_ours, "{name}: only ours takes chances");
    }
    assert!(!load("archeflow").ranking.conflicts, "nothing is said about conflicts");
}

/// geas, protocol document 09, and the Archivist's specification, section 5.1.
#[test]
fn no_role_is_shown_more_than_its_number() {
    for (preset, role, n_lessons) in [
        ("geas", "orchestration_authority", 8),
        ("geas", "product_authority", 3),
        ("geas", "Security_Engineer", 5),
        ("archivist", "orchestrator", 10),
        ("archivist", "healer", 5),
    ] {
        assert_eq!(load(preset).budget.lessons_for(role), n_lessons, "{preset}: {role}");
    }
    let mut p = Pipeline::with_policy("geas");
    let things = "cache keys,retry loops,audit logs,date parsing,file handles,login forms,mail queues,\
        unit tests,tax rates,image sizes";
    let known: Vec<String> = things.split(',').map(|it| format!("{it} lack bounds")).collect();
    p.confirm(&known.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, n_shown) in [("orchestrator", 8), ("guardian", 5), ("product_authority", 3)] {
        assert_eq!(p.inject_for(None, role(name)).lessons.len(), n_shown, "{name}");
    }
}
