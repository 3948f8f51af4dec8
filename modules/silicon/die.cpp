// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/die.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ridge::silicon {

double diesPerWafer(double areaMm2, double waferMm)
{
    if (areaMm2 <= 0)
        return 0;
    const double radius = waferMm / 2;
    const double whole = std::numbers::pi * radius * radius / areaMm2;
    return std::max(0.0, whole - std::numbers::pi * waferMm / std::sqrt(2 * areaMm2));
}

double poissonYield(double areaMm2, double defectsPerCm2)
{
    return std::exp(-areaMm2 / 100 * defectsPerCm2);
}

double murphyYield(double areaMm2, double defectsPerCm2)
{
    const double defects = areaMm2 / 100 * defectsPerCm2;
    if (defects < 1e-9)
        return 1;
    const double root = -std::expm1(-defects) / defects;
    return root * root;
}

const std::array<KnownDie, 3>& knownDies()
{
    static const std::array<KnownDie, 3> all{
        {{"h100-sxm", 814, "4N", 16988}, {"a100-sxm-80", 826, "7 nm", 9346}, {"v100-sxm2-32", 815, "12 nm", 3984}}};
    return all;
}

const std::array<OperationCost, 8>& operationCosts()
{
    static const std::array<OperationCost, 8> all{{{"int8 add", 36, 0.03},
                                                   {"int32 add", 137, 0.1},
                                                   {"fp16 add", 1360, 0.4},
                                                   {"fp32 add", 4184, 0.9},
                                                   {"int8 multiply", 282, 0.2},
                                                   {"int32 multiply", 3495, 3.1},
                                                   {"fp16 multiply", 1640, 1.1},
                                                   {"fp32 multiply", 7700, 3.7}}};
    return all;
}

double macAreaUm2()
{
    return operationCosts()[6].areaUm2 + operationCosts()[3].areaUm2;
}

} // namespace ridge::silicon
