// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../simt_lab.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/simt_program.h"
#include "gpu/simt/timing/chip_file.h"
#include "gpu/simt/timing/engine.h"
#include "gpu/simt/timing/memory_system.h"

namespace ridge::gpu::simt {

inline ChipTiming shippedChip(const std::string& id)
{
    auto chip = readChipTiming(RIDGE_SIMT_CHIPS, id);
    if (!chip)
        qFatal("%s", toText(chip.error()).c_str());
    return *chip;
}

/// A device with a clock, and the report of the last launch.
struct TimedLab : Lab {
    LaunchOptions options;
    TimingReport timing;

    explicit TimedLab(const ChipTiming& chip, DeviceOptions deviceOptions = {}, int major = 9, int minor = 0)
    {
        DeviceInfo info;
        info.target = "sim:" + chip.id;
        info.chip = chip.id;
        info.computeMajor = major;
        info.computeMinor = minor;
        info.smCount = static_cast<std::uint32_t>(chip.sms);
        device = std::move(*openSimtDevice(info, {}, std::move(deviceOptions), chip));
        options.timing = true;
        options.timingOptions.threads = 1;
    }

    bool time(const std::string& kernel, Dim3 grid, Dim3 block, std::vector<KernelArg> args, std::uint32_t shared = 0)
    {
        auto report = device->launch(*program, {kernel, grid, block, shared, std::move(args)}, options);
        if (!report) {
            problem = report.error();
            return false;
        }
        counters = *report->counters;
        timing = std::move(*report->timing);
        problem.reset();
        return true;
    }

    std::uint64_t stallSum() const
    {
        return std::accumulate(timing.stalls.begin(), timing.stalls.end(), std::uint64_t{0});
    }
};

/// One group of a chip's memory, and an SM in its first partition.
struct MemoryLab {
    explicit MemoryLab(const ChipTiming& timing) : chip(timing), map(timing), group(timing, 0, map.groups()) {}

    /// The next line of the group with this home that nobody has asked for.
    std::uint64_t fresh(std::uint32_t home)
    {
        do
            ++m_last;
        while (map.groupOf(m_last) != 0 || homeOf(m_last, static_cast<std::uint32_t>(chip.l2Partitions)) != home);
        return m_last;
    }
    /// Cycles from asking at `cycle` to the answer.
    double ask(std::uint64_t line, std::uint64_t cycle, std::uint32_t partition = 0,
               L2Request::Kind kind = L2Request::Kind::Read)
    {
        L2Request request;
        request.cycle = cycle;
        request.line = line;
        request.sectors = sectors;
        request.kind = kind;
        return static_cast<double>(group.serve(request, partition, gpc) - cycle);
    }

    ChipTiming chip;
    MemoryMap map;
    MemoryGroup group;
    std::uint8_t sectors = 0b1111; ///< that are asked for
    std::uint32_t gpc = 0;         ///< of the SM that asks

private:
    std::uint64_t m_last = 0;
};

/// `text`, `times` times.
inline std::string repeated(const std::string& text, int times)
{
    std::string all;
    for (int at = 0; at < times; ++at)
        all += text;
    return all;
}

/// Cycles that `more` repetitions of `body` add in a kernel of one block. The difference leaves out start and end.
inline double cyclesOf(ChipTiming chip, const std::string& before, const std::string& body,
                       const std::string& after = "", Dim3 grid = {1}, Dim3 block = {32}, int few = 64, int many = 192)
{
    chip.l1MissCycles = 0; // straight-line code would wait for itself
    std::array<double, 2> cycles{};
    const std::array<int, 2> times{few, many};
    for (std::size_t at = 0; at < 2; ++at) {
        TimedLab lab(chip);
        if (!lab.load(handWritten(before + repeated(body, times[at]) + after))) {
            qWarning("%s", lab.why().constData());
            return -1;
        }
        const DevicePtr data = lab.put(std::vector<std::uint32_t>(1 << 16), "data");
        if (!lab.time("k", grid, block, {data, data, data}, 32768)) {
            qWarning("%s", lab.why().constData());
            return -1;
        }
        cycles[at] = static_cast<double>(lab.timing.cycles);
    }
    return (cycles[1] - cycles[0]) / (many - few);
}

} // namespace ridge::gpu::simt
