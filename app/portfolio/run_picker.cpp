// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/run_picker.h"

#include "app/runs/table/run_loader.h"
#include "app/session/background.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QTreeView>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kOffered = 5000; ///< of the newest: what one writes about lies not far back

} // namespace

RunPicker::RunPicker(AppContext& context, const QString& title, QWidget* parent)
    : QDialog(parent), m_context(context), m_model(new RunsModel(this)),
      m_filters(new FilterBar(context.theme(), tr("Filter runs by text"), tr("Filter by any word"))),
      m_view(new QTreeView)
{
    setWindowTitle(title);
    setAccessibleName(title);
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_filters);
    m_view->setModel(m_model);
    m_view->setAccessibleName(tr("Runs to choose from"));
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->header()->setAccessibleName(tr("Columns"));
    m_view->header()->setSectionResizeMode(RunsModel::Parameters, QHeaderView::Stretch);
    m_view->header()->setStretchLastSection(false);
    for (const auto& [shown, width] : {std::pair{RunsModel::Experiment, 120},
                                       {RunsModel::Result, 152},
                                       {RunsModel::Target, 116},
                                       {RunsModel::Source, 72},
                                       {RunsModel::Verdict, 68}})
        m_view->setColumnWidth(shown, context.theme().scaled(width));
    m_view->setColumnWidth(RunsModel::When, timeColumnWidth(context.theme()) + m_view->indentation());
    for (const auto hidden : {RunsModel::Lesson, RunsModel::Tags})
        m_view->setColumnHidden(hidden, true);
    useRowHeight(context.theme(), m_view);
    m_model->setGrouped(true);
    column->addWidget(m_view, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    buttons->setAccessibleName(tr("Take or cancel"));
    m_take =
        makeButton(tr("Add the chosen runs"), tr("Adds what is chosen; a sweep's row stands for all its runs"), true);
    m_take->setEnabled(false);
    buttons->addButton(m_take, QDialogButtonBox::AcceptRole);
    column->addWidget(buttons);
    resize(context.theme().scaled(960), context.theme().scaled(480));

    QComboBox* experiment = m_filters->addPicker(tr("Experiment"), tr("All experiments"));
    connect(m_filters, &FilterBar::changed, this, [this, experiment] {
        m_model->setQuery({m_filters->text()->text(), experiment->currentData().toString(), {}, {}, {}});
        m_take->setEnabled(false);
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { m_take->setEnabled(m_view->selectionModel()->hasSelection()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT picked(chosen());
        accept();
    });
    connect(m_view, &QTreeView::activated, m_take, &QPushButton::click);
    record::RunHeadFilter newest;
    newest.limit = kOffered;
    loadEntries(Background::of(context), *context.store(), newest,
                std::make_shared<EntryMaker>(context.experiments(), context.feedback().withheld(Outcome::Result)), this,
                [this, experiment](auto entries) {
                    if (!entries)
                        return Q_EMIT m_context.notice(QString::fromStdString(toText(entries.error())), true);
                    m_model->setEntries(std::move(*entries));
                    m_filters->fill(experiment, m_model->values(RunsModel::Experiment));
                });
}

std::vector<std::string> RunPicker::chosen() const
{
    std::vector<std::string> ids;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        for (const RunsModel::Entry* run : m_model->runs(index))
            ids.push_back(run->id);
    return ids;
}

} // namespace ridge::app

#include "moc_run_picker.cpp"
