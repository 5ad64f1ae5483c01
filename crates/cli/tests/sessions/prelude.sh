# What every section of a session begins with.

# A finding that can become a lesson, and another one.
W="Query built by string concatenation in the user search"
LEAK="Temporary files stay behind after a failed import"

# Lines of a record: a run in which guardian looked, and what guardian found.
run() { printf '{"type":"run","id":"%s","detectors":["guardian"]}\n' "$1"; }
found() { printf '{"type":"finding","author":"guardian","severity":"warning","text":"%s"}\n' "$1"; }

# Guardian finds this in a run: `seen r1 "$W"`; without a text it finds nothing.
seen() { { run "$1"; shift; for text; do found "$text"; done; } | hardwon learn - > learned.txt; }

# `W` is found in two runs: from then on it is shown.
confirmed() { seen r1 "$W"; seen r2 "$W"; }

# The lessons are shown to these runs, and guardian finds nothing there.
shown_in() { for run; do hardwon inject --run "$run" > block.txt; seen "$run"; done; }

# Two runs of a session in which the same command fails; nobody has looked back upon them.
failing() {
    printf '{"type":"run","id":"r%s","kind":"orchestrator","agent":"claude-code",' "$1"
    printf '"session":"s-9","task":"T-12","outcome":"failed",'
    printf '"started":"2026-04-0%sT10:00:00Z","finished":"2026-04-0%sT10:10:00Z"}\n' "$1" "$1"
    printf '{"type":"step","tool":"bash","action":"bun test","ok":false,'
    printf '"output":"error: timed out after 120s","duration_s":120}\n'
}
two_failed() {
    hardwon config set reflect.enabled off
    { failing 1; failing 2; } | hardwon learn -
    hardwon config set reflect.enabled on
} > two_failed.txt 2>&1

# Reports of tools.
FIXTURES=$ROOT/crates/cli/tests/fixtures/reports
