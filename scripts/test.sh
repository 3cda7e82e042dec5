#!/usr/bin/env bash
# Passes the tests of Fencepost: formatting, lints, tests, documentation, and the product's own checks.
# Installs nothing but Rust's own components, if rustup is there; everything else comes with `cargo`.
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

step cargo fmt --all --check
step cargo clippy --workspace --all-targets --locked -- -D warnings
# Explorations want an optimised build; the tests use the same one.
# Some tests of the newest parts (the driver crate's documents, worlds beyond the bounds, power-loss images, the kill matrix, the driver
# self-test with all kits) need more than this run gives them yet: run them with `cargo test --release -p PACKAGE --test NAME`.
step cargo test --workspace --release --locked --exclude fencepost --exclude fencepost-conformance --exclude fencepost-driver
step cargo test -p fencepost-conformance --release --locked \
  --test pinned --test changed --test bad_input --test replay_model --test black_box --test page --test page_pasted --test trace_file
step cargo test -p fencepost --release --locked --lib \
  --test ask --test ask_bad_input --test bad_input --test book --test check --test engines --test follow --test interrupt --test margins
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --locked

fencepost() { cargo run --quiet --release --locked -- "$@"; }
# The check takes about five seconds on two cores, and with the margins less than half a minute; ten times that means that
# something is wrong. The build is done first, so that it does not count.
step cargo build --release --locked
step timeout 60 cargo run --quiet --release --locked -- check
step timeout 300 cargo run --quiet --release --locked -- check --margins
step fencepost ask
step fencepost follow conformance/recordings/in-process/*.jsonl conformance/recordings/tcp/*.jsonl
step fencepost book --check
# The reference partition obeys every contract; this takes some twenty seconds on two cores.
step timeout 300 cargo run --quiet --release --locked -- replay --driver builtin:reference
# TLC, Spin and Stateright must find as many states as our engines. Where one of them is not installed this says so, except in
# continuous integration, where it fails; scripts/install-peers.sh installs them.
# shellcheck disable=SC1091
if [ -f target/peers/environment ]; then source target/peers/environment; fi
step cargo run --quiet --release --locked -p fencepost-benches -- peers-agree
