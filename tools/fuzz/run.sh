#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes every target with libFuzzer, AddressSanitizer and UBSan: tools/fuzz/run.sh [SECONDS A TARGET] ["TARGET …"]
# Ten minutes in all by default. New inputs stay in build/fuzz/found; a crash leaves its input there and ends with 1.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-100}
cmake --preset fuzz >/dev/null
targets=${2:-ptx check trace chip onnx request bundle submission}
# shellcheck disable=SC2086 # a list
nice -n 19 cmake --build build/fuzz --target $(printf 'fuzz_%s ' $targets)
status=0
for target in $targets; do
  found=build/fuzz/found/$target
  mkdir -p "$found"
  printf '\n==> %s for %s s\n' "$target" "$seconds"
  seeds=("tests/fuzz/corpus/$target")
  [ "$target" = check ] && seeds+=(tests/fuzz/corpus/ptx)
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 nice -n 19 "build/fuzz/bin/fuzz_$target" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$found/" "$found" "${seeds[@]}" 2>&1 | tail -20 || status=1
done
exit $status
