-- A store as version 5 left it, made by that program and dumped: a project that is known by
-- its path and a named one, with lessons, a global one, a block, an effect and a tombstone.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE projects (
    key       INTEGER PRIMARY KEY,
    name      TEXT    NOT NULL UNIQUE,
    -- Writes that touched memory.
    revision  INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    -- How many texts the index has of each sort.
    n_lessons INTEGER NOT NULL DEFAULT 0 CHECK (n_lessons >= 0),
    n_fixed   INTEGER NOT NULL DEFAULT 0 CHECK (n_fixed >= 0)
) STRICT;
INSERT INTO projects VALUES(0,'',1,1,0);
INSERT INTO projects VALUES(1,'/home/ada/shop',6,2,0);
INSERT INTO projects VALUES(2,'bakery',1,1,0);
CREATE TABLE texts (
    key  INTEGER PRIMARY KEY,
    id   TEXT NOT NULL UNIQUE,
    body TEXT
) STRICT;
INSERT INTO texts VALUES(1,'t-a52v5e7h8vtjj1f5j7t5t2k7q6','Query built by string concatenation');
INSERT INTO texts VALUES(2,'t-47w30vrcdxqac0syy4fawvh7ws',replace('<hardwon-memory>\nKnown from past runs; true when written: check any file, flag or function before relying on it.\n- Query built by string concatenation (seen in 2 runs, guardian)\n</hardwon-memory>\n','\n',char(10)));
INSERT INTO texts VALUES(3,'t-c0pwtf7qxyc89p0vb21wgq65nv','Use pnpm for every package install here');
INSERT INTO texts VALUES(5,'t-33haxbd7tb3s0df4cee986rdgc','Weigh the flour twice before the dough rests');
INSERT INTO texts VALUES(6,'t-q22x6jpav7d2ts37vwr84xkfcn','Socket left open after the last answer');
CREATE TABLE runs (
    project       INTEGER NOT NULL REFERENCES projects (key),
    id            TEXT    NOT NULL,
    parent        TEXT,
    root          TEXT    NOT NULL,
    number        INTEGER,
    is_learned    INTEGER NOT NULL CHECK (is_learned IN (0, 1)),
    is_counted    INTEGER NOT NULL CHECK (is_counted IN (0, 1)),
    kind          TEXT    NOT NULL,
    role          TEXT,
    agent         TEXT,
    task          TEXT,
    domain        TEXT,
    started_at    INTEGER,
    finished_at   INTEGER,
    outcome       TEXT,
    detectors     TEXT    NOT NULL,
    reasoned_only TEXT    NOT NULL,
    paths         TEXT    NOT NULL,
    tools         TEXT    NOT NULL,
    tags          TEXT    NOT NULL,
    recorded_at   INTEGER NOT NULL, judgements TEXT NOT NULL DEFAULT '{}', session TEXT, episode TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (project, id)
) STRICT;
INSERT INTO runs VALUES(1,'r1',NULL,'r1',1,1,1,'other',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'["guardian"]','[]','[]','[]','[]',1775224800000,'{}',NULL,'{}');
INSERT INTO runs VALUES(1,'r2',NULL,'r2',2,1,1,'other',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'["guardian"]','[]','[]','[]','[]',1775224800000,'{}',NULL,'{}');
INSERT INTO runs VALUES(1,'r3',NULL,'r3',3,1,1,'other',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'["guardian"]','[]','[]','[]','[]',1775228400000,'{}',NULL,'{}');
CREATE TABLE lessons (
    key               INTEGER PRIMARY KEY,
    id                TEXT    NOT NULL UNIQUE,
    project           INTEGER NOT NULL REFERENCES projects (key),
    kind              TEXT    NOT NULL,
    category          TEXT,
    text              INTEGER NOT NULL REFERENCES texts (key),
    scope             TEXT    NOT NULL,
    tags              TEXT    NOT NULL,
    paths             TEXT    NOT NULL,
    severity          TEXT    NOT NULL,
    state             TEXT    NOT NULL,
    importance        REAL    NOT NULL,
    base_confidence   REAL    NOT NULL,
    confidence        REAL    NOT NULL,
    n_sightings       INTEGER NOT NULL CHECK (n_sightings >= 0),
    standing          INTEGER NOT NULL CHECK (standing >= 0),
    last_seen_run     TEXT,
    n_runs_unseen     INTEGER NOT NULL CHECK (n_runs_unseen >= 0),
    unseen_checked_at INTEGER NOT NULL CHECK (unseen_checked_at >= 0),
    detectors         TEXT    NOT NULL,
    grade             TEXT,
    n_helped          INTEGER NOT NULL CHECK (n_helped >= 0),
    n_no_help         INTEGER NOT NULL CHECK (n_no_help >= 0),
    n_hurt            INTEGER NOT NULL CHECK (n_hurt >= 0),
    n_contradicted    INTEGER NOT NULL CHECK (n_contradicted >= 0),
    n_neutral         INTEGER NOT NULL CHECK (n_neutral >= 0),
    n_no_opportunity  INTEGER NOT NULL CHECK (n_no_opportunity >= 0),
    is_pinned         INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    author            TEXT    NOT NULL,
    origin            TEXT    NOT NULL,
    trust             TEXT    NOT NULL,
    aliases           TEXT    NOT NULL,
    signatures        TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    -- Kept for queries.
    prior             REAL    NOT NULL,
    is_injectable     INTEGER NOT NULL CHECK (is_injectable IN (0, 1)),
    is_kept           INTEGER NOT NULL CHECK (is_kept IN (0, 1)),
    -- Run number from which unseen runs count; none for what runs do not wear out.
    decay_base        INTEGER
, extra INTEGER REFERENCES texts (key), upkeep TEXT NOT NULL DEFAULT '{}', reviews TEXT NOT NULL DEFAULT '[]', superseded_by TEXT, arms TEXT NOT NULL DEFAULT '{}', guidance TEXT NOT NULL DEFAULT '{}') STRICT;
INSERT INTO lessons VALUES(1,'l-8064y09',1,'hint',NULL,1,'{}','[]','["src/api.rs"]','warning','provisional',0.59999999999999997779,0.59999999999999997779,0.69999999999999995559,2,2,'r2',0,3,'["guardian"]',NULL,1,0,0,0,0,0,0,'guardian','reviewer','pipeline','[]','["s-d9338a195ea3e978"]',1775224800000,1775228400000,2.0670000000000001705,1,0,3,NULL,'{"review_after":1777816800000,"used_at":1775228400000,"set_at_run":2,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0}','[]',NULL,'{"n_shown":0,"n_shown_again":0,"n_held_out":0,"n_held_out_again":0}','{}');
INSERT INTO lessons VALUES(2,'l-bdrvz1v',0,'preference',NULL,3,'{}','[]','[]','info','candidate',0.59999999999999997779,0.8000000000000000444,0.8000000000000000444,0,1,NULL,0,2,'[]',NULL,0,0,0,0,0,0,0,'ada','user','trusted','[]','[]',1775224800000,1775224800000,1.8999999999999999111,1,1,NULL,NULL,'{"set_at_run":0,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0}','[]',NULL,'{"n_shown":0,"n_shown_again":0,"n_held_out":0,"n_held_out_again":0}','{}');
INSERT INTO lessons VALUES(4,'l-xnkhtx1',2,'preference',NULL,5,'{}','[]','[]','info','candidate',0.59999999999999997779,0.8000000000000000444,0.8000000000000000444,0,1,NULL,0,0,'[]',NULL,0,0,0,0,0,0,0,'ada','user','trusted','[]','[]',1775224800000,1775224800000,1.8999999999999999111,1,1,NULL,NULL,'{"set_at_run":0,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0}','[]',NULL,'{"n_shown":0,"n_shown_again":0,"n_held_out":0,"n_held_out_again":0}','{}');
INSERT INTO lessons VALUES(5,'l-wek8nhm',1,'pattern',NULL,6,'{}','[]','["src/net.rs"]','warning','candidate',0.59999999999999997779,0.4000000000000000222,0.4000000000000000222,1,1,'r3',0,3,'["guardian"]',NULL,0,0,0,0,0,0,0,'guardian','reviewer','pipeline','[]','["s-1cefa9a4576734dd"]',1775228400000,1775228400000,1.5500000000000000444,0,0,3,NULL,'{"set_at_run":0,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0}','[]',NULL,'{"n_shown":0,"n_shown_again":0,"n_held_out":0,"n_held_out_again":0}','{}');
CREATE TABLE aliases (
    project INTEGER NOT NULL,
    alias   TEXT    NOT NULL,
    lesson  TEXT    NOT NULL,
    PRIMARY KEY (project, alias, lesson)
) STRICT, WITHOUT ROWID;
CREATE TABLE findings (
    project     INTEGER NOT NULL REFERENCES projects (key),
    run         TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    root        TEXT    NOT NULL,
    author      TEXT    NOT NULL,
    severity    TEXT    NOT NULL,
    category    TEXT,
    rule        TEXT,
    text        INTEGER NOT NULL REFERENCES texts (key),
    path        TEXT,
    line        INTEGER,
    grade       TEXT,
    signature   TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    is_sighting INTEGER NOT NULL CHECK (is_sighting IN (0, 1)),
    lesson      TEXT,
    likeness    REAL    NOT NULL,
    fixed_in    TEXT,
    PRIMARY KEY (project, run, key)
) STRICT;
INSERT INTO findings VALUES(1,'r1','f-z9meqy0evb8gwsf9','r1','guardian','warning',NULL,NULL,1,'src/api.rs',NULL,NULL,'s-d9338a195ea3e978','open',1,'l-8064y09',1.0,NULL);
INSERT INTO findings VALUES(1,'r2','f-z9meqy0evb8gwsf9','r2','guardian','warning',NULL,NULL,1,'src/api.rs',NULL,NULL,'s-d9338a195ea3e978','open',1,'l-8064y09',1.0,NULL);
INSERT INTO findings VALUES(1,'r3','f-vzb6rg2y97e4dm9h','r3','guardian','warning',NULL,NULL,6,'src/net.rs',NULL,NULL,'s-1cefa9a4576734dd','open',1,'l-wek8nhm',1.0,NULL);
CREATE TABLE injections (
    project  INTEGER NOT NULL REFERENCES projects (key),
    run      TEXT    NOT NULL,
    role     TEXT    NOT NULL,
    need     TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    shown    TEXT    NOT NULL,
    block    INTEGER NOT NULL REFERENCES texts (key),
    digest   TEXT    NOT NULL,
    n_tokens INTEGER NOT NULL CHECK (n_tokens >= 0), domain TEXT NOT NULL DEFAULT '', held_out TEXT NOT NULL DEFAULT '[]', surface TEXT NOT NULL DEFAULT 'task_packet',
    PRIMARY KEY (project, run, role, need)
) STRICT;
INSERT INTO injections VALUES(1,'r3','','5195d2fc408ab5d5830921b6f2299d18',1775224800000,'[{"lesson":"l-8064y09","digest":"5fed05ec02c9db51"}]',2,'sha256:e9a1be031d9e35e9a4cc80c0624603d2bcb4c94de814de5137f56012b483b304',60,'','[]','task_packet');
CREATE TABLE showings (
    project INTEGER NOT NULL,
    lesson  TEXT    NOT NULL,
    run     TEXT    NOT NULL,
    role    TEXT    NOT NULL,
    need    TEXT    NOT NULL,
    PRIMARY KEY (project, lesson, run, role, need)
) STRICT, WITHOUT ROWID;
INSERT INTO showings VALUES(1,'l-8064y09','r3','','5195d2fc408ab5d5830921b6f2299d18');
CREATE TABLE effects (
    project    INTEGER NOT NULL REFERENCES projects (key),
    root       TEXT    NOT NULL,
    lesson     TEXT    NOT NULL,
    run_number INTEGER NOT NULL CHECK (run_number >= 0),
    kind       TEXT    NOT NULL,
    why        TEXT    NOT NULL,
    is_named   INTEGER NOT NULL CHECK (is_named IN (0, 1)), surface TEXT NOT NULL DEFAULT 'task_packet', follow_up TEXT NOT NULL DEFAULT 'none', arm TEXT, weight REAL NOT NULL DEFAULT 1.0, is_regression INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project, root, lesson)
) STRICT;
INSERT INTO effects VALUES(1,'r3','l-8064y09',3,'helped','guardian looked and did not report it again',0,'task_packet','strengthen',NULL,1.0,0);
CREATE TABLE operations (
    id      INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (key),
    command TEXT    NOT NULL,
    actor   TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    undoes  INTEGER REFERENCES operations (id)
) STRICT;
INSERT INTO operations VALUES(1,1,'learn','ada',1775224800000,NULL);
INSERT INTO operations VALUES(2,1,'learn','ada',1775224800000,NULL);
INSERT INTO operations VALUES(3,1,'inject','ada',1775224800000,NULL);
INSERT INTO operations VALUES(4,1,'add','ada',1775224800000,NULL);
INSERT INTO operations VALUES(5,1,'add','ada',1775224800000,NULL);
INSERT INTO operations VALUES(6,2,'add','ada',1775224800000,NULL);
INSERT INTO operations VALUES(7,1,'forget','ada',1775224800000,NULL);
INSERT INTO operations VALUES(8,1,'learn','ada',1775228400000,NULL);
CREATE TABLE journal (
    sequence       INTEGER PRIMARY KEY,
    operation      INTEGER NOT NULL REFERENCES operations (id),
    project        INTEGER NOT NULL REFERENCES projects (key),
    -- Whether it changes a global lesson: such a change is seen by every project.
    is_global      INTEGER NOT NULL CHECK (is_global IN (0, 1)),
    lesson         TEXT,
    touches_memory INTEGER NOT NULL CHECK (touches_memory IN (0, 1)),
    version        INTEGER NOT NULL,
    payload        TEXT    NOT NULL
) STRICT;
INSERT INTO journal VALUES(1,1,1,0,NULL,1,1,'{"change":"add_run","run":{"id":"r1","parent":null,"root":"r1","number":1,"is_learned":true,"is_counted":true,"kind":"other","role":null,"agent":null,"task":null,"domain":null,"started":null,"finished":null,"outcome":null,"detectors":["guardian"],"reasoned_only":[],"paths":[],"tools":[],"tags":[],"recorded_at":1775224800000}}');
INSERT INTO journal VALUES(2,1,1,0,'l-8064y09',1,1,'{"change":"add_finding","finding":{"key":"f-z9meqy0evb8gwsf9","run":"r1","root":"r1","author":"guardian","severity":"warning","category":null,"rule":null,"text":"t-a52v5e7h8vtjj1f5j7t5t2k7q6","place":{"path":"src/api.rs","line":null},"grade":null,"signature":"s-d9338a195ea3e978","state":"open","is_sighting":true,"lesson":"l-8064y09","likeness":1.0,"fixed_in":null}}');
INSERT INTO journal VALUES(3,1,1,0,'l-8064y09',1,1,'{"change":"add_lesson","lesson":{"id":"l-8064y09","project":"/home/ada/shop","kind":"pattern","category":null,"text":"t-a52v5e7h8vtjj1f5j7t5t2k7q6","scope":{},"tags":[],"paths":["src/api.rs"],"severity":"warning","state":"candidate","importance":0.6,"base_confidence":0.4,"confidence":0.4,"n_sightings":1,"standing":1,"last_seen_run":"r1","unseen":{"n_runs":0,"checked_at":1},"detectors":["guardian"],"grade":null,"effects":{"n_helped":0,"n_no_help":0,"n_hurt":0,"n_contradicted":0,"n_neutral":0,"n_no_opportunity":0},"is_pinned":false,"author":"guardian","origin":"reviewer","trust":"pipeline","aliases":[],"signatures":["s-d9338a195ea3e978"],"created_at":1775224800000,"updated_at":1775224800000},"because":"reported by guardian in r1"}');
INSERT INTO journal VALUES(4,2,1,0,NULL,1,1,'{"change":"add_run","run":{"id":"r2","parent":null,"root":"r2","number":2,"is_learned":true,"is_counted":true,"kind":"other","role":null,"agent":null,"task":null,"domain":null,"started":null,"finished":null,"outcome":null,"detectors":["guardian"],"reasoned_only":[],"paths":[],"tools":[],"tags":[],"recorded_at":1775224800000}}');
INSERT INTO journal VALUES(5,2,1,0,'l-8064y09',1,1,'{"change":"add_finding","finding":{"key":"f-z9meqy0evb8gwsf9","run":"r2","root":"r2","author":"guardian","severity":"warning","category":null,"rule":null,"text":"t-a52v5e7h8vtjj1f5j7t5t2k7q6","place":{"path":"src/api.rs","line":null},"grade":null,"signature":"s-d9338a195ea3e978","state":"open","is_sighting":true,"lesson":"l-8064y09","likeness":1.0,"fixed_in":null}}');
INSERT INTO journal VALUES(6,2,1,0,'l-8064y09',1,1,'{"change":"edit_lesson","lesson":"l-8064y09","because":"seen again in r2 by guardian, so far by nobody else","fields":[{"kind":{"from":"pattern","to":"hint"}},{"base_confidence":{"from":0.4,"to":0.6}},{"confidence":{"from":0.4,"to":0.6}},{"sightings":{"from":1,"to":2}},{"standing":{"from":1,"to":2}},{"last_seen_run":{"from":"r1","to":"r2"}},{"unseen":{"from":{"n_runs":0,"checked_at":1},"to":{"n_runs":0,"checked_at":2}}}]}');
INSERT INTO journal VALUES(7,2,1,0,'l-8064y09',1,1,'{"change":"edit_lesson","lesson":"l-8064y09","because":"seen in 2 runs","fields":[{"state":{"from":"candidate","to":"provisional"}},{"upkeep":{"from":{"set_at_run":0,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0},"to":{"review_after":1777816800000,"set_at_run":2,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0}}}]}');
INSERT INTO journal VALUES(8,3,1,0,NULL,0,1,'{"change":"add_injection","injection":{"run":"r3","role":"","need":"5195d2fc408ab5d5830921b6f2299d18","at":1775224800000,"shown":[{"lesson":"l-8064y09","digest":"5fed05ec02c9db51"}],"block":"t-47w30vrcdxqac0syy4fawvh7ws","digest":"sha256:e9a1be031d9e35e9a4cc80c0624603d2bcb4c94de814de5137f56012b483b304","n_tokens":60}}');
INSERT INTO journal VALUES(9,4,1,1,'l-bdrvz1v',1,1,'{"change":"add_lesson","lesson":{"id":"l-bdrvz1v","project":null,"kind":"preference","category":null,"text":"t-c0pwtf7qxyc89p0vb21wgq65nv","scope":{},"tags":[],"paths":[],"severity":"info","state":"candidate","importance":0.6,"base_confidence":0.8,"confidence":0.8,"n_sightings":0,"standing":1,"last_seen_run":null,"unseen":{"n_runs":0,"checked_at":2},"detectors":[],"grade":null,"effects":{"n_helped":0,"n_no_help":0,"n_hurt":0,"n_contradicted":0,"n_neutral":0,"n_no_opportunity":0},"is_pinned":false,"author":"ada","origin":"user","trust":"trusted","aliases":[],"signatures":[],"created_at":1775224800000,"updated_at":1775224800000},"because":"stated by ada"}');
INSERT INTO journal VALUES(10,5,1,0,'l-3m83csg',1,1,'{"change":"add_lesson","lesson":{"id":"l-3m83csg","project":"/home/ada/shop","kind":"preference","category":null,"text":"t-erased","scope":{},"tags":[],"paths":[],"severity":"info","state":"candidate","importance":0.6,"base_confidence":0.8,"confidence":0.8,"n_sightings":0,"standing":1,"last_seen_run":null,"unseen":{"n_runs":0,"checked_at":2},"detectors":[],"grade":null,"effects":{"n_helped":0,"n_no_help":0,"n_hurt":0,"n_contradicted":0,"n_neutral":0,"n_no_opportunity":0},"is_pinned":false,"author":"ada","origin":"user","trust":"trusted","aliases":[],"signatures":[],"created_at":1775224800000,"updated_at":1775224800000},"because":"[erased]"}');
INSERT INTO journal VALUES(11,6,2,0,'l-xnkhtx1',1,1,'{"change":"add_lesson","lesson":{"id":"l-xnkhtx1","project":"bakery","kind":"preference","category":null,"text":"t-33haxbd7tb3s0df4cee986rdgc","scope":{},"tags":[],"paths":[],"severity":"info","state":"candidate","importance":0.6,"base_confidence":0.8,"confidence":0.8,"n_sightings":0,"standing":1,"last_seen_run":null,"unseen":{"n_runs":0,"checked_at":0},"detectors":[],"grade":null,"effects":{"n_helped":0,"n_no_help":0,"n_hurt":0,"n_contradicted":0,"n_neutral":0,"n_no_opportunity":0},"is_pinned":false,"author":"ada","origin":"user","trust":"trusted","aliases":[],"signatures":[],"created_at":1775224800000,"updated_at":1775224800000},"because":"stated by ada"}');
INSERT INTO journal VALUES(12,7,1,0,'l-3m83csg',1,1,'{"change":"remove_lesson","lesson":{"id":"l-3m83csg","project":"/home/ada/shop","kind":"preference","category":null,"text":"t-erased","scope":{},"tags":[],"paths":[],"severity":"info","state":"candidate","importance":0.6,"base_confidence":0.8,"confidence":0.8,"n_sightings":0,"standing":1,"last_seen_run":null,"unseen":{"n_runs":0,"checked_at":2},"detectors":[],"grade":null,"effects":{"n_helped":0,"n_no_help":0,"n_hurt":0,"n_contradicted":0,"n_neutral":0,"n_no_opportunity":0},"is_pinned":false,"author":"ada","origin":"user","trust":"trusted","aliases":[],"signatures":[],"created_at":1775224800000,"updated_at":1775224800000},"because":"forgotten for good by ada"}');
INSERT INTO journal VALUES(13,7,1,0,'l-3m83csg',1,1,'{"change":"add_tombstone","tombstone":{"lesson":"l-3m83csg","project":"/home/ada/shop","kind":"preference","texts":["d-5pqt6rz5dg08dk79zw3hsv1s5q"],"signatures":[],"at":1775224800000,"by":"ada"}}');
INSERT INTO journal VALUES(14,7,1,0,'l-3m83csg',1,1,'{"change":"erase","erasure":{"lesson":"l-3m83csg","is_global":false,"texts":["t-308k09kfr7qed6vs3qpvrv4s1z"],"words":["d0be23e9f12301e32b7dd14f42d31eb3"],"takes_said":true}}');
INSERT INTO journal VALUES(15,8,1,0,NULL,1,1,'{"change":"add_run","run":{"id":"r3","parent":null,"root":"r3","number":3,"is_learned":true,"is_counted":true,"kind":"other","role":null,"agent":null,"task":null,"domain":null,"started":null,"finished":null,"outcome":null,"detectors":["guardian"],"reasoned_only":[],"paths":[],"tools":[],"tags":[],"recorded_at":1775228400000}}');
INSERT INTO journal VALUES(16,8,1,0,'l-wek8nhm',1,1,'{"change":"add_finding","finding":{"key":"f-vzb6rg2y97e4dm9h","run":"r3","root":"r3","author":"guardian","severity":"warning","category":null,"rule":null,"text":"t-q22x6jpav7d2ts37vwr84xkfcn","place":{"path":"src/net.rs","line":null},"grade":null,"signature":"s-1cefa9a4576734dd","state":"open","is_sighting":true,"lesson":"l-wek8nhm","likeness":1.0,"fixed_in":null}}');
INSERT INTO journal VALUES(17,8,1,0,'l-wek8nhm',1,1,'{"change":"add_lesson","lesson":{"id":"l-wek8nhm","project":"/home/ada/shop","kind":"pattern","category":null,"text":"t-q22x6jpav7d2ts37vwr84xkfcn","scope":{},"tags":[],"paths":["src/net.rs"],"severity":"warning","state":"candidate","importance":0.6,"base_confidence":0.4,"confidence":0.4,"n_sightings":1,"standing":1,"last_seen_run":"r3","unseen":{"n_runs":0,"checked_at":3},"detectors":["guardian"],"grade":null,"effects":{"n_helped":0,"n_no_help":0,"n_hurt":0,"n_contradicted":0,"n_neutral":0,"n_no_opportunity":0},"is_pinned":false,"author":"guardian","origin":"reviewer","trust":"pipeline","aliases":[],"signatures":["s-1cefa9a4576734dd"],"created_at":1775228400000,"updated_at":1775228400000},"because":"reported by guardian in r3"}');
INSERT INTO journal VALUES(18,8,1,0,'l-8064y09',1,1,'{"change":"add_effect","effect":{"lesson":"l-8064y09","root":"r3","run_number":3,"kind":"helped","why":"guardian looked and did not report it again","is_named":false,"follow_up":"strengthen"}}');
INSERT INTO journal VALUES(19,8,1,0,'l-8064y09',1,1,'{"change":"edit_lesson","lesson":"l-8064y09","because":"helped in r3: guardian looked and did not report it again","fields":[{"confidence":{"from":0.6,"to":0.7}},{"unseen":{"from":{"n_runs":0,"checked_at":2},"to":{"n_runs":0,"checked_at":3}}},{"effects":{"from":{"n_helped":0,"n_no_help":0,"n_hurt":0,"n_contradicted":0,"n_neutral":0,"n_no_opportunity":0},"to":{"n_helped":1,"n_no_help":0,"n_hurt":0,"n_contradicted":0,"n_neutral":0,"n_no_opportunity":0}}},{"upkeep":{"from":{"review_after":1777816800000,"set_at_run":2,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0},"to":{"review_after":1777816800000,"used_at":1775228400000,"set_at_run":2,"n_visits":0,"n_hurt_forgiven":0,"n_contradicted_forgiven":0}}},{"updated_at":{"from":1775224800000,"to":1775228400000}}]}');
CREATE TABLE terms (
    key     INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,
    sort    TEXT    NOT NULL CHECK (sort IN ('lesson', 'finding')),
    term    TEXT    NOT NULL,
    -- How many texts hold it; a term that none holds has no row.
    n_texts INTEGER NOT NULL CHECK (n_texts > 0),
    UNIQUE (project, sort, term)
) STRICT;
INSERT INTO terms VALUES(1,1,'lesson','/src/api.rs',1);
INSERT INTO terms VALUES(2,1,'lesson','=s-d9338a195ea3e978',1);
INSERT INTO terms VALUES(3,1,'lesson','built',1);
INSERT INTO terms VALUES(4,1,'lesson','concatenat',1);
INSERT INTO terms VALUES(5,1,'lesson','query',1);
INSERT INTO terms VALUES(6,1,'lesson','string',1);
INSERT INTO terms VALUES(7,0,'lesson','install',1);
INSERT INTO terms VALUES(8,0,'lesson','packag',1);
INSERT INTO terms VALUES(9,0,'lesson','pnpm',1);
INSERT INTO terms VALUES(16,2,'lesson','dough',1);
INSERT INTO terms VALUES(17,2,'lesson','flour',1);
INSERT INTO terms VALUES(18,2,'lesson','rest',1);
INSERT INTO terms VALUES(19,2,'lesson','twic',1);
INSERT INTO terms VALUES(20,2,'lesson','weigh',1);
INSERT INTO terms VALUES(21,1,'lesson','/src/net.rs',1);
INSERT INTO terms VALUES(22,1,'lesson','=s-1cefa9a4576734dd',1);
INSERT INTO terms VALUES(23,1,'lesson','answer',1);
INSERT INTO terms VALUES(24,1,'lesson','last',1);
INSERT INTO terms VALUES(25,1,'lesson','left',1);
INSERT INTO terms VALUES(26,1,'lesson','open',1);
INSERT INTO terms VALUES(27,1,'lesson','socket',1);
CREATE TABLE lesson_terms (
    term          INTEGER NOT NULL,
    is_injectable INTEGER NOT NULL,
    lesson        TEXT    NOT NULL,
    PRIMARY KEY (term, is_injectable, lesson)
) STRICT, WITHOUT ROWID;
INSERT INTO lesson_terms VALUES(1,1,'l-8064y09');
INSERT INTO lesson_terms VALUES(2,1,'l-8064y09');
INSERT INTO lesson_terms VALUES(3,1,'l-8064y09');
INSERT INTO lesson_terms VALUES(4,1,'l-8064y09');
INSERT INTO lesson_terms VALUES(5,1,'l-8064y09');
INSERT INTO lesson_terms VALUES(6,1,'l-8064y09');
INSERT INTO lesson_terms VALUES(7,1,'l-bdrvz1v');
INSERT INTO lesson_terms VALUES(8,1,'l-bdrvz1v');
INSERT INTO lesson_terms VALUES(9,1,'l-bdrvz1v');
INSERT INTO lesson_terms VALUES(16,1,'l-xnkhtx1');
INSERT INTO lesson_terms VALUES(17,1,'l-xnkhtx1');
INSERT INTO lesson_terms VALUES(18,1,'l-xnkhtx1');
INSERT INTO lesson_terms VALUES(19,1,'l-xnkhtx1');
INSERT INTO lesson_terms VALUES(20,1,'l-xnkhtx1');
INSERT INTO lesson_terms VALUES(21,0,'l-wek8nhm');
INSERT INTO lesson_terms VALUES(22,0,'l-wek8nhm');
INSERT INTO lesson_terms VALUES(23,0,'l-wek8nhm');
INSERT INTO lesson_terms VALUES(24,0,'l-wek8nhm');
INSERT INTO lesson_terms VALUES(25,0,'l-wek8nhm');
INSERT INTO lesson_terms VALUES(26,0,'l-wek8nhm');
INSERT INTO lesson_terms VALUES(27,0,'l-wek8nhm');
CREATE TABLE finding_terms (
    term    INTEGER NOT NULL,
    run     TEXT    NOT NULL,
    finding TEXT    NOT NULL,
    PRIMARY KEY (term, run, finding)
) STRICT, WITHOUT ROWID;
CREATE TABLE tombstones (
    project    INTEGER NOT NULL REFERENCES projects (key),
    lesson     TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    texts      TEXT    NOT NULL,
    signatures TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    forgot_by  TEXT    NOT NULL,
    PRIMARY KEY (project, lesson)
) STRICT, WITHOUT ROWID;
INSERT INTO tombstones VALUES(1,'l-3m83csg','preference','["d-5pqt6rz5dg08dk79zw3hsv1s5q"]','[]',1775224800000,'ada');
CREATE INDEX runs_by_root ON runs (project, root, id);
CREATE INDEX runs_by_number ON runs (project, number, id)
    WHERE is_learned = 1 AND number IS NOT NULL;
CREATE INDEX runs_by_finish ON runs (project, finished_at)
    WHERE is_learned = 1 AND finished_at IS NOT NULL;
CREATE INDEX lessons_by_id ON lessons (project, id);
CREATE INDEX lessons_by_prior ON lessons (project, prior DESC, id, state, kind);
CREATE INDEX lessons_injectable ON lessons (project, prior DESC, id) WHERE is_injectable = 1;
CREATE INDEX lessons_kept ON lessons (project, prior DESC, id) WHERE is_kept = 1;
CREATE INDEX lessons_by_decay ON lessons (project, decay_base) WHERE decay_base IS NOT NULL;
CREATE INDEX findings_by_root ON findings (project, root, run, key);
CREATE INDEX findings_by_lesson ON findings (project, lesson) WHERE lesson IS NOT NULL;
CREATE INDEX findings_fixed ON findings (project, signature) WHERE state = 'fixed';
CREATE INDEX effects_by_lesson ON effects (lesson, project, run_number, root);
CREATE INDEX journal_by_operation ON journal (operation, sequence);
CREATE INDEX journal_by_project ON journal (project, sequence, touches_memory);
CREATE INDEX journal_global ON journal (sequence) WHERE is_global = 1;
CREATE INDEX journal_by_lesson ON journal (lesson, sequence) WHERE lesson IS NOT NULL;
CREATE INDEX runs_by_time ON runs (project, coalesce(started_at, finished_at, recorded_at));
CREATE INDEX runs_by_session ON runs (project, session) WHERE session IS NOT NULL;
COMMIT;
PRAGMA application_id = 1752657774;
PRAGMA user_version = 5;
