// SPDX-License-Identifier: GPL-3.0-or-later
//
// Convolution with up to 32 taps; the block's part of the input and the taps in shared memory.
//
// Launch    --grid ceil(n/256) --block 256

extern "C" __global__ void convolution(unsigned int n, unsigned int taps, const float* in, const float* w, float* out)
{
    // What does the block need of the input, and of the taps?
    // Multiply along the window of this thread.
}
