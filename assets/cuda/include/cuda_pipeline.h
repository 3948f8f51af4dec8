// SPDX-License-Identifier: GPL-3.0-or-later
// Asynchronous copies from global to shared memory under the names of CUDA's cuda_pipeline.h (CUDA C++ Programming Guide,
// "Asynchronous Data Copies", pipeline primitives). Below compute capability 8.0 there is no cp.async: the copy is done
// when the call returns.
#pragma once

#if __CUDA_ARCH__ < 800
RIDGE_FN void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0)
{
    if (zeros == 0 && bytes == 16)
        *(uint4*)to = *(const uint4*)from;
    else if (zeros == 0 && bytes == 8)
        *(uint2*)to = *(const uint2*)from;
    else if (zeros == 0 && bytes == 4)
        *(unsigned int*)to = *(const unsigned int*)from;
    else
        for (size_t i = 0; i < bytes; ++i)
            ((unsigned char*)to)[i] = i < bytes - zeros ? ((const unsigned char*)from)[i] : 0;
}
RIDGE_FN void __pipeline_commit() {}
RIDGE_FN void __pipeline_wait_prior(int) {}
#else
RIDGE_FN void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0)
{
    const unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
    const unsigned int read = (unsigned int)(bytes - zeros);
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(read) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(from), "r"(read) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(read) : "memory");
}
RIDGE_FN void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// A macro in all but name: the number is part of the instruction.
template <int N>
RIDGE_FN void ridgePipelineWait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
RIDGE_FN void __pipeline_wait_prior(int n)
{
    switch (n) {
    case 0: ridgePipelineWait<0>(); break;
    case 1: ridgePipelineWait<1>(); break;
    case 2: ridgePipelineWait<2>(); break;
    case 3: ridgePipelineWait<3>(); break;
    case 4: ridgePipelineWait<4>(); break;
    case 5: ridgePipelineWait<5>(); break;
    case 6: ridgePipelineWait<6>(); break;
    default: ridgePipelineWait<7>(); break;
    }
}
#endif
