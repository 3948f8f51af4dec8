// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/teaching/job_bar.h"

#include "app/shell/ui/icons.h"
#include "app/shell/ui/panels.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QProgressBar>
#include <QToolButton>

namespace ridge::app {

JobBar::JobBar(Theme& theme, ClassDesk& desk, QWidget* parent)
    : QWidget(parent), m_desk(desk), m_words(makeLabel(theme, {}, TextStyle::Body)), m_bar(new QProgressBar),
      m_stop(makeButton(tr("Stop"), tr("Stops after the file or request that is being worked on")))
{
    setAccessibleName(tr("Work in progress"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::m);
    m_bar->setAccessibleName(tr("How far it is"));
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(theme.scaled(8));
    m_stop->setObjectName(QStringLiteral("class-stop"));
    row->addWidget(m_words);
    row->addWidget(m_bar, 1);
    row->addWidget(m_stop);
    connect(m_stop, &QPushButton::clicked, &desk, &ClassDesk::stop);
    connect(&desk, &ClassDesk::changed, this, &JobBar::follow);
    follow();
}

void JobBar::follow()
{
    setVisible(m_desk.busy() && !m_desk.what().isEmpty());
    const QString words = m_desk.stopping() ? tr("Stopping …") : m_desk.what();
    m_words->setText(words);
    m_bar->setRange(0, m_desk.all());
    m_bar->setValue(m_desk.done());
    m_bar->setAccessibleDescription(m_desk.all() > 0 ? tr("%1 %").arg(100 * m_desk.done() / m_desk.all()) : words);
    m_stop->setEnabled(!m_desk.stopping());
}

OutcomeBar::OutcomeBar(Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_icon(new QLabel), m_words(makeText(theme, {}, TextStyle::Body)),
      m_next(makeButton(tr("Go on"), {})), m_close(new QToolButton)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::l, space::xs, space::xs, space::xs);
    row->setSpacing(space::m);
    m_icon->setAccessibleName(tr("Done"));
    const auto paint = [this] {
        m_icon->setPixmap(iconPixmap(QStringLiteral("check"), m_theme.color(Role::Ok), m_theme.scaled(20), 2.0));
    };
    paint();
    connect(&theme, &Theme::changed, this, paint);
    row->addWidget(m_icon);
    row->addWidget(m_words, 1);
    m_next->setObjectName(QStringLiteral("class-outcome"));
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

void OutcomeBar::tell(const QString& words, const QString& next, std::function<void()> act)
{
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
