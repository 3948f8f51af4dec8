// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows by the copy engine, into shared memory and out of it.
//
// Launch    --grid tokens --block 32 --smem 4*width+16

extern "C" __global__ void gather(unsigned int tokens, unsigned int width, unsigned int vocabulary,
                                  const unsigned int* ids, const float* table, float* out)
{
    extern __shared__ __align__(128) float line[];
    __shared__ unsigned long long bar;
    const float* from = table + size_t(ids[blockIdx.x]) * width;
    float* to = out + size_t(blockIdx.x) * width;
    if (width % 4 != 0) {
        for (unsigned int i = threadIdx.x; i < width; i += 32)
            to[i] = from[i];
        return;
    }
    if (threadIdx.x != 0)
        return;
    unsigned int b = (unsigned)__cvta_generic_to_shared(&bar), s = (unsigned)__cvta_generic_to_shared(line),
                 bytes = 4 * width;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(s),
                 "l"(from), "r"(bytes), "r"(b)
                 : "memory");
    asm volatile(
        "{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra WAIT;\n}" ::"r"(b)
        : "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(s), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
