// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/sass.h"

#include "base/json.h"
#include "gpu/compile/child_process.h"
#include "gpu/compile/child_source.h"
#include "gpu/compile/ptx_text.h"
#include "gpu/compile/search.h"
#include "gpu/compile/temporary_folder.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPtxFile = "kernel.ptx";
constexpr const char* kCubinFile = "kernel.cubin";
constexpr double kSeconds = 30;
constexpr std::uint64_t kMostCubin = 256u << 20;
constexpr std::size_t kMostWords = 400;

Error noSass(const std::string& why, const std::string& place, const std::string& fix)
{
    return {"no-sass", why, place, fix};
}

Result<fs::path> toolNamed(const char* name, const char* variable, const std::string& fix)
{
    std::vector<fs::path> folders = foldersOf(environment("PATH"));
    for (const fs::path& toolkit : toolkitFolders())
        folders.push_back(toolkit / "bin");
    for (const fs::path& libraries : wheelLibraryFolders())
        folders.push_back(libraries.parent_path() / "bin");
    const Found found = findNamed(variable, folders, {name}, {});
    if (found.tools.empty())
        return noSass(environment(variable).empty() ? fmt::format("no {} found", name) : found.whyNone, name,
                      fmt::format("{}, or name it in {}", fix, variable));
    return found.tools.front();
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Result<std::string> runStep(const fs::path& tool, std::vector<std::string> args, const fs::path& folder,
                            const std::function<bool()>& stop)
{
    auto child = runChild({tool, std::move(args), folder, kSeconds, stop, 0, kMostCubin});
    if (!child && child.error().code == "cancelled")
        return child.error();
    if (!child)
        return noSass(child.error().message, tool.string(), child.error().fix);
    if (child->exitCode != 0) {
        const std::string words = child->err + child->out;
        return noSass(fmt::format("{} ended with status {}: {}", tool.filename().string(), child->exitCode,
                                  trimmed(std::string_view(words).substr(0, kMostWords))),
                      tool.string(), "take another --arch, or a CUDA toolkit that knows this one");
    }
    return std::move(child->out);
}

/// `//## File "/a/b.cu", line 12`, also with `inlined at …` behind it.
bool readPlace(std::string_view text, SassLine& place)
{
    constexpr std::string_view mark = "//## File \"";
    if (!text.starts_with(mark))
        return false;
    text.remove_prefix(mark.size());
    const auto quote = text.find('"');
    constexpr std::string_view line = "\", line ";
    if (quote == std::string_view::npos || !text.substr(quote).starts_with(line))
        return false;
    int number = 0;
    const char* from = text.data() + quote + line.size();
    if (std::from_chars(from, text.data() + text.size(), number).ec != std::errc{})
        return false;
    place.file = std::string(text.substr(0, quote));
    place.line = number;
    return true;
}

} // namespace

std::vector<SassKernel> readSass(std::string_view text)
{
    std::vector<SassKernel> kernels;
    SassLine place;
    bool open = false;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmed(text.substr(begin, end - begin));
        begin = end + 1;
        constexpr std::string_view section = ".text.";
        if (line.starts_with(section) && line.ends_with(':')) {
            kernels.push_back({std::string(line.substr(section.size(), line.size() - section.size() - 1)), {}});
            place = {};
            open = true;
        } else if (line.starts_with(".section")) {
            open = false;
        } else if (open && line.starts_with("//##")) {
            readPlace(line, place);
        } else if (open && line.starts_with("/*")) {
            const std::size_t close = line.find("*/");
            if (close == std::string_view::npos)
                continue;
            std::uint64_t address = 0;
            if (std::from_chars(line.data() + 2, line.data() + close, address, 16).ptr != line.data() + close)
                continue;
            std::string_view words = trimmed(line.substr(close + 2));
            while (words.ends_with(';') || words.ends_with(' '))
                words.remove_suffix(1);
            if (words.empty())
                continue;
            SassLine made = place;
            made.address = address;
            made.text = std::string(words);
            kernels.back().lines.push_back(std::move(made));
        }
    }
    // A branch to itself and NOPs fill the last block.
    for (SassKernel& kernel : kernels) {
        while (!kernel.lines.empty() && kernel.lines.back().text == "NOP")
            kernel.lines.pop_back();
        if (kernel.lines.size() > 1 && kernel.lines.back().text.starts_with("BRA "))
            kernel.lines.pop_back();
    }
    return kernels;
}

Result<std::pair<fs::path, fs::path>> sassTools()
{
    auto ptxas = toolNamed("ptxas", "RIDGE_PTXAS", "install the CUDA toolkit");
    if (!ptxas)
        return ptxas.error();
    auto nvdisasm =
        toolNamed("nvdisasm", "RIDGE_NVDISASM", "install the CUDA toolkit, or nvidia-cuda-nvdisasm from PyPI");
    if (!nvdisasm)
        return nvdisasm.error();
    return std::pair(std::move(*ptxas), std::move(*nvdisasm));
}

Result<Sass> sassOf(const Program& program, int sm, bool exact, const std::function<bool()>& stop)
{
    const auto tools = sassTools();
    if (!tools)
        return tools.error();
    const auto folder = TemporaryFolder::make();
    if (!folder)
        return noSass(folder.error().message, folder.error().place, folder.error().fix);
    if (const auto written = writeFile(folder->path() / kPtxFile, program.ptx); !written)
        return noSass(written.error().message, written.error().place, written.error().fix);
    Sass sass{fmt::format("sm_{}", sm), tools->first, tools->second, {}};
    // "sm_90a" has instructions that sm_90 has not.
    if (const std::string own = targetOfPtx(program.ptx); own.starts_with(sass.arch))
        sass.arch = own;
    std::vector<std::string> args{"-arch=" + sass.arch, "--generate-line-info", "-o", kCubinFile, kPtxFile};
    if (exact)
        args.insert(args.begin(), "--fmad=false");
    if (const auto made = runStep(tools->first, std::move(args), folder->path(), stop); !made)
        return made.error();
    const auto text = runStep(tools->second, {"-g", "-c", kCubinFile}, folder->path(), stop);
    if (!text)
        return text.error();
    sass.kernels = readSass(*text);
    if (sass.kernels.empty())
        return noSass("nvdisasm printed no kernel", tools->second.string(), "take another CUDA toolkit");
    return sass;
}

} // namespace ridge::gpu
