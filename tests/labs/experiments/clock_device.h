// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <cstring>

namespace ridge::labs::test {

/// A device as a GPU shows itself to an experiment: it has a clock and no counters. The kernels are carried out by
/// the CPU from their launch arguments alone, so what is tested is the experiment.
class ClockDevice : public gpu::Device {
public:
    ClockDevice()
    {
        about.target = "gpu:0";
        about.name = "a device with a clock";
        about.computeMajor = 8;
        about.smCount = 4;
        about.globalBytes = 1u << 30;
        about.l2Bytes = 8u << 20;
        about.memoryBytesPerSecond = 1000e9;
        about.boostClockHz = 1e9;
        about.provenance = Provenance::Measured;
    }
    const gpu::DeviceInfo& info() const override { return about; }

    Result<std::unique_ptr<gpu::LoadedProgram>> load(const gpu::Program& program) override
    {
        struct Loaded : gpu::LoadedProgram {
            gpu::Program of;
            const gpu::Program& program() const override { return of; }
        };
        auto loaded = std::make_unique<Loaded>();
        loaded->of = program;
        return std::unique_ptr<gpu::LoadedProgram>(std::move(loaded));
    }
    Result<gpu::DevicePtr> allocate(std::uint64_t bytes, std::string_view) override
    {
        if (inUse + bytes > about.globalBytes || buffers.size() >= maxBuffers)
            return Error{"out-of-memory", "full", "device", "less"};
        const std::uint64_t address = m_next;
        m_next += (bytes + 511) / 256 * 256;
        buffers[address].assign(bytes, std::byte{0xcd});
        inUse += bytes;
        mostInUse = std::max(mostInUse, inUse);
        return gpu::DevicePtr{address};
    }
    Result<void> free(gpu::DevicePtr ptr) override
    {
        inUse -= buffers.at(ptr.address).size();
        buffers.erase(ptr.address);
        return {};
    }
    Result<void> copyToDevice(gpu::DevicePtr to, std::span<const std::byte> from) override
    {
        std::memcpy(at(to.address, from.size()), from.data(), from.size());
        return {};
    }
    Result<void> copyToHost(std::span<std::byte> to, gpu::DevicePtr from) override
    {
        std::memcpy(to.data(), at(from.address, to.size()), to.size());
        return {};
    }
    Result<gpu::LaunchReport> launch(const gpu::LoadedProgram&, const gpu::Launch& launch,
                                     const gpu::LaunchOptions&) override
    {
        if (carryOut && carryOut(launch))
            return gpu::LaunchReport{};
        if (launch.kernel.starts_with("strided_read_"))
            read(launch, std::stoul(launch.kernel.substr(13)));
        else if (launch.kernel.starts_with("strided_shared_"))
            sum(launch, static_cast<std::uint32_t>(std::stoul(launch.kernel.substr(15))));
        else
            return Error{"kernel-not-found", launch.kernel, "", ""};
        return gpu::LaunchReport{};
    }
    Result<std::vector<gpu::Timing>> timeArms(std::span<const gpu::Arm> arms, const gpu::TimingRequest&) override
    {
        std::vector<gpu::Timing> timings;
        for (const gpu::Arm& arm : arms) {
            timed.push_back(arm.sets);
            if (hasClock)
                timings.push_back(gpu::Timing{seconds, 0, seconds, 10, clockVerdict, seconds, {}, {}});
            if (hasClock && timings.size() > 1)
                timings.back().toFirst = pairs;
        }
        return timings;
    }

    gpu::DeviceInfo about;
    std::function<bool(const gpu::Launch&)> carryOut; ///< further kernels; true when it knew the one that is launched
    bool hasClock = true;
    double seconds = 1e-3;
    std::optional<gpu::PairedRatio> pairs; ///< of every arm but the first
    std::string clockVerdict = "valid";
    bool dropsLastThread = false; ///< a kernel with an off-by-one
    std::size_t maxBuffers = 1000;
    std::uint64_t inUse = 0, mostInUse = 0;
    std::map<std::uint64_t, std::vector<std::byte>> buffers;
    std::vector<std::vector<gpu::Sequence>> timed;

private:
    /// Fails the test on an access outside a buffer.
    std::byte* at(std::uint64_t address, std::size_t bytes)
    {
        auto found = buffers.upper_bound(address);
        if (found == buffers.begin())
            qFatal("access below every buffer");
        --found;
        if (address + bytes > found->first + found->second.size())
            qFatal("access past the end of a buffer");
        return found->second.data() + (address - found->first);
    }
    void read(const gpu::Launch& launch, std::size_t bytes)
    {
        const auto in = std::get<gpu::DevicePtr>(launch.args.at(0)).address;
        const auto out = std::get<gpu::DevicePtr>(launch.args.at(1)).address;
        const auto elements = std::get<std::uint64_t>(launch.args.at(2));
        const auto stride = std::get<std::uint64_t>(launch.args.at(3));
        const auto offset = std::get<std::uint64_t>(launch.args.at(4));
        const auto laneXor = std::get<std::uint32_t>(launch.args.at(5));
        const std::uint64_t threads = launch.grid.count() * launch.block.count();
        for (std::uint64_t i = 0; i < std::min(threads, elements - (dropsLastThread ? 1 : 0)); ++i)
            std::memcpy(at(out + i * bytes, bytes), at(in + ((i ^ laneXor) * stride + offset) * bytes, bytes), bytes);
    }
    void sum(const gpu::Launch& launch, std::uint32_t bytes)
    {
        const auto out = std::get<gpu::DevicePtr>(launch.args.at(0)).address;
        const auto stride = std::get<std::uint32_t>(launch.args.at(1));
        const auto iterations = std::get<std::uint32_t>(launch.args.at(2));
        const auto salt = std::get<std::uint32_t>(launch.args.at(4));
        if (launch.dynamicSharedBytes < (31 * stride + 1) * bytes)
            qFatal("the tile is too small");
        const std::uint64_t threads = launch.grid.count() * launch.block.count();
        for (std::uint64_t i = 0; i < threads - (dropsLastThread ? 1 : 0); ++i) {
            std::uint32_t total = 0;
            for (std::uint32_t step = 0; step < iterations; ++step)
                for (std::uint32_t part = 0; part < bytes / 4; ++part)
                    total += (2 * part + 1) * (static_cast<std::uint32_t>(i % 32) * stride * (bytes / 4) + part + salt);
            std::memcpy(at(out + i * 4, 4), &total, 4);
        }
    }

    std::uint64_t m_next = 0x7f0000000000;
};

} // namespace ridge::labs::test
