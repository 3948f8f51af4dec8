// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/job_bar.h"

#include "app/ui/panels.h"

#include <QHBoxLayout>
#include <QProgressBar>

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

} // namespace ridge::app

#include "moc_job_bar.cpp"
