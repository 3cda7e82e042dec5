#!/usr/bin/env bash
# Passes the tests of Fencepost: formatting, lints, tests, documentation, and the product's own checks.
# Installs nothing but Rust's own components, if rustup is there, the packages of a lock file for Node, if that is there, a package
# with hashes for Python, if that is there, and Spin with its C compiler from Debian, if it may; everything else comes with `cargo`.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v cargo >/dev/null; then
  echo "cargo is missing: install Rust (https://rustup.rs), version 1.95 or later" >&2
  exit 1
fi
for component in rustfmt clippy; do
  cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

step() { printf '\n== %s\n' "$*"; "$@"; }

# Without Spin, the test that compares liveness with it says so and passes, except in continuous integration.
step scripts/install-packages.sh spin gcc || [ "${CI:-}" != true ]
step scripts/install-kafkajs.sh
step cargo fmt --all --check
step cargo clippy --workspace --all-targets --locked -- -D warnings
# Explorations want an optimised build; the tests use the same one.
step cargo test --workspace --release --locked
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --locked

fencepost() { cargo run --quiet --release --locked -- "$@"; }
# The check takes about ten seconds on two cores, and with the margins less than half a minute; ten times that means that
# something is wrong. The build is done first, so that it does not count.
step cargo build --release --locked
step timeout 100 cargo run --quiet --release --locked -- check
step timeout 300 cargo run --quiet --release --locked -- check --margins
step fencepost ask
step fencepost follow conformance/recordings/in-process/*.jsonl conformance/recordings/tcp/*.jsonl
step fencepost book --check
# The reference partition obeys every contract, also in the larger size (less than a minute on two cores), and after every power loss;
# every planted fault is caught (a minute). Both tables are compared with the committed ones.
step timeout 600 cargo run --quiet --release --locked -- replay --driver builtin:reference --bounds ci
step timeout 120 cargo run --quiet --release --locked -- replay --driver builtin:reference --images all --write target/power-loss.md
step diff docs/results/power-loss.md target/power-loss.md
step timeout 900 cargo run --quiet --release --locked -- kill-matrix --check
# The npm package kafkajs, each version at each level: every divergence is a known deviation, every known deviation is taken, each version
# agrees with its own contract, and the page of results is as it was (a minute and a half on two cores).
if command -v node >/dev/null; then
  step npm test --prefix conformance/drivers/kafkajs
  step timeout 900 cargo run --quiet --release --locked -- replay --driver kafkajs --results target/kafkajs.md
  step diff docs/results/kafkajs.md target/kafkajs.md
fi
# The drivers for a real server are packages of their own; their tests need no server.
step scripts/build-iggy-drivers.sh
# TLC, Spin and Stateright must find as many states as our engines. Where one of them is not installed this says so, except in
# continuous integration, where it fails; scripts/install-peers.sh installs them.
# shellcheck disable=SC1091
if [ -f target/peers/environment ]; then source target/peers/environment; fi
step cargo run --quiet --release --locked -p fencepost-benches -- peers-agree
