// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/assemble_list.h"

#include "app/theme/drags.h"
#include "app/ui/panels.h"

#include <QDropEvent>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr int kId = Qt::UserRole;

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

AssembleList::AssembleList(Theme& theme, QWidget* parent) : QListWidget(parent)
{
    setAccessibleName(tr("Artifacts of the portfolio"));
    setAccessibleDescription(tr("Space ticks an artifact, Alt+Up and Alt+Down move it"));
    setDragDropMode(QAbstractItemView::InternalMove);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setUniformItemSizes(true);
    setTextElideMode(Qt::ElideRight);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    useRowHeight(theme, this);
    // With a padding of its own an item leaves room for a box that has grown with the text.
    setStyleSheet(QStringLiteral("QListView::item { border: none; padding: 0 5px; }"));
    connect(this, &QListWidget::itemChanged, this, &AssembleList::choiceChanged);
}

void AssembleList::setArtifacts(const std::vector<record::ArtifactRow>& rows)
{
    const QSignalBlocker quiet(this);
    std::vector<std::string> order;
    std::map<std::string, Qt::CheckState> ticks;
    for (int row = 0; row < count(); ++row) {
        order.push_back(item(row)->data(kId).toString().toStdString());
        ticks[order.back()] = item(row)->checkState();
    }
    std::vector<record::ArtifactRow> sorted = rows;
    std::stable_sort(sorted.begin(), sorted.end(), [&order](const auto& a, const auto& b) {
        const auto place = [&order](const record::ArtifactRow& row) {
            return std::find(order.begin(), order.end(), row.artifactId) - order.begin();
        };
        return place(a) < place(b);
    });
    clear();
    for (const record::ArtifactRow& row : sorted) {
        QString line = text(row.title);
        if (!row.lesson.empty())
            line += tr("  ·  %1").arg(text(row.lesson));
        auto* made = new QListWidgetItem(line, this);
        made->setData(kId, text(row.artifactId));
        made->setData(Qt::AccessibleTextRole, tr("%1. %2").arg(text(row.title), text(row.claim)));
        made->setToolTip(text(row.claim));
        made->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemIsDragEnabled);
        const auto known = ticks.find(row.artifactId);
        made->setCheckState(known == ticks.end() ? Qt::Unchecked : known->second);
    }
    if (count() > 0)
        setCurrentRow(0);
}

std::vector<std::string> AssembleList::chosen() const
{
    std::vector<std::string> ids;
    for (int row = 0; row < count(); ++row)
        if (item(row)->checkState() == Qt::Checked)
            ids.push_back(item(row)->data(kId).toString().toStdString());
    return ids;
}

bool AssembleList::moveCurrent(int by)
{
    const int from = currentRow(), to = from + by;
    if (from < 0 || to < 0 || to >= count())
        return false;
    {
        const QSignalBlocker quiet(this);
        insertItem(to, takeItem(from));
        setCurrentRow(to);
    }
    Q_EMIT choiceChanged();
    return true;
}

void AssembleList::keyPressEvent(QKeyEvent* event)
{
    if (event->modifiers() == Qt::AltModifier && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        moveCurrent(event->key() == Qt::Key_Up ? -1 : 1);
        return;
    }
    QListWidget::keyPressEvent(event);
}

void AssembleList::startDrag(Qt::DropActions)
{
    startRowDrag(*this);
}

void AssembleList::dropEvent(QDropEvent* event)
{
    QListWidget::dropEvent(event);
    Q_EMIT choiceChanged();
}

} // namespace ridge::app

#include "moc_assemble_list.cpp"
