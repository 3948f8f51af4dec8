// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/bench.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <sstream>

namespace ridge::rtl {
namespace {

constexpr std::size_t kMostWords = 100;

/// What a design may call. All other tasks are for testbenches: they open files, or end what is not theirs.
constexpr std::array<std::string_view, 34> kAllowed = {
    "$display",  "$displayb", "$displayh", "$displayo", "$write",    "$writeb",   "$writeh",       "$writeo", "$strobe",
    "$strobeb",  "$strobeh",  "$strobeo",  "$monitor",  "$monitorb", "$monitorh", "$monitoro",     "$time",   "$stime",
    "$realtime", "$random",   "$urandom",  "$error",    "$warning",  "$info",     "$fatal",        "$finish", "$stop",
    "$dumpvars", "$dumpoff",  "$clog2",    "$sformat",  "$swrite",   "$sformatf", "$urandom_range"};

/// And the testbench's own, with their files.
constexpr std::array<std::string_view, 4> kOfTheBench = {
    R"("$dumpfile", "wave.vcd" )", R"("$readmemh", "weights.hex",)", R"("$readmemh", "activations.hex",)",
    R"("$readmemh", "modes.hex",)"};

/// The first call in a compiled design that is not allowed. Texts of the design cannot look like one: the compiler
/// writes calls at the beginning of a line, texts never.
std::string forbiddenCall(const std::string& compiled)
{
    std::istringstream in(compiled);
    std::string line;
    while (std::getline(in, line)) {
        const auto begin = line.find_first_not_of(" \t");
        if (begin == std::string::npos)
            continue;
        const std::string_view rest = std::string_view(line).substr(begin);
        const auto label = rest.find(' ');
        const bool call = rest.starts_with("%vpi_call") || rest.starts_with("%vpi_func") ||
                          (label != std::string_view::npos && rest.substr(label + 1).starts_with(".sfunc"));
        const auto open = rest.find("\"$");
        const auto close = call && open != std::string_view::npos ? rest.find('"', open + 1) : std::string_view::npos;
        if (close == std::string_view::npos)
            continue;
        const auto task = rest.substr(open + 1, close - open - 1);
        const bool allowed = std::ranges::find(kAllowed, task) != kAllowed.end() ||
                             std::ranges::any_of(kOfTheBench, [&](std::string_view each) {
                                 return rest.substr(open).starts_with(each);
                             });
        if (!allowed)
            return std::string(task);
    }
    return {};
}

/// ":ivl_version "11.0 (stable)";"
std::string toolOf(const std::string& compiled)
{
    constexpr std::string_view kKey = ":ivl_version \"";
    const auto at = compiled.find(kKey);
    const auto end = at == std::string::npos ? at : compiled.find('"', at + kKey.size());
    return end == std::string::npos ? "Icarus Verilog"
                                    : "Icarus Verilog " + compiled.substr(at + kKey.size(), end - at - kKey.size());
}

/// A line of bytes, the first at the right.
void line(std::string& text, const std::int8_t* values, std::size_t count)
{
    for (std::size_t i = count; i-- > 0;)
        text += fmt::format("{:02x}", static_cast<std::uint8_t>(values[i]));
    text += '\n';
}

Result<void> writeFiles(const Job& job, const Scratch& scratch)
{
    const auto bench = testbench();
    if (!bench)
        return bench.error();
    const std::size_t rows = job.array.rows, cols = job.array.cols;
    std::string weights, activations, modes;
    for (const Tile& tile : job.tiles) {
        for (std::size_t r = rows; r-- > 0;)
            line(weights, tile.weights.data() + r * cols, cols);
        for (std::size_t i = 0; i < job.stream; ++i)
            line(activations, tile.activations.data() + i * rows, rows);
        modes += fmt::format("{}\n", (tile.gaps ? 1 : 0) + (tile.holds ? 2 : 0));
    }
    for (const auto& [name, text] : {std::pair<std::string, const std::string&>{"bench.sv", bench->text},
                                     {"design.sv", job.design.text},
                                     {"weights.hex", weights},
                                     {"activations.hex", activations},
                                     {"modes.hex", modes}})
        if (auto good = scratch.write(name, text); !good)
            return good.error();
    return {};
}

/// Its messages have the design's own name.
std::string named(std::string text, const Job& job)
{
    for (auto at = text.find("design.sv"); at != std::string::npos; at = text.find("design.sv", at + 1))
        text.replace(at, 9, job.design.name);
    return text;
}

Error crashed(const char* who, const ToolRun& ran, const Job& job, const Scratch& scratch)
{
    const bool memory = ran.err.find("bad_alloc") != std::string::npos || ran.err.find("alloc") != std::string::npos ||
                        ran.exitCode == 128 + 9;
    return {"rtl-crash",
            memory ? fmt::format("{} needed more than {} MiB of memory and was ended", who, job.limits.memory >> 20)
                   : fmt::format("{} ended with {}: {}", who, ran.exitCode,
                                 named(said(ran.err + ran.out, scratch.path()), job)),
            job.design.name,
            memory ? "make its memories and loops smaller"
                   : "this is a fault of Icarus Verilog that the design brings about: write the line another way"};
}

/// One row of results: 8 digits a column, the first column at the right.
bool readRow(std::string_view digits, std::size_t cols, std::vector<WaveValue>& into)
{
    if (digits.size() != 8 * cols)
        return false;
    for (std::size_t c = cols; c-- > 0;) {
        std::uint32_t number = 0;
        bool known = true;
        for (const char digit : digits.substr(8 * c, 8)) {
            const bool decimal = digit >= '0' && digit <= '9', letter = digit >= 'a' && digit <= 'f';
            known &= decimal || letter;
            number = number << 4 | static_cast<std::uint32_t>(decimal ? digit - '0' : letter ? digit - 'a' + 10 : 0);
        }
        into.push_back({static_cast<std::int32_t>(number), known});
    }
    return true;
}

bool readWords(const ToolRun& ran, const Job& job, BenchRun& run)
{
    std::istringstream in(ran.out);
    std::string text;
    bool ended = false;
    while (std::getline(in, text)) {
        std::istringstream words(text);
        std::string word, rest;
        words >> word;
        if (word == "@row" && words >> rest) {
            if (run.tiles.empty() || run.tiles.back().results.size() == std::size_t{job.stream} * job.array.cols)
                run.tiles.emplace_back();
            if (run.tiles.size() > job.tiles.size() || !readRow(rest, job.array.cols, run.tiles.back().results))
                return false;
        } else if (word == "@tile" && !run.tiles.empty()) {
            TileRun& tile = run.tiles.back();
            if (!(words >> tile.started >> tile.ended >> tile.gaps >> tile.holds))
                return false;
        } else if (word == "@end") {
            ended = static_cast<bool>(words >> run.wrong);
        } else if (word == "@stuck") {
            Stuck stuck;
            std::string w, a, out;
            ended = static_cast<bool>(words >> stuck.weights >> stuck.activations >> stuck.results >> w >> a >> out);
            stuck.ready = w + " " + a + " " + out;
            run.stuck = stuck;
        } else if (!text.empty() && !text.starts_with("VCD info:") && run.words.size() < kMostWords) {
            run.words.push_back(text);
        }
    }
    return ended;
}

} // namespace

Result<void> Job::check(const accelerator::Array& array, std::uint64_t tiles, std::uint64_t stream)
{
    if (std::min(array.rows, array.cols) < kLeastSide || std::max(array.rows, array.cols) > kMostSide)
        return Error{"bad-array", fmt::format("an array of {} x {} cannot be simulated", array.rows, array.cols),
                     "rows, columns", fmt::format("take {} to {} of each", kLeastSide, kMostSide)};
    if (tiles == 0 || stream == 0)
        return Error{"bad-layer", "there is nothing to multiply", "tiles", "take at least one tile of one row"};
    const double cycles = double(tiles) * double(stream + 2 * array.rows + array.cols - 2);
    if (cycles * double(array.elements()) > double(kMostWork) ||
        double(tiles) * double(stream) * array.cols > double(kMostResults))
        return Error{"too-large",
                     fmt::format("{} tiles of {} rows on {} x {} PEs take Icarus Verilog too long", tiles, stream,
                                 array.rows, array.cols),
                     "tiles", "take a smaller product or array, or the experiment systolic, the same array in C++"};
    return {};
}

std::uint64_t Job::cycles() const
{
    return tiles.size() *
           accelerator::foldingOf(array, accelerator::Dataflow::WeightStationary, {stream, array.cols, array.rows})
               .perFold;
}

std::string Stuck::sentence(const Job& job) const
{
    return fmt::format("the design took {} of {} rows of weights and {} of {} of activations and gave {} of {} of "
                       "results; then w_ready, a_ready, out_valid stayed {}",
                       weights, job.tiles.size() * job.array.rows, activations, job.tiles.size() * job.stream, results,
                       job.tiles.size() * job.stream, ready);
}

Result<BenchRun> runBench(const Job& job)
{
    const accelerator::Array& array = job.array;
    if (auto good = Job::check(array, job.tiles.size(), job.stream); !good)
        return good.error();
    const auto scratch = Scratch::make();
    if (!scratch)
        return scratch.error();
    if (auto good = writeFiles(job, *scratch); !good)
        return good.error();
    std::vector<std::string> args = {"-g2012", "-s", "bench", "-o", "design.vvp"};
    const auto set = [&](const char* name, std::uint64_t value) {
        args.push_back(fmt::format("-Pbench.{}={}", name, value));
    };
    set("ROWS", array.rows);
    set("COLS", array.cols);
    set("STREAM", job.stream);
    set("TILES", job.tiles.size());
    set("WAVE", job.waveCycles);
    set("LIMIT", 4 * job.cycles() + 1000); // gaps and holds are every second cycle at most
    args.insert(args.end(), {"bench.sv", "design.sv"});
    const auto compiled = runTool("iverilog", args, scratch->path(), job.limits, "compiling " + job.design.name);
    if (!compiled)
        return compiled.error();
    if (compiled->exitCode >= 128)
        return crashed("the compiler iverilog", *compiled, job, *scratch);
    if (compiled->exitCode != 0)
        return Error{"rtl-compile",
                     "the design does not compile: " + named(said(compiled->err + compiled->out, scratch->path()), job),
                     job.design.name,
                     "mend the lines that are named; the module is called array, with the ports of "
                     "labs/rtl/array.sv"};
    const std::string code = scratch->read("design.vvp", job.limits.files);
    if (const std::string task = forbiddenCall(code); !task.empty())
        return Error{"rtl-forbidden", fmt::format("the design calls {}, which is not for designs", task),
                     job.design.name, "take it out: a design neither reads nor writes files here"};
    const auto ran = runTool("vvp", {"-n", "design.vvp"}, scratch->path(), job.limits, "the design's simulation");
    if (!ran)
        return ran.error();
    if (ran->exitCode >= 128)
        return crashed("the simulation", *ran, job, *scratch);
    BenchRun run;
    run.tool = toolOf(code);
    if (!readWords(*ran, job, run))
        return Error{"rtl-ended", "the simulation ended before the testbench was done", job.design.name,
                     "take $finish, $stop and $fatal out of the design; it printed: " +
                         named(said(ran->out + ran->err, scratch->path(), 200), job)};
    if (job.waveCycles > 0)
        run.wave = readWave(scratch->read("wave.vcd", job.limits.files), array);
    return run;
}

} // namespace ridge::rtl
