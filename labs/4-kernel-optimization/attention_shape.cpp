// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/4-kernel-optimization/attention_shape.h"

namespace ridge::labs {
namespace {

constexpr Rung kRungs[] = {
    {"three_kernels", "scores, softmax and product, each a launch", "attention/01_three_kernels.cu"},
    {"fused_softmax", "softmax within the product", "attention/02_fused_softmax.cu"},
    {"online", "one pass with a running maximum", "attention/03_online.cu"},
    {"tiled", "tiles in shared memory, FlashAttention", "attention/04_tiled.cu"},
    {"three_mma", "three kernels on tensor cores, fp16, sm_80 or newer", "attention/05_three_mma.cu"},
    {"tiled_mma", "the tiles on tensor cores, fp16, sm_80 or newer", "attention/06_tiled_mma.cu"},
    {"async", "tiles that come by cp.async while others are multiplied, fp16, sm_80 or newer", "attention/07_async.cu"},
    {"hopper", "a lane that fetches by TMA, two groups of warps with wgmma, fp16, sm_90a", "attention/08_hopper.cu"},
    {"pingpong", "the two groups take turns at the tensor cores, fp16, sm_90a", "attention/09_pingpong.cu"},
};
constexpr std::uint64_t kTile = 64; ///< queries, and keys, of a block of a rung that stores scores

double number(std::uint64_t value)
{
    return static_cast<double>(value);
}

} // namespace

std::span<const Rung> attentionRungs()
{
    return kRungs;
}

UsefulBytes AttentionShape::bytes() const
{
    return {number(inputBytes()), number(outputBytes())};
}

UsefulBytes AttentionShape::deviceTraffic() const
{
    // Scores are written once and read once; so are weights, where they are kept.
    const double kept = number(extraBytes());
    return {number(inputBytes()) + kept, number(outputBytes()) + kept};
}

std::uint64_t AttentionShape::queriesABlock() const
{
    return usesTensorMaps() ? 128 : rung == kAttentionOnline ? 8 : rung == kAttentionTiled ? 4096 / headDim : kTile;
}

std::uint64_t AttentionShape::tilesOf(std::uint64_t block) const
{
    const std::uint64_t last = std::min(n, (block + 1) * queriesABlock()) - 1;
    return ceilDiv(seen(last), keysATile());
}

std::uint64_t AttentionShape::sharedBytes() const
{
    if (usesTensorMaps()) // Q, two stages of K and V
        return 5 * keysATile() * headDim * elementBytes;
    return rung == kAttentionAsync ? 4 * keysATile() * headDim * elementBytes : 0; // two stages of K and V
}

UsefulBytes AttentionShape::laneTraffic() const
{
    const std::uint64_t row = std::uint64_t{headDim} * elementBytes, scores = n * pitch() * elementBytes;
    const std::uint64_t tiles = ceilDiv(n, kTile);
    std::uint64_t read = 0, written = 4 * n * headDim; // of one head
    if (storesScores()) {
        read = 2 * n * row * tiles; // a tile of scores brings its queries and its keys
        read += 3 * scores;         // for maximum, sum and weights
        read += n * row * tiles;    // V, for every tile of queries
        written += scores;
    }
    if (launches() == 3) {
        read += scores; // the weights
        written += scores;
    }
    if (rung == kAttentionOnline) {
        read = n * row;
        for (std::uint64_t query = 0; query < n; ++query) // V four rows at a time
            read += (seen(query) + ceilDiv(seen(query), 4) * 4) * row;
    }
    if (usesTensorMaps()) { // whole boxes of rows, as far as the matrix of all heads goes
        const auto box = [this](std::uint64_t at, std::uint64_t all) { return std::min(keysATile(), all - at); };
        std::uint64_t rows = 0;
        for (std::uint64_t head = 0; head < heads; ++head)
            for (std::uint64_t block = 0; block < blocks(); ++block) {
                rows += box(head * n + block * queriesABlock(), heads * n);
                for (std::uint64_t tile = 0; tile < tilesOf(block); ++tile)
                    rows += 2 * box(head / group * n + tile * keysATile(), heads / group * n);
            }
        return {number(rows * row), number(heads * written)};
    }
    if (rung == kAttentionTiled || rung >= kAttentionTiledMma) {
        read = n * row;
        for (std::uint64_t block = 0; block < blocks(); ++block)
            read += 2 * std::min(n, tilesOf(block) * keysATile()) * row;
    }
    return {number(heads * read), number(heads * written)};
}

std::uint64_t AttentionShape::pairs() const
{
    std::uint64_t sum = 0;
    for (std::uint64_t query = 0; query < n; ++query)
        sum += seen(query);
    return heads * sum;
}

AttentionWork AttentionShape::work() const
{
    const double rows = number(n), dim = headDim;
    double multiplied = rows * rows; // pairs of a head whose products are made
    double steps = 0;                // looks at the running maximum, of all rows of a head
    AttentionWork work;
    switch (rung) {
    case kAttentionThree:
    case kAttentionThreeMma: // scale, maximum; difference, exponential, sum; the first two again, and the product
        work.exponentials = 2 * multiplied;
        work.softmax = 8 * multiplied + rows;
        break;
    case kAttentionFused: // the same without that product; the result is divided instead
        work.exponentials = 2 * multiplied;
        work.softmax = 7 * multiplied + rows * (1 + dim);
        break;
    case kAttentionOnline:
        multiplied = number(pairs() / heads);
        for (std::uint64_t query = 0; query < n; ++query)
            steps += number(ceilDiv(seen(query), keysATile()));
        break;
    default:
        multiplied = 0;
        for (std::uint64_t block = 0; block < blocks(); ++block) {
            const std::uint64_t here = std::min(n, (block + 1) * queriesABlock()) - block * queriesABlock();
            multiplied += number(here * std::min(n, tilesOf(block) * keysATile()));
            steps += number(here * tilesOf(block));
        }
    }
    work.products = 4 * multiplied * dim;
    if (!storesScores()) {
        // Maximum, difference, exponential, sum; on tensor cores the scores are scaled, where others scale Q. A step
        // compares, subtracts, takes an exponential and scales what was summed. At last the result is divided.
        work.exponentials = multiplied + steps;
        // From rung 7 on the scale is part of the difference, and the step scales twice.
        work.softmax = (sharesKeys() ? 5
                        : usesMma()  ? 6
                                     : 4) *
                           multiplied +
                       (usesMma() ? 0 : rows * dim) + steps * ((sharesKeys() ? 6 : 4) + dim) + rows * (1 + dim);
    }
    for (double* value : {&work.products, &work.softmax, &work.exponentials})
        *value *= number(heads);
    return work;
}

} // namespace ridge::labs
