#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up, builds and runs the tests. ./test.sh [--full] [PRESET] [-- ARGUMENTS OF ctest]
# Without --full: the fast suite, which CI runs. With it also what takes long (label "full").
set -euo pipefail
cd "$(dirname "$0")"
preset=release
suite=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case "$1" in
    --full) suite=-full ;;
    -*) echo "test.sh: unknown argument $1 (arguments of ctest go after --)" >&2; exit 2 ;;
    *) preset=$1 ;;
  esac
  shift
done
[ "${1:-}" = -- ] && shift
if [ -n "$suite" ] && [ "$preset" != release ]; then
  echo "test.sh: --full goes with the preset release alone" >&2
  exit 2
fi
tools/setup.sh --tests
tools/build.sh "$preset"
printf '\033[1m==>\033[0m testing %s%s\n' "$preset" "$suite"
ctest --preset "$preset$suite" "$@"
