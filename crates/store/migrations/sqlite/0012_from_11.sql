-- From version 11, in which a page of findings that were dismissed or came back read all of them.
-- An index only.

CREATE INDEX findings_by_state ON findings (project, state, run, key) WHERE state <> 'open';
