// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/eyeriss.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace ridge::accelerator {
namespace {

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

std::uint32_t powerOfTwoUpTo(std::uint32_t most)
{
    std::uint32_t power = 1;
    while (power * 2 <= most)
        power *= 2;
    return power;
}

/// Sets of R x e PEs on the array; a set wider than it is folded into pieces above each other.
std::uint32_t setsOf(const Array& array, std::uint32_t kernel, std::uint32_t e)
{
    const std::uint32_t pieces = static_cast<std::uint32_t>(ceilDiv(e, array.cols));
    const std::uint32_t height = std::min(kernel, array.rows);
    if (std::uint64_t{pieces} * height > array.rows)
        return 0;
    return pieces > 1 ? array.rows / (height * pieces) : array.rows / height * (array.cols / e);
}

struct Traffic {
    std::uint64_t inputRows = 0; ///< read for all strips together, without padding
    std::uint64_t strips = 0;
};

Traffic stripsOf(const RowStationaryLayer& layer, std::uint32_t e)
{
    const Conv& conv = layer.conv;
    Traffic traffic;
    const std::uint64_t outH = conv.outH();
    traffic.strips = ceilDiv(outH, e);
    const std::int64_t real = std::int64_t{conv.inH} - layer.padH;
    for (std::uint64_t s = 0; s < traffic.strips; ++s) {
        const std::uint64_t first = s * e * conv.strideH,
                            last = (std::min((s + 1) * e, outH) - 1) * conv.strideH + conv.kernelH;
        const std::int64_t from = std::max<std::int64_t>(static_cast<std::int64_t>(first), layer.padH);
        const std::int64_t to = std::min<std::int64_t>(static_cast<std::int64_t>(last), real);
        traffic.inputRows += static_cast<std::uint64_t>(std::max<std::int64_t>(0, to - from));
    }
    return traffic;
}

} // namespace

double runLengthBytes(double words, double zeros)
{
    // A word costs 16 + 5 bits and every third 1 more; a run of more than 31 zeros is cut.
    const double coded = words * std::max(1 - zeros, 1.0 / 32) * (64.0 / 3 / 8);
    return std::min(coded, words * 2);
}

Result<RowStationaryRun> runRowStationary(const RowStationaryArray& machine, const RowStationaryLayer& layer)
{
    if (auto good = checkArray(machine.array); !good)
        return good.error();
    if (auto good = checkConv(layer.conv); !good)
        return good.error();
    const Conv& conv = layer.conv;
    if (layer.batch < 1 || layer.batch > 256 || layer.groups < 1 || layer.groups > 65536 ||
        2 * std::uint64_t{layer.padH} >= conv.inH || 2 * std::uint64_t{layer.padW} >= conv.inW)
        return Error{"bad-layer",
                     "a layer needs 1 to 256 images, 1 to 65536 groups and an input larger than its padding", "batch",
                     "give less"};
    if (auto good = checkGemm(gemmOf(conv)); !good)
        return good.error();
    const std::uint64_t outH = conv.outH(), outW = conv.outW(), images = layer.batch;
    const std::uint64_t filters = conv.filters, channels = conv.channels;
    const std::uint64_t width = conv.inW - 2 * std::uint64_t{layer.padW};

    RowStationaryRun best;
    std::optional<std::tuple<double, double, std::uint64_t>> found;
    // A sliding window leaves one word of a PE's input registers free.
    const auto q =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>((machine.inputWords - 1) / conv.kernelW, 1, channels));
    const std::uint32_t mostFilters = std::max<std::uint32_t>(1, machine.filterWords / (q * conv.kernelW));
    const std::uint32_t p =
        powerOfTwoUpTo(static_cast<std::uint32_t>(std::min<std::uint64_t>({machine.sumWords, mostFilters, filters})));
    const std::uint64_t folds = ceilDiv(conv.kernelH, machine.array.rows);
    for (std::uint32_t e = 1;
         e <= std::min<std::uint64_t>(outH, std::uint64_t{machine.array.cols} * machine.array.rows); ++e) {
        const std::uint32_t sets = setsOf(machine.array, conv.kernelH, e);
        if (sets == 0)
            break;
        const Traffic traffic = stripsOf(layer, e);
        const std::uint64_t stripRows = (e - 1) * std::uint64_t{conv.strideH} + conv.kernelH;
        // As many sets as the layer can use, shared out between filters and channels.
        const auto mostR = static_cast<std::uint32_t>(std::min<std::uint64_t>(sets, ceilDiv(channels, q)));
        const auto mostT =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(sets, std::max<std::uint64_t>(1, filters / p)));
        std::uint32_t used = 0;
        for (std::uint32_t r = 1; r <= mostR; ++r)
            used = std::max(used, r * std::min(mostT, sets / r));
        for (std::uint32_t t = 1; t <= mostT; ++t) {
            if (used % t != 0 || used / t > mostR)
                continue;
            const std::uint32_t r = used / t;
            for (std::uint32_t n = 1; n <= images; ++n) {
                const std::uint64_t inputBytes = std::uint64_t{n} * q * r * stripRows * conv.inW * machine.word;
                // As many filters as can keep their sums in the global buffer while all channels pass.
                const std::uint64_t room = machine.bufferBytes > inputBytes ? machine.bufferBytes - inputBytes : 0;
                const std::uint64_t most = room / (n * e * outW * machine.word) / (std::uint64_t{p} * t) * p * t;
                if (most > 0) {
                    const std::uint64_t groups = ceilDiv(filters, most);
                    const std::uint64_t m = ceilDiv(ceilDiv(filters, groups), std::uint64_t{p} * t) * p * t;
                    const std::uint64_t channelPasses = ceilDiv(channels, std::uint64_t{q} * r);
                    const std::uint64_t filterPasses = ceilDiv(filters, std::uint64_t{p} * t);
                    const std::uint64_t imagePasses = ceilDiv(images, n);
                    RowStationaryRun run;
                    run.mapping = {n, static_cast<std::uint32_t>(m), e, p, q, r, t, 0, 0};
                    run.mapping.passes =
                        traffic.strips * channelPasses * filterPasses * imagePasses * folds * layer.groups;
                    run.mapping.activeElements = std::uint64_t{used} * std::min(conv.kernelH, machine.array.rows) * e;
                    const std::uint64_t multiply = std::uint64_t{n} * q * p * outW * conv.kernelW;
                    const std::uint64_t sums = std::uint64_t{n} * p * t * e * outW;
                    const std::uint64_t inputs = std::uint64_t{n} * q * r * stripRows * conv.inW;
                    const std::uint64_t weights = std::uint64_t{p} * t * q * r * conv.kernelH * conv.kernelW;
                    // Weights first, then the first window of every row; sums leave through the rows of a set.
                    const std::uint64_t fill =
                        ceilDiv(weights, machine.filterBus) +
                        ceilDiv(std::uint64_t{conv.kernelW} * stripRows * q * r, machine.inputBus);
                    const std::uint64_t drain = std::uint64_t{conv.kernelH} * r * p;
                    run.cycles =
                        run.mapping.passes *
                        (fill + drain +
                         std::max({multiply, ceilDiv(sums, machine.sumBus), ceilDiv(inputs, machine.inputBus)}));
                    const std::uint64_t results = filters * layer.groups * images * outH * outW;
                    const std::uint64_t inputAll = channels * layer.groups * images * traffic.inputRows * width;
                    const std::uint64_t weightAll =
                        filters * channels * layer.groups * conv.kernelH * conv.kernelW * traffic.strips * imagePasses;
                    run.inputWords = inputAll * filterPasses;
                    run.filterWords = weightAll;
                    run.sumWrites = results * channelPasses * folds;
                    run.sumReads = run.sumWrites - results;
                    const double inputDram = static_cast<double>(inputAll * groups);
                    run.dramInputBytes = runLengthBytes(inputDram, layer.zerosIn);
                    run.dramFilterBytes = 2.0 * static_cast<double>(weightAll);
                    run.dramWriteBytes = runLengthBytes(static_cast<double>(results), layer.zerosOut);
                    run.macs = filters * channels * layer.groups * conv.kernelH * conv.kernelW * images * outH * outW;
                    // Per multiply-add two operands and a sum from and to registers; each word that enters a PE comes
                    // over the network.
                    run.energy = static_cast<double>(run.macs) * (1 + 4) + 2 * static_cast<double>(run.bufferWords()) +
                                 6 * static_cast<double>(run.bufferWords()) + 200 * run.dramBytes() / machine.word;
                    const std::tuple<double, double, std::uint64_t> cost{
                        inputDram + static_cast<double>(weightAll), static_cast<double>(run.bufferWords()), run.cycles};
                    if (!found || cost < *found) {
                        found = cost;
                        best = run;
                    }
                }
            }
        }
    }
    if (!found)
        return Error{"bad-layer", "no part of the layer fits the global buffer", "bandwidth, buffer_kb",
                     "give a larger buffer or a smaller input"};
    return best;
}

} // namespace ridge::accelerator
