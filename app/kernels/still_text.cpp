// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/still_text.h"

#include "app/theme/theme.h"

#include <QLabel>
#include <QResizeEvent>

namespace ridge::app {

StillText::StillText(Theme& theme, QLabel* label) : m_label(label)
{
    label->setParent(this);
    label->setWordWrap(true);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        m_height = 0;
        makeRoom();
    });
}

QString StillText::text() const
{
    return m_label->text();
}

void StillText::setText(const QString& text)
{
    if (text == m_label->text())
        return;
    m_label->setText(text);
    makeRoom();
}

void StillText::makeRoom()
{
    const int wanted = std::max(m_label->heightForWidth(std::max(1, width())), m_label->fontMetrics().height() + 2);
    if (wanted <= m_height)
        return;
    m_height = wanted;
    updateGeometry();
}

QSize StillText::sizeHint() const
{
    return {0, std::max(m_height, m_label->fontMetrics().height() + 2)};
}

void StillText::resizeEvent(QResizeEvent* event)
{
    m_label->setGeometry(rect());
    if (event->size().width() != event->oldSize().width()) {
        m_height = 0;
        makeRoom();
    }
}

} // namespace ridge::app
