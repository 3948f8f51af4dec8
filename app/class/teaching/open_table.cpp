// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/open_table.h"

#include "app/class/teaching/class_tables.h"
#include "app/ui/panels.h"
#include "base/units.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

using classroom::OpenLine;
using classroom::OpenWork;

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString stateOf(const OpenWork& work)
{
    switch (work.decision) {
    case OpenWork::Decision::Accepted:
        return QObject::tr("accepted by %1").arg(text(work.decidedBy));
    case OpenWork::Decision::Left:
        return QObject::tr("does not count, says %1").arg(text(work.decidedBy));
    case OpenWork::Decision::None:
        break;
    }
    return QObject::tr("waits for you");
}

} // namespace

OpenTable::OpenTable(Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_words(makeText(theme,
                       tr("This could not be run again here. It counts nothing until you decide; what you decide holds "
                          "until the learner hands in anew."),
                       TextStyle::Body)),
      m_model(new ClassRows(
          theme, {tr("Learner"), tr("Lesson"), tr("Points"), tr("Decision"), tr("What, and why it was not run")},
          this)),
      m_accept(makeButton(tr("Accept the chosen"), tr("It counts as it was handed in"))),
      m_leave(makeButton(tr("Leave out the chosen"), tr("It counts nothing")))
{
    setAccessibleName(tr("What could not be run again"));
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_model);
    sorted->setSortRole(ClassRows::kSort);
    m_view = makeClassTable(theme, sorted, tr("What could not be run again"), {184, 108, 76, 200, 0}, 4);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::m);
    column->addWidget(m_words);
    column->addWidget(m_view, 1);
    auto* row = new QHBoxLayout;
    m_accept->setObjectName(QStringLiteral("class-accept-open"));
    m_leave->setObjectName(QStringLiteral("class-leave-open"));
    row->addWidget(m_accept);
    row->addWidget(m_leave);
    row->addStretch(1);
    column->addLayout(row);
    connect(m_accept, &QPushButton::clicked, this, [this] { decide(true); });
    connect(m_leave, &QPushButton::clicked, this, [this] { decide(false); });
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &OpenTable::followChoice);
    connect(sorted, &QAbstractItemModel::modelReset, this, &OpenTable::followChoice);
    followChoice();
}

void OpenTable::setLines(const std::vector<OpenLine>& lines, bool changeable)
{
    m_changeable = changeable;
    m_lines.clear();
    std::ranges::copy_if(lines, std::back_inserter(m_lines), [](const OpenLine& line) { return line.work.points > 0; });
    std::vector<ClassRows::Row> rows;
    for (const OpenLine& line : m_lines)
        rows.push_back({{shownName(line.who)},
                        {text(line.lesson), Role::Text2},
                        {text(formatNumber(line.work.points)), Role::Text, line.work.points},
                        {stateOf(line.work), line.work.isUndecided() ? Role::Warn : Role::Text2},
                        {text(classroom::reasonsText(line.work)), Role::Text2}});
    m_model->setRows(std::move(rows));
    setVisible(!m_lines.empty());
    followChoice();
}

std::vector<const OpenLine*> OpenTable::chosen() const
{
    const auto* sorted = qobject_cast<const QSortFilterProxyModel*>(m_view->model());
    std::vector<const OpenLine*> lines;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        lines.push_back(&m_lines[static_cast<std::size_t>(sorted->mapToSource(index).row())]);
    return lines;
}

void OpenTable::followChoice()
{
    const bool any = !m_view->selectionModel()->selectedRows().isEmpty();
    for (QPushButton* button : {m_accept, m_leave}) {
        button->setVisible(m_changeable);
        button->setEnabled(any);
    }
}

void OpenTable::decide(bool accept)
{
    std::vector<OpenChoice> choices;
    for (const OpenLine* line : chosen())
        choices.push_back({line->who.learner, line->lesson, accept});
    if (!choices.empty())
        Q_EMIT decided(choices);
}

} // namespace ridge::app

#include "moc_open_table.cpp"
