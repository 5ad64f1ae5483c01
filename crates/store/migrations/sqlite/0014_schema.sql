-- Everything a new file needs: the tables that the journal amounts to, the journal itself,
-- and the text index.
-- Times are milliseconds since 1970 (UTC). Words are spelled as in the program. Lists
-- and sets are JSON. Columns under "kept for queries" follow from the others.

CREATE TABLE projects (
    key       INTEGER PRIMARY KEY,
    id        TEXT    NOT NULL UNIQUE,
    -- What people call it; none = by its id.
    name      TEXT,
    -- What clones of one repository have in common.
    lineage   TEXT,
    -- Writes that touched memory.
    revision  INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    -- How many texts the index has of each sort.
    n_lessons INTEGER NOT NULL DEFAULT 0 CHECK (n_lessons >= 0),
    n_fixed   INTEGER NOT NULL DEFAULT 0 CHECK (n_fixed >= 0)
) STRICT;

-- The owner of global lessons. No project can have an empty id.
INSERT INTO projects (key, id) VALUES (0, '');

-- The folders that belong to a project, with the mark that their git directory carried.
CREATE TABLE checkouts (
    project INTEGER NOT NULL REFERENCES projects (key),
    path    TEXT    NOT NULL,
    mark    TEXT,
    PRIMARY KEY (project, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX checkouts_by_path ON checkouts (path);
CREATE INDEX checkouts_by_mark ON checkouts (mark) WHERE mark IS NOT NULL;

-- Who works on a project.
CREATE TABLE teams (
    project INTEGER NOT NULL PRIMARY KEY REFERENCES projects (key),
    -- As JSON; of tokens only digests.
    members TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- Every body, once; no body = erased.
CREATE TABLE texts (
    key  INTEGER PRIMARY KEY,
    id   TEXT NOT NULL UNIQUE,
    body TEXT
) STRICT;

CREATE TABLE runs (
    project       INTEGER NOT NULL REFERENCES projects (key),
    id            TEXT    NOT NULL,
    parent        TEXT,
    root          TEXT    NOT NULL,
    number        INTEGER,
    is_learned    INTEGER NOT NULL CHECK (is_learned IN (0, 1)),
    is_counted    INTEGER NOT NULL CHECK (is_counted IN (0, 1)),
    kind          TEXT    NOT NULL,
    role          TEXT,
    agent         TEXT,
    task          TEXT,
    domain        TEXT,
    started_at    INTEGER,
    finished_at   INTEGER,
    outcome       TEXT,
    detectors     TEXT    NOT NULL,
    reasoned_only TEXT    NOT NULL,
    paths         TEXT    NOT NULL,
    tools         TEXT    NOT NULL,
    tags          TEXT    NOT NULL,
    recorded_at   INTEGER NOT NULL,
    -- What each reviewer thought of the work.
    judgements    TEXT    NOT NULL,
    -- What a run tells about itself beyond what counting needs. The session stands apart,
    -- because runs are looked up by it.
    session       TEXT,
    episode       TEXT    NOT NULL,
    PRIMARY KEY (project, id)
) STRICT;

CREATE INDEX runs_by_root ON runs (project, root, id);
CREATE INDEX runs_by_number ON runs (project, number, id)
    WHERE is_learned = 1 AND number IS NOT NULL;
CREATE INDEX runs_by_finish ON runs (project, finished_at)
    WHERE is_learned = 1 AND finished_at IS NOT NULL;
-- The newest runs first, and those of one session.
CREATE INDEX runs_by_time ON runs (project, coalesce(started_at, finished_at, recorded_at));
CREATE INDEX runs_by_session ON runs (project, session) WHERE session IS NOT NULL;

CREATE TABLE lessons (
    key               INTEGER PRIMARY KEY,
    id                TEXT    NOT NULL UNIQUE,
    project           INTEGER NOT NULL REFERENCES projects (key),
    kind              TEXT    NOT NULL,
    category          TEXT,
    text              INTEGER NOT NULL REFERENCES texts (key),
    scope             TEXT    NOT NULL,
    tags              TEXT    NOT NULL,
    paths             TEXT    NOT NULL,
    severity          TEXT    NOT NULL,
    state             TEXT    NOT NULL,
    importance        REAL    NOT NULL,
    base_confidence   REAL    NOT NULL,
    confidence        REAL    NOT NULL,
    n_sightings       INTEGER NOT NULL CHECK (n_sightings >= 0),
    standing          INTEGER NOT NULL CHECK (standing >= 0),
    last_seen_run     TEXT,
    n_runs_unseen     INTEGER NOT NULL CHECK (n_runs_unseen >= 0),
    unseen_checked_at INTEGER NOT NULL CHECK (unseen_checked_at >= 0),
    detectors         TEXT    NOT NULL,
    grade             TEXT,
    n_helped          INTEGER NOT NULL CHECK (n_helped >= 0),
    n_no_help         INTEGER NOT NULL CHECK (n_no_help >= 0),
    n_hurt            INTEGER NOT NULL CHECK (n_hurt >= 0),
    n_contradicted    INTEGER NOT NULL CHECK (n_contradicted >= 0),
    n_neutral         INTEGER NOT NULL CHECK (n_neutral >= 0),
    n_no_opportunity  INTEGER NOT NULL CHECK (n_no_opportunity >= 0),
    is_pinned         INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    author            TEXT    NOT NULL,
    origin            TEXT    NOT NULL,
    trust             TEXT    NOT NULL,
    aliases           TEXT    NOT NULL,
    signatures        TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    -- The record it was imported from.
    extra             INTEGER REFERENCES texts (key),
    -- Dates and visits, decisions, what chance showed, and the rule with its nuance.
    upkeep            TEXT    NOT NULL,
    reviews           TEXT    NOT NULL,
    superseded_by     TEXT,
    arms              TEXT    NOT NULL,
    guidance          TEXT    NOT NULL,
    -- Recurrences that were to be expected where it was shown, in thousandths.
    expected          INTEGER NOT NULL DEFAULT 0,
    -- Kept for queries.
    prior             REAL    NOT NULL,
    is_injectable     INTEGER NOT NULL CHECK (is_injectable IN (0, 1)),
    is_kept           INTEGER NOT NULL CHECK (is_kept IN (0, 1)),
    -- Run number from which unseen runs count; none for what runs do not wear out.
    decay_base        INTEGER
) STRICT;

CREATE INDEX lessons_by_id ON lessons (project, id);
-- State and kind are in the index so that filtering by them reads no row.
CREATE INDEX lessons_by_prior ON lessons (project, prior DESC, id, state, kind);
CREATE INDEX lessons_injectable ON lessons (project, prior DESC, id) WHERE is_injectable = 1;
CREATE INDEX lessons_kept ON lessons (project, prior DESC, id) WHERE is_kept = 1;
CREATE INDEX lessons_shown ON lessons (project, prior DESC, id)
WHERE n_helped + n_no_help + n_hurt + n_contradicted + n_neutral + n_no_opportunity > 0;
CREATE INDEX lessons_by_decay ON lessons (project, decay_base, id, state)
WHERE decay_base IS NOT NULL;
-- What a person may have to decide about; `query::may_wait` is the same in the program.
CREATE INDEX lessons_waiting ON lessons (project, prior DESC, id, state, n_helped, reviews)
WHERE (state IN ('under_review', 'quarantined') OR (state = 'stable' AND n_helped > 0)
    OR (state NOT IN ('archived', 'superseded', 'rejected')
        AND (reviews <> '[]' OR (trust <> 'trusted' AND instr(scope, '"person":') > 0)
            OR (origin = 'agent' AND grade IS NULL))));
-- What is counted of all lessons is read from these alone.
CREATE INDEX lessons_counted ON lessons (
    project, state, kind, severity, is_pinned, n_helped, n_no_help, n_hurt, n_contradicted,
    n_neutral, n_no_opportunity, expected);
CREATE INDEX lessons_by_scope ON lessons (project, scope, state);
CREATE INDEX lessons_by_arms ON lessons (project, arms)
WHERE n_helped + n_no_help + n_hurt + n_contradicted + n_neutral + n_no_opportunity > 0;

CREATE TABLE aliases (
    project INTEGER NOT NULL,
    alias   TEXT    NOT NULL,
    lesson  TEXT    NOT NULL,
    PRIMARY KEY (project, alias, lesson)
) STRICT, WITHOUT ROWID;

CREATE TABLE findings (
    project     INTEGER NOT NULL REFERENCES projects (key),
    run         TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    root        TEXT    NOT NULL,
    author      TEXT    NOT NULL,
    severity    TEXT    NOT NULL,
    category    TEXT,
    rule        TEXT,
    text        INTEGER NOT NULL REFERENCES texts (key),
    path        TEXT,
    line        INTEGER,
    grade       TEXT,
    signature   TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    is_sighting INTEGER NOT NULL CHECK (is_sighting IN (0, 1)),
    lesson      TEXT,
    likeness    REAL    NOT NULL,
    fixed_in    TEXT,
    repair      TEXT,
    -- The reviewer who dismissed it; none if it says so itself.
    ruled_by    TEXT,
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
    shown    TEXT    NOT NULL,
    block    INTEGER NOT NULL REFERENCES texts (key),
    digest   TEXT    NOT NULL,
    n_tokens INTEGER NOT NULL CHECK (n_tokens >= 0),
    -- Empty when the need named none.
    domain   TEXT    NOT NULL,
    held_out TEXT    NOT NULL,
    surface  TEXT    NOT NULL,
    PRIMARY KEY (project, run, role, need)
) STRICT;

-- Kept for queries: which injections showed a lesson.
CREATE TABLE showings (
    project INTEGER NOT NULL,
    lesson  TEXT    NOT NULL,
    run     TEXT    NOT NULL,
    role    TEXT    NOT NULL,
    need    TEXT    NOT NULL,
    PRIMARY KEY (project, lesson, run, role, need)
) STRICT, WITHOUT ROWID;

CREATE TABLE effects (
    project    INTEGER NOT NULL REFERENCES projects (key),
    root       TEXT    NOT NULL,
    lesson     TEXT    NOT NULL,
    run_number INTEGER NOT NULL CHECK (run_number >= 0),
    kind       TEXT    NOT NULL,
    why        TEXT    NOT NULL,
    is_named   INTEGER NOT NULL CHECK (is_named IN (0, 1)),
    surface    TEXT    NOT NULL,
    follow_up  TEXT    NOT NULL,
    arm        TEXT,
    weight     REAL    NOT NULL,
    -- A lesson that had proved itself failed.
    is_regression INTEGER NOT NULL CHECK (is_regression IN (0, 1)),
    -- The chance that its finding would have come up; none where nobody knew.
    expected   REAL,
    PRIMARY KEY (project, root, lesson)
) STRICT;

-- By lesson first: of a global lesson, every project's effects are read.
CREATE INDEX effects_by_lesson ON effects (lesson, project, run_number, root);

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
    project    INTEGER NOT NULL REFERENCES projects (key),
    lesson     TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    texts      TEXT    NOT NULL,
    signatures TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    forgot_by  TEXT    NOT NULL,
    PRIMARY KEY (project, lesson)
) STRICT, WITHOUT ROWID;

-- Rows count through all projects: that is the order in which they were written. A number counts
-- within the project, and is what everybody outside this file calls an operation or an entry by.
CREATE TABLE operations (
    id      INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (key),
    command TEXT    NOT NULL,
    actor   TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    undoes  INTEGER REFERENCES operations (id),
    number  INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX operations_by_number ON operations (project, number);

CREATE TABLE journal (
    sequence       INTEGER PRIMARY KEY,
    operation      INTEGER NOT NULL REFERENCES operations (id),
    project        INTEGER NOT NULL REFERENCES projects (key),
    -- Whether it changes a global lesson: such a change is seen by every project.
    is_global      INTEGER NOT NULL CHECK (is_global IN (0, 1)),
    lesson         TEXT,
    touches_memory INTEGER NOT NULL CHECK (touches_memory IN (0, 1)),
    version        INTEGER NOT NULL,
    payload        TEXT    NOT NULL,
    number         INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX journal_by_operation ON journal (operation, sequence);
CREATE INDEX journal_by_project ON journal (project, sequence, touches_memory);
CREATE INDEX journal_global ON journal (sequence) WHERE is_global = 1;
CREATE INDEX journal_by_lesson ON journal (lesson, sequence) WHERE lesson IS NOT NULL;
-- The order in which lessons were added, which some systems call them by.
CREATE INDEX journal_added ON journal (project, sequence, lesson)
WHERE substr(payload, 1, 23) = '{"change":"add_lesson",';

-- The text index. A term belongs to one owner and one sort of text, so that a search
-- reads nothing of other projects, and postings need no project of their own.
CREATE TABLE terms (
    key     INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,
    sort    TEXT    NOT NULL CHECK (sort IN ('lesson', 'finding', 'deliberation')),
    term    TEXT    NOT NULL,
    -- How many texts hold it; a term that none holds has no row.
    n_texts INTEGER NOT NULL CHECK (n_texts > 0),
    UNIQUE (project, sort, term)
) STRICT;

CREATE TABLE lesson_terms (
    term          INTEGER NOT NULL,
    is_injectable INTEGER NOT NULL,
    lesson        TEXT    NOT NULL,
    PRIMARY KEY (term, is_injectable, lesson)
) STRICT, WITHOUT ROWID;

CREATE TABLE finding_terms (
    term    INTEGER NOT NULL,
    run     TEXT    NOT NULL,
    finding TEXT    NOT NULL,
    PRIMARY KEY (term, run, finding)
) STRICT, WITHOUT ROWID;

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

-- Kept for queries: how often what comes up where. Sums over the root runs; what one of them
-- contributes is decided in the program. A facet is a folder, a file, a kind of file or a word
-- of a title.
CREATE TABLE facets (
    key     INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,
    facet    TEXT    NOT NULL,
    -- Root runs with this facet; a facet without any has no row.
    n_runs  INTEGER NOT NULL CHECK (n_runs > 0),
    UNIQUE (project, facet)
) STRICT;

-- In how many root runs a lesson came up at a facet.
CREATE TABLE seen_at (
    lesson TEXT    NOT NULL,
    facet   INTEGER NOT NULL,
    n_runs INTEGER NOT NULL CHECK (n_runs > 0),
    PRIMARY KEY (lesson, facet)
) STRICT, WITHOUT ROWID;

CREATE INDEX seen_at_by_facet ON seen_at (facet, n_runs DESC, lesson);

-- The root runs in which a lesson came up, or was shown where it could have.
CREATE TABLE trials (
    project   INTEGER NOT NULL,
    lesson    TEXT    NOT NULL,
    number    INTEGER NOT NULL,
    root      TEXT    NOT NULL,
    was_seen  INTEGER NOT NULL CHECK (was_seen IN (0, 1)),
    was_shown INTEGER NOT NULL CHECK (was_shown IN (0, 1)),
    PRIMARY KEY (project, lesson, number, root)
) STRICT, WITHOUT ROWID;

-- Their sums, faded, as of the run `as_of`. `rank` orders lessons by how often they came up, at
-- every later run alike; none for one that never did.
CREATE TABLE rates (
    project       INTEGER NOT NULL,
    lesson        TEXT    NOT NULL,
    is_injectable INTEGER NOT NULL CHECK (is_injectable IN (0, 1)),
    as_of         INTEGER NOT NULL,
    seen          REAL    NOT NULL,
    shown         REAL    NOT NULL,
    shown_seen    REAL    NOT NULL,
    last          INTEGER NOT NULL,
    rank          REAL,
    PRIMARY KEY (project, lesson)
) STRICT, WITHOUT ROWID;

CREATE INDEX rates_by_rank ON rates (project, is_injectable, rank DESC, lesson);
CREATE INDEX rates_by_lesson ON rates (lesson);
