// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/blocks/explore_model.h"

#include "app/scenes/fragments.h"
#include "gpu/access.h"

#include <algorithm>

namespace ridge::app {

namespace {

ParamSpec whole(const char* name, const char* title, double min, double max, std::int64_t preset, ParamScale scale,
                const char* help)
{
    ParamSpec spec;
    spec.name = name;
    spec.title = title;
    spec.min = min;
    spec.max = max;
    spec.scale = scale;
    spec.defaultValue = preset;
    spec.help = help;
    return spec;
}

ParamSpec sizes(const char* name, const char* title, const char* help)
{
    ParamSpec spec = whole(name, title, 4, 16, 4, ParamScale::List, help);
    spec.unit = "B";
    spec.choices = {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}};
    return spec;
}

std::int64_t integer(const ParamSet& params, const char* name, std::int64_t fallback)
{
    const auto found = params.find(name);
    if (found == params.end())
        return fallback;
    return std::int64_t(asNumber(found->second).value_or(double(fallback)));
}

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
    const auto stride = integer(params, "stride", 1), offset = integer(params, "offset", 0),
               bytes = integer(params, "element_bytes", 4);
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
    const auto stride = integer(params, "stride", 1), bytes = integer(params, "word_bytes", 4);
    SceneFrame frame;
    MemoryTrace& trace = frame.trace;
    trace.kernel = "explore";
    trace.requests = {request(MemorySpace::Shared, 0, stride, 0, bytes)};
    trace.buffers = {{"tile", 0, std::uint64_t((31 * stride + 1) * bytes)}};
    const auto service = gpu::serveBanks(trace.requests[0], trace.banks, trace.bankBytes);
    frame.metrics = {{"wavefronts_per_request", double(service.wavefronts)}};
    return frame;
}

SceneFrame fragments(const ParamSet& params)
{
    const auto last = std::int64_t(std::size(kMmaShapes)) - 1;
    SceneFrame frame;
    frame.payloads.put(std::make_shared<const MmaShape>(
        kMmaShapes[std::size_t(std::clamp<std::int64_t>(integer(params, "shape", 0), 0, last))]));
    return frame;
}

} // namespace

const ExploreModel* exploreModel(const std::string& name)
{
    static const std::map<std::string, ExploreModel> models = {
        {"warp_access",
         {QStringLiteral("lanes_sectors"),
          {whole("stride", "Stride (elements)", 1, 128, 1, ParamScale::Linear,
                 "Elements from one lane's address to the next lane's"),
           whole("offset", "Offset (elements)", 0, 31, 0, ParamScale::Linear,
                 "Elements from the start of the buffer to lane 0"),
           sizes("element_bytes", "Element size", "Bytes that one lane loads")}}},
        {"bank_access",
         {QStringLiteral("shared_banks"),
          {whole("stride", "Stride (words)", 1, 128, 1, ParamScale::Linear,
                 "Words from one lane's address to the next lane's"),
           sizes("word_bytes", "Word size", "Bytes that one lane reads")}}},
        {"mma_fragments",
         {QStringLiteral("fragments"),
          {whole("shape", "Shape", 0, 6, 0, ParamScale::Linear,
                 "0: m16n8k16 of 16 bits, 1: m16n8k8 of 16 bits, 2: m16n8k8 tf32, 3: m16n8k4 tf32, 4: m16n8k16 of 8 "
                 "bits, 5: m16n8k32 of 8 bits, 6: m8n8k4 of 64 bits")}}}};
    const auto found = models.find(name);
    return found == models.end() ? nullptr : &found->second;
}

SceneFrame explore(const std::string& model, const ParamSet& params)
{
    // No title: the controls above the picture say what is shown.
    if (model == "mma_fragments")
        return fragments(params);
    return model == "bank_access" ? bankAccess(params) : warpAccess(params);
}

} // namespace ridge::app
