// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/place_flash.h"

#include <QPainter>
#include <QVariantAnimation>

namespace ridge::app {

namespace {

constexpr int kShownMs = 1600;
constexpr double kTint = 0.16; ///< of the accent: text below stays readable

} // namespace

PlaceFlash::PlaceFlash(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_fade(new QVariantAnimation(this))
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    m_fade->setStartValue(1.0);
    m_fade->setKeyValueAt(0.5, 1.0);
    m_fade->setEndValue(0.0);
    m_fade->setDuration(kShownMs);
    connect(m_fade, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        const double strength = m_theme.reducedMotion() ? 1.0 : value.toDouble();
        if (strength == m_strength)
            return;
        m_strength = strength;
        update();
    });
    connect(m_fade, &QVariantAnimation::finished, this, &QWidget::hide);
    hide();
}

void PlaceFlash::flash(const QRect& area)
{
    setGeometry(area.adjusted(-space::m, -space::xs, space::m, space::xs) & parentWidget()->rect());
    m_strength = 1;
    show();
    raise();
    m_fade->stop();
    m_fade->start();
}

void PlaceFlash::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor tint = m_theme.color(Role::Accent);
    painter.setPen(Qt::NoPen);
    tint.setAlphaF(float(kTint * m_strength));
    painter.setBrush(tint);
    painter.drawRoundedRect(rect(), kControlRadius, kControlRadius);
    tint.setAlphaF(float(m_strength));
    painter.fillRect(QRect(0, 0, 3, height()), tint);
}

} // namespace ridge::app

#include "moc_place_flash.cpp"
