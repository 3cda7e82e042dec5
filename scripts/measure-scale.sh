#!/usr/bin/env bash
# Measures what docs/scale.md tells: the same view with threads and with processes, in turns, so that what else the machine does meets all of them.
# Needs a release build (cargo build --release), and nothing else to do.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-3}
measure() {
  local name=$1
  shift
  local seconds
  seconds=$({ TIMEFORMAT=%R; time target/release/fencepost check "$@" --format json >/dev/null; } 2>&1)
  printf '%s\t%s\t%s\n' "$name" "$*" "$seconds"
}

for _ in $(seq "$rounds"); do
  for view in "iggy-2026-08 --bounds deep --view polls-with-reassignment" "iggy-2026-08 --bounds deep --view three-aspects" \
    "owner-installed --bounds ci --view two-like-consumers"; do
    for threads in 1 2; do
      # shellcheck disable=SC2086
      measure "compiled $threads" $view --engine compiled --threads "$threads"
    done
    for processes in 1 2 3 4; do
      # shellcheck disable=SC2086
      measure "timely $processes" $view --engine timely --processes "$processes"
    done
  done
done
