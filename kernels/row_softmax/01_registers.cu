// SPDX-License-Identifier: GPL-3.0-or-later
//
// Softmax of rows, by hand: what the block program assets/block-programs/softmax.tile is held against.
//
// Shows     all that a block program leaves to its compiler: which thread has which element, who is inside the row, how
//           warps find the largest value and the sum, and where the block has to wait.
// Resource  the pins of the memory: a row crosses them once each way, since a thread keeps its 16 elements in registers.
// Limits    rows of up to 16384 columns: 1024 threads.
// Gain      against the block program: open until run on a GPU.

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Largest {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// One value of all threads of the block, in every thread. `none` is what changes nothing.
template<class Both>
__device__ float ofBlock(float v, float none, Both both)
{
    __shared__ float part[32];
    unsigned int lane = threadIdx.x % 32;
    for (int s = 16; s > 0; s /= 2)
        v = both(v, __shfl_xor_sync(0xffffffffu, v, s));
    __syncthreads(); // whoever still reads the values of before
    if (lane == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = lane < blockDim.x / 32 ? part[lane] : none;
    for (int s = 16; s > 0; s /= 2)
        v = both(v, __shfl_xor_sync(0xffffffffu, v, s));
    return v;
}

constexpr unsigned int kOwn = 16; // elements of a thread

extern "C" __global__ void __launch_bounds__(1024)
    row_softmax(const float* __restrict__ x, float* __restrict__ y, unsigned int columns)
{
    const float none = __int_as_float(0xff800000); // minus infinity
    const float* row = x + (unsigned long long)blockIdx.x * columns;
    float* out = y + (unsigned long long)blockIdx.x * columns;
    float own[kOwn];
    float largest = none;
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) { // all loads start before the first is used
        unsigned int i = k * blockDim.x + threadIdx.x;
        own[k] = i < columns ? row[i] : none;
    }
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        largest = fmaxf(largest, own[k]);
    largest = ofBlock(largest, none, Largest());
    float sum = 0.0f;
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) {
        own[k] = expf(own[k] - largest);
        sum += own[k];
    }
    float scale = 1.0f / ofBlock(sum, 0.0f, Sum());
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) {
        unsigned int i = k * blockDim.x + threadIdx.x;
        if (i < columns)
            out[i] = own[k] * scale;
    }
}
