// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"
#include "labs/kernel/kernel_source.h"

namespace ridge::labs {

/// Reads the SPECs of a request and holds them against the kernel's parameters.
/// Errors: "bad-argument" (a SPEC, their number, or a type that the parameter does not take), "cannot-read" (a file
/// that is not there, or has another size), all naming argument and parameter.
Result<std::vector<KernelArgument>> readArguments(const std::vector<std::string>& specs, const KernelSignature& kernel);

/// The arguments of a launch, on a device. Buffers live as long as this.
class KernelBuffers {
public:
    /// Allocates and fills. Errors: "out-of-memory", "cannot-read".
    static Result<KernelBuffers> make(gpu::Device& device, std::vector<KernelArgument> arguments);

    const std::vector<gpu::KernelArg>& values() const { return m_values; }
    /// Gives every buffer its first content again. Errors: "cannot-read".
    Result<void> refill();
    struct Written {
        std::string file;
        std::uint64_t bytes = 0;
    };
    /// Writes the buffers that name a file. Errors: "cannot-write".
    Result<std::vector<Written>> writeFiles();

private:
    explicit KernelBuffers(gpu::Device& device) : m_device(&device) {}
    Result<void> fill(std::size_t at);
    gpu::Device* m_device;
    std::vector<KernelArgument> m_arguments;
    std::vector<gpu::KernelArg> m_values;
};

} // namespace ridge::labs
