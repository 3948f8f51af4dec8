// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/tools.h"

#include "gpu/compile/child_process.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ridge::rtl {
namespace {

namespace fs = std::filesystem;

Error missing(const std::string& name)
{
    if (name == "yosys")
        return {"no-yosys", "there is no yosys: cells cannot be counted", "yosys",
                "install it, on Debian and Ubuntu: sudo apt install yosys"};
    if (name == "verilator")
        return {"no-verilator", "there is no verilator: long runs cannot be built", name,
                "install it with a compiler, on Debian and Ubuntu: sudo apt install verilator g++ make; or go on with "
                "rtl_array, which needs Icarus Verilog alone"};
    if (name == "nextpnr-ice40")
        return {"no-nextpnr-ice40", "there is no nextpnr-ice40: nothing can be placed and routed", name,
                "install it, on Debian and Ubuntu: sudo apt install nextpnr-ice40; or look at rtl_cells, which needs "
                "Yosys alone"};
    return {"no-iverilog", fmt::format("there is no {}: Icarus Verilog is not installed", name), name,
            "install it, on Debian and Ubuntu: sudo apt install iverilog; or go on with the experiment systolic, the "
            "same array in C++"};
}

} // namespace

Result<fs::path> findTool(const std::string& name)
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin");
    std::string folder;
    while (std::getline(folders, folder, ':'))
        if (const fs::path file = fs::path(folder) / name; !folder.empty() && ::access(file.c_str(), X_OK) == 0)
            return file;
    return missing(name);
}

Result<ToolRun> runTool(const std::string& name, const std::vector<std::string>& args, const fs::path& folder,
                        const Limits& limits, const std::string& doing)
{
    const auto program = findTool(name);
    return program ? runProgram(*program, args, folder, limits, doing) : Result<ToolRun>(program.error());
}

Result<ToolRun> runProgram(const fs::path& program, const std::vector<std::string>& args, const fs::path& folder,
                           const Limits& limits, const std::string& doing)
{
    gpu::ChildSpec child;
    child.program = program;
    child.args = args;
    child.folder = folder;
    child.seconds = limits.seconds;
    child.stop = limits.stop;
    child.memory = limits.memory;
    child.fileBytes = limits.files;
    child.outputBytes = limits.words;
    auto ran = gpu::runChild(child);
    if (ran)
        return ToolRun{ran->exitCode, std::move(ran->out), std::move(ran->err)};
    const Error& error = ran.error();
    if (error.code == "time-limit")
        return Error{"rtl-time",
                     fmt::format("{} did not come to an end within {} s and was stopped", doing, limits.seconds),
                     program.filename().string(),
                     "look for logic that drives itself without a register in between (y = ~y) and for a loop without "
                     "an end: simulated time stands still in both. Where the design is only large, take fewer rows, "
                     "tiles or PEs"};
    if (error.code == "output-limit")
        return Error{
            "rtl-output", fmt::format("{} printed more than {} MiB and was stopped", doing, limits.words >> 20),
            program.filename().string(), "look for a $display in logic that runs without end, and take it out"};
    return error;
}

Result<Scratch> Scratch::make()
{
    auto folder = gpu::TemporaryFolder::make();
    if (!folder)
        return folder.error();
    return Scratch(std::move(*folder));
}

Scratch::~Scratch()
{
    const char* keep = std::getenv("RIDGE_RTL_KEEP");
    if (path().empty() || keep == nullptr || *keep == '\0')
        return;
    std::error_code ignored; // a copy for the reader's own use: the run does not depend on it
    fs::create_directories(keep, ignored);
    fs::copy(path(), keep, fs::copy_options::recursive | fs::copy_options::overwrite_existing, ignored);
}

Result<void> Scratch::write(const std::string& name, const std::string& text) const
{
    const fs::path file = path() / name;
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        return Error{"cannot-write", "the design's files cannot be written", file.string(), "make room there"};
    return {};
}

std::string Scratch::read(const std::string& name, std::uint64_t most) const
{
    std::ifstream in(path() / name, std::ios::binary);
    std::string text;
    std::error_code failed;
    const auto size = fs::file_size(path() / name, failed);
    if (failed || !in)
        return text;
    text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, most)));
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

std::string said(const std::string& text, const fs::path& folder, std::size_t most)
{
    std::string all = text;
    const std::string prefix = folder.string() + "/";
    for (auto at = all.find(prefix); at != std::string::npos; at = all.find(prefix, at))
        all.erase(at, prefix.size());
    while (!all.empty() && (all.back() == '\n' || all.back() == ' '))
        all.pop_back();
    if (all.size() > most)
        all = all.substr(0, most) + " …";
    return all;
}

} // namespace ridge::rtl
