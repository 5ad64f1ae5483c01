//! The defects of the simulated world, with the words that reviewers find for them.
//! Wordings of one defect share few words, as those of real reviewers do.

use hardwon_core::finding::Severity::{self, Bug, Critical, Warning};

/// A mistake that agents of this world make.
#[derive(Debug)]
pub struct Defect {
    /// The reviewer role that sees it.
    pub author: &'static str,
    pub severity: Severity,
    /// Where it is made.
    pub path: &'static str,
    /// The work during which it is made.
    pub task: &'static str,
    pub wordings: [&'static str; 5],
}

const fn defect(
    author: &'static str,
    severity: Severity,
    path: &'static str,
    task: &'static str,
    wordings: [&'static str; 5],
) -> Defect {
    Defect { author, severity, path, task, wordings }
}

/// The last two are rare unless a harmful lesson is followed.
pub const DEFECTS: [Defect; 18] = [
    defect(
        "guardian",
        Bug,
        "src/net/client.rs",
        "call the payment service",
        [
            "Retry loop hammers the server without any back-off between attempts",
            "Failed requests are retried immediately; there is no delay or jitter",
            "HTTP client repeats a request at once after an error, without a growing pause",
            "No exponential backoff when retrying a failed network call",
            "Endless quick retries after a timeout: wait longer before each new attempt",
        ],
    ),
    defect(
        "guardian",
        Critical,
        "src/db/query.rs",
        "search customers by name",
        [
            "User input is concatenated into the SQL statement",
            "Query string is built with format instead of bound parameters",
            "SQL injection possible: the search term is pasted into the statement unescaped",
            "Use placeholders rather than string concatenation for database queries",
            "The filter value goes straight into the WHERE clause without being bound",
        ],
    ),
    defect(
        "sage",
        Warning,
        "src/report/calendar.rs",
        "monthly report by day",
        [
            "Local time is compared with UTC timestamps",
            "Dates are parsed without a timezone, so midnight shifts on servers abroad",
            "Report boundaries use the local clock of the machine rather than UTC",
            "Mixing naive and UTC datetimes moves entries to the wrong day",
            "Time zone is ignored when grouping records by date",
        ],
    ),
    defect(
        "sage",
        Bug,
        "src/cache/store.rs",
        "keep computed previews",
        [
            "Cache grows without limit because nothing is ever evicted",
            "No maximum size on the in-memory cache: memory use climbs for days",
            "Entries are inserted into the map and never removed, which leaks memory",
            "Evict old cache entries; the hash map is unbounded",
            "Cached results pile up forever, there is no eviction policy",
        ],
    ),
    defect(
        "trickster",
        Bug,
        "src/parse/reader.rs",
        "read supplier files",
        [
            "unwrap on user supplied input panics on malformed lines",
            "Parser crashes with a panic when a field is missing",
            "Malformed input brings the process down instead of returning an error",
            "Replace expect and unwrap in the reader by proper error handling",
            "An empty line makes the parser index out of bounds and panic",
        ],
    ),
    defect(
        "guardian",
        Critical,
        "src/log/trace.rs",
        "trace requests",
        [
            "Access token is written to the debug log",
            "Logging the whole request leaks the authorization header",
            "Credentials appear in plain text in the trace output",
            "Redact passwords and tokens before writing log lines",
            "Sensitive header values end up in the log files",
        ],
    ),
    defect(
        "trickster",
        Bug,
        "src/jobs/queue.rs",
        "let workers claim jobs",
        [
            "Check and insert on the job table are not atomic, so two workers take the same job",
            "Race condition: the queue length is read and updated without holding the lock",
            "Two threads can claim one task because the claim is not in a transaction",
            "Shared counter of claimed jobs is modified outside the mutex",
            "Worker reads the queue state and writes it back unlocked; concurrent updates get lost",
        ],
    ),
    defect(
        "sage",
        Warning,
        "src/io/export.rs",
        "export to a spreadsheet",
        [
            "File handle stays open when the export fails halfway",
            "Temporary files of the export are left behind after an error",
            "Descriptor leak: the early return skips closing the stream",
            "Clean up the temp file in the failure path of the export",
            "Streams opened for writing are never closed if an exception is thrown",
        ],
    ),
    defect(
        "trickster",
        Warning,
        "src/api/list.rs",
        "page through orders",
        [
            "Last page of the listing is dropped when the total divides evenly",
            "Off-by-one in pagination: the final item never shows up",
            "Page count is rounded down, so the remainder of the listing is lost",
            "Offset starts at one instead of zero and skips the first row of a page",
            "Listing endpoint returns one element too few at page borders",
        ],
    ),
    defect(
        "trickster",
        Warning,
        "tests/api.rs",
        "cover the new endpoint",
        [
            "New endpoint has no test for its failure cases",
            "Only the happy path is covered; errors are untested",
            "Tests never exercise what happens when the upstream answers with an error",
            "Add a negative test case for invalid arguments of the endpoint",
            "Coverage is missing for rejected and malformed requests",
        ],
    ),
    defect(
        "sage",
        Warning,
        "src/db/load.rs",
        "show orders with customers",
        [
            "One query per row: the loop loads each customer separately",
            "N+1 selects when rendering the order table",
            "Orders are fetched one at a time within the loop rather than in a batch",
            "Load related records with a join instead of querying inside the loop",
            "Hundreds of small database roundtrips for a single page of orders",
        ],
    ),
    defect(
        "sage",
        Bug,
        "src/billing/sum.rs",
        "add up an invoice",
        [
            "Money is added up in floating point",
            "Prices use f64, so cents get lost by rounding",
            "Invoice total is off by a cent because of binary fractions",
            "Represent amounts as integer cents or decimals, not floats",
            "Rounding errors accumulate when summing float amounts of an invoice",
        ],
    ),
    defect(
        "guardian",
        Critical,
        "src/web/upload.rs",
        "accept attachments",
        [
            "Uploaded file name may contain dot-dot segments and escape the folder",
            "Path traversal: the download name is joined to the root unchecked",
            "A crafted filename writes outside of the upload directory",
            "Normalize the upload path and verify that it stays below the storage root",
            "Client controlled path is used for opening files without validation",
        ],
    ),
    defect(
        "guardian",
        Warning,
        "src/config/load.rs",
        "read settings at start",
        [
            "Missing environment variable falls back to production settings",
            "Default configuration points at the live database",
            "When a setting is absent the program silently uses the productive endpoint",
            "Refuse to start without explicit configuration rather than guessing production",
            "Unset variables lead to the real service being contacted from a test machine",
        ],
    ),
    defect(
        "trickster",
        Bug,
        "src/server/handler.rs",
        "serve thumbnails",
        [
            "Blocking file read inside an async handler stalls the executor",
            "Synchronous sleep on the event loop freezes all other requests",
            "Long computation runs on the async thread; move it to a worker pool",
            "Standard library file call in async code blocks the runtime",
            "Handler holds a mutex across an await point and starves the async executor",
        ],
    ),
    defect(
        "sage",
        Warning,
        "docs/usage.md",
        "rename an option",
        [
            "Option was renamed but the manual still mentions the old flag",
            "Documentation and command line help disagree about the default",
            "README example no longer compiles after the signature change",
            "Update the usage page of the manual: the described option was removed",
            "Docs describe a flag that this change takes away",
        ],
    ),
    defect(
        "guardian",
        Critical,
        "src/tenant/lookup.rs",
        "answer tenants faster",
        [
            "Answer of one tenant is served to another tenant",
            "Lookup key lacks the tenant id, so customers see foreign data",
            "Tenant isolation broken: results are shared between accounts",
            "Data of a different account leaks through the shared lookup",
            "Include the tenant in the key before returning a stored answer",
        ],
    ),
    defect(
        "sage",
        Bug,
        "src/jobs/runner.rs",
        "keep nightly jobs running",
        [
            "Errors of background jobs are swallowed without a trace",
            "Nightly job fails silently and reports success",
            "The runner ignores the result of each job, so nobody learns of a failure",
            "Propagate or record failures of scheduled jobs instead of dropping them",
            "Empty catch around the job body hides every exception",
        ],
    ),
];
