// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/ui/facts.h"

#include "app/shell/ui/panels.h"

#include <QGridLayout>
#include <QPainter>

namespace ridge::app {

FactTable::FactTable(Theme& theme, const QString& accessibleName, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_grid(new QGridLayout(this))
{
    setAccessibleName(accessibleName);
    m_grid->setContentsMargins(0, space::xs, 0, space::xs);
    m_grid->setHorizontalSpacing(space::l);
    m_grid->setVerticalSpacing(space::s + 1);
    m_grid->setColumnStretch(1, 3);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void FactTable::addRow(const QString& name, const QString& value, const QString& note, QWidget* badge,
                       const QString& help)
{
    QLabel* title = makeText(m_theme, name, TextStyle::Body, QStringLiteral("muted"));
    QLabel* shown = makeText(m_theme, value);
    QLabel* extra = makeText(m_theme, note, TextStyle::Body, QStringLiteral("hint"));
    shown->setAccessibleName(QStringLiteral("%1: %2").arg(name, value));
    for (QLabel* label : {title, shown, extra})
        label->setToolTip(help);
    title->setMinimumWidth(m_theme.scaled(124));
    title->setMaximumWidth(m_theme.scaled(220));
    m_grid->addWidget(title, m_rows, 0, Qt::AlignTop);
    m_grid->addWidget(shown, m_rows, 1, Qt::AlignTop);
    if (!note.isEmpty()) {
        m_grid->addWidget(extra, m_rows, 2, Qt::AlignTop);
        m_grid->setColumnStretch(2, 2); // no room is kept for notes that nobody wrote
    } else {
        delete extra;
    }
    if (badge)
        m_grid->addWidget(badge, m_rows, 3, Qt::AlignTop | Qt::AlignRight);
    ++m_rows;
}

void FactTable::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(m_theme.color(Role::Border), 1));
    for (int row = 0; row + 1 < m_rows; ++row) {
        const QRect above = m_grid->cellRect(row, 0);
        const QRect below = m_grid->cellRect(row + 1, 0);
        if (above.isValid() && below.isValid()) {
            const int y = (above.bottom() + below.top() + 1) / 2;
            painter.drawLine(0, y, width(), y);
        }
    }
}

} // namespace ridge::app
