-- The tables that the journal amounts to. A row is its body, as JSON; texts are named there by their
-- ids. The other columns are what queries ask for, and follow from it.

-- Every body, once; no body = erased. It stands by its id itself: with an index beside the table, a
-- block would read two pages for each text.
CREATE TABLE texts (
    id   TEXT NOT NULL PRIMARY KEY,
    body TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    project  INTEGER NOT NULL REFERENCES projects (key),
    id       TEXT    NOT NULL,
    root     TEXT    NOT NULL,
    -- Number and end: of those that are learned.
    number   INTEGER,
    finished INTEGER,
    -- When it took place, as far as that is known.
    at       INTEGER NOT NULL,
    session  TEXT,
    task     TEXT,
    agent    TEXT,
    kind     TEXT    NOT NULL,
    outcome  TEXT,
    body     TEXT    NOT NULL,
    PRIMARY KEY (project, id)
) STRICT;

CREATE INDEX runs_by_root ON runs (project, root, id);
CREATE INDEX runs_by_number ON runs (project, number, id) WHERE number IS NOT NULL;
CREATE INDEX runs_by_finish ON runs (project, finished) WHERE finished IS NOT NULL;
-- The newest runs first, and those of one session.
CREATE INDEX runs_by_time ON runs (project, at);
CREATE INDEX runs_by_session ON runs (project, session) WHERE session IS NOT NULL;

CREATE TABLE lessons (
    key            INTEGER PRIMARY KEY,
    project        INTEGER NOT NULL REFERENCES projects (key),
    id             TEXT    NOT NULL UNIQUE,
    kind           TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    prior          REAL    NOT NULL,
    is_injectable  INTEGER NOT NULL,
    is_kept        INTEGER NOT NULL,
    is_shown       INTEGER NOT NULL,
    -- Whether a person may have to decide about it; and of stable ones, how often they helped.
    waits          INTEGER NOT NULL,
    n_helped       INTEGER NOT NULL,
    -- Run number from which unseen runs count; none for what runs do not wear out.
    decay_base     INTEGER,
    scope          TEXT    NOT NULL,
    -- What is summed up over all lessons.
    helped         INTEGER NOT NULL,
    no_help        INTEGER NOT NULL,
    hurt           INTEGER NOT NULL,
    contradicted   INTEGER NOT NULL,
    neutral        INTEGER NOT NULL,
    no_opportunity INTEGER NOT NULL,
    expected       INTEGER NOT NULL,
    severity       TEXT    NOT NULL,
    is_pinned      INTEGER NOT NULL,
    arms           TEXT    NOT NULL,
    body           TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX lessons_by_id ON lessons (project, id);
-- State and kind are in the index so that filtering by them reads no row.
CREATE INDEX lessons_by_prior ON lessons (project, prior DESC, id, state, kind);
CREATE INDEX lessons_injectable ON lessons (project, prior DESC, id) WHERE is_injectable = 1;
CREATE INDEX lessons_kept ON lessons (project, prior DESC, id) WHERE is_kept = 1;
CREATE INDEX lessons_shown ON lessons (project, prior DESC, id) WHERE is_shown = 1;
CREATE INDEX lessons_by_decay ON lessons (project, decay_base, id, state)
WHERE decay_base IS NOT NULL;
CREATE INDEX lessons_waiting ON lessons (project, prior DESC, id, state, waits, n_helped)
WHERE waits = 1 OR n_helped > 0;
-- What is counted of all lessons is read from these alone.
CREATE INDEX lessons_counted ON lessons (
    project, state, kind, severity, is_pinned, helped, no_help, hurt, contradicted, neutral,
    no_opportunity, expected);
CREATE INDEX lessons_by_scope ON lessons (project, scope, state);
CREATE INDEX lessons_by_arms ON lessons (project, arms) WHERE is_shown = 1;

CREATE TABLE findings (
    project   INTEGER NOT NULL REFERENCES projects (key),
    run       TEXT    NOT NULL,
    key       TEXT    NOT NULL,
    root      TEXT    NOT NULL,
    author    TEXT    NOT NULL,
    state     TEXT    NOT NULL,
    signature TEXT    NOT NULL,
    lesson    TEXT,
    body      TEXT    NOT NULL,
    PRIMARY KEY (project, run, key)
) STRICT;

CREATE INDEX findings_by_root ON findings (project, root, run, key);
CREATE INDEX findings_by_lesson ON findings (project, lesson) WHERE lesson IS NOT NULL;
CREATE INDEX findings_by_state ON findings (project, state, run, key) WHERE state <> 'open';
CREATE INDEX findings_fixed ON findings (project, signature) WHERE state = 'fixed';

CREATE TABLE injections (
    project  INTEGER NOT NULL REFERENCES projects (key),
    run      TEXT    NOT NULL,
    role     TEXT    NOT NULL,
    need     TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    n_tokens INTEGER NOT NULL,
    body     TEXT    NOT NULL,
    PRIMARY KEY (project, run, role, need)
) STRICT;

CREATE TABLE effects (
    project    INTEGER NOT NULL REFERENCES projects (key),
    root       TEXT    NOT NULL,
    lesson     TEXT    NOT NULL,
    run_number INTEGER NOT NULL,
    body       TEXT    NOT NULL,
    PRIMARY KEY (project, root, lesson)
) STRICT;

-- By lesson first: of a global lesson, every project's effects are read.
CREATE INDEX effects_by_lesson ON effects (lesson, project, run_number, root);

-- What an agent answered in full, with its verdict.
CREATE TABLE deliberations (
    key     INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (key),
    id      TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    run     TEXT    NOT NULL,
    role    TEXT    NOT NULL,
    verdict TEXT,
    -- Whether the response is still there, and how long it is.
    is_kept INTEGER NOT NULL,
    n_bytes INTEGER NOT NULL,
    body    TEXT    NOT NULL,
    UNIQUE (project, id)
) STRICT;

CREATE INDEX deliberations_by_time ON deliberations (project, at, id);
CREATE INDEX deliberations_by_run ON deliberations (project, run);

-- Tries at repairing an issue, and what came of them.
CREATE TABLE attempts (
    project INTEGER NOT NULL REFERENCES projects (key),
    id      TEXT    NOT NULL,
    issue   TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    body    TEXT    NOT NULL,
    PRIMARY KEY (project, id)
) STRICT;

CREATE INDEX attempts_by_issue ON attempts (project, issue, at, id);

-- Questions to a model: what they were about, what they cost, what was proposed.
CREATE TABLE consultations (
    project  INTEGER NOT NULL REFERENCES projects (key),
    id       TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    evidence TEXT    NOT NULL,
    body     TEXT    NOT NULL,
    PRIMARY KEY (project, id)
) STRICT;

CREATE INDEX consultations_by_time ON consultations (at, project, id);
CREATE INDEX consultations_by_evidence ON consultations (evidence);

-- Marks of lessons that were forgotten for good: digests, never words.
CREATE TABLE tombstones (
    project INTEGER NOT NULL REFERENCES projects (key),
    lesson  TEXT    NOT NULL,
    body    TEXT    NOT NULL,
    PRIMARY KEY (project, lesson)
) STRICT, WITHOUT ROWID;
