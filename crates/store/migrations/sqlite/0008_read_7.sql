-- Version 7, and those below it, as a reader of version 8 sees it: nothing was counted.

CREATE TEMP VIEW lessons AS SELECT *, 0 AS expected FROM main.lessons;
CREATE TEMP VIEW effects AS SELECT *, NULL AS expected FROM main.effects;
CREATE TEMP VIEW facets AS
    SELECT NULL AS key, NULL AS project, NULL AS facet, NULL AS n_runs WHERE FALSE;
CREATE TEMP VIEW seen_at AS SELECT NULL AS lesson, NULL AS facet, NULL AS n_runs WHERE FALSE;
CREATE TEMP VIEW trials AS
    SELECT NULL AS project, NULL AS lesson, NULL AS number, NULL AS root, NULL AS was_seen, NULL AS was_shown
    WHERE FALSE;
CREATE TEMP VIEW rates AS
    SELECT NULL AS project, NULL AS lesson, NULL AS is_injectable, NULL AS as_of, NULL AS seen,
           NULL AS shown, NULL AS shown_seen, NULL AS last, NULL AS rank
    WHERE FALSE;
