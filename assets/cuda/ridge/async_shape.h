// SPDX-License-Identifier: GPL-3.0-or-later
// What cuda/barrier and cuda/pipeline share: sizes with an alignment, and copies by the threads of a group.
#pragma once

namespace cuda {

template <size_t Alignment>
struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    RIDGE_MEMBER explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
    RIDGE_MEMBER constexpr operator size_t() const { return value; }
};
struct RidgeAlone {
    RIDGE_MEMBER static unsigned int thread_rank() { return 0; }
    RIDGE_MEMBER static unsigned int size() { return 1; }
};

/// Copies at once, as wide as addresses and size allow.
template <class Group>
RIDGE_FN void ridgeCopy(const Group& group, void* to, const void* from, size_t bytes)
{
    const size_t all = (size_t)to | (size_t)from | bytes;
    const size_t first = group.thread_rank(), step = group.size();
    if (all % 16 == 0)
        for (size_t i = first; i < bytes / 16; i += step)
            ((uint4*)to)[i] = ((const uint4*)from)[i];
    else if (all % 4 == 0)
        for (size_t i = first; i < bytes / 4; i += step)
            ((unsigned int*)to)[i] = ((const unsigned int*)from)[i];
    else
        for (size_t i = first; i < bytes; i += step)
            ((char*)to)[i] = ((const char*)from)[i];
}
/// 4, 8 or 16 bytes from global to shared memory with cp.async, anything else at once.
template <class Group>
RIDGE_FN void ridgeCopyAsync(const Group& group, void* to, const void* from, size_t bytes)
{
    const size_t all = (size_t)to | (size_t)from | bytes;
    if (!__isShared(to) || !__isGlobal(from) || all % 4 != 0) {
        ridgeCopy(group, to, from, bytes);
        return;
    }
    const unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
    const size_t wide = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : 4;
    for (size_t i = group.thread_rank(); i < bytes / wide; i += group.size()) {
        const void* const source = (const char*)__cvta_generic_to_global(from) + i * wide;
        const unsigned int target = at + (unsigned int)(i * wide);
        if (wide == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
        else if (wide == 8)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(target), "l"(source) : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(source) : "memory");
    }
}
} // namespace cuda
