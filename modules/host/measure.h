// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/seed.h"
#include "host/machine.h"
#include "host/sampling.h"

#include <span>

namespace ridge::host {

/// Memory aligned to a page, which nobody has touched yet: a page lies near the thread that writes it first.
class Pages {
public:
    /// Errors: "out-of-memory", with what would fit.
    static Result<Pages> allocate(std::uint64_t bytes);
    std::span<float> floats() const { return {static_cast<float*>(m_at.get()), m_bytes / sizeof(float)}; }
    std::byte* bytes() const { return static_cast<std::byte*>(m_at.get()); }
    std::uint64_t size() const { return m_bytes; }

private:
    struct Free {
        void operator()(void* at) const;
    };
    std::unique_ptr<void, Free> m_at;
    std::uint64_t m_bytes = 0;
};

/// The part of n elements that one of `parts` threads works on: whole cache lines of floats, but for the last.
struct Part {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t size() const { return end - begin; }
};
Part partOf(std::uint64_t n, unsigned part, unsigned parts);

enum class StreamOp { Copy, Scale, Add, Triad, Read, Write, Dot };

/// Arrays of n floats, each thread's part written first by it. An empty one is not used by the operation.
struct StreamArrays {
    std::span<const float> a, b;
    std::span<float> c;
};

struct StreamTime {
    Timing timing;
    std::uint32_t words = 0; ///< of Read: the sum of a's words, modulo 2^32
    double products = 0;     ///< of Dot
};

/// One pass over the arrays by all threads. Errors: "cancelled".
Result<StreamTime> timeStream(Team& team, StreamOp op, const StreamArrays& arrays, float s, const Sampling& how);

struct ChaseTime {
    Timing timing;            ///< of one load
    std::uint64_t slots = 0;  ///< that the ring has
    std::uint64_t around = 0; ///< loads after which the first slot came again: `slots`, or the ring is broken
};

/// A pointer chase through a random ring (Sattolo's algorithm) of slots `stride` bytes apart, by one thread.
/// Errors: "out-of-memory", "cancelled", "bad-value" (fewer than two slots, or a stride no pointer fits in).
Result<ChaseTime> timeChase(Team& one, std::uint64_t bytes, std::uint64_t stride, Rng& rng, const Sampling& how);

struct ReadTime {
    Timing timing;           ///< of one pass of every thread over its own buffer
    std::uint64_t bytes = 0; ///< that all threads read in one pass
    bool sumsRight = false;  ///< every thread read what was written
};

/// Every thread reads a buffer of its own of `bytesPerThread` over and over. Errors: "out-of-memory", "cancelled".
Result<ReadTime> timeReads(Team& team, std::uint64_t bytesPerThread, const Sampling& how);

enum class HostPrecision { Fp32, Fp64 };

struct FmaTime {
    Timing timing;            ///< of `flops` by all threads together
    double flops = 0;         ///< two for each multiplication with addition
    bool resultRight = false; ///< the recurrence reached its closed form
};

/// Multiply-adds in registers alone, vectors in independent chains. Errors: "cancelled".
Result<FmaTime> timeFma(Team& team, HostPrecision precision, const Sampling& how);

struct MixTime {
    Timing timing;            ///< of one pass of every thread over its own buffer
    double flops = 0;         ///< of all threads in one pass: two for each multiplication with addition
    std::uint64_t bytes = 0;  ///< that all threads read in one pass
    bool resultRight = false; ///< the results have the bits that they must have
};

/// A roofline's point: every thread reads a buffer of its own of `bytesPerThread`, rounded down to whole groups of 16
/// vectors, and does `fmaPer16` multiply-adds for 16 elements. Errors: "out-of-memory", "cancelled", "bad-value"
/// (fmaPer16 must be a power of two, at most 2^16).
Result<MixTime> timeMix(Team& team, HostPrecision precision, unsigned fmaPer16, std::uint64_t bytesPerThread,
                        const Sampling& how);

} // namespace ridge::host
