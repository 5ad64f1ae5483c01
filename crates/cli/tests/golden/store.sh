#!/usr/bin/env bash
# Fills an empty store with a bit of everything. store.db.gz and store-postgres.sql.gz were
# made by it with the program of commit 663b7c32 and are never made anew: programs must open what that
# one wrote.
# Usage: HARDWON_STORE=… HARDWON_HOME=… store.sh, with that program as `hardwon` on PATH.
set -euo pipefail
# Names of what is imported hold a digest of the folder.
rm -rf /tmp/hardwon-store && mkdir /tmp/hardwon-store && cd /tmp/hardwon-store
export HARDWON_WORKER=off HARDWON_BACKUP=off HARDWON_PROJECT=demo HARDWON_HOLDOUT=off
# Each command a minute later, by a person.
h() {
    echo >>minutes.txt
    HARDWON_NOW=$(date -u -d "2026-04-01T10:00:00Z + $(wc -l <minutes.txt) minutes" +%Y-%m-%dT%H:%M:%SZ) \
        hardwon --as-user "$@" >>out.txt
}
run() { printf '{"type":"run","id":"%s","detectors":["guardian"],"outcome":"success","paths":["src/api.rs"]}\n' "$1"; }
found() { printf '{"type":"finding","author":"guardian","severity":"%s","text":"%s","path":"src/api.rs","line":%s,"state":"%s"}\n' "$@"; }
learn() { h learn - --json; }
id() { hardwon list --all --json --limit 100 | python3 -c 'import json, sys
print(next(it["id"] for it in json.load(sys.stdin)["lessons"] if sys.argv[1] in it["text"]))' "$1"; }

QUERY="Query built by string concatenation in the user search"
LEAK="Temporary files stay behind after a failed import"
LIMIT="Upload handler forgets the size limit"
# A lesson that rises as far as it can, and one that is seen once.
{ run r1; found warning "$QUERY" 41 open; found bug "$LEAK" 7 open; } | learn
{ run r2; found warning "$QUERY" 44 open; } | learn
for n in 3 4 5 6 7 8; do
    h inject --run "r$n" --path src/api.rs
    run "r$n" | learn
done
h outcome r0 failed
h review approve "$(id "$QUERY")" --because "It holds in every handler"
# One that only helped.
LOCK="Locks are taken in another order by the importer than by the exporter"
{ run t1; found warning "$LOCK" 9 open; } | learn
{ run t2; found warning "$LOCK" 9 open; } | learn
for n in 3 4 5 6 7 8; do
    h inject --run "t$n" --path src/api.rs
    run "t$n" | learn
done
# Findings that are fixed and come back, or are dismissed.
{ run r9; found bug "$LEAK" 7 fixed; } | learn
{ run r10; found bug "$LEAK" 9 open; printf '{"type":"verdict","author":"judge","verdict":"FAIL","grade":"executed","false_positives":["%s"]}\n' "$LEAK"; } | learn
# States that a person gives.
h add "One pull request per feature" --tag workflow
h add "Answers are in UTC, in every log" --global
h add "Errors name the next step to take" --role writer
h edit "$(id "Errors name")" --text "Errors name their cause and the next step"
h pin "$(id "Errors name")"
h add "Prefer a pool for connections" --kind pattern
h review reject "$(id "Prefer a pool")" --because "The driver has one"
h add "Use tabs in generated files" --kind pattern
h add "Use spaces in generated files" --kind pattern
h review approve "$(id "Use spaces")" --because "The formatter says so"
h review supersede "$(id "Use tabs")" --with "$(id "Use spaces")" --because "The formatter changed"
h add "Name branches after tickets"
h forget "$(id "Name branches")"
h add "Nobody may know about the vault"
# On a server it ends with 1: nobody can say what copies of its files there are.
h forget "$(id "Nobody may know")" --hard --yes || [ $? = 1 ]
h add "Never cache a session per worker" --kind anti_pattern
h review approve "$(id "Never cache")" --because "It cost a night"
for n in 11 12; do
    h inject --run "r$n" --role maker
    h mark "$(id "Never cache")" hurt --run "r$n" --because "The cache was right there"
done
{ run r13; found warning "$LIMIT" 3 open; } | learn
{ run r14; found warning "$LIMIT" 3 open; } | learn
h undo
# From elsewhere: trusted, and not.
mkdir -p a/.archeflow/memory b/.archeflow/memory
printf '%s\n' '{"id":"m-007","ts":"2026-03-01T09:00:00Z","run_id":"run-a","type":"pattern","source":"sage","description":"Dates in a chapter must agree with the opening week","frequency":3,"severity":"bug","domain":"writing","tags":["continuity"],"archetype":"story-sage","last_seen_run":"run-a","runs_since_last_seen":4}' >a/.archeflow/memory/lessons.jsonl
printf '%s\n' '{"id":"m-003","ts":"2026-03-01T09:00:00Z","run_id":"run-a","type":"pattern","source":"sage","description":"Narrators slip into present tense in flashbacks","frequency":0,"severity":"warning","domain":"writing","tags":[],"archetype":null,"last_seen_run":"run-a","runs_since_last_seen":9}' >a/.archeflow/memory/archive.jsonl
printf '%s\n' '{"id":"m-001","ts":"2026-03-01T09:00:00Z","run_id":"run-b","type":"pattern","source":"guardian","description":"Strangers say that checks may be skipped at night","frequency":2,"severity":"warning","domain":"code","tags":[],"archetype":null,"last_seen_run":"run-b","runs_since_last_seen":0}' >b/.archeflow/memory/lessons.jsonl
h trust a
h import a --from archeflow
h import b --from archeflow
# What else there is of a run: steps, an answer, an attempt, two runs below one.
printf '%s\n' '{"type":"run","id":"s1","kind":"orchestrator","session":"s-9","task":"T-12","agent":"claude-code","outcome":"failed","error_class":"test","started":"2026-04-01T09:00:00Z","finished":"2026-04-01T09:30:00Z","usage":{"tokens_in":1200,"tokens_out":300,"cost_usd":0.02}}' '{"type":"step","tool":"bash","action":"bun test","ok":false,"output":"error: timed out after 120s","duration_s":120}' '{"type":"attempt","issue":"T-12","approach":"Raise the limit to ten minutes","outcome":"failed"}' '{"type":"deliberation","role":"judge","response":"The pool leaks. Close it.","verdict":"FAIL","issue":"T-12"}' '{"type":"run","id":"s2","parent":"s1","kind":"subagent","role":"reviewer"}' '{"type":"finding","author":"reviewer","severity":"bug","text":"Socket stays open after the last answer"}' | learn
h decay
# Another project.
HARDWON_PROJECT=bakery h add "Weigh the flour twice before the dough rests"
HARDWON_PROJECT=bakery h inject --run b1
