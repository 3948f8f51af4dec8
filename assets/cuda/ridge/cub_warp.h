// SPDX-License-Identifier: GPL-3.0-or-later
// CUB's primitives of one warp, written anew after its documentation (CUB API reference, "Warp-wide primitives"): reductions take
// the lane at distance 1, 2, 4 … after them, scans the one before, which is the order that decides the last bits of a sum.
#pragma once
#pragma clang system_header

namespace cub {

struct NullType {};
template <class K, class V>
struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    KeyValuePair() = default;
    RIDGE_MEMBER KeyValuePair(K k, V v) : key(k), value(v) {}
};
#define RIDGE_CUB_OPERATOR(name, expression)                                                                           \
    struct name {                                                                                                      \
        template <class A, class B>                                                                                    \
        RIDGE_MEMBER auto operator()(const A& a, const B& b) const                                                     \
        {                                                                                                              \
            return expression;                                                                                         \
        }                                                                                                              \
    };
RIDGE_CUB_OPERATOR(Sum, a + b)
RIDGE_CUB_OPERATOR(Difference, a - b)
RIDGE_CUB_OPERATOR(Division, a / b)
RIDGE_CUB_OPERATOR(Max, a < b ? b : a)
RIDGE_CUB_OPERATOR(Min, b < a ? b : a)
RIDGE_CUB_OPERATOR(Equality, a == b)
RIDGE_CUB_OPERATOR(Inequality, !(a == b))
struct ArgMax {
    template <class P>
    RIDGE_MEMBER P operator()(const P& a, const P& b) const
    {
        return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class P>
    RIDGE_MEMBER P operator()(const P& a, const P& b) const
    {
        return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
    }
};

RIDGE_FN unsigned int LaneId()
{
    unsigned int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
RIDGE_FN unsigned int WarpId() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32; }
RIDGE_FN int RowMajorTid(int x, int y, int z)
{
    (void)z;
    return (int)((threadIdx.z * y + threadIdx.y) * x + threadIdx.x);
}
RIDGE_FN void CTA_SYNC() { __syncthreads(); }
RIDGE_FN void WARP_SYNC(unsigned int lanes) { __syncwarp(lanes); }

/// A value of any type from another lane, in words.
template <class T>
RIDGE_FN T ridgeFromLane(const T& value, int lane, unsigned int lanes)
{
    constexpr int kWords = (sizeof(T) + 3) / 4;
    unsigned int words[kWords] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (int i = 0; i < kWords; ++i)
        words[i] = __shfl_sync(lanes, words[i], lane);
    T result;
    __builtin_memcpy((void*)&result, words, sizeof(T));
    return result;
}
template <int Width, class T>
RIDGE_FN T ShuffleIndex(T value, int lane, unsigned int lanes)
{
    return ridgeFromLane(value, (int)(LaneId() / Width * Width) + lane, lanes);
}
template <int Width, class T>
RIDGE_FN T ShuffleUp(T value, int by, int first, unsigned int lanes)
{
    const int from = (int)(LaneId() % Width) - by;
    return ShuffleIndex<Width>(value, from < first ? (int)(LaneId() % Width) : from, lanes);
}
template <int Width, class T>
RIDGE_FN T ShuffleDown(T value, int by, int last, unsigned int lanes)
{
    const int from = (int)(LaneId() % Width) + by;
    return ShuffleIndex<Width>(value, from > last ? (int)(LaneId() % Width) : from, lanes);
}

/// The Width lanes that work together, and this lane's place among them.
template <int Width>
struct RidgeLanes {
    static_assert(Width >= 1 && Width <= 32, "a logical warp has 1 to 32 lanes");
    unsigned int physical = LaneId();
    int first = (int)(physical / Width * Width);
    int lane = (int)physical - first;
    unsigned int mask = Width == 32 ? ~0u : ((1u << (Width & 31)) - 1) << first;
};

template <class T, int Width = 32, int Arch = 0>
class WarpReduce {
public:
    struct TempStorage : NullType {};
    RIDGE_MEMBER explicit WarpReduce(TempStorage&) {}

    /// In lane 0: op over the first `valid` lanes.
    template <class Op>
    RIDGE_MEMBER T Reduce(T value, Op op, int valid = Width)
    {
        return upTo(value, op, (valid < Width ? valid : Width) - 1);
    }
    RIDGE_MEMBER T Sum(T value, int valid = Width) { return Reduce(value, cub::Sum(), valid); }
    RIDGE_MEMBER T Max(T value, int valid = Width) { return Reduce(value, cub::Max(), valid); }
    RIDGE_MEMBER T Min(T value, int valid = Width) { return Reduce(value, cub::Min(), valid); }
    /// In the first lane of each segment; a flag marks its first lane.
    template <class F, class Op>
    RIDGE_MEMBER T HeadSegmentedReduce(T value, F head, Op op)
    {
        return upTo(value, op, lastOf(__ballot_sync(m_lanes.mask, head != 0) >> 1));
    }
    /// The same with a flag at its last lane.
    template <class F, class Op>
    RIDGE_MEMBER T TailSegmentedReduce(T value, F tail, Op op)
    {
        return upTo(value, op, lastOf(__ballot_sync(m_lanes.mask, tail != 0)));
    }
    template <class F>
    RIDGE_MEMBER T HeadSegmentedSum(T value, F head)
    {
        return HeadSegmentedReduce(value, head, cub::Sum());
    }
    template <class F>
    RIDGE_MEMBER T TailSegmentedSum(T value, F tail)
    {
        return TailSegmentedReduce(value, tail, cub::Sum());
    }

private:
    RIDGE_MEMBER int lastOf(unsigned int ends) const
    {
        const unsigned int mine = (ends >> m_lanes.first) >> m_lanes.lane;
        const int last = mine == 0 ? Width - 1 : m_lanes.lane + __ffs((int)mine) - 1;
        return last < Width ? last : Width - 1;
    }
    template <class Op>
    RIDGE_MEMBER T upTo(T value, Op op, int last)
    {
        for (int by = 1; by < Width; by *= 2) {
            const bool there = m_lanes.lane + by <= last;
            const T other = ridgeFromLane(value, (int)m_lanes.physical + (there ? by : 0), m_lanes.mask);
            if (there)
                value = op(value, other);
        }
        return value;
    }

    RidgeLanes<Width> m_lanes;
};

template <class T, int Width = 32, int Arch = 0>
class WarpScan {
public:
    struct TempStorage : NullType {};
    RIDGE_MEMBER explicit WarpScan(TempStorage&) {}

    template <class Op>
    RIDGE_MEMBER void InclusiveScan(T value, T& inclusive, Op op)
    {
        for (int by = 1; by < Width; by *= 2) {
            const bool there = m_lanes.lane >= by;
            const T other = ridgeFromLane(value, (int)m_lanes.physical - (there ? by : 0), m_lanes.mask);
            if (there)
                value = op(other, value);
        }
        inclusive = value;
    }
    template <class Op>
    RIDGE_MEMBER void InclusiveScan(T value, T& inclusive, Op op, T& aggregate)
    {
        InclusiveScan(value, inclusive, op);
        aggregate = last(inclusive);
    }
    template <class Op>
    RIDGE_MEMBER void ExclusiveScan(T value, T& exclusive, Op op)
    {
        T inclusive;
        Scan(value, inclusive, exclusive, op);
    }
    template <class Op>
    RIDGE_MEMBER void ExclusiveScan(T value, T& exclusive, Op op, T& aggregate)
    {
        T inclusive;
        Scan(value, inclusive, exclusive, op);
        aggregate = last(inclusive);
    }
    template <class Op>
    RIDGE_MEMBER void ExclusiveScan(T value, T& exclusive, T initial, Op op)
    {
        T inclusive;
        Scan(value, inclusive, exclusive, initial, op);
    }
    template <class Op>
    RIDGE_MEMBER void ExclusiveScan(T value, T& exclusive, T initial, Op op, T& aggregate)
    {
        T inclusive;
        InclusiveScan(value, inclusive, op);
        aggregate = last(inclusive);
        exclusive = shifted(inclusive, initial, op);
    }
    /// Lane 0 has no exclusive value.
    template <class Op>
    RIDGE_MEMBER void Scan(T value, T& inclusive, T& exclusive, Op op)
    {
        InclusiveScan(value, inclusive, op);
        exclusive = before(inclusive);
    }
    template <class Op>
    RIDGE_MEMBER void Scan(T value, T& inclusive, T& exclusive, T initial, Op op)
    {
        T own;
        InclusiveScan(value, own, op);
        exclusive = shifted(own, initial, op);
        inclusive = op(initial, own);
    }
    RIDGE_MEMBER void InclusiveSum(T value, T& inclusive) { InclusiveScan(value, inclusive, cub::Sum()); }
    RIDGE_MEMBER void InclusiveSum(T value, T& inclusive, T& aggregate)
    {
        InclusiveScan(value, inclusive, cub::Sum(), aggregate);
    }
    RIDGE_MEMBER void ExclusiveSum(T value, T& exclusive)
    {
        T inclusive;
        Sum(value, inclusive, exclusive);
    }
    RIDGE_MEMBER void ExclusiveSum(T value, T& exclusive, T& aggregate)
    {
        T inclusive;
        Sum(value, inclusive, exclusive);
        aggregate = last(inclusive);
    }
    RIDGE_MEMBER void Sum(T value, T& inclusive, T& exclusive)
    {
        InclusiveScan(value, inclusive, cub::Sum());
        const T left = before(inclusive);
        exclusive = m_lanes.lane == 0 ? T() : __is_integral(T) ? T(inclusive - value) : left;
    }
    RIDGE_MEMBER T Broadcast(T value, unsigned int lane) { return ShuffleIndex<Width>(value, (int)lane, m_lanes.mask); }

private:
    RIDGE_MEMBER T before(const T& inclusive)
    {
        return ridgeFromLane(inclusive, (int)m_lanes.physical - (m_lanes.lane > 0 ? 1 : 0), m_lanes.mask);
    }
    RIDGE_MEMBER T last(const T& inclusive) { return ShuffleIndex<Width>(inclusive, Width - 1, m_lanes.mask); }
    template <class Op>
    RIDGE_MEMBER T shifted(const T& inclusive, T initial, Op op)
    {
        const T left = before(inclusive);
        return m_lanes.lane == 0 ? initial : op(initial, left);
    }

    RidgeLanes<Width> m_lanes;
};

} // namespace cub
