-- Version 13, and those below it, as a reader of version 14 sees it: with the numbers that
-- 0014_numbers.sql will put in. They are counted apart from the entries, which are long.

CREATE TEMP VIEW operations AS
    SELECT id, project, command, actor, at, undoes,
           row_number() OVER (PARTITION BY project ORDER BY id) AS number
    FROM main.operations;
CREATE TEMP VIEW journal AS
    SELECT entries.sequence, operation, project, is_global, lesson, touches_memory, version,
           payload, counted.number
    FROM main.journal AS entries
    JOIN (SELECT sequence, row_number() OVER (PARTITION BY project ORDER BY sequence)
                           + sequence - row_number() OVER (ORDER BY sequence) AS number
          FROM main.journal) AS counted ON counted.sequence = entries.sequence;
