// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/scenes/scene_builder.h"

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

void SceneBuilder::emptyText(const QString& words)
{
    const QRectF all(QPointF(0, 0), m_size);
    outline(all, Role::Border, 1, kCardRadius);
    const QRectF column = all.adjusted(space::xxl, 0, -space::xxl, 0);
    m_drawing.labels.push_back({column, words, TextStyle::Body, Role::Text2, Qt::AlignCenter, true});
    item(QStringLiteral("empty"), words, all);
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
    if (rect.width() >= textWidth(QStringLiteral("00"), 11))
        label(rect, QString::number(lane), TextStyle::Caption, chip == Chip::Idle ? Role::Text3 : Role::Text);
    item(QStringLiteral("lane.%1").arg(lane), text, rect);
}

double SceneBuilder::counter(QPointF topLeft, double width, const QString& id, const QString& value,
                             const QString& name)
{
    const QRectF number(topLeft, QSizeF(width, text(32)));
    const QRectF words(number.bottomLeft(), QSizeF(width, text(16)));
    label(number, value, TextStyle::ReadH2, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
    label(words, name, TextStyle::Caption, Role::Text2, Qt::AlignLeft | Qt::AlignVCenter);
    item(QStringLiteral("counter.") + id, QStringLiteral("%1 %2").arg(value, name), number.united(words));
    return topLeft.x() + width;
}

double SceneBuilder::key(QPointF left, Key look, Role role, const QString& words)
{
    const double line = text(16);
    const QRectF swatch(left.x(), left.y() + (line - 12) / 2, 16, 12);
    if (look == Key::Fill)
        fill(swatch, role);
    if (look == Key::Hatch)
        hatch(swatch, role);
    if (look == Key::Tint) {
        fill(swatch, role, 0.25, 2);
        outline(swatch, role, 1, 2);
    } else if (look != Key::Fill)
        outline(swatch, Role::BorderStrong, 1);
    const double width = textWidth(words) + space::s;
    label(QRectF(swatch.right() + 6, left.y(), width, line), words, TextStyle::Caption, Role::Text2,
          Qt::AlignLeft | Qt::AlignVCenter);
    return swatch.right() + 6 + width + space::m;
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
