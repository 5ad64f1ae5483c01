-- Everything a new database needs: the rows that the journal amounts to, the journal itself, and
-- what is kept for queries. Every key begins with the project, every table is partitioned by it,
-- and nothing refers to another project: so projects can be spread over servers.
-- The empty project owns the global lessons. Times are milliseconds since 1970 (UTC). Words are
-- spelled as in the program. A body is a row as JSON, `bodies` has the words of the texts in
-- it, by id, `texts` their ids; all other columns follow from these. Text is ordered by its bytes.

CREATE SCHEMA hardwon;

CREATE TABLE hardwon.versions (
    version bigint NOT NULL PRIMARY KEY
);

-- Where a project stands. Whoever writes locks the row of its project; whoever changes what all
-- projects see locks that of the empty one, which everybody else shares.
CREATE TABLE hardwon.projects (
    project      text   COLLATE "C" NOT NULL PRIMARY KEY,
    -- Its name and checkouts; none = nobody described it.
    description  text   COLLATE "C",
    paths        text[] COLLATE "C" NOT NULL DEFAULT '{}',
    marks        text[] COLLATE "C" NOT NULL DEFAULT '{}',
    -- Writes that touched memory.
    revision     bigint NOT NULL DEFAULT 0,
    n_operations bigint NOT NULL DEFAULT 0,
    n_entries    bigint NOT NULL DEFAULT 0,
    -- Of the empty project: how often something was changed that all projects see.
    clock        bigint NOT NULL DEFAULT 0
) PARTITION BY HASH (project);

CREATE TABLE hardwon.runs (
    project  text   COLLATE "C" NOT NULL,
    id       text   COLLATE "C" NOT NULL,
    root     text   COLLATE "C" NOT NULL,
    -- Of learned runs.
    number   bigint,
    finished bigint,
    at       bigint NOT NULL,
    session  text   COLLATE "C",
    task     text   COLLATE "C",
    agent    text   COLLATE "C",
    kind     text   COLLATE "C" NOT NULL,
    outcome  text   COLLATE "C",
    body     text   COLLATE "C" NOT NULL,
    bodies   text   COLLATE "C" NOT NULL,
    texts    text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, id)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.runs (project, root, id);
CREATE INDEX ON hardwon.runs (project, number, id) WHERE number IS NOT NULL;
CREATE INDEX ON hardwon.runs (project, finished) WHERE finished IS NOT NULL;
CREATE INDEX ON hardwon.runs (project, at, id);
CREATE INDEX ON hardwon.runs (project, session) WHERE session IS NOT NULL;

CREATE TABLE hardwon.findings (
    project   text   COLLATE "C" NOT NULL,
    run       text   COLLATE "C" NOT NULL,
    key       text   COLLATE "C" NOT NULL,
    root      text   COLLATE "C" NOT NULL,
    author    text   COLLATE "C" NOT NULL,
    state     text   COLLATE "C" NOT NULL,
    signature text   COLLATE "C" NOT NULL,
    lesson    text   COLLATE "C",
    body      text   COLLATE "C" NOT NULL,
    bodies    text   COLLATE "C" NOT NULL,
    texts     text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, run, key)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.findings (project, root, run, key);
CREATE INDEX ON hardwon.findings (project, lesson) WHERE lesson IS NOT NULL;
CREATE INDEX ON hardwon.findings (lesson) WHERE lesson IS NOT NULL;
-- A signature may be longer than an entry of such an index can be.
CREATE INDEX ON hardwon.findings USING hash (signature) WHERE state = 'fixed';
CREATE INDEX ON hardwon.findings USING gin (texts);

CREATE TABLE hardwon.lessons (
    project       text   COLLATE "C" NOT NULL,
    id            text   COLLATE "C" NOT NULL,
    kind          text   COLLATE "C" NOT NULL,
    state         text   COLLATE "C" NOT NULL,
    prior         double precision NOT NULL,
    is_injectable boolean NOT NULL,
    is_kept       boolean NOT NULL,
    is_shown      boolean NOT NULL,
    -- A person may have to decide about it, however often it helped.
    waits         boolean NOT NULL,
    -- Of a stable one: how often it helped.
    n_helped      bigint NOT NULL,
    -- Run number from which unseen runs count; none for what runs do not wear out.
    decay_base    bigint,
    aliases       text[] COLLATE "C" NOT NULL,
    -- As JSON.
    scope         text   COLLATE "C" NOT NULL,
    body          text   COLLATE "C" NOT NULL,
    bodies        text   COLLATE "C" NOT NULL,
    texts         text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, id)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.lessons (id);
CREATE INDEX ON hardwon.lessons (project, prior DESC, id);
CREATE INDEX ON hardwon.lessons (project, prior DESC, id) WHERE is_injectable;
CREATE INDEX ON hardwon.lessons (project, prior DESC, id) WHERE is_kept;
CREATE INDEX ON hardwon.lessons (project, decay_base, id) WHERE decay_base IS NOT NULL;
CREATE INDEX ON hardwon.lessons (project, scope);
CREATE INDEX ON hardwon.lessons USING gin (aliases);
CREATE INDEX ON hardwon.lessons USING gin (texts);

CREATE TABLE hardwon.injections (
    project  text   COLLATE "C" NOT NULL,
    run      text   COLLATE "C" NOT NULL,
    role     text   COLLATE "C" NOT NULL,
    need     text   COLLATE "C" NOT NULL,
    at       bigint NOT NULL,
    n_tokens bigint NOT NULL,
    lessons  text[] COLLATE "C" NOT NULL,
    body     text   COLLATE "C" NOT NULL,
    bodies   text   COLLATE "C" NOT NULL,
    texts    text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, run, role, need)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.injections USING gin (lessons);
CREATE INDEX ON hardwon.injections USING gin (texts);

CREATE TABLE hardwon.effects (
    project    text   COLLATE "C" NOT NULL,
    root       text   COLLATE "C" NOT NULL,
    lesson     text   COLLATE "C" NOT NULL,
    run_number bigint NOT NULL,
    body       text   COLLATE "C" NOT NULL,
    bodies     text   COLLATE "C" NOT NULL,
    texts      text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, root, lesson)
) PARTITION BY HASH (project);
-- By lesson first: of a global lesson, every project's effects are read.
CREATE INDEX ON hardwon.effects (lesson, project, run_number, root);

CREATE TABLE hardwon.deliberations (
    project text   COLLATE "C" NOT NULL,
    id      text   COLLATE "C" NOT NULL,
    at      bigint NOT NULL,
    run     text   COLLATE "C" NOT NULL,
    role    text   COLLATE "C" NOT NULL,
    verdict text   COLLATE "C",
    -- Whether its response is still there, and how long that is.
    is_kept boolean NOT NULL,
    n_bytes bigint NOT NULL,
    body    text   COLLATE "C" NOT NULL,
    bodies  text   COLLATE "C" NOT NULL,
    texts   text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, id)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.deliberations (project, at, id);
CREATE INDEX ON hardwon.deliberations USING gin (texts);

CREATE TABLE hardwon.attempts (
    project text   COLLATE "C" NOT NULL,
    id      text   COLLATE "C" NOT NULL,
    issue   text   COLLATE "C" NOT NULL,
    at      bigint NOT NULL,
    body    text   COLLATE "C" NOT NULL,
    bodies  text   COLLATE "C" NOT NULL,
    texts   text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, id)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.attempts (project, issue, at, id);
CREATE INDEX ON hardwon.attempts USING gin (texts);

CREATE TABLE hardwon.consultations (
    project  text   COLLATE "C" NOT NULL,
    id       text   COLLATE "C" NOT NULL,
    at       bigint NOT NULL,
    evidence text   COLLATE "C" NOT NULL,
    body     text   COLLATE "C" NOT NULL,
    bodies   text   COLLATE "C" NOT NULL,
    texts    text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, id)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.consultations (at, project, id);

-- Marks of lessons that were forgotten for good: digests, never words.
CREATE TABLE hardwon.tombstones (
    project text   COLLATE "C" NOT NULL,
    lesson  text   COLLATE "C" NOT NULL,
    body    text   COLLATE "C" NOT NULL,
    PRIMARY KEY (project, lesson)
) PARTITION BY HASH (project);

CREATE TABLE hardwon.operations (
    project text   COLLATE "C" NOT NULL,
    id      bigint NOT NULL,
    command text   COLLATE "C" NOT NULL,
    actor   text   COLLATE "C" NOT NULL,
    at      bigint NOT NULL,
    undoes  bigint,
    PRIMARY KEY (project, id)
) PARTITION BY HASH (project);

CREATE TABLE hardwon.journal (
    project        text   COLLATE "C" NOT NULL,
    sequence       bigint NOT NULL,
    operation      bigint NOT NULL,
    -- What the clock showed when it was written; if it belongs to what all projects see, it is
    -- what moved the clock there.
    clock          bigint NOT NULL,
    is_shared      boolean NOT NULL,
    -- Whether it changes a global lesson: such a change is seen by every project.
    is_global      boolean NOT NULL,
    lesson         text   COLLATE "C",
    touches_memory boolean NOT NULL,
    version        bigint NOT NULL,
    is_addition    boolean NOT NULL,
    body           text   COLLATE "C" NOT NULL,
    bodies         text   COLLATE "C" NOT NULL,
    texts          text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (project, sequence)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.journal (project, operation, sequence);
CREATE INDEX ON hardwon.journal (project, lesson, sequence) WHERE lesson IS NOT NULL;
CREATE INDEX ON hardwon.journal (clock, sequence) WHERE is_global;
-- The order in which lessons were added, which some systems call them by.
CREATE INDEX ON hardwon.journal (project, sequence) WHERE is_addition;
CREATE INDEX ON hardwon.journal USING gin (texts);

-- The text index: how many texts of a sort hold a term, and which. The empty term counts the texts.
CREATE TABLE hardwon.terms (
    project text   COLLATE "C" NOT NULL,
    sort    text   COLLATE "C" NOT NULL,
    term    text   COLLATE "C" NOT NULL,
    n_texts bigint NOT NULL,
    PRIMARY KEY (project, sort, term)
) PARTITION BY HASH (project);

CREATE TABLE hardwon.lesson_terms (
    project       text COLLATE "C" NOT NULL,
    term          text COLLATE "C" NOT NULL,
    lesson        text COLLATE "C" NOT NULL,
    is_injectable boolean NOT NULL,
    -- What is asked of this table stands in the index.
    PRIMARY KEY (project, term, lesson) INCLUDE (is_injectable)
) PARTITION BY HASH (project);

CREATE TABLE hardwon.finding_terms (
    project text COLLATE "C" NOT NULL,
    term    text COLLATE "C" NOT NULL,
    run     text COLLATE "C" NOT NULL,
    key     text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, term, run, key)
) PARTITION BY HASH (project);

CREATE TABLE hardwon.deliberation_terms (
    project text   COLLATE "C" NOT NULL,
    term    text   COLLATE "C" NOT NULL,
    at      bigint NOT NULL,
    id      text   COLLATE "C" NOT NULL,
    PRIMARY KEY (project, term, at, id)
) PARTITION BY HASH (project);

-- How often what comes up where: sums over the root runs. What one of them contributes is decided
-- in the program. A facet is a folder, a file, a kind of file or a word of a title.
CREATE TABLE hardwon.facets (
    project text   COLLATE "C" NOT NULL,
    facet   text   COLLATE "C" NOT NULL,
    n_runs  bigint NOT NULL,
    PRIMARY KEY (project, facet)
) PARTITION BY HASH (project);

CREATE TABLE hardwon.seen_at (
    project text   COLLATE "C" NOT NULL,
    facet   text   COLLATE "C" NOT NULL,
    lesson  text   COLLATE "C" NOT NULL,
    n_runs  bigint NOT NULL,
    -- Who asks how often some lessons came up with some facets asks lesson by lesson.
    PRIMARY KEY (project, lesson, facet) INCLUDE (n_runs)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.seen_at (project, facet, n_runs DESC, lesson);

CREATE TABLE hardwon.trials (
    project   text   COLLATE "C" NOT NULL,
    lesson    text   COLLATE "C" NOT NULL,
    number    bigint NOT NULL,
    root      text   COLLATE "C" NOT NULL,
    was_seen  boolean NOT NULL,
    was_shown boolean NOT NULL,
    PRIMARY KEY (project, lesson, number, root)
) PARTITION BY HASH (project);

-- Sums of the trials, faded, as of the run `as_of`. `rank` orders lessons by how often they came
-- up, at every later run alike; none for one that never did.
CREATE TABLE hardwon.rates (
    project    text   COLLATE "C" NOT NULL,
    lesson     text   COLLATE "C" NOT NULL,
    as_of      bigint NOT NULL,
    seen       double precision NOT NULL,
    shown      double precision NOT NULL,
    shown_seen double precision NOT NULL,
    last       bigint NOT NULL,
    rank       double precision,
    PRIMARY KEY (project, lesson)
) PARTITION BY HASH (project);
CREATE INDEX ON hardwon.rates (project, rank DESC, lesson) WHERE rank IS NOT NULL;

-- Who sees which rows. The program says in each transaction for which project it works; that it
-- works for all of them is believed only of those who own the tables.
CREATE FUNCTION hardwon.reaches_everything() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(current_setting('hardwon.reach', true) = 'everything', false)
       AND pg_has_role(current_user, (SELECT nspowner FROM pg_namespace WHERE nspname = 'hardwon'),
                       'MEMBER')
$$;

DO $$
DECLARE
    parent text;
    child  text;
BEGIN
    FOR parent IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'p' ORDER BY relname
    LOOP
        EXECUTE format('ALTER TABLE hardwon.%I ENABLE ROW LEVEL SECURITY', parent);
        EXECUTE format('ALTER TABLE hardwon.%I FORCE ROW LEVEL SECURITY', parent);
        EXECUTE format('CREATE POLICY of_the_project ON hardwon.%I USING (
                            project = (SELECT current_setting(''hardwon.project'', true))
                            OR project = ''''
                            OR (SELECT hardwon.reaches_everything()))', parent);
        FOR part IN 0..15 LOOP
            child := parent || '_' || part;
            EXECUTE format('CREATE TABLE hardwon.%I PARTITION OF hardwon.%I
                            FOR VALUES WITH (MODULUS 16, REMAINDER %s)', child, parent, part);
            EXECUTE format('ALTER TABLE hardwon.%I ENABLE ROW LEVEL SECURITY', child);
            EXECUTE format('ALTER TABLE hardwon.%I FORCE ROW LEVEL SECURITY', child);
            EXECUTE format('CREATE POLICY of_the_project ON hardwon.%I USING (
                                project = current_setting(''hardwon.project'', true)
                                OR project = '''' OR hardwon.reaches_everything())', child);
        END LOOP;
    END LOOP;
END $$;

-- What was done to a global lesson, and what it did, is seen by all projects.
CREATE POLICY of_global_lessons ON hardwon.journal FOR SELECT USING (is_global);
CREATE POLICY of_global_lessons ON hardwon.operations FOR SELECT USING (EXISTS (
    SELECT 1 FROM hardwon.journal AS j
    WHERE j.project = operations.project AND j.operation = operations.id AND j.is_global));
CREATE POLICY of_global_lessons ON hardwon.effects FOR SELECT USING (
    lesson IN (SELECT id FROM hardwon.lessons WHERE project = ''));
-- Who has a checkout of a project finds it.
CREATE POLICY of_a_checkout ON hardwon.projects FOR SELECT USING (
    paths @> ARRAY[(SELECT current_setting('hardwon.path', true))]
    OR marks @> ARRAY[(SELECT current_setting('hardwon.mark', true))]);

INSERT INTO hardwon.projects (project) VALUES ('');

-- Who writes works for one project, and all rows of a project lie in the parts of one number. What a
-- writer reads and puts goes to these parts: a plan for a part is kept as it is, while one for the whole
-- table locks all of its parts, or is made anew for each project. The functions have no rights but those
-- of the caller, and each part has the policy of its table: by this door, too, there is nothing to see
-- but the project that the caller works for, and what all projects see.

-- The number of the parts that rows of a project lie in: the server itself is asked.
CREATE FUNCTION hardwon.part_of(project text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT part::bigint FROM generate_series(0, 15) AS part
    WHERE satisfies_hash_partition('hardwon.projects'::regclass, 16, part, project)
$$;

-- Whoever changes what all projects see has this lock alone; everybody else who writes shares it. A row
-- that is shared by many is written by each of them, and has to say who they all are.
CREATE FUNCTION hardwon.lock_shared(is_alone boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF is_alone THEN
        PERFORM pg_advisory_xact_lock(7521418628511526402);
    ELSE
        PERFORM pg_advisory_xact_lock_shared(7521418628511526402);
    END IF;
END $$;

-- What a writer has to know: the locks, then the rows that it touches, those of their root runs, and the
-- trials of lessons. One call, since each is a question and an answer over the network. A lookup for each
-- key: of a list of them a plan that is kept, from when there were few rows, reads all of the project.
DO $$
DECLARE
    body CONSTANT text := $look$
        #variable_conflict use_column
        BEGIN
            PERFORM hardwon.lock_shared(_is_alone);
            RETURN QUERY
                SELECT 'shared', p.revision, p.clock, (SELECT max(v.version) FROM hardwon.versions AS v),
                       NULL, NULL
                FROM hardwon.projects_{global} AS p WHERE p.project = '';
            RETURN QUERY
                SELECT 'own', p.revision, p.n_operations, p.n_entries, NULL, NULL
                FROM hardwon.projects_{part} AS p WHERE p.project = _project FOR UPDATE;
            IF NOT FOUND THEN
                INSERT INTO hardwon.projects_{part} (project) VALUES (_project) ON CONFLICT DO NOTHING;
                RETURN QUERY
                    SELECT 'own', p.revision, p.n_operations, p.n_entries, NULL, NULL
                    FROM hardwon.projects_{part} AS p WHERE p.project = _project FOR UPDATE;
            END IF;
            IF _runs <> '{}' THEN
                RETURN QUERY
                    SELECT 'run', NULL::bigint, NULL::bigint, NULL::bigint, r.body, r.bodies
                    FROM unnest(_runs) AS wanted (id) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.runs_{part} AS t
                        WHERE t.project = _project AND t.id = wanted.id LIMIT 1) AS r;
            END IF;
            IF _finding_runs <> '{}' THEN
                RETURN QUERY
                    SELECT 'finding', NULL::bigint, NULL::bigint, NULL::bigint, f.body, f.bodies
                    FROM unnest(_finding_runs, _finding_keys) AS wanted (run, key) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.findings_{part} AS t
                        WHERE t.project = _project AND t.run = wanted.run AND t.key = wanted.key LIMIT 1) AS f;
            END IF;
            IF _injection_runs <> '{}' THEN
                RETURN QUERY
                    SELECT 'injection', NULL::bigint, NULL::bigint, NULL::bigint, i.body, i.bodies
                    FROM unnest(_injection_runs, _roles, _needs) AS wanted (run, role, need) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.injections_{part} AS t
                        WHERE t.project = _project AND t.run = wanted.run AND t.role = wanted.role
                          AND t.need = wanted.need LIMIT 1) AS i;
            END IF;
            IF _effect_roots <> '{}' THEN
                RETURN QUERY
                    SELECT 'effect', NULL::bigint, NULL::bigint, NULL::bigint, e.body, e.bodies
                    FROM unnest(_effect_roots, _effect_lessons) AS wanted (root, lesson) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.effects_{part} AS t
                        WHERE t.project = _project AND t.root = wanted.root AND t.lesson = wanted.lesson
                        LIMIT 1) AS e;
            END IF;
            IF _lessons <> '{}' THEN
                RETURN QUERY
                    SELECT 'lesson', NULL::bigint, NULL::bigint, NULL::bigint, l.body, l.bodies
                    FROM unnest(_lessons) AS wanted (id) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.lessons_{global} AS t
                        WHERE t.project = '' AND t.id = wanted.id LIMIT 1) AS l;
                RETURN QUERY
                    SELECT 'lesson', NULL::bigint, NULL::bigint, NULL::bigint, l.body, l.bodies
                    FROM unnest(_lessons) AS wanted (id) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.lessons_{part} AS t
                        WHERE t.project = _project AND t.id = wanted.id LIMIT 1) AS l;
            END IF;
            IF _roots <> '{}' THEN
                RETURN QUERY
                    SELECT 'run of a root', NULL::bigint, NULL::bigint, NULL::bigint, r.body, r.bodies
                    FROM unnest(_roots) AS wanted (root) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.runs_{part} AS t
                        WHERE t.project = _project AND t.root = wanted.root OFFSET 0) AS r;
                RETURN QUERY
                    SELECT 'finding of a root', NULL::bigint, NULL::bigint, NULL::bigint, r.body, r.bodies
                    FROM unnest(_roots) AS wanted (root) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.findings_{part} AS t
                        WHERE t.project = _project AND t.root = wanted.root OFFSET 0) AS r;
                RETURN QUERY
                    SELECT 'effect of a root', NULL::bigint, NULL::bigint, NULL::bigint, r.body, r.bodies
                    FROM unnest(_roots) AS wanted (root) CROSS JOIN LATERAL (
                        SELECT t.body, t.bodies FROM hardwon.effects_{part} AS t
                        WHERE t.project = _project AND t.root = wanted.root OFFSET 0) AS r;
            END IF;
            IF _seen <> '{}' THEN
                RETURN QUERY
                    SELECT 'trial', s.number, s.was_seen::integer::bigint, s.was_shown::integer::bigint,
                           wanted.lesson, s.root
                    FROM unnest(_seen) AS wanted (lesson) CROSS JOIN LATERAL (
                        SELECT t.number, t.was_seen, t.was_shown, t.root FROM hardwon.trials_{part} AS t
                        WHERE t.project = _project AND t.lesson = wanted.lesson OFFSET 0) AS s;
            END IF;
        END $look$;
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format(
            'CREATE FUNCTION hardwon.look_%s(
                 _project text, _is_alone boolean, _runs text[], _finding_runs text[], _finding_keys text[],
                 _injection_runs text[], _roles text[], _needs text[], _effect_roots text[],
                 _effect_lessons text[], _lessons text[], _roots text[], _seen text[])
             RETURNS TABLE (sort text, a bigint, b bigint, c bigint, body text, bodies text)
             LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS %L',
            part, replace(replace(body, '{part}', part::text), '{global}', hardwon.part_of('')::text));
        EXECUTE format(
            'CREATE FUNCTION hardwon.advance_%1$s(
                 _project text, _n_revisions bigint, _n_operations bigint, _n_entries bigint)
             RETURNS void LANGUAGE plpgsql AS $advance$
             BEGIN
                 UPDATE hardwon.projects_%1$s AS p
                 SET revision = p.revision + _n_revisions, n_operations = _n_operations, n_entries = _n_entries
                 WHERE p.project = _project;
             END $advance$', part);
    END LOOP;
END $$;

-- Rows are written by functions, one for each table, which take a list for each column (`_id` for the
-- column `id`): the server keeps the plan of what is in a function, and a batch calls all that it needs
-- in one statement. Those of a part have the rows of projects that lie in it; those of the whole table
-- have them of any project, and nobody writes history by them.
DO $$
DECLARE
    -- What is only added to: a row that is there already is a fault.
    history CONSTANT text[] := '{operations, journal}';
    -- Whose last column is a number that is added to.
    counts  CONSTANT text[] := '{terms, facets, seen_at}';
    -- What the row of a project says about it; the rest is counted by whoever writes.
    described CONSTANT text[] := '{project, description, paths, marks}';
    parent text;
    numbers smallint[];
    key    text;
    it     record;
    conflict text;
    suffix text;
    parts  CONSTANT text[] := (SELECT array_agg('_' || n) FROM generate_series(0, 15) AS n);
BEGIN
    FOR parent IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'p' ORDER BY relname
    LOOP
        -- What an index includes beside its key stands behind it.
        SELECT array_agg(k.attnum) INTO STRICT numbers
        FROM pg_index, unnest(indkey) WITH ORDINALITY AS k (attnum, n)
        WHERE indrelid = format('hardwon.%I', parent)::regclass AND indisprimary AND n <= indnkeyatts;
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO STRICT key
        FROM pg_attribute
        WHERE attrelid = format('hardwon.%I', parent)::regclass AND attnum = ANY (numbers);

        -- A list of lists is taken as a list of their texts.
        SELECT string_agg(format('%I %s[]', '_' || attname, element), ', ' ORDER BY attnum) AS takes,
               string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns,
               string_agg(quote_ident('_' || attname), ', ' ORDER BY attnum) AS values,
               string_agg(format('v.%I::%s', '_' || attname, type), ', ' ORDER BY attnum) AS each,
               string_agg(format(CASE WHEN parent = ANY (counts) THEN '%1$I = %2$I.%1$I + excluded.%1$I'
                                      ELSE '%1$I = excluded.%1$I' END, attname, parent),
                          ', ' ORDER BY attnum) FILTER (WHERE NOT is_key) AS rest
        INTO it
        FROM (
            SELECT attnum, attname, format_type(atttypid, atttypmod) AS type,
                   regexp_replace(format_type(atttypid, atttypmod), '\[\]$', '') AS element,
                   attnum = ANY (numbers) AS is_key
            FROM pg_attribute
            WHERE attrelid = format('hardwon.%I', parent)::regclass AND attnum > 0
              AND (parent <> 'projects' OR attname = ANY (described))) AS columns;

        conflict := CASE WHEN parent = ANY (history) THEN ''
                         WHEN it.rest IS NULL THEN format('ON CONFLICT (%s) DO NOTHING', key)
                         ELSE format('ON CONFLICT (%s) DO UPDATE SET %s', key, it.rest) END;
        FOREACH suffix IN ARRAY CASE WHEN parent = ANY (history) THEN parts ELSE array_prepend('', parts) END LOOP
            EXECUTE format(
                'CREATE FUNCTION hardwon.%1$I(%2$s) RETURNS void LANGUAGE plpgsql AS $put$
                 BEGIN
                     INSERT INTO hardwon.%7$I AS %8$I (%3$s)
                     SELECT %4$s FROM unnest(%5$s) AS v (%5$s) %6$s;
                 END $put$',
                'put_' || parent || suffix, it.takes, it.columns, it.each, it.values, conflict,
                parent || suffix, parent);
        END LOOP;
    END LOOP;
END $$;
