// SPDX-License-Identifier: GPL-3.0-or-later
// Random samples as numpy's default_rng(seed) gives them, so that anyone can repeat an experiment in two lines.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::memory {

/// numpy.random.default_rng(seed): SeedSequence, PCG64 (O'Neill 2014), and numpy's ziggurat and gamma methods. The
/// integers are the same bits, as is what comes from them by log; normals agree to 2e-14 of their size, as numpy's
/// tables of the ziggurat were made with more digits than ours.
class NumpyRng {
public:
    explicit NumpyRng(std::uint64_t seed);
    std::uint64_t next();
    double uniform();                ///< random(): [0, 1) with 53 bits
    double normal();                 ///< standard_normal(): Marsaglia and Tsang 2000, 256 layers
    double laplace();                ///< laplace()
    double gamma(double shape);      ///< standard_gamma(shape), above 1: Marsaglia and Tsang 2000
    double studentT(double degrees); ///< standard_t(degrees), above 2

private:
    std::uint64_t m_high = 0, m_low = 0, m_stepHigh = 0, m_stepLow = 0;
};

/// NormalOutliers: normal, then x[rng.random(n) < 0.001] *= 20.
enum class Distribution : std::uint8_t { Normal, Laplace, StudentT5, NormalOutliers };

// Dettmers et al. 2022 (LLM.int8()): features up to 20 times larger than others, about 0.1 % of them.
inline constexpr double kOutlierShare = 0.001;
inline constexpr double kOutlierFactor = 20;

std::vector<double> drawSamples(Distribution distribution, std::size_t count, std::uint64_t seed);

/// A file of float64 (little-endian): numbers alone, as numpy's tofile writes them, or an .npy file of them, whatever
/// its shape. Errors: "bad-samples" with what it is instead; `place` names the file.
Result<std::vector<double>> parseSamples(std::string_view bytes, const std::string& place);

} // namespace ridge::memory
