// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/long_run.h"

#include "rtl/bench.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/core.h>
#include <sstream>

namespace ridge::rtl {
namespace {

constexpr std::uint64_t kMostCycles = 1'000'000'000, kMostStream = 4096;
constexpr std::array<std::string_view, 7> kTasks = {"$clog2", "$signed",  "$unsigned", "$bits",
                                                    "$size",  "$display", "$time"};
constexpr std::array<std::string_view, 3> kMacros = {"`timescale", "`default_nettype", "`resetall"};

bool ofWord(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

std::string named(std::string words, const Design& design)
{
    for (auto at = words.find("design.sv"); at != std::string::npos; at = words.find("design.sv", at + 1))
        words.replace(at, 9, design.name);
    return words;
}

Error crashed(const char* who, const ToolRun& ran, const Design& design, const Scratch& scratch)
{
    return {"rtl-crash",
            fmt::format("{} ended with {}: {}", who, ran.exitCode, named(said(ran.err, scratch.path()), design)),
            design.name, "take a smaller array, or write the last lines that you changed another way"};
}

} // namespace

std::string forbiddenWord(const std::string& source)
{
    for (std::size_t at = 0; at < source.size();) {
        const std::string_view rest = std::string_view(source).substr(at);
        if (rest.starts_with("//")) {
            at = std::min(source.find('\n', at), source.size());
        } else if (rest.starts_with("/*")) {
            const auto end = source.find("*/", at + 2);
            at = end == std::string::npos ? source.size() : end + 2;
        } else if (rest.front() == '"') {
            for (++at; at < source.size() && source[at] != '"'; ++at)
                at += source[at] == '\\' ? 1 : 0;
            ++at;
        } else if (rest.front() == '\\') { // an escaped name, up to the next blank
            while (at < source.size() && !std::isspace(static_cast<unsigned char>(source[at])))
                ++at;
        } else if (rest.front() == '`' || ofWord(rest.front())) {
            std::size_t end = 1;
            while (end < rest.size() && ofWord(rest[end]))
                ++end;
            const std::string_view word = rest.substr(0, end);
            const bool bad = word.front() == '`'   ? std::ranges::find(kMacros, word) == kMacros.end()
                             : word.front() == '$' ? std::ranges::find(kTasks, word) == kTasks.end()
                                                   : word == "import" || word == "export" || word == "bind";
            if (bad)
                return std::string(word);
            at += end;
        } else {
            ++at;
        }
    }
    return {};
}

Result<LongRun> runLong(const Design& design, const accelerator::Array& array, std::uint64_t cycles,
                        std::uint64_t stream, const Limits& limits)
{
    if (const auto good = Job::check(array, 1, 1); !good)
        return good.error();
    if (cycles == 0 || stream == 0)
        return Error{"bad-layer", "there is nothing to simulate", "cycles, m", "take at least one of each"};
    if (cycles > kMostCycles || stream > kMostStream)
        return Error{"too-large", fmt::format("{} cycles in tiles of {} rows are too many", cycles, stream),
                     "cycles, m", fmt::format("take at most {} cycles and {} rows", kMostCycles, kMostStream)};
    if (const std::string word = forbiddenWord(design.text); !word.empty())
        return Error{"rtl-forbidden", fmt::format("the design says {}, which is not for designs", word), design.name,
                     "take it out: only plain modules become a program here"};
    const auto driver = longDriver();
    if (!driver)
        return driver.error();
    const auto scratch = Scratch::make();
    if (!scratch)
        return scratch.error();
    for (const auto& [name, text] :
         {std::pair<std::string, const std::string&>{"design.sv", design.text}, {"drive.cpp", driver->text}})
        if (auto good = scratch->write(name, text); !good)
            return good.error();
    // Debian's Verilator appends -Os to what is asked for; OPT_FAST takes its place.
    const auto begun = std::chrono::steady_clock::now();
    const auto built = runTool("verilator",
                               {"--cc",
                                "--exe",
                                "--build",
                                "-O3",
                                "--x-assign",
                                "fast",
                                "--x-initial",
                                "fast",
                                "-Wno-fatal",
                                "-Wno-lint",
                                "--top-module",
                                "array",
                                fmt::format("-GROWS={}", array.rows),
                                fmt::format("-GCOLS={}", array.cols),
                                "-CFLAGS",
                                fmt::format("-O3 -march=native -DROWS={} -DCOLS={}", array.rows, array.cols),
                                "-MAKEFLAGS",
                                "OPT_FAST=-O3 OPT_SLOW=-O1",
                                "--Mdir",
                                "made",
                                "design.sv",
                                "drive.cpp"},
                               scratch->path(), limits, "building " + design.name);
    if (!built)
        return built.error();
    LongRun run;
    run.buildSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (built->exitCode >= 128)
        return crashed("verilator", *built, design, *scratch);
    if (built->exitCode != 0)
        return Error{"rtl-compile",
                     "the design does not compile: " + named(said(built->err + built->out, scratch->path()), design),
                     design.name,
                     "mend the lines that are named; the module is called array, with the ports of "
                     "labs/rtl/array.sv"};
    if (const auto version = runTool("verilator", {"--version"}, scratch->path(), limits, "verilator"); version)
        run.tool = said(version->out, scratch->path(), 80);
    const auto ran = runProgram(scratch->path() / "made" / "Varray", {std::to_string(cycles), std::to_string(stream)},
                                scratch->path(), limits, "the design's simulation");
    if (!ran)
        return ran.error();
    std::istringstream in(ran->out);
    std::string word;
    while (in >> word && word != "ran" && word != "stuck") { // the design's own words come before
    }
    std::uint64_t ns = 0;
    if (word == "ran" && in >> run.cycles >> run.tiles >> run.results >> run.wrong >> ns) {
        run.seconds = double(ns) * 1e-9;
        return run;
    }
    run.stuck = word == "stuck";
    return run.stuck ? Result<LongRun>(run) : Result<LongRun>(crashed("the simulation", *ran, design, *scratch));
}

} // namespace ridge::rtl
