// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/catalogue_page.h"

#include "app/chips/catalogue_parts.h"
#include "app/chips/chip_roofline.h"
#include "app/chips/choice_bar.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"
#include "app/ui/target_box.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>
#include <numeric>

namespace ridge::app {
namespace {

constexpr int kCellRoom = space::l + space::xs; ///< beside the words of a cell, before they are cut short

/// From this width on, at 100 %, the comparison and its chart are read side by side.
constexpr int kWide = 1560;

} // namespace

CataloguePage::CataloguePage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_error(new Banner(context.theme()))
{
    setAccessibleName(tr("GPU catalogue"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_error->setClosable(false);
    layout->addWidget(m_error);
    auto loaded = silicon::loadCatalogue(context.dataFolder() / "assets" / "chips" / "gpus.json");
    if (!loaded) {
        m_error->setError(loaded.error());
        m_error->show();
        layout->addStretch(1);
        return;
    }
    m_catalogue = std::move(*loaded);
    m_list = new ChipListModel(*m_catalogue, this);
    m_filter = new ChipFilter(*m_list, this);
    m_comparison = new ChipComparisonModel(this);

    auto* body = new QWidget;
    layout->addWidget(body, 1); // before there is anything in it, as the tabs below: what joins is styled anew
    body->setAccessibleName(tr("GPU catalogue"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    column->addWidget(makeHead());
    m_choice = new ChoiceBar(context.theme());
    column->addWidget(m_choice);
    m_tabs = new QTabWidget;
    column->addWidget(m_tabs, 1);
    m_tabs->setAccessibleName(tr("GPU catalogue"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setAccessibleName(tr("All chips, side by side or roofline"));
    m_chartPane = makeRoofline();
    m_tabs->addTab(makeList(), tr("All chips"));
    m_tabs->addTab(makeComparison(), tr("Side by side"));
    m_tabs->addTab(m_chartPane, tr("Roofline"));
    connect(m_tabs, &QTabWidget::currentChanged, this, [this](int tab) {
        m_choice->setCompareShown(tab == List);
        m_kernelPicker->setVisible(tab != List);
        fitColumns(); // widths are known once it is shown
    });

    connect(m_choice, &ChoiceBar::removed, this, [this](const QString& id) {
        QStringList ids = m_list->chosen();
        ids.removeAll(id);
        m_list->setChosen(ids);
    });
    connect(m_choice, &ChoiceBar::madeFirst, this, [this](const QString& id) {
        QStringList ids = m_list->chosen();
        ids.removeAll(id);
        m_list->setChosen(QStringList(id) + ids);
    });
    connect(m_choice, &ChoiceBar::compared, this, [this] { m_tabs->setCurrentIndex(SideBySide); });
    connect(m_choice, &ChoiceBar::cleared, this, [this] { m_list->setChosen({}); });
    connect(m_list, &ChipListModel::chosenChanged, this, &CataloguePage::showChosen);
    connect(m_list, &ChipListModel::refused, this,
            [this] { Q_EMIT m_context.notice(tr("Four chips are compared at most: take one out first."), false); });
    connect(&context.theme(), &Theme::changed, this, &CataloguePage::fitColumns);
    connect(&context, &AppContext::catalogueReady, this, &CataloguePage::takeOffers);
    takeOffers();
    applyQuery();
    showChosen();
}

/// Known once the worker has told its targets.
void CataloguePage::takeOffers()
{
    ChipOffers offers;
    for (const silicon::Chip& chip : m_catalogue->chips()) {
        const TargetOffer offer = offerOf(m_context, QStringLiteral("sim:") + QString::fromStdString(chip.id));
        if (!offer.gives.isEmpty())
            offers.insert(QString::fromStdString(chip.id), {offer.gives, offer.sentence()});
    }
    m_list->setOffers(std::move(offers));
    if (m_choice) { // the page is made
        showComparison();
        fitColumns();
    }
}

QWidget* CataloguePage::makeHead()
{
    auto* head = new QWidget;
    head->setAccessibleName(tr("Summary"));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    m_summary = new OneLine(m_context.theme());
    row->addWidget(m_summary, 1);
    row->addWidget(makeKernelPicker());
    m_copy = makeButton(tr("Copy"), tr("The table onto the clipboard (Ctrl+C in the table)"));
    connect(m_copy, &QPushButton::clicked, this, &CataloguePage::copy);
    m_export = makeButton(tr("Export…"), tr("Saves the table as CSV, Markdown or JSON; the chart has its own menu"));
    connect(m_export, &QPushButton::clicked, this, &CataloguePage::chooseExport);
    row->addWidget(m_copy);
    row->addWidget(m_export);
    return head;
}

QWidget* CataloguePage::makeFilterBar()
{
    m_filters = new FilterBar(m_context.theme(), tr("Filter chips by text"),
                              tr("Filter by any word: h100, ada, laptop, hbm3 …"));
    const auto picker = [this](const QString& name, const QString& all, std::string silicon::Chip::*field, bool named) {
        QComboBox* box = m_filters->addPicker(name, all);
        std::vector<std::pair<QString, QString>> values;
        for (const silicon::Chip& chip : m_catalogue->chips()) {
            const QString value = QString::fromStdString(chip.*field);
            if (std::none_of(values.begin(), values.end(), [&](const auto& one) { return one.second == value; }))
                values.emplace_back(named ? className(chip.*field) : value, value);
        }
        m_filters->fill(box, values);
        return box;
    };
    m_vendor = picker(tr("Vendor"), tr("All vendors"), &silicon::Chip::vendor, false);
    m_architecture = picker(tr("Architecture"), tr("All architectures"), &silicon::Chip::architecture, false);
    m_class = picker(tr("Class"), tr("All classes"), &silicon::Chip::chipClass, true);
    connect(m_filters, &FilterBar::changed, this, &CataloguePage::applyQuery);
    return m_filters;
}

QWidget* CataloguePage::makeList()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("All chips"));
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::m);
    column->addWidget(makeFilterBar());
    auto* view = new ChipView;
    m_view = view;
    connect(view, &ChipView::resized, this, &CataloguePage::fitColumns); // it has its width after the page has its own
    m_view->setObjectName(QStringLiteral("chips"));
    m_view->setModel(m_filter);
    m_view->setAccessibleName(tr("Chips"));
    m_view->setAccessibleDescription(tr("Space ticks a chip for the comparison."));
    m_view->header()->setAccessibleName(tr("Columns"));
    m_view->header()->setStretchLastSection(false);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setTextElideMode(Qt::ElideRight);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder); // as the catalogue has them: by generation
    useRowHeight(m_context.theme(), m_view);
    connect(m_view, &QAbstractItemView::activated, this, &CataloguePage::toggle);
    addCopyAction(m_view);
    m_listStack = new QStackedWidget;
    m_listStack->setAccessibleName(tr("Chips"));
    m_listStack->addWidget(m_view);
    auto* none =
        new EmptyState(m_context.theme(), tr("No chip matches"),
                       tr("The catalogue has no chip that fits all of these filters."), tr("Clear the filters"));
    connect(none, &EmptyState::clicked, m_filters, &FilterBar::clear);
    m_listStack->addWidget(none);
    column->addWidget(m_listStack, 1);
    return pane;
}

void CataloguePage::addCopyAction(QTreeView* view)
{
    auto* action = new QAction(tr("Copy the table"), view);
    action->setShortcut(QKeySequence::Copy);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, &CataloguePage::copy);
    view->addAction(action);
    view->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QWidget* CataloguePage::makeComparison()
{
    m_compareStack = new QStackedWidget;
    m_compareStack->setAccessibleName(tr("Side by side"));
    auto* none =
        new EmptyState(m_context.theme(), tr("No chip is chosen"),
                       tr("Tick two to four chips in the list. Each of their figures then stands here with its "
                          "source and its ratio to the first."),
                       tr("Go to the list"));
    connect(none, &EmptyState::clicked, this, [this] { m_tabs->setCurrentIndex(List); });
    m_compareStack->addWidget(none);
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Side by side"));
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::s);
    m_table = new QTreeView;
    m_table->setObjectName(QStringLiteral("comparison"));
    m_table->setModel(m_comparison);
    m_table->setAccessibleName(tr("Chips side by side"));
    m_table->header()->setAccessibleName(tr("Chips"));
    m_table->header()->setStretchLastSection(false);
    m_table->header()->setSectionsClickable(true);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(false);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    useRowHeight(m_context.theme(), m_table);
    m_table->setItemDelegate(new ComparisonDelegate(m_context.theme(), m_table));
    addCopyAction(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &CataloguePage::showProvenance);
    column->addWidget(m_table, 1);
    m_provenance = makeText(m_context.theme(), {}, TextStyle::Caption, QStringLiteral("muted"));
    m_provenance->setAccessibleName(tr("Where the number comes from"));
    column->addWidget(m_provenance);
    m_compareSplit = new QSplitter(Qt::Horizontal);
    m_compareSplit->setAccessibleName(tr("Comparison and roofline"));
    m_compareSplit->setChildrenCollapsible(false);
    m_compareSplit->setHandleWidth(1);
    m_compareSplit->addWidget(pane);
    m_compareStack->addWidget(m_compareSplit);
    return m_compareStack;
}

QWidget* CataloguePage::makeKernelPicker()
{
    m_kernelPicker = new QWidget;
    m_kernelPicker->setAccessibleName(tr("Kernel that is asked about"));
    auto* row = new QHBoxLayout(m_kernelPicker);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    row->addWidget(makeLabel(m_context.theme(), tr("Kernel"), TextStyle::Body, QStringLiteral("muted")));
    m_kernel = new QComboBox;
    m_kernel->setAccessibleName(tr("Kernel that is asked about"));
    m_kernel->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const silicon::KernelProfile& profile : silicon::kernelProfiles()) {
        m_kernel->addItem(QString::fromStdString(profile.title), QString::fromStdString(profile.id));
        m_kernel->setItemData(m_kernel->count() - 1, QString::fromStdString(profile.derivation), Qt::ToolTipRole);
    }
    connect(m_kernel, &QComboBox::currentIndexChanged, this, [this] {
        showComparison();
        showRoofline();
    });
    row->addWidget(m_kernel);
    m_kernelPicker->hide(); // until something is compared
    return m_kernelPicker;
}

const silicon::KernelProfile* CataloguePage::kernel() const
{
    return silicon::kernelProfile(m_kernel->currentData().toString().toStdString());
}

QWidget* CataloguePage::makeRoofline()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Roofline"));
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, space::m, 0, 0);
    m_chart = new PlotChart(m_context.theme());
    column->addWidget(m_chart);
    return pane;
}

Result<void> CataloguePage::open(const QString& part)
{
    if (!m_catalogue)
        return {};
    if (part.isEmpty()) {
        m_tabs->setCurrentIndex(List);
        return {};
    }
    auto ids = chipsOfPart(*m_catalogue, part);
    if (!ids)
        return ids.error();
    m_list->setChosen(*ids);
    m_tabs->setCurrentIndex(ids->isEmpty() ? List : SideBySide);
    return {};
}

void CataloguePage::applyQuery()
{
    if (!m_filters)
        return;
    m_filter->setQuery({m_filters->text()->text(), m_vendor->currentData().toString(),
                        m_architecture->currentData().toString(), m_class->currentData().toString()});
    const int shown = m_filter->rowCount(), all = m_list->rowCount();
    m_filters->setCount(shown == all ? tr("%1 chips").arg(all) : tr("%1 of %2").arg(shown).arg(all));
    if (m_listStack)
        m_listStack->setCurrentIndex(shown > 0 ? 0 : 1);
}

void CataloguePage::toggle(const QModelIndex& index)
{
    const QModelIndex box = index.siblingAtColumn(ChipListModel::Name);
    const bool ticked = box.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    m_filter->setData(box, ticked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

void CataloguePage::showChosen()
{
    std::vector<ChoiceBar::Entry> entries;
    for (const QString& id : m_list->chosen())
        entries.push_back({id, chipName(*findChip(*m_catalogue, id))});
    m_choice->show(entries);
    showComparison();
    showRoofline();
    Q_EMIT commandsChanged();
}

void CataloguePage::showComparison()
{
    m_comparison->show(compareChips(*m_catalogue, m_list->chosen(), kernel(), m_list->offers()));
    m_kernel->setToolTip(QString::fromStdString(kernel()->derivation));
    for (int line = 0; line < m_comparison->rowCount(); ++line)
        m_table->setFirstColumnSpanned(line, {}, m_comparison->isHeading(line));
    m_summary->say(m_list->chosen().isEmpty()
                       ? tr("Published figures of %1 chips. Peaks are dense; links are told one way. What nobody "
                            "could be believed about is unknown.")
                             .arg(m_list->rowCount())
                       : m_comparison->comparison().summary);
    m_compareStack->setCurrentIndex(m_list->chosen().isEmpty() ? 0 : 1);
    if (m_comparison->rowCount() > 1)
        m_table->setCurrentIndex(m_comparison->index(1, 1)); // below the first heading: it tells where it comes from
    fitColumns();
}

void CataloguePage::showRoofline()
{
    m_chart->setPlot(std::make_shared<ChipRooflinePlot>(chipRooflines(*m_catalogue, m_list->chosen(), *kernel())));
}

void CataloguePage::showProvenance()
{
    const QString words = m_comparison->provenance(m_table->currentIndex());
    if (words.isEmpty())
        return;
    m_provenance->setText(words);
    // A splitter asks a wrapping label for its height before it knows the width. It only grows, so that the table
    // above does not jump from cell to cell.
    const int least = 2 * m_context.theme().lineHeight(TextStyle::Caption);
    const int needed = m_provenance->heightForWidth(std::max(200, m_table->width()));
    m_provenance->setMinimumHeight(std::max({least, needed, m_provenance->minimumHeight()}));
}

void CataloguePage::arrange()
{
    const bool wide = width() >= m_context.theme().scaled(kWide);
    const bool beside = m_compareSplit->indexOf(m_chartPane) >= 0;
    if (wide == beside)
        return;
    if (wide) {
        m_tabs->removeTab(Roofline);
        m_compareSplit->addWidget(m_chartPane);
        m_chartPane->layout()->setContentsMargins(space::m, space::m, 0, 0);
        m_chartPane->show();
        m_compareSplit->setSizes({width() * 3 / 5, width() * 2 / 5});
    } else {
        m_chartPane->layout()->setContentsMargins(0, space::m, 0, 0);
        m_tabs->addTab(m_chartPane, tr("Roofline"));
    }
}

void CataloguePage::fitColumns()
{
    const Theme& theme = m_context.theme();
    const int names = theme.scaled(210);
    const int chips = std::max(1, m_comparison->columnCount() - 1);
    const int room = (m_table->viewport()->width() - names) / chips;
    m_table->setColumnWidth(0, names);
    for (int column = 1; column <= chips; ++column)
        m_table->setColumnWidth(column, std::max(theme.scaled(196), room));

    // Words as wide as the longest of them, figures as their two lines of title and their longest cell; what is left is
    // shared. Where it does not suffice the class gives way: the filter above has it, and so has the comparison.
    const QFontMetrics metrics(theme.font(TextStyle::Strong)), body(theme.font(TextStyle::Body));
    std::vector<int> widths;
    const auto cells = [&](int column) {
        int wide = 0;
        for (int row = 0; row < m_list->rowCount(); ++row)
            wide = std::max(wide, body.horizontalAdvance(m_list->index(row, column).data().toString()) + kCellRoom);
        return wide;
    };
    for (int column = 0; column < ChipListModel::FirstFigure; ++column) {
        int wide = metrics.horizontalAdvance(m_list->headerData(column, Qt::Horizontal).toString()) + space::l;
        wide = std::max(wide, cells(column));
        if (column == ChipListModel::Name)
            wide += m_view->style()->pixelMetric(QStyle::PM_IndicatorWidth, nullptr, m_view) + space::m;
        widths.push_back(wide);
    }
    for (int column = ChipListModel::FirstFigure; column < m_list->columnCount(); ++column) {
        int wide = cells(column);
        for (const QString& line : m_list->headerData(column, Qt::Horizontal).toString().split(QLatin1Char('\n')))
            wide = std::max(wide, metrics.horizontalAdvance(line) + space::l);
        widths.push_back(wide);
    }
    int used = std::accumulate(widths.begin(), widths.end(), 0);
    auto shown = static_cast<int>(widths.size());
    for (const int column : {int(ChipListModel::Class), int(ChipListModel::Simulated)}) {
        const bool tight =
            used > m_view->viewport()->width() || (column == ChipListModel::Simulated && m_list->offers().empty());
        m_view->setColumnHidden(column, tight);
        if (tight) {
            used -= widths[static_cast<std::size_t>(column)];
            --shown;
        }
    }
    const int spare = std::max(0, (m_view->viewport()->width() - used) / shown);
    for (std::size_t i = 0; i < widths.size(); ++i)
        m_view->setColumnWidth(static_cast<int>(i), widths[i] + spare);
    // What integer division leaves over goes to the names.
    const int left = m_view->viewport()->width() - used - spare * shown;
    m_view->setColumnWidth(ChipListModel::Name, widths[0] + spare + std::max(0, left));
}

void CataloguePage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    if (!m_catalogue)
        return;
    arrange();
    fitColumns();
}

bool CataloguePage::can(Command command) const
{
    return m_catalogue && (command == Command::Export || command == Command::Find);
}

void CataloguePage::perform(Command command)
{
    if (command == Command::Export)
        return chooseExport();
    if (command != Command::Find || !m_catalogue)
        return;
    m_tabs->setCurrentIndex(List);
    m_filters->text()->setFocus(Qt::ShortcutFocusReason);
}

QList<QWidget*> CataloguePage::panes() const
{
    if (!m_catalogue)
        return {};
    if (m_tabs->currentIndex() == List)
        return {m_listStack->currentWidget(), m_filters->text(), m_choice, m_tabs->tabBar()};
    return {m_tabs->currentWidget(), m_choice, m_tabs->tabBar()};
}

ChartTable CataloguePage::currentTable() const
{
    if (m_tabs->currentIndex() == SideBySide && !m_list->chosen().isEmpty())
        return comparisonTable(m_comparison->comparison());
    if (m_tabs->currentIndex() == Roofline && m_chart->plot())
        return m_chart->plot()->table();
    return chipListTable(*m_catalogue, m_filter->shownIds());
}

void CataloguePage::copy() const
{
    copyTable(currentTable());
    Q_EMIT m_context.notice(tr("Copied the table."), false);
}

Result<void> CataloguePage::exportTo(const QString& path) const
{
    return writeTable(currentTable(), path);
}

void CataloguePage::chooseExport()
{
    openExportDialog(
        this, tr("Export the table"), tr("CSV table (*.csv);;Markdown table (*.md);;JSON (*.json)"),
        QStringLiteral("gpus.csv"), [this](const QString& path) { return exportTo(path); },
        [this](const QString& text, bool isError) { Q_EMIT m_context.notice(text, isError); });
}

} // namespace ridge::app

#include "moc_catalogue_page.cpp"
