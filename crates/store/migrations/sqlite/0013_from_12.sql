-- From version 12 to 13: a project can have a team.

-- Who works on a project.
CREATE TABLE teams (
    project INTEGER NOT NULL PRIMARY KEY REFERENCES projects (key),
    -- As JSON; of tokens only digests.
    members TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
