# What every command of a case begins with.
umask 022
LESSONS=.archeflow/memory/lessons.jsonl ARCHIVE=.archeflow/memory/archive.jsonl AUDIT=.archeflow/memory/audit.jsonl

# A finding that can become a lesson, another way to put it, and another finding.
W="Search query is glued together from strings"
W2="The search query is glued from raw strings"
OTHER="Upload handler forgets the size limit"

af() { hardwon archeflow "$@"; }

# Makes a project with an empty .archeflow folder, and enters it.
flow() { mkdir -p "$1/.archeflow/memory" "$1/.archeflow/events" && cd "$1"; }

# A record: a confirmed pattern of the domain code, with some fields set: `lesson m-001 "$W" frequency 3`.
lesson() {
    line='{"id":"'$1'","ts":"2026-03-01T09:00:00Z","run_id":"run-a","type":"pattern","source":"guardian","description":"'$2'","frequency":2,"severity":"warning","domain":"code","tags":[],"archetype":null,"last_seen_run":"run-a","runs_since_last_seen":0}'
    shift 2
    while [ $# -gt 0 ]; do
        line=$(printf %s "$line" | sed "s/\"$1\":[^,}]*/\"$1\":$2/")
        shift 2
    done
    printf '%s\n' "$line"
}

# The log of a run of the domain code in which guardian found these: `log r1 warning "$W" info "$OTHER"`.
log() {
    run=$1 found=
    shift
    while [ $# -gt 0 ]; do
        found=$found${found:+,}'{"severity":"'$1'","description":"'$2'","category":"security"}'
        shift 2
    done
    event "$run" 1 run.start '{"task":"search page","domain":"code"}'
    event "$run" 2 review.verdict '{"archetype":"guardian","verdict":"needs_changes","findings":['"$found"']}'
    event "$run" 3 run.complete '{"status":"completed"}'
}
event() { printf '{"ts":"2026-04-01T10:00:00Z","run_id":"%s","seq":%s,"parent":[],"type":"%s","phase":"check","agent":null,"data":%s}\n' "$@"; }
fixed() { event "$1" 1 fix.applied '{"source":"guardian","finding":"'"$2"'","file":"src/a.rs","line":3}'; }
finished() { for run; do printf '{"run_id":"%s","status":"completed","task":"x","ts":"2026-04-03T14:00:00Z"}\n' "$run"; done; }

# Puts that log and extracts it.
extract() { log "$@" >".archeflow/events/$1.jsonl" && af extract ".archeflow/events/$1.jsonl"; }
