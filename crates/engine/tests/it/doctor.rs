//! What `doctor` says of a whole set-up, through the library.

use std::fs;

use hardwon_engine::answer::{Health, HealthCheck, HealthStatus, Status};
use hardwon_engine::{DoctorRequest, Environment, Options, doctor, problems};

use crate::harness::Home;

fn examined(environment: &Environment, store: Option<&str>) -> Health {
    let options = Options { store: store.map(str::to_owned), ..Options::default() };
    doctor(environment, &options, DoctorRequest::default(), &mut |_| {}).body
}

fn check<'a>(health: &'a Health, name: &str) -> &'a HealthCheck {
    health.checks.iter().find(|check| check.name == name).expect(name)
}

#[test]
fn progress_names_what_is_looked_at_in_order() {
    let home = Home::new();
    let environment = home.environment("home");
    home.open("home").wish("Errors name the next step");
    let mut seen = Vec::new();
    let answer = doctor(
        &environment,
        &Options::default(),
        DoctorRequest { is_scanning: true, ..DoctorRequest::default() },
        &mut |part| seen.push(part.to_owned()),
    );
    let expected = ["store", "integrity", "texts", "journal", "tables", "index", "secrets"];
    assert_eq!(seen, expected);
    assert_eq!(answer.body.secrets, Some(Vec::new()));
    assert_eq!(answer.body.count(HealthStatus::Failed), 0, "{:#?}", answer.body.checks);
}

#[test]
fn failures_are_told_once_per_cause_and_forgotten_with_time() {
    let home = Home::new();
    let mut environment = home.environment("home");
    for _ in 0..3 {
        problems::note(&environment, "inject", Status::Failed, "store: gone");
    }
    problems::note(&environment, "learn", Status::Failed, "the disk is full");
    let health = examined(&environment, None);
    let told = &check(&health, "failures").detail;
    assert!(told.starts_with("learn failed at 2026-04-03T14:00:00Z: the disk is full"), "{told}");
    assert!(told.contains("inject failed 3 times, last at "), "{told}");
    environment.now = Some("2026-04-30T14:00:00Z".to_owned());
    assert_eq!(check(&examined(&environment, None), "failures").status, HealthStatus::Ok);
}

#[test]
fn a_store_that_was_named_stays_named_in_the_fix() {
    let home = Home::new();
    home.write("a b.db.backup-unfinished", "");
    fs::create_dir(home.path("a b.db")).unwrap();
    let health = examined(&home.environment("home"), Some("sqlite:a b.db"));
    let store = check(&health, "store");
    assert_eq!(store.status, HealthStatus::Failed);
    let fix = store.fix.as_ref().unwrap();
    assert!(fix.starts_with("hardwon doctor --store 'sqlite:") && fix.ends_with("/memory.db'"));
}
