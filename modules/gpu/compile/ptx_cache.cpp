// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/ptx_cache.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "gpu/compile/search.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

// Raise when the options given to a compiler, or what is done to its output, change.
constexpr int kRecipe = 3;
// An edited kernel leaves an entry of some kilobytes at each run.
constexpr std::size_t kMaxEntries = 512;

fs::path folder()
{
    return cacheFolder() / "ptx";
}

fs::path fileOf(const std::string& key)
{
    return folder() / (key + ".ptx");
}

/// Over head and PTX: a flipped bit in the architecture would be as bad as one in the code.
std::string checksum(const std::string& key, const Program& program)
{
    return sha256Hex(fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", key, program.name, program.arch, program.compiler,
                                 program.compilerVersion, program.sourceSha256, program.cubinArch, program.ptx,
                                 program.cubin));
}

/// Drops the oldest half once there are too many.
void prune()
{
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder(), code))
        if (entry.path().extension() == ".ptx")
            entries.emplace_back(entry.last_write_time(code), entry.path());
    if (entries.size() <= kMaxEntries)
        return;
    std::ranges::sort(entries);
    for (std::size_t i = 0; i < entries.size() / 2; ++i)
        fs::remove(entries[i].second, code);
}

/// What stands behind each #include: "<cuda_fp16.h>", "\"mine.h\"" or a macro. One in a comment or behind an #if that
/// does not hold counts as well, which only costs time.
std::vector<std::string> includesOf(const std::string& text)
{
    constexpr std::string_view kBlank = " \t", kWord = "include";
    std::vector<std::string> found;
    for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
        const std::size_t word = text.find_first_not_of(kBlank, at + 1);
        if (word == std::string::npos || text.compare(word, kWord.size(), kWord) != 0)
            continue;
        const std::size_t what = std::min(text.find_first_not_of(kBlank, word + kWord.size()), text.size());
        found.push_back(text.substr(what, text.find('\n', what) - what));
    }
    return found;
}

} // namespace

bool isCacheable(const KernelSource& source, const CompileOptions& options)
{
    const std::vector<fs::path> folders = wholeFileFolders(options);
    return std::ranges::all_of(includesOf(source.text), [&](const std::string& one) {
        if (!one.starts_with('<'))
            return false;
        return std::ranges::none_of(folders, [&](const fs::path& folder) {
            std::error_code code;
            return fs::exists(folder / one.substr(1, one.find('>') - 1), code);
        });
    });
}

std::string cacheKey(const Backend& backend, const fs::path& tool, const KernelSource& source, int sm,
                     const CompileOptions& options)
{
    // A list in JSON, so that no two different inputs run together into the same text.
    const bool headers = !includesOf(source.text).empty();
    const Json inputs = {
        kRecipe,     std::string(backend.id), identityOf(tool), backend.inputs(tool, headers), sm,
        source.name, sha256Hex(source.text),  options.exact,    options.includeFolder,         options.machineCode};
    return sha256Hex(inputs.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::optional<Program> cachedProgram(const std::string& key)
{
    const auto bytes = readFile(fileOf(key));
    if (!bytes)
        return std::nullopt;
    const auto end = bytes->find('\n');
    if (end == std::string::npos)
        return std::nullopt;
    const auto head = parseJson(std::string_view(*bytes).substr(0, end), "cache");
    if (!head || !head->is_object())
        return std::nullopt;
    const auto text = [&](const char* name) {
        const auto found = head->find(name);
        return found != head->end() && found->is_string() ? found->get<std::string>() : std::string{};
    };
    const auto size = head->find("ptx_bytes");
    if (!head->contains("cubin") || size == head->end() || !size->is_number_unsigned() ||
        size->get<std::size_t>() > bytes->size() - end - 1)
        return std::nullopt;
    const auto ptxBytes = size->get<std::size_t>();
    Program program{text("name"),   bytes->substr(end + 1, ptxBytes),  text("arch"), text("compiler"), text("version"),
                    text("source"), bytes->substr(end + 1 + ptxBytes), text("cubin")};
    const std::string sum = checksum(key, program);
    if (program.ptx.empty() || text("sha256") != sum)
        return std::nullopt;
    return program;
}

void keepProgram(const std::string& key, const Program& program)
{
    std::error_code code;
    fs::create_directories(folder(), code);
    if (code)
        return;
    const std::string sum = checksum(key, program);
    const Json head = {{"name", program.name},
                       {"arch", program.arch},
                       {"compiler", program.compiler},
                       {"version", program.compilerVersion},
                       {"source", program.sourceSha256},
                       {"cubin", program.cubinArch},
                       {"ptx_bytes", program.ptx.size()},
                       {"sha256", sum}};
    const auto written = writeFile(fileOf(key), head.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n" +
                                                    program.ptx + program.cubin);
    if (written)
        prune();
}

} // namespace ridge::gpu
