// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/simt_device.h"
#include "gpu/simt/timing/chip_file.h"

#include <QtTest>
#include <cstring>

namespace ridge::gpu::simt {

/// A device with a program, and the few steps every test takes. Failures become QFAIL through Lab::problem.
struct Lab {
    std::unique_ptr<Device> device;
    std::unique_ptr<LoadedProgram> program;
    std::optional<Error> problem;
    bool timed = false;

    /// `computeCapability`: 10 * major + minor; 0: of no chip, which has all that the simulator has.
    explicit Lab(DeviceOptions options = {}, ChipLimits limits = {}, int computeCapability = 90)
    {
        DeviceInfo info;
        info.target = "sim:test";
        info.computeMajor = computeCapability / 10;
        info.computeMinor = computeCapability % 10;
        info.smCount = 4;
        // The whole test again with the clock running: nothing that it checks may change (CMakeLists.txt).
        std::optional<ChipTiming> timing;
        if (const char* folder = std::getenv("RIDGE_SIMT_TEST_CHIPS"))
            timing = *readChipTiming(folder, "h200-sxm");
        timed = timing.has_value();
        device = std::move(*openSimtDevice(info, limits, std::move(options), std::move(timing)));
    }

    bool load(const std::string& ptx)
    {
        Program source;
        source.ptx = ptx;
        auto loaded = device->load(source);
        if (!loaded) {
            problem = loaded.error();
            return false;
        }
        program = std::move(*loaded);
        problem.reset();
        return true;
    }

    template<class T>
    DevicePtr put(const std::vector<T>& values, std::string_view label = "buffer")
    {
        const DevicePtr ptr = *device->allocate(values.size() * sizeof(T), label);
        const auto copied = device->copyToDevice(ptr, std::as_bytes(std::span(values)));
        if (!copied)
            problem = copied.error();
        return ptr;
    }

    template<class T>
    std::vector<T> get(DevicePtr ptr, std::size_t count)
    {
        std::vector<T> values(count);
        const auto copied = device->copyToHost(std::as_writable_bytes(std::span(values)), ptr);
        if (!copied)
            problem = copied.error();
        return values;
    }

    bool run(const std::string& kernel, Dim3 grid, Dim3 block, std::vector<KernelArg> args, std::uint32_t shared = 0,
             LaunchOptions options = {})
    {
        options.timing = options.timing || timed;
        auto report = device->launch(*program, {kernel, grid, block, shared, std::move(args)}, options);
        if (!report) {
            problem = report.error();
            return false;
        }
        counters = *report->counters;
        reports = std::move(report->reports);
        trace = report->trace.value_or(MemoryTrace{});
        printed = report->printed;
        problem.reset();
        return true;
    }

    QByteArray why() const { return problem ? QByteArray::fromStdString(toText(*problem)) : QByteArray("no error"); }
    std::string code() const { return problem ? problem->code : "no error"; }

    Counters counters;
    std::vector<Report> reports;
    MemoryTrace trace;
    std::string printed;
};

/// Text of a checked-in PTX file.
inline std::string fixture(const char* name)
{
    QFile file(QStringLiteral(RIDGE_SIMT_FIXTURES "/") + QLatin1String(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// A kernel "k" with parameters a, b, c (addresses) around `body`, for hand-written tests. Each thread finds its
/// linear index in %r0 and the parameters in %rd0, %rd1, %rd2.
inline std::string handWritten(const std::string& body, const std::string& outside = {})
{
    return ".version 8.0\n.target sm_80\n.address_size 64\n" + outside +
           "\n.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc)\n{\n"
           ".reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<20>;"
           " .reg .f64 %fd<20>;\n"
           "ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; ld.param.u64 %rd2, [pc];\n"
           "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r0, %r1, %r2, %r0;\n" +
           body + "\nret;\n}\n";
}

} // namespace ridge::gpu::simt
