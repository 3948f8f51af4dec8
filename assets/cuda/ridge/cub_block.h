// SPDX-License-Identifier: GPL-3.0-or-later
// CUB's reductions and scans of a block, written anew after its documentation (CUB API reference, "Block-wide primitives").
// Sums are taken in the order that its default algorithms take: warps first and thread 0 over them; scans by one warp that rakes
// over the others' values.
#pragma once
#pragma clang system_header

#include "cub_warp.h"

namespace cub {

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
    BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace internal {
/// A sum, whose order CUB may choose (anything else is taken from left to right).
template <class Op>
struct RidgeIsSum {
    static constexpr bool value = false;
};
template <>
struct RidgeIsSum<cub::Sum> {
    static constexpr bool value = true;
};
template <class T, int N, class Op>
RIDGE_FN T ThreadReduce(const T (&items)[N], Op op)
{
    if constexpr (RidgeIsSum<Op>::value) {
        T part[N];
        for (int i = 0; i < N; ++i)
            part[i] = items[i];
        for (int by = 1; by < N; by *= 2)
            for (int i = 0; i + by < N; i += 2 * by)
                part[i] = op(part[i], part[i + by]);
        return part[0];
    }
    T all = items[0];
    for (int i = 1; i < N; ++i)
        all = op(all, items[i]);
    return all;
}
} // namespace internal
using internal::ThreadReduce;

/// Threads of the block in row-major order.
template <int X, int Y, int Z>
struct RidgeBlock {
    static constexpr int kThreads = X * Y * Z;
    static constexpr int kWarps = (kThreads + 31) / 32;
    RIDGE_MEMBER static int thread() { return Y * Z == 1 ? (int)threadIdx.x : RowMajorTid(X, Y, Z); }
};

/// An array of values that need no constructor: CUB's storage may be part of a union.
template <class T, int N>
struct RidgeSlots {
    alignas(alignof(T)) unsigned char bytes[sizeof(T) * N];
    RIDGE_MEMBER T& operator[](int i) { return ((T*)bytes)[i]; }
};

template <class T, int X, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Arch = 0>
class BlockReduce {
    typedef RidgeBlock<X, Y, Z> Block;

public:
    struct TempStorage {
        RidgeSlots<T, Block::kWarps> warps;
    };
    RIDGE_MEMBER BlockReduce() : m_storage(own()) {}
    RIDGE_MEMBER explicit BlockReduce(TempStorage& storage) : m_storage(storage) {}

    /// In thread 0: op over the first `valid` threads.
    template <class Op>
    RIDGE_MEMBER T Reduce(T value, Op op, int valid)
    {
        const int thread = Block::thread(), warp = thread / 32;
        typename WarpReduce<T>::TempStorage none;
        const int left = valid - 32 * warp;
        const T mine = WarpReduce<T>(none).Reduce(value, op, left < 32 ? left : 32);
        if (thread % 32 == 0)
            m_storage.warps[warp] = mine;
        __syncthreads();
        T all = mine;
        if (thread == 0)
            for (int next = 1; next < Block::kWarps && 32 * next < valid; ++next)
                all = op(all, m_storage.warps[next]);
        return all;
    }
    template <class Op>
    RIDGE_MEMBER T Reduce(T value, Op op)
    {
        return Reduce(value, op, (int)Block::kThreads);
    }
    template <int N, class Op>
    RIDGE_MEMBER T Reduce(const T (&items)[N], Op op)
    {
        return Reduce(ThreadReduce(items, op), op);
    }
    RIDGE_MEMBER T Sum(T value) { return Reduce(value, cub::Sum()); }
    RIDGE_MEMBER T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
    template <int N>
    RIDGE_MEMBER T Sum(const T (&items)[N])
    {
        return Reduce(items, cub::Sum());
    }

private:
    static __device__ __forceinline__ TempStorage& own()
    {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& m_storage;
};

template <class T, int X, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Arch = 0>
class BlockScan {
    typedef RidgeBlock<X, Y, Z> Block;
    static constexpr int kThreads = Block::kThreads, kSegment = (kThreads + 31) / 32;
    static constexpr int kRakers = (kThreads + kSegment - 1) / kSegment;

public:
    struct TempStorage {
        RidgeSlots<T, kThreads> values;
        RidgeSlots<T, 1> aggregate;
    };
    RIDGE_MEMBER BlockScan() : m_storage(own()) {}
    RIDGE_MEMBER explicit BlockScan(TempStorage& storage) : m_storage(storage) {}

    // ---- exclusive --------------------------------------------------------------------------------------------------------
    /// Thread 0 has no value where none is given to begin with.
    template <class Op>
    RIDGE_MEMBER void ExclusiveScan(T value, T& out, Op op)
    {
        T aggregate;
        out = rake(value, op, aggregate);
    }
    template <class Op>
    RIDGE_MEMBER void ExclusiveScan(T value, T& out, Op op, T& aggregate)
    {
        out = rake(value, op, aggregate);
    }
    template <class Op>
    RIDGE_MEMBER void ExclusiveScan(T value, T& out, T initial, Op op, T& aggregate)
    {
        out = rake(value, op, aggregate, Given{initial});
    }
    template <class Op>
    RIDGE_MEMBER void ExclusiveScan(T value, T& out, T initial, Op op)
    {
        T aggregate;
        ExclusiveScan(value, out, initial, op, aggregate);
    }
    /// `prefix(aggregate)`, called by the first warp, gives what lane 0's call returns to begin with.
    template <class Op, class Prefix>
    RIDGE_MEMBER void ExclusiveScan(T value, T& out, Op op, Prefix& prefix)
    {
        T aggregate;
        out = rake(value, op, aggregate, Asked<Prefix>{prefix});
    }
    template <int N, class Op, class... Rest>
    RIDGE_MEMBER void ExclusiveScan(const T (&in)[N], T (&out)[N], T initial, Op op, Rest&... aggregate)
    {
        T left;
        ExclusiveScan(ThreadReduce(in, op), left, initial, op, aggregate...);
        follow(in, out, left, op);
    }
    template <int N, class Op, class Prefix>
    RIDGE_MEMBER void ExclusiveScan(const T (&in)[N], T (&out)[N], Op op, Prefix& prefix)
    {
        T left;
        ExclusiveScan(ThreadReduce(in, op), left, op, prefix);
        follow(in, out, left, op);
    }
    template <class... Rest>
    RIDGE_MEMBER void ExclusiveSum(T value, T& out, T& aggregate)
    {
        ExclusiveScan(value, out, T(), cub::Sum(), aggregate);
    }
    RIDGE_MEMBER void ExclusiveSum(T value, T& out) { ExclusiveScan(value, out, T(), cub::Sum()); }
    template <class Prefix>
    RIDGE_MEMBER void ExclusiveSum(T value, T& out, Prefix& prefix)
    {
        ExclusiveScan(value, out, cub::Sum(), prefix);
    }
    template <int N>
    RIDGE_MEMBER void ExclusiveSum(const T (&in)[N], T (&out)[N])
    {
        ExclusiveScan(in, out, T(), cub::Sum());
    }
    template <int N>
    RIDGE_MEMBER void ExclusiveSum(const T (&in)[N], T (&out)[N], T& aggregate)
    {
        ExclusiveScan(in, out, T(), cub::Sum(), aggregate);
    }
    template <int N, class Prefix>
    RIDGE_MEMBER void ExclusiveSum(const T (&in)[N], T (&out)[N], Prefix& prefix)
    {
        ExclusiveScan(in, out, cub::Sum(), prefix);
    }

    // ---- inclusive --------------------------------------------------------------------------------------------------------
    template <class Op>
    RIDGE_MEMBER void InclusiveScan(T value, T& out, Op op, T& aggregate)
    {
        const T left = rake(value, op, aggregate);
        out = Block::thread() == 0 ? value : op(left, value);
    }
    template <class Op>
    RIDGE_MEMBER void InclusiveScan(T value, T& out, Op op)
    {
        T aggregate;
        InclusiveScan(value, out, op, aggregate);
    }
    template <class Op, class Prefix>
    RIDGE_MEMBER void InclusiveScan(T value, T& out, Op op, Prefix& prefix)
    {
        T left;
        ExclusiveScan(value, left, op, prefix);
        out = op(left, value);
    }
    template <int N, class Op, class... Rest>
    RIDGE_MEMBER void InclusiveScan(const T (&in)[N], T (&out)[N], Op op, T& aggregate)
    {
        const T left = rake(ThreadReduce(in, op), op, aggregate);
        out[0] = Block::thread() == 0 ? in[0] : op(left, in[0]);
        for (int i = 1; i < N; ++i)
            out[i] = op(out[i - 1], in[i]);
    }
    template <int N, class Op>
    RIDGE_MEMBER void InclusiveScan(const T (&in)[N], T (&out)[N], Op op)
    {
        T aggregate;
        InclusiveScan(in, out, op, aggregate);
    }
    template <int N, class Op, class Prefix>
    RIDGE_MEMBER void InclusiveScan(const T (&in)[N], T (&out)[N], Op op, Prefix& prefix)
    {
        T left;
        ExclusiveScan(ThreadReduce(in, op), left, op, prefix);
        for (int i = 0; i < N; ++i) {
            left = op(left, in[i]);
            out[i] = left;
        }
    }
    RIDGE_MEMBER void InclusiveSum(T value, T& out) { InclusiveScan(value, out, cub::Sum()); }
    RIDGE_MEMBER void InclusiveSum(T value, T& out, T& aggregate) { InclusiveScan(value, out, cub::Sum(), aggregate); }
    template <class Prefix>
    RIDGE_MEMBER void InclusiveSum(T value, T& out, Prefix& prefix)
    {
        InclusiveScan(value, out, cub::Sum(), prefix);
    }
    template <int N>
    RIDGE_MEMBER void InclusiveSum(const T (&in)[N], T (&out)[N])
    {
        InclusiveScan(in, out, cub::Sum());
    }
    template <int N>
    RIDGE_MEMBER void InclusiveSum(const T (&in)[N], T (&out)[N], T& aggregate)
    {
        InclusiveScan(in, out, cub::Sum(), aggregate);
    }
    template <int N, class Prefix>
    RIDGE_MEMBER void InclusiveSum(const T (&in)[N], T (&out)[N], Prefix& prefix)
    {
        InclusiveScan(in, out, cub::Sum(), prefix);
    }

private:
    /// Where a scan begins: with nothing, with a value, or with what a functor makes of the sum of all.
    struct Nothing {};
    struct Given {
        T value;
        RIDGE_MEMBER T operator()(const T&) const { return value; }
    };
    template <class Prefix>
    struct Asked {
        Prefix& prefix;
        RIDGE_MEMBER T operator()(const T& aggregate) const { return prefix(aggregate); }
    };
    /// What stands before this thread (no value in thread 0 that begins with nothing), and the sum of all.
    template <class Op, class Start = Nothing>
    RIDGE_MEMBER T rake(T value, Op op, T& aggregate, Start start = Start())
    {
        constexpr bool kStarts = !__is_same(Start, Nothing);
        const int thread = Block::thread();
        m_storage.values[thread] = value;
        __syncthreads();
        if (thread < kRakers) {
            const int begin = thread * kSegment, end = begin + kSegment < kThreads ? begin + kSegment : kThreads;
            T own = m_storage.values[begin];
            for (int i = begin + 1; i < end; ++i)
                own = op(own, m_storage.values[i]);
            const unsigned int lanes = kRakers >= 32 ? ~0u : (1u << (kRakers & 31)) - 1;
            T running = own;
            for (int by = 1; by < kRakers; by *= 2) {
                const bool there = thread >= by;
                const T other = ridgeFromLane(running, (int)LaneId() - (there ? by : 0), lanes);
                if (there)
                    running = op(other, running);
            }
            if (thread == kRakers - 1)
                m_storage.aggregate[0] = running;
            T left = ridgeFromLane(running, (int)LaneId() - (thread > 0 ? 1 : 0), lanes);
            if constexpr (kStarts) {
                const T first = ridgeFromLane(start(ridgeFromLane(running, kRakers - 1, lanes)), 0, lanes);
                left = thread == 0 ? first : op(first, left);
            }
            for (int i = begin; i < end; ++i) {
                const T item = m_storage.values[i];
                if (kStarts || i > 0)
                    m_storage.values[i] = left;
                left = !kStarts && i == 0 ? item : op(left, item);
            }
        }
        __syncthreads();
        aggregate = m_storage.aggregate[0];
        return m_storage.values[thread];
    }
    template <int N, class Op>
    RIDGE_MEMBER static void follow(const T (&in)[N], T (&out)[N], T left, Op op)
    {
        for (int i = 0; i < N; ++i) {
            const T item = in[i];
            out[i] = left;
            left = op(left, item);
        }
    }
    static __device__ __forceinline__ TempStorage& own()
    {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& m_storage;
};

} // namespace cub
