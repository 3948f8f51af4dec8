// SPDX-License-Identifier: GPL-3.0-or-later
// The debugger's page of breakpoints.
#include "app/kernels/debug_panel.h"

#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace ridge::app {

QWidget* DebugPanel::makeBreakpoints()
{
    auto* page = new QWidget;
    page->setAccessibleName(tr("Breakpoints"));
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, space::xs, 0, 0);
    auto* kinds = new QWidget;
    kinds->setAccessibleName(tr("What else stops"));
    auto* row = new FlowLayout(kinds);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::l);
    m_divergence = new QCheckBox(tr("Stop where lanes part"));
    m_conflicts = new QCheckBox(tr("Stop at bank conflicts"));
    m_reports = new QCheckBox(tr("Stop at found errors"));
    for (QCheckBox* box : {m_divergence, m_conflicts, m_reports}) {
        row->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &DebugPanel::applyBreakpoints);
    }
    column->addWidget(kinds);
    m_list = new QListWidget;
    m_list->setAccessibleName(tr("Breakpoints"));
    useRowHeight(m_theme, m_list);
    column->addWidget(m_list, 1);
    m_condition = new QLineEdit;
    m_condition->setAccessibleName(tr("Condition of the chosen breakpoint"));
    m_condition->setPlaceholderText(tr("Condition of the chosen one: lane == 5 && r4 > 3"));
    column->addWidget(m_condition);
    m_wrong = makeText(m_theme, {}, TextStyle::Caption, QStringLiteral("error"));
    m_wrong->hide();
    column->addWidget(m_wrong);
    const auto chosen = [this] {
        const QListWidgetItem* item = m_list->currentItem();
        return item ? item->data(Qt::UserRole).toInt() : 0;
    };
    connect(m_list, &QListWidget::currentRowChanged, this, [this, chosen] {
        const auto found = m_lines.find(chosen());
        m_condition->setText(found == m_lines.end() ? QString() : found->second);
        m_condition->setEnabled(found != m_lines.end());
    });
    connect(m_condition, &QLineEdit::returnPressed, this, [this, chosen] {
        if (chosen() == 0)
            return;
        const auto set = setBreakpoint(chosen(), m_condition->text().trimmed());
        m_wrong->setText(set ? QString() : QString::fromStdString(toText(set.error())));
        m_wrong->setVisible(!set);
    });
    fillBreakpoints();
    setReportedLines({});
    return page;
}

void DebugPanel::toggleBreakpoint(int line)
{
    if (m_lines.erase(line) == 0)
        m_lines[line] = QString();
    applyBreakpoints();
    fillBreakpoints();
    Q_EMIT breakpointsChanged();
}

Result<void> DebugPanel::setBreakpoint(int line, const QString& condition)
{
    if (m_session)
        if (auto set = m_session->setBreakpoint(line, condition.toStdString()); !set)
            return set;
    m_lines[line] = condition;
    fillBreakpoints();
    Q_EMIT breakpointsChanged();
    return {};
}

void DebugPanel::applyBreakpoints()
{
    if (!m_session)
        return;
    m_session->stopAtDivergence = m_divergence->isChecked();
    m_session->stopAtConflicts = m_conflicts->isChecked();
    m_session->stopAtReports = m_reports->isChecked();
    m_session->reportedLines = m_reported;
    const auto before = m_session->breakpoints();
    for (const auto& [line, breakpoint] : before)
        m_session->removeBreakpoint(line);
    for (const auto& [line, condition] : m_lines)
        if (const auto set = m_session->setBreakpoint(line, condition.toStdString()); !set)
            (void)m_session->setBreakpoint(line); // its register is gone with the old code: it stops always
}

void DebugPanel::setReportedLines(const std::set<int>& lines)
{
    m_reported = lines;
    m_reports->setEnabled(!lines.empty());
    QStringList words;
    for (const int line : lines)
        words << QString::number(line);
    m_reports->setToolTip(lines.empty() ? tr("A run (F5) with detectors says where; the last one of this text found "
                                             "nothing, or there is none")
                                        : tr("Races, accesses out of bounds and the like, as the last run found them: "
                                             "lines %1")
                                              .arg(words.join(QStringLiteral(", "))));
    applyBreakpoints();
}

void DebugPanel::fillBreakpoints()
{
    const int row = m_list->currentRow();
    m_list->clear();
    for (const auto& [line, condition] : m_lines) {
        auto* item = new QListWidgetItem(condition.isEmpty() ? tr("Line %1").arg(line)
                                                             : tr("Line %1 where %2").arg(line).arg(condition));
        item->setData(Qt::UserRole, line);
        m_list->addItem(item);
    }
    m_list->setCurrentRow(std::clamp(row, 0, std::max(0, m_list->count() - 1)));
    m_condition->setEnabled(m_list->count() > 0);
}

} // namespace ridge::app
