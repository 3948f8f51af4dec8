// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "gpu/compile/backend.h"
#include "gpu/compile/ptx_text.h"

#include "base/hash.h"
#include "base/paths.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

/// One file of assets/ptx: its head says what it was made from and for.
struct Shipped {
    fs::path file;
    std::string ptx;
    std::string arch;
    std::string compiler;
    std::string sourceSha256;
    int sm = 0;
};

int smOf(std::string_view arch)
{
    int value = 0;
    if (arch.starts_with("sm_"))
        std::from_chars(arch.data() + 3, arch.data() + arch.size(), value);
    return value;
}

std::string valueOf(const std::map<std::string, std::string>& head, const char* key)
{
    const auto found = head.find(key);
    return found == head.end() ? std::string{} : found->second;
}

/// "<family>/<stem>.ptx" and, for older chips, "<family>/<stem>.sm_70.ptx". Files without a proper head are left out.
std::vector<Shipped> shippedFor(const fs::path& root, const std::string& kernelName)
{
    const fs::path kernel(kernelName);
    const std::string stem = kernel.stem().string() + ".";
    std::vector<Shipped> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root / kernel.parent_path(), ignored)) {
        const auto file = entry.path().filename().string();
        if (!file.starts_with(stem) || !file.ends_with(".ptx"))
            continue;
        auto text = readFile(entry.path());
        if (!text)
            continue;
        const auto head = headOfPtx(*text);
        Shipped shipped{entry.path(),
                        {},
                        valueOf(head, "arch"),
                        valueOf(head, "compiler"),
                        valueOf(head, "source-sha256"),
                        smOf(valueOf(head, "arch"))};
        if (valueOf(head, "source") != kernelName || shipped.sm == 0 || targetOfPtx(*text) != shipped.arch)
            continue;
        shipped.ptx = std::move(*text);
        found.push_back(std::move(shipped));
    }
    return found;
}

} // namespace

Result<Program> shippedProgram(const KernelSource& source, int sm, const CompileOptions& options)
{
    if (options.exact)
        return Error{"unusable", "the PTX that is shipped is not compiled exactly", source.name,
                     "install a compiler (apt install clang), or run without --exact"};
    const auto data = dataFolder();
    if (!data)
        return Error{"unusable", data.error().message, data.error().place, data.error().fix};
    const auto root = *data / "assets" / "ptx";
    auto all = shippedFor(root, source.name);
    if (all.empty())
        return Error{
            "unusable", fmt::format("no PTX is shipped for kernel {}", source.name), root.string(),
            "unset RIDGE_COMPILER and install a compiler (apt install clang); tools/make-ptx makes what is shipped"};

    const std::string hash = sha256Hex(source.text);
    std::erase_if(all, [&](const Shipped& shipped) { return shipped.sourceSha256 != hash; });
    if (all.empty())
        return Error{"shipped-mismatch",
                     fmt::format("kernel {} differs from the source whose PTX is shipped", source.name), source.name,
                     "restore the shipped source, install a compiler (apt install clang), or run tools/make-ptx"};

    // What is made for one chip alone ("sm_90a") runs on no other.
    std::erase_if(all, [&](const Shipped& shipped) {
        return shipped.sm > sm || (shipped.arch.ends_with('a') && shipped.sm != sm);
    });
    const auto best = std::ranges::max_element(all, {}, &Shipped::sm);
    if (best == all.end())
        return Error{"unusable", fmt::format("the PTX shipped for {} is for newer chips than sm_{}", source.name, sm),
                     root.string(), "install a compiler that knows this chip (apt install clang)"};
    return Program{source.name, std::move(best->ptx), best->arch, "shipped", best->compiler, hash};
}

CompilerInfo shippedInfo()
{
    CompilerInfo info{"shipped", {}, false, {}};
    const auto data = dataFolder();
    if (!data) {
        info.detail = data.error().message;
        return info;
    }
    const auto root = *data / "assets" / "ptx";
    std::size_t files = 0;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(root, ignored)) {
        if (entry.path().extension() != ".ptx")
            continue;
        ++files;
        if (const auto text = readFile(entry.path()); text.ok())
            info.version = std::max(info.version, valueOf(headOfPtx(*text), "compiler"));
    }
    info.available = files > 0;
    info.detail = files > 0 ? fmt::format("{} files in {}", files, root.string())
                            : fmt::format("no PTX in {}; run tools/make-ptx", root.string());
    return info;
}

} // namespace ridge::gpu
