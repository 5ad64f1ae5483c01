-- From version 8, which kept no deliberations and no attempts, and did not say who dismissed a
-- finding.

ALTER TABLE findings ADD COLUMN ruled_by TEXT;

-- What an agent answered in full, with its verdict.
CREATE TABLE deliberations (
    key         INTEGER PRIMARY KEY,
    project     INTEGER NOT NULL REFERENCES projects (key),
    id          TEXT    NOT NULL,
    run         TEXT    NOT NULL,
    role        TEXT    NOT NULL,
    verdict     TEXT,
    summary     TEXT    NOT NULL,
    grade       TEXT,
    model       TEXT,
    issue       TEXT,
    n_tokens    INTEGER,
    duration_ms INTEGER,
    at          INTEGER NOT NULL,
    response    INTEGER NOT NULL REFERENCES texts (key),
    UNIQUE (project, id)
) STRICT;

CREATE INDEX deliberations_by_time ON deliberations (project, at, id);
CREATE INDEX deliberations_by_run ON deliberations (project, run);

-- Tries at repairing an issue, and what came of them.
CREATE TABLE attempts (
    project   INTEGER NOT NULL REFERENCES projects (key),
    id        TEXT    NOT NULL,
    run       TEXT    NOT NULL,
    issue     TEXT    NOT NULL,
    iteration INTEGER,
    author    TEXT    NOT NULL,
    approach  INTEGER NOT NULL REFERENCES texts (key),
    files     TEXT    NOT NULL,
    result    TEXT,
    why       TEXT,
    next      TEXT,
    is_claim  INTEGER NOT NULL CHECK (is_claim IN (0, 1)),
    at        INTEGER NOT NULL,
    PRIMARY KEY (project, id)
) STRICT;

CREATE INDEX attempts_by_issue ON attempts (project, issue, at, id);
CREATE INDEX attempts_by_run ON attempts (project, run);

-- The index knows one more sort of text.
CREATE TABLE wider_terms (
    key     INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,
    sort    TEXT    NOT NULL CHECK (sort IN ('lesson', 'finding', 'deliberation')),
    term    TEXT    NOT NULL,
    -- How many texts hold it; a term that none holds has no row.
    n_texts INTEGER NOT NULL CHECK (n_texts > 0),
    UNIQUE (project, sort, term)
) STRICT;

INSERT INTO wider_terms SELECT key, project, sort, term, n_texts FROM terms;
DROP TABLE terms;
ALTER TABLE wider_terms RENAME TO terms;

CREATE TABLE deliberation_terms (
    term         INTEGER NOT NULL,
    deliberation INTEGER NOT NULL,
    PRIMARY KEY (term, deliberation)
) STRICT, WITHOUT ROWID;

-- Kept for queries: how many deliberations a project has, and how long their responses are.
CREATE TABLE deliberation_sums (
    project INTEGER NOT NULL PRIMARY KEY,
    n       INTEGER NOT NULL,
    n_bytes INTEGER NOT NULL
) STRICT;

-- The order in which lessons were added, which some systems call them by.
CREATE INDEX journal_added ON journal (project, sequence, lesson)
WHERE substr(payload, 1, 23) = '{"change":"add_lesson",';

-- The longest unseen first, so that a run looks at so many of them.
DROP INDEX lessons_by_decay;
CREATE INDEX lessons_by_decay ON lessons (project, decay_base, id, state)
WHERE decay_base IS NOT NULL;
