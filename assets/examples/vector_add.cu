// SPDX-License-Identifier: GPL-3.0-or-later
//
// Adds two vectors, one element a thread. Lanes of a warp read neighbouring elements: four sectors a request.
//
// Launch    --grid 64 --block 256 --arg in:f32:16384:rand(1) --arg in:f32:16384:rand(2) --arg out:f32:16384 --arg i32:16384

__global__ void vectorAdd(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
