-- From version 6, in which a finding did not say what to do about it.

ALTER TABLE findings ADD COLUMN repair TEXT;
