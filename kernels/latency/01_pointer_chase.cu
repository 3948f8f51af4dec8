// SPDX-License-Identifier: GPL-3.0-or-later
//
// Latency, rung 1: the pointer chase.
//
// Shows     how long one load takes, level by level: each load needs the result of the one before, so nothing overlaps.
// Resource  latency alone; one thread, and hardly any bandwidth.
// Expect    a staircase over the working set, one step for each level of memory that it outgrows.
// Gain      none: there is nothing to make faster in a chase. This is what other kernels have to hide.
//
// Slot i of the ring lies i x stride bytes behind the first and holds the address of the slot that comes after it, in
// random order; `order` lists the slots as the ring visits them. All threads first touch the slots in that order, so
// that each level holds what it holds after a whole lap. Then lane 0 of the first `chasers` warps follows the ring
// alone, each from another slot, between two readings of the SM's clock. `cycles` gets the clocks of each, `end` the
// slots they came to.

template<int Cached>
__device__ unsigned long long load(unsigned long long at)
{
    unsigned long long value;
    if (Cached)
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    else
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}

/// Past the first cache: only the ring may fill it.
__device__ unsigned int slotAt(const unsigned int* order, unsigned int position)
{
    unsigned int slot;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(slot) : "l"(order + position) : "memory");
    return slot;
}

template<int Cached>
__device__ void chase(unsigned long long ring, unsigned long long stride, const unsigned int* order, unsigned int slots,
                      unsigned int loads, unsigned int chasers, unsigned long long* end, long long* cycles)
{
    for (unsigned int i = threadIdx.x; i < slots; i += blockDim.x)
        if (load<Cached>(ring + slotAt(order, i) * stride) == 0)
            return; // no slot holds 0; but without a use the compiler could let the load go
    __syncthreads();
    unsigned int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 != 0 || warp >= chasers)
        return;
    unsigned long long at = ring + slotAt(order, (unsigned long long)warp * loads % slots) * stride;
    long long begin = clock64();
    for (unsigned int i = 0; i < loads; ++i)
        at = load<Cached>(at);
    // The clock must not be read before the last load is back.
    if (at == 0)
        return;
    cycles[warp] = clock64() - begin;
    end[warp] = at;
}

extern "C" __global__ void chase_ca(unsigned long long ring, unsigned long long stride, const unsigned int* order,
                                    unsigned int slots, unsigned int loads, unsigned int chasers,
                                    unsigned long long* end, long long* cycles)
{
    chase<1>(ring, stride, order, slots, loads, chasers, end, cycles);
}

extern "C" __global__ void chase_cg(unsigned long long ring, unsigned long long stride, const unsigned int* order,
                                    unsigned int slots, unsigned int loads, unsigned int chasers,
                                    unsigned long long* end, long long* cycles)
{
    chase<0>(ring, stride, order, slots, loads, chasers, end, cycles);
}

// The same in shared memory: the ring is moved there first, its addresses made those of shared memory.
extern "C" __global__ void chase_shared(unsigned long long ring, unsigned long long stride, const unsigned int* order,
                                        unsigned int slots, unsigned int loads, unsigned int chasers,
                                        unsigned long long* end, long long* cycles)
{
    extern __shared__ uint4 window[];
    unsigned int first;
    asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
                 : "=r"(first)
                 : "l"((unsigned long long)window));
    for (unsigned int i = threadIdx.x; i < slots; i += blockDim.x) {
        unsigned long long next = load<1>(ring + i * stride) - ring;
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(first + i * (unsigned int)stride), "r"(first + (unsigned int)next)
                     : "memory");
    }
    __syncthreads();
    unsigned int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 != 0 || warp >= chasers)
        return;
    unsigned int at = first + slotAt(order, (unsigned long long)warp * loads % slots) * (unsigned int)stride;
    long long begin = clock64();
    for (unsigned int i = 0; i < loads; ++i)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    if (at == ~0u)
        return;
    cycles[warp] = clock64() - begin;
    end[warp] = ring + (at - first);
}
