// SPDX-License-Identifier: GPL-3.0-or-later
// From the area of a die to how many good ones a wafer gives and what one costs, and from an operation to its area.
//
// Sources
//   dies on a wafer: pi (d/2)^2 / A - pi d / sqrt(2 A), de Vries, "Investigation of gross die per wafer formulas", IEEE
//     Transactions on Semiconductor Manufacturing 18(1), 2005
//   yield: Poisson exp(-A D); Murphy ((1 - exp(-A D)) / (A D))^2, B. T. Murphy, "Cost-size optima of monolithic
//     integrated circuits", Proceedings of the IEEE 52(12), 1964
//   H100: 814 mm2, TSMC 4N, "NVIDIA H100 Tensor Core GPU Architecture"
//   A100: 826 mm2, 7 nm, "NVIDIA A100 Tensor Core GPU Architecture"
//   V100: 815 mm2, 12 nm, "NVIDIA Tesla V100 GPU Architecture"
//   largest field of a scanner: 26 mm x 33 mm
//   defects: 0.10 to 0.11 a cm2 on N5 in 2020 (TSMC's Technology Symposium, as AnandTech reported on 2020-08-25)
//   price of a wafer of 300 mm: 16,988 $ at 5 nm, 9,346 $ at 7 nm, 3,984 $ at 16 and 12 nm, Khan and Mann, "AI Chips:
//     What They Are and Why They Matter", CSET, April 2020, table 9
//   area and energy of operations at 45 nm: Hennessy and Patterson, "Computer Architecture", 6th edition, 2017, figure
//     1.13. Its energies are those of Horowitz, "Computing's energy problem", ISSCC 2014, figure 1.1.9; its areas were
//     synthesized with Design Compiler for TSMC's 45 nm
#pragma once

#include <array>
#include <string_view>

namespace ridge::silicon {

inline constexpr double kWaferMm = 300;            ///< diameter
inline constexpr double kReticleMm2 = 26.0 * 33.0; ///< no die is larger
inline constexpr double kDefectsPerCm2 = 0.10;     ///< N5, 2020

/// Of a square die; scribe lines and the edge that is not printed are not counted. 0: none fits.
double diesPerWafer(double areaMm2, double waferMm = kWaferMm);
double poissonYield(double areaMm2, double defectsPerCm2);
double murphyYield(double areaMm2, double defectsPerCm2);

struct KnownDie {
    std::string_view chip; ///< an id of the chip catalogue
    double areaMm2 = 0;
    std::string_view node;
    double waferDollars = 0; ///< CSET 2020, of the node of that name or its family
};
/// V100, A100, H100.
const std::array<KnownDie, 3>& knownDies();

struct OperationCost {
    std::string_view name; ///< "fp16 multiply"
    double areaUm2 = 0, picojoules = 0;
};
/// At 45 nm.
const std::array<OperationCost, 8>& operationCosts();
/// A multiplier of 16 bits and an adder of 32, which is what a MAC of a matrix unit has at least. In um2.
double macAreaUm2();

} // namespace ridge::silicon
