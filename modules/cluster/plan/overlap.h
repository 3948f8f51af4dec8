// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients that are reduced in buckets while the backward pass goes on.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ridge::cluster {

/// A layer as the backward pass comes to it, last one first.
struct LayerGradient {
    double seconds = 0; ///< of its backward pass
    double bytes = 0;   ///< of its gradients
};

struct Bucket {
    double bytes = 0;
    double ready = 0;          ///< s: its last gradient is there
    double begin = 0, end = 0; ///< s: of its reduction
    std::uint32_t layers = 0;  ///< whose gradients it closes with
};

struct OverlapRun {
    double backward = 0;  ///< s
    double reduction = 0; ///< s, of all buckets
    double end = 0;       ///< s, from the begin of the backward pass until all is reduced
    double exposed() const { return end - backward; }
    std::vector<Bucket> buckets;
};

/// Buckets are filled in the order of the backward pass and closed once they hold `bucketBytes`; a layer's gradients go
/// into the bucket that is open and are cut where it is full. Reductions run one after another. `overlap` false: they
/// begin after the backward pass. At most a million buckets. Errors: "bad-value", "too-large".
Result<OverlapRun> runOverlap(std::span<const LayerGradient> layers, double bucketBytes, bool overlap,
                              const std::function<double(double bytes)>& reduceSeconds);

} // namespace ridge::cluster
