// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ridge::gpu::simt {

/// One device allocation. Freed ones stay on the list without their bytes, so that a late access can be named.
struct Allocation {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::string label;
    bool freed = false;
    struct Release {
        void operator()(std::byte* memory) const;
    };
    std::unique_ptr<std::byte, Release> host;

    std::uint64_t end() const { return begin + bytes; }
};

/// Where an address stands relative to the nearest allocation.
struct NearestAllocation {
    const Allocation* allocation = nullptr; ///< null: there is none at all
    std::uint64_t distance = 0;             ///< bytes before its start or past its last byte; 0: inside (freed)
    bool before = false;
};

/// Device memory: zero-filled allocations at addresses that are never reused, with gaps of at least 1 MiB between
/// them, so that every access beyond an end is seen.
class GlobalMemory {
public:
    explicit GlobalMemory(std::uint64_t capacity) : m_capacity(capacity) {}

    /// Errors: "out-of-memory" (what was asked, what is left), "bad-allocation" (zero bytes).
    Result<std::uint64_t> allocate(std::uint64_t bytes, std::string_view label);
    /// Errors: "out-of-bounds" where `address` is not the start of a live allocation.
    Result<void> free(std::uint64_t address);
    /// The live allocation that holds all of [address, address + bytes); null where there is none.
    const Allocation* find(std::uint64_t address, std::uint64_t bytes) const;
    /// Host bytes of a copy. Errors: "out-of-bounds".
    Result<std::byte*> range(std::uint64_t address, std::uint64_t bytes) const;
    NearestAllocation nearest(std::uint64_t address) const;
    const std::vector<Allocation>& allocations() const { return m_allocations; }

private:
    std::vector<Allocation> m_allocations; ///< by address, since addresses only grow
    std::uint64_t m_capacity;
    std::uint64_t m_used = 0;
    std::uint64_t m_next = 0x10'0000'0000u;
};

/// "0x1000000080, 4 bytes past the end of 'in' (1024 bytes at 0x1000000000)"
std::string describeAddress(const GlobalMemory& memory, std::uint64_t address);
std::string hexText(std::uint64_t value);

} // namespace ridge::gpu::simt
