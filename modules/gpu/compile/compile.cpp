// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/program.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "gpu/compile/backend.h"
#include "gpu/compile/diagnostics.h"
#include "gpu/compile/ptx_cache.h"
#include "gpu/compile/search.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

/// The order in which Automatic tries them: in-process first, NVIDIA's own before clang.
constexpr std::array<const Backend*, 3> kBackends{&kNvrtc, &kNvcc, &kClang};

struct Named {
    std::string_view text;
    CompilerChoice choice;
};
constexpr std::array<Named, 5> kChoices{Named{"auto", CompilerChoice::Automatic}, Named{"nvrtc", CompilerChoice::Nvrtc},
                                        Named{"nvcc", CompilerChoice::Nvcc}, Named{"clang", CompilerChoice::Clang},
                                        Named{"shipped", CompilerChoice::Shipped}};

constexpr const char* kInstall = "install clang (apt install clang) or the CUDA toolkit";

/// The number behind the first `key`; 0 where there is none.
int smAfter(std::string_view text, std::string_view key)
{
    const std::size_t at = text.find(key);
    int sm = 0;
    if (at != std::string_view::npos)
        std::from_chars(text.data() + at + key.size(), text.data() + text.size(), sm);
    return sm;
}

/// The architecture without which a kernel is empty, as its head says; 0: any will do.
int neededSm(std::string_view text)
{
    return smAfter(text, "\n// Needs     sm_");
}

/// Errors: "compile-failed"; "unusable" with the reason of each instance that was tried.
Result<Program> compileWith(const Backend& backend, const KernelSource& source, int sm, const CompileOptions& options)
{
    const bool cacheable = isCacheable(source, options);
    const Found found = backend.find();
    std::string reasons = found.whyNone;
    for (const auto& tool : found.tools) {
        const std::string key = cacheable ? cacheKey(backend, tool, source, sm, options) : std::string();
        if (auto cached = cacheable ? cachedProgram(key) : std::nullopt)
            return std::move(*cached);
        auto compiled = backend.compile(tool, source, sm, options);
        const int needed = neededSm(source.text);
        if (compiled && smAfter(compiled->arch, "sm_") < needed) {
            reasons += fmt::format("{}version {} makes {}, the kernel needs sm_{}", reasons.empty() ? "" : "; ",
                                   compiled->version, compiled->arch, needed);
            continue;
        }
        if (compiled) {
            Program program{source.name,
                            std::move(compiled->ptx),
                            compiled->arch,
                            std::string(backend.id),
                            compiled->version,
                            sha256Hex(source.text),
                            std::move(compiled->cubin),
                            compiled->cubinArch};
            if (cacheable)
                keepProgram(key, program);
            return program;
        }
        if (compiled.error().code == "compile-failed" || compiled.error().code == "cancelled")
            return compiled.error();
        reasons += (reasons.empty() ? "" : "; ") + compiled.error().message;
    }
    return Error{"unusable", reasons, std::string(backend.id), kInstall};
}

Error noCompiler(const KernelSource& source, int sm, const std::string& reasons, const std::string& fix)
{
    return Error{"no-compiler", fmt::format("no compiler here can compile {} for sm_{} ({})", source.name, sm, reasons),
                 source.name, fix};
}

Result<Program> compileAutomatically(const KernelSource& source, int sm, const CompileOptions& options)
{
    std::string reasons;
    std::optional<Error> refused;
    for (const Backend* backend : kBackends) {
        auto program = compileWith(*backend, source, sm, options);
        if (program || program.error().code == "cancelled")
            return program;
        if (program.error().code == "compile-failed") {
            // nvcc declares more than NVRTC does, and takes several times as long: a missing bracket stays missing.
            const bool mayBeHostCode =
                source.text.find("__CUDACC_RTC__") != std::string::npos || !onlySyntaxErrors(program.error().message);
            if (!options.wholeFile || backend != &kNvrtc || !mayBeHostCode)
                return program;
            refused = program.error();
            continue;
        }
        // NVRTC alone has read the file: what it said stands, whatever clang's own header would miss.
        if (refused && backend == &kNvcc)
            return *refused;
        reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", backend->id, program.error().message);
    }
    auto shipped = shippedProgram(source, sm, options);
    if (shipped)
        return shipped;
    const bool edited = shipped.error().code == "shipped-mismatch";
    return noCompiler(source, sm, fmt::format("{}; shipped: {}", reasons, shipped.error().message),
                      edited ? fmt::format("{}, or restore the shipped source", kInstall) : kInstall);
}

CompilerInfo infoOf(const Backend& backend)
{
    CompilerInfo info{std::string(backend.id), {}, false, {}};
    const Found found = backend.find();
    info.detail = found.whyNone;
    for (const auto& tool : found.tools) {
        const auto version = backend.version(tool);
        if (version) {
            info.version = *version;
            info.available = true;
            info.detail = tool.string();
            return info;
        }
        info.detail += (info.detail.empty() ? "" : "; ") + version.error().message;
    }
    return info;
}

} // namespace

std::vector<fs::path> wholeFileFolders(const CompileOptions& options)
{
    return options.wholeFile ? includeFolders(options.includeFolder) : std::vector<fs::path>();
}

std::string archName(const KernelSource& source, int arch)
{
    const std::string own = fmt::format("\n// Needs     sm_{}a\n", arch);
    return fmt::format("{}{}", arch, source.text.find(own) == std::string::npos ? "" : "a");
}

std::optional<int> newestNotAbove(std::span<const int> known, int sm)
{
    std::optional<int> best;
    for (const int arch : known)
        if (arch <= sm && (!best || arch > *best))
            best = arch;
    return best;
}

Result<CompilerChoice> compilerFromText(std::string_view text)
{
    const auto found = std::ranges::find(kChoices, text, &Named::text);
    if (found == kChoices.end())
        return Error{"unknown-compiler", fmt::format("there is no compiler called “{}”", text), "compiler",
                     "choose auto, nvrtc, nvcc, clang or shipped"};
    return found->choice;
}

std::vector<CompilerInfo> listCompilers()
{
    std::vector<CompilerInfo> all;
    for (const Backend* backend : kBackends)
        all.push_back(infoOf(*backend));
    all.push_back(shippedInfo());
    return all;
}

Result<KernelSource> readKernel(std::string_view name)
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    const fs::path relative(name);
    const bool outside = relative.is_absolute() || std::ranges::find(relative, fs::path("..")) != relative.end();
    if (outside || name.empty())
        return Error{"cannot-read", fmt::format("“{}” is not a kernel below kernels/", name), std::string(name),
                     "name it like coalescing/01_strided_read.cu"};
    auto text = readFile(*data / "kernels" / relative);
    if (!text)
        return text.error();
    return KernelSource{std::string(name), std::move(*text)};
}

Result<Program> compile(const KernelSource& source, int major, int minor, const CompileOptions& options)
{
    const int sm = 10 * major + minor;
    CompilerChoice choice = options.choice;
    if (choice == CompilerChoice::Automatic)
        if (const auto named = environment("RIDGE_COMPILER"); !named.empty()) {
            const auto wanted = compilerFromText(named);
            if (!wanted)
                return Error{wanted.error().code, wanted.error().message, "RIDGE_COMPILER", wanted.error().fix};
            choice = *wanted;
        }
    if (choice == CompilerChoice::Automatic)
        return compileAutomatically(source, sm, options);
    auto program = choice == CompilerChoice::Shipped
                       ? shippedProgram(source, sm, options)
                       : compileWith(**std::ranges::find(kBackends, choice, &Backend::choice), source, sm, options);
    if (!program && program.error().code == "unusable")
        return noCompiler(source, sm, program.error().message, program.error().fix);
    return program;
}

} // namespace ridge::gpu
