// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/overlap.h"

#include <algorithm>
#include <cmath>

namespace ridge::cluster {

Result<OverlapRun> runOverlap(std::span<const LayerGradient> layers, double bucketBytes, bool overlap,
                              const std::function<double(double)>& reduceSeconds)
{
    constexpr double kMost = 1e6;
    double all = 0;
    for (const LayerGradient& layer : layers)
        all += layer.bytes;
    if (!(bucketBytes > 0))
        return Error{"bad-value", "a bucket holds nothing", "bucket", "give its size in bytes, above 0"};
    if (all / bucketBytes > kMost)
        return Error{"too-large", "the gradients would fill more than a million buckets", "bucket",
                     "take at least " + std::to_string(static_cast<long long>(std::ceil(all / kMost))) + " bytes"};
    OverlapRun run;
    double open = 0; // bytes in the bucket that is filled
    std::uint32_t done = 0;
    const auto close = [&](double ready) {
        run.buckets.push_back({open, ready, 0, 0, done});
        open = 0;
    };
    for (const LayerGradient& layer : layers) {
        run.backward += layer.seconds;
        ++done;
        double left = layer.bytes;
        while (open + left >= bucketBytes) {
            left -= bucketBytes - open;
            open = bucketBytes;
            close(run.backward);
        }
        open += left;
    }
    if (open > 0)
        close(run.backward);
    double free = 0;
    for (Bucket& bucket : run.buckets) {
        bucket.begin = std::max(free, overlap ? bucket.ready : run.backward);
        const double takes = reduceSeconds(bucket.bytes);
        free = bucket.end = bucket.begin + takes;
        run.reduction += takes;
    }
    run.end = std::max(run.backward, free);
    return run;
}

} // namespace ridge::cluster
