// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/codesign.h"

#include <algorithm>
#include <numeric>

namespace ridge::accelerator {

double relativeMultiplier(Precision precision)
{
    switch (precision) {
    case Precision::Int8:
        return 1;
    case Precision::Bf16:
        return 0.21 / 0.07;
    case Precision::Fp16:
        return 0.34 / 0.07;
    case Precision::Fp32:
        return 1.31 / 0.07;
    }
    return 1;
}

std::uint32_t bytesOf(Precision precision)
{
    return precision == Precision::Int8 ? 1 : precision == Precision::Fp32 ? 4 : 2;
}

CodesignResult evaluateDesign(const CodesignPoint& point, const CodesignCosts& costs,
                              std::span<const CodesignLayer> layers)
{
    const std::uint32_t word = bytesOf(costs.precision);
    RealArray real;
    real.dramWordsPerCycle = point.bytesPerS / costs.clock / word;
    for (auto& buffer : real.bufferWords)
        buffer = std::uint64_t{point.sramKb} * 1024 / word / 3;
    double cycles = 0, words = 0, macs = 0;
    for (const CodesignLayer& layer : layers) {
        const RealRun run = runReal(point.array, Dataflow::WeightStationary, layer.gemm, real);
        const auto times = static_cast<double>(layer.times);
        cycles += static_cast<double>(run.cycles) * times;
        words += static_cast<double>(run.dramA + run.dramB + run.dramWrites) * times;
        macs += static_cast<double>(layer.gemm.macs()) * times;
    }
    const auto elements = static_cast<double>(point.array.elements());
    const double multipliers = elements * relativeMultiplier(costs.precision), kb = point.sramKb;
    CodesignResult result;
    result.time = cycles / costs.clock;
    result.area = 0.00111 * multipliers + 0.001802 * kb + 0.2508;
    const double chip = (0.000346 * multipliers + 0.0000288 * kb + 0.0302) * costs.clock / 1e9;
    result.watts = chip + point.bytesPerS * costs.dramJoulesPerByte;
    result.dramBytes = words * word;
    result.joules = chip * result.time + result.dramBytes * costs.dramJoulesPerByte;
    result.utilization = cycles > 0 ? macs / (elements * cycles) : 0;
    return result;
}

std::vector<CodesignPoint> designGrid()
{
    std::vector<CodesignPoint> grid;
    for (std::uint32_t rows = 4; rows <= 512; rows *= 2)
        for (std::uint32_t cols = 4; cols <= 512; cols *= 2)
            for (std::uint32_t sram = 0; sram < 13; ++sram)
                for (std::uint32_t bandwidth = 0; bandwidth < 13; ++bandwidth)
                    grid.push_back({{rows, cols}, 16u << sram, 1e9 * double(1u << bandwidth)});
    return grid;
}

std::vector<std::size_t> designFront(std::span<const CodesignResult> results, double areaBudget, double wattBudget)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < results.size(); ++i)
        if ((areaBudget <= 0 || results[i].area <= areaBudget) && (wattBudget <= 0 || results[i].watts <= wattBudget))
            order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const CodesignResult &x = results[a], &y = results[b];
        return x.time != y.time ? x.time < y.time : x.area != y.area ? x.area < y.area : x.watts < y.watts;
    });
    std::vector<std::size_t> front;
    for (const std::size_t at : order) {
        const bool beaten = std::any_of(front.begin(), front.end(), [&](std::size_t f) {
            return results[f].area <= results[at].area && results[f].watts <= results[at].watts;
        });
        if (!beaten)
            front.push_back(at);
    }
    return front;
}

} // namespace ridge::accelerator
