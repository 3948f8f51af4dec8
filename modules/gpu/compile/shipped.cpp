// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/backend.h"
#include "gpu/compile/ptx_archive.h"

#include "base/hash.h"
#include "base/paths.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::gpu {
namespace {

Error unusable(const Error& why)
{
    return {"unusable", why.message, why.place, why.fix};
}

} // namespace

Result<Program> shippedProgram(const KernelSource& source, int sm, const CompileOptions& options)
{
    if (options.exact)
        return Error{"unusable", "the PTX that is shipped is not compiled exactly", source.name,
                     "install a compiler (apt install clang), or run without --exact"};
    const auto data = dataFolder();
    if (!data)
        return unusable(data.error());
    const auto assets = *data / "assets";
    auto all = shippedPtx(assets);
    if (!all)
        return unusable(all.error());
    std::erase_if(*all, [&](const ShippedPtx& ptx) { return ptx.source != source.name; });
    if (all->empty())
        return Error{
            "unusable", fmt::format("no PTX is shipped for kernel {}", source.name), assets.string(),
            "unset RIDGE_COMPILER and install a compiler (apt install clang); tools/make-ptx makes what is shipped"};

    const std::string hash = sha256Hex(source.text);
    std::erase_if(*all, [&](const ShippedPtx& ptx) { return ptx.sourceSha256 != hash; });
    if (all->empty())
        return Error{"shipped-mismatch",
                     fmt::format("kernel {} differs from the source whose PTX is shipped", source.name), source.name,
                     "restore the shipped source, install a compiler (apt install clang), or run tools/make-ptx"};

    // What is made for one chip alone ("sm_90a") runs on no other.
    std::erase_if(*all,
                  [&](const ShippedPtx& ptx) { return ptx.sm > sm || (ptx.arch.ends_with('a') && ptx.sm != sm); });
    const auto best = std::ranges::max_element(*all, {}, &ShippedPtx::sm);
    if (best == all->end())
        return Error{"unusable", fmt::format("the PTX shipped for {} is for newer chips than sm_{}", source.name, sm),
                     assets.string(), "install a compiler that knows this chip (apt install clang)"};
    auto ptx = readShippedPtx(assets, *best);
    if (!ptx)
        return unusable(ptx.error());
    return Program{source.name, std::move(*ptx), best->arch, "shipped", best->compiler, hash};
}

CompilerInfo shippedInfo()
{
    CompilerInfo info{"shipped", {}, false, {}};
    const auto data = dataFolder();
    if (!data) {
        info.detail = data.error().message;
        return info;
    }
    const auto all = shippedPtx(*data / "assets");
    if (!all) {
        info.detail = toText(all.error());
        return info;
    }
    for (const ShippedPtx& ptx : *all)
        info.version = std::max(info.version, ptx.compiler);
    info.available = !all->empty();
    info.detail = fmt::format("{} files in {}", all->size(), (*data / "assets" / "ptx.zip").string());
    return info;
}

} // namespace ridge::gpu
