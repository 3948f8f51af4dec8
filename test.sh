#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up, builds and runs every test. ./test.sh [PRESET] [-- ARGUMENTS OF ctest]
set -euo pipefail
cd "$(dirname "$0")"
preset=release
if [ $# -gt 0 ] && [ "$1" != -- ]; then
  preset=$1
  shift
fi
[ "${1:-}" = -- ] && shift
tools/setup.sh --tests
tools/build.sh "$preset"
printf '\033[1m==>\033[0m testing %s\n' "$preset"
ctest --preset "$preset" "$@"
