#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Packages, configuration and build for one preset: tools/build.sh release [TARGET …] (default: everything)
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
shift || true
tools/setup.sh
if [ ! -f "build/$preset/build.ninja" ]; then
  printf '\033[1m==>\033[0m configuring %s\n' "$preset"
  mkdir -p build
  cmake --preset "$preset" > "build/configure-$preset.log" || { cat "build/configure-$preset.log"; exit 1; }
fi
printf '\033[1m==>\033[0m building %s\n' "$preset"
cmake --build --preset "$preset" ${1:+--target "$@"}
