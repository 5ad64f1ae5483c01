-- From version 7, which did not count where lessons come up. The program fills the tables.

ALTER TABLE lessons ADD COLUMN expected INTEGER NOT NULL DEFAULT 0;
ALTER TABLE effects ADD COLUMN expected REAL;
DROP INDEX lessons_by_decay;
CREATE INDEX lessons_by_decay ON lessons (project, decay_base, state) WHERE decay_base IS NOT NULL;
CREATE INDEX lessons_shown ON lessons (project, prior DESC, id)
WHERE n_helped + n_no_help + n_hurt + n_contradicted + n_neutral + n_no_opportunity > 0;

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
