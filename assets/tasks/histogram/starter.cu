// SPDX-License-Identifier: GPL-3.0-or-later
//
// Histogram of up to 256 bins, counted in shared memory by each block.
//
// Launch    --grid min(ceil(n/1024),132) --block 256

extern "C" __global__ void histogram(unsigned int n, unsigned int bins, const unsigned int* value, unsigned int* counts)
{
    // A histogram of the block's own, all 0 before anybody counts.
    // Add it to counts once everybody in the block has counted.
}
