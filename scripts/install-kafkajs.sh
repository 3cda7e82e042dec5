#!/usr/bin/env bash
# Installs the versions of the npm package kafkajs that are replayed, from the lock file: needs Node 20 or later, with npm. And, for
# level 3, the Python package confluent-kafka, whose library has a cluster of mock brokers, into target/kafkajs-python: needs Python
# 3.8 or later, with venv. Where one of these is missing this says so, and fails in continuous integration.
set -euo pipefail
cd "$(dirname "$0")/.."

driver=conformance/drivers/kafkajs

# missing PROGRAM CONSEQUENCE REMEDY
missing() {
  echo "$1 is missing, so $2: $3" >&2
  if [ "${CI:-}" = true ]; then exit 1; fi
}

install_packages() {
  for program in node npm; do
    if ! command -v "$program" >/dev/null; then
      missing "$program" "the package kafkajs is not replayed" "install Node 20 or later (https://nodejs.org, or scripts/install-peers.sh)"
      return
    fi
  done
  # What is installed already is left alone: the lock file pins it.
  if [ ! -f $driver/node_modules/.package-lock.json ] || [ $driver/package-lock.json -nt $driver/node_modules/.package-lock.json ]; then
    npm ci --no-audit --no-fund --prefix $driver
  fi
}

install_cluster() {
  local requirements=$driver/level3/requirements.txt
  local folder=target/kafkajs-python
  local remedy="install Python 3.8 or later, with venv and pip (https://www.python.org, or scripts/install-peers.sh)"
  if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
    missing "Python 3" "kafkajs is not replayed over TCP (level 3)" "$remedy"
    return
  fi
  if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    missing "venv or pip of Python 3" "kafkajs is not replayed over TCP (level 3)" "$remedy"
    return
  fi
  # The copy of the requirements is written last: it says that all of them are there.
  if ! cmp --silent $requirements $folder/requirements.txt; then
    rm -rf $folder
    python3 -m venv $folder
    $folder/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes --requirement $requirements
    cp $requirements $folder/requirements.txt
  fi
}

install_packages
install_cluster
