// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/trace_bytes.h"

#include <unordered_map>

namespace ridge {

/// What a state of a grid or lane trace looks like. The theme has the colours, so that every theme stays readable.
enum class TraceColor : std::uint8_t {
    Idle,  ///< the ground: nothing is here, nothing happens
    Muted, ///< grey: there, but not what the picture is about
    Series1,
    Series2,
    Series3,
    Series4,
    Series5,
    Series6,
    Series7,
    Series8,
    Good,   ///< green: a hit, in time
    Warn,   ///< amber: late, refreshed, evicted
    Bad,    ///< red: a miss, a conflict, lost
    Accent, ///< the program's own blue: what is looked at
    Strong, ///< the colour of text
};
inline constexpr std::uint8_t kTraceColors = static_cast<std::uint8_t>(TraceColor::Strong) + 1;

/// One entry of the legend.
struct TraceState {
    std::string id;   ///< "hit": for tables and tests, never shown alone
    std::string name; ///< "hit": what the legend says
    TraceColor color = TraceColor::Idle;
    std::string letter; ///< shown with the colour where a cell or span has room; empty: none (the idle state)
    bool operator==(const TraceState&) const = default;
};

/// Texts of a trace, each kept once: a label that a thousand spans have costs as much as one.
class TraceTexts {
public:
    static constexpr std::size_t kMost = 1u << 20;      ///< texts of a trace
    static constexpr std::size_t kMostBytes = 4096;     ///< of a text
    static constexpr std::size_t kMostInAll = 8u << 20; ///< bytes that a builder keeps; later texts are left out
    std::uint32_t add(std::string_view text);           ///< 0 of an empty one, and where there are too many
    std::vector<std::string> take() { return std::move(m_texts); }

private:
    std::size_t m_bytes = 0;
    std::vector<std::string> m_texts{std::string()};
    std::unordered_map<std::string, std::uint32_t> m_places;
};

/// Adds a state, gives its number; letter and errors as GridTraceBuilder::state has them.
std::uint8_t addState(std::vector<TraceState>& states, const std::string& name, TraceColor color,
                      const std::string& letter);

/// Parts that both codecs have. What does not fit fails the reader.
void writeStates(TraceWriter& out, const std::vector<TraceState>& states);
std::vector<TraceState> readStates(TraceReader& in);
void writeTexts(TraceWriter& out, const std::vector<std::string>& texts);
std::vector<std::string> readTexts(TraceReader& in, std::size_t most);
/// A text of at most TraceTexts::kMostBytes.
void readText(TraceReader& in, std::string& text);

} // namespace ridge
