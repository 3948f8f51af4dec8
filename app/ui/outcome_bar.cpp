// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/outcome_bar.h"

#include "app/ui/icons.h"
#include "app/ui/panels.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

namespace ridge::app {

OutcomeBar::OutcomeBar(Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_icon(new QLabel), m_words(makeText(theme, {}, TextStyle::Body)),
      m_next(makeButton(tr("Go on"), {})), m_close(new QToolButton)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::l, space::xs, space::xs, space::xs);
    row->setSpacing(space::m);
    paintIcon();
    connect(&theme, &Theme::changed, this, &OutcomeBar::paintIcon);
    row->addWidget(m_icon);
    row->addWidget(m_words, 1);
    row->addWidget(m_next);
    setThemedIcon(theme, m_close, QStringLiteral("close"));
    m_close->setAccessibleName(tr("Close this message"));
    m_close->setToolTip(tr("Close this message"));
    row->addWidget(m_close);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_next, &QPushButton::clicked, this, [this] {
        if (m_act)
            m_act();
    });
    hide();
}

void OutcomeBar::paintIcon()
{
    const bool done = m_tone == Tone::Done;
    m_icon->setAccessibleName(done ? tr("Done") : tr("To be looked at"));
    m_icon->setPixmap(iconPixmap(done ? QStringLiteral("check") : QStringLiteral("warning"),
                                 m_theme.color(done ? Role::Ok : Role::Warn), m_theme.scaled(20), 2.0));
}

void OutcomeBar::tell(const QString& words, const QString& next, std::function<void()> act, Tone tone)
{
    m_tone = tone;
    paintIcon();
    m_words->setText(words);
    setAccessibleName(words);
    m_next->setText(next);
    m_next->setAccessibleDescription(words);
    m_next->setVisible(!next.isEmpty());
    m_act = std::move(act);
    show();
}

QString OutcomeBar::text() const
{
    return m_words->text();
}

void OutcomeBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(Role::Border), 1));
    painter.setBrush(m_theme.color(Role::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kCardRadius, kCardRadius);
}

} // namespace ridge::app

#include "moc_outcome_bar.cpp"
