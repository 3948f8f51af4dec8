// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/kernel_buffers.h"

#include "gpu/simt/image/tensor_map.h"
#include "labs/kernel/buffer_contents.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <unistd.h>

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

/// The type of a parameter in the source, without const and restrict: "float*". Empty where its name does not tell.
std::string sourceTypeOf(const KernelSignature& kernel, std::size_t at)
{
    const std::string& plain = kernel.plain;
    if (plain == kernel.name || plain.empty() || plain.back() != ')')
        return {};
    std::vector<std::string> types(1);
    int depth = 0;
    for (std::size_t i = plain.size() - 1; i-- > 0;) { // from the end: names may hold parentheses as well
        const char c = plain[i];
        depth += c == ')' || c == '>' ? 1 : c == '(' || c == '<' ? -1 : 0;
        if (depth < 0)
            break;
        if (c == ',' && depth == 0)
            types.emplace_back();
        else
            types.back().insert(types.back().begin(), c);
    }
    if (types.size() != kernel.parameters.size())
        return {};
    static const std::regex noise("\\b(const|volatile|restrict|__restrict__|__restrict)\\b|\\s+(?=\\*|$)|^\\s+");
    return std::regex_replace(std::regex_replace(types[types.size() - 1 - at], noise, ""), noise, "");
}

/// What CUDA C++ calls the elements that a SPEC can give.
std::optional<DataType> elementOf(const std::string& name)
{
    static const std::map<std::string, DataType> known{
        {"float", DataType::F32},     {"double", DataType::F64},
        {"__half", DataType::F16},    {"__nv_bfloat16", DataType::BF16},
        {"short", DataType::I16},     {"unsigned short", DataType::U16},
        {"int", DataType::I32},       {"unsigned int", DataType::U32},
        {"long", DataType::I64},      {"unsigned long", DataType::U64},
        {"long long", DataType::I64}, {"unsigned long long", DataType::U64}};
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// Bytes may stand for anything, and equal sizes for each other's bits; elements of another size are a slip.
Result<void> checkAgainstSource(const KernelArgument& argument, const std::string& source,
                                const KernelSignature& kernel, std::size_t at)
{
    const bool isPointer = source.ends_with('*');
    const auto element = elementOf(isPointer ? source.substr(0, source.size() - 1) : source);
    if (!element || isPointer != argument.isBuffer())
        return {};
    const bool halvesMixed = !isPointer && isFloat(*element) && isFloat(argument.type) && *element != argument.type;
    const bool sizesMixed = isPointer && sizeOf(argument.type) > 1 && sizeOf(argument.type) != sizeOf(*element);
    if (!halvesMixed && !sizesMixed)
        return {};
    return Error{"bad-argument",
                 "'" + argument.text + "' is of " + std::string(toText(argument.type)) + ", but parameter " +
                     std::to_string(at + 1) + " of " + kernel.plain + " is " + source,
                 place(at), "give " + std::string(toText(*element)) + (isPointer ? ", or bytes: u8" : "")};
}

/// Where a parameter has the size of one.
std::string mapHint(const KernelParameter& parameter)
{
    return parameter.bytes == gpu::simt::kTensorMapBytes
               ? "; a CUtensorMap: tensor:{in:f16:8192:iota,size=128x64,box=64x32}"
               : "";
}

Result<void> checkFit(const KernelArgument& argument, const KernelSignature& kernel, std::size_t at)
{
    const KernelParameter& parameter = kernel.parameters[at];
    const auto types = typesFor(parameter);
    const std::string source = sourceTypeOf(kernel, at);
    if (auto fits = checkAgainstSource(argument, source, kernel, at); !fits)
        return fits;
    if (argument.isBuffer()) {
        const bool takesAddress = parameter.bytes == 8 && parameter.type != ".f64";
        if (takesAddress)
            return {};
        std::string names;
        for (const DataType type : types)
            names += (names.empty() ? "" : " or ") + std::string(toText(type)) + ":VALUE";
        return Error{
            "bad-argument", "'" + argument.text + "' is a buffer, but " + parameterText(kernel, at) + " is no pointer",
            place(at), !names.empty() ? "give " + names : "give it by value: struct:{SPEC,…}" + mapHint(parameter)};
    }
    if (std::find(types.begin(), types.end(), argument.type) != types.end())
        return {};
    std::string names;
    for (const DataType type : types)
        names += (names.empty() ? "" : ", ") + std::string(toText(type));
    if (types.empty())
        return Error{"bad-argument", parameterText(kernel, at) + " has " + std::to_string(parameter.bytes) + " bytes",
                     place(at),
                     "give its fields, as struct:{in:f32:1000:iota,u64:0,u32:1000}; they lie as C lays them out" +
                         mapHint(parameter)};
    return Error{"bad-argument", "'" + argument.text + "' does not fit " + parameterText(kernel, at), place(at),
                 "it takes " + names +
                     (parameter.bytes == 8 && parameter.type != ".f64" ? ", or a buffer: in:, inout: or out:" : "")};
}

/// A parameter by value has as many bytes as the fields that are given for it.
Result<void> checkFit(const StructArgument& argument, const KernelSignature& kernel, std::size_t at)
{
    const KernelParameter& parameter = kernel.parameters[at];
    if (argument.bytes == parameter.bytes)
        return {};
    return Error{"bad-argument",
                 "'" + argument.text + "' has " + std::to_string(argument.bytes) + " bytes, but " +
                     parameterText(kernel, at) + " has " + std::to_string(parameter.bytes),
                 place(at),
                 "its fields lie as in C, " + layoutText(argument) + ", in all a multiple of " +
                     std::to_string(argument.align) + " bytes; give those of the kernel's own struct"};
}

/// A tensor map by value is 128 bytes.
Result<void> checkFit(const TensorArgument& argument, const KernelSignature& kernel, std::size_t at)
{
    const std::uint64_t bytes = kernel.parameters[at].bytes;
    if (bytes == gpu::simt::kTensorMapBytes)
        return {};
    return Error{"bad-argument",
                 "'" + argument.text + "' is a tensor map of 128 bytes, but " + parameterText(kernel, at) + " has " +
                     std::to_string(bytes),
                 place(at),
                 bytes == 8 ? "give a buffer (in:, inout:, out:); a map is what a kernel takes as __grid_constant__ "
                              "CUtensorMap"
                            : "give what the kernel takes there"};
}

Result<void> checkInFile(const KernelArgument& argument, std::size_t at)
{
    std::error_code code;
    if (fs::exists(argument.inFile, code) && !fs::is_regular_file(argument.inFile, code))
        return Error{"cannot-read", "'" + argument.inFile + "' is not a regular file", place(at),
                     "name a file that holds the bytes of the buffer"};
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

/// What a link leads to in the end, also where that is not there yet.
fs::path goalOf(const std::string& file)
{
    constexpr int kMostLinks = 40;
    fs::path goal = file;
    std::error_code code;
    for (int links = 0; links < kMostLinks && fs::is_symlink(goal, code); ++links) {
        const fs::path to = fs::read_symlink(goal, code);
        goal = to.is_absolute() ? to : goal.parent_path() / to;
    }
    return goal;
}

/// A device, a pipe or one of several names of a file is written where it is; anything else is replaced in one step.
bool isWrittenInPlace(const fs::path& goal)
{
    std::error_code code;
    return fs::exists(goal, code) && (!fs::is_regular_file(goal, code) || fs::hard_link_count(goal, code) > 1);
}

/// Before anything runs: what cannot be kept need not be computed.
Result<void> checkOutFile(const KernelArgument& argument, std::size_t at)
{
    const fs::path goal = goalOf(argument.outFile);
    const auto fail = [&](const std::string& why) {
        return Error{"cannot-write", "'" + argument.outFile + "' " + why, place(at),
                     "name a file in a folder where you may write"};
    };
    std::error_code code;
    if (fs::is_directory(goal, code))
        return fail("is a folder");
    const fs::path folder = goal.has_parent_path() ? goal.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, code))
        return fail("lies in a folder that is not there");
    const bool exists = fs::exists(goal, code);
    if ((exists && ::access(goal.c_str(), W_OK) != 0) ||
        (!isWrittenInPlace(goal) && ::access(folder.c_str(), W_OK | X_OK) != 0))
        return fail("may not be written by you");
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

/// As a map names it; signed numbers of one or two bytes have no name of their own.
gpu::simt::TensorElement elementOf(DataType type)
{
    using To = gpu::simt::TensorElement;
    constexpr std::array<To, 12> elements{To::F64, To::F32, To::F16, To::BF16, To::U8,  To::U8,
                                          To::U16, To::U16, To::S32, To::U32,  To::S64, To::U64};
    return elements[static_cast<std::size_t>(type)];
}

} // namespace

Result<std::vector<PassedArgument>> readArguments(const std::vector<std::string>& specs, const KernelSignature& kernel)
{
    std::vector<PassedArgument> arguments;
    std::vector<std::optional<StructArgument>> structs(specs.size());
    std::set<std::string> outFiles;
    for (std::size_t at = 0; at < specs.size(); ++at) {
        if (isTensorArgument(specs[at])) {
            auto argument = parseTensorArgument(specs[at], at + 1);
            if (!argument)
                return argument.error();
            KernelArgument buffer = argument->buffer;
            arguments.push_back({std::move(buffer), at, 0, std::move(*argument)});
        } else if (isStructArgument(specs[at])) {
            auto argument = parseStructArgument(specs[at], at + 1);
            if (!argument)
                return argument.error();
            for (std::size_t field = 0; field < argument->fields.size(); ++field) {
                const auto& [value, offset] = argument->fields[field];
                const std::uint64_t end = offset + (value.isBuffer() ? 8 : sizeOf(value.type));
                const std::uint64_t next =
                    field + 1 < argument->fields.size() ? argument->fields[field + 1].offset : argument->bytes;
                arguments.push_back({value, at, next - end, {}});
            }
            structs[at] = std::move(*argument);
        } else {
            auto argument = parseKernelArgument(specs[at], at + 1);
            if (!argument)
                return argument.error();
            arguments.push_back({std::move(*argument), at, 0, {}});
        }
    }
    for (const PassedArgument& argument : arguments) {
        std::error_code code;
        const std::string& file = argument.value.outFile;
        const fs::path goal = file.empty() ? fs::path() : goalOf(file);
        const bool isFile = !goal.empty() && (!fs::exists(goal, code) || fs::is_regular_file(goal, code));
        if (isFile && !outFiles.insert(fs::weakly_canonical(fs::absolute(goal, code), code).string()).second)
            return Error{"bad-argument", "two buffers are written to '" + file + "'", place(argument.argument),
                         "give each its own file"};
    }
    const std::size_t wanted = kernel.parameters.size();
    if (specs.size() != wanted)
        return Error{"bad-argument",
                     kernel.plain + " takes " + std::to_string(wanted) +
                         (wanted == 1 ? " argument, " : " arguments, ") + std::to_string(specs.size()) +
                         (specs.size() == 1 ? " is given" : " are given"),
                     "--arg", "give one --arg for each parameter, in their order: " + signatureText(kernel)};
    for (const auto& [value, at, padding, tensor] : arguments) {
        if (auto fits = tensor        ? checkFit(*tensor, kernel, at)
                        : structs[at] ? checkFit(*structs[at], kernel, at)
                                      : checkFit(value, kernel, at);
            !fits)
            return fits.error();
        if (value.fill == KernelArgument::Fill::File)
            if (auto readable = checkInFile(value, at); !readable)
                return readable.error();
        if (!value.outFile.empty())
            if (auto writable = checkOutFile(value, at); !writable)
                return writable.error();
    }
    return arguments;
}

Result<KernelBuffers> KernelBuffers::make(gpu::Device& device, std::vector<PassedArgument> arguments)
{
    KernelBuffers buffers(device);
    buffers.m_arguments = std::move(arguments);
    for (const auto& [argument, at, padding, tensor] : buffers.m_arguments) {
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
        if (tensor) {
            const auto map = buffers.mapOf(*tensor, *ptr, at);
            if (!map)
                return map.error();
            buffers.m_maps[buffers.m_values.size()] = *map;
        }
        buffers.m_values.push_back(*ptr);
    }
    // A simulator's memory is zero when it is allocated; writing the zeros would hide from its detectors that nobody
    // gave an out buffer a value.
    const bool zeroed = device.info().provenance == Provenance::Simulated;
    for (std::size_t at = 0; at < buffers.m_arguments.size(); ++at) {
        const KernelArgument& argument = buffers.m_arguments[at].value;
        if (!argument.isBuffer() || (zeroed && argument.role == KernelArgument::Role::Out))
            continue;
        if (auto filled = buffers.fill(at); !filled)
            return filled.error();
    }
    return buffers;
}

std::vector<gpu::KernelArg> KernelBuffers::values() const
{
    std::vector<gpu::KernelArg> values;
    for (std::size_t at = 0; at < m_values.size(); ++at) {
        const auto map = m_maps.find(at);
        values.push_back(map == m_maps.end() ? m_values[at] : gpu::KernelArg(map->second));
        values.insert(values.end(), static_cast<std::size_t>(m_arguments[at].padding), std::uint8_t{0});
    }
    return values;
}

/// On a GPU the driver makes maps of matrices; a simulator has all that parseTensorArgument() takes. Errors: those of
/// Device::tensorMap(), "unsupported-target".
Result<gpu::TensorMapArg> KernelBuffers::mapOf(const TensorArgument& tensor, gpu::DevicePtr matrix, std::size_t at)
{
    const unsigned element = sizeOf(tensor.buffer.type);
    const bool isPlain = tensor.swizzle == 0 && !tensor.fillNan && !tensor.isWindows() &&
                         std::all_of(tensor.step.begin(), tensor.step.end(), [](auto step) { return step == 1; });
    const auto u32 = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    if (m_device->info().provenance != Provenance::Simulated) {
        if (tensor.rank() != 2 || !isPlain)
            return Error{"unsupported-target",
                         "on a GPU maps of two dimensions without swizzle, steps and NaN are made; '" + tensor.text +
                             "' is another",
                         place(at), "take a simulated chip, as --target sim:h100-sxm"};
        return m_device->tensorMap({matrix, element, tensor.size[0], tensor.size[1], tensor.stride[0],
                                    u32(tensor.box[0]), u32(tensor.box[1])});
    }
    if (m_device->info().computeMajor < 9)
        return m_device->tensorMap({}); // says which chips have such copies
    gpu::simt::TensorMap map;
    map.address = matrix.address;
    map.rank = static_cast<std::uint8_t>(tensor.rank());
    map.elementBytes = static_cast<std::uint8_t>(element);
    map.swizzle = tensor.swizzle == 0 ? gpu::simt::TensorSwizzle::None
                                      : static_cast<gpu::simt::TensorSwizzle>(std::bit_width(tensor.swizzle) - 5);
    map.fillNan = tensor.fillNan;
    map.element = elementOf(tensor.buffer.type);
    for (std::size_t dimension = 0; dimension < tensor.rank(); ++dimension) {
        map.size[dimension] = u32(std::min<std::uint64_t>(tensor.size[dimension], 0xffffffffu));
        if (dimension < tensor.box.size())
            map.box[dimension] = static_cast<std::uint16_t>(tensor.box[dimension]);
        map.step[dimension] = static_cast<std::uint8_t>(tensor.step[dimension]);
        if (dimension > 0)
            map.stride[dimension - 1] = tensor.stride[dimension - 1];
    }
    map.mode = tensor.isWindows() ? gpu::simt::TensorMode::Windows : gpu::simt::TensorMode::Tiled;
    const auto corner = [](std::int64_t value) { return static_cast<std::int16_t>(value); };
    std::transform(tensor.lower.begin(), tensor.lower.end(), map.lower.begin(), corner);
    std::transform(tensor.upper.begin(), tensor.upper.end(), map.upper.begin(), corner);
    const auto bytes = gpu::simt::encodeTensorMap(map);
    if (!bytes)
        return bytes.error();
    return gpu::TensorMapArg{*bytes};
}

Result<void> KernelBuffers::refill()
{
    for (std::size_t at = 0; at < m_arguments.size(); ++at) {
        if (!m_arguments[at].value.isBuffer())
            continue;
        if (auto filled = fill(at); !filled)
            return filled;
    }
    return {};
}

Result<void> KernelBuffers::fill(std::size_t at)
{
    const KernelArgument& argument = m_arguments[at].value;
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
                return Error{"cannot-read", "'" + argument.inFile + "' cannot be read to its end",
                             place(m_arguments[at].argument), "check that the file is not changed while ridge runs"};
        } else {
            bytes = fillElements(argument, first, count);
        }
        if (auto copied = m_device->copyToDevice({address + first * size}, bytes); !copied)
            return copied;
    }
    return {};
}

Result<KernelBuffers::Contents> KernelBuffers::contents() const
{
    Contents contents(m_arguments.size());
    for (std::size_t at = 0; at < m_arguments.size(); ++at) {
        const KernelArgument& argument = m_arguments[at].value;
        if (!argument.isBuffer())
            continue;
        const std::uint64_t size = sizeOf(argument.type);
        const std::uint64_t elements = std::min<std::uint64_t>(argument.count, kComparedBytes / size);
        contents[at].resize(static_cast<std::size_t>(elements * size));
        const std::uint64_t address = std::get<gpu::DevicePtr>(m_values[at]).address;
        if (contents[at].empty())
            continue;
        if (auto copied = m_device->copyToHost(contents[at], {address}); !copied)
            return copied.error();
    }
    return contents;
}

Result<Json> KernelBuffers::changesSince(const Contents& before) const
{
    const auto after = contents();
    if (!after)
        return after.error();
    Json buffers = Json::array();
    for (std::size_t at = 0; at < m_arguments.size(); ++at) {
        const KernelArgument& argument = m_arguments[at].value;
        if (!argument.isBuffer())
            continue;
        Json buffer = contentsToJson(argument, before[at], (*after)[at]);
        buffer["argument"] = m_arguments[at].argument + 1;
        buffer["spec"] = argument.text;
        buffers.push_back(std::move(buffer));
    }
    return buffers;
}

Result<std::vector<KernelBuffers::Written>> KernelBuffers::writeFiles()
{
    std::vector<Written> written;
    for (std::size_t at = 0; at < m_arguments.size(); ++at) {
        const KernelArgument& argument = m_arguments[at].value;
        if (argument.outFile.empty())
            continue;
        const auto fail = [&] {
            return Error{"cannot-write", "'" + argument.outFile + "' cannot be written",
                         place(m_arguments[at].argument), "check the folder, its rights and the room on the disk"};
        };
        const std::uint64_t address = std::get<gpu::DevicePtr>(m_values[at]).address;
        // Beside the goal and renamed at the end: a crash leaves the old file or the new one.
        const fs::path goal = goalOf(argument.outFile);
        const bool inPlace = isWrittenInPlace(goal);
        const fs::path partial = inPlace ? goal : fs::path(goal.string() + ".part");
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
        if (file && !inPlace) {
            if (fs::exists(goal, code))
                fs::permissions(partial, fs::status(goal, code).permissions(), code);
            fs::rename(partial, goal, code);
        }
        if (!file || code) {
            if (!inPlace)
                fs::remove(partial, code);
            return fail();
        }
        written.push_back({argument.outFile, argument.bytes()});
    }
    return written;
}

} // namespace ridge::labs
