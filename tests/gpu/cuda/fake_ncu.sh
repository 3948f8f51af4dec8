#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A stand-in for Nsight Compute's command line: runs the program below it, and gives each metric that it was asked for
# a number of its own (1,000 and so on, in the order asked) if that program launched the kernel that was named.
# $RIDGE_FAKE_NCU: forbidden (no permission), nothing (no kernel was profiled), crash, slow (until it is killed).
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
said=$("$@")
case $RIDGE_FAKE_NCU in
    forbidden)
        echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0." >>"$log"
        exit 1 ;;
    nothing) echo "==WARNING== No kernels were profiled." >>"$log"; exit 0 ;;
    crash) kill -SEGV $$ ;;
    slow) exec sleep 600 ;;
esac
case $said in
    *"\"entry\":\"$kernel\""*) ;;
    *) echo "==ERROR== the program launched no '$kernel'" >>"$log"; exit 1 ;;
esac
names='"ID","Process Name","Kernel Name"' row="\"0\",\"ridge-worker\",\"$kernel\"" unitrow='"","",""' at=0
for metric in $(echo "$metrics" | tr , ' '); do
    at=$((at + 1))
    names="$names,\"$metric\"" unitrow="$unitrow,\"\"" row="$row,\"$at,000\""
done
# What a chip does not have stands there as text.
printf '%s,"sm__other.sum"\n%s,""\n%s,"n/a"\n' "$names" "$unitrow" "$row" >>"$log"
