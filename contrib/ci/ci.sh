#!/bin/sh
# Learns from the reports of a pipeline, as one run. Call it after the tools have written
# their reports, also when they failed:
#
#     contrib/ci/ci.sh [--strict] RUN REPORT...
#
# RUN names this run of the pipeline: the same name again is the same run. Reports that do
# not exist are skipped: a tool that did not run wrote none, and is not a detector.
#
# If nothing can be learned, this says so and exits with 0: memory must not stop a pipeline.
# With --strict, or if regressions are requested, it exits with the status of `hardwon`.
#
# HARDWON_FAIL_ON_REGRESSIONS=1   exit with 1 if something that had been fixed is back
# HARDWON_CI_FORMAT=clippy        the value for `learn --format`: without a finding, the output of
#                                 clippy cannot be told from that of cargo
# HARDWON                         the program, if it is not on the PATH
set -eu

is_strict=${HARDWON_FAIL_ON_REGRESSIONS:-0}
if [ "${1:-}" = --strict ]; then
    is_strict=1
    shift
fi
if [ $# -lt 2 ]; then
    echo "usage: ci.sh [--strict] RUN REPORT..." >&2
    exit 2
fi
hardwon=${HARDWON:-hardwon}
run=$1
shift

if ! command -v "$hardwon" >/dev/null 2>&1; then
    echo "ci.sh: there is no program $hardwon; install it, or set HARDWON to where it is" >&2
    exit 127
fi

# Goes through the list once and appends each report that exists to its end.
n=$#
while [ "$n" -gt 0 ]; do
    report=$1
    shift
    if [ -s "$report" ]; then
        set -- "$@" "$report"
    else
        echo "ci.sh: no report $report" >&2
    fi
    n=$((n - 1))
done
if [ $# -eq 0 ]; then
    echo "ci.sh: no report was written; nothing is learned" >&2
    exit 0
fi

status=0
"$hardwon" learn "$@" --run "$run" ${HARDWON_CI_FORMAT:+--format "$HARDWON_CI_FORMAT"} || status=$?
if [ "$status" -ne 0 ]; then
    echo "ci.sh: nothing was learned from this run (hardwon ended with $status)" >&2
    [ "$is_strict" = 1 ] || status=0
    exit "$status"
fi

if [ "${HARDWON_FAIL_ON_REGRESSIONS:-0}" = 1 ]; then
    "$hardwon" log --regressions "$run"
fi
