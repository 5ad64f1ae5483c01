#!/usr/bin/env bash
# ArcheFlow's memory, kept by Hardwon. Copy this file over lib/archeflow-memory.sh of your
# ArcheFlow; its skills call it as before, and your files stay where they are.
#
#   HARDWON_BIN=PATH    the program, if it is not `hardwon` on your PATH
set -euo pipefail

program=${HARDWON_BIN:-hardwon}
if ! command -v -- "$program" >/dev/null; then
  echo "[archeflow-memory] no program '$program': put hardwon on your PATH (in its sources:" \
    "cargo install --profile dist --path crates/cli) or set HARDWON_BIN" >&2
  # A run must start without memory rather than not at all.
  [[ ${1:-} == inject ]] && exit 0
  exit 1
fi
HARDWON_ARCHEFLOW_NAME="$0" exec "$program" archeflow "$@"
