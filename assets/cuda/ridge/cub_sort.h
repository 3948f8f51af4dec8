// SPDX-License-Identifier: GPL-3.0-or-later
// CUB's sorts, histograms and comparisons with neighbours of a block, written anew after its documentation (CUB API reference,
// "Block-wide primitives"). Sorts are stable; a radix sort takes -0 and +0 for equal.
#pragma once
#pragma clang system_header

#include "cub_move.h"

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <int Bytes>
struct RidgeUnsignedOf;
template <>
struct RidgeUnsignedOf<1> {
    typedef unsigned char Type;
};
template <>
struct RidgeUnsignedOf<2> {
    typedef unsigned short Type;
};
template <>
struct RidgeUnsignedOf<4> {
    typedef unsigned int Type;
};
template <>
struct RidgeUnsignedOf<8> {
    typedef unsigned long long Type;
};

template <class K, int X, int N, class V = NullType, int RadixBits = 4, bool Memoize = true,
          BlockScanAlgorithm Inner = BLOCK_SCAN_WARP_SCANS, int Banks = 0, int Y = 1, int Z = 1, int Arch = 0>
class BlockRadixSort {
    static_assert(__is_integral(K) || __is_floating_point(K), "keys are whole numbers, float or double");
    typedef RidgeBlock<X, Y, Z> Block;
    static constexpr int kThreads = Block::kThreads, kDigits = 16;
    static constexpr bool kValues = !__is_same(V, NullType);
    typedef typename RidgeUnsignedOf<sizeof(K)>::Type Bits;

public:
    struct TempStorage {
        RidgeSlots<unsigned int, kDigits * kThreads> counts;
        typename BlockScan<unsigned int, X, Inner, Y, Z>::TempStorage scan;
        typename BlockExchange<K, X, N, false, Y, Z>::TempStorage keys;
        typename BlockExchange<V, X, N, false, Y, Z>::TempStorage values;
    };
    RIDGE_MEMBER BlockRadixSort() : m_storage(own()) {}
    RIDGE_MEMBER explicit BlockRadixSort(TempStorage& storage) : m_storage(storage) {}

#define RIDGE_SORT(name, descending, striped)                                                                          \
    RIDGE_MEMBER void name(K (&keys)[N], int begin = 0, int end = 8 * sizeof(K))                                       \
    {                                                                                                                  \
        V none[N];                                                                                                     \
        sort<descending, striped, false>(keys, none, begin, end);                                                      \
    }                                                                                                                  \
    RIDGE_MEMBER void name(K (&keys)[N], V (&values)[N], int begin = 0, int end = 8 * sizeof(K))                       \
    {                                                                                                                  \
        sort<descending, striped, true>(keys, values, begin, end);                                                     \
    }
    RIDGE_SORT(Sort, false, false)
    RIDGE_SORT(SortDescending, true, false)
    RIDGE_SORT(SortBlockedToStriped, false, true)
    RIDGE_SORT(SortDescendingBlockedToStriped, true, true)
#undef RIDGE_SORT

private:
    /// A whole number that is ordered as the key is.
    RIDGE_MEMBER static Bits ordered(const K& key)
    {
        constexpr Bits kTop = (Bits)((Bits)1 << (8 * sizeof(K) - 1));
        Bits bits;
        __builtin_memcpy(&bits, &key, sizeof(K));
        if constexpr (__is_floating_point(K)) {
            if (bits == kTop)
                bits = 0;
            return (bits & kTop) != 0 ? (Bits)~bits : (Bits)(bits | kTop);
        } else {
            return __is_signed(K) ? (Bits)(bits ^ kTop) : bits;
        }
    }
    template <bool Descending, bool Striped, bool WithValues>
    RIDGE_MEMBER void sort(K (&keys)[N], V (&values)[N], int begin, int end)
    {
        const int thread = Block::thread();
        do {
            const int bits = end - begin < 4 ? end - begin : 4;
            const bool last = begin + bits >= end;
            for (int digit = 0; digit < kDigits; ++digit)
                m_storage.counts[digit * kThreads + thread] = 0;
            int digits[N], ranks[N];
            for (int i = 0; i < N; ++i) {
                const Bits order = Descending ? (Bits)~ordered(keys[i]) : ordered(keys[i]);
                digits[i] = (int)((order >> begin) & ((1u << bits) - 1));
                ranks[i] = (int)m_storage.counts[digits[i] * kThreads + thread]++;
            }
            __syncthreads();
            unsigned int before[kDigits];
            for (int i = 0; i < kDigits; ++i)
                before[i] = m_storage.counts[thread * kDigits + i];
            BlockScan<unsigned int, X, Inner, Y, Z>(m_storage.scan).ExclusiveSum(before, before);
            for (int i = 0; i < kDigits; ++i)
                m_storage.counts[thread * kDigits + i] = before[i];
            __syncthreads();
            for (int i = 0; i < N; ++i)
                ranks[i] += (int)m_storage.counts[digits[i] * kThreads + thread];
            move<Striped>(m_storage.keys, keys, ranks, last);
            if constexpr (WithValues && kValues)
                move<Striped>(m_storage.values, values, ranks, last);
            __syncthreads();
            begin += bits;
        } while (begin < end);
    }
    template <bool Striped, class S, class T>
    RIDGE_MEMBER static void move(S& storage, T (&items)[N], int (&ranks)[N], bool last)
    {
        BlockExchange<T, X, N, false, Y, Z> exchange(storage);
        if (Striped && last)
            exchange.ScatterToStriped(items, ranks);
        else
            exchange.ScatterToBlocked(items, ranks);
    }
    static __device__ __forceinline__ TempStorage& own()
    {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& m_storage;
};

/// Sorts by any order: each item's place is the number of items that belong before it.
template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort {
    typedef RidgeBlock<X, Y, Z> Block;
    static_assert((X * Y * Z & (X * Y * Z - 1)) == 0, "a power of two of threads sorts, as CUB asks");

public:
    struct TempStorage {
        RidgeSlots<K, Block::kThreads * N> keys;
        typename BlockExchange<K, X, N, false, Y, Z>::TempStorage moved;
        typename BlockExchange<V, X, N, false, Y, Z>::TempStorage values;
    };
    RIDGE_MEMBER BlockMergeSort() : m_storage(own()) {}
    RIDGE_MEMBER explicit BlockMergeSort(TempStorage& storage) : m_storage(storage) {}

    template <class Less>
    RIDGE_MEMBER void Sort(K (&keys)[N], Less less)
    {
        int ranks[N];
        rank(keys, less, ranks, Block::kThreads * N);
        BlockExchange<K, X, N, false, Y, Z>(m_storage.moved).ScatterToBlocked(keys, ranks);
    }
    template <class Less>
    RIDGE_MEMBER void Sort(K (&keys)[N], V (&values)[N], Less less)
    {
        int ranks[N];
        rank(keys, less, ranks, Block::kThreads * N);
        BlockExchange<K, X, N, false, Y, Z>(m_storage.moved).ScatterToBlocked(keys, ranks);
        BlockExchange<V, X, N, false, Y, Z>(m_storage.values).ScatterToBlocked(values, ranks);
    }
    /// Only the first `valid` items; the others become `last`.
    template <class Less>
    RIDGE_MEMBER void Sort(K (&keys)[N], Less less, int valid, K last)
    {
        const int thread = Block::thread();
        for (int i = 0; i < N; ++i)
            if (thread * N + i >= valid)
                keys[i] = last;
        Sort(keys, less);
    }
    template <class Less>
    RIDGE_MEMBER void StableSort(K (&keys)[N], Less less)
    {
        Sort(keys, less);
    }

private:
    template <class Less>
    RIDGE_MEMBER void rank(K (&keys)[N], Less less, int (&ranks)[N], int count)
    {
        const int thread = Block::thread();
        for (int i = 0; i < N; ++i)
            m_storage.keys[thread * N + i] = keys[i];
        __syncthreads();
        for (int i = 0; i < N; ++i) {
            const int own = thread * N + i;
            int before = 0;
            for (int other = 0; other < count; ++other) {
                const K key = m_storage.keys[other];
                before += less(key, keys[i]) || (other < own && !less(keys[i], key)) ? 1 : 0;
            }
            ranks[i] = before;
        }
    }
    static __device__ __forceinline__ TempStorage& own()
    {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& m_storage;
};

template <class T, int X, int N, int Bins, BlockHistogramAlgorithm Algorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockHistogram {
    typedef RidgeBlock<X, Y, Z> Block;

public:
    struct TempStorage : NullType {};
    RIDGE_MEMBER BlockHistogram() {}
    RIDGE_MEMBER explicit BlockHistogram(TempStorage&) {}
    template <class C>
    RIDGE_MEMBER void InitHistogram(C (&bins)[Bins])
    {
        for (int bin = Block::thread(); bin < Bins; bin += Block::kThreads)
            bins[bin] = 0;
    }
    template <class C>
    RIDGE_MEMBER void Composite(T (&items)[N], C (&bins)[Bins])
    {
        for (int i = 0; i < N; ++i)
            atomicAdd(&bins[(int)items[i]], (C)1);
        if (Algorithm == BLOCK_HISTO_SORT)
            __syncthreads();
    }
    template <class C>
    RIDGE_MEMBER void Histogram(T (&items)[N], C (&bins)[Bins])
    {
        InitHistogram(bins);
        __syncthreads();
        Composite(items, bins);
    }
};

/// Compares each item with the one before or after it.
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0>
class BlockDiscontinuity {
    typedef RidgeBlock<X, Y, Z> Block;

public:
    struct TempStorage {
        RidgeSlots<T, Block::kThreads> first, last;
    };
    RIDGE_MEMBER BlockDiscontinuity() : m_storage(own()) {}
    RIDGE_MEMBER explicit BlockDiscontinuity(TempStorage& storage) : m_storage(storage) {}

    template <int N, class F, class Op>
    RIDGE_MEMBER void FlagHeads(F (&heads)[N], T (&items)[N], Op differs)
    {
        share(items);
        heads[0] = Block::thread() == 0 ? 1 : differs(m_storage.last[Block::thread() - 1], items[0]);
        for (int i = 1; i < N; ++i)
            heads[i] = differs(items[i - 1], items[i]);
    }
    template <int N, class F, class Op>
    RIDGE_MEMBER void FlagHeads(F (&heads)[N], T (&items)[N], Op differs, T before)
    {
        share(items);
        heads[0] = differs(Block::thread() == 0 ? before : m_storage.last[Block::thread() - 1], items[0]);
        for (int i = 1; i < N; ++i)
            heads[i] = differs(items[i - 1], items[i]);
    }
    template <int N, class F, class Op>
    RIDGE_MEMBER void FlagTails(F (&tails)[N], T (&items)[N], Op differs)
    {
        share(items);
        for (int i = 0; i < N - 1; ++i)
            tails[i] = differs(items[i], items[i + 1]);
        const int next = Block::thread() + 1;
        tails[N - 1] = next == Block::kThreads ? 1 : differs(items[N - 1], m_storage.first[next]);
    }

private:
    template <int N>
    RIDGE_MEMBER void share(T (&items)[N])
    {
        m_storage.first[Block::thread()] = items[0];
        m_storage.last[Block::thread()] = items[N - 1];
        __syncthreads();
    }
    static __device__ __forceinline__ TempStorage& own()
    {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& m_storage;
};

template <class T, int X, int Y = 1, int Z = 1, int Arch = 0>
class BlockAdjacentDifference {
    typedef RidgeBlock<X, Y, Z> Block;

public:
    struct TempStorage {
        RidgeSlots<T, Block::kThreads> edge;
    };
    RIDGE_MEMBER explicit BlockAdjacentDifference(TempStorage& storage) : m_storage(storage) {}
    template <int N, class U, class Op>
    RIDGE_MEMBER void SubtractLeft(T (&in)[N], U (&out)[N], Op op)
    {
        m_storage.edge[Block::thread()] = in[N - 1];
        __syncthreads();
        for (int i = N - 1; i > 0; --i)
            out[i] = op(in[i], in[i - 1]);
        out[0] = Block::thread() == 0 ? in[0] : op(in[0], m_storage.edge[Block::thread() - 1]);
    }
    template <int N, class U, class Op>
    RIDGE_MEMBER void SubtractRight(T (&in)[N], U (&out)[N], Op op)
    {
        m_storage.edge[Block::thread()] = in[0];
        __syncthreads();
        for (int i = 0; i < N - 1; ++i)
            out[i] = op(in[i], in[i + 1]);
        const int next = Block::thread() + 1;
        out[N - 1] = next == Block::kThreads ? in[N - 1] : op(in[N - 1], m_storage.edge[next]);
    }

private:
    TempStorage& m_storage;
};

} // namespace cub
