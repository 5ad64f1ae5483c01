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
    PRIMARY KEY (project, term, lesson)
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
    PRIMARY KEY (project, facet, lesson)
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
            -- Without a policy nobody comes in by this door.
            EXECUTE format('ALTER TABLE hardwon.%I ENABLE ROW LEVEL SECURITY', child);
            EXECUTE format('ALTER TABLE hardwon.%I FORCE ROW LEVEL SECURITY', child);
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
