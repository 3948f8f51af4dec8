// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/kernel_source.h"

#include "base/hash.h"
#include "base/paths.h"
#include "gpu/simt/ptx/module.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <regex>

namespace ridge::labs {
namespace {

namespace fs = std::filesystem;

/// "coalescing/01_strided_read.cu" for a file below kernels/ of the data folder, else the path as given.
std::string nameOf(const std::string& path)
{
    std::error_code code;
    const auto data = dataFolder();
    const fs::path full = fs::weakly_canonical(path, code);
    if (!data || code)
        return path;
    const fs::path relative = full.lexically_relative(fs::weakly_canonical(*data / "kernels", code));
    const bool below = !relative.empty() && *relative.begin() != ".." && *relative.begin() != ".";
    return below && !code ? relative.generic_string() : path;
}

std::string parentOf(const std::string& path)
{
    std::error_code code;
    const fs::path full = fs::absolute(path, code);
    return code ? std::string() : full.parent_path().string();
}

/// Where the matching '<' of a '>' at the end of `text` is, or npos.
std::size_t openingAngle(std::string_view text)
{
    int depth = 0;
    for (std::size_t at = text.size(); at-- > 0;) {
        depth += text[at] == '>' ? 1 : text[at] == '<' ? -1 : 0;
        if (depth == 0)
            return at;
    }
    return std::string_view::npos;
}

/// "ns::scale<float>" of "void ns::scale<float>(float*, int)": a demangler's own form, without its parameters.
std::string qualifiedName(std::string_view plain)
{
    int depth = 0;
    std::size_t end = plain.size(), begin = 0;
    for (std::size_t at = 0; at < plain.size(); ++at) {
        const char c = plain[at];
        if (c == '<')
            ++depth;
        else if (c == '>')
            --depth;
        else if (c == ' ' && depth == 0)
            begin = at + 1;
        else if (c == '(' && depth == 0 && !plain.substr(at).starts_with("(anonymous namespace)")) {
            end = at;
            break;
        } else if (c == '(' && depth == 0) {
            at += std::string_view("(anonymous namespace").size();
        }
    }
    return std::string(plain.substr(begin, end - begin));
}

/// A name as a demangler would write it, without blanks: "a::t<unsignedint,5>" of "::a::t< unsigned, 5u >".
std::string canonical(const std::string& text)
{
    static const std::regex lone("\\bunsigned\\b(?!\\s+(char|short|int|long)\\b)"), suffix("\\b([0-9]+)[uUlL]+\\b"),
        global("(^|[^\\w>)])::"), blank("\\s+");
    std::string out = std::regex_replace(text, lone, "unsigned int");
    out = std::regex_replace(out, suffix, "$1");
    out = std::regex_replace(out, global, "$1");
    return std::regex_replace(out, blank, "");
}

bool answersTo(const KernelSignature& kernel, const std::string& asked)
{
    const std::string wanted = canonical(asked);
    const std::size_t skipped = kernel.plain.starts_with("void ") ? 5 : 0;
    if (canonical(kernel.plain) == wanted || canonical(kernel.plain.substr(skipped)) == wanted)
        return true;
    std::string name = canonical(qualifiedName(kernel.plain));
    std::string bare = name;
    if (!bare.empty() && bare.back() == '>' && openingAngle(bare) != std::string::npos)
        bare.resize(openingAngle(bare));
    const auto last = [](const std::string& text) {
        const auto angle = text.find('<');
        const auto at = text.rfind("::", angle);
        return at == std::string::npos ? text : text.substr(at + 2);
    };
    return name == wanted || bare == wanted || last(name) == wanted || last(bare) == wanted;
}

/// Whether an included library brought the kernel (CUB's headers have an empty one), not the file.
bool isOfLibrary(const KernelSignature& kernel)
{
    const std::string name = qualifiedName(kernel.plain);
    return std::ranges::any_of(std::array{"cub::", "thrust::", "cuda::"},
                               [&](const char* space) { return name.starts_with(space); });
}

std::string listed(const std::vector<KernelSignature>& kernels)
{
    std::string text;
    for (const KernelSignature& kernel : kernels)
        text +=
            (text.empty() ? "" : ", ") + kernel.plain + (kernel.plain == kernel.name ? "" : " (" + kernel.name + ")");
    return text;
}

/// Errors: "cannot-read" (empty file). The program is complete where the file is PTX already.
Result<gpu::Program> withoutCompiler(const KernelText& source)
{
    if (source.text.find_first_not_of(" \t\r\n") == std::string::npos)
        return Error{"cannot-read", "the file is empty", source.path, "give CUDA C++ (.cu) or PTX (.ptx)"};
    return gpu::Program{source.path, source.text, "", "ptx", "", sha256Hex(source.text)};
}

/// Whether an #include <name> names a header that lies in the folder.
bool includesFrom(const std::string& folder, const std::string& text)
{
    static const std::regex angled("(?:^|\\n)[ \\t]*#[ \\t]*include[ \\t]*<([^>\\n]+)>");
    std::error_code code;
    for (std::sregex_iterator at(text.begin(), text.end(), angled), end; at != end && !folder.empty(); ++at)
        if (fs::is_regular_file(fs::path(folder) / (*at)[1].str(), code))
            return true;
    return false;
}

gpu::CompileOptions optionsFor(const KernelText& source, bool exact, const gpu::StopRequested& stop)
{
    gpu::CompileOptions options;
    options.exact = exact;
    options.stop = stop;
    options.wholeFile = true;
    const std::string folder = parentOf(source.path);
    if (source.text.find("#include \"") != std::string::npos || includesFrom(folder, source.text))
        options.includeFolder = folder;
    return options;
}

} // namespace

std::string demangled(const std::string& name)
{
    if (!name.starts_with("_Z")) // "f" would be a float: types are mangled, too
        return name;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return status == 0 && text ? std::string(text.get()) : name;
}

std::string inPlainWords(std::string text, const KernelSignature& kernel)
{
    if (kernel.name == kernel.plain)
        return text;
    for (auto at = text.find(kernel.name); at != std::string::npos;
         at = text.find(kernel.name, at + kernel.plain.size()))
        text.replace(at, kernel.name.size(), kernel.plain);
    return text;
}

Result<gpu::Program> programOf(const KernelText& source, int sm, bool exact, const gpu::StopRequested& stop)
{
    auto asItIs = withoutCompiler(source);
    if (!asItIs || source.isPtx)
        return asItIs;
    return gpu::compile({nameOf(source.path), source.text}, sm / 10, sm % 10, optionsFor(source, exact, stop));
}

Result<gpu::Program> programOf(const KernelText& source, const gpu::DeviceInfo& device, bool exact,
                               const gpu::StopRequested& stop)
{
    auto asItIs = withoutCompiler(source);
    if (!asItIs || source.isPtx)
        return asItIs;
    return gpu::compile({nameOf(source.path), source.text}, device, optionsFor(source, exact, stop));
}

Result<std::vector<KernelSignature>> signaturesOf(const gpu::Program& program)
{
    const auto module = gpu::simt::parsePtx(program.ptx);
    if (!module) {
        Error error = module.error();
        error.place = program.name + (error.place.empty() ? "" : ", " + error.place);
        return error;
    }
    std::vector<KernelSignature> kernels;
    for (const gpu::simt::Function& function : module->functions) {
        if (!function.isEntry || !function.hasBody)
            continue;
        KernelSignature kernel{std::string(function.name), demangled(std::string(function.name)), {}};
        for (const gpu::simt::Variable& parameter : function.parameters) {
            const unsigned element = std::max(gpu::simt::sizeOf(parameter.type), 1u);
            std::string type = "." + std::string(gpu::simt::toText(parameter.type));
            if (parameter.bytes != element)
                type += "[" + std::to_string(parameter.bytes / element) + "]";
            kernel.parameters.push_back({std::string(parameter.name), std::move(type), parameter.bytes});
        }
        kernels.push_back(std::move(kernel));
    }
    return kernels;
}

std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint32_t>>
instructionsPerLine(const gpu::Program& program)
{
    std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint32_t>> lines;
    const auto module = gpu::simt::parsePtx(program.ptx);
    if (!module)
        return lines;
    for (const gpu::simt::Function& function : module->functions) {
        if (!function.isEntry)
            continue;
        for (const gpu::simt::Statement& statement : function.body)
            if (const auto* instruction = std::get_if<gpu::simt::Instruction>(&statement))
                lines[{demangled(std::string(function.name)), instruction->sourceLine}].push_back(
                    instruction->place.line);
    }
    return lines;
}

namespace {

/// The parameters, as they are written, of the template whose name is the last part of `wanted`.
std::optional<std::string> parametersOfTemplate(const std::string& wanted, const std::string& text)
{
    std::string name = wanted.substr(0, wanted.find_first_of("<("));
    if (const auto colons = name.rfind("::"); colons != std::string::npos)
        name = name.substr(colons + 2);
    while (!name.empty() && name.back() == ' ')
        name.pop_back();
    const bool isName =
        !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (!isName)
        return std::nullopt;
    // From template to the name, with __global__ between and no end of another declaration.
    const std::regex declared("template\\s*<[^;{}]*>[^;{}]*__global__[^;{}]*\\b" + name + "\\s*\\(([^)]*)\\)");
    std::smatch found;
    if (!std::regex_search(text, found, declared))
        return std::nullopt;
    return std::regex_replace(found[1].str(), std::regex("\\s+"), " ");
}

std::string instanceName(const std::string& wanted)
{
    std::string name = wanted;
    int depth = 0;
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        depth += wanted[at] == '<' ? 1 : wanted[at] == '>' ? -1 : 0;
        if (wanted[at] == '(' && depth == 0) {
            name.resize(at);
            break;
        }
    }
    return name;
}

} // namespace

Error withTemplateAdvice(Error error, const std::string& wanted, const std::string& text)
{
    const auto parameters = error.code == "kernel-not-found" ? parametersOfTemplate(wanted, text) : std::nullopt;
    if (!parameters)
        return error;
    const bool isInstance = wanted.find('<') != std::string::npos;
    const std::string name = wanted.substr(0, wanted.find_first_of("<("));
    const std::string instance = isInstance ? instanceName(wanted) : name + "<…>";
    error.message = "'" + name + "' is a template, and the file has no instance " + instance;
    error.fix = (isInstance ? "add a line" : "name one, as --kernel '" + name + "<float>', or add a line") +
                std::string(" that makes one, with the types of its parameters: template __global__ void ") + instance +
                "(" + *parameters + "); " + error.fix;
    return error;
}

std::optional<KernelText> withInstance(const KernelText& source, const std::string& wanted)
{
    const bool isPlain = wanted.find_first_of(";{}#\"\\\n") == std::string::npos;
    if (source.isPtx || !isPlain || wanted.find('<') == std::string::npos || !parametersOfTemplate(wanted, source.text))
        return std::nullopt;
    // Its type says the parameters, whatever the arguments of the template make of them.
    const std::string name = instanceName(wanted);
    KernelText with = source;
    with.text += "\ntemplate __global__ decltype(" + name + ") " + name + ";\n";
    return with;
}

Result<KernelSignature> kernelOf(const gpu::Program& program, const std::string& wanted, const std::string& file)
{
    const auto kernels = signaturesOf(program);
    if (!kernels)
        return kernels.error();
    return chooseKernel(*kernels, wanted, file);
}

Result<KernelSignature> chooseKernel(const std::vector<KernelSignature>& kernels, const std::string& wanted,
                                     const std::string& file)
{
    if (kernels.empty())
        return Error{"kernel-not-found", "the file has no kernel", file,
                     "mark a function with __global__; a template needs an instance: template __global__ void "
                     "name<float>(…);"};
    if (wanted.empty()) {
        std::vector<KernelSignature> own;
        std::ranges::copy_if(kernels, std::back_inserter(own), std::not_fn(isOfLibrary));
        if (own.empty())
            own = kernels;
        if (own.size() == 1)
            return own.front();
        return Error{"kernel-not-found", "the file has " + std::to_string(own.size()) + " kernels", file,
                     "choose one with --kernel: " + listed(own)};
    }
    std::vector<KernelSignature> fitting;
    for (const KernelSignature& kernel : kernels) {
        if (kernel.name == wanted)
            return kernel;
        if (answersTo(kernel, wanted))
            fitting.push_back(kernel);
    }
    if (fitting.size() == 1)
        return fitting.front();
    if (fitting.empty())
        return Error{"kernel-not-found", "there is no kernel '" + wanted + "'", file, "it has " + listed(kernels)};
    return Error{"kernel-not-found", "'" + wanted + "' fits " + std::to_string(fitting.size()) + " kernels", file,
                 "name one of them whole: " + listed(fitting)};
}

std::string compilerText(const gpu::Program& program)
{
    if (program.compiler != "ptx")
        return program.compiler + (program.compilerVersion.empty() ? "" : " " + program.compilerVersion);
    const std::string_view text(program.ptx);
    for (const std::string_view mark : {"// Cuda compilation tools", "// Generated by LLVM NVPTX"}) {
        const auto at = text.substr(0, 2000).find(mark);
        if (at != std::string_view::npos)
            return "ptx (" + std::string(text.substr(at + 3, text.find_first_of("\r\n", at) - at - 3)) + ")";
    }
    return "ptx";
}

} // namespace ridge::labs
