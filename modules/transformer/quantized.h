// SPDX-License-Identifier: GPL-3.0-or-later
// A model whose matrices are quantized; embedding, output and norms stay in FP16, as files of quantized models have
// them.
#pragma once

#include "memory/calibrated.h"
#include "transformer/decoder.h"

namespace ridge::transformer {

struct QuantizedModel {
    Model model;              ///< computes with what the codes mean
    double bits = 0;          ///< of the whole file: matrices with scales, the rest 16 each
    memory::QuantError error; ///< of the matrices' weights
    double matrixBits = 0;    ///< of the matrices
};

/// Layer by layer, each from inputs that the layers before it, already quantized, give for `text` (whole contexts of
/// it). Errors: those of quantizeLayer() with the matrix as the place; "too-short" where a method has no whole context.
Result<QuantizedModel> quantizeModel(const Model& model, std::span<const Token> text, const memory::QuantScheme& scheme,
                                     const memory::CalibrationOptions& options = {});

} // namespace ridge::transformer
