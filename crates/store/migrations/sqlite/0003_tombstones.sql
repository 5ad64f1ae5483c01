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
