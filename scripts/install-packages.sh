#!/usr/bin/env bash
# Installs the named programs where they are missing, from Debian, if this may: as root, or by a sudo that asks for no password. Where it
# may not, it says what is missing and fails.
set -euo pipefail

missing=()
packages=()
for program in "$@"; do
  if command -v "$program" >/dev/null; then continue; fi
  missing+=("$program")
  case "$program" in
    gcc) packages+=(gcc libc6-dev) ;;
    java) packages+=(default-jre-headless) ;;
    javac) packages+=(default-jdk-headless) ;;
    node) packages+=(nodejs) ;;
    python3) packages+=(python3 python3-pip python3-venv) ;;
    *) packages+=("$program") ;;
  esac
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo --non-interactive); fi
if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
  echo "missing: ${missing[*]}; on Debian: apt-get install ${packages[*]}, as root" >&2
  exit 1
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "${packages[@]}" >/dev/null
