// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/lost_bits.h"

#include <algorithm>
#include <numeric>

namespace ridge::labs {

double lostByFp8(std::span<const double> magnitudes)
{
    constexpr std::size_t kStep = 32; // of k in one instruction
    double sum = 0, lost = 0;
    for (std::size_t first = 0; first < magnitudes.size(); first += kStep) {
        const auto step = magnitudes.subspan(first, std::min(kStep, magnitudes.size() - first));
        sum = std::accumulate(step.begin(), step.end(), sum);
        const double unit = sum * 0x1p-13;
        lost += unit; // of the sum before
        for (const double magnitude : step)
            lost += std::min(magnitude, unit);
    }
    return lost;
}

} // namespace ridge::labs
