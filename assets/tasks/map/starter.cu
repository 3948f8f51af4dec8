// SPDX-License-Identifier: GPL-3.0-or-later
//
// Map: y = x x + 1, one element for each thread.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void map(unsigned int n, const float* x, float* y)
{
    // Which element is this thread's?
    // Not every thread has one.
}
