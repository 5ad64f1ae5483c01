-- From version 5, in which a project was its name and nothing else. Ids stay as they are, so
-- every lesson keeps its own; which checkouts belong to a project is learned by its next write.

ALTER TABLE projects RENAME COLUMN name TO id;
ALTER TABLE projects ADD COLUMN name TEXT;
ALTER TABLE projects ADD COLUMN lineage TEXT;

CREATE TABLE checkouts (
    project INTEGER NOT NULL REFERENCES projects (key),
    path    TEXT    NOT NULL,
    mark    TEXT,
    PRIMARY KEY (project, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX checkouts_by_path ON checkouts (path);
CREATE INDEX checkouts_by_mark ON checkouts (mark) WHERE mark IS NOT NULL;
