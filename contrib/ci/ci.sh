#!/bin/sh
# Learns from the reports of a pipeline, as one run. Call it after the tools have written
# their reports, also when they failed:
#
#     contrib/ci/ci.sh RUN REPORT...
#
# RUN names this run of the pipeline: the same name again is the same run. Reports that do
# not exist are passed over: a tool that did not run wrote none, and did not look.
#
# HARDWON_FAIL_ON_REGRESSIONS=1   exit with 1 if something that had been fixed is back
# HARDWON                         the program, if it is not on the PATH
set -eu

if [ $# -lt 2 ]; then
    echo "usage: ci.sh RUN REPORT..." >&2
    exit 2
fi
hardwon=${HARDWON:-hardwon}
run=$1
shift

# The list is gone through once; what exists is put behind it again.
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

"$hardwon" learn "$@" --run "$run"

if [ "${HARDWON_FAIL_ON_REGRESSIONS:-0}" = 1 ]; then
    "$hardwon" regressions "$run"
fi
