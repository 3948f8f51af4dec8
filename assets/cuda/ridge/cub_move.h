// SPDX-License-Identifier: GPL-3.0-or-later
// CUB's loads, stores and exchanges of a block, written anew after its documentation (CUB API reference, "Block-wide primitives").
#pragma once
#pragma clang system_header

#include "cub_block.h"

namespace cub {

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier Modifier, class T>
RIDGE_FN T ThreadLoad(T* at)
{
    if constexpr (Modifier == LOAD_CG)
        return __ldcg(at);
    else if constexpr (Modifier == LOAD_CS)
        return __ldcs(at);
    else if constexpr (Modifier == LOAD_CV || Modifier == LOAD_VOLATILE)
        return *(volatile T*)at;
    else
        return *at;
}
template <CacheStoreModifier Modifier, class T>
RIDGE_FN void ThreadStore(T* at, T value)
{
    if constexpr (Modifier == STORE_CG)
        __stcg(at, value);
    else if constexpr (Modifier == STORE_CS)
        __stcs(at, value);
    else if constexpr (Modifier == STORE_WT || Modifier == STORE_VOLATILE)
        *(volatile T*)at = value;
    else
        *at = value;
}

/// Items of one thread side by side (blocked), or one of every thread in turn (striped).
template <class T, int N, class It>
RIDGE_FN void LoadDirectBlocked(int thread, It in, T (&items)[N])
{
    for (int i = 0; i < N; ++i)
        items[i] = in[thread * N + i];
}
template <class T, int N, class It>
RIDGE_FN void LoadDirectBlocked(int thread, It in, T (&items)[N], int valid)
{
    for (int i = 0; i < N; ++i)
        if (thread * N + i < valid)
            items[i] = in[thread * N + i];
}
template <class T, int N, class It, class D>
RIDGE_FN void LoadDirectBlocked(int thread, It in, T (&items)[N], int valid, D otherwise)
{
    for (int i = 0; i < N; ++i)
        items[i] = thread * N + i < valid ? (T)in[thread * N + i] : (T)otherwise;
}
template <int Threads, class T, int N, class It>
RIDGE_FN void LoadDirectStriped(int thread, It in, T (&items)[N])
{
    for (int i = 0; i < N; ++i)
        items[i] = in[i * Threads + thread];
}
template <int Threads, class T, int N, class It>
RIDGE_FN void LoadDirectStriped(int thread, It in, T (&items)[N], int valid)
{
    for (int i = 0; i < N; ++i)
        if (i * Threads + thread < valid)
            items[i] = in[i * Threads + thread];
}
template <int Threads, class T, int N, class It, class D>
RIDGE_FN void LoadDirectStriped(int thread, It in, T (&items)[N], int valid, D otherwise)
{
    for (int i = 0; i < N; ++i)
        items[i] = i * Threads + thread < valid ? (T)in[i * Threads + thread] : (T)otherwise;
}
template <class T, int N, class It>
RIDGE_FN void StoreDirectBlocked(int thread, It out, T (&items)[N], int valid = 0x7fffffff)
{
    for (int i = 0; i < N; ++i)
        if (thread * N + i < valid)
            out[thread * N + i] = items[i];
}
template <int Threads, class T, int N, class It>
RIDGE_FN void StoreDirectStriped(int thread, It out, T (&items)[N], int valid = 0x7fffffff)
{
    for (int i = 0; i < N; ++i)
        if (i * Threads + thread < valid)
            out[i * Threads + thread] = items[i];
}

template <class T, int X, int N, bool TimeSliced = false, int Y = 1, int Z = 1, int Arch = 0>
class BlockExchange {
    typedef RidgeBlock<X, Y, Z> Block;
    static constexpr int kThreads = Block::kThreads;

public:
    struct TempStorage {
        RidgeSlots<T, kThreads * N> values;
    };
    RIDGE_MEMBER BlockExchange() : m_storage(own()) {}
    RIDGE_MEMBER explicit BlockExchange(TempStorage& storage) : m_storage(storage) {}

#define RIDGE_EXCHANGE(name, there, back)                                                                              \
    template <class U>                                                                                                 \
    RIDGE_MEMBER void name(const T (&in)[N], U (&out)[N])                                                              \
    {                                                                                                                  \
        const int thread = Block::thread(), lane = thread % 32, warp = thread / 32 * 32 * N;                           \
        (void)lane, (void)warp;                                                                                        \
        for (int i = 0; i < N; ++i)                                                                                    \
            m_storage.values[there] = in[i];                                                                           \
        __syncthreads();                                                                                               \
        for (int i = 0; i < N; ++i)                                                                                    \
            out[i] = m_storage.values[back];                                                                           \
    }                                                                                                                  \
    RIDGE_MEMBER void name(T (&items)[N]) { name(items, items); }
    RIDGE_EXCHANGE(StripedToBlocked, i* kThreads + thread, thread* N + i)
    RIDGE_EXCHANGE(BlockedToStriped, thread* N + i, i* kThreads + thread)
    RIDGE_EXCHANGE(WarpStripedToBlocked, warp + i * 32 + lane, thread* N + i)
    RIDGE_EXCHANGE(BlockedToWarpStriped, thread* N + i, warp + i * 32 + lane)
#undef RIDGE_EXCHANGE
#define RIDGE_SCATTER(name, back)                                                                                      \
    template <class U, class R>                                                                                        \
    RIDGE_MEMBER void name(const T (&in)[N], U (&out)[N], R (&ranks)[N])                                               \
    {                                                                                                                  \
        const int thread = Block::thread();                                                                            \
        for (int i = 0; i < N; ++i)                                                                                    \
            m_storage.values[(int)ranks[i]] = in[i];                                                                   \
        __syncthreads();                                                                                               \
        for (int i = 0; i < N; ++i)                                                                                    \
            out[i] = m_storage.values[back];                                                                           \
    }                                                                                                                  \
    template <class R>                                                                                                 \
    RIDGE_MEMBER void name(T (&items)[N], R (&ranks)[N])                                                               \
    {                                                                                                                  \
        name(items, items, ranks);                                                                                     \
    }
    RIDGE_SCATTER(ScatterToBlocked, thread* N + i)
    RIDGE_SCATTER(ScatterToStriped, i* kThreads + thread)
#undef RIDGE_SCATTER

private:
    static __device__ __forceinline__ TempStorage& own()
    {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& m_storage;
};

/// What a load or store needs that goes through shared memory, or nothing.
template <class T, int X, int N, int Y, int Z, bool Needed>
struct RidgeExchangeStorage {
    struct Type {};
};
template <class T, int X, int N, int Y, int Z>
struct RidgeExchangeStorage<T, X, N, Y, Z, true> {
    typedef typename BlockExchange<T, X, N, false, Y, Z>::TempStorage Type;
};

template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Arch = 0>
class BlockLoad {
    typedef RidgeBlock<X, Y, Z> Block;
    static constexpr bool kStriped = Algorithm == BLOCK_LOAD_TRANSPOSE;
    static constexpr bool kWarps = Algorithm == BLOCK_LOAD_WARP_TRANSPOSE || Algorithm == BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED;

public:
    struct TempStorage : RidgeExchangeStorage<T, X, N, Y, Z, kStriped || kWarps>::Type {};
    RIDGE_MEMBER BlockLoad() : m_storage(own()) {}
    RIDGE_MEMBER explicit BlockLoad(TempStorage& storage) : m_storage(storage) {}

    template <class It>
    RIDGE_MEMBER void Load(It in, T (&items)[N])
    {
        const int thread = Block::thread();
        for (int i = 0; i < N; ++i)
            items[i] = in[place(thread, i)];
        turn(items);
    }
    template <class It>
    RIDGE_MEMBER void Load(It in, T (&items)[N], int valid)
    {
        const int thread = Block::thread();
        for (int i = 0; i < N; ++i)
            if (place(thread, i) < valid)
                items[i] = in[place(thread, i)];
        turn(items);
    }
    template <class It, class D>
    RIDGE_MEMBER void Load(It in, T (&items)[N], int valid, D otherwise)
    {
        const int thread = Block::thread();
        for (int i = 0; i < N; ++i)
            items[i] = place(thread, i) < valid ? (T)in[place(thread, i)] : (T)otherwise;
        turn(items);
    }

private:
    RIDGE_MEMBER static int place(int thread, int i)
    {
        if (kStriped || Algorithm == BLOCK_LOAD_STRIPED)
            return i * Block::kThreads + thread;
        return kWarps ? thread / 32 * 32 * N + i * 32 + thread % 32 : thread * N + i;
    }
    RIDGE_MEMBER void turn(T (&items)[N])
    {
        if constexpr (kStriped)
            BlockExchange<T, X, N, false, Y, Z>(m_storage).StripedToBlocked(items);
        else if constexpr (kWarps)
            BlockExchange<T, X, N, false, Y, Z>(m_storage).WarpStripedToBlocked(items);
    }
    static __device__ __forceinline__ TempStorage& own()
    {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& m_storage;
};

template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Arch = 0>
class BlockStore {
    typedef RidgeBlock<X, Y, Z> Block;
    static constexpr bool kStriped = Algorithm == BLOCK_STORE_TRANSPOSE;
    static constexpr bool kWarps =
        Algorithm == BLOCK_STORE_WARP_TRANSPOSE || Algorithm == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED;

public:
    struct TempStorage : RidgeExchangeStorage<T, X, N, Y, Z, kStriped || kWarps>::Type {};
    RIDGE_MEMBER BlockStore() : m_storage(own()) {}
    RIDGE_MEMBER explicit BlockStore(TempStorage& storage) : m_storage(storage) {}

    template <class It>
    RIDGE_MEMBER void Store(It out, T (&items)[N], int valid = 0x7fffffff)
    {
        const int thread = Block::thread();
        if constexpr (kStriped)
            BlockExchange<T, X, N, false, Y, Z>(m_storage).BlockedToStriped(items);
        else if constexpr (kWarps)
            BlockExchange<T, X, N, false, Y, Z>(m_storage).BlockedToWarpStriped(items);
        for (int i = 0; i < N; ++i) {
            const int at = kStriped || Algorithm == BLOCK_STORE_STRIPED ? i * Block::kThreads + thread
                           : kWarps ? thread / 32 * 32 * N + i * 32 + thread % 32
                                    : thread * N + i;
            if (at < valid)
                out[at] = items[i];
        }
    }

private:
    static __device__ __forceinline__ TempStorage& own()
    {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& m_storage;
};

} // namespace cub
