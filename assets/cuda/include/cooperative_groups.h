// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks, tiles of a warp and coalesced groups under the names of CUDA's cooperative_groups.h (CUDA C++ Programming Guide,
// "Cooperative Groups"). Grids and clusters are left out.
#pragma once

namespace cooperative_groups {

class thread_block {
public:
    RIDGE_MEMBER static void sync() { __syncthreads(); }
    RIDGE_MEMBER static unsigned int thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    RIDGE_MEMBER static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    RIDGE_MEMBER static unsigned int num_threads() { return size(); }
    RIDGE_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    RIDGE_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    RIDGE_MEMBER static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
RIDGE_FN thread_block this_thread_block() { return thread_block(); }

template <unsigned int N, class Parent = thread_block>
class thread_block_tile {
public:
    RIDGE_MEMBER static unsigned int thread_rank() { return thread_block::thread_rank() & (N - 1); }
    RIDGE_MEMBER static constexpr unsigned int size() { return N; }
    RIDGE_MEMBER static constexpr unsigned int num_threads() { return N; }
    RIDGE_MEMBER static unsigned int meta_group_rank() { return thread_block::thread_rank() / N; }
    RIDGE_MEMBER static unsigned int meta_group_size() { return (thread_block::size() + N - 1) / N; }
    RIDGE_MEMBER static void sync() { __syncwarp(mask()); }
    template <class T>
    RIDGE_MEMBER T shfl(T value, int lane) const { return __shfl_sync(mask(), value, lane, N); }
    template <class T>
    RIDGE_MEMBER T shfl_down(T value, unsigned int by) const { return __shfl_down_sync(mask(), value, by, N); }
    template <class T>
    RIDGE_MEMBER T shfl_up(T value, unsigned int by) const { return __shfl_up_sync(mask(), value, by, N); }
    template <class T>
    RIDGE_MEMBER T shfl_xor(T value, int by) const { return __shfl_xor_sync(mask(), value, by, N); }
    RIDGE_MEMBER int any(int predicate) const { return __any_sync(mask(), predicate); }
    RIDGE_MEMBER int all(int predicate) const { return __all_sync(mask(), predicate); }
    RIDGE_MEMBER unsigned int ballot(int predicate) const
    {
        return __ballot_sync(mask(), predicate) >> (thread_block::thread_rank() & 31 & ~(N - 1));
    }

private:
    RIDGE_MEMBER static unsigned int mask()
    {
        return N == 32 ? ~0u : ((1u << (N & 31)) - 1) << (thread_block::thread_rank() & 31 & ~(N - 1));
    }
};
template <unsigned int N, class Parent>
RIDGE_FN thread_block_tile<N, Parent> tiled_partition(const Parent&)
{
    return thread_block_tile<N, Parent>();
}

class coalesced_group {
public:
    RIDGE_MEMBER explicit coalesced_group(unsigned int mask) : m_mask(mask) {}
    RIDGE_MEMBER unsigned int size() const { return __popc(m_mask); }
    RIDGE_MEMBER unsigned int num_threads() const { return size(); }
    RIDGE_MEMBER unsigned int thread_rank() const
    {
        unsigned int below;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
        return __popc(m_mask & below);
    }
    RIDGE_MEMBER void sync() const { __syncwarp(m_mask); }
    RIDGE_MEMBER int any(int predicate) const { return __any_sync(m_mask, predicate); }
    RIDGE_MEMBER int all(int predicate) const { return __all_sync(m_mask, predicate); }
    template <class T>
    RIDGE_MEMBER T shfl(T value, unsigned int rank) const
    {
        unsigned int left = m_mask;
        for (; rank > 0; --rank)
            left &= left - 1;
        return __shfl_sync(m_mask, value, __ffs(left) - 1);
    }

private:
    unsigned int m_mask;
};
RIDGE_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
RIDGE_FN void sync(const Group& group)
{
    group.sync();
}

template <class T>
struct plus {
    RIDGE_MEMBER T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
    RIDGE_MEMBER T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
    RIDGE_MEMBER T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned int N, class Parent, class T, class Op>
RIDGE_FN T reduce(const thread_block_tile<N, Parent>& tile, T value, Op op)
{
    for (unsigned int by = N / 2; by > 0; by /= 2)
        value = op(value, tile.shfl_xor(value, by));
    return value;
}

} // namespace cooperative_groups
