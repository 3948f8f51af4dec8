#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every experiment on a real GPU and on the simulation of the same chip, compares what both say, and collects
# timings. Needs a ridge-worker, an NVIDIA driver and python3 (standard library only); no Qt, network or compiler.
#
#   tests/gpu/run.sh [WORKER] [--only NAME]... [--out FOLDER] [--seconds N] [--sim sim:CHIP]
#   tests/gpu/run.sh --dry-run [--target sim:CHIP]     the same on the simulator alone
#   tests/gpu/run.sh [WORKER] --only experiments [--parts ID,…,goals] [--regime settled] [--dry-run]
#                                                      every experiment on a small grid, timings, and the goals that they allow
#                                                      (experiments.py): experiments.json, experiments.md and, of a GPU,
#                                                      baseline-<chip>.json for assets/baselines. A call takes at most
#                                                      five minutes; the next one goes on.
#   tests/gpu/run.sh [WORKER] --only module4 [--list] [--dry-run]
#                                                      the same for one module (module1, module2, …), its goals first, in one
#                                                      call of less than ten minutes, which the parts share; --list names
#                                                      the parts and measures nothing
#   tests/gpu/run.sh [WORKER] --only record [--cubins FOLDER]
#                                                      what the GPU answers, without the simulator: a minute (record.py).
#                                                      --prepare FOLDER, before and without a GPU, compiles the kernels
#   tests/gpu/run.sh [WORKER] --only simt [--parts bits,counters,functions,mma,cycles] [--oracle PROGRAM] [--dry-run]
#                                                      the simulator itself: simt.json, simt.md (simt.py);
#                                                      --recorded FOLDER puts such a recording in the GPU's place
#
# Writes results.json and results.md into ${OUT:-build/gpu-results}; runs with --only add to what is there.
# Exit: 0 all agree, 1 a comparison failed, 2 cannot start, 3 no GPU, 4 out of time (go on with --only, or as it says).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

if ! command -v python3 >/dev/null; then
    echo "run.sh: python3 is missing; install it (any version from 3.9, no packages)" >&2
    exit 2
fi

worker=""
if [[ $# -gt 0 && $1 != -* ]]; then
    worker=$1
    shift
else
    for candidate in "$root/build/worker/bin/ridge-worker" "$root/build/release/bin/ridge-worker"; do
        if [[ -x $candidate ]]; then
            worker=$candidate
            break
        fi
    done
fi
if [[ -z $worker || ! -x $worker ]]; then
    echo "run.sh: there is no ridge-worker${worker:+ at $worker}; build one (cmake --preset release && cmake --build" \
        "build/release --target ridge-worker) or give its path as the first argument" >&2
    exit 2
fi

export RIDGE_DATA=${RIDGE_DATA:-$root}
: "${OUT:=$root/build/gpu-results}"
arguments=()
script=compare
while [[ $# -gt 0 ]]; do
    if [[ $1 == --only && ( ${2:-} == simt || ${2:-} == experiments || ${2:-} == record ) ]]; then
        script=$2
        shift 2
        continue
    fi
    if [[ $1 == --only && ${2:-} =~ ^module([0-9]+)$ ]]; then
        script=experiments
        arguments+=(--module "${BASH_REMATCH[1]}")
        shift 2
        continue
    fi
    arguments+=("$1")
    shift
done
exec python3 "$here/$script.py" --worker "$worker" --out "$OUT" "${arguments[@]}"
