// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 3: sequential addressing.
//
// Changed   in each step the first half of the threads adds the second half of the array: thread t adds element t + s.
// Frees     the way to shared memory. From s = 128 on whole warps have no lane that works and ask for nothing: 45 requests
//           a block instead of 150; neighbours read neighbours, without a bank conflict.
// Gain      over rung 2: open until run on a GPU. Still one element per thread, and half of the threads never add.

template <class T>
__device__ void reduceSequential(const T* in, T* out, unsigned long long n)
{
    __shared__ T part[256];
    unsigned int t = threadIdx.x;
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : T(0);
    __syncthreads();
    for (unsigned int s = 128; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_sequential_i32(const unsigned int* in, unsigned int* out, unsigned long long n)
{
    reduceSequential(in, out, n);
}

extern "C" __global__ void reduce_sequential_f32(const float* in, float* out, unsigned long long n)
{
    reduceSequential(in, out, n);
}
