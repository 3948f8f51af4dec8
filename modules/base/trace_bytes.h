// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// Frame that every kind of trace shares: 4 magic bytes, u32 version, u64 payload bytes, u64 FNV-1a 64 of the payload.
inline constexpr std::size_t kTraceHeaderBytes = 24;

std::string frameTrace(std::string_view magic, std::uint32_t version, const std::string& payload);
/// The payload. Errors: "bad-trace" (not such a trace, cut short, damaged), "newer-trace".
Result<std::string_view> unframeTrace(std::string_view bytes, std::string_view magic, std::uint32_t version);
/// The traces of a point, which lie one after another in its stored file; of any kind, the four magic bytes say which.
/// All magics begin with R. Errors: "bad-trace" (nothing, no trace, cut short).
Result<std::vector<std::string_view>> splitTraces(std::string_view bytes);

Error badTrace(const std::string& what);

/// Little-endian; whole numbers as LEB128: seven bits a byte, least first, the high bit says that more follow.
class TraceWriter {
public:
    void number(std::uint64_t value)
    {
        while (value >= 0x80) {
            m_bytes += static_cast<char>(value | 0x80);
            value >>= 7;
        }
        m_bytes += static_cast<char>(value);
    }
    void byte(std::uint8_t value) { m_bytes += static_cast<char>(value); }
    void field(const bool& value) { byte(value ? 1 : 0); }
    template<std::unsigned_integral T>
    void field(const T& value)
    {
        number(value);
    }
    void field(const double& value)
    {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (int at = 0; at < 64; at += 8)
            byte(static_cast<std::uint8_t>(bits >> at));
    }
    void field(const std::string& text)
    {
        number(text.size());
        m_bytes += text;
    }
    std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// Reads what TraceWriter wrote; after the first fault everything reads as zero and ok() is false.
class TraceReader {
public:
    explicit TraceReader(std::string_view bytes) : m_bytes(bytes) {}
    std::uint64_t number();
    std::uint8_t byte();
    /// How many elements follow, each of at least one byte: never more than bytes are left.
    std::size_t count();
    void field(bool& value) { value = byte() != 0; }
    template<std::unsigned_integral T>
    void field(T& value)
    {
        const std::uint64_t read = number();
        value = static_cast<T>(read);
        m_ok = m_ok && value == read;
    }
    void field(double& value);
    void field(std::string& text);
    bool ok() const { return m_ok; }
    bool atEnd() const { return m_at == m_bytes.size(); }
    void fail() { m_ok = false; }

private:
    std::string_view m_bytes;
    std::size_t m_at = 0;
    bool m_ok = true;
};

} // namespace ridge
