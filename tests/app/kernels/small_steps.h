// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/step_trace.h"

namespace ridge {

/// Two warps: warp 0 writes r1 = lane, then lanes 0-15 write r2 = 7 (line 3, of shared memory with conflicts), warp 1
/// writes r1 = 100.
inline StepTrace smallTrace()
{
    StepTrace trace;
    trace.kernel = "k";
    trace.functions = {"k"};
    trace.blockDim = {64, 1, 1};
    trace.gridDim = {1, 1, 1};
    trace.sharedBytes = 256;
    trace.code = {
        {"mov.u32 %r1, %tid.x", 10, 2, false}, {"st.shared.u32 [%r3], %r1", 11, 3, false}, {"bar.sync 0", 12, 4, true}};
    trace.registers = {{"%r1", 4, false}, {"%r2", 4, false}};
    trace.words = {0, 0, 1, 0, 7, 0, 0, 0, 128, 0, 100, 0};
    const std::uint32_t all = ~0u, half = 0xffff;
    trace.steps = {{0, 0, all, all, all, 0, TracedStep::kNoStep},
                   {0, 1, half, half, all, 1, 0},
                   {1, 0, all, all, all, 2, TracedStep::kNoStep},
                   {1, 2, all, all, all, 3, TracedStep::kNoStep},
                   {0, 2, all, all, all, 3, TracedStep::kNoStep}};
    trace.writes = {
        {0, {LaneWords::Kind::Affine, 0}}, {1, {LaneWords::Kind::Uniform, 4}}, {0, {LaneWords::Kind::Uniform, 10}}};
    StepAccess access;
    access.space = StepAccess::Space::Shared;
    access.kind = StepAccess::Kind::Store;
    access.passes = 16;
    access.least = 1;
    access.addresses = {LaneWords::Kind::Affine, 6};
    trace.accesses = {access};
    return trace;
}

/// One warp: the kernel (line 2) calls a function (lines 7 and 8) and goes on in line 3.
inline StepTrace callTrace()
{
    StepTrace trace;
    trace.kernel = "k";
    trace.functions = {"k", "twice(int)"};
    trace.blockDim = {32, 1, 1};
    trace.gridDim = {1, 1, 1};
    using Flow = StepInstruction::Flow;
    trace.code = {{"call.uni (r), twice, (p)", 10, 2, false, Flow::Call, 0, 0},
                  {"ld.param.u32 %r1, [p]", 30, 7, false, Flow::Plain, 0, 1},
                  {"ret", 31, 8, false, Flow::Return, 0, 1},
                  {"ld.param.u32 %r2, [r]", 11, 2, false, Flow::Plain, 0, 0},
                  {"exit", 12, 3, false, Flow::Plain, 0, 0}};
    const std::uint32_t all = ~0u;
    for (std::uint32_t at = 0; at < trace.code.size(); ++at)
        trace.steps.push_back({0, at, all, all, all, 0, TracedStep::kNoStep});
    return trace;
}

} // namespace ridge
