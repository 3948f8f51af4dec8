// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reduction, rung 4: first add on load.
//
// Changed   each thread loads two elements, a block apart, and adds them before the tree begins: a block covers 512.
// Frees     half of the trees, barriers and blocks for the same bytes; two loads of a thread are in flight at once.
// Gain      over rung 3: open until run on a GPU; close to 2 as long as the tree, not memory, is what takes the time.

template <class T>
__device__ void reduceFirstAdd(const T* in, T* out, unsigned long long n)
{
    __shared__ T part[256];
    unsigned int t = threadIdx.x;
    unsigned long long i = (unsigned long long)blockIdx.x * 512 + t;
    T a = i < n ? in[i] : T(0);
    T b = i + 256 < n ? in[i + 256] : T(0);
    part[t] = a + b;
    __syncthreads();
    for (unsigned int s = 128; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_first_add_i32(const unsigned int* in, unsigned int* out, unsigned long long n)
{
    reduceFirstAdd(in, out, n);
}

extern "C" __global__ void reduce_first_add_f32(const float* in, float* out, unsigned long long n)
{
    reduceFirstAdd(in, out, n);
}
