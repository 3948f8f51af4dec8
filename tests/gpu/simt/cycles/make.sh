#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the PTX that GPU and simulator run again; needs nvcc 13. NAME.ptx is what nvcc makes on its own and what is timed;
# NAME.exact.ptx keeps products and sums apart, so that ptxas has no choice left and bits can be compared.
set -e
cd "$(dirname "$0")"
for set in sizes dev styles heldout blind; do
  nvcc="${RIDGE_CUDA:-/usr/local/cuda}/bin/nvcc -ptx -arch=compute_90"
  $nvcc -o "$set/$set.ptx" "$set/$set.cu"
  $nvcc -fmad=false -o "$set/$set.exact.ptx" "$set/$set.cu"
done
