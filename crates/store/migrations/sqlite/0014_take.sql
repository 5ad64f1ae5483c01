-- Between the views of schema 14 and its new tables: rows are taken out.

CREATE TEMP TABLE old_runs AS SELECT * FROM temp.runs;
DROP VIEW temp.runs;
DROP TABLE main.runs;
CREATE TEMP TABLE old_lessons AS SELECT * FROM temp.lessons;
DROP VIEW temp.lessons;
DROP TABLE main.lessons;
CREATE TEMP TABLE old_findings AS SELECT * FROM temp.findings;
DROP VIEW temp.findings;
DROP TABLE main.findings;
CREATE TEMP TABLE old_injections AS SELECT * FROM temp.injections;
DROP VIEW temp.injections;
DROP TABLE main.injections;
CREATE TEMP TABLE old_effects AS SELECT * FROM temp.effects;
DROP VIEW temp.effects;
DROP TABLE main.effects;
CREATE TEMP TABLE old_deliberations AS SELECT * FROM temp.deliberations;
DROP VIEW temp.deliberations;
DROP TABLE main.deliberations;
CREATE TEMP TABLE old_attempts AS SELECT * FROM temp.attempts;
DROP VIEW temp.attempts;
DROP TABLE main.attempts;
CREATE TEMP TABLE old_tombstones AS SELECT * FROM temp.tombstones;
DROP VIEW temp.tombstones;
DROP TABLE main.tombstones;
CREATE TEMP TABLE old_consultations AS SELECT * FROM main.consultations;
DROP TABLE main.consultations;
ALTER TABLE main.texts RENAME TO old_texts;
