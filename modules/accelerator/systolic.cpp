// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/systolic.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ridge::accelerator {
namespace {

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

} // namespace

Result<Dataflow> dataflowNamed(std::string_view name)
{
    if (name == "os")
        return Dataflow::OutputStationary;
    if (name == "ws")
        return Dataflow::WeightStationary;
    if (name == "is")
        return Dataflow::InputStationary;
    return Error{"bad-dataflow", "there is no dataflow \"" + std::string(name) + "\" of a systolic array", "dataflow",
                 "write os, ws or is"};
}

const char* nameOf(Dataflow dataflow)
{
    return dataflow == Dataflow::OutputStationary ? "os" : dataflow == Dataflow::WeightStationary ? "ws" : "is";
}

Result<void> checkArray(const Array& array)
{
    for (const auto& [name, side] : {std::pair{"rows", array.rows}, {"cols", array.cols}})
        if (side < 1 || side > Array::kMostSide)
            return Error{"bad-array", "an array of " + std::to_string(side) + " " + name + " cannot be", name,
                         "give 1 to " + std::to_string(Array::kMostSide)};
    return {};
}

Result<void> checkGemm(const Gemm& gemm)
{
    for (const auto& [name, side] : {std::pair{"m", gemm.m}, {"n", gemm.n}, {"k", gemm.k}})
        if (side < 1 || side > Gemm::kMostSide)
            return Error{"bad-layer",
                         "a product with " + std::string(name) + " = " + std::to_string(side) + " cannot be", name,
                         "give 1 to " + std::to_string(Gemm::kMostSide)};
    if (gemm.m * gemm.n > Gemm::kMostMacs / gemm.k)
        return Error{"bad-layer", "the product has more than 2^56 multiplications", "m n k", "make it smaller"};
    return {};
}

Result<void> checkConv(const Conv& conv)
{
    constexpr std::uint32_t most = Gemm::kMostSide;
    for (const auto& [name, value] : {std::pair{"in_h", conv.inH},
                                      {"in_w", conv.inW},
                                      {"kernel_h", conv.kernelH},
                                      {"kernel_w", conv.kernelW},
                                      {"channels", conv.channels},
                                      {"filters", conv.filters},
                                      {"stride", conv.strideH},
                                      {"stride", conv.strideW}})
        if (value < 1 || value > most)
            return Error{"bad-layer",
                         "a convolution with " + std::string(name) + " = " + std::to_string(value) + " cannot be", name,
                         "give 1 to " + std::to_string(most)};
    if (std::uint64_t{conv.kernelH} * conv.kernelW > Gemm::kMostSide / conv.channels)
        return Error{"bad-layer", "a filter has more than 2^24 weights", "kernel_h, kernel_w, channels",
                     "give a smaller one"};
    if (conv.kernelH > conv.inH || conv.kernelW > conv.inW)
        return Error{"bad-layer",
                     "a filter of " + std::to_string(conv.kernelH) + " x " + std::to_string(conv.kernelW) +
                         " is larger than its input of " + std::to_string(conv.inH) + " x " + std::to_string(conv.inW),
                     "kernel_h, kernel_w", "give a smaller filter, or add the padding to in_h and in_w"};
    return {};
}

Gemm gemmOf(const Conv& conv)
{
    return {conv.outH() * conv.outW(), conv.filters, conv.window()};
}

Conv convOf(const Gemm& gemm)
{
    Conv conv;
    conv.inH = static_cast<std::uint32_t>(gemm.m);
    conv.inW = conv.kernelW = static_cast<std::uint32_t>(gemm.k);
    conv.filters = static_cast<std::uint32_t>(gemm.n);
    return conv;
}

Folding foldingOf(const Array& array, Dataflow dataflow, const Gemm& gemm)
{
    Folding folding;
    const bool output = dataflow == Dataflow::OutputStationary;
    folding.rows = output ? gemm.m : gemm.k;
    folding.cols = dataflow == Dataflow::InputStationary ? gemm.m : gemm.n;
    folding.stream = output ? gemm.k : dataflow == Dataflow::WeightStationary ? gemm.m : gemm.n;
    folding.rowFolds = ceilDiv(folding.rows, array.rows);
    folding.colFolds = ceilDiv(folding.cols, array.cols);
    folding.perFold = (output ? 0 : array.rows) + std::uint64_t{array.rows} + array.cols + folding.stream - 2;
    return folding;
}

SramCounts sramCounts(const Array& array, Dataflow dataflow, const Gemm& gemm)
{
    const Folding folding = foldingOf(array, dataflow, gemm);
    switch (dataflow) {
    case Dataflow::OutputStationary:
        return {gemm.m * gemm.k * folding.colFolds, gemm.k * gemm.n * folding.rowFolds, gemm.m * gemm.n};
    case Dataflow::WeightStationary:
        return {gemm.m * gemm.k * folding.colFolds, gemm.k * gemm.n, gemm.m * gemm.n * folding.rowFolds};
    case Dataflow::InputStationary:
        break;
    }
    return {gemm.m * gemm.k, gemm.k * gemm.n * folding.colFolds, gemm.m * gemm.n * folding.rowFolds};
}

RealRun runReal(const Array& array, Dataflow dataflow, const Gemm& gemm, const RealArray& real)
{
    const Folding folding = foldingOf(array, dataflow, gemm);
    RealRun run;
    run.sram = sramCounts(array, dataflow, gemm);
    // A fold takes as long as it streams, or as the next one's operand (or, where the sums stay, this one's results)
    // needs to pass through the rows.
    const std::uint64_t each = std::max<std::uint64_t>(folding.stream, array.rows);
    run.compute = (folding.folds() - 1) * each + folding.stream + 2 * std::uint64_t{array.rows} + array.cols - 2;

    const auto fits = [&](int which, std::uint64_t words) { return words <= real.bufferWords[which] / 2; };
    const std::uint64_t a = gemm.m * gemm.k, b = gemm.k * gemm.n, c = gemm.m * gemm.n;
    const std::uint64_t r = array.rows, l = array.cols;
    run.dramA = a;
    run.dramB = b;
    run.dramWrites = c;
    // What stays is read once. What streams is read again for each fold of the other direction, unless it, or the strip
    // of it that consecutive folds share, fits.
    switch (dataflow) {
    case Dataflow::OutputStationary: // m by rows, n by columns
        if (!fits(0, a) && !fits(1, b)) {
            const std::uint64_t byRows = fits(0, std::min(r, gemm.m) * gemm.k) ? a + b * folding.rowFolds : ~0ull;
            const std::uint64_t byCols = fits(1, std::min(l, gemm.n) * gemm.k) ? a * folding.colFolds + b : ~0ull;
            if (byRows == ~0ull && byCols == ~0ull) {
                run.dramA = a * folding.colFolds;
                run.dramB = b * folding.rowFolds;
            } else if (byRows <= byCols)
                run.dramB = b * folding.rowFolds;
            else
                run.dramA = a * folding.colFolds;
        }
        break;
    case Dataflow::WeightStationary: // k by rows, n by columns, m streams
        // A strip of A (m x R) serves all column folds, if the sums of all of C can wait; else A comes again.
        if (!fits(0, a) && !(fits(2, c) && fits(0, gemm.m * std::min(r, gemm.k))))
            run.dramA = a * folding.colFolds;
        break;
    case Dataflow::InputStationary: // k by rows, m by columns, n streams
        if (!fits(1, b) && !(fits(2, c) && fits(1, gemm.n * std::min(r, gemm.k))))
            run.dramB = b * folding.colFolds;
        break;
    }
    // Sums of one column fold that do not fit go out and come back for each further row fold.
    if (dataflow != Dataflow::OutputStationary) {
        const std::uint64_t sums = folding.stream * std::min(folding.cols, l);
        if (!fits(2, sums))
            run.dramWrites = c * folding.rowFolds;
    }

    std::uint64_t wait = 0;
    if (real.dramWordsPerCycle > 0) {
        const auto words = static_cast<double>(run.dramA + run.dramB) + static_cast<double>(run.dramWrites) +
                           static_cast<double>(run.dramWrites - c);
        const auto cyclesOf = [&](double count) {
            return static_cast<std::uint64_t>(std::ceil(count / real.dramWordsPerCycle));
        };
        // The first fold's operands come before anything can run, the last one's results go after.
        const double stationary = dataflow == Dataflow::OutputStationary
                                      ? 0
                                      : static_cast<double>(std::min(folding.rows, r) * std::min(folding.cols, l));
        const std::uint64_t before = cyclesOf(stationary + static_cast<double>(std::min(folding.rows, r)));
        const std::uint64_t after = cyclesOf(static_cast<double>(std::min(folding.cols, l)));
        const std::uint64_t transfer = cyclesOf(words);
        const std::uint64_t inner = transfer > before + after ? transfer - before - after : 0;
        wait = before + after + (inner > run.compute ? inner - run.compute : 0);
    }
    run.stalls = wait + real.launchCycles;
    run.cycles = run.compute + run.stalls;
    return run;
}

} // namespace ridge::accelerator
