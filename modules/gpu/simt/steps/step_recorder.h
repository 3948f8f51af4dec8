// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/step_trace.h"
#include "gpu/simt/run/state.h"

#include <map>

namespace ridge::gpu::simt {

/// Writes down what every instruction of one block did. Like the Checker it works on a copy of the kernel whose
/// micro-ops lead through it, so that a launch that is not recorded runs the very code it ran before.
class StepRecorder : public StepWatcher {
public:
    /// `block`: linear index. At most `limit` steps are kept, and never more than StepTrace's bounds; the launch goes
    /// on without being recorded. `ptx` is the program's text, of which the trace keeps the lines that ran.
    StepRecorder(const KernelImage& kernel, const LaunchState& state, std::string_view ptx, const Dim3& blockDim,
                 std::uint32_t sharedBytes, std::uint32_t block, std::size_t limit);

    const KernelImage& image() const { return m_image; }
    StepTrace take();

    Step run(Warp& warp, const MicroOp& op, std::uint32_t mask) override;
    void terminator(const Warp& warp, std::uint32_t pc, std::uint32_t mask) override;
    void warpBarrierOpens(const Warp& warp, std::uint32_t pc, std::uint32_t mask) override;
    void barrierResult(const Warp& warp, std::uint32_t pc, std::uint32_t mask) override;
    OpFunction warpBarrier() const override;

private:
    enum class Half : std::uint8_t { Itself, Result }; ///< of an instruction that is two steps
    /// What a micro-op did before its way led through here, and its place in its PTX instruction.
    struct Plan {
        OpFunction run = nullptr;
        std::uint32_t guard = 0, guardFlip = 0;
        bool opens = false, closes = false;
        bool isMemory = false;
    };
    struct Open { // an instruction of several micro-ops that is under way
        bool is = false;
        TracedStep step;
        std::optional<StepAccess> access;
    };

    void plan(std::uint32_t pc);
    void nameRegisters();
    bool records(const Warp& warp) const;
    std::uint32_t instructionOf(std::uint32_t pc, Half half);
    std::uint32_t keyOf(std::uint32_t pc) const;
    bool isReturnUnwritten(std::uint32_t pc) const;
    bool isInlinedCall(std::uint32_t pc) const;
    void stepOf(const Warp& warp, std::uint32_t pc, std::uint32_t mask, Half half);
    void begin(const Warp& warp, std::uint32_t pc);
    void end(const Warp& warp, std::uint32_t pc);
    void write(const Warp& warp, std::uint32_t plane, std::uint32_t mask);
    void before(const Warp& warp, const MicroOp& op, std::uint32_t mask);
    void after(const Warp& warp, std::uint32_t mask);
    LaneWords keep(const std::array<std::uint64_t, kWarpSize>& values, std::uint32_t mask);
    bool isFull() const;

    KernelImage m_image;
    std::vector<std::string_view> m_lines; ///< of the PTX
    std::vector<Plan> m_plans;
    std::map<std::uint32_t, std::uint32_t> m_registerOf;                     ///< by plane
    std::map<std::pair<std::uint32_t, Half>, std::uint32_t> m_instructionOf; ///< by keyOf
    std::vector<Open> m_open;                                                ///< by warp
    std::uint32_t m_block;
    std::size_t m_limit, m_sharedWords = 0;
    StepTrace m_trace;
};

} // namespace ridge::gpu::simt
