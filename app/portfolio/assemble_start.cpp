// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/assemble_start.h"

#include "app/folio/portfolio_document.h"
#include "app/portfolio/assemble_sample.h"
#include "app/shell/ui/panels.h"

#include <QHBoxLayout>

namespace ridge::app {

AssembleStart::AssembleStart(AppContext& context, QWidget* parent) : QWidget(parent), m_templates(new QWidget)
{
    setAccessibleName(tr("New portfolio"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    auto* templates = new QHBoxLayout(m_templates);
    templates->setContentsMargins(0, 0, 0, 0);
    templates->setSpacing(space::s);
    templates->addWidget(makeLabel(context.theme(), tr("New portfolio"), TextStyle::Body, QStringLiteral("muted")));
    for (const folio::Template style : {folio::Template::Job, folio::Template::HandIn, folio::Template::Notebook}) {
        QPushButton* button =
            makeButton(QString::fromStdString(folio::titleOf(style)), QString::fromStdString(folio::purposeOf(style)));
        const QString key = QString::fromStdString(folio::keyOf(style));
        button->setObjectName(QStringLiteral("template-") + key);
        button->setAccessibleName(tr("New portfolio: %1").arg(button->text()));
        connect(button, &QPushButton::clicked, this,
                [&context, key] { Q_EMIT context.openRequested(QStringLiteral("assemble/") + key); });
        templates->addWidget(button);
    }
    QPushButton* sample = makeButton(tr("See a sample"), tr("A portfolio made from runs of the simulator, to look at"));
    sample->setObjectName(QStringLiteral("portfolio-sample"));
    connect(sample, &QPushButton::clicked, this,
            [&context] { Q_EMIT context.openRequested(QStringLiteral("assemble/sample")); });
    m_sample = sample;
    row->addWidget(m_templates);
    row->addWidget(m_sample);
    row->addStretch(1);
    look();
}

void AssembleStart::setArtifacts(int count)
{
    m_artifacts = count;
    look();
}

void AssembleStart::look()
{
    m_templates->setVisible(m_artifacts > 0);
    m_sample->setVisible(!AssembleSample::hidden());
}

void AssembleStart::showEvent(QShowEvent* event)
{
    look(); // it may have been hidden on its own page meanwhile
    QWidget::showEvent(event);
}

} // namespace ridge::app
