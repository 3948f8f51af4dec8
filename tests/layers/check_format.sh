#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails on a C++ file that clang-format would change. Another major version formats differently, so only 14 judges.
set -euo pipefail
formatter=$1
cd "$2"
case "$("$formatter" --version)" in
  *"version 14."*) ;;
  *) echo "skipped: formatting is judged by clang-format 14"; exit 0 ;;
esac
# Fixtures are what a compiler was fed; their line numbers are part of the tests.
find app modules labs tests tools \( -name '*.cpp' -o -name '*.h' \) -not -path '*/fixtures/*' | sort | xargs "$formatter" --dry-run -Werror
