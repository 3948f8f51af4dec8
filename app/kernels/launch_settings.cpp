// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/launch_settings.h"

#include "base/json.h"
#include "base/struct_argument.h"

#include <algorithm>
#include <sstream>

namespace ridge::app {
namespace {

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == std::string::npos ? std::string()
                                      : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Comments as blanks, so that every other character keeps its place.
std::string withoutComments(std::string text)
{
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        if (text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*'))
            continue;
        const bool line = text[at + 1] == '/';
        std::size_t end = line ? text.find('\n', at) : text.find("*/", at + 2);
        end = end == std::string::npos ? text.size() : end + (line ? 0 : 2);
        for (; at < end; ++at)
            if (text[at] != '\n')
                text[at] = ' ';
        --at;
    }
    return text;
}

/// "a, b<c, d>" at its commas outside of brackets.
std::vector<std::string> splitList(const std::string& text)
{
    std::vector<std::string> parts;
    std::string part;
    int depth = 0;
    for (const char c : text) {
        depth += c == '<' || c == '(' || c == '[' ? 1 : c == '>' || c == ')' || c == ']' ? -1 : 0;
        if (c == ',' && depth == 0) {
            parts.push_back(trimmed(part));
            part.clear();
        } else {
            part += c;
        }
    }
    if (!trimmed(part).empty())
        parts.push_back(trimmed(part));
    return parts;
}

/// The text between the bracket at `open` and its partner.
std::optional<std::string> bracketed(const std::string& text, std::size_t open)
{
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (depth == 0)
            return text.substr(open + 1, at - open - 1);
    }
    return std::nullopt;
}

/// "scale<float>" of "void ns::scale<float>(float*, int)".
std::string bareName(const std::string& kernel)
{
    int depth = 0;
    std::size_t begin = 0, end = kernel.size();
    for (std::size_t at = 0; at < kernel.size(); ++at) {
        const char c = kernel[at];
        depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (depth == 0 && c == ' ')
            begin = at + 1;
        if (depth == 0 && c == '(') {
            end = at;
            break;
        }
    }
    return kernel.substr(begin, end - begin);
}

/// What stands between the brackets behind the kernel's name in the source, parameter by parameter; empty: not found.
std::vector<std::string> declaredParameters(const std::string& source, const std::string& bare)
{
    std::string name = bare.substr(0, bare.find('<'));
    if (const auto colons = name.rfind("::"); colons != std::string::npos)
        name = name.substr(colons + 2);
    for (std::size_t at = source.find(name); at != std::string::npos; at = source.find(name, at + 1)) {
        const std::size_t open = source.find_first_not_of(" \t\r\n", at + name.size());
        if ((at > 0 && isWord(source[at - 1])) || open == std::string::npos || source[open] != '(')
            continue;
        const auto before = source.find_last_of(";}", at);
        const std::string head = source.substr(before == std::string::npos ? 0 : before + 1,
                                               at - (before == std::string::npos ? 0 : before + 1));
        if (head.find("__global__") == std::string::npos)
            continue;
        if (const auto inside = bracketed(source, open))
            return splitList(*inside);
    }
    return {};
}

std::string withoutWord(std::string text, const std::string& word)
{
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at))
        if ((at > 0 && isWord(text[at - 1])) || (at + word.size() < text.size() && isWord(text[at + word.size()])))
            at += word.size();
        else
            text.erase(at, word.size());
    return text;
}

std::optional<DataType> elementOf(const std::string& type)
{
    std::string words;
    for (const char c : type)
        words += c == '*' || c == '&' ? ' ' : c;
    for (const char* word : {"const", "volatile", "__restrict__", "__restrict", "std::", "struct"})
        words = std::string(word) == "std::" ? words : withoutWord(words, word);
    std::istringstream in(words);
    std::string base;
    for (std::string word; in >> word;)
        base += (base.empty() ? "" : " ") + word;
    if (base.rfind("std::", 0) == 0)
        base = base.substr(5);
    static const std::vector<std::pair<const char*, DataType>> known{
        {"float", DataType::F32},
        {"float2", DataType::F32},
        {"float3", DataType::F32},
        {"float4", DataType::F32},
        {"double", DataType::F64},
        {"double2", DataType::F64},
        {"__half", DataType::F16},
        {"half", DataType::F16},
        {"__half2", DataType::F16},
        {"half2", DataType::F16},
        {"__nv_bfloat16", DataType::BF16},
        {"__nv_bfloat162", DataType::BF16},
        {"char", DataType::I8},
        {"signed char", DataType::I8},
        {"int8_t", DataType::I8},
        {"bool", DataType::U8},
        {"unsigned char", DataType::U8},
        {"uint8_t", DataType::U8},
        {"short", DataType::I16},
        {"int16_t", DataType::I16},
        {"unsigned short", DataType::U16},
        {"uint16_t", DataType::U16},
        {"int", DataType::I32},
        {"int32_t", DataType::I32},
        {"int2", DataType::I32},
        {"int4", DataType::I32},
        {"unsigned", DataType::U32},
        {"unsigned int", DataType::U32},
        {"uint", DataType::U32},
        {"uint32_t", DataType::U32},
        {"uint2", DataType::U32},
        {"uint4", DataType::U32},
        {"long", DataType::I64},
        {"long long", DataType::I64},
        {"int64_t", DataType::I64},
        {"unsigned long", DataType::U64},
        {"unsigned long long", DataType::U64},
        {"uint64_t", DataType::U64},
        {"size_t", DataType::U64},
    };
    for (const auto& [name, element] : known)
        if (base == name)
            return element;
    return std::nullopt;
}

void readType(const std::string& type, KernelParameterInfo& into)
{
    into.type = type;
    into.isPointer = type.find('*') != std::string::npos || type.find('[') != std::string::npos;
    const auto star = type.find('*');
    into.isConst = withoutWord(type.substr(0, star), "const") != type.substr(0, star);
    into.element = elementOf(type.substr(0, type.find('[')));
}

/// "const float* __restrict__ in = nullptr" into type and name.
void readDeclaration(std::string text, KernelParameterInfo& into)
{
    text = trimmed(text.substr(0, text.find('=')));
    std::size_t end = text.find('[') == std::string::npos ? text.size() : text.find('[');
    while (end > 0 && !isWord(text[end - 1]))
        --end;
    std::size_t begin = end;
    while (begin > 0 && isWord(text[begin - 1]))
        --begin;
    into.name = text.substr(begin, end - begin);
    std::string type = trimmed(text.substr(0, begin) + (text.find('[') != std::string::npos ? "*" : ""));
    for (const char* word : {"__restrict__", "__restrict", "__grid_constant__"})
        type = trimmed(withoutWord(type, word));
    readType(type, into);
}

std::uint64_t volume(const std::string& text)
{
    const auto sizes = dimensionsFromText(text, "");
    return sizes ? (*sizes)[0] * (*sizes)[1] * (*sizes)[2] : 0;
}

std::optional<std::uint64_t> count(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>())
                                                              : std::nullopt;
}

std::string quoted(const std::string& word)
{
    const bool plain = !word.empty() && word.find_first_of(" ()<>*;&|$'\"\\`!?[]{}#~") == std::string::npos;
    std::string out = "'";
    for (const char c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return plain ? word : out + "'";
}

std::string sizesText(const std::array<std::uint64_t, 3>& sizes)
{
    std::string text = std::to_string(sizes[0]);
    if (sizes[1] != 1 || sizes[2] != 1)
        text += "," + std::to_string(sizes[1]);
    if (sizes[2] != 1)
        text += "," + std::to_string(sizes[2]);
    return text;
}

} // namespace

Json toJson(const LaunchSettings& launch)
{
    return Json{{"grid", launch.grid},
                {"block", launch.block},
                {"cluster", launch.cluster},
                {"shared_bytes", launch.sharedBytes},
                {"args", launch.args},
                {"exact", launch.exact},
                {"functional", launch.functional},
                {"check", launch.check},
                {"check_global", launch.checkGlobal},
                {"seconds", launch.seconds},
                {"memory_mib", launch.memoryMiB}};
}

LaunchSettings launchFromJson(const Json& json)
{
    LaunchSettings launch;
    if (!json.is_object())
        return launch;
    const auto text = [&](const char* key, std::string& into) {
        if (const auto found = json.find(key); found != json.end() && found->is_string())
            into = found->get<std::string>();
    };
    const auto flag = [&](const char* key, bool& into) {
        if (const auto found = json.find(key); found != json.end() && found->is_boolean())
            into = found->get<bool>();
    };
    text("grid", launch.grid);
    text("block", launch.block);
    text("cluster", launch.cluster);
    launch.sharedBytes = count(json, "shared_bytes").value_or(0);
    if (const auto args = json.find("args"); args != json.end() && args->is_array())
        for (const Json& arg : *args)
            launch.args.push_back(arg.is_string() ? arg.get<std::string>() : std::string());
    flag("exact", launch.exact);
    flag("functional", launch.functional);
    flag("check", launch.check);
    flag("check_global", launch.checkGlobal);
    if (const auto found = json.find("seconds"); found != json.end() && found->is_number())
        launch.seconds = std::clamp(found->get<double>(), 1.0, 3600.0);
    launch.memoryMiB =
        static_cast<std::int64_t>(std::clamp<std::uint64_t>(count(json, "memory_mib").value_or(4096), 256, 65536));
    return launch;
}

std::vector<CompiledKernel> kernelsOf(const Json& document, const std::string& source)
{
    std::vector<CompiledKernel> kernels;
    const std::string code = withoutComments(source);
    for (const Json& item : document.value("kernels", Json::array())) {
        CompiledKernel kernel;
        kernel.kernel = item.value("kernel", std::string());
        kernel.bare = bareName(kernel.kernel);
        const auto declared = declaredParameters(code, kernel.bare);
        std::vector<std::string> mangled;
        if (const auto open = kernel.kernel.find(kernel.bare + "("); open != std::string::npos)
            if (const auto inside = bracketed(kernel.kernel, open + kernel.bare.size()))
                mangled = splitList(*inside);
        const Json parameters = item.value("parameters", Json::array());
        for (std::size_t at = 0; at < parameters.size(); ++at) {
            KernelParameterInfo info;
            if (declared.size() == parameters.size())
                readDeclaration(declared[at], info);
            const std::string name = info.name;
            // A template's parameter is called T in the source; the compiler says what it became.
            if (!info.element && mangled.size() == parameters.size())
                readType(mangled[at], info);
            info.name = name.empty() ? "argument " + std::to_string(at + 1) : name;
            info.bytes = parameters[at].value("bytes", std::uint64_t{8});
            kernel.parameters.push_back(std::move(info));
        }
        kernel.registers = count(item, "registers");
        kernel.sharedBytes = count(item, "shared_bytes");
        kernel.instructions = count(item, "machine_instructions");
        kernels.push_back(std::move(kernel));
    }
    return kernels;
}

bool isByValue(const KernelParameterInfo& parameter)
{
    const std::uint64_t bytes = parameter.bytes;
    const bool isWord = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    return bytes != 0 && !parameter.isPointer &&
           (!isWord || (parameter.element && sizeOf(*parameter.element) != bytes));
}

std::string defaultSpec(const KernelParameterInfo& parameter, std::size_t index, std::uint64_t threads)
{
    const std::string elements = std::to_string(std::max<std::uint64_t>(threads, 1));
    if (parameter.isPointer || (parameter.type.empty() && parameter.bytes == 8)) {
        const std::string type(toText(parameter.element.value_or(DataType::F32)));
        if (parameter.isConst)
            return "in:" + type + ":" + elements + ":rand(" + std::to_string(index + 1) + ")";
        return "out:" + type + ":" + elements;
    }
    if (isByValue(parameter)) {
        // Nothing tells the fields; these have the size of the whole.
        const std::uint64_t bytes = parameter.bytes;
        const DataType word = parameter.element && bytes % sizeOf(*parameter.element) == 0 ? *parameter.element
                              : bytes % 8 == 0                                             ? DataType::U64
                              : bytes % 4 == 0                                             ? DataType::U32
                                                                                           : DataType::U8;
        return "struct:{" + std::to_string(bytes / sizeOf(word)) + "*" + std::string(toText(word)) + ":0}";
    }
    const DataType type = parameter.element.value_or(parameter.bytes == 8   ? DataType::U64
                                                     : parameter.bytes == 2 ? DataType::U16
                                                     : parameter.bytes == 1 ? DataType::U8
                                                                            : DataType::I32);
    static const std::vector<std::string> lengths{"n",   "count", "size",     "length",     "len",
                                                  "num", "total", "elements", "numElements"};
    const bool isLength = !isFloat(type) && std::find(lengths.begin(), lengths.end(), parameter.name) != lengths.end();
    return std::string(toText(type)) + ":" + (isLength ? elements : "1");
}

std::uint64_t threadsOf(const LaunchSettings& launch)
{
    return volume(launch.grid) * volume(launch.block);
}

Result<KernelRunRequest> requestOf(const LaunchSettings& launch, KernelText source, const std::string& kernel,
                                   const std::string& target)
{
    KernelRunRequest request;
    const auto grid = dimensionsFromText(launch.grid, "Grid");
    if (!grid)
        return grid.error();
    const auto block = dimensionsFromText(launch.block, "Block");
    if (!block)
        return block.error();
    if (!trimmed(launch.cluster).empty()) {
        const auto cluster = dimensionsFromText(launch.cluster, "Cluster");
        if (!cluster)
            return cluster.error();
        request.cluster = *cluster;
        request.nonPortableCluster = (*cluster)[0] * (*cluster)[1] * (*cluster)[2] > 8;
    }
    for (std::size_t at = 0; at < launch.args.size(); ++at)
        if (const auto argument = checkArgumentText(launch.args[at], at + 1); !argument)
            return argument.error();
    request.source = std::move(source);
    request.kernel = kernel;
    request.grid = *grid;
    request.block = *block;
    request.dynamicSharedBytes = launch.sharedBytes;
    request.args = launch.args;
    request.target = target;
    request.exact = launch.exact;
    request.functional = launch.functional;
    request.check = launch.check;
    request.checkGlobal = launch.checkGlobal;
    request.limits = {launch.seconds, launch.memoryMiB};
    return request;
}

Result<std::uint64_t> blockFromText(std::string_view text, const std::array<std::uint64_t, 3>& grid)
{
    const std::string there = "the grid has blocks (0, 0, 0) to (" + std::to_string(grid[0] - 1) + ", " +
                              std::to_string(grid[1] - 1) + ", " + std::to_string(grid[2] - 1) + "), numbered 0 to " +
                              std::to_string(grid[0] * grid[1] * grid[2] - 1);
    const auto refused = [&](const std::string& what) {
        return Error{"bad-argument", what + "; " + there, "block “" + std::string(text) + "”",
                     "Write a number like 5, or x,y,z of blockIdx."};
    };
    std::vector<std::uint64_t> numbers;
    bool inNumber = false;
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9';
        if (digit && !inNumber)
            numbers.push_back(0);
        if (digit && numbers.back() > 1'000'000'000'000)
            return refused("there is no such block");
        if (digit)
            numbers.back() = numbers.back() * 10 + static_cast<std::uint64_t>(c - '0');
        else if (c != ' ' && c != ',' && c != '(' && c != ')')
            return refused("that names no block");
        inNumber = digit;
    }
    if (numbers.size() > 3)
        return refused("that names no block");
    if (numbers.size() <= 1) {
        const std::uint64_t linear = numbers.empty() ? 0 : numbers[0];
        return linear < grid[0] * grid[1] * grid[2] ? Result<std::uint64_t>(linear)
                                                    : refused("there is no block " + std::to_string(linear));
    }
    numbers.resize(3, 0);
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (numbers[axis] >= grid[axis])
            return refused("there is no block (" + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) +
                           ", " + std::to_string(numbers[2]) + ")");
    return numbers[0] + grid[0] * (numbers[1] + grid[1] * numbers[2]);
}

/// NAME=SPEC: what a variable of the program holds.
static bool isSymbolText(const std::string& arg)
{
    const auto equals = arg.find('=');
    const auto colon = arg.find(':');
    // Colons of a name come in twos.
    return equals < std::min(colon, arg.find('{')) || (equals < arg.find('{') && colon == arg.find("::"));
}

std::string commandLineOf(const KernelRunRequest& request)
{
    std::string line = "ridge kernel run " + quoted(request.source.path);
    if (!request.kernel.empty())
        line += " --kernel " + quoted(request.kernel);
    line += " --grid " + sizesText(request.grid) + " --block " + sizesText(request.block);
    if (request.cluster[0] != 0)
        line += " --cluster " + sizesText(request.cluster);
    if (request.nonPortableCluster)
        line += " --non-portable-cluster";
    if (request.dynamicSharedBytes != 0)
        line += " --smem " + std::to_string(request.dynamicSharedBytes);
    for (const std::string& arg : request.args)
        line += (isSymbolText(arg) ? " --set-symbol " : " --arg ") + quoted(arg);
    line += " --target " + request.target;
    for (const auto& [set, flag] :
         {std::pair(request.exact, " --exact"), std::pair(request.functional, " --functional"),
          std::pair(request.check, " --check"), std::pair(request.checkGlobal, " --check-global")})
        line += set ? flag : "";
    return line;
}

std::optional<LaunchSettings> launchInHead(const std::string& source)
{
    const auto at = source.find("// Launch ");
    if (at == std::string::npos)
        return std::nullopt;
    std::string words;
    std::istringstream lines(source.substr(at));
    // The line may go on in the comment below it, as long as that begins with an option.
    for (std::string line; std::getline(lines, line) && line.rfind("//", 0) == 0;) {
        const auto option = line.find("--");
        if (option == std::string::npos)
            break;
        words += line.substr(option) + " ";
    }
    LaunchSettings launch;
    std::istringstream in(words);
    for (std::string option, value; in >> option;) {
        if (option == "--check-global") {
            launch.checkGlobal = true;
        } else if (in >> value) {
            if (option == "--grid")
                launch.grid = value;
            else if (option == "--block")
                launch.block = value;
            else if (option == "--smem")
                launch.sharedBytes = std::strtoull(value.c_str(), nullptr, 10);
            else if (option == "--arg")
                launch.args.push_back(value);
        }
    }
    return launch;
}

} // namespace ridge::app
