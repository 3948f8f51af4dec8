// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace ridge::gpu::simt {

/// Which bytes of device memory somebody gave a value: the host by copying, or a kernel that was watched. Ranges until
/// the first question, bits after it, so that a device nobody checks pays a list entry a copy.
class DefinedBytes {
public:
    void allocated(std::uint64_t begin, std::uint64_t bytes);
    void freed(std::uint64_t begin) { m_buffers.erase(begin); }
    void define(std::uint64_t address, std::uint64_t bytes);
    /// What the list or the bits of the buffer at `begin` take.
    std::size_t storage(std::uint64_t begin) const;
    /// Bytes outside every buffer that was announced (a program's variables) are defined.
    bool isDefined(std::uint64_t address, std::uint32_t bytes);
    /// After a launch that nobody watched: it may have written anything.
    void defineAll() { m_buffers.clear(); }
    /// Ranges that nobody is to write into (OpenChoices::inputs).
    void keep(std::vector<std::pair<DevicePtr, std::uint64_t>> ranges) { m_kept = std::move(ranges); }
    bool isKept(std::uint64_t address) const
    {
        return std::any_of(m_kept.begin(), m_kept.end(), [address](const auto& range) {
            return address - range.first.address < range.second; // below the range it wraps
        });
    }

private:
    struct Buffer {
        std::uint64_t bytes = 0;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges; ///< offsets from, to; before `bits`
        std::vector<std::uint64_t> bits;                             ///< one a byte
    };
    Buffer* find(std::uint64_t address, std::uint64_t& offset);
    static void makeBits(Buffer& buffer);
    static void setBits(Buffer& buffer, std::uint64_t from, std::uint64_t to);
    std::map<std::uint64_t, Buffer> m_buffers; ///< by address
    std::vector<std::pair<DevicePtr, std::uint64_t>> m_kept;
};

} // namespace ridge::gpu::simt
