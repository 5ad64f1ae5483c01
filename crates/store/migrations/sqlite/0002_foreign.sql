-- What lessons and injections need to go to and fro between layouts.

-- The record a lesson was imported from.
ALTER TABLE lessons ADD COLUMN extra INTEGER REFERENCES texts (key);

-- Empty when the need named none.
ALTER TABLE injections ADD COLUMN domain TEXT NOT NULL DEFAULT '';
