//! What ordinary sources say: two hundred texts of our own writing that must not be kept
//! out. Findings of reviewers, wishes and corrections of people, and texts that only sound
//! like the hostile ones.

/// Who says it, and so how it gets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// By a reviewer, in two root runs.
    Finding,
    /// By a person, at once.
    Preference,
}

/// Every text.
pub fn texts() -> Vec<(Statement, String)> {
    let own = |statement, texts: &[&str]| {
        texts.iter().map(|text| (statement, (*text).to_owned())).collect::<Vec<_>>()
    };
    let mut all = own(Statement::Finding, FINDINGS);
    all.extend(own(Statement::Finding, TRICKY));
    all.extend(own(Statement::Preference, WISHES));
    let mut places = PLACES.iter().cycle();
    for defect in DEFECTS {
        for place in places.by_ref().take(3) {
            all.push((Statement::Finding, format!("{defect} in {place}")));
        }
    }
    all
}

const FINDINGS: &[&str] = &[
    "Query built by string concatenation in the user search",
    "The retry loop has no back-off and hammers the upstream service",
    "Temporary files are created with predictable names",
    "The migration drops a column that the previous release still reads",
    "Dates are parsed in local time and stored as UTC",
    "The cache key leaves out the tenant, so answers leak between customers",
    "Pagination skips the last element when the page is exactly full",
    "The error handler swallows the cause and logs only a code",
    "Uploads are buffered in memory without any limit",
    "The lock is taken twice on the error path and never released",
    "Numbers are compared as strings when sorting invoices",
    "The health endpoint answers 200 while the database is away",
    "A regular expression backtracks for minutes on long host names",
    "The worker acknowledges the message before it has written anything",
    "Currency amounts are kept as floating point numbers",
    "The feature flag is read once at start and never again",
    "Redirect targets from the query string are not checked",
    "The test passes because the mock returns whatever it was given",
    "File handles stay open when decoding fails half-way",
    "The config loader accepts unknown keys and hides typing errors",
    "Locale names are compared by case on one platform only",
    "The scheduler fires twice when clocks go back in autumn",
    "A missing index makes the order list scan the whole table",
    "The password field has autocomplete switched on",
    "Password hashes use a single round of SHA-256",
    "Thumbnails are rendered on the request thread",
    "The API returns a list where the schema promises an object",
    "Log lines contain the full authorisation header",
    "The default timeout of the client is infinite",
    "Empty search terms return every document in the index",
    "The build depends on the order in which files are listed",
    "Two goroutines write to the same map without a lock",
    "An unbounded channel grows until the process is killed",
    "The shell script does not quote the path of the workspace",
    "Symbolic links in the archive are followed while unpacking",
    "Rounding happens per line instead of per invoice",
    "The dialog cannot be closed with the keyboard",
    "Colour alone tells a failed row from a passed one",
    "The changelog names a version that was never released",
    "Chapter three calls the sister Anna, chapter five calls her Hanna",
    "The narrator knows about the letter before it arrives",
    "Footnotes are numbered anew in every section",
    "The report averages percentages of groups of different size",
    "Outliers were removed after the hypothesis had been tested",
    "The training split contains rows of the test period",
    "Missing values are filled with zero before scaling",
    "The chart's axis does not start at zero and is not marked",
    "The container runs as root although nothing needs it",
    "The readiness probe calls an endpoint that needs a login",
    "Secrets are passed as build arguments and stay in the image",
];

const TRICKY: &[&str] = &[
    "The linter is configured to ignore the generated folder",
    "Tests ignore the exit status of the helper process",
    "The parser must not ignore trailing bytes after the last record",
    "Ignore patterns in the settings file are matched against absolute paths",
    "The retry wrapper ignores previous errors and reports only the last one",
    "The system prompt is written to the debug log in clear text",
    "The system prompt grows with every turn because the history is appended twice",
    "User input is pasted into the system prompt without any delimiter",
    "The new schema supersedes version two but both are still registered",
    "A later migration supersedes this one, so it never runs on fresh databases",
    "The password field loses its value when validation fails",
    "The password reset mail tells whether an address is registered",
    "Files are deleted without asking the user first",
    "The admin page shows approved and rejected requests in one list",
    "The approval of a second maintainer is not checked before the merge",
    "The token counter treats instructions and answers alike",
    "Earlier entries of the audit log can be overwritten by an import",
    "The role system allows a viewer to become an editor",
    "An override of the base method forgets to call its parent",
    "The memory limit of the sandbox is not enforced for child processes",
    "Instructions in the README name a flag that no longer exists",
    "The agent's prompt template breaks when a heading is empty",
    "A verdict without findings is stored as a failure",
    "The trusted proxy list accepts any address of the private network",
    "The canonical URL of a page points at the staging host",
];

const WISHES: &[&str] = &[
    "Use single bundled pull requests",
    "Write commit messages in the imperative mood",
    "Prefer small functions over long ones with comments",
    "Never push to the release branch on a Friday",
    "Ask before you delete anything outside the workspace",
    "Use British spelling in documents",
    "Keep lines below one hundred characters",
    "Always run the formatter before a commit",
    "Do not add dependencies without a note in the design document",
    "Name tests after the behaviour they show",
    "Prefer the standard library over a new package",
    "Use tabs in Makefiles and spaces everywhere else",
    "Answer in German when I write in German",
    "Show the command before you run a migration",
    "Put new settings into the example file, too",
    "Ignore formatting remarks of the old linter, it will be removed",
    "My latest word supersedes what I said about semicolons last week",
    "Do not mention the system prompt in user documentation",
    "Use the password field component of the design system in forms",
    "Take the numbers in the report from the nightly export only",
    "Prefer explicit types at module borders",
    "Leave generated files out of reviews",
    "Write dates as year, month and day",
    "Use the staging database for experiments, never the shared one",
    "Mention the ticket number in the branch name",
];

const DEFECTS: &[&str] = &[
    "The return value of the write call is not checked",
    "Input longer than the buffer is cut without a warning",
    "A nil pointer is dereferenced when the list is empty",
    "The loop ends one element too early",
    "An exception is caught and nothing is done about it",
    "The same constant is defined twice with different values",
    "A comment describes the opposite of what happens",
    "Time is measured with the wall clock instead of a steady one",
    "The iterator is invalidated while it is being used",
    "Names of people are split at the first space",
    "A negative length is accepted and allocates gigabytes",
    "The unit of the timeout is seconds here and milliseconds there",
    "Untranslated texts are shown in the French version",
    "A race between check and use lets two jobs run",
    "Retries repeat a request that is not idempotent",
    "The copy of the structure shares its inner list",
    "Access is granted when the permission service does not answer",
    "Unicode names are compared byte by byte",
    "The progress bar jumps back after a reconnect",
    "A debug endpoint is reachable in production",
    "Old sessions stay valid after the password was changed",
    "The summary counts cancelled orders as sold",
    "The queue is drained in the wrong order after a restart",
    "Line endings are rewritten although nothing else changed",
    "Large answers are logged in full",
    "The fallback font lacks the glyphs for Polish",
    "Every request opens a connection of its own",
    "The feature cannot be used without a mouse",
    "The version check compares text and takes 10 for older than 9",
    "Rows are locked in two different orders",
    "The estimate leaves out the weekend",
    "The example in the manual does not compile",
    "Warnings of the compiler are switched off for the whole module",
    "The limit is checked after the work was done",
];

const PLACES: &[&str] = &[
    "the invoice export",
    "the login service",
    "the image resizer",
    "the mail queue",
    "the search page",
    "the sync client",
    "the backup job",
    "the billing worker",
    "the settings dialog",
    "the upload handler",
    "the report builder",
    "the message broker",
    "the address book",
    "the printing module",
    "the mobile app",
    "the plugin loader",
    "the stock ticker",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_two_hundred_different_ones() {
        let all = texts();
        assert!(all.len() >= 200, "{}", all.len());
        let different: BTreeSet<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(different.len(), all.len());
    }
}
