-- The same of versions 5 and 6, which have a view of findings already.

DROP VIEW temp.findings;
CREATE TEMP VIEW findings AS SELECT *, NULL AS repair, NULL AS ruled_by FROM main.findings;
