#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Clicks at random through the whole window, with the sanitizers, and says with which seed where it fell over:
# tests/journeys/clicking.sh [SECONDS] [SEED] [PRESET]. SECONDS: 3600 where nothing else is said. The time is divided
# among several seeds, because after a while a learner's folder is full of what was clicked before.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-3600}
seed=${2:-$(date +%s)}
preset=${3:-asan}
each=$((seconds < 600 ? seconds : 600))
[ -x "build/$preset/tests/tst_clicking" ] || cmake --preset "$preset"
cmake --build --preset "$preset" --target tst_clicking ridge-worker
root=$PWD
export RIDGE_DATA=$root RIDGE_SOURCE=$root RIDGE_BIN=$root/build/$preset/bin RIDGE_CLICK_SECONDS=$each
export RIDGE_WORKER=$RIDGE_BIN/ridge-worker QTEST_FUNCTION_TIMEOUT=$((each * 1000 + 600000))
export MALLOC_PERTURB_=165 # for presets without sanitizers: what is given back is filled
export LC_ALL=C.UTF-8 TZ=UTC QT_FONT_DPI=96 LIBGL_ALWAYS_SOFTWARE=1 QT_QPA_PLATFORM=xcb
failed=0
for ((spent = 0; spent < seconds; spent += each)); do
  echo "==> RIDGE_CLICK_SEED=$seed, $each s"
  RIDGE_CLICK_SEED=$seed xvfb-run -a -s "-screen 0 1920x1200x24" "build/$preset/tests/tst_clicking" || failed=1
  seed=$((seed + 1))
done
exit $failed
