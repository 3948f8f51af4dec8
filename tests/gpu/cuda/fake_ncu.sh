#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A stand-in for Nsight Compute's command line: runs the program below it, and gives each metric that it was asked for
# a number of its own (1,000 and so on, in the order asked) if that program launched the kernel that was named; where
# none was named, two launches of a program that finished and timed nothing, the second with half of each number.
# $RIDGE_FAKE_NCU: forbidden (no permission), nothing (no kernel was profiled), crash, slow (until it is killed), held
# (the program below hangs; the process numbers of this one and of that program go to the FIFO $RIDGE_FAKE_NCU_PIDS).
log= metrics= kernel= page= units=
while [ $# -gt 0 ]; do
    case $1 in
        --csv) shift ;;
        --page) page=$2; shift 2 ;;
        --print-units) units=$2; shift 2 ;;
        --clock-control | --kernel-name-base | --launch-count) shift 2 ;;
        --kernel-name) kernel=$2; shift 2 ;;
        --log-file) log=$2; shift 2 ;;
        --metrics) metrics=$2; shift 2 ;;
        -*) echo "==ERROR== unrecognised option '$1'" >&2; exit 1 ;;
        *) break ;;
    esac
done
if [ "$page" != raw ] || [ "$units" != base ]; then
    echo "==ERROR== the wrong page" >"$log"
    exit 1
fi
echo "==PROF== Connected to process $$" >"$log"
if [ "$RIDGE_FAKE_NCU" = held ]; then
    # What runs beside the shell has nothing on standard input otherwise; no broken pipe shall end it.
    exec 3<&0
    RIDGE_FAKE_CUDA=hang=1 setsid "$@" <&3 >/dev/null 2>&1 &
    echo "$$ $!" >"$RIDGE_FAKE_NCU_PIDS"
    wait
    exit 1
fi
said=$("$@")
printf '%s\n' "$said"
case $RIDGE_FAKE_NCU in
    forbidden)
        echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0." >>"$log"
        exit 1 ;;
    nothing) echo "==WARNING== No kernels were profiled." >>"$log"; exit 0 ;;
    crash) kill -SEGV $$ ;;
    slow) exec sleep 600 ;;
esac
case $kernel,$said in
    ,*'"event":"finished"'*) case $said in *'"time"'*) echo "==ERROR== it was timed" >>"$log"; exit 1 ;; esac ;;
    ,*) echo "==ERROR== the program did not finish" >>"$log"; exit 1 ;;
    *"\"entry\":\"$kernel\""*) ;;
    *) echo "==ERROR== the program launched no '$kernel'" >>"$log"; exit 1 ;;
esac
names='"ID","Process Name","Kernel Name"' row="\"0\",\"ridge-worker\",\"$kernel\"" unitrow='"","",""' at=0
second='"1","ridge-worker","another"'
for metric in $(echo "$metrics" | tr , ' '); do
    at=$((at + 1))
    names="$names,\"$metric\"" unitrow="$unitrow,\"\"" row="$row,\"$at,000\"" second="$second,\"$((at * 500))\""
done
# What a chip does not have stands there as text.
printf '%s,"sm__other.sum"\n%s,""\n%s,"n/a"\n' "$names" "$unitrow" "$row" >>"$log"
[ -n "$kernel" ] || printf '%s,"n/a"\n' "$second" >>"$log"
