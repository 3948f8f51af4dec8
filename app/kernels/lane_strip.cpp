// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/lane_strip.h"

#include "app/theme/accessible_role.h"

#include <QPainter>
#include <bit>

namespace ridge::app {

LaneStrip::LaneStrip(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setAccessibleRole(this, QAccessible::Graphic);
    setAccessibleName(tr("Lanes of the warp"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void LaneStrip::setMasks(std::uint32_t executed, std::uint32_t active, std::uint32_t live)
{
    m_executed = executed;
    m_active = active;
    m_live = live;
    setAccessibleDescription(sentence());
    setToolTip(sentence());
    update();
}

QString LaneStrip::sentence() const
{
    QString text = tr("%1 lanes execute").arg(std::popcount(m_executed));
    if (const int guarded = std::popcount(m_active & ~m_executed); guarded > 0)
        text += tr(", %1 have a false guard").arg(guarded);
    if (const int apart = std::popcount(m_live & ~m_active); apart > 0)
        text += tr(", %1 are on another path").arg(apart);
    if (const int gone = 32 - std::popcount(m_live); gone > 0)
        text += tr(", %1 have exited").arg(gone);
    return text;
}

QSize LaneStrip::sizeHint() const
{
    return {m_theme.scaled(32 * 20), m_theme.scaled(22)};
}
QSize LaneStrip::minimumSizeHint() const
{
    return {32 * 9, m_theme.scaled(22)};
}

void LaneStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_theme.font(TextStyle::Caption));
    const double step = std::min(width() / 32.0, double(m_theme.scaled(28)));
    const bool numbered = step >= painter.fontMetrics().horizontalAdvance(QStringLiteral("00")) + 2;
    for (int lane = 0; lane < 32; ++lane) {
        const std::uint32_t bit = 1u << lane;
        const QRectF cell(lane * step + 0.5, 0.5, step - 2, height() - 1);
        painter.setPen(m_theme.color(m_live & bit ? Role::BorderStrong : Role::Border));
        painter.setBrush(m_executed & bit ? QBrush(m_theme.color(Role::Accent))
                         : m_active & bit ? QBrush(m_theme.color(Role::Text3), Qt::BDiagPattern)
                                          : QBrush(Qt::NoBrush));
        painter.drawRoundedRect(cell, 2, 2);
        if (!(m_live & bit))
            painter.drawLine(cell.bottomLeft(), cell.topRight());
        if (numbered && (m_live & bit) && (!(m_active & bit) || (m_executed & bit))) {
            painter.setPen(m_theme.color(m_executed & bit ? Role::OnAccent : Role::Text2));
            painter.drawText(cell, Qt::AlignCenter, QString::number(lane));
        }
    }
}

} // namespace ridge::app

#include "moc_lane_strip.cpp"
