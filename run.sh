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

bin=build/release/bin
if [ "$build_only" = yes ]; then
  exec tools/build.sh release ridgepoint ridge ridge-worker
fi
if [ ! -x "$bin/ridgepoint" ]; then
  # The command line is there in half the time: it shows what lesson 2.4 measures while the window is still compiled.
  tools/build.sh release ridge ridge-worker
  printf '\n\033[1m==>\033[0m Lesson 2.4: a warp reads every n-th float. How much does it move? (the window is next)\n\n'
  "$bin/ridge" run coalescing --target sim:h100-sxm --sweep stride=1..128:log2
fi
tools/build.sh release ridgepoint ridge ridge-worker

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
