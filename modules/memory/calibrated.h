// SPDX-License-Identifier: GPL-3.0-or-later
// Quantization of a layer y = W x that looks at inputs which the layer saw.
#pragma once

#include "memory/quantize.h"

#include <functional>

namespace ridge::memory {

/// Rows of x, one a token.
struct LayerInputs {
    std::span<const float> values;
    std::size_t columns = 0;
    std::size_t tokens() const { return columns ? values.size() / columns : 0; }
};

struct CalibrationOptions {
    double damping = 0.01;          ///< GPTQ: of the mean of the Hessian's diagonal, added to it (Frantar et al. 2023)
    int steps = 20;                 ///< AWQ: exponents 0, 1/steps … below 1 (Lin et al. 2024)
    std::size_t searchedRows = 512; ///< AWQ: of W, evenly spaced, that the search looks at
    double migration = 0.5;         ///< SmoothQuant: how much of the outliers W takes over (Xiao et al. 2023)
    std::function<bool()> stop;     ///< asked now and then; may be empty
};

struct QuantizedLayer {
    Quantized weights;                ///< of W, its columns times channelScales
    std::vector<float> channelScales; ///< s of Q(W s) (x / s); empty: none
    double exponent = 0;              ///< of s: what AWQ found, or the migration
};

// The Hessian of 8192 inputs has 256 MiB.
inline constexpr std::size_t kMostHessianColumns = 8192;

/// W by the method of the scheme:
/// - Rtn: as quantize().
/// - Gptq: column by column; the error of each moves the ones after it so that the outputs of `inputs` change least.
///   Scales of groups are found when their first column is reached; those of rows, tensors and of groups above 1024
///   from W. GptqOrdered: columns with the largest inputs first, scales from W (the "static groups" of GPTQ's code).
/// - Awq: columns with large inputs are scaled up before they are rounded; the exponent that changes the outputs least.
/// - SmoothQuant: columns are scaled by max|x|^m / max|w|^(1 - m), which makes the inputs easier to round.
/// Errors: those of quantize(); "bad-scheme" where the rows are not whole, inputs do not fit, are not finite or past
/// 1e15, the method does not go with the format (GGUF blocks with GPTQ) or the layer is too wide; "cancelled".
Result<QuantizedLayer> quantizeLayer(std::span<const double> weights, const LayerInputs& inputs,
                                     const QuantScheme& scheme, const CalibrationOptions& options = {});

/// The weights that the layer computes with: channel scales taken off again.
void restoreWeights(const QuantizedLayer& layer, std::span<double> out);

/// Inputs divided by `channelScales` (where there are any), quantized, taken back and multiplied: what a layer with
/// quantized inputs computes with. The scheme's granularity: Tensor, or Channel, which is one scale a token.
Result<std::vector<float>> quantizedInputs(const LayerInputs& inputs, std::span<const float> channelScales,
                                           const QuantScheme& scheme);

/// Of y = W x against y = W' x', summed over tokens and rows.
QuantError outputErrorOf(std::span<const double> weights, std::span<const double> restored, const LayerInputs& inputs,
                         std::span<const float> quantized);

/// Inputs with outlier channels, such as those of language models: normal, of which `shared` of the variance comes from
/// columns / 32 common factors (512 at most), and one channel of 1 / share, evenly spaced, is `factor` times as large.
std::vector<float> drawInputs(std::size_t tokens, std::size_t columns, double shared, double share, double factor,
                              std::uint64_t seed);

} // namespace ridge::memory
