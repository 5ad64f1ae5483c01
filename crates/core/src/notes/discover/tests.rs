use super::*;

fn said(session: &str, speaker: Speaker, text: &str) -> Utterance {
    Utterance { text: text.to_owned(), session: session.to_owned(), speaker }
}

fn user(session: &str, text: &str) -> Utterance {
    said(session, Speaker::User, text)
}

fn found(utterances: &[Utterance], known: &[KnownFact<'_>]) -> Vec<Discovery> {
    discover(utterances, &[], known, &MatchPolicy::default(), 7)
}

#[track_caller]
fn check(text: &str, expected: Option<(&str, Signal)>) {
    let found = found(&[user("s1", text)], &[]);
    let told = found.first().map(|it| (it.rule.as_str(), it.signal));
    assert_eq!(told, expected, "{text}");
}

#[test]
fn corrections_are_said_as_rules() {
    use Signal::Correction;
    check(
        "No, in this repo we use pnpm, not npm.",
        Some(("In this repo we use pnpm, not npm.", Correction)),
    );
    check("never edit the generated files!", Some(("Never edit the generated files.", Correction)));
    check("What does this do?", None);
    check("thanks, looks good", None);
    check("fix the failing test in parser.rs", None);
}

#[test]
fn decisions_need_their_reason() {
    use Signal::Decision;
    check(
        "We chose SQLite over Postgres because the devices lose power.",
        Some(("Use SQLite, not Postgres, because the devices lose power.", Decision)),
    );
    check(
        "we decided to keep the old API since two partners still call it",
        Some(("Keep the old API, because two partners still call it.", Decision)),
    );
    check("We chose SQLite.", None);
    check("Maybe we chose SQLite because it is small", None);
    check("Why did you say we chose Redis because of speed?", None);
}

#[test]
fn what_agents_say_has_to_come_back() {
    let text = "The Kafka fixture must be started before the broker tests";
    let again = "Start the Kafka fixture before the broker tests, they need it";
    let one = [said("s1", Speaker::Agent, text), said("s1", Speaker::Agent, again)];
    assert_eq!(found(&one, &[]), []);
    let two = [said("s1", Speaker::Agent, text), said("s2", Speaker::Agent, again)];
    let found = found(&two, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].signal, found[0].sessions.len()), (Signal::Recurring, 2));
}

#[test]
fn settings_found_by_trial_come_back_too() {
    let trial = |session: &str| Trial {
        failed: "npm test".to_owned(),
        worked: "CI=1 npm test".to_owned(),
        session: session.to_owned(),
    };
    let policy = MatchPolicy::default();
    assert_eq!(discover(&[], &[trial("s1")], &[], &policy, 7), []);
    let found = discover(&[], &[trial("s1"), trial("s2")], &[], &policy, 7);
    assert_eq!(found[0].rule, "Use `CI=1 npm test`; `npm test` fails here.");
    assert_eq!(found[0].sessions, ["s1", "s2"]);
}

#[test]
fn what_is_known_is_held_against_it() {
    let known = [
        KnownFact { name: "a.md", text: "Never squash commits on the release branch" },
        KnownFact { name: "b.md", text: "Always use pnpm in this repository" },
        KnownFact { name: "c.md", text: "Always run the Kafka fixture before broker tests" },
    ];
    let against = |text: &str| found(&[user("s1", text)], &known).pop().map(|it| it.against);
    assert_eq!(against("Always use pnpm in this repository."), None);
    let found_it = found(&[user("s1", "From now on, always use bun in this repository.")], &[]);
    assert_eq!(found_it[0].rule, "Always use bun in this repository.");
    let fact = "a.md".to_owned();
    assert_eq!(
        against("Always squash commits on the release branch."),
        Some(Against::Contradict { fact })
    );
    let fact = "c.md".to_owned();
    assert_eq!(
        against(
            "Always run the Kafka fixture and the Zookeeper fixture with eight gigabytes before broker tests."
        ),
        Some(Against::Update { fact })
    );
    assert_eq!(against("Never commit screenshots to the repo."), Some(Against::FillGap));
}

#[test]
fn seven_at_most_and_the_best_first() {
    let things = [
        "mocks",
        "screenshots",
        "binaries",
        "snapshots",
        "fixtures",
        "secrets",
        "dumps",
        "logs",
        "archives",
    ];
    let mut all: Vec<Utterance> = things
        .iter()
        .enumerate()
        .map(|(at, thing)| {
            user(&format!("s{at}"), &format!("Never commit {thing} to the {thing}dir."))
        })
        .collect();
    all.push(user("s", "We chose Redis because the queue has to survive restarts."));
    let known = [KnownFact { name: "k.md", text: "Always commit dumps to the dumpsdir" }];
    let found = found(&all, &known);
    assert_eq!(found.len(), 7);
    assert!(matches!(found[0].against, Against::Contradict { .. }), "{found:#?}");
    assert!(found[1..].iter().all(|it| it.signal == Signal::Correction), "{found:#?}");
}
