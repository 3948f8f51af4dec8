// SPDX-License-Identifier: GPL-3.0-or-later
// The block formats of GGUF files: sizes, and codecs for those that most models are shipped in.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ridge::memory {

/// Q4_0 and its like: blocks of 32 with a scale (FP16), those with 1 a least value too. The K kinds: blocks of 256
/// whose parts of 16 or 32 have scales of 6 or 8 bits, and those two scales in FP16. Layouts: ggml-common.h of
/// llama.cpp.
enum class GgufType : std::uint8_t { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K };

struct GgufBlock {
    GgufType type;
    std::string_view id; ///< "q4_k"
    std::uint32_t elements, bytes;
    bool codec; ///< gguf_blocks encodes it; all others are sizes alone

    double bitsPerElement() const { return 8.0 * bytes / elements; }
};

std::span<const GgufBlock> ggufBlocks();
/// Null: there is none.
const GgufBlock* findGgufBlock(std::string_view id);

/// One block as llama.cpp's reference quantizer writes it, in float32 and without an importance matrix. `values` has
/// block.elements numbers, `out` block.bytes, and the block has a codec. False: a scale is past FP16.
bool encodeGguf(const GgufBlock& block, std::span<const float> values, std::span<std::uint8_t> out);
void decodeGguf(const GgufBlock& block, std::span<const std::uint8_t> bytes, std::span<float> out);

} // namespace ridge::memory
