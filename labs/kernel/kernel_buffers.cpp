// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/kernel_buffers.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace ridge::labs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunk = std::size_t{1} << 20; ///< elements filled or copied at a time

std::string place(std::size_t at)
{
    return "argument " + std::to_string(at + 1);
}

/// Compilers of CUDA C++ number the parameters; only other names tell anything.
std::string shown(const KernelParameter& parameter)
{
    return parameter.name.find("_param_") == std::string::npos ? " " + parameter.name : std::string();
}

std::string parameterText(const KernelSignature& kernel, std::size_t at)
{
    return "parameter " + std::to_string(at + 1) + " of " + kernel.plain + " (" + kernel.parameters[at].type +
           shown(kernel.parameters[at]) + ")";
}

std::string signatureText(const KernelSignature& kernel)
{
    std::string text;
    for (const KernelParameter& parameter : kernel.parameters)
        text += (text.empty() ? "" : ", ") + parameter.type + shown(parameter);
    return text.empty() ? "it takes none" : text;
}

/// The SPEC types that a parameter takes; empty where no SPEC can give it.
std::vector<DataType> typesFor(const KernelParameter& parameter)
{
    const std::string_view type(parameter.type);
    if (type == ".f64")
        return {DataType::F64};
    if (type == ".f32")
        return {DataType::F32};
    const bool bitsOnly = type.starts_with(".b"); // hand-written PTX, halves and structs of one field
    std::vector<DataType> types;
    for (std::size_t at = 0; at < kDataTypes; ++at) {
        const auto candidate = static_cast<DataType>(at);
        if (sizeOf(candidate) != parameter.bytes)
            continue;
        // .u16 is also how a __half or a bfloat16 comes from clang.
        if (!isFloat(candidate) || bitsOnly || sizeOf(candidate) == 2)
            types.push_back(candidate);
    }
    return types;
}

Result<void> checkFit(const KernelArgument& argument, const KernelSignature& kernel, std::size_t at)
{
    const KernelParameter& parameter = kernel.parameters[at];
    const auto types = typesFor(parameter);
    if (argument.isBuffer()) {
        const bool takesAddress = parameter.bytes == 8 && parameter.type != ".f64";
        if (takesAddress)
            return {};
        std::string names;
        for (const DataType type : types)
            names += (names.empty() ? "" : " or ") + std::string(toText(type)) + ":VALUE";
        return Error{"bad-argument",
                     "'" + argument.text + "' is a buffer, but " + parameterText(kernel, at) + " is no pointer",
                     place(at), names.empty() ? "such a parameter cannot be given here" : "give " + names};
    }
    if (std::find(types.begin(), types.end(), argument.type) != types.end())
        return {};
    std::string names;
    for (const DataType type : types)
        names += (names.empty() ? "" : ", ") + std::string(toText(type));
    if (types.empty())
        return Error{"bad-argument", parameterText(kernel, at) + " has " + std::to_string(parameter.bytes) + " bytes",
                     place(at), "parameters that are structs cannot be given here; pass their fields one by one"};
    return Error{"bad-argument", "'" + argument.text + "' does not fit " + parameterText(kernel, at), place(at),
                 "it takes " + names +
                     (parameter.bytes == 8 && parameter.type != ".f64" ? ", or a buffer: in:, inout: or out:" : "")};
}

Result<void> checkInFile(const KernelArgument& argument, std::size_t at)
{
    std::error_code code;
    if (!fs::is_regular_file(argument.inFile, code))
        return Error{"cannot-read", "there is no file '" + argument.inFile + "'", place(at),
                     "check the name after '@'; it is relative to where ridge was started"};
    const auto size = fs::file_size(argument.inFile, code);
    if (code || size != argument.bytes())
        return Error{"bad-argument",
                     "'" + argument.inFile + "' has " + (code ? "an unknown number of" : std::to_string(size)) +
                         " bytes, the buffer has " + std::to_string(argument.bytes()) + " (" +
                         std::to_string(argument.count) + " x " + std::to_string(sizeOf(argument.type)) + ")",
                     place(at),
                     "let COUNT x the size of " + std::string(toText(argument.type)) + " be the size of the file"};
    return {};
}

gpu::KernelArg scalarValue(const KernelArgument& argument)
{
    const std::uint64_t bits = argument.bits;
    switch (argument.type) {
    case DataType::F64: {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    case DataType::F32: {
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    case DataType::F16:
    case DataType::BF16:
    case DataType::U16:
        return static_cast<std::uint16_t>(bits);
    case DataType::I16:
        return static_cast<std::int16_t>(bits);
    case DataType::I8:
        return static_cast<std::int8_t>(bits);
    case DataType::U8:
        return static_cast<std::uint8_t>(bits);
    case DataType::I32:
        return static_cast<std::int32_t>(bits);
    case DataType::U32:
        return static_cast<std::uint32_t>(bits);
    case DataType::I64:
        return static_cast<std::int64_t>(bits);
    case DataType::U64:
        return bits;
    }
    return bits;
}

} // namespace

Result<std::vector<KernelArgument>> readArguments(const std::vector<std::string>& specs, const KernelSignature& kernel)
{
    std::vector<KernelArgument> arguments;
    std::set<std::string> outFiles;
    for (std::size_t at = 0; at < specs.size(); ++at) {
        auto argument = parseKernelArgument(specs[at], at + 1);
        if (!argument)
            return argument.error();
        if (!argument->outFile.empty() && !outFiles.insert(argument->outFile).second)
            return Error{"bad-argument", "two buffers are written to '" + argument->outFile + "'", place(at),
                         "give each its own file"};
        arguments.push_back(std::move(*argument));
    }
    const std::size_t wanted = kernel.parameters.size();
    if (specs.size() != wanted)
        return Error{"bad-argument",
                     kernel.plain + " takes " + std::to_string(wanted) +
                         (wanted == 1 ? " argument, " : " arguments, ") + std::to_string(specs.size()) +
                         (specs.size() == 1 ? " is given" : " are given"),
                     "--arg", "give one --arg for each parameter, in their order: " + signatureText(kernel)};
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        if (auto fits = checkFit(arguments[at], kernel, at); !fits)
            return fits.error();
        if (arguments[at].fill == KernelArgument::Fill::File)
            if (auto readable = checkInFile(arguments[at], at); !readable)
                return readable.error();
    }
    return arguments;
}

Result<KernelBuffers> KernelBuffers::make(gpu::Device& device, std::vector<KernelArgument> arguments)
{
    KernelBuffers buffers(device);
    buffers.m_arguments = std::move(arguments);
    for (std::size_t at = 0; at < buffers.m_arguments.size(); ++at) {
        const KernelArgument& argument = buffers.m_arguments[at];
        if (!argument.isBuffer()) {
            buffers.m_values.push_back(scalarValue(argument));
            continue;
        }
        auto ptr = device.allocate(argument.bytes(), place(at));
        if (!ptr) {
            Error error = ptr.error();
            error.place = place(at) + " '" + argument.text + "'";
            return error;
        }
        buffers.m_values.push_back(*ptr);
    }
    // A simulator's memory is zero when it is allocated; writing the zeros would hide from its detectors that nobody
    // gave an out buffer a value.
    const bool zeroed = device.info().provenance == Provenance::Simulated;
    for (std::size_t at = 0; at < buffers.m_arguments.size(); ++at) {
        const KernelArgument& argument = buffers.m_arguments[at];
        if (!argument.isBuffer() || (zeroed && argument.role == KernelArgument::Role::Out))
            continue;
        if (auto filled = buffers.fill(at); !filled)
            return filled.error();
    }
    return buffers;
}

Result<void> KernelBuffers::refill()
{
    for (std::size_t at = 0; at < m_arguments.size(); ++at) {
        if (!m_arguments[at].isBuffer())
            continue;
        if (auto filled = fill(at); !filled)
            return filled;
    }
    return {};
}

Result<void> KernelBuffers::fill(std::size_t at)
{
    const KernelArgument& argument = m_arguments[at];
    const std::uint64_t address = std::get<gpu::DevicePtr>(m_values[at]).address;
    const unsigned size = sizeOf(argument.type);
    std::ifstream file;
    if (argument.fill == KernelArgument::Fill::File)
        file.open(argument.inFile, std::ios::binary);
    for (std::uint64_t first = 0; first < argument.count; first += kChunk) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, argument.count - first));
        std::vector<std::byte> bytes;
        if (argument.fill == KernelArgument::Fill::File) {
            bytes.resize(count * size);
            if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
                return Error{"cannot-read", "'" + argument.inFile + "' cannot be read to its end", place(at),
                             "check that the file is not changed while ridge runs"};
        } else {
            bytes = fillElements(argument, first, count);
        }
        if (auto copied = m_device->copyToDevice({address + first * size}, bytes); !copied)
            return copied;
    }
    return {};
}

Result<std::vector<KernelBuffers::Written>> KernelBuffers::writeFiles()
{
    std::vector<Written> written;
    for (std::size_t at = 0; at < m_arguments.size(); ++at) {
        const KernelArgument& argument = m_arguments[at];
        if (argument.outFile.empty())
            continue;
        const auto fail = [&] {
            return Error{"cannot-write", "'" + argument.outFile + "' cannot be written", place(at),
                         "check the folder, its rights and the room on the disk"};
        };
        const std::uint64_t address = std::get<gpu::DevicePtr>(m_values[at]).address;
        // Beside the goal and renamed at the end: a crash leaves the old file or the new one.
        const std::string partial = argument.outFile + ".part";
        std::ofstream file(partial, std::ios::binary | std::ios::trunc);
        if (!file)
            return fail();
        for (std::uint64_t done = 0; done < argument.bytes(); done += kChunk) {
            std::vector<std::byte> bytes(
                static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, argument.bytes() - done)));
            if (auto copied = m_device->copyToHost(bytes, {address + done}); !copied)
                return copied.error();
            file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        }
        file.close();
        std::error_code code;
        if (file)
            fs::rename(partial, argument.outFile, code);
        if (!file || code) {
            fs::remove(partial, code);
            return fail();
        }
        written.push_back({argument.outFile, argument.bytes()});
    }
    return written;
}

} // namespace ridge::labs
