//! Short complaints about one file, written before they were played. How many of them are told is
//! asserted, not each: two that speak of one topic in a few words are hard to tell.

use hardwon_core::matching::{Author, Corpus, MatchPolicy, Relation, Subject, best_match};

/// Two problems in similar sentences.
const TWO: &[(&str, &str)] = &[
    (
        "The timeout is not configurable in the upload client",
        "The retry count is not documented in the upload client",
    ),
    (
        "Error from the parser is ignored when the input is empty",
        "Warning from the linter is printed when the input is large",
    ),
    (
        "Permission denied when writing to the log folder in the container",
        "No such file or directory when the cache folder is missing at startup",
    ),
    (
        "Missing test for the empty list in pagination",
        "Missing test for the expired token in login",
    ),
    (
        "Function reads the config file twice at startup",
        "Function writes the lock file twice at shutdown",
    ),
    (
        "The comment says seconds but the value is milliseconds",
        "The comment names a parameter that no longer exists",
    ),
    (
        "Lock is held while the network call is made",
        "Lock is taken in a different order in the flush path",
    ),
    (
        "Index is out of bounds when the buffer is empty",
        "Index is rebuilt on every request when the cache is cold",
    ),
    (
        "Return value of close is not checked",
        "Return value of rename is not checked before the temp file is deleted",
    ),
    ("User id is logged in plain text", "User id is not validated before the query"),
    ("Loop never ends when the queue is closed", "Loop copies the whole queue on every pass"),
    ("Test depends on the order of the map", "Test depends on the time zone of the machine"),
    (
        "The new flag is not mentioned in the help text",
        "The new flag is ignored when a config file exists",
    ),
    ("Date is parsed without a time zone", "Date is shown in the wrong locale"),
    (
        "Exception is swallowed in the worker thread",
        "Exception message leaks the database password",
    ),
    ("Cache key does not contain the tenant", "Cache is not cleared after a failed write"),
    ("Header is sent twice for redirects", "Header is missing for cached responses"),
    ("Migration drops the column before the data is copied", "Migration has no way back"),
    ("Hard-coded path to the temp folder", "Hard-coded retry delay of five seconds"),
    ("Docs link to a page that was removed", "Docs say that the flag is on by default, it is off"),
    ("Counter can overflow after two billion requests", "Counter is not reset between requests"),
    ("The variable name shadows the import", "The variable is assigned and never read"),
    (
        "Dead branch: the status can never be null here",
        "Dead link in the readme of the status page",
    ),
    (
        "Pagination skips the last page when the count is a multiple of the size",
        "Pagination ignores the sort order",
    ),
];

/// One problem in other words.
const ONE: &[(&str, &str)] = &[
    (
        "Timeout of the upload client cannot be configured",
        "The upload client has a fixed timeout; make it configurable",
    ),
    (
        "Errors of the parser are ignored for empty input",
        "When the input is empty the parser error is silently dropped",
    ),
    ("No test covers an empty list in pagination", "Add a test for pagination of an empty list"),
    (
        "Config file is read twice when the program starts",
        "At startup we load the config file two times",
    ),
    ("The lock is held during the network call", "Network request is done while holding the lock"),
    ("close() may fail and its result is not checked", "Result of close is ignored"),
    ("User ids end up in the log in plain text", "Do not log the user id unmasked"),
    (
        "Infinite loop once the queue is closed",
        "If the queue gets closed the loop never terminates",
    ),
    (
        "The test relies on map iteration order",
        "Test is flaky: order of map entries is not guaranteed",
    ),
    ("--dry-run is missing from the help", "Help text does not mention the dry-run flag"),
    (
        "Timestamps are parsed without a time zone",
        "Time zone is not considered when parsing the timestamp",
    ),
    ("Worker thread swallows exceptions", "Exceptions in the worker are caught and ignored"),
    (
        "Tenant is not part of the cache key",
        "Cache key omits the tenant id, so tenants see each other's data",
    ),
    (
        "Column is dropped before its data was copied",
        "The migration removes the column first and copies afterwards",
    ),
    (
        "Overflow of the request counter after 2^31 requests",
        "The counter of requests is an int and overflows",
    ),
    ("Assigned variable is never used", "Unused assignment: variable is never read afterwards"),
];

fn subject(text: &str) -> Subject<'_> {
    Subject { text, author: Author::Reviewer, paths: &["src/app.rs"], ..Subject::default() }
}

fn n_joined(pairs: &[(&str, &str)], policy: &MatchPolicy) -> usize {
    let is_joined = |(a, b): &&(&str, &str)| {
        let found = best_match(&subject(b), &[subject(a)], &Corpus::default(), policy);
        found.relation == Relation::Same
    };
    pairs.iter().filter(is_joined).count()
}

#[test]
fn most_short_complaints_about_one_file_are_told() {
    let policy = MatchPolicy::default();
    let (n_of_two, n_of_one) = (n_joined(TWO, &policy), n_joined(ONE, &policy));
    assert!(n_of_two <= 6, "{n_of_two} of {} pairs are taken for one", TWO.len());
    assert!(n_of_one >= 14, "{n_of_one} of {} pairs are found", ONE.len());
}

/// With less left unsaid, and a bar that finds as many, more of them are taken for one.
#[test]
fn what_is_unsaid_tells_short_complaints() {
    let (policy, before) =
        (MatchPolicy::default(), MatchPolicy { same: 0.18, unsaid: 2.0, ..MatchPolicy::default() });
    assert_eq!(n_joined(ONE, &policy), n_joined(ONE, &before));
    assert!(n_joined(TWO, &policy) < n_joined(TWO, &before));
}
