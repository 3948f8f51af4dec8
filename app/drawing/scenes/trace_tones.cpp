// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/trace_tones.h"

#include "app/drawing/scenes/scene_text.h"

#include <cmath>

namespace ridge::app {
namespace {

constexpr double kPale = 0.45; ///< words stay readable on it in every theme

Raster::Tone fullTone(TraceColor color)
{
    switch (color) {
    case TraceColor::Idle:
        return {Role::Surface2, 0};
    case TraceColor::Muted:
        return {Role::Text3, 0.6};
    case TraceColor::Good:
        return {Role::Ok, 1};
    case TraceColor::Warn:
        return {Role::Warn, 1};
    case TraceColor::Bad:
        return {Role::Error, 1};
    case TraceColor::Accent:
        return {Role::Accent, 1};
    case TraceColor::Strong:
        return {Role::Text, 0.85};
    default:
        return {static_cast<Role>(static_cast<int>(Role::Series1) + static_cast<int>(color) -
                                  static_cast<int>(TraceColor::Series1)),
                1};
    }
}

} // namespace

Raster::Tone toneOf(TraceColor color, bool words)
{
    Raster::Tone tone = fullTone(color);
    tone.alpha *= words ? kPale : 1;
    return tone;
}

std::vector<Raster::Tone> tonesOf(const std::vector<TraceState>& states, bool words)
{
    std::vector<Raster::Tone> tones;
    for (const TraceState& state : states)
        tones.push_back(toneOf(state.color, words));
    return tones;
}

std::vector<SceneBuilder::LetterKey> legendOf(const std::vector<TraceState>& states)
{
    std::vector<SceneBuilder::LetterKey> keys;
    for (const TraceState& state : states) {
        const Raster::Tone tone = toneOf(state.color, false);
        const QString letter = text(state.letter);
        keys.push_back({letter.isEmpty() ? QChar(u' ') : letter.front(), tone.role, tone.alpha, text(state.name)});
    }
    return keys;
}

QString numberText(double value, const std::string& unit, int digits)
{
    const double size = std::abs(value);
    QString number = QString::number(value, 'g', digits);
    if (value == std::floor(value) && size < 1e15) {
        number = groupedText(value);
    } else if (size >= 1000 && size < 1e15) { // tenths are enough, no power of ten is read with pleasure
        const double tenths = std::round(size * 10), whole = std::floor(tenths / 10);
        number = groupedText(value < 0 ? -whole : whole);
        if (tenths > whole * 10)
            number += QStringLiteral(".%1").arg(static_cast<int>(tenths - whole * 10));
    }
    return unit.empty() ? number : number + QChar(0x00a0) + text(unit);
}

QString cutText(const SceneBuilder& builder, const QString& words, double width, double pixels)
{
    if (builder.textWidth(words, pixels) <= width)
        return words;
    const auto keep = static_cast<qsizetype>(width / std::max(1.0, builder.textWidth(QStringLiteral("0"), pixels))) - 1;
    return keep < 1 ? QString() : words.left(keep) + QChar(0x2026);
}

} // namespace ridge::app
