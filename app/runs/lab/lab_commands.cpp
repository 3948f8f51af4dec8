// SPDX-License-Identifier: GPL-3.0-or-later
// What the Lab does when the window's commands ask for it.
#include "app/runs/lab/lab_page.h"
#include "app/ui/parameter_history.h"

#include <QComboBox>
#include <QFileDialog>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>

namespace ridge::app {

bool LabPage::can(Command command) const
{
    switch (command) {
    case Command::Run:
        return m_start->isEnabled();
    case Command::Export:
        return !m_results->rows().empty();
    case Command::Find:
        return m_experiments->count() > 0;
    case Command::Undo:
        return m_changes.canUndo();
    case Command::Redo:
        return m_changes.canRedo();
    default:
        return false;
    }
}

void LabPage::perform(Command command)
{
    if (command == Command::Run && m_start->isEnabled())
        start();
    else if (command == Command::Export)
        chooseExport();
    else if (command == Command::Find)
        m_experiments->setFocus(Qt::ShortcutFocusReason);
    else if (command == Command::Undo)
        m_changes.undo();
    else if (command == Command::Redo)
        m_changes.redo();
}

QList<QWidget*> LabPage::panes() const
{
    return {m_experiments, m_results->tabs()->tabBar()};
}

void LabPage::chooseExport()
{
    auto* dialog =
        new QFileDialog(this, tr("Export the result"), {},
                        tr("CSV table (*.csv);;JSON (*.json);;Markdown table (*.md);;Chart (*.png);;Chart (*.svg)"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(m_experiment + QStringLiteral(".csv"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const auto written = m_results->exportTo(path);
        Q_EMIT m_context.notice(written ? tr("Exported %1").arg(path) : QString::fromStdString(toText(written.error())),
                                !written);
    });
    dialog->open();
}

} // namespace ridge::app
