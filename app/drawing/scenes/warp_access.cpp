// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/warp_access.h"

#include <QCoreApplication>
#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::app {
namespace {

const TraceBuffer* bufferOf(const MemoryTrace& trace, std::uint64_t address)
{
    for (const TraceBuffer& buffer : trace.buffers)
        if (address >= buffer.address && address - buffer.address < buffer.bytes)
            return &buffer;
    return nullptr;
}

} // namespace

const MemoryRequest* shownRequest(const std::vector<SceneFrame>& frames, const SceneState& state)
{
    const SceneFrame* frame = shownFrame(frames, state);
    return frame && state.request < frame->trace.requests.size() ? &frame->trace.requests[state.request] : nullptr;
}

bool hasRequests(const SceneFrame& frame, MemorySpace space)
{
    return std::any_of(frame.trace.requests.begin(), frame.trace.requests.end(),
                       [&](const MemoryRequest& request) { return request.space == space; });
}

bool laneActive(const MemoryRequest& request, int lane)
{
    return (request.activeMask >> lane & 1U) != 0;
}

int activeLanes(const MemoryRequest& request)
{
    return std::popcount(request.activeMask);
}

QString addressText(const MemoryTrace& trace, MemorySpace space, std::uint64_t address)
{
    if (space == MemorySpace::Shared)
        return QCoreApplication::translate("ridge::app::Scene", "shared + %1 B").arg(address);
    if (const TraceBuffer* buffer = bufferOf(trace, address))
        return QStringLiteral("%1 + %2 B").arg(QString::fromStdString(buffer->name)).arg(address - buffer->address);
    return QStringLiteral("0x%1").arg(address, 0, 16);
}

std::uint64_t granuleInBuffer(const MemoryTrace& trace, std::uint64_t granule, std::uint32_t granuleBytes)
{
    const std::uint64_t last = (granule + 1) * granuleBytes - 1;
    for (const TraceBuffer& buffer : trace.buffers)
        if (last >= buffer.address && granule * granuleBytes < buffer.address + buffer.bytes)
            return granule - buffer.address / granuleBytes;
    return granule;
}

QString operationText(const MemoryRequest& request)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("ridge::app::Scene", text); };
    const QString bytes =
        request.accessBytes == 1 ? tr("1 byte a lane") : tr("%1 bytes a lane").arg(request.accessBytes);
    switch (request.op) {
    case MemoryOp::Load:
        return tr("load, %1").arg(bytes);
    case MemoryOp::Store:
        return tr("store, %1").arg(bytes);
    case MemoryOp::Atomic:
        return tr("atomic, %1").arg(bytes);
    }
    return bytes;
}

std::size_t stepsDone(double progress, std::size_t steps)
{
    const double done = std::round(std::clamp(progress, 0.0, 1.0) * static_cast<double>(steps));
    return static_cast<std::size_t>(done);
}

} // namespace ridge::app
