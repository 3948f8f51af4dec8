// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/trainium.h"

#include <algorithm>

namespace ridge::accelerator {
namespace {

constexpr double kVectorFixed = 100, kScalarLeast = 264, kStationarySpeed = 4;
constexpr std::uint64_t kLeastMoving = 64;

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

/// Seconds and instructions of one tile's products: every 128 of k and of m, every 512 of n.
struct TileWork {
    double seconds = 0;
    std::uint64_t instructions = 0;
};
TileWork tensorWork(const NeuronCore& core, std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint32_t word)
{
    const std::uint64_t whole = n / NeuronCore::kMoving, rest = n % NeuronCore::kMoving;
    const std::uint64_t moving = whole * NeuronCore::kMoving + (rest > 0 ? std::max(rest, kLeastMoving) : 0);
    const std::uint64_t stationary = ceilDiv(k, NeuronCore::kPartitions) * ceilDiv(m, NeuronCore::kPartitions);
    const double slower = word == 4 ? 4 : 1;
    return {double(stationary * moving) * slower / core.tensorClock, stationary * (whole + (rest > 0))};
}

double evictSeconds(const NeuronCore& core, Evict evict, std::uint64_t m, std::uint64_t n)
{
    const auto rows = double(ceilDiv(m, NeuronCore::kPartitions));
    const std::uint64_t banks = ceilDiv(n, NeuronCore::kMoving);
    if (evict == Evict::Vector)
        return rows * (double(n) + kVectorFixed * double(banks)) / core.vectorClock;
    const std::uint64_t last = n - (banks - 1) * NeuronCore::kMoving;
    const double cycles = double(banks - 1) * double(NeuronCore::kMoving) + std::max(double(last), kScalarLeast);
    return rows * cycles / core.scalarClock;
}

/// Queues that each set a transfer up, and one path to memory that moves a byte at a time.
class Dma {
public:
    Dma(const NeuronCore& core) : m_core(core), m_queues(std::max<std::uint32_t>(1, core.queues), 0.0) {}
    struct Move {
        double begin, end;
    };
    Move move(double from, double bytes)
    {
        auto queue = std::min_element(m_queues.begin(), m_queues.end());
        const double ready = std::max(from, *queue) + m_core.dmaSetup;
        const double begin = std::max(ready, m_path), length = bytes / m_core.bytesPerS;
        m_path = *queue = begin + length;
        ++transfers;
        busy += length;
        return {std::max(begin, 0.0), m_path};
    }
    std::uint64_t transfers = 0;
    double busy = 0;

private:
    const NeuronCore& m_core;
    std::vector<double> m_queues;
    double m_path = 0;
};

} // namespace

Result<TileFit> tileFit(const NeuronCore& core, const Gemm& gemm, const NeuronTiles& tiles, std::uint32_t word)
{
    if (auto good = checkGemm(gemm); !good)
        return good.error();
    if (tiles.m == 0 || tiles.n == 0 || tiles.k == 0 || tiles.buffers == 0)
        return Error{"bad-tile", "a tile has a size of 0", "tile_m, tile_n, tile_k", "give 1 or more"};
    if (word != 1 && word != 2 && word != 4)
        return Error{"bad-tile", "operands have 1, 2 or 4 bytes", "parameter dtype", "set fp8, bf16 or fp32"};
    const std::uint64_t m = std::min<std::uint64_t>(tiles.m, gemm.m), n = std::min<std::uint64_t>(tiles.n, gemm.n),
                        k = std::min<std::uint64_t>(tiles.k, gemm.k);
    if (ceilDiv(gemm.m, m) * ceilDiv(gemm.n, n) > kMostNeuronSteps / ceilDiv(gemm.k, k))
        return Error{"bad-tile", "the product has more than two million tiles", "tile_m, tile_n, tile_k",
                     "give larger tiles"};
    TileFit fit;
    const std::uint64_t rows = ceilDiv(m, NeuronCore::kPartitions);
    fit.sbufLimit = core.sbufBytes / NeuronCore::kPartitions;
    fit.sbufPerPartition = tiles.buffers * word * (ceilDiv(k, NeuronCore::kPartitions) * (m + n) + rows * n);
    const std::uint64_t banks = rows * ceilDiv(n, NeuronCore::kMoving) * std::min<std::uint64_t>(tiles.buffers, 2);
    fit.banks = static_cast<std::uint32_t>(std::min<std::uint64_t>(banks, UINT32_MAX));
    fit.bankLimit = core.psumBanks;
    return fit;
}

Result<NeuronRun> runNeuron(const NeuronCore& core, const Gemm& gemm, const NeuronTiles& tiles, std::uint32_t word,
                            std::size_t keep)
{
    const auto fit = tileFit(core, gemm, tiles, word);
    if (!fit)
        return fit.error();
    if (!fit->fits())
        return Error{"tile-too-large",
                     fit->banks > fit->bankLimit ? "the tile of C needs more banks than PSUM has"
                                                 : "the tiles need more of a partition than SBUF has",
                     "tile_m, tile_n, tile_k", "give smaller tiles or fewer buffers"};
    NeuronRun run;
    Dma dma(core);
    const std::size_t buffers = tiles.buffers, sums = std::min<std::size_t>(buffers, 2);
    std::vector<double> loadFree(buffers, 0.0), sumFree(sums, 0.0), outFree(buffers, 0.0);
    double tensorFree = 0, evictFree = 0;
    const auto note = [&](NeuronSpan::Lane lane, double begin, double end, std::uint64_t step) {
        if (run.spans.size() < keep)
            run.spans.push_back({lane, begin, end, step});
    };
    std::uint64_t output = 0;
    struct Pending { // a result on its way out: DMA takes it in the order of time, behind the loads that are due before
        double ready, bytes;
        std::size_t buffer;
        std::uint64_t output;
    };
    std::vector<Pending> pending;
    const auto storeDue = [&](double until) {
        while (!pending.empty() && pending.front().ready <= until) {
            const Pending out = pending.front();
            pending.erase(pending.begin());
            const auto moved = dma.move(out.ready, out.bytes);
            outFree[out.buffer] = moved.end;
            run.storeBytes += out.bytes;
            run.time = std::max(run.time, moved.end);
            note(NeuronSpan::Lane::Store, moved.begin, moved.end, out.output);
        }
    };
    // The first stationary operand has nothing to hide behind.
    tensorFree = double(std::min<std::uint64_t>({tiles.m, gemm.m, NeuronCore::kPartitions})) / kStationarySpeed /
                 core.tensorClock;
    const double firstLoad = tensorFree;
    for (std::uint64_t m0 = 0; m0 < gemm.m; m0 += tiles.m) {
        const std::uint64_t m = std::min<std::uint64_t>(tiles.m, gemm.m - m0);
        for (std::uint64_t n0 = 0; n0 < gemm.n; n0 += tiles.n) {
            const std::uint64_t n = std::min<std::uint64_t>(tiles.n, gemm.n - n0);
            double summed = 0;
            for (std::uint64_t k0 = 0; k0 < gemm.k; k0 += tiles.k) {
                const std::uint64_t k = std::min<std::uint64_t>(tiles.k, gemm.k - k0);
                double& buffer = loadFree[run.steps % buffers];
                storeDue(buffer);
                const double a = double(k * m * word), b = double(k * n * word);
                const auto loadA = dma.move(buffer, a), loadB = dma.move(buffer, b);
                note(NeuronSpan::Lane::Load, loadA.begin, loadA.end, run.steps);
                note(NeuronSpan::Lane::Load, loadB.begin, loadB.end, run.steps);
                run.loadBytes += a + b;
                const TileWork work = tensorWork(core, m, n, k, word);
                double begin = std::max(tensorFree, std::max(loadA.end, loadB.end));
                if (run.steps == 0)
                    begin = std::max(loadA.end, loadB.end) + firstLoad;
                if (k0 == 0)
                    begin = std::max(begin, sumFree[output % sums]);
                summed = tensorFree = buffer = begin + work.seconds;
                run.tensorBusy += work.seconds;
                run.instructions += work.instructions;
                note(NeuronSpan::Lane::Tensor, begin, summed, run.steps);
                ++run.steps;
            }
            const std::size_t out = output % buffers;
            if (std::any_of(pending.begin(), pending.end(), [&](const Pending& p) { return p.buffer == out; }))
                storeDue(pending.back().ready);
            const double begin = std::max({summed, evictFree, outFree[out]});
            const double length = evictSeconds(core, tiles.evict, m, n);
            evictFree = sumFree[output % sums] = begin + length;
            run.evictBusy += length;
            note(NeuronSpan::Lane::Evict, begin, evictFree, output);
            pending.push_back({evictFree, double(m * n * word), out, output});
            ++output;
        }
    }
    storeDue(pending.empty() ? 0 : pending.back().ready);
    run.transfers = dma.transfers;
    run.dmaBusy = dma.busy;
    run.setupTime = double(dma.transfers) * core.dmaSetup;
    run.intensity = 2 * double(gemm.macs()) / run.loadBytes;
    return run;
}

Result<NeuronBest> bestTiles(const NeuronCore& core, const Gemm& gemm, std::uint32_t buffers, Evict evict,
                             std::uint32_t word)
{
    NeuronBest best;
    constexpr std::uint64_t kEnough = 1u << 14; // a cut into more tiles than that never wins where a coarser one fits
    const auto past = [](std::uint64_t tile, std::uint64_t side) { return tile >= 2 * side; };
    for (const bool all : {false, true}) {
        for (std::uint32_t m = 128; m <= 1024 && (m == 128 || !past(m, gemm.m)); m *= 2)
            for (std::uint32_t n = 64; n <= 4096 && (n == 64 || !past(n, gemm.n)); n *= 2)
                for (std::uint32_t k = 128; k <= 8192 && (k == 128 || !past(k, gemm.k)); k *= 2) {
                    const NeuronTiles tiles{m, n, k, buffers, evict};
                    const auto fit = tileFit(core, gemm, tiles, word);
                    if (!fit || !fit->fits())
                        continue;
                    if (!all && ceilDiv(gemm.m, m) * ceilDiv(gemm.n, n) * ceilDiv(gemm.k, k) > kEnough)
                        continue;
                    const auto run = runNeuron(core, gemm, tiles, word);
                    if (!run)
                        return run.error();
                    ++best.tried;
                    if (best.time == 0 || run->time < best.time) {
                        best.time = run->time;
                        best.tiles = tiles;
                    }
                }
        if (best.tried > 0)
            return best;
    }
    return Error{"bad-tile", "no cut of the product fits", "m, n, k", "give fewer buffers or a smaller product"};
}

} // namespace ridge::accelerator
