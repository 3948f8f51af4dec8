#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets up, builds and opens Ridgepoint. ./run.sh [--build-only] [-- ARGUMENTS OF ridgepoint]
set -euo pipefail
cd "$(dirname "$0")"

build_only=no
while [ $# -gt 0 ]; do
  case "$1" in
    --build-only) build_only=yes ;;
    --) shift; break ;;
    -h|--help) sed -n '3p' "$0" | cut -c3-; exit 0 ;;
    *) echo "run.sh: unknown argument $1 (arguments of the program go after --)" >&2; exit 2 ;;
  esac
  shift
done

tools/build.sh release ridgepoint ridge ridge-worker
[ "$build_only" = yes ] && exit 0

bin=build/release/bin
if [ $# -gt 0 ] || [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
  [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || export QT_QPA_PLATFORM=offscreen
  exec "$bin/ridgepoint" "$@"
fi

echo "There is no display here, so the lesson runs without a window."
echo
out=build/headless
mkdir -p "$out"
"$bin/ridge" lesson run 2.4 --out "$out"
shot=$out/lesson-2.4.png
xvfb-run -a -s "-screen 0 1600x1200x24" "$bin/ridgepoint" --screenshot "$shot" --open lesson/2.4 --size 1440x1000
echo "screenshot $PWD/$shot"
