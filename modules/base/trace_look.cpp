// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/trace_look.h"

#include <cctype>
#include <stdexcept>

namespace ridge {
namespace {

constexpr std::size_t kMostStates = 64; ///< nobody tells more colours apart; a dense map has 255 tones

} // namespace

std::uint32_t TraceTexts::add(std::string_view text)
{
    if (text.empty())
        return 0;
    const std::string kept(text.substr(0, kMostBytes));
    if (const auto found = m_places.find(kept); found != m_places.end())
        return found->second;
    if (m_texts.size() >= kMost || m_bytes + kept.size() > kMostInAll)
        return 0;
    m_bytes += kept.size();
    const auto place = static_cast<std::uint32_t>(m_texts.size());
    m_texts.push_back(kept);
    m_places.emplace(kept, place);
    return place;
}

std::uint8_t addState(std::vector<TraceState>& states, const std::string& name, TraceColor color,
                      const std::string& letter)
{
    if (states.size() >= kMostStates)
        throw std::logic_error("a trace has at most " + std::to_string(kMostStates) + " states");
    TraceState state{name, name, color, letter};
    // The first byte of a longer character is none of its own.
    if (letter.empty() && color != TraceColor::Idle && !name.empty() && static_cast<unsigned char>(name[0]) < 0x80)
        state.letter = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    states.push_back(std::move(state));
    return static_cast<std::uint8_t>(states.size() - 1);
}

void writeStates(TraceWriter& out, const std::vector<TraceState>& states)
{
    out.number(states.size());
    for (const TraceState& state : states) {
        out.field(state.id);
        out.field(state.name);
        out.byte(static_cast<std::uint8_t>(state.color));
        out.field(state.letter);
    }
}

std::vector<TraceState> readStates(TraceReader& in)
{
    std::vector<TraceState> states;
    const std::size_t count = in.count();
    if (count > kMostStates)
        in.fail();
    for (std::size_t at = 0; in.ok() && at < count; ++at) {
        TraceState state;
        readText(in, state.id);
        readText(in, state.name);
        const std::uint8_t color = in.byte();
        if (color >= kTraceColors)
            in.fail();
        state.color = static_cast<TraceColor>(color);
        readText(in, state.letter);
        states.push_back(std::move(state));
    }
    return states;
}

void writeTexts(TraceWriter& out, const std::vector<std::string>& texts)
{
    out.number(texts.size());
    for (const std::string& text : texts)
        out.field(text);
}

std::vector<std::string> readTexts(TraceReader& in, std::size_t most)
{
    std::vector<std::string> texts;
    const std::size_t count = in.count();
    if (count > most)
        in.fail();
    for (std::size_t at = 0; in.ok() && at < count; ++at)
        readText(in, texts.emplace_back());
    return texts;
}

void readText(TraceReader& in, std::string& text)
{
    in.field(text);
    if (text.size() > TraceTexts::kMostBytes)
        in.fail();
}

} // namespace ridge
