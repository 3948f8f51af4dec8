#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ptxas: how many copies a warp starts when all of its lanes execute one bulk copy depends on what the copy does.
#
# Packages: nvidia-cuda-nvcc 13.5.37 and nvidia-cuda-nvdisasm 13.5.37 (PyPI). In PTX every thread that executes cp.async.bulk
# starts a copy. Compiled for 9.0 with operands that all lanes share, a copy from shared to global memory is one instruction
# for the warp, with or without a tensor map: one copy in place of 32. A reduction of the same bytes, and a copy to shared
# memory that an mbarrier counts, get a loop around an ELECT, which picks the lanes one by one: 32 of them. Where the lanes
# differ, a loop takes those together that have the same. So a kernel whose whole warp stores a tile is as quick as one
# that elects a lane, and one whose whole warp loads a tile is 32 times too eager and never sees its barrier complete as
# meant. Ridgepoint: the simulator starts a plain copy to global memory once for lanes with equal operands, the others
# once for each (tests/gpu/simt/tst_simt_async_forms.cpp, lanesThatCopyTheSame).
set -euo pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv v
v/bin/python -m pip install -q --disable-pip-version-check nvidia-cuda-nvcc==13.5.37 nvidia-cuda-nvdisasm==13.5.37
tool() { find v -path "*/bin/$1" -type f | head -n 1; }
ptxas=$(tool ptxas)
disassembler=$(tool nvdisasm)
fault=0
ask() # what it is, the instruction in SASS, whether there is a loop, PTX
{
    cat > k.ptx <<PTX
.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 pa, .param .align 64 .b8 map[128])
{
    .reg .b32 r<8>;
    .reg .b64 d<8>;
    .shared .align 128 .b8 s[1024];
    .shared .align 8 .b64 bar;
    ld.param.u64 d0, [pa];
    mov.u64 d1, map;
    cvta.param.u64 d1, d1;
    mov.u32 r1, %ctaid.x;
    mov.u32 r2, %tid.x;
    mul.wide.u32 d2, r2, 64;
    add.u64 d2, d0, d2;
    $4
    ret;
}
PTX
    "$ptxas" -arch sm_90a k.ptx -o k.cubin
    "$disassembler" -c k.cubin > k.sass
    local copies loop=no
    copies=$(grep -cE "[^A-Z]$2" k.sass || true)
    grep -q "BRA.U.ANY" k.sass && loop=yes
    echo "$1: $copies $2, loop over lanes: $loop"
    [ "$copies $loop" = "1 $3" ] || fault=1
}
ask "a tile to global memory" UTMASTG no "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [d1, {r1, r1}], [s];"
ask "bytes to global memory" UBLKCP no "cp.async.bulk.global.shared::cta.bulk_group [d0], [s], 64;"
ask "a tile added to global memory" UTMAREDG yes \
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [d1, {r1, r1}], [s];"
ask "bytes added to global memory" UBLKRED yes "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [d0], [s], 64;"
ask "a tile to shared memory" UTMALDG yes \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [d1, {r1, r1}], [bar];"
ask "bytes to global memory, each lane its own" UBLKCP yes "cp.async.bulk.global.shared::cta.bulk_group [d2], [s], 64;"
[ $fault = 0 ] || { echo "CHANGED: ptxas no longer starts copies of a warp like this"; exit 1; }

# Seen on 2026-11-29:
# a tile to global memory: 1 UTMASTG, loop over lanes: no
# bytes to global memory: 1 UBLKCP, loop over lanes: no
# a tile added to global memory: 1 UTMAREDG, loop over lanes: yes
# bytes added to global memory: 1 UBLKRED, loop over lanes: yes
# a tile to shared memory: 1 UTMALDG, loop over lanes: yes
# bytes to global memory, each lane its own: 1 UBLKCP, loop over lanes: yes
