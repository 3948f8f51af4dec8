// SPDX-License-Identifier: GPL-3.0-or-later
// The sum of NVIDIA's CUB, for our ladder (kernels/reduction) to be held against. Compiled at run time from the headers of the
// CUDA toolkit that is found, 13 or newer; nothing of them is repeated here. Which threads add up what, in which tiles and with
// which loads is CUB's own choice for the chip: its tuning, its agent, its even share. Two launches, as its DeviceReduce makes
// them: a partial sum for each block, then one block over those. CUB's host code, which NVRTC cannot compile, is not used; each
// block works out its even share by itself instead of being passed it.
// Unmarked  device
#include <cub/config.cuh>
#include <cub/version.cuh>
#if CUB_VERSION < 300000
#error "CUB 3 (CUDA 13) or newer is needed"
#endif
#include <cub/util_device.cuh>
#ifdef __CUDACC_RTC__
// The tuning stands in a header with functions of the host beside it.
#undef CUB_RUNTIME_FUNCTION
#define CUB_RUNTIME_FUNCTION __device__
#undef CUB_DEFINE_SUB_POLICY_GETTER
#define CUB_DEFINE_SUB_POLICY_GETTER(name)
#endif
#include <cub/device/dispatch/kernels/reduce.cuh>
#include <cub/device/dispatch/tuning/tuning_reduce.cuh>
#include <cuda/std/functional>

using Index = unsigned int; // as for a count of type int
using Plus = ::cuda::std::plus<>;

template<class T>
struct Sum {
    using Active = typename cub::detail::reduce::policy_hub<T, Index, Plus>::MaxPolicy::ActivePolicy;
    using Many = typename Active::ReducePolicy;
    using One = typename Active::SingleTilePolicy;
    template<class Policy>
    using Agent = cub::detail::reduce::AgentReduce<Policy, const T*, T*, Index, Plus, T>;
    static constexpr int tile = Many::BLOCK_THREADS * Many::ITEMS_PER_THREAD;

    static __device__ void partial(const T* in, T* out, Index n)
    {
        __shared__ typename Agent<Many>::TempStorage storage;
        cub::GridEvenShare<Index> share;
        share.DispatchInit(n, static_cast<int>(gridDim.x), tile);
        const T sum = Agent<Many>(storage, in, Plus{}).ConsumeTiles(share);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
    static __device__ void last(const T* in, T* out, Index n)
    {
        __shared__ typename Agent<One>::TempStorage storage;
        const T sum = Agent<One>(storage, in, Plus{}).ConsumeRange(Index{0}, n);
        if (threadIdx.x == 0)
            *out = sum;
    }
    // How the launches must be shaped: threads of a block and elements of its tile, threads of the last block, and how many
    // blocks an SM is given for each that it holds.
    static __device__ void facts(unsigned int* out)
    {
        out[0] = CUB_VERSION;
        out[1] = Many::BLOCK_THREADS;
        out[2] = tile;
        out[3] = One::BLOCK_THREADS;
        out[4] = cub::detail::subscription_factor;
    }
};

extern "C" {

__global__ void __launch_bounds__(Sum<int>::Many::BLOCK_THREADS) cub_partial_i32(const int* in, int* out, Index n)
{
    Sum<int>::partial(in, out, n);
}

__global__ void __launch_bounds__(Sum<int>::One::BLOCK_THREADS, 1) cub_last_i32(const int* in, int* out, Index n)
{
    Sum<int>::last(in, out, n);
}

__global__ void cub_facts_i32(unsigned int* out)
{
    Sum<int>::facts(out);
}

__global__ void __launch_bounds__(Sum<float>::Many::BLOCK_THREADS) cub_partial_f32(const float* in, float* out, Index n)
{
    Sum<float>::partial(in, out, n);
}

__global__ void __launch_bounds__(Sum<float>::One::BLOCK_THREADS, 1) cub_last_f32(const float* in, float* out, Index n)
{
    Sum<float>::last(in, out, n);
}

__global__ void cub_facts_f32(unsigned int* out)
{
    Sum<float>::facts(out);
}
}
