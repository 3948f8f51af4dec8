// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels from anywhere, run: plainly, with the detectors on, and step by step. The three must agree on how the launch
// ends.
#include "gpu/simt/simt_device.h"
#include "gpu/simt/simt_program.h"
#include "gpu/targets/target_list.h"

#include <cstdio>
#include <cstdlib>

using namespace ridge::gpu;

namespace {

constexpr std::uint64_t kInstructions = 4096; ///< of warps, for a launch
constexpr std::uint32_t kLargestFrame = 65536;
constexpr std::uint32_t kMostRegisters = 1 << 20;
constexpr std::uint64_t kBufferBytes = 4096;

std::unique_ptr<Device> openDevice()
{
    DeviceInfo info;
    info.target = "sim:fuzz";
    info.computeMajor = 9;
    info.smCount = 2;
    DeviceOptions options;
    options.memoryBytes = std::uint64_t{1} << 24;
    simt::ChipLimits limits;
    limits.computeMajor = 9;
    return std::move(*simt::openSimtDevice(info, limits, std::move(options)));
}

/// Buffers for what is as wide as a pointer, small numbers for the rest; nothing where a parameter is neither.
std::optional<std::vector<KernelArg>> argumentsOf(Device& device, const simt::KernelImage& kernel)
{
    std::vector<KernelArg> args;
    for (const simt::KernelParam& param : kernel.params) {
        if (param.bytes == 8) {
            const auto buffer = device.allocate(kBufferBytes, param.name);
            if (!buffer)
                return std::nullopt;
            static_cast<void>(device.copyToDevice(*buffer, std::vector<std::byte>(kBufferBytes / 2)));
            args.emplace_back(*buffer);
        } else if (param.bytes == 4) {
            args.emplace_back(std::uint32_t{64});
        } else if (param.bytes == 2) {
            args.emplace_back(std::uint16_t{64});
        } else if (param.bytes == 1) {
            args.emplace_back(std::uint8_t{64});
        } else if (param.bytes == sizeof(TensorMapArg)) {
            args.emplace_back(TensorMapArg{});
        } else {
            return std::nullopt;
        }
    }
    return args;
}

/// How the launch ended, in a word. A device of its own: what an earlier launch left behind would change the answer.
std::string ending(const Program& program, const simt::KernelImage& kernel, const LaunchOptions& options)
{
    const std::unique_ptr<Device> device = openDevice();
    const auto loaded = device->load(program);
    if (!loaded)
        return loaded.error().code;
    auto args = argumentsOf(*device, kernel);
    if (!args)
        return "arguments";
    Launch launch;
    launch.kernel = kernel.name;
    launch.grid = {2};
    launch.block = {64};
    launch.args = std::move(*args);
    const auto report = device->launch(**loaded, launch, options);
    return report ? "done" : report.error().code;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Program program;
    program.name = "fuzz.ptx";
    program.ptx.assign(reinterpret_cast<const char*>(data), size);
    const auto memory = std::make_shared<simt::GlobalMemory>(std::uint64_t{1} << 24);
    const auto loaded = simt::SimtProgram::load(program, memory, 90);
    if (!loaded)
        return 0;
    for (const simt::KernelImage& kernel : (*loaded)->kernels()) {
        if (kernel.localBytes > kLargestFrame || kernel.registerBytes > kMostRegisters)
            continue;
        LaunchOptions plain;
        plain.mostInstructions = kInstructions;
        LaunchOptions watched = plain;
        watched.check = watched.checkGlobalRaces = true;
        LaunchOptions stepped = plain;
        stepped.traceSteps = 256;
        const std::string without = ending(program, kernel, plain), with = ending(program, kernel, watched);
        static_cast<void>(ending(program, kernel, stepped)); // counts instructions of its own
        if (without != with) {
            std::fprintf(stderr, "%s: '%s' without detectors, '%s' with them\n", kernel.name.c_str(), without.c_str(),
                         with.c_str());
            std::abort();
        }
    }
    return 0;
}
