// SPDX-License-Identifier: GPL-3.0-or-later
#include "rtl/verdict.h"

#include "accelerator/systolic_values.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::rtl {
namespace {

using namespace accelerator;

Operands operandsOf(const Job& job, const Tile& tile)
{
    return {{job.stream, job.array.cols, job.array.rows}, tile.activations, tile.weights};
}

std::string text(const WaveValue& value)
{
    return value.known ? fmt::format("{}", value.value) : "x";
}

Result<void> judgeResults(const Job& job, const BenchRun& run, std::size_t index, Verdict& verdict)
{
    auto engine = ArrayEngine::make(job.array, Dataflow::WeightStationary, operandsOf(job, job.tiles[index]));
    if (!engine)
        return engine.error();
    engine->step(engine->cycles());
    const auto expected = engine->product();
    const std::vector<WaveValue>* given = index < run.tiles.size() ? &run.tiles[index].results : nullptr;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ++verdict.results;
        const bool there = given != nullptr && i < given->size();
        if (there && (*given)[i].known && (*given)[i].value == expected[i])
            continue;
        ++verdict.wrong;
        verdict.unknown += there && !(*given)[i].known;
        if (verdict.firstWrong.empty())
            verdict.firstWrong =
                fmt::format("tile {}, row {}, column {}: {}, the engine has {}", index, i / job.array.cols,
                            i % job.array.cols, there ? text((*given)[i]) : "no result", expected[i]);
    }
    return {};
}

/// The registers after every cycle of a tile that ran without gaps and holds.
Result<void> judgeRegisters(const Job& job, const BenchRun& run, std::size_t index, Verdict& verdict)
{
    const Tile& tile = job.tiles[index];
    if (tile.gaps || tile.holds || index >= run.tiles.size())
        return {};
    auto view = ArrayView::make(job.array, Dataflow::WeightStationary, operandsOf(job, tile));
    if (!view)
        return view.error();
    ArrayMoment moment;
    const std::uint64_t began = run.tiles[index].started;
    for (std::uint64_t t = 0; t < view->cycles() && began + t < run.wave.cycles.size(); ++t) {
        view->at(t, moment);
        const WaveMoment& wave = run.wave.cycles[began + t];
        const auto look = [&](const char* what, std::size_t at, const WaveValue& has, std::int32_t expected) {
            ++verdict.registers;
            if (has.known && has.value == expected)
                return;
            ++verdict.registersWrong;
            if (verdict.firstRegister.empty())
                verdict.firstRegister =
                    fmt::format("tile {}, cycle {}: the {} of PE {}, {} is {}, the engine has {}", index, t, what,
                                at / job.array.cols, at % job.array.cols, text(has), expected);
        };
        for (std::size_t at = 0; at < job.array.elements(); ++at) {
            if (at / job.array.cols <= t) // rows that this tile's weights have reached
                look("weight", at, wave.weight[at], moment.held[at]);
            look("activation", at, wave.activation[at], moment.moving[at]);
            look("sum", at, wave.sum[at], moment.sum[at]);
        }
    }
    return {};
}

} // namespace

Result<Verdict> judge(const Job& job, const BenchRun& run)
{
    Verdict verdict;
    verdict.expected = job.cycles();
    for (std::size_t i = 0; i < job.tiles.size(); ++i) {
        if (auto good = judgeResults(job, run, i, verdict); !good)
            return good.error();
        if (run.wave.whole(job.array))
            if (auto good = judgeRegisters(job, run, i, verdict); !good)
                return good.error();
    }
    if (!run.tiles.empty()) {
        const std::uint64_t began = run.tiles.front().started, ended = run.tiles.back().ended;
        verdict.cycles = ended > began ? ended - began : 0;
        for (const TileRun& tile : run.tiles)
            verdict.cycles -= std::min(verdict.cycles, tile.gaps + tile.holds);
    }
    return verdict;
}

} // namespace ridge::rtl
