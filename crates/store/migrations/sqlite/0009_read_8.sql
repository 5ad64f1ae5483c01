-- Version 8, and those below it, as a reader of version 9 sees it: no deliberations and attempts.
-- What it sees of findings is in 0009_findings_8.sql and 0009_findings_6.sql.

CREATE TEMP VIEW deliberations AS
    SELECT NULL AS key, NULL AS project, NULL AS id, NULL AS run, NULL AS role, NULL AS verdict,
           NULL AS summary, NULL AS grade, NULL AS model, NULL AS issue, NULL AS n_tokens,
           NULL AS duration_ms, NULL AS at, NULL AS response
    WHERE FALSE;
CREATE TEMP VIEW attempts AS
    SELECT NULL AS project, NULL AS id, NULL AS run, NULL AS issue, NULL AS iteration,
           NULL AS author, NULL AS approach, NULL AS files, NULL AS result, NULL AS why,
           NULL AS next, NULL AS is_claim, NULL AS at
    WHERE FALSE;
CREATE TEMP VIEW deliberation_terms AS
    SELECT NULL AS term, NULL AS deliberation WHERE FALSE;
CREATE TEMP VIEW deliberation_sums AS
    SELECT NULL AS project, NULL AS n, NULL AS n_bytes WHERE FALSE;
