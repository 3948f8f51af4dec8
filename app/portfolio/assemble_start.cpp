// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/assemble_start.h"

#include "app/portfolio/assemble_sample.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "portfolio/portfolio_document.h"

namespace ridge::app {

AssembleStart::AssembleStart(AppContext& context, QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("New portfolio"));
    auto* row = new FlowLayout(this);
    const auto add = [&](QWidget* widget) {
        row->addWidget(widget);
        return widget;
    };
    m_templates.push_back(
        add(makeLabel(context.theme(), tr("New portfolio"), TextStyle::Body, QStringLiteral("muted"))));
    for (const folio::Template style : {folio::Template::Job, folio::Template::HandIn, folio::Template::Notebook}) {
        QPushButton* button =
            makeButton(QString::fromStdString(folio::titleOf(style)), QString::fromStdString(folio::purposeOf(style)));
        const QString key = QString::fromStdString(folio::keyOf(style));
        button->setObjectName(QStringLiteral("template-") + key);
        button->setAccessibleName(tr("New portfolio: %1").arg(button->text()));
        connect(button, &QPushButton::clicked, this,
                [&context, key] { Q_EMIT context.openRequested(QStringLiteral("assemble/") + key); });
        m_templates.push_back(add(button));
    }
    QPushButton* sample = makeButton(tr("See a sample"), tr("A portfolio made from runs of the simulator, to look at"));
    sample->setObjectName(QStringLiteral("portfolio-sample"));
    connect(sample, &QPushButton::clicked, this,
            [&context] { Q_EMIT context.openRequested(QStringLiteral("assemble/sample")); });
    m_sample = add(sample);
    look();
}

void AssembleStart::setArtifacts(int count)
{
    m_artifacts = count;
    look();
}

void AssembleStart::look()
{
    for (QWidget* widget : m_templates)
        widget->setVisible(m_artifacts > 0);
    m_sample->setVisible(!AssembleSample::hidden());
}

void AssembleStart::showEvent(QShowEvent* event)
{
    look(); // it may have been hidden on its own page meanwhile
    QWidget::showEvent(event);
}

} // namespace ridge::app

#include "moc_assemble_start.cpp"
