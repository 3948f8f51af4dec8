// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums a block's elements in a tree, with a barrier missing. Run it with the detectors on: they name both lines that meet.
// Mend it, then compare its operation count with that of the version before.
//
// Launch    --grid 16 --block 256 --arg in:f32:4096:ones --arg out:f32:16

__global__ void blockSum(const float* in, float* out)
{
    __shared__ float part[256];
    unsigned int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
