-- From version 9, which did not know what was asked of models.

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
