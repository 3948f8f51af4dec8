// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/warp_spans.h"

#include <fmt/core.h>

namespace ridge::labs {

Result<std::vector<SmSpan>> readSpans(GpuContext& context, gpu::DevicePtr from, std::uint64_t warps)
{
    constexpr std::uint64_t kMostSms = 4096; // what was never written names an SM far beyond
    std::vector<WarpSpan> spans(warps);
    if (auto copied = context.device().copyToHost(std::as_writable_bytes(std::span(spans)), from); !copied)
        return copied.error();
    std::map<std::uint64_t, SmSpan> sms;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const WarpSpan& warp = spans[i];
        if (warp.end <= warp.begin || warp.sm >= kMostSms)
            return Error{"bad-timing", fmt::format("warp {} told no span of its SM's clock", i),
                         context.device().info().target, "run again"};
        SmSpan& sm = sms[warp.sm];
        sm.begin = std::min(sm.begin, warp.begin);
        sm.end = std::max(sm.end, warp.end);
        sm.busy += warp.end - warp.begin;
        ++sm.warps;
    }
    std::vector<SmSpan> out;
    for (const auto& [id, sm] : sms)
        out.push_back(sm);
    return out;
}

} // namespace ridge::labs
