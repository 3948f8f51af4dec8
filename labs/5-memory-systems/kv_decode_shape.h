// SPDX-License-Identifier: GPL-3.0-or-later
// What a decode step's attention works on: sizes, and the bytes that follow from them. The one owner of these formulas.
#pragma once

#include <cstdint>

namespace ridge::labs {

struct DecodeShape {
    std::uint32_t queryHeads = 1;
    std::uint32_t kvHeads = 1;
    std::uint32_t headDim = 128;
    std::uint32_t elementBytes = 2; ///< of the cache: 2 (fp16) or 4 (fp32)
    std::uint64_t context = 1;      ///< tokens in the cache, of each sequence
    std::uint64_t batch = 1;        ///< sequences
    std::uint64_t layers = 1;

    /// Query heads that share a KV head.
    std::uint32_t group() const { return queryHeads / kvHeads; }
    /// One token in one layer: a K and a V row of each KV head.
    std::uint64_t layerBytesPerToken() const { return std::uint64_t{2} * kvHeads * headDim * elementBytes; }
    /// One token in the whole model: 2 × layers × KV heads × head dimension × bytes.
    std::uint64_t bytesPerToken() const { return layers * layerBytesPerToken(); }
    /// What attention of one layer has to read, all sequences together.
    std::uint64_t layerBytes() const { return layerBytesPerToken() * context * batch; }
    /// The cache of the whole model.
    std::uint64_t cacheBytes() const { return layers * layerBytes(); }
    /// Elements of q and of the output of one layer.
    std::uint64_t queryElements() const { return batch * queryHeads * headDim; }
    /// Multiply-adds of q·K and of weights·V, two operations each.
    std::uint64_t flops() const { return 4 * queryElements() * context; }
};

} // namespace ridge::labs
