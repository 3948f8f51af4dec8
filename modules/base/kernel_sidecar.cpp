// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/kernel_sidecar.h"

#include <charconv>
#include <limits>

namespace ridge {
namespace {

constexpr std::uint64_t kWarpThreads = 32;
constexpr std::uint64_t kMostWarps = 64;
constexpr std::uint64_t kMostCluster = 16;
constexpr std::uint64_t kMostScratch = std::uint64_t{1} << 32;

Error bad(const std::string& path, std::string message, std::string fix)
{
    return {"bad-sidecar", "'" + path + "' " + std::move(message), "sidecar " + path, std::move(fix)};
}

constexpr const char* kOther = "give the JSON that was written together with this PTX, or leave it out: --sidecar none";

/// How the PTX declares an entry: what stands between its name and its body.
struct Entry {
    std::size_t parameters = 0;
    std::uint64_t requiredThreads = 0; ///< .reqntid; 0: none
};

bool isNameEnd(std::string_view text, std::size_t at)
{
    return at >= text.size() || text[at] == '(' || text[at] == ' ' || text[at] == '\n' || text[at] == '\t' ||
           text[at] == '\r';
}

std::vector<std::string> entryNames(std::string_view ptx)
{
    constexpr std::string_view kEntry = ".entry ";
    std::vector<std::string> names;
    for (auto at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry, at + 1)) {
        const auto begin = ptx.find_first_not_of(" \t", at + kEntry.size());
        std::size_t end = std::min(begin, ptx.size());
        while (!isNameEnd(ptx, end))
            ++end;
        names.emplace_back(ptx.substr(std::min(begin, ptx.size()), end - std::min(begin, ptx.size())));
    }
    return names;
}

std::optional<std::uint64_t> numberAt(std::string_view text, std::size_t at)
{
    at = text.find_first_not_of(" \t", at);
    std::uint64_t value = 0;
    if (at == text.npos || std::from_chars(text.data() + at, text.data() + text.size(), value).ec != std::errc())
        return std::nullopt;
    return value;
}

std::optional<Entry> entryOf(std::string_view ptx, const std::string& name)
{
    const std::string sought = ".entry " + name;
    auto at = ptx.find(sought);
    while (at != ptx.npos && !isNameEnd(ptx, at + sought.size()))
        at = ptx.find(sought, at + 1);
    if (at == ptx.npos)
        return std::nullopt;
    const std::string_view head = ptx.substr(at, std::min(ptx.find('{', at), ptx.size()) - at);
    Entry entry;
    for (auto param = head.find(".param"); param != head.npos; param = head.find(".param", param + 1))
        ++entry.parameters;
    constexpr std::string_view kRequired = ".reqntid";
    if (const auto required = head.find(kRequired); required != head.npos)
        entry.requiredThreads = numberAt(head, required + kRequired.size()).value_or(0);
    return entry;
}

/// 80 of ".target sm_80"; 0 where there is none.
std::uint64_t targetOf(std::string_view ptx)
{
    constexpr std::string_view kTarget = ".target sm_";
    const auto at = ptx.find(kTarget);
    return at == ptx.npos ? 0 : numberAt(ptx, at + kTarget.size()).value_or(0);
}

std::string counted(std::uint64_t number, const std::string& what)
{
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

} // namespace

bool isSidecar(const Json& json)
{
    return json.is_object() && json.contains("num_warps") && json.contains("shared") && json.contains("name");
}

Result<KernelSidecar> sidecarFromJson(const Json& json, const std::string& path)
{
    const auto fail = [&](const std::string& message) {
        return bad(path, message, "give the metadata that Triton writes beside its PTX (kernel.json of its cache)");
    };
    if (!isSidecar(json))
        return fail("is no sidecar: it has no \"name\", \"num_warps\" and \"shared\"");
    std::string problem;
    const auto number = [&](const char* key, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) {
        const auto found = json.find(key);
        if (found == json.end() || found->is_null())
            return otherwise;
        if (!found->is_number_unsigned() || found->get<std::uint64_t>() < least || found->get<std::uint64_t>() > most) {
            if (problem.empty())
                problem = "has \"" + std::string(key) + "\": " + found->dump() + "; it is a whole number from " +
                          std::to_string(least) + " to " + std::to_string(most);
            return otherwise;
        }
        return found->get<std::uint64_t>();
    };
    KernelSidecar out;
    out.path = path;
    if (!json.at("name").is_string() || json.at("name").get<std::string>().empty())
        return fail("has a \"name\" that is no name of a kernel");
    out.kernel = json.at("name").get<std::string>();
    out.warps = number("num_warps", 1, kMostWarps, 0);
    out.sharedBytes = number("shared", 0, std::numeric_limits<std::uint32_t>::max(), 0);
    out.clusterBlocks = number("num_ctas", 1, kMostCluster, 1);
    // Which of the two pointers a kernel has depends on Triton's version, and so do the keys.
    for (const char* key : {"global_scratch_size", "profile_scratch_size"})
        if (json.contains(key))
            out.scratch.push_back(number(key, 0, kMostScratch, 0));
    const auto target = json.find("target");
    if (target != json.end() && target->is_object() && target->contains("arch") &&
        target->at("arch").is_number_unsigned())
        out.arch = static_cast<int>(std::min<std::uint64_t>(target->at("arch").get<std::uint64_t>(), 999));
    if (!problem.empty())
        return fail(problem);
    return out;
}

std::optional<std::size_t> ownArguments(const KernelSidecar& sidecar, std::string_view ptx)
{
    const auto entry = entryOf(ptx, sidecar.kernel);
    if (!entry)
        return std::nullopt;
    const std::size_t all = entry->parameters, added = sidecar.scratch.size();
    return all < added ? 0 : all - added;
}

Result<void> applySidecar(const KernelSidecar& sidecar, const GivenLaunch& given, KernelRunRequest& request)
{
    const std::string& ptx = request.source.text;
    const std::string& path = sidecar.path;
    if (!request.source.isPtx)
        return bad(path, "belongs to PTX, and '" + request.source.path + "' is CUDA C++", kOther);
    if (!request.kernel.empty() && request.kernel != sidecar.kernel)
        return bad(path, "is of kernel " + sidecar.kernel + ", not of " + request.kernel, kOther);
    const auto entry = entryOf(ptx, sidecar.kernel);
    if (!entry) {
        std::string names;
        for (const std::string& name : entryNames(ptx))
            names += (names.empty() ? "" : ", ") + name;
        return bad(path,
                   "is of kernel " + sidecar.kernel + ", which '" + request.source.path + "' does not have; it has " +
                       (names.empty() ? "none" : names),
                   kOther);
    }
    if (const std::uint64_t arch = targetOf(ptx); sidecar.arch != 0 && arch != static_cast<std::uint64_t>(sidecar.arch))
        return bad(path, "was made for sm_" + std::to_string(sidecar.arch) + ", the PTX for sm_" + std::to_string(arch),
                   kOther);
    if (entry->requiredThreads != 0 && entry->requiredThreads != sidecar.warps * kWarpThreads)
        return bad(path,
                   "says " + counted(sidecar.warps, "warp") + ", the PTX requires " +
                       counted(entry->requiredThreads, "thread") + " a block",
                   kOther);
    request.kernel = sidecar.kernel;
    if (!given.block)
        request.block = {sidecar.warps * kWarpThreads, 1, 1};
    if (!given.shared)
        request.dynamicSharedBytes = sidecar.sharedBytes;
    if (sidecar.clusterBlocks > 1 && !given.cluster) {
        request.cluster = {sidecar.clusterBlocks, 1, 1};
        request.grid[0] *= sidecar.clusterBlocks;
    }
    const std::size_t all = entry->parameters, added = sidecar.scratch.size();
    if (request.args.size() == all || all < added) // given by hand
        return {};
    if (request.args.size() != all - added)
        return Error{"bad-argument",
                     sidecar.kernel + " takes " + counted(all - added, "argument") + " of its own, " +
                         std::to_string(request.args.size()) + (request.args.size() == 1 ? " is given" : " are given"),
                     "--arg",
                     "give those; '" + path + "' fills the " + std::to_string(added) + " behind them (scratch memory)"};
    const std::uint64_t blocks = request.grid[0] * request.grid[1] * request.grid[2];
    for (const std::uint64_t bytes : sidecar.scratch)
        request.args.push_back(bytes == 0 ? "u64:0" : "out:u8:" + std::to_string(bytes * blocks));
    return {};
}

} // namespace ridge
