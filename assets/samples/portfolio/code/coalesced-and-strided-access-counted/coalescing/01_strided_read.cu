// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coalescing, rung 1: the strided read.
//
// Shows     what one warp-wide load costs when its 32 lanes spread out in memory.
// Resource  32-byte sectors. A load asks for 32 x sizeof(T) bytes; memory moves every sector that a lane touches, whole.
// Expect    4-byte loads, everything aligned: stride 1, 2, 4, 8, 16, 32 touch 4, 8, 16, 32, 32, 32 sectors a request.
//           From stride 8 on each lane has a sector of its own, and one aligned load cannot touch two: the count stops.
//           lane_xor shuffles the lanes within a warp and changes nothing; offset 1 costs one sector more at stride 1.
// Gain      stride 1 over stride 8, in time: open until run on a GPU.

template <class T>
__device__ void stridedRead(const T* in, T* out, unsigned long long elements, unsigned long long stride,
                            unsigned long long offset, unsigned int laneXor)
{
    // 64 bits from the start: 2^24 elements at stride 128 end far behind what an int can index.
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < elements)
        out[i] = in[(i ^ laneXor) * stride + offset];
}

extern "C" __global__ void strided_read_4(const float* in, float* out, unsigned long long elements,
                                          unsigned long long stride, unsigned long long offset, unsigned int lane_xor)
{
    stridedRead(in, out, elements, stride, offset, lane_xor);
}

extern "C" __global__ void strided_read_8(const float2* in, float2* out, unsigned long long elements,
                                          unsigned long long stride, unsigned long long offset, unsigned int lane_xor)
{
    stridedRead(in, out, elements, stride, offset, lane_xor);
}

extern "C" __global__ void strided_read_16(const float4* in, float4* out, unsigned long long elements,
                                           unsigned long long stride, unsigned long long offset, unsigned int lane_xor)
{
    stridedRead(in, out, elements, stride, offset, lane_xor);
}
