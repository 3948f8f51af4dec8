#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SCALE-Sim 3.0.0: the key Bandwidth slows what the array writes, and nothing that it reads.
#
# Package: scalesim 3.0.0 (PyPI), with numpy 2.3.5, because 3.0.0 ends with a TypeError under numpy 2.4. One product of
# 64 x 64 x 64 on an array of 32 x 32, weights stay, InterfaceBandwidth USER. Bandwidth from 1 to 10 to 100 words a cycle:
# the operands still arrive at 10 words a cycle, only results leave faster. What moves the operands is the pair of
# IfmapSRAMBankBandwidth and FilterSRAMBankBandwidth of the section [layout], although both custom layouts are off there.
# All of the waiting goes into the total with prefetch; Stall Cycles stay 0 in each of the runs.
# Ridgepoint: `ridge run systolic --config` reads all three keys, each for its own direction (modules/accelerator).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q scalesim==3.0.0 numpy==2.3.5
cat > base.cfg <<'CFG'
[general]
run_name = one
[architecture_presets]
ArrayHeight: 32
ArrayWidth: 32
IfmapSramSzkB: 64
FilterSramSzkB: 64
OfmapSramSzkB: 64
IfmapOffset: 0
FilterOffset: 10000000
OfmapOffset: 20000000
Dataflow: ws
Bandwidth: WRITES
ReadRequestBuffer: 32
WriteRequestBuffer: 32
[layout]
IfmapCustomLayout: False
IfmapSRAMBankBandwidth: READS
IfmapSRAMBankNum: 10
IfmapSRAMBankPort: 2
FilterCustomLayout: False
FilterSRAMBankBandwidth: READS
FilterSRAMBankNum: 10
FilterSRAMBankPort: 2
[sparsity]
SparsitySupport: false
SparseRep: ellpack_block
OptimizedMapping: false
BlockSize: 8
RandomNumberGeneratorSeed: 40
[run_presets]
InterfaceBandwidth: USER
UseRamulatorTrace: False
CFG
printf 'Layer,M,N,K,\nL0,64,64,64,\n' > topology.csv
printf 'Layer%s\nL0%s\n' "$(printf ',x%.0s' {1..24})" "$(printf ',1%.0s' {1..24})" > layout.csv
fault=0
while read -r writes reads wanted; do
    sed "s/WRITES/$writes/; s/READS/$reads/" base.cfg > run.cfg
    seen=$(venv/bin/python -m scalesim.scale -c run.cfg -t topology.csv -l layout.csv -p out -i gemm -s N 2> /dev/null |
        sed -n 's/^Total cycles: //p; s/^Stall cycles: //p; s/^Average IFMAP DRAM BW: \([0-9]*\).*/\1/p' | paste -sd' ')
    echo "Bandwidth $writes, the two keys of [layout] $reads: total, stalls, words of input a cycle: $seen"
    [ "$seen" = "$wanted" ] || fault=1
done <<'RUNS'
1 10 9232 0 10
10 10 1860 0 10
100 10 1122 0 10
10 100 1491 0 100
RUNS
[ $fault = 0 ] || { echo "CHANGED: SCALE-Sim 3.0.0 reads these keys otherwise"; exit 1; }

# Seen on 2026-11-28:
# Bandwidth 1, the two keys of [layout] 10: total, stalls, words of input a cycle: 9232 0 10
# Bandwidth 10, the two keys of [layout] 10: total, stalls, words of input a cycle: 1860 0 10
# Bandwidth 100, the two keys of [layout] 10: total, stalls, words of input a cycle: 1122 0 10
# Bandwidth 10, the two keys of [layout] 100: total, stalls, words of input a cycle: 1491 0 100
