// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/gpu_experiment.h"

namespace ridge::labs {

/// A hash of an index: any two of 2^32 indices differ, so that a word that was fetched from the wrong place shows.
inline std::uint32_t mixed(std::uint64_t index, std::uint32_t salt)
{
    auto h = (static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(index >> 32) * 0x85EBCA6Bu) + salt;
    h = (h ^ (h >> 16)) * 0x7FEB352Du;
    h = (h ^ (h >> 15)) * 0x846CA68Bu;
    return h ^ (h >> 16);
}

/// Uniform in [-1, 1), a multiple of 2^-23, from the same hash.
inline float uniform(std::uint64_t index, std::uint32_t salt)
{
    return static_cast<float>(static_cast<std::int32_t>(mixed(index, salt) >> 8) - (1 << 23)) * 0x1p-23f;
}

/// Device memory of a point, handed back with its owner. Where the device does not check bounds itself, each buffer
/// lies between two guard zones.
class Buffers {
public:
    explicit Buffers(gpu::Device& device) : m_device(device) {}
    Buffers(const Buffers&) = delete;
    Buffers& operator=(const Buffers&) = delete;
    ~Buffers();

    /// Aligned to 256 B; content as Device::allocate leaves it. Errors: "out-of-memory".
    Result<gpu::DevicePtr> allocate(std::uint64_t bytes, std::string_view label);
    /// Reports the check "guard_zones", if there are any: no kernel may have written beside a buffer.
    Result<void> checkGuards(RunContext& context);

private:
    struct Block {
        gpu::DevicePtr base;
        std::uint64_t bytes = 0; ///< between the zones
        std::string label;
    };
    gpu::Device& m_device;
    std::vector<Block> m_blocks;
};

/// All bits one: NaN in every floating-point format, so that an element which no thread wrote fails its check.
/// Errors: those of copies, "cancelled".
Result<void> poison(GpuContext& context, gpu::DevicePtr to, std::uint64_t bytes);

/// Writes `count` elements, chunk by chunk; `element(i)` gives element i. Errors: those of copies, "cancelled".
template<class T, class Element>
Result<void> fill(GpuContext& context, gpu::DevicePtr to, std::uint64_t count, Element element)
{
    constexpr std::uint64_t kChunk = (1u << 20) / sizeof(T);
    std::vector<T> chunk(std::min(count, kChunk));
    for (std::uint64_t done = 0; done < count; done += chunk.size()) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "filling buffers", ""};
        const std::uint64_t now = std::min<std::uint64_t>(chunk.size(), count - done);
        for (std::uint64_t i = 0; i < now; ++i)
            chunk[i] = element(done + i);
        const auto data = std::as_bytes(std::span(chunk.data(), now));
        if (auto copied = context.device().copyToDevice({to.address + done * sizeof(T)}, data); !copied)
            return copied;
    }
    return {};
}

/// Reads `count` elements, chunk by chunk, and shows each to `see(i, value)`. Errors: those of copies, "cancelled".
template<class T, class See>
Result<void> readBack(GpuContext& context, gpu::DevicePtr from, std::uint64_t count, See see)
{
    constexpr std::uint64_t kChunk = (1u << 20) / sizeof(T);
    std::vector<T> chunk(std::min(count, kChunk));
    for (std::uint64_t done = 0; done < count; done += chunk.size()) {
        if (context.cancelled())
            return Error{"cancelled", "the run was cancelled", "reading results", ""};
        const std::uint64_t now = std::min<std::uint64_t>(chunk.size(), count - done);
        const auto data = std::as_writable_bytes(std::span(chunk.data(), now));
        if (auto copied = context.device().copyToHost(data, {from.address + done * sizeof(T)}); !copied)
            return copied;
        for (std::uint64_t i = 0; i < now; ++i)
            see(done + i, chunk[i]);
    }
    return {};
}

/// Compares elements with a reference one by one and tells about the first that differs; passes when none was wrong.
class Comparison {
public:
    /// `right` must be written so that NaN is wrong: !(difference <= tolerance).
    template<class T>
    void see(std::uint64_t index, bool right, const T& got, const T& wanted)
    {
        ++m_seen;
        if (!right && m_wrong++ == 0)
            m_first = difference(index, got, wanted);
    }
    bool passed() const { return m_wrong == 0 && m_seen > 0; }
    /// Reports the check "matches_reference". `how`: "bit for bit", "within 1e-6 of the sum of magnitudes" …
    void report(RunContext& context, const std::string& how) const { report(context, how, "matches_reference", ""); }
    /// Reports the check of a vendor's way by its name: `who` is it, "cuDNN 9.28.1, engine 1 of 4".
    void report(RunContext& context, const std::string& how, const char* check, const std::string& who) const;

private:
    static std::string difference(std::uint64_t index, double got, double wanted);
    std::uint64_t m_seen = 0, m_wrong = 0;
    std::string m_first;
};

} // namespace ridge::labs
