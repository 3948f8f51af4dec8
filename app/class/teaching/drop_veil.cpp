// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/drop_veil.h"

#include <QPainter>

namespace ridge::app {

DropVeil::DropVeil(Theme& theme, QWidget* over) : QWidget(over), m_theme(theme)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("Drop here"));
    hide();
}

void DropVeil::showFor(const QString& words)
{
    m_words = words;
    setAccessibleName(words);
    setGeometry(parentWidget()->rect());
    raise();
    show();
    update();
}

void DropVeil::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = m_theme.color(Role::Window);
    veil.setAlphaF(0.85);
    painter.fillRect(rect(), veil);
    painter.setPen(QPen(m_theme.color(Role::Accent), 2, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(space::s, space::s, -space::s, -space::s), kCardRadius,
                            kCardRadius);
    painter.setFont(m_theme.font(TextStyle::ReadH2));
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(rect().adjusted(space::xl, space::xl, -space::xl, -space::xl), Qt::AlignCenter | Qt::TextWordWrap,
                     m_words);
}

} // namespace ridge::app

#include "moc_drop_veil.cpp"
