use super::*;
use crate::notes::documents::{DocumentSentence, Documents};

fn said(session: &str, speaker: Speaker, text: &str) -> Utterance {
    Utterance { text: text.to_owned(), session: session.to_owned(), speaker }
}

fn user(session: &str, text: &str) -> Utterance {
    said(session, Speaker::User, text)
}

fn found(utterances: &[Utterance], known: &[KnownFact<'_>]) -> Vec<Discovery> {
    let heard = Heard { utterances: utterances.to_vec(), trials: Vec::new() };
    all(&heard, known).proposals
}

fn all(heard: &Heard, known: &[KnownFact<'_>]) -> Discovered {
    let documents = Documents::new(vec![DocumentSentence {
        file: "docs/style.md".to_owned(),
        line: 12,
        text: "Write the changelog entry in the past tense.".to_owned(),
        ..DocumentSentence::default()
    }]);
    let known = Known { facts: known, bar: bar::Known { documents: &documents, manifests: &[] } };
    let (policy, matching) = (NotesPolicy::default(), MatchPolicy::default());
    let by = By { gate: &Gate::standard(), policy: &policy, matching: &matching };
    discover(heard, known, by)
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
    check(
        "We switched to pnpm since npm breaks the workspace links.",
        Some(("Use pnpm, because npm breaks the workspace links.", Decision)),
    );
    check(
        "we decided against Redis because nobody wants to run it",
        Some(("Do not use Redis, because nobody wants to run it.", Decision)),
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
fn what_a_user_orders_twice_is_a_task() {
    let text = "Create a new branch, then commit the Kafka changes and open a pull request";
    assert_eq!(found(&[user("s1", text), user("s2", text)], &[]), []);
}

/// A user may state what nobody is ordered to do.
#[test]
fn what_users_state_in_two_sessions_comes_back() {
    for text in [
        "We deploy from the release branch only",
        "The payments sandbox rejects amounts above 500 euros",
        "the Kafka fixture needs eight seconds to come up",
    ] {
        assert_eq!(found(&[user("s1", text), user("s1", text)], &[]), [], "{text}");
        let twice = found(&[user("s1", text), user("s2", text)], &[]);
        let told = twice.first().map(|it| (it.signal, it.sessions.len()));
        assert_eq!(told, Some((Signal::Repeated, 2)), "{text}: {twice:?}");
    }
}

#[test]
fn settings_found_by_trial_come_back_too() {
    let trial = |session: &str| Trial {
        failure: "`npm test` fails with \"missing script\"".to_owned(),
        repair: "Use `CI=1 npm test` here, not `npm test`".to_owned(),
        session: session.to_owned(),
        is_rejection: false,
    };
    let found = |trials: Vec<Trial>| all(&Heard { utterances: Vec::new(), trials }, &[]);
    let once = found(vec![trial("s1"), trial("s1")]);
    assert_eq!(once.proposals, []);
    assert_eq!(once.left_out[0].1, LeftOut::Lacks(vec![Lack::Recurrent { n_sessions: 1 }]));
    let twice = found(vec![trial("s1"), trial("s2")]).proposals;
    assert_eq!(twice[0].rule, "Use `CI=1 npm test` here, not `npm test`.");
    assert_eq!(twice[0].sessions, ["s1", "s2"]);
}

#[test]
fn what_is_left_out_says_why() {
    let known = [KnownFact { name: "b.md", text: "Always use pnpm in this repository" }];
    let heard = |text: &str| Heard { utterances: vec![user("s1", text)], trials: Vec::new() };
    let why = |text: &str| all(&heard(text), &known).left_out.pop().map(|(_, why)| why);
    assert_eq!(
        why("Always use pnpm in this repository."),
        Some(LeftOut::Known { fact: "b.md".to_owned() })
    );
    let documented = why("Always write the changelog entry in the past tense.");
    let Some(LeftOut::Lacks(lacks)) = documented else { panic!("{documented:?}") };
    assert!(matches!(&lacks[..], [Lack::Undocumented { place, .. }] if place.line == 12));
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
