#!/usr/bin/env bash
# Builds and tests both drivers for Apache Iggy. Needs no server: the tests bring listeners of their own.
# Each of the two packages has its own lock file, because the published clients that they use cannot share one.
set -euo pipefail
cd "$(dirname "$0")/../conformance/drivers/iggy"

step() { printf '\n== %s\n' "$*"; "$@"; }

for package in edge-4 edge-9; do
  # From inside the folder: that is where cargo finds the shared target folder.
  pushd "$package" >/dev/null
  step cargo fmt --check
  step cargo clippy --all-targets --locked -- -D warnings
  step cargo test --locked
  step cargo build --locked
  popd >/dev/null
done
