// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"

#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// How a kernel of the learner's own is launched: what the form holds and remembers for each kernel of a file.
struct LaunchSettings {
    std::string grid = "64", block = "256", cluster; ///< as typed: "8", "8,4" or "8,4,2"; empty cluster: none
    std::uint64_t sharedBytes = 0;                   ///< dynamic shared memory of a block
    std::vector<std::string> args;                   ///< SPECs of docs/kernels.md, one for each parameter
    bool exact = false, functional = false, check = true, checkGlobal = false;
    double seconds = 60; ///< the worker is ended after it
    std::int64_t memoryMiB = 4096;
    bool operator==(const LaunchSettings&) const = default;
};

Json toJson(const LaunchSettings& launch);
/// What is missing or of another type keeps its default.
LaunchSettings launchFromJson(const Json& json);

/// A parameter of a kernel, as far as source and compiler tell.
struct KernelParameterInfo {
    std::string name; ///< of the source; "argument 2" where it cannot be read
    std::string type; ///< "const float*"
    std::uint64_t bytes = 8;
    bool isPointer = false, isConst = false;
    std::optional<DataType> element; ///< of a pointer what it points to; absent for structs
};

/// A kernel that the compiler found in the file.
struct CompiledKernel {
    std::string kernel; ///< "scale<float>(float*, int)": what a request names
    std::string bare;   ///< "scale<float>": what a person reads
    std::vector<KernelParameterInfo> parameters;
    std::optional<std::uint64_t> registers, sharedBytes, instructions; ///< of the machine code, modelled
};

/// The kernels of a `kernel-compile` document, with the names that the parameters have in `source`.
std::vector<CompiledKernel> kernelsOf(const Json& document, const std::string& source);

/// Whether it is passed by value and is no single number: a struct or an array, given field by field.
bool isByValue(const KernelParameterInfo& parameter);

/// A SPEC to begin with: in for a pointer to const, out for another pointer, each with an element for every thread; the
/// number of threads for an integer that is called like a length, else 1; zeros for what is passed by value. `index`
/// counts from 0 and seeds the fill.
std::string defaultSpec(const KernelParameterInfo& parameter, std::size_t index, std::uint64_t threads);

/// Threads of the whole launch; 0 where grid or block cannot be read.
std::uint64_t threadsOf(const LaunchSettings& launch);

/// Errors: "bad-argument" (names the field and what is legal).
Result<KernelRunRequest> requestOf(const LaunchSettings& launch, KernelText source, const std::string& kernel,
                                   const std::string& target);

/// The linear index of a block that is named by it ("70") or by blockIdx ("6,1" or "(6, 1, 0)"); an empty text is
/// block 0. Errors: "bad-argument" (says which blocks the grid has).
Result<std::uint64_t> blockFromText(std::string_view text, const std::array<std::uint64_t, 3>& grid);

/// The same run as a line for a shell: "ridge kernel run file.cu --grid 64 …".
std::string commandLineOf(const KernelRunRequest& request);

/// The launch that stands in a line "// Launch --grid 64 --block 256 --arg in:f32:16384:rand(1) …" at the head of an
/// example.
std::optional<LaunchSettings> launchInHead(const std::string& source);

} // namespace ridge::app
