-- What lessons need to go to and fro between layouts, and to be reviewed and weighed.

-- The record a lesson was imported from.
ALTER TABLE lessons ADD COLUMN extra INTEGER REFERENCES texts (key);
-- Dates and visits, decisions, and what chance showed: JSON.
ALTER TABLE lessons ADD COLUMN upkeep TEXT NOT NULL DEFAULT '{}';
ALTER TABLE lessons ADD COLUMN reviews TEXT NOT NULL DEFAULT '[]';
ALTER TABLE lessons ADD COLUMN superseded_by TEXT;
ALTER TABLE lessons ADD COLUMN arms TEXT NOT NULL DEFAULT '{}';

-- Empty when the need named none.
ALTER TABLE injections ADD COLUMN domain TEXT NOT NULL DEFAULT '';
ALTER TABLE injections ADD COLUMN held_out TEXT NOT NULL DEFAULT '[]';
ALTER TABLE injections ADD COLUMN surface TEXT NOT NULL DEFAULT 'task_packet';

ALTER TABLE effects ADD COLUMN surface TEXT NOT NULL DEFAULT 'task_packet';
ALTER TABLE effects ADD COLUMN follow_up TEXT NOT NULL DEFAULT 'none';
ALTER TABLE effects ADD COLUMN arm TEXT;
ALTER TABLE effects ADD COLUMN weight REAL NOT NULL DEFAULT 1.0;
