// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/failure/checkpoint.h"

#include <cmath>

namespace ridge::cluster {

double youngInterval(const CheckpointCost& c)
{
    return std::sqrt(2 * c.pause * c.mtbf);
}

double dalyInterval(const CheckpointCost& c)
{
    const double half = c.pause / (2 * c.mtbf);
    if (half >= 1)
        return c.mtbf;
    return std::sqrt(2 * c.pause * c.mtbf) * (1 + std::sqrt(half) / 3 + half / 9) - c.pause;
}

double usefulShare(const CheckpointCost& c, double interval)
{
    if (interval <= 0 || c.mtbf <= 0)
        return 0;
    return interval / c.mtbf * std::exp(-(c.stall + c.lag) / c.mtbf) / std::expm1((interval + c.pause) / c.mtbf);
}

double bestInterval(const CheckpointCost& c)
{
    if (c.pause <= 0 || c.mtbf <= 0)
        return 0;
    // The derivative is zero where e^(x + d) (1 - x) = 1, x and d in units of the mtbf; 0 < x < 1.
    const double d = c.pause / c.mtbf;
    double low = 0, high = 1;
    while (high - low > 1e-10 * high) {
        const double x = (low + high) / 2;
        // With small numbers kept exact: expm1(x + d) (1 - x) > x below the solution.
        (std::expm1(x + d) * (1 - x) > x ? low : high) = x;
        if (x == low && x == high)
            break;
    }
    return (low + high) / 2 * c.mtbf;
}

double jobMtbf(double gpus, double nodeGpus, double perThousandNodeDays)
{
    const double aDay = gpus / nodeGpus * perThousandNodeDays / 1000;
    return aDay > 0 ? 86400 / aDay : INFINITY;
}

} // namespace ridge::cluster
