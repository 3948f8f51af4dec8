// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/figures_table.h"

#include "app/ui/panels.h"
#include "base/units.h"

#include <QHeaderView>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr int kShownRows = 12;

QString word(const Json& figure, const char* name)
{
    const auto found = figure.find(name);
    return found != figure.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

} // namespace

FiguresModel::FiguresModel(const Json& figures, QObject* parent) : QAbstractTableModel(parent)
{
    // A store may have come from elsewhere: what is no figure is left out.
    for (const Json& figure : figures)
        if (figure.is_object() && figure.contains("value") && figure["value"].is_number())
            m_rows.push_back(&figure);
}

int FiguresModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int FiguresModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FiguresModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole))
        return {};
    const Json& figure = *m_rows[static_cast<std::size_t>(index.row())];
    switch (index.column()) {
    case Of:
        return word(figure, "of");
    case Name:
        return word(figure, "name");
    case Value:
        return QString::fromStdString(
            formatQuantity(figure["value"].get<double>(), word(figure, "unit").toStdString()));
    default: {
        const auto line = figure.find("line");
        const bool numbered = line != figure.end() && line->is_number_integer();
        return numbered ? tr("%1, line %2").arg(word(figure, "source")).arg(line->get<int>()) : word(figure, "source");
    }
    }
}

QVariant FiguresModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    const std::array<QString, ColumnCount> heads = {tr("Of"), tr("Figure"), tr("Recorded"), tr("Read from")};
    return heads[static_cast<std::size_t>(section)];
}

QTreeView* makeFiguresTable(Theme& theme, const Json& figures)
{
    auto* view = new QTreeView;
    auto* model = new FiguresModel(figures, view);
    view->setModel(model);
    view->setAccessibleName(QCoreApplication::translate("ridge::app::FiguresModel", "Figures read from a file"));
    view->setRootIsDecorated(false);
    view->setUniformRowHeights(true);
    view->header()->setAccessibleName(QCoreApplication::translate("ridge::app::FiguresModel", "Columns"));
    view->header()->setStretchLastSection(true);
    useRowHeight(theme, view);
    view->setColumnWidth(FiguresModel::Of, theme.scaled(200));
    view->setColumnWidth(FiguresModel::Name, theme.scaled(280));
    view->setColumnWidth(FiguresModel::Value, theme.scaled(120));
    view->setFixedHeight(theme.scaled(28) * (std::min(model->rowCount(), kShownRows) + 1) + space::m);
    return view;
}

} // namespace ridge::app

#include "moc_figures_table.cpp"
