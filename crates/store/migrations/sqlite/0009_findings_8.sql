-- Findings of versions 7 and 8 as a reader of version 9 sees them: nobody is known to have
-- dismissed them.

CREATE TEMP VIEW findings AS SELECT *, NULL AS ruled_by FROM main.findings;
