// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/4-kernel-optimization/fusion_info.h"

namespace ridge::labs {

/// What the tensors of a chain hold: functions of an index.
struct FusionData {
    FusionShape shape;
    std::string input;
    std::uint32_t salt = 0;

    float x(std::uint64_t i) const;
    float residual(std::uint64_t i) const;
    float bias(std::uint64_t column) const;
    float gain(std::uint64_t column) const;
    float shift(std::uint64_t column) const;
    /// Counter-based: whoever computes element i draws the same.
    bool dropped(std::uint64_t i) const;

private:
    float stored(float value) const;
};

/// The chain in double precision, a row at a time, and how far kernels may be off. The bound follows the operators:
/// what the tensor between two kernels rounds to, one rounding of fp32 an operation, the bounds of e^x and of the
/// division that PTX states, and sums of `chain()` additions.
class FusionReference {
public:
    explicit FusionReference(const FusionData& data);
    /// Of element `i`; elements are asked for in order.
    double value(std::uint64_t i);
    bool right(std::uint64_t i, double got) const; ///< of the element that value() was asked for last

private:
    struct Tracked {
        double value = 0, bound = 0;
    };
    void begin(std::uint64_t row);
    void apply(std::uint32_t op, std::uint64_t first);
    void norm(double scale, double mean, double meanBound, double spreadBound);
    void takeNorm();

    const FusionData& m_data;
    std::vector<FusionGroup> m_groups;
    std::vector<Tracked> m_row;
    std::vector<double> m_bias, m_gain, m_shift;
    std::vector<std::pair<double, double>> m_ends; ///< least and largest result of round
};

} // namespace ridge::labs
