-- Rows are written by functions, one for each table, which take a list for each column (`_id` for the
-- column `id`): the server
-- keeps the plan of what is in a function, and a batch calls all that it needs in one statement.
-- They have no rights but those of the caller, for whom the policies hold inside as outside.

-- Who asks how often some lessons came up with some facets asks lesson by lesson. The other index
-- of the table begins with the facet. What is asked of these two tables stands in the index.
ALTER TABLE hardwon.seen_at DROP CONSTRAINT seen_at_pkey,
    ADD PRIMARY KEY (project, lesson, facet) INCLUDE (n_runs);
ALTER TABLE hardwon.lesson_terms DROP CONSTRAINT lesson_terms_pkey,
    ADD PRIMARY KEY (project, term, lesson) INCLUDE (is_injectable);

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

        EXECUTE format(
            'CREATE FUNCTION hardwon.put_%1$s(%2$s) RETURNS void LANGUAGE plpgsql AS $put$
             BEGIN
                 INSERT INTO hardwon.%1$I AS %1$I (%3$s)
                 SELECT %4$s FROM unnest(%5$s) AS v (%5$s) %6$s;
             END $put$',
            parent, it.takes, it.columns, it.each, it.values,
            CASE WHEN parent = ANY (history) THEN ''
                 WHEN it.rest IS NULL THEN format('ON CONFLICT (%s) DO NOTHING', key)
                 ELSE format('ON CONFLICT (%s) DO UPDATE SET %s', key, it.rest) END);
    END LOOP;
END $$;
