// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/step_expression.h"
#include "simt_lab.h"

namespace ridge::gpu::simt {

/// Guards, a divergent branch, shared memory with a four-way conflict, an atomic, a shuffle and a loop.
inline std::string everything()
{
    return handWritten(R"(
        .shared .align 4 .b8 tile[2048];
        .reg .b32 %base;
        mov.u32 %base, tile;
        mov.u32 %r14, %tid.x;
        mul.lo.u32 %r3, %r14, 16;
        add.u32 %r3, %r3, %base;
        st.shared.u32 [%r3], %r0;
        bar.sync 0;
        ld.shared.u32 %r4, [%r3];
        and.b32 %r5, %r0, 1;
        setp.eq.u32 %p1, %r5, 0;
        mov.u32 %r6, 7;
        @%p1 add.u32 %r6, %r4, 100;
        setp.lt.u32 %p2, %r0, 8;
        @%p2 bra LOW;
        mov.u32 %r7, 1000;
        bra.uni JOIN;
    LOW:
        mov.u32 %r7, 2000;
    JOIN:
        mov.u32 %r8, 0;
        mov.u32 %r9, 0;
    LOOP:
        add.u32 %r8, %r8, %r7;
        add.u32 %r9, %r9, 1;
        setp.lt.u32 %p3, %r9, 3;
        @%p3 bra LOOP;
        shfl.sync.down.b32 %r10, %r0, 1, 31, 0xffffffff;
        atom.shared.add.u32 %r11, [%base + 1028], 1;
        bar.sync 0;
        ld.shared.u32 %r12, [%base + 1028];
        add.u32 %r13, %r6, %r8;
        add.u32 %r13, %r13, %r10;
        add.u32 %r13, %r13, %r12;
        mul.wide.u32 %rd5, %r0, 4;
        add.u64 %rd6, %rd0, %rd5;
        st.global.u32 [%rd6], %r13;
    )");
}

inline std::uint32_t resultOf(std::uint32_t thread, std::uint32_t threads)
{
    const std::uint32_t six = thread % 2 == 0 ? thread + 100 : 7;
    const std::uint32_t eight = 3 * (thread < 8 ? 2000 : 1000);
    const std::uint32_t ten = thread % 32 == 31 ? thread : thread + 1;
    return six + eight + ten + threads;
}

struct Walk {
    Lab lab;
    DevicePtr out;
    std::uint64_t executed = 0; ///< PTX instructions of the whole launch
    StepTrace trace;
    std::optional<Error> problem;

    explicit Walk(const std::string& ptx, std::uint32_t threads = 64, std::uint32_t grid = 1, std::uint32_t block = 0,
                  std::size_t limit = 100000)
    {
        if (!lab.load(ptx)) {
            problem = lab.problem;
            return;
        }
        out = lab.put(std::vector<std::uint32_t>(std::size_t{threads} * grid), "out");
        LaunchOptions options;
        options.traceSteps = limit;
        options.stepsBlock = block;
        options.faultsAsReports = true;
        auto report = lab.device->launch(
            *lab.program, {"k", {grid}, {threads}, 0, {KernelArg(out), KernelArg(out), KernelArg(out)}}, options);
        if (!report) {
            problem = report.error();
            return;
        }
        executed = report->counters->instExecuted;
        trace = std::move(*report->steps);
    }
};

inline std::uint32_t registerOf(const StepTrace& trace, const char* name)
{
    for (std::uint32_t at = 0; at < trace.registers.size(); ++at)
        if (trace.registers[at].name == name)
            return at;
    qFatal("no register %s", name);
}

} // namespace ridge::gpu::simt
