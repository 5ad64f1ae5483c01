-- From version 10, in which counting lessons read all of them. Indexes only.

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
