// SPDX-License-Identifier: GPL-3.0-or-later
// Grids, blocks, tiles of a warp and coalesced groups under the names of CUDA's cooperative_groups.h (CUDA C++ Programming
// Guide, "Cooperative Groups"), reductions and scans. Clusters are left out: clang 14 makes no code for chips that have them.
#pragma once

namespace cooperative_groups {

RIDGE_FN unsigned int ridgeLanesBelow()
{
    unsigned int below;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return below;
}
RIDGE_FN unsigned int ridgeLane()
{
    unsigned int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

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
    RIDGE_MEMBER static dim3 dim_threads() { return group_dim(); }
};

/// Counts arrivals; the upper bit turns with each generation. One for the program, made where a grid waits.
template <int Tag>
struct RidgeGridCounter {
    static __device__ unsigned int arrived;
};
template <int Tag>
__device__ unsigned int RidgeGridCounter<Tag>::arrived = 0;

class grid_group {
public:
    RIDGE_MEMBER static bool is_valid() { return true; }
    RIDGE_MEMBER static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    RIDGE_MEMBER static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    RIDGE_MEMBER static unsigned long long size() { return num_blocks() * thread_block::size(); }
    RIDGE_MEMBER static unsigned long long num_threads() { return size(); }
    RIDGE_MEMBER static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    RIDGE_MEMBER static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    RIDGE_MEMBER static dim3 dim_blocks() { return group_dim(); }
    RIDGE_MEMBER static dim3 block_index() { return thread_block::group_index(); }
    RIDGE_MEMBER static void sync()
    {
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            unsigned int* const at = &RidgeGridCounter<0>::arrived;
            __threadfence();
            const unsigned int mine = block_rank() == 0 ? 0x80000000u - ((unsigned int)num_blocks() - 1) : 1u;
            const unsigned int before = atomicAdd(at, mine);
            while (((*(volatile unsigned int*)at ^ before) & 0x80000000u) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
    }
};
RIDGE_FN grid_group this_grid() { return grid_group(); }
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
    RIDGE_MEMBER unsigned int match_any(T value) const
    {
        return __match_any_sync(mask(), value) >> (thread_block::thread_rank() & 31 & ~(N - 1));
    }
    template <class T>
    RIDGE_MEMBER unsigned int match_all(T value, int& all) const
    {
        return __match_all_sync(mask(), value, &all) >> (thread_block::thread_rank() & 31 & ~(N - 1));
    }
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
    RIDGE_MEMBER unsigned int thread_rank() const { return __popc(m_mask & ridgeLanesBelow()); }
    RIDGE_MEMBER unsigned int mask() const { return m_mask; }
    RIDGE_MEMBER unsigned int meta_group_rank() const { return m_rank; }
    RIDGE_MEMBER unsigned int meta_group_size() const { return m_groups; }
    RIDGE_MEMBER void place(unsigned int rank, unsigned int groups)
    {
        m_rank = rank;
        m_groups = groups;
    }
    RIDGE_MEMBER unsigned int ballot(int predicate) const { return packed(__ballot_sync(m_mask, predicate)); }
    template <class T>
    RIDGE_MEMBER unsigned int match_any(T value) const
    {
        return packed(__match_any_sync(m_mask, value));
    }
    template <class T>
    RIDGE_MEMBER T shfl_down(T value, unsigned int by) const
    {
        const unsigned int from = thread_rank() + by;
        const T got = shfl(value, from < size() ? from : thread_rank());
        return got;
    }
    template <class T>
    RIDGE_MEMBER T shfl_up(T value, unsigned int by) const
    {
        return shfl(value, thread_rank() >= by ? thread_rank() - by : thread_rank());
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
    /// The bits of the group's lanes, side by side.
    RIDGE_MEMBER unsigned int packed(unsigned int lanes) const
    {
        unsigned int result = 0, rank = 0;
        for (unsigned int left = m_mask; left != 0; left &= left - 1, ++rank)
            result |= (lanes >> (__ffs(left) - 1) & 1u) << rank;
        return result;
    }

    unsigned int m_mask;
    unsigned int m_rank = 0;
    unsigned int m_groups = 1;
};
template <unsigned int N, class Parent>
RIDGE_FN unsigned int ridgeMask(const thread_block_tile<N, Parent>& tile)
{
    return tile.mask();
}
RIDGE_FN unsigned int ridgeMask(const coalesced_group& group) { return group.mask(); }
RIDGE_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// What groups of all kinds convert to: a function that takes one works with whichever it is given.
class thread_group {
public:
    RIDGE_MEMBER thread_group(const thread_block&) : m_kind(Block), m_lanes(0) {}
    RIDGE_MEMBER thread_group(const grid_group&) : m_kind(Grid), m_lanes(0) {}
    RIDGE_MEMBER thread_group(const coalesced_group& group) : m_kind(Lanes), m_lanes(group) {}
    template <unsigned int N, class Parent>
    RIDGE_MEMBER thread_group(const thread_block_tile<N, Parent>& tile) : m_kind(Lanes), m_lanes(tile.mask())
    {
        m_lanes.place(tile.meta_group_rank(), tile.meta_group_size());
    }
    RIDGE_MEMBER void sync() const
    {
        if (m_kind == Block)
            thread_block::sync();
        else if (m_kind == Grid)
            grid_group::sync();
        else
            m_lanes.sync();
    }
    RIDGE_MEMBER unsigned long long size() const
    {
        return m_kind == Block ? thread_block::size() : m_kind == Grid ? grid_group::size() : m_lanes.size();
    }
    RIDGE_MEMBER unsigned long long num_threads() const { return size(); }
    RIDGE_MEMBER unsigned long long thread_rank() const
    {
        return m_kind == Block  ? thread_block::thread_rank()
               : m_kind == Grid ? grid_group::thread_rank()
                                : m_lanes.thread_rank();
    }
    RIDGE_MEMBER static bool is_valid() { return true; }

private:
    enum Kind { Block, Grid, Lanes };
    Kind m_kind;
    coalesced_group m_lanes;
};

/// Lanes of one group that hold the same label.
template <class Group, class T>
RIDGE_FN coalesced_group labeled_partition(const Group& group, T label)
{
    const unsigned int lanes = ridgeMask(group);
    const unsigned int peers = __match_any_sync(lanes, label);
    const bool first = (peers & ridgeLanesBelow()) == 0;
    const unsigned int leaders = __ballot_sync(lanes, first);
    coalesced_group part(peers);
    part.place(__popc(leaders & ((1u << (__ffs(peers) - 1)) - 1)), __popc(leaders));
    return part;
}
template <class Group>
RIDGE_FN coalesced_group binary_partition(const Group& group, bool predicate)
{
    const unsigned int lanes = ridgeMask(group);
    const unsigned int yes = __ballot_sync(lanes, predicate);
    coalesced_group part(predicate ? yes : lanes & ~yes);
    part.place(predicate ? 1 : 0, 2);
    return part;
}
/// A tile whose size is known only when the kernel runs.
template <class Group>
RIDGE_FN coalesced_group tiled_partition(const Group& group, unsigned int size)
{
    const unsigned int lane = ridgeLane();
    const unsigned int whole = size >= 32 ? ~0u : ((1u << size) - 1) << (lane & ~(size - 1));
    coalesced_group part(whole & __activemask());
    part.place(group.thread_rank() / size, (group.size() + size - 1) / size);
    return part;
}

/// Copies that are done when the call returns; wait() is then only the group's barrier.
template <class Group, class T, class Shape>
RIDGE_FN void memcpy_async(const Group& group, T* to, const T* from, Shape bytes)
{
    for (size_t i = group.thread_rank(); i < (size_t)bytes / sizeof(T); i += group.size())
        to[i] = from[i];
}
template <class Group>
RIDGE_FN void wait(const Group& group)
{
    group.sync();
}
template <class Group, class F, class... A>
RIDGE_FN void invoke_one(const Group& group, F&& work, A&&... arguments)
{
    if (group.thread_rank() == 0)
        work(arguments...);
}

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
template <class T>
struct bit_and {
    RIDGE_MEMBER T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
    RIDGE_MEMBER T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
    RIDGE_MEMBER T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned int N, class Parent, class T, class Op>
RIDGE_FN T reduce(const thread_block_tile<N, Parent>& tile, T value, Op op)
{
    for (unsigned int by = N / 2; by > 0; by /= 2)
        value = op(value, tile.shfl_xor(value, by));
    return value;
}
/// inclusive_scan(group, value, op)
template <class Group, class T, class Op>
RIDGE_FN T inclusive_scan(const Group& group, T value, Op op)
{
    for (unsigned int by = 1; by < group.size(); by *= 2) {
        const T left = group.shfl_up(value, by);
        if (group.thread_rank() >= by)
            value = op(left, value);
    }
    return value;
}
template <class Group, class T>
RIDGE_FN T inclusive_scan(const Group& group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op>
RIDGE_FN T exclusive_scan(const Group& group, T value, Op op)
{
    const T left = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? T() : left;
}
template <class Group, class T>
RIDGE_FN T exclusive_scan(const Group& group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}
template <class T, class Op>
RIDGE_FN T reduce(const coalesced_group& group, T value, Op op)
{
    return group.shfl(inclusive_scan(group, value, op), group.size() - 1);
}

} // namespace cooperative_groups
