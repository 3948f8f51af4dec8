// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "labs/harness/small_formats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

/// Attention of the stand-ins: heads x tokens x columns of 16 bits without gaps.
namespace fake {

struct AttentionBuffers {
    const std::uint8_t *q = nullptr, *k = nullptr, *v = nullptr;
    std::uint8_t* out = nullptr;
};

struct AttentionWork {
    std::uint64_t heads = 0, keyHeads = 0, tokens = 0, columns = 0;
    bool bf16 = false, causal = false;
    bool wide = false;             ///< its result is fp32
    double scale = 1, nothing = 0; ///< nothing: the score of a key that is masked
};

/// `wrong`: the last element is.
inline void attend(const AttentionBuffers& at, const AttentionWork& work, bool wrong)
{
    const ridge::labs::SmallFormat& format = work.bf16 ? ridge::labs::kBf16 : ridge::labs::kFp16;
    const auto value = [&](const std::uint8_t* from, std::uint64_t index) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from + 2 * index, 2);
        return ridge::labs::valueOf(format, bits);
    };
    const std::uint64_t n = work.tokens, d = work.columns;
    std::vector<double> scores(n);
    for (std::uint64_t row = 0; row < work.heads * n; ++row) {
        const std::uint64_t keys = row / n / (work.heads / work.keyHeads) * n;
        double top = -INFINITY, below = 0;
        for (std::uint64_t key = 0; key < n; ++key) {
            double score = 0;
            for (std::uint64_t c = 0; c < d; ++c)
                score += value(at.q, row * d + c) * value(at.k, (keys + key) * d + c);
            scores[key] = work.causal && key > row % n ? work.nothing : score * work.scale;
            top = std::max(top, scores[key]);
        }
        for (double& score : scores)
            below += score = std::exp(score - top);
        for (std::uint64_t c = 0; c < d; ++c) {
            double sum = 0;
            for (std::uint64_t key = 0; key < n; ++key)
                sum += scores[key] == 0 ? 0 : scores[key] * value(at.v, (keys + key) * d + c);
            const bool last = row == work.heads * n - 1 && c == d - 1;
            const double out = wrong && last ? 2 * sum / below + 1 : sum / below;
            if (work.wide) {
                const auto narrow = static_cast<float>(out);
                std::memcpy(at.out + 4 * (row * d + c), &narrow, 4);
                continue;
            }
            const auto bits = static_cast<std::uint16_t>(ridge::labs::roundTo(format, out));
            std::memcpy(at.out + 2 * (row * d + c), &bits, 2);
        }
    }
}

} // namespace fake
