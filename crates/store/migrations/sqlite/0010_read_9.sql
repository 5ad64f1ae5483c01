-- Version 9, and those below it, as a reader of version 10 sees it: nothing was asked of a model.

CREATE TEMP VIEW consultations AS
    SELECT NULL AS project, NULL AS id, NULL AS at, NULL AS evidence, NULL AS body
    WHERE FALSE;
