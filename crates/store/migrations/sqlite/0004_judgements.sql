-- What each reviewer thought of the work of a run: JSON.
ALTER TABLE runs ADD COLUMN judgements TEXT NOT NULL DEFAULT '{}';

-- A lesson that had proved itself failed.
ALTER TABLE effects ADD COLUMN is_regression INTEGER NOT NULL DEFAULT 0;
