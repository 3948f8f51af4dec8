// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene_builder.h"

#include <algorithm>
#include <cmath>

namespace ridge::app {

void SceneBuilder::fill(QRectF rect, Role role, double alpha, double radius)
{
    m_drawing.quads.push_back({rect, role, alpha, radius, 0, false});
}

void SceneBuilder::outline(QRectF rect, Role role, double pixels, double radius)
{
    m_drawing.quads.push_back({rect, role, 1, radius, pixels, false});
}

void SceneBuilder::hatch(QRectF rect, Role role, double radius)
{
    m_drawing.quads.push_back({rect, role, 1, radius, 0, true});
}

void SceneBuilder::link(QPointF from, QPointF to, Role role, double pixels, double alpha)
{
    m_drawing.links.push_back({from, to, role, pixels, alpha});
}

void SceneBuilder::label(QRectF rect, const QString& text, TextStyle style, Role role, Qt::Alignment align)
{
    if (!text.isEmpty())
        m_drawing.labels.push_back({rect, text, style, role, align, false});
}

void SceneBuilder::paragraph(QRectF rect, const QString& words, TextStyle style, Role role)
{
    m_drawing.labels.push_back({rect, words, style, role, Qt::AlignLeft | Qt::AlignTop, true});
}

void SceneBuilder::raster(Raster raster)
{
    m_drawing.rasters.push_back(std::move(raster));
}

double SceneBuilder::letterKeyWidth(const LetterKey& key) const
{
    return text(15) + 5 + textWidth(key.text) + space::l;
}

double SceneBuilder::letterKeysHeight(double width, const std::vector<LetterKey>& keys) const
{
    double x = 0;
    int rows = 1;
    for (const LetterKey& key : keys) {
        const bool wraps = x > 0 && x + letterKeyWidth(key) > width;
        rows += wraps ? 1 : 0;
        x = (wraps ? 0 : x) + letterKeyWidth(key);
    }
    return rows * text(18);
}

double SceneBuilder::letterKeys(QPointF topLeft, double width, const std::vector<LetterKey>& keys)
{
    const double line = text(18), box = text(15);
    double x = 0, y = topLeft.y();
    for (const LetterKey& key : keys) {
        const double own = letterKeyWidth(key);
        if (x > 0 && x + own > width) {
            x = 0;
            y += line;
        }
        const QRectF swatch(topLeft.x() + x, y + (line - box) / 2, box, box);
        if (key.alpha > 0)
            fill(swatch, key.role, key.alpha * 0.45, 2);
        outline(swatch, key.alpha > 0 ? key.role : Role::BorderStrong, 1, 2);
        label(swatch.adjusted(-4, 0, 4, 0), QString(key.letter), TextStyle::Caption, Role::Text);
        label(QRectF(swatch.right() + 5, y, own, line), key.text, TextStyle::Caption, Role::Text2,
              Qt::AlignLeft | Qt::AlignVCenter);
        x += own;
    }
    return y + line;
}

SceneDrawing SceneBuilder::empty(const QString& words)
{
    const QRectF all(QPointF(0, 0), m_size);
    outline(all, Role::Border, 1, kCardRadius);
    const QRectF column = all.adjusted(space::xxl, 0, -space::xxl, 0);
    m_drawing.labels.push_back({column, words, TextStyle::Body, Role::Text2, Qt::AlignCenter, true});
    item(QStringLiteral("empty"), words, all);
    return finish(words, m_size.height());
}

void SceneBuilder::item(const QString& id, const QString& text, QRectF rect)
{
    m_drawing.items.push_back({id, text, rect});
}

void SceneBuilder::lane(QRectF rect, int lane, Chip chip, const QString& text)
{
    constexpr double radius = 3;
    switch (chip) {
    case Chip::Idle:
        outline(rect, Role::Border, 1, radius);
        break;
    case Chip::Waiting:
        outline(rect, Role::BorderStrong, 1, radius);
        break;
    case Chip::Done:
        fill(rect, Role::Series1, 0.18, radius);
        outline(rect, Role::Series1, 1, radius);
        break;
    case Chip::Selected:
        fill(rect, Role::Series2, 0.28, radius);
        outline(rect, Role::Series2, 2, radius);
        break;
    }
    // Where 32 numbers do not fit, every fourth lane keeps its own.
    const bool fits = rect.width() >= textWidth(QStringLiteral("00"), 11);
    if (fits || lane % 4 == 0)
        label(rect.adjusted(-12, 0, 12, 0), QString::number(lane), TextStyle::Caption,
              chip == Chip::Idle ? Role::Text3 : Role::Text);
    item(QStringLiteral("lane.%1").arg(lane), text, rect);
}

double SceneBuilder::counters(QPointF topLeft, double width, const QList<Counter>& list)
{
    double total = 0;
    for (const Counter& counter : list)
        total += counter.share;
    double x = topLeft.x();
    double bottom = topLeft.y();
    for (const Counter& counter : list) {
        const double own = width * counter.share / total - space::s;
        const int lines = std::clamp(static_cast<int>(std::ceil(textWidth(counter.name) / own)), 1, 3);
        const QRectF number(x, topLeft.y(), own, text(32));
        const QRectF words(x, number.bottom(), own, text(16) * lines);
        label(number, counter.value, TextStyle::ReadH2, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
        label(words, counter.name, TextStyle::Caption, Role::Text2, Qt::AlignLeft | Qt::AlignTop);
        m_drawing.labels.back().wrap = true;
        item(QStringLiteral("counter.") + counter.id, QStringLiteral("%1 %2").arg(counter.value, counter.name),
             number.united(words));
        x += own + space::s;
        bottom = std::max(bottom, words.bottom());
    }
    return bottom;
}

double SceneBuilder::keyWidth(const Key& key) const
{
    return 16 + 6 + textWidth(key.text) + space::l;
}

void SceneBuilder::drawKey(QPointF topLeft, const Key& key)
{
    const double line = text(16);
    const QRectF swatch(topLeft.x(), topLeft.y() + (line - 12) / 2, 16, 12);
    if (key.look == Look::Tint) {
        fill(swatch, key.role, 0.25, 2);
        outline(swatch, key.role, 1, 2);
    }
    if (key.look == Look::Fill)
        fill(swatch, key.role);
    if (key.look == Look::Hatch)
        hatch(swatch, key.role);
    if (key.look == Look::Hatch || key.look == Look::Outline)
        outline(swatch, Role::BorderStrong, 1);
    label(QRectF(swatch.right() + 6, topLeft.y(), keyWidth(key), line), key.text, TextStyle::Caption, Role::Text2,
          Qt::AlignLeft | Qt::AlignVCenter);
}

double SceneBuilder::footerHeight(double width, const QList<Key>& keys, const QString& sentence) const
{
    double x = 0;
    int rows = 1;
    for (const Key& key : keys) {
        rows += x > 0 && x + keyWidth(key) > width ? 1 : 0;
        x = x > 0 && x + keyWidth(key) > width ? keyWidth(key) : x + keyWidth(key);
    }
    return (x + textWidth(sentence) > width ? rows + 1 : rows) * text(16);
}

void SceneBuilder::footer(QPointF topLeft, double width, const QList<Key>& keys, const QString& sentence, Role role)
{
    double x = 0;
    double y = topLeft.y();
    for (const Key& key : keys) {
        if (x > 0 && x + keyWidth(key) > width) {
            x = 0;
            y += text(16);
        }
        drawKey({topLeft.x() + x, y}, key);
        x += keyWidth(key);
    }
    const bool ownRow = x + textWidth(sentence) > width;
    if (ownRow)
        y += text(16);
    label(QRectF(topLeft.x(), y, width, text(16)), sentence, TextStyle::Caption, role,
          (ownRow ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

double SceneBuilder::textWidth(const QString& text, double pixels) const
{
    return static_cast<double>(text.size()) * pixels * 0.56 * m_scale;
}

SceneDrawing SceneBuilder::finish(const QString& summary, double usedHeight)
{
    m_drawing.summary = summary;
    m_drawing.size = QSizeF(m_size.width(), usedHeight);
    return std::move(m_drawing);
}

} // namespace ridge::app
