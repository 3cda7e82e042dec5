#!/usr/bin/env bash
# Installs the versions of the npm package kafkajs that are replayed, from the lock file. Needs Node 20 or later, with npm; without them
# this says so, and fails in continuous integration.
set -euo pipefail
cd "$(dirname "$0")/../conformance/drivers/kafkajs"

for program in node npm; do
  if ! command -v "$program" >/dev/null; then
    echo "$program is missing, so the package kafkajs is not replayed: install Node 20 or later (https://nodejs.org, or scripts/install-peers.sh)" >&2
    if [ "${CI:-}" = true ]; then exit 1; fi
    exit 0
  fi
done
# What is installed already is left alone: the lock file pins it.
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund
fi
