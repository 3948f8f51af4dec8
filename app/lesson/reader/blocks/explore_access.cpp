// SPDX-License-Identifier: GPL-3.0-or-later
// Models of one access or instruction: a trace of one request, built with the rules of gpu/access.h, which also count
// for the simulator, so that a slider and a run of the same access agree.
#include "app/drawing/scenes/fragment_shape.h"
#include "app/lesson/reader/blocks/explore_parts.h"
#include "gpu/access.h"

#include <algorithm>

namespace ridge::app {

namespace {

/// Element i of lane l at address base + (l * stride + offset) * bytes.
MemoryRequest request(MemorySpace space, std::uint64_t base, std::int64_t stride, std::int64_t offset,
                      std::int64_t bytes)
{
    MemoryRequest made;
    made.space = space;
    made.accessBytes = std::uint8_t(bytes);
    made.activeMask = 0xffffffffu;
    for (int lane = 0; lane < kWarpSize; ++lane)
        made.addresses[std::size_t(lane)] = base + std::uint64_t((lane * stride + offset) * bytes);
    return made;
}

SceneFrame warpAccess(const ParamSet& params)
{
    constexpr std::uint64_t base = 0x10000;
    const auto stride = integerOf(params, "stride"), offset = integerOf(params, "offset"),
               bytes = integerOf(params, "element_bytes");
    SceneFrame frame;
    MemoryTrace& trace = frame.trace;
    trace.kernel = "explore";
    trace.requests = {request(MemorySpace::Global, base, stride, offset, bytes)};
    trace.buffers = {{"in", base, std::uint64_t((31 * stride + offset + 1) * bytes)}};
    frame.metrics = {{"sectors_per_request", double(gpu::touchedGranules(trace.requests[0], trace.sectorBytes).size())},
                     {"lines_per_request", double(gpu::touchedGranules(trace.requests[0], trace.lineBytes).size())}};
    return frame;
}

SceneFrame bankAccess(const ParamSet& params)
{
    const auto stride = integerOf(params, "stride"), bytes = integerOf(params, "word_bytes");
    SceneFrame frame;
    MemoryTrace& trace = frame.trace;
    trace.kernel = "explore";
    trace.requests = {request(MemorySpace::Shared, 0, stride, 0, bytes)};
    trace.buffers = {{"tile", 0, std::uint64_t((31 * stride + 1) * bytes)}};
    const auto service = gpu::serveBanks(trace.requests[0], trace.banks, trace.bankBytes);
    frame.metrics = {{"wavefronts_per_request", double(service.wavefronts)}};
    return frame;
}

SceneFrame mmaFragments(const ParamSet& params)
{
    const auto last = std::int64_t(std::size(kMmaShapes)) - 1;
    SceneFrame frame;
    frame.payloads.put(std::make_shared<const MmaShape>(
        kMmaShapes[std::size_t(std::clamp<std::int64_t>(integerOf(params, "shape"), 0, last))]));
    return frame;
}

} // namespace

std::map<std::string, ExploreModel> accessModels()
{
    // No titles: the controls above the picture say what is shown.
    return {{"warp_access", {Provenance::Modelled, QStringLiteral("lanes_sectors"), warpAccess}},
            {"bank_access", {Provenance::Modelled, QStringLiteral("shared_banks"), bankAccess}},
            {"mma_fragments", {Provenance::Modelled, QStringLiteral("fragments"), mmaFragments}}};
}

} // namespace ridge::app
