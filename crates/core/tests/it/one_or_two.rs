//! Findings that must stay two, however similar their words are, and some that are one.
//!
//! Written before the rules were. The last tables were written after them, and nothing was
//! changed until they had been counted once.

use hardwon_core::conflict::deny_each_other;
use hardwon_core::matching::{Corpus, MatchPolicy, Relation, Subject, best_match};

type Table = &'static [(&'static str, &'static str)];

/// One denies the other.
const OPPOSITE: Table = &[
    (
        "Always run the linter before commit",
        "Do not run the linter before commit, it rewrites files",
    ),
    ("Enable strict mode", "Disable strict mode"),
    ("Never retry a payment that timed out", "Retry a payment that timed out, up to three times"),
    ("Allow redirects in the HTTP client", "Forbid redirects in the HTTP client"),
    (
        "Keep the generated files in the repository",
        "Remove the generated files from the repository",
    ),
    ("Turn on telemetry in the staging build", "Turn off telemetry in the staging build"),
    (
        "Include test fixtures in the published package",
        "Exclude test fixtures from the published package",
    ),
    (
        "You must hold the lock while the callback runs",
        "The lock must not be held while the callback runs",
    ),
    ("Tests should share one database", "Tests should never share one database"),
    (
        "Cache the tokens of the identity provider",
        "Stop caching the tokens of the identity provider",
    ),
    (
        "Prefer composition over inheritance in the widgets",
        "Prefer inheritance over composition in the widgets",
    ),
    ("Avoid async functions in the parser", "Use async functions in the parser"),
    (
        "Squash commits before merging a branch",
        "Don't squash commits before merging a branch, history matters",
    ),
    ("Log the request body of failed calls", "The request body of failed calls must not be logged"),
    (
        "The schema module provides raw access for its callers",
        "The schema module does not provide raw access for its callers",
    ),
    ("Retries are safe for uploads of one part", "Retries aren't safe for uploads of one part"),
    (
        "The gateway can keep a session over a restart",
        "The gateway cannot keep a session over a restart",
    ),
];

/// What is not done, and that it is to be done, are one problem.
#[test]
fn what_is_missing_and_what_to_do_do_not_deny_each_other() {
    for (missing, wanted) in [
        ("The error of the upload is not handled", "Handle the error of the upload"),
        ("The parser does not check the length", "Check the length in the parser"),
        ("The cache does not expire", "Let the cache expire"),
    ] {
        assert!(!deny_each_other(missing, wanted), "{missing}");
    }
}

/// One problem in two wordings.
const SAME: Table = &[
    ("Always run the linter before commit", "Run the linter before every commit"),
    ("Do not disable strict mode in tsconfig", "Keep strict mode enabled in tsconfig"),
    (
        "getUser returns null for a missing row and callers do not check",
        "Callers of getUser do not handle the null that it returns when the row is missing",
    ),
    (
        "Session cookie is set without the Secure flag",
        "The Secure flag is missing on the session cookie in login()",
    ),
    (
        "[security] high severity: session cookie lacks the Secure flag",
        "[security] Session cookie is missing Secure attribute",
    ),
    (
        "Timeout of 30 seconds in export_report is too short, large exports fail",
        "export_report gives up after 30 seconds, so large exports fail with a timeout",
    ),
    (
        "Handler for SIGTERM is not installed",
        "No SIGTERM handler is installed, so the worker is killed without cleanup",
    ),
    (
        "The retry loop in fetch_page has no upper bound",
        "fetch_page retries for ever: the loop lacks a limit",
    ),
    (
        "Unbounded retry loop in fetch_page at line 40",
        "Unbounded retry loop in fetch_page at line 57",
    ),
    (
        "Missing index on orders.customer_id makes the report slow",
        "The report is slow because orders.customer_id has no index",
    ),
    (
        "Never log request bodies of failed calls",
        "The request body of failed calls must not be logged",
    ),
    (
        "Query in search() is built by string concatenation, which allows SQL injection",
        "SQL injection: search() concatenates user input into the query",
    ),
];

/// Not looked at while the rules were made: two, and one.
const ASIDE_TWO: Table = &[
    ("Pin the base image in the Dockerfile", "Unpin the base image in the Dockerfile"),
    ("Never force-push to a shared branch", "Force-push to a shared branch when history is a mess"),
    (
        "Migrations should run inside a transaction",
        "Migrations should not run inside a transaction",
    ),
    ("Commit the lock file", "The lock file must not be committed"),
    ("Don't mock the database in integration tests", "Mock the database in integration tests"),
    ("Show the stack trace to the user", "Hide the stack trace from the user"),
    ("Use spaces instead of tabs in makefiles", "Use tabs instead of spaces in makefiles"),
];
const ASIDE_ONE: Table = &[
    ("Never force-push to a shared branch", "Do not force-push to shared branches"),
    ("Route /users lacks a rate limit", "There is no rate limit on the /users route"),
    (
        "HTTP status 429 is not handled by the client",
        "The client does not handle HTTP 429 responses",
    ),
    (
        "The end date is off by one day in the calendar view",
        "Calendar view shows the end date one day too early",
    ),
    ("Mock the clock in scheduler tests", "Scheduler tests should mock the clock"),
    (
        "Variable tmp shadows an outer variable (line 12)",
        "Variable tmp shadows an outer variable (line 31)",
    ),
];

fn subject(text: &str) -> Subject<'_> {
    Subject { text, ..Subject::default() }
}

/// Whether one is a sighting of the other, in either direction.
fn is_one(a: &str, b: &str, policy: &MatchPolicy) -> bool {
    let is_same = |a, b| {
        let found = best_match(&subject(a), &[subject(b)], &Corpus::default(), policy);
        found.relation == Relation::Same
    };
    is_same(a, b) || is_same(b, a)
}

#[track_caller]
fn check(table: Table, policy: &MatchPolicy, expected: bool) {
    for (a, b) in table {
        assert_eq!(is_one(a, b, policy), expected, "{a} / {b}");
    }
}

#[test]
fn opposites_are_never_one_under_any_policy() {
    check(OPPOSITE, &MatchPolicy::default(), false);
    check(OPPOSITE, &MatchPolicy::overlap(), false);
}

#[test]
fn one_problem_in_two_wordings_is_one() {
    check(SAME, &MatchPolicy::default(), true);
}

#[test]
fn what_was_kept_aside_is_told_as_well() {
    let policy = MatchPolicy::default();
    let n_right = |table: Table, expected: bool| {
        table.iter().filter(|(a, b)| is_one(a, b, &policy) == expected).count()
    };
    let n_all = ASIDE_TWO.len() + ASIDE_ONE.len();
    let n_right = n_right(ASIDE_TWO, false) + n_right(ASIDE_ONE, true);
    assert!(n_right * 10 >= n_all * 9, "{n_right} of {n_all}");
}
