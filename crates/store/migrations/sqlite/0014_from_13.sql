-- From version 13, which numbered operations and entries through all projects: each project gets
-- numbers of its own, which 0014_numbers.sql puts in.

ALTER TABLE operations ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE journal ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
CREATE INDEX operations_by_number ON operations (project, number);
