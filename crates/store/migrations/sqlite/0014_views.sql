-- The rows of schema 14, which had a column for each field, in the form of `0015_rows.sql`. A file that
-- has not been brought up to date is read through these; that is done from them, too.

CREATE TEMP VIEW runs AS
SELECT project, id, root, iif(is_learned, number, NULL) AS number,
    iif(is_learned, finished_at, NULL) AS finished,
    coalesce(started_at, finished_at, recorded_at) AS at,
    session, task, agent, kind, outcome,
    json_object(
            'id', id,
            'parent', parent,
            'root', root,
            'number', number,
            'is_learned', json(iif(is_learned, 'true', 'false')),
            'is_counted', json(iif(is_counted, 'true', 'false')),
            'kind', kind,
            'role', role,
            'agent', agent,
            'task', task,
            'domain', domain,
            'started', started_at,
            'finished', finished_at,
            'outcome', outcome,
            'detectors', json(detectors),
            'reasoned_only', json(reasoned_only),
            'judgements', json(judgements),
            'paths', json(paths),
            'tools', json(tools),
            'tags', json(tags),
            'episode', json(episode),
            'recorded_at', recorded_at) AS body
FROM main.runs;

CREATE TEMP VIEW lessons AS
SELECT key, project, id, kind, state, prior, is_injectable, is_kept,
    n_helped + n_no_help + n_hurt + n_contradicted + n_neutral + n_no_opportunity > 0 AS is_shown,
    state IN ('under_review', 'quarantined')
        OR (state NOT IN ('archived', 'superseded', 'rejected')
            AND (reviews <> '[]' OR (trust <> 'trusted' AND instr(scope, '"person":') > 0)
                OR (origin = 'agent' AND grade IS NULL))) AS waits,
    iif(state = 'stable', n_helped, 0) AS n_helped, decay_base, scope,
    n_helped AS helped, n_no_help AS no_help, n_hurt AS hurt, n_contradicted AS contradicted,
    n_neutral AS neutral, n_no_opportunity AS no_opportunity, expected, severity, is_pinned, arms,
    json_object(
            'id', id,
            'project', nullif((SELECT id FROM main.projects WHERE key = project), ''),
            'kind', kind,
            'category', category,
            'text', (SELECT id FROM main.texts WHERE key = text),
            'scope', json(scope),
            'tags', json(tags),
            'paths', json(paths),
            'severity', severity,
            'state', state,
            'importance', json(json_real(importance)),
            'base_confidence', json(json_real(base_confidence)),
            'confidence', json(json_real(confidence)),
            'n_sightings', n_sightings,
            'standing', standing,
            'last_seen_run', last_seen_run,
            'unseen', json_object('n_runs', n_runs_unseen, 'checked_at', unseen_checked_at),
            'detectors', json(detectors),
            'grade', grade,
            'effects', json_object(
            'n_helped', n_helped, 'n_no_help', n_no_help, 'n_hurt', n_hurt,
            'n_contradicted', n_contradicted, 'n_neutral', n_neutral,
            'n_no_opportunity', n_no_opportunity, 'expected_thousandths', expected),
            'is_pinned', json(iif(is_pinned, 'true', 'false')),
            'author', author,
            'origin', origin,
            'trust', trust,
            'aliases', json(aliases),
            'signatures', json(signatures),
            'extra', (SELECT id FROM main.texts WHERE key = extra),
            'upkeep', json(upkeep),
            'reviews', json(reviews),
            'superseded_by', superseded_by,
            'arms', json(arms),
            'guidance', json(guidance),
            'created_at', created_at,
            'updated_at', updated_at) AS body
FROM main.lessons;

CREATE TEMP VIEW findings AS
SELECT project, run, key, root, author, state, signature, lesson,
    json_object(
            'key', key,
            'run', run,
            'root', root,
            'author', author,
            'severity', severity,
            'category', category,
            'rule', rule,
            'text', (SELECT id FROM main.texts WHERE key = findings.text),
            'place', json(iif(path IS NULL, NULL, json_object('path', path, 'line', line))),
            'grade', grade,
            'signature', signature,
            'state', state,
            'is_sighting', json(iif(is_sighting, 'true', 'false')),
            'lesson', lesson,
            'likeness', json(json_real(likeness)),
            'fixed_in', fixed_in,
            'repair', repair,
            'ruled_by', ruled_by) AS body
FROM main.findings;

CREATE TEMP VIEW injections AS
SELECT project, run, role, need, at, n_tokens,
    json_object(
            'run', run,
            'role', role,
            'domain', domain,
            'need', need,
            'at', at,
            'shown', json(shown),
            'held_out', json(held_out),
            'surface', surface,
            'block', (SELECT id FROM main.texts WHERE key = block),
            'digest', digest,
            'n_tokens', n_tokens) AS body
FROM main.injections;

CREATE TEMP VIEW effects AS
SELECT project, root, lesson, run_number,
    json_object(
            'lesson', lesson,
            'root', root,
            'run_number', run_number,
            'kind', kind,
            'why', why,
            'is_named', json(iif(is_named, 'true', 'false')),
            'surface', surface,
            'follow_up', follow_up,
            'is_regression', json(iif(is_regression, 'true', 'false')),
            'arm', arm,
            'weight', json(json_real(weight)),
            'expected', json(json_real(expected))) AS body
FROM main.effects;

CREATE TEMP VIEW deliberations AS
SELECT key, project, id, at, run, role, verdict,
    (SELECT texts.body IS NOT NULL FROM main.texts WHERE texts.key = response) AS is_kept,
    (SELECT coalesce(octet_length(texts.body), 0) FROM main.texts
     WHERE texts.key = response) AS n_bytes,
    json_object(
            'id', id,
            'run', run,
            'role', role,
            'verdict', verdict,
            'summary', summary,
            'grade', grade,
            'model', model,
            'issue', issue,
            'n_tokens', n_tokens,
            'duration_ms', duration_ms,
            'at', at,
            'response', (SELECT id FROM main.texts WHERE key = response)) AS body
FROM main.deliberations;

CREATE TEMP VIEW attempts AS
SELECT project, id, issue, at,
    json_object(
            'id', id,
            'run', run,
            'issue', issue,
            'iteration', iteration,
            'author', author,
            'approach', (SELECT id FROM main.texts WHERE key = approach),
            'files', json(files),
            'result', result,
            'why', why,
            'next', next,
            'is_claim', json(iif(is_claim, 'true', 'false')),
            'at', at) AS body
FROM main.attempts;

CREATE TEMP VIEW tombstones AS
SELECT project, lesson,
    json_object(
            'lesson', lesson,
            'project', nullif((SELECT id FROM main.projects WHERE key = project), ''),
            'kind', kind,
            'texts', json(texts),
            'signatures', json(signatures),
            'at', at,
            'by', forgot_by) AS body
FROM main.tombstones;
