-- Version 5 as a reader of version 6 sees it: a project was its name, and no checkouts were
-- known. Temporary, so that a file is read before anybody has written to it.

CREATE TEMP VIEW projects AS
    SELECT key, name AS id, NULL AS name, NULL AS lineage, revision, n_lessons, n_fixed
    FROM main.projects;

CREATE TEMP VIEW checkouts AS
    SELECT NULL AS project, NULL AS path, NULL AS mark WHERE FALSE;
