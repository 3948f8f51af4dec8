// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

/// Contexts of the stand-in for libcuda, one a GPU, and which of them device memory belongs to.
namespace fake {

struct Context {
    int device = -1;
};
struct Allocation {
    std::size_t bytes = 0;
    Context* owner = nullptr;
};

inline Context* contextOf(int device)
{
    static std::map<int, Context> all;
    all[device].device = device;
    return &all[device];
}

inline Context*& currentContext()
{
    static Context* current = nullptr;
    return current;
}

inline std::map<std::uint64_t, Allocation>& allocations()
{
    static std::map<std::uint64_t, Allocation> all;
    return all;
}

/// Which context was current when a stream was made.
inline std::map<void*, Context*>& streamOwners()
{
    static std::map<void*, Context*> all;
    return all;
}

/// Which context may write into the memory of which other one.
inline std::set<std::pair<Context*, Context*>>& reachable()
{
    static std::set<std::pair<Context*, Context*>> all;
    return all;
}

/// The owner of the allocation that holds all of the bytes; null where none does.
inline Context* ownerOf(std::uint64_t address, std::size_t bytes)
{
    auto it = allocations().upper_bound(address);
    if (it == allocations().begin())
        return nullptr;
    --it;
    const std::uint64_t offset = address - it->first;
    return offset <= it->second.bytes && bytes <= it->second.bytes - offset ? it->second.owner : nullptr;
}

} // namespace fake
