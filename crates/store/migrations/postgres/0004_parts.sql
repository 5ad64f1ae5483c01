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

-- Older programs share the row instead. Those that write at this moment are waited for, and who comes
-- later does not find what it calls.
SELECT 1 FROM hardwon.projects WHERE project = '' FOR UPDATE;
DROP FUNCTION hardwon.put_journal, hardwon.put_operations;

-- Policies, and who may read and write.
DO $$
DECLARE
    parent record;
    child  text;
    given  record;
BEGIN
    FOR parent IN
        SELECT oid, relname, relacl, relowner FROM pg_class
        WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'p' ORDER BY relname
    LOOP
        FOR part IN 0..15 LOOP
            child := parent.relname || '_' || part;
            EXECUTE format('CREATE POLICY of_the_project ON hardwon.%I USING (
                                project = current_setting(''hardwon.project'', true)
                                OR project = '''' OR hardwon.reaches_everything())', child);
            FOR given IN
                SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role,
                       string_agg(privilege_type, ', ') AS rights
                FROM aclexplode(parent.relacl) WHERE grantee <> parent.relowner GROUP BY grantee
            LOOP
                EXECUTE format('GRANT %s ON hardwon.%I TO %s', given.rights, child, given.role);
            END LOOP;
        END LOOP;
    END LOOP;
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

-- Rows are put as by the functions for the whole tables, which have them of any project.
DO $$
DECLARE
    history CONSTANT text[] := '{operations, journal}';
    counts  CONSTANT text[] := '{terms, facets, seen_at}';
    described CONSTANT text[] := '{project, description, paths, marks}';
    parent text;
    numbers smallint[];
    key    text;
    it     record;
BEGIN
    FOR parent IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'p' ORDER BY relname
    LOOP
        SELECT array_agg(k.attnum) INTO STRICT numbers
        FROM pg_index, unnest(indkey) WITH ORDINALITY AS k (attnum, n)
        WHERE indrelid = format('hardwon.%I', parent)::regclass AND indisprimary AND n <= indnkeyatts;
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO STRICT key
        FROM pg_attribute
        WHERE attrelid = format('hardwon.%I', parent)::regclass AND attnum = ANY (numbers);

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

        FOR part IN 0..15 LOOP
            EXECUTE format(
                'CREATE FUNCTION hardwon.put_%1$s_%7$s(%2$s) RETURNS void LANGUAGE plpgsql AS $put$
                 BEGIN
                     INSERT INTO hardwon.%8$I AS %1$I (%3$s)
                     SELECT %4$s FROM unnest(%5$s) AS v (%5$s) %6$s;
                 END $put$',
                parent, it.takes, it.columns, it.each, it.values,
                CASE WHEN parent = ANY (history) THEN ''
                     WHEN it.rest IS NULL THEN format('ON CONFLICT (%s) DO NOTHING', key)
                     ELSE format('ON CONFLICT (%s) DO UPDATE SET %s', key, it.rest) END,
                part, parent || '_' || part);
        END LOOP;
    END LOOP;
END $$;
