// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/trace.h"

#include "base/trace_bytes.h"

#include <bit>

namespace ridge {
namespace {

constexpr std::string_view kMagic = "RTRC";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kMaxItems = 1u << 24;

template<class T>
void put(std::string& out, T value)
{
    for (std::size_t i = 0; i < sizeof(T); ++i)
        out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
}

void putText(std::string& out, std::string_view text)
{
    put(out, static_cast<std::uint32_t>(text.size()));
    out += text;
}

class Cursor {
public:
    explicit Cursor(std::string_view bytes) : m_bytes(bytes) {}
    template<class T>
    T take()
    {
        if (m_bytes.size() - m_at < sizeof(T)) {
            m_ok = false;
            m_at = m_bytes.size();
            return {};
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_bytes[m_at + i])) << (8 * i);
        m_at += sizeof(T);
        return static_cast<T>(value);
    }
    std::string text()
    {
        const auto size = take<std::uint32_t>();
        if (m_bytes.size() - m_at < size) {
            m_ok = false;
            return {};
        }
        std::string out(m_bytes.substr(m_at, size));
        m_at += size;
        return out;
    }
    bool ok() const { return m_ok; }
    bool atEnd() const { return m_at == m_bytes.size(); }

private:
    std::string_view m_bytes;
    std::size_t m_at = 0;
    bool m_ok = true;
};

Result<MemoryRequest> takeRequest(Cursor& in)
{
    MemoryRequest request;
    const auto space = in.take<std::uint8_t>();
    const auto op = in.take<std::uint8_t>();
    request.accessBytes = in.take<std::uint8_t>();
    in.take<std::uint8_t>();
    request.activeMask = in.take<std::uint32_t>();
    request.block = in.take<std::uint32_t>();
    request.warp = in.take<std::uint32_t>();
    request.ptxLine = in.take<std::uint32_t>();
    request.sourceLine = in.take<std::uint32_t>();
    if (!in.ok())
        return badTrace("the trace is cut short");
    if (space > 1 || op > 2 || request.accessBytes > 16 || !std::has_single_bit(request.accessBytes))
        return badTrace("a memory request has a space, operation or size that does not exist");
    request.space = static_cast<MemorySpace>(space);
    request.op = static_cast<MemoryOp>(op);
    for (int lane = 0; lane < kWarpSize; ++lane)
        if (request.activeMask >> lane & 1u)
            request.addresses[static_cast<std::size_t>(lane)] = in.take<std::uint64_t>();
    return request;
}

} // namespace

std::string encodeTrace(const MemoryTrace& trace)
{
    std::string payload;
    for (std::uint32_t value : {trace.sectorBytes, trace.lineBytes, trace.banks, trace.bankBytes})
        put(payload, value);
    putText(payload, trace.kernel);
    put(payload, static_cast<std::uint32_t>(trace.buffers.size()));
    for (const TraceBuffer& buffer : trace.buffers) {
        putText(payload, buffer.name);
        put(payload, buffer.address);
        put(payload, buffer.bytes);
    }
    put(payload, static_cast<std::uint32_t>(trace.requests.size()));
    for (const MemoryRequest& request : trace.requests) {
        put(payload, static_cast<std::uint8_t>(request.space));
        put(payload, static_cast<std::uint8_t>(request.op));
        put(payload, request.accessBytes);
        put(payload, std::uint8_t{0});
        for (std::uint32_t value :
             {request.activeMask, request.block, request.warp, request.ptxLine, request.sourceLine})
            put(payload, value);
        for (int lane = 0; lane < kWarpSize; ++lane)
            if (request.activeMask >> lane & 1u)
                put(payload, request.addresses[static_cast<std::size_t>(lane)]);
    }
    return frameTrace(kMagic, kVersion, payload);
}

Result<MemoryTrace> decodeTrace(std::string_view bytes)
{
    const auto payload = unframeTrace(bytes, kMagic, kVersion);
    if (!payload)
        return payload.error();
    Cursor in(*payload);
    MemoryTrace trace;
    trace.sectorBytes = in.take<std::uint32_t>();
    trace.lineBytes = in.take<std::uint32_t>();
    trace.banks = in.take<std::uint32_t>();
    trace.bankBytes = in.take<std::uint32_t>();
    trace.kernel = in.text();
    for (std::uint32_t value : {trace.sectorBytes, trace.lineBytes, trace.banks, trace.bankBytes})
        if (!std::has_single_bit(value) || value > 4096)
            return badTrace("the trace has a sector, line or bank size that does not exist");
    const auto buffers = in.take<std::uint32_t>();
    for (std::uint32_t i = 0; i < std::min(buffers, kMaxItems) && in.ok(); ++i) {
        TraceBuffer buffer;
        buffer.name = in.text();
        buffer.address = in.take<std::uint64_t>();
        buffer.bytes = in.take<std::uint64_t>();
        trace.buffers.push_back(std::move(buffer));
    }
    const auto requests = in.take<std::uint32_t>();
    for (std::uint32_t i = 0; i < std::min(requests, kMaxItems) && in.ok(); ++i) {
        auto request = takeRequest(in);
        if (!request)
            return request.error();
        trace.requests.push_back(*request);
    }
    if (!in.ok() || !in.atEnd() || buffers != trace.buffers.size() || requests != trace.requests.size())
        return badTrace("the trace is cut short or has bytes too many");
    return trace;
}

} // namespace ridge
