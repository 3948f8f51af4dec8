// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "gpu/compile/backend.h"
#include "gpu/compile/child_process.h"
#include "gpu/compile/child_source.h"
#include "gpu/compile/search.h"

#include "base/hash.h"
#include "base/paths.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <regex>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

constexpr int kOldest = 14;
constexpr int kNewestNamed = 22;
constexpr int kGridConstants = 20; ///< the first that gives a parameter's own address

/// What a clang of this major version or newer can be asked for: its newest PTX dialect that knows the architectures
/// (LLVM's NVPTX target description; without the feature clang writes PTX 4.2, which has no shfl.sync).
struct Ability {
    int major;
    const char* ptx;
    std::vector<int> archs;
};

const Ability& abilityOf(int major)
{
    static const std::array<Ability, 2> kAbilities{Ability{16, "+ptx78", {70, 72, 75, 80, 86, 87, 89, 90}},
                                                   Ability{14, "+ptx75", {70, 72, 75, 80, 86}}};
    return major >= 16 ? kAbilities[0] : kAbilities[1];
}

Error unusable(const fs::path& clang, const std::string& why)
{
    return Error{"unusable", fmt::format("{}: {}", clang.string(), why), clang.string(),
                 "install clang 14 or newer (apt install clang), or name one in RIDGE_CLANG"};
}

Result<fs::path> headerFolder()
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    return *data / "assets" / "cuda";
}

/// The system's default first: it is the one that is looked after.
Found find()
{
    std::vector<std::string> names{"clang"};
    for (int major = kNewestNamed; major >= kOldest; --major)
        names.push_back(fmt::format("clang-{}", major));
    return findNamed("RIDGE_CLANG", foldersOf(environment("PATH")), names,
                     "no clang 14 or newer found; apt install clang");
}

/// "Debian clang version 14.0.6" → "14.0.6"
Result<std::string> version(const fs::path& clang)
{
    const auto child = runChild({clang, {"--version"}, {}, 20});
    if (!child)
        return unusable(clang, child.error().message);
    constexpr std::string_view mark = "clang version ";
    const auto start = child->out.find(mark);
    if (child->exitCode != 0 || start == std::string::npos)
        return unusable(clang, "does not answer --version like a clang");
    const auto from = start + mark.size();
    return child->out.substr(from, child->out.find_first_not_of("0123456789.", from) - from);
}

/// Where the parenthesis that opens at `open` closes; strings are passed over. npos where it does not.
std::size_t closing(const std::string& text, std::size_t open)
{
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = open; at < text.size(); ++at) {
        if (quoted && text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            quoted = !quoted;
        else if (!quoted && text[at] == '(')
            ++depth;
        else if (!quoted && text[at] == ')' && --depth == 0)
            return at;
    }
    return std::string::npos;
}

/// asm("mov.u32 %0, %laneid;"): nvcc takes one percent sign before a special register, to clang it is no operand.
void doublePercents(std::string& text)
{
    static const std::regex lone(
        "([^%])%((?:laneid|warpid|nwarpid|smid|nsmid|gridid|n?tid|n?ctaid|lanemask_[a-z]+|clock"
        "(?:64|_hi)?|globaltimer(?:_lo|_hi)?|dynamic_smem_size|total_smem_size)\\b)");
    for (auto at = text.find("asm"); at != std::string::npos; at = text.find("asm", at + 3)) {
        const auto open = text.find_first_of("(;{}", at);
        if (open == std::string::npos || text[open] != '(')
            continue;
        const auto end = closing(text, open);
        if (end == std::string::npos)
            return;
        text.replace(open, end - open, std::regex_replace(text.substr(open, end - open), lone, "$1%%$2"));
    }
}

/// `__shared__ alignas(16) float tile[…]`: nvcc takes it, to clang an alignas may not follow an attribute.
KernelSource asClangReads(KernelSource source)
{
    constexpr std::string_view space = "__shared__", standard = "alignas", own = "__align__";
    for (auto at = source.text.find(space); at != std::string::npos; at = source.text.find(space, at + 1)) {
        const auto next = source.text.find_first_not_of(" \t", at + space.size());
        if (next != std::string::npos && source.text.compare(next, standard.size(), standard) == 0)
            source.text.replace(next, standard.size(), own);
    }
    doublePercents(source.text);
    return source;
}

Result<Compiled> compileWith(const fs::path& clang, const KernelSource& source, int sm, const CompileOptions& options)
{
    const auto release = version(clang);
    if (!release)
        return release.error();
    int major = 0;
    std::from_chars(release->data(), release->data() + release->size(), major);
    if (major < kOldest)
        return unusable(clang, fmt::format("version {} is older than {}", *release, kOldest));
    const Ability& ability = abilityOf(major);
    const auto arch = newestNotAbove(ability.archs, sm);
    if (!arch)
        return unusable(clang, fmt::format("clang {} is used for sm_{} and newer, not for sm_{}", *release,
                                           ability.archs.front(), sm));
    const auto holds = [&](std::string_view word) { return source.text.find(word) != std::string::npos; };
    if (major < kGridConstants && *arch >= 90 && holds("__grid_constant__") && holds("tensor"))
        return unusable(clang, fmt::format("clang {} keeps no tensor map where it is: __grid_constant__ needs {}",
                                           *release, kGridConstants));
    // clang 22 takes the attribute and emits no .reqnctapercluster: the kernel would run without its cluster.
    if (*arch >= 90 && holds("__cluster_dims__"))
        return unusable(clang, fmt::format("clang {} emits no cluster: __cluster_dims__ needs sm_{} of NVRTC or nvcc",
                                           *release, sm));
    const auto headers = headerFolder();
    if (!headers)
        return unusable(clang, toText(headers.error()));
    std::vector<std::string> args{
        "-x", "cuda", "--cuda-device-only", fmt::format("--cuda-gpu-arch=sm_{}", archName(source, *arch)),
        // No toolkit is wanted even where one is: the header below is all there is.
        "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-fms-extensions", "-fdeclspec", "-include",
        (*headers / "ridge_cuda.h").string(), "-I", (*headers / "include").string(), "-Xclang", "-target-feature",
        "-Xclang", ability.ptx, "-std=c++17", "-O3", "-gline-directives-only", "-fno-color-diagnostics",
        "-Wno-unknown-cuda-version"};
    // A lane may pass on what it never set (every lane but the leader, in a shuffle): to clang alone that is undefined.
    args.emplace_back("-Xclang");
    args.emplace_back(major == kOldest ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis");
    if (holds("<<<") || holds("main("))
        args.emplace_back("-DRIDGE_HOST_CODE");
    if (holds("union")) // can be copied only where vectors are: what that costs stands in ridge_cuda.h
        args.emplace_back("-DRIDGE_PLAIN_VECTORS");
    if (holds("__int128"))
        args.emplace_back("-DRIDGE_WIDE_INTEGERS");
    args.emplace_back(options.exact ? "-ffp-contract=off" : "-ffp-contract=fast");
    const std::vector<fs::path> folders = wholeFileFolders(options);
    for (const fs::path& folder : folders)
        args.push_back("-I" + folder.string());
    args.emplace_back("-S");
    args.emplace_back("-o");
    return compileInChild("clang", clang, *release, asClangReads(source),
                          {std::move(args), {}, {}, options.exact, options.stop, folders});
}

/// Every header below the folder, in the order of their names: one of them is read for every source.
std::string inputs(const fs::path&, bool)
{
    const auto headers = headerFolder();
    if (!headers)
        return {};
    std::vector<fs::path> files;
    std::error_code problem;
    for (const auto& entry : fs::recursive_directory_iterator(*headers, problem)) {
        if (entry.is_regular_file(problem))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::string all;
    for (const auto& file : files) {
        if (const auto text = readFile(file))
            all += file.filename().string() + '\n' + *text;
    }
    return sha256Hex(all);
}

} // namespace

const Backend kClang{"clang", CompilerChoice::Clang, find, version, compileWith, inputs};

} // namespace ridge::gpu
