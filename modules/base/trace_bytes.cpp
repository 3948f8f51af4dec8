// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/trace_bytes.h"

namespace ridge {
namespace {

std::uint64_t fnv1a(std::string_view bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (unsigned char c : bytes)
        hash = (hash ^ c) * 0x100000001b3ull;
    return hash;
}

void put(std::string& out, std::uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        out += static_cast<char>(value >> (8 * i));
}

std::uint64_t get(std::string_view bytes, std::size_t at, std::size_t count)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
}

} // namespace

Error badTrace(const std::string& what)
{
    return {"bad-trace", what, "trace", "run the experiment again to get a fresh trace"};
}

std::string frameTrace(std::string_view magic, std::uint32_t version, const std::string& payload)
{
    std::string out(magic);
    put(out, version, 4);
    put(out, payload.size(), 8);
    put(out, fnv1a(payload), 8);
    return out + payload;
}

Result<std::string_view> unframeTrace(std::string_view bytes, std::string_view magic, std::uint32_t newest)
{
    if (bytes.size() < kTraceHeaderBytes || bytes.substr(0, 4) != magic)
        return badTrace("this is not a Ridgepoint trace");
    const std::uint64_t version = get(bytes, 4, 4);
    if (version > newest)
        return Error{"newer-trace",
                     "the trace has format version " + std::to_string(version) + ", this program reads " +
                         std::to_string(newest),
                     "trace", "open it with a newer Ridgepoint"};
    const std::string_view payload = bytes.substr(kTraceHeaderBytes);
    if (version == 0 || payload.size() != get(bytes, 8, 8))
        return badTrace("the trace is cut short or has bytes too many");
    if (fnv1a(payload) != get(bytes, 16, 8))
        return badTrace("the trace is damaged (its checksum differs)");
    return payload;
}

Result<std::vector<std::string_view>> splitTraces(std::string_view bytes)
{
    std::vector<std::string_view> parts;
    if (bytes.empty())
        return badTrace("the trace is empty");
    while (!bytes.empty()) {
        if (bytes.front() != 'R')
            return badTrace("this is not a Ridgepoint trace");
        const std::uint64_t payload = bytes.size() < kTraceHeaderBytes ? 0 : get(bytes, 8, 8);
        if (bytes.size() < kTraceHeaderBytes || payload > bytes.size() - kTraceHeaderBytes)
            return badTrace("the trace is cut short or has bytes too many");
        const std::size_t size = kTraceHeaderBytes + static_cast<std::size_t>(payload);
        parts.push_back(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return parts;
}

std::uint64_t TraceReader::number()
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::uint8_t next = byte();
        if (shift == 63 && next > 1)
            break;
        value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
        if ((next & 0x80) == 0)
            return m_ok ? value : 0;
    }
    m_ok = false;
    return 0;
}

std::uint8_t TraceReader::byte()
{
    if (!m_ok || m_at == m_bytes.size()) {
        m_ok = false;
        return 0;
    }
    return static_cast<std::uint8_t>(m_bytes[m_at++]);
}

std::size_t TraceReader::count()
{
    const std::uint64_t wanted = number();
    if (wanted > m_bytes.size() - m_at)
        m_ok = false;
    return m_ok ? static_cast<std::size_t>(wanted) : 0;
}

void TraceReader::field(double& value)
{
    std::uint64_t bits = 0;
    for (unsigned at = 0; at < 64; at += 8)
        bits |= static_cast<std::uint64_t>(byte()) << at;
    value = std::bit_cast<double>(bits);
    m_ok = m_ok && value - value == 0; // neither infinite nor not a number
}

void TraceReader::field(std::string& text)
{
    const std::size_t size = count();
    text.assign(m_bytes.substr(m_at, size));
    m_at += size;
}

} // namespace ridge
