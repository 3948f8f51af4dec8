// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "base/struct_argument.h"
#include "base/tensor_argument.h"
#include "gpu/device.h"
#include "labs/kernel/kernel_source.h"

namespace ridge::labs {

/// A value or buffer of a launch: an argument of its own, or a field of one that is a struct.
struct PassedArgument {
    KernelArgument value;
    std::size_t argument = 0;               ///< counts from 0
    std::uint64_t padding = 0;              ///< bytes behind it, to the next field or the end of the struct
    std::optional<TensorArgument> tensor{}; ///< the kernel takes a map of the buffer in place of its address
};

/// Reads the SPECs of a request and holds them against the kernel's parameters.
/// Errors: "bad-argument" (a SPEC, their number, a type that the parameter does not take, a struct of another size),
/// "cannot-read" (a file that is not there, or has another size), all naming argument and parameter.
Result<std::vector<PassedArgument>> readArguments(const std::vector<std::string>& specs, const KernelSignature& kernel);

/// The arguments of a launch, on a device. Buffers live as long as this.
class KernelBuffers {
public:
    /// Allocates and fills. Errors: "out-of-memory", "cannot-read".
    static Result<KernelBuffers> make(gpu::Device& device, std::vector<PassedArgument> arguments);

    /// What a launch takes; fields of structs one by one, with the padding between them (gpu/argument_pieces.h).
    std::vector<gpu::KernelArg> values() const;
    /// Gives every buffer its first content again. Errors: "cannot-read".
    Result<void> refill();
    /// The first bytes of every buffer, as many as are compared; of other arguments nothing.
    using Contents = std::vector<std::vector<std::byte>>;
    Result<Contents> contents() const;
    /// [{argument, spec, …}]: what the kernel did to each buffer since (labs/kernel/buffer_contents.h).
    Result<Json> changesSince(const Contents& before) const;
    struct Written {
        std::string file;
        std::uint64_t bytes = 0;
    };
    /// Writes the buffers that name a file. Errors: "cannot-write".
    Result<std::vector<Written>> writeFiles();

private:
    explicit KernelBuffers(gpu::Device& device) : m_device(&device) {}
    Result<void> fill(std::size_t at);
    Result<gpu::TensorMapArg> mapOf(const TensorArgument& tensor, gpu::DevicePtr matrix, std::size_t at);
    gpu::Device* m_device;
    std::vector<PassedArgument> m_arguments;
    std::vector<gpu::KernelArg> m_values;            ///< one for each of m_arguments; of a tensor its buffer
    std::map<std::size_t, gpu::TensorMapArg> m_maps; ///< by place in m_arguments
};

} // namespace ridge::labs
