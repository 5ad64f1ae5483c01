-- What a new file needs beside the tables of `0015_rows.sql`: projects, the journal, and what is
-- kept for queries.
-- Times are milliseconds since 1970 (UTC). Words are spelled as in the program.

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

CREATE TABLE aliases (
    project INTEGER NOT NULL,
    alias   TEXT    NOT NULL,
    lesson  TEXT    NOT NULL,
    PRIMARY KEY (project, alias, lesson)
) STRICT, WITHOUT ROWID;

-- Kept for queries: which injections showed a lesson.
CREATE TABLE showings (
    project INTEGER NOT NULL,
    lesson  TEXT    NOT NULL,
    run     TEXT    NOT NULL,
    role    TEXT    NOT NULL,
    need    TEXT    NOT NULL,
    PRIMARY KEY (project, lesson, run, role, need)
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
