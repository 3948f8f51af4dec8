// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/1-gpu-architecture/stream_info.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {

inline constexpr std::uint32_t kStreamBlockThreads = 256;
inline constexpr float kStreamScalar = 3;

/// What the arrays hold.
inline float streamA(std::uint64_t i, std::uint32_t salt)
{
    return uniform(i, salt);
}
inline float streamB(std::uint64_t i, std::uint32_t salt)
{
    return uniform(i, salt ^ 0x51ED270Bu);
}

template<std::size_t N>
std::size_t chosenIndex(const ParamSet& params, const char* name, const char* const (&choices)[N])
{
    const auto& text = std::get<std::string>(params.at(name));
    return static_cast<std::size_t>(std::find(std::begin(choices), std::end(choices), text) - std::begin(choices));
}

/// A point of the experiment: sizes and formulas have their one place here.
struct StreamSetting {
    StreamOp op = StreamOp::Copy;
    StreamGrid grid = StreamGrid::Element;
    std::uint64_t width = 16; ///< bytes a thread loads from each input before it waits
    std::uint64_t n = 0;      ///< floats of an array

    std::uint64_t bytes() const { return n * sizeof(float); }
    bool readsA() const { return op != StreamOp::Write; }
    bool readsB() const { return op == StreamOp::Add || op == StreamOp::Triad || op == StreamOp::Dot; }
    bool sums() const { return op == StreamOp::Read || op == StreamOp::Dot; }
    std::uint64_t inputs() const { return (readsA() ? 1 : 0) + (readsB() ? 1 : 0); }
    std::uint64_t bytesRead() const { return inputs() * bytes(); }
    std::uint64_t bytesWritten() const { return sums() ? 0 : bytes(); }
    std::uint64_t bytesMoved() const { return bytesRead() + bytesWritten(); }
    std::uint64_t tileFloats() const { return kStreamBlockThreads * width / sizeof(float); }
    std::uint64_t tiles() const { return (n + tileFloats() - 1) / tileFloats(); }
    std::string kernel() const { return fmt::format("{}_{}", kStreamOps[static_cast<std::size_t>(op)], width); }
    const char* source() const { return kStreamKernels[static_cast<std::size_t>(grid)]; }
};

inline StreamSetting streamSettingOf(const ParamSet& params)
{
    return {static_cast<StreamOp>(chosenIndex(params, "operation", kStreamOps)),
            static_cast<StreamGrid>(chosenIndex(params, "grid", kStreamGrids)), integer(params, "bytes_per_thread"),
            integer(params, "bytes") / sizeof(float)};
}

/// What element i of c must be, bit for bit.
inline float streamExpected(StreamOp op, float a, float b)
{
    switch (op) {
    case StreamOp::Copy:
        return a;
    case StreamOp::Scale:
        return kStreamScalar * a;
    case StreamOp::Add:
        return a + b;
    case StreamOp::Triad:
        return std::fma(kStreamScalar, b, a);
    default:
        return kStreamScalar;
    }
}

/// The sum of the words of a, modulo 2^32: exact.
void checkStreamRead(RunContext& context, const StreamSetting& setting, std::uint32_t got, std::uint32_t salt);

/// A dot product against double precision.
void checkStreamDot(RunContext& context, const StreamSetting& setting, double got, std::uint32_t salt);

/// The experiment on this machine's processor.
Result<void> runStreamOnCpu(const ParamSet& params, RunContext& context);

} // namespace ridge::labs
