-- After the new tables were made: rows are put into them.

INSERT INTO main.runs SELECT * FROM temp.old_runs;
DROP TABLE temp.old_runs;
INSERT INTO main.lessons SELECT * FROM temp.old_lessons;
DROP TABLE temp.old_lessons;
INSERT INTO main.findings SELECT * FROM temp.old_findings;
DROP TABLE temp.old_findings;
INSERT INTO main.injections SELECT * FROM temp.old_injections;
DROP TABLE temp.old_injections;
INSERT INTO main.effects SELECT * FROM temp.old_effects;
DROP TABLE temp.old_effects;
INSERT INTO main.deliberations SELECT * FROM temp.old_deliberations;
DROP TABLE temp.old_deliberations;
INSERT INTO main.attempts SELECT * FROM temp.old_attempts;
DROP TABLE temp.old_attempts;
INSERT INTO main.tombstones SELECT * FROM temp.old_tombstones;
DROP TABLE temp.old_tombstones;
INSERT INTO main.consultations SELECT * FROM temp.old_consultations;
DROP TABLE temp.old_consultations;
INSERT INTO main.texts SELECT id, body FROM main.old_texts ORDER BY id;
DROP TABLE main.old_texts;
