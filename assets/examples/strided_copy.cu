// SPDX-License-Identifier: GPL-3.0-or-later
//
// Copies every stride-th element. Watch the sectors a request of the load grow with the stride, up to one for each lane.
//
// Launch    --grid 32 --block 256 --arg in:f32:262144:rand(1) --arg out:f32:8192 --arg i32:8

__global__ void stridedCopy(const float* in, float* out, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(long long)i * stride];
}
