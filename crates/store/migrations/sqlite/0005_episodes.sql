-- What a run tells about itself beyond what counting needs: JSON. The session stands
-- apart, because runs are looked up by it.
ALTER TABLE runs ADD COLUMN session TEXT;
ALTER TABLE runs ADD COLUMN episode TEXT NOT NULL DEFAULT '{}';

-- The newest runs first, and those of one session.
CREATE INDEX runs_by_time ON runs (project, coalesce(started_at, finished_at, recorded_at));
CREATE INDEX runs_by_session ON runs (project, session) WHERE session IS NOT NULL;

-- The rule, the nuance, and when a lesson applies: JSON.
ALTER TABLE lessons ADD COLUMN guidance TEXT NOT NULL DEFAULT '{}';
