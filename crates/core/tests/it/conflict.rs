//! A block never argues with itself: of two lessons that say the opposite about the same,
//! one gives way. Lessons that merely resemble each other both stay.

use hardwon_core::conflict::{Precedence, losers, oppose};
use hardwon_core::eligible::Exclusion;
use hardwon_core::lesson::{Kind, Lesson, Origin, State, Trust};
use hardwon_core::scope::{Dimension, Scope};
use hardwon_core::time::Timestamp;

use crate::samples::{lesson, rank_policy};

const DO: &str = "Always retry failed payment calls";
const DO_NOT: &str = "Never retry failed payment calls";

#[test]
fn opposite_advice_in_the_same_words_is_a_conflict() {
    let pairs = [
        (DO, DO_NOT),
        ("Use tabs for indentation in Makefiles", "Avoid tabs for indentation in Makefiles"),
        ("Prefer mocks for the mail gateway", "Do not use mocks for the mail gateway"),
        ("You should cache session tokens on disk", "You must not cache session tokens on disk"),
        ("Run migrations before the deploy", "Don't run migrations before the deploy"),
        ("Never skip the smoke test on release", "Skip the smoke test on release"),
        ("Always avoid recursion in the parser core", "Use recursion in the parser core"),
        ("Handlers must not ignore parse errors", "Handlers must ignore parse errors"),
        ("Keep the audit log in the main database", "Stop keeping audit log in main database"),
        ("Always pin the exact compiler version in CI", "Never pin the compiler version in CI"),
        ("Use connection pooling for the reports job", "Avoid connection pooling for reports job!"),
    ];
    for (a, b) in pairs {
        assert!(oppose(a, b), "{a} / {b}");
        assert!(oppose(b, a), "{b} / {a}");
    }
}

/// Lessons as they come out of reviews: alike, complementary, or one the complaint and the
/// other the advice. None of them may silence its neighbour.
const BENIGN: &[(&str, &str)] = &[
    ("Always close the file in the handler", "The handler never closes the file"),
    ("Never validates the user input", "Always validate the user input"),
    ("User input is never validated", "User input must be validated"),
    ("Not all error paths are covered", "All error paths must be covered"),
    ("No tests for the retry logic", "Always keep tests for the retry logic"),
    ("Never merge without a review", "Always merge with a review"),
    ("Never deploy before the tests pass", "Always deploy after the tests pass"),
    ("Always check that the result is not null", "Always check the result for null"),
    ("Never forget to close the cursor", "Always close the cursor"),
    ("Do not skip the integration tests", "Always run the integration tests"),
    ("Never use unwrap in request handlers", "Use expect with a reason in request handlers"),
    ("Never log the full body of payment calls", "Always log the short body of payment calls"),
    ("Never set the timeout above 30 seconds", "Always set the timeout above 10 seconds"),
    ("Never store tokens in local storage", "Always store tokens in session storage"),
    ("Use tabs in Makefiles", "Never use tabs in YAML files of the deploy folder"),
    ("Avoid global state in the scheduler", "Use dependency injection in the scheduler"),
    ("Always use parameterized SQL queries", "Never build SQL queries by concatenation"),
    ("Prefer composition over inheritance", "Avoid inheritance"),
    ("Use UTC for stored timestamps", "Do not use local time for stored timestamps"),
    ("Do not retry on 4xx responses", "Retry on 5xx responses with back-off"),
    ("Always use the staging key in tests", "Never use the production key in tests"),
    ("Never commit generated files", "Always commit the lock file"),
    ("Retry loop ignores the error", "The retry loop must not ignore the error"),
    ("Use transactions when writing orders", "Avoid transactions in read-only reports"),
    ("Must handle empty lists", "Should not assume that lists are sorted"),
    ("Only use eval in the sandbox", "Never use eval outside the sandbox"),
    ("Input should be validated but never is", "Input should be validated"),
    ("Missing index on orders.customer_id", "Never add an index on orders without measuring"),
    ("The cache always returns stale entries", "The cache must never return stale entries"),
    ("Use rustfmt for every file", "Use rustfmt for every file of the workspace"),
    ("Never trust the client's clock", "Trust the server's clock"),
    ("Avoid long functions, prefer small ones", "Prefer small functions, avoid long ones"),
];

#[test]
fn ordinary_neighbours_are_no_conflict() {
    assert!(BENIGN.len() >= 30);
    for (a, b) in BENIGN {
        assert!(!oppose(a, b), "{a} / {b}");
        assert!(!oppose(b, a), "{b} / {a}");
    }
}

fn losing(lessons: &[Lesson]) -> Vec<(usize, String)> {
    let reasons = losers(lessons, &rank_policy());
    reasons.into_iter().map(|(index, reason)| (index, reason.to_string())).collect()
}

#[test]
fn geas_doc_07_rules_go_before_project_before_role_before_risk() {
    let mut ladder = [lesson(DO), lesson(DO), lesson(DO), lesson(DO), lesson(DO)];
    (ladder[0].kind, ladder[0].trust) = (Kind::Rule, Trust::Trusted);
    ladder[2].scope = Scope::default().with(Dimension::Role, "guardian");
    ladder[3].project = None;
    ladder[4].category = Some("risk_pattern".into());
    let order: Vec<Precedence> = ladder.iter().map(Precedence::of).collect();
    assert!(order.is_sorted() && order.windows(2).all(|pair| pair[0] != pair[1]), "{order:?}");
    for higher in 0..ladder.len() {
        for lower in higher + 1..ladder.len() {
            let mut below = Lesson { text: lesson(DO_NOT).text, ..ladder[lower].clone() };
            // Neither a better record nor being newer lifts a lesson over its precedence.
            (below.confidence, below.updated_at) = (1.0, Timestamp(9));
            (below.state, below.is_pinned) = (State::Canonical, true);
            let reason = format!("contradicts {}, which goes before it", ladder[higher].id);
            let pair = [below.clone(), ladder[higher].clone()];
            assert_eq!(losing(&pair), [(0, reason.clone())]);
            let pair = [ladder[higher].clone(), below];
            assert_eq!(losing(&pair), [(1, reason)]);
        }
    }
}

#[test]
fn a_wish_goes_before_what_was_learned() {
    let learned = Lesson { state: State::Canonical, confidence: 1.0, ..lesson(DO) };
    let (kind, origin) = (Kind::Preference, Origin::User);
    let (trust, state) = (Trust::Trusted, State::Candidate);
    let wish = Lesson { kind, origin, trust, state, ..lesson(DO_NOT) };
    assert_eq!(losing(&[learned, wish])[0].0, 0);
}

#[test]
fn among_equals_the_better_established_stays() {
    let stable = Lesson { state: State::Stable, ..lesson(DO) };
    assert_eq!(losing(&[lesson(DO_NOT), stable])[0].0, 0);
    let surer = Lesson { confidence: 0.9, ..lesson(DO) };
    assert_eq!(losing(&[lesson(DO_NOT), surer])[0].0, 0);
    let newer = Lesson { updated_at: Timestamp(1), ..lesson(DO) };
    assert_eq!(losing(&[lesson(DO_NOT), newer])[0].0, 0);
    assert_eq!(losing(&[lesson(DO_NOT), lesson(DO)]).len(), 1);
}

#[test]
fn only_a_lesson_that_stays_silences_another() {
    // The rule silences the role's lesson, which then has no say about the third.
    let rule = Lesson { kind: Kind::Rule, trust: Trust::Trusted, ..lesson(DO) };
    let role =
        Lesson { scope: Scope::default().with(Dimension::Role, "guardian"), ..lesson(DO_NOT) };
    let category = Some("risk_pattern".to_owned());
    let risk = Lesson { category, ..lesson("Always retry failed payment calls!") };
    let lessons = [risk, role, rule.clone()];
    let by = rule.id.to_string();
    assert_eq!(losers(&lessons, &rank_policy()), [(1, Exclusion::Contradicts { by })]);
}

#[test]
fn a_policy_can_leave_conflicts_alone() {
    let mut policy = rank_policy();
    policy.conflicts = false;
    assert_eq!(losers(&[lesson(DO), lesson(DO_NOT)], &policy), []);
    policy.conflicts = true;
    assert_eq!(losers(&[lesson(DO), lesson(DO_NOT)], &policy).len(), 1);
}
