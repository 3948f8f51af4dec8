// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/debug_build.h"
#include "gpu/compile/backend.h"
#include "gpu/compile/child_process.h"
#include "gpu/compile/child_source.h"
#include "gpu/compile/diagnostics.h"
#include "gpu/compile/search.h"

#include <charconv>
#include <fmt/core.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

Error unusable(const fs::path& nvcc, const std::string& why)
{
    return Error{"unusable", fmt::format("{}: {}", nvcc.string(), why), nvcc.string(),
                 "repair the CUDA toolkit, or name another nvcc in RIDGE_NVCC"};
}

Found find()
{
    std::vector<fs::path> folders = foldersOf(environment("PATH"));
    for (const auto& toolkit : toolkitFolders())
        folders.push_back(toolkit / "bin");
    return findNamed("RIDGE_NVCC", folders, {"nvcc"}, "no nvcc found; install the CUDA toolkit");
}

/// "Cuda compilation tools, release 13.0, V13.0.88" → "13.0"
Result<std::string> version(const fs::path& nvcc)
{
    const auto child = runChild({nvcc, {"--version"}, {}, 20});
    if (!child)
        return unusable(nvcc, child.error().message);
    constexpr std::string_view mark = "release ";
    const auto start = child->out.find(mark);
    if (child->exitCode != 0 || start == std::string::npos)
        return unusable(nvcc, "does not answer --version like an nvcc");
    const auto from = start + mark.size();
    return child->out.substr(from, child->out.find_first_not_of("0123456789.", from) - from);
}

/// "compute_75\ncompute_80\n…"
std::vector<int> architectures(const fs::path& nvcc)
{
    const auto child = runChild({nvcc, {"--list-gpu-arch"}, {}, 20});
    std::vector<int> known;
    if (!child || child->exitCode != 0)
        return known;
    constexpr std::string_view mark = "compute_";
    for (auto at = child->out.find(mark); at != std::string::npos; at = child->out.find(mark, at + 1)) {
        int value = 0;
        const char* from = child->out.data() + at + mark.size();
        if (std::from_chars(from, child->out.data() + child->out.size(), value).ec == std::errc{})
            known.push_back(value);
    }
    return known;
}

Result<Compiled> compileWith(const fs::path& nvcc, const KernelSource& source, int sm, const CompileOptions& options)
{
    const auto release = version(nvcc);
    if (!release)
        return release.error();
    const auto arch = newestNotAbove(architectures(nvcc), sm);
    if (!arch)
        return unusable(nvcc, fmt::format("nvcc {} compiles for newer chips than sm_{}", *release, sm));
    const std::string name = archName(source, *arch);
    ChildArgs args;
    args.exact = options.exact;
    args.toPtx = {"-ptx",
                  "-arch=compute_" + name,
                  "-std=c++17",
                  wantsDebugBuild(source.text) ? "-G" : "-lineinfo",
                  "--expt-relaxed-constexpr",
                  "--extended-lambda",
                  options.exact ? "-fmad=false" : "-fmad=true"};
    args.includeFolders = wholeFileFolders(options);
    for (const fs::path& folder : args.includeFolders)
        args.toPtx.push_back("-I" + folder.string());
    args.toPtx.emplace_back("-o");
    if (options.machineCode && *arch == sm) {
        args.cubinArch = "sm_" + name;
        args.toCubin = {"-cubin", "-arch=" + args.cubinArch, "-lineinfo"};
        if (options.exact)
            args.toCubin.emplace_back("-Xptxas=-fmad=false");
        args.toCubin.emplace_back("-o");
    }
    args.stop = options.stop;
    return compileInChild("nvcc", nvcc, *release, source, std::move(args));
}

/// CUDA's own headers beside bin/, and what nvcc reads the others with: the compiler of the host.
std::string inputs(const fs::path& nvcc, bool headers)
{
    if (!headers)
        return {};
    std::error_code problem;
    const fs::path toolkit = fs::weakly_canonical(nvcc, problem).parent_path().parent_path();
    std::string all = identityOfTree(toolkit / "include");
    const std::string named = environment("NVCC_CCBIN");
    const auto hosts =
        named.empty() ? executables(foldersOf(environment("PATH")), "g++") : std::vector<fs::path>{named};
    if (!hosts.empty())
        all += "|" + identityOf(hosts.front());
    return all;
}

} // namespace

const Backend kNvcc{"nvcc", CompilerChoice::Nvcc, find, version, compileWith, inputs};

} // namespace ridge::gpu
