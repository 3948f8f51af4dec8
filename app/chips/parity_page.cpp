// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chips/parity_page.h"

#include "app/chips/catalogue_parts.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr int kWide = 1080; ///< from this width on, at 100 %, list and picture stand side by side
constexpr int kLeastList = 180, kLeastChart = 330;
constexpr int kMostDrawn = 6;  ///< series that can be told apart
constexpr int kAboutLines = 6; ///< of text below the picture before it scrolls

QString s(const std::string& text)
{
    return QString::fromStdString(text);
}

QString goalText(const parity::Goal& goal)
{
    QStringList parts;
    if (goal.mean)
        parts << ParityPage::tr("mean %1").arg(percentText(*goal.mean));
    if (goal.ninety)
        parts << ParityPage::tr("90 % below %1").arg(percentText(*goal.ninety));
    if (goal.worst)
        parts << ParityPage::tr("worst %1").arg(percentText(*goal.worst));
    return parts.join(QStringLiteral(", "));
}

QString seenText(parity::Fitted fitted)
{
    return fitted == parity::Fitted::No     ? ParityPage::tr("no")
           : fitted == parity::Fitted::Part ? ParityPage::tr("in part")
                                            : ParityPage::tr("yes");
}

/// Chosen rows stand on the colour of a selection, whether or not the list has the focus.
class ChosenDelegate : public QStyledItemDelegate {
public:
    ChosenDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, m_theme.color(Role::Selection));
        QStyledItemDelegate::paint(painter, option, index);
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(), m_theme.scaled(28)};
    }

private:
    Theme& m_theme;
};

} // namespace

ParityModel::ParityModel(const std::vector<parity::Set>& sets, QObject* parent)
    : QAbstractTableModel(parent), m_sets(sets)
{
    for (const parity::Set& set : sets)
        m_errors.push_back(parity::errorsOf(set));
}

int ParityModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_sets.size());
}

int ParityModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QVariant ParityModel::data(const QModelIndex& index, int role) const
{
    const auto at = static_cast<std::size_t>(index.row());
    const parity::Set& set = m_sets[at];
    const parity::Errors& errors = m_errors[at];
    const auto share = [&](double value) { return role == Qt::UserRole ? QVariant(value) : percentText(value); };
    if (role == Qt::TextAlignmentRole)
        return int((index.column() >= Rows && index.column() <= Worst ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return index.column() == Goal ? goalText(set.goal) : s(set.source);
    if (role != Qt::DisplayRole && role != Qt::UserRole)
        return {};
    switch (index.column()) {
    case Title:
        return s(set.title);
    case Rows:
        return role == Qt::UserRole ? QVariant(double(errors.rows)) : QString::number(errors.rows);
    case Mean:
        return share(errors.mean);
    case Ninety:
        return share(errors.ninety);
    case Worst:
        return share(errors.worst);
    case Goal:
        return parity::meets(errors, set.goal) ? ParityPage::tr("met") : ParityPage::tr("missed");
    default:
        return seenText(set.fitted);
    }
}

QVariant ParityModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    static constexpr const char* kTitles[] = {QT_TR_NOOP("Data set"),   QT_TR_NOOP("Rows"),  QT_TR_NOOP("Mean error"),
                                              QT_TR_NOOP("90 % below"), QT_TR_NOOP("Worst"), QT_TR_NOOP("Goal"),
                                              QT_TR_NOOP("Fitted")};
    static constexpr const char* kHelp[] = {
        QT_TR_NOOP("What was measured, on what, by whom"),
        QT_TR_NOOP("Points of the data set"),
        QT_TR_NOOP("Mean of the errors' sizes, as a share of what was measured"),
        QT_TR_NOOP("Nine rows in ten are off by at most this"),
        QT_TR_NOOP("The row that is off by most"),
        QT_TR_NOOP("Whether the errors are within what was asked of the engine"),
        QT_TR_NOOP("Whether constants of the engine were fitted on these rows; their errors are then those of a fit")};
    if (role == Qt::DisplayRole)
        return tr(kTitles[section]);
    if (role == Qt::ToolTipRole)
        return tr(kHelp[section]);
    if (role == Qt::TextAlignmentRole)
        return int((section >= Rows && section <= Worst ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

/// What of the list is shown.
class ParityPage::Filter : public QSortFilterProxyModel {
public:
    Filter(const std::vector<parity::Set>& sets, QObject* parent) : QSortFilterProxyModel(parent), m_sets(sets)
    {
        setSortRole(Qt::UserRole);
    }
    void setQuery(const QString& text, const QString& group, const QString& seen)
    {
        m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        m_group = group;
        m_seen = seen;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex&) const override
    {
        const parity::Set& set = m_sets[static_cast<std::size_t>(row)];
        const QString all = QStringLiteral("%1 %2 %3 %4 %5")
                                .arg(s(set.title), s(set.experiment), s(set.source), s(set.group), s(set.method));
        return (m_group.isEmpty() || m_group == s(set.group)) && (m_seen.isEmpty() || m_seen == seenText(set.fitted)) &&
               std::all_of(m_words.begin(), m_words.end(),
                           [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
    }

private:
    const std::vector<parity::Set>& m_sets;
    QStringList m_words;
    QString m_group, m_seen;
};

ParityPage::ParityPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_error(new Banner(context.theme()))
{
    setAccessibleName(title());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_error->setClosable(false);
    layout->addWidget(m_error);
    auto read = parity::readSets(context.dataFolder() / "assets" / "parity");
    if (!read) {
        m_error->setError(read.error());
        m_error->show();
        layout->addStretch(1);
        return;
    }
    m_sets = std::move(*read);
    m_spreads = parity::spreadsOf(m_sets);
    m_model = new ParityModel(m_sets, this);
    m_filter = new Filter(m_sets, this);
    m_filter->setSourceModel(m_model);

    auto* body = new QWidget;
    body->setAccessibleName(title());
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    column->addWidget(makeHead());
    m_split = new QSplitter(Qt::Horizontal);
    m_split->setAccessibleName(tr("Data sets and picture"));
    m_split->setChildrenCollapsible(false);
    m_split->setHandleWidth(1);
    m_split->addWidget(makeList());
    m_split->addWidget(makePicture());
    column->addWidget(m_split, 1);
    auto* scroll = new StillScroll; // where list and picture do not fit below one another
    scroll->setAccessibleName(title());
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(body);
    layout->addWidget(scroll, 1);

    connect(&context.theme(), &Theme::changed, this, &ParityPage::fitColumns);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ParityPage::showChosen);
    applyQuery();
    if (!m_sets.empty())
        choose({s(m_sets.front().id)});
}

QWidget* ParityPage::makeHead()
{
    auto* head = new QWidget;
    head->setAccessibleName(tr("Summary"));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    m_summary = new OneLine(m_context.theme());
    std::size_t rows = 0;
    const auto met = std::count_if(m_sets.begin(), m_sets.end(), [&](const parity::Set& set) {
        rows += set.rows.size();
        return parity::meets(parity::errorsOf(set), set.goal);
    });
    m_summary->say(
        tr("%1 published figures of %2 data sets beside what the engines say; %3 sets are within their goal.")
            .arg(rows)
            .arg(m_sets.size())
            .arg(met));
    row->addWidget(m_summary, 1);
    m_lab = makeButton(tr("Open in the Lab"), tr("The experiment that the chosen data set is run with"));
    connect(m_lab, &QPushButton::clicked, this, [this] {
        const QStringList ids = chosen();
        for (const parity::Set& set : m_sets)
            if (!ids.isEmpty() && s(set.id) == ids.front())
                Q_EMIT m_context.openRequested(QStringLiteral("lab/") + s(set.experiment));
    });
    m_ratio = new QCheckBox(tr("As a ratio"));
    m_ratio->setAccessibleName(tr("As a ratio"));
    m_ratio->setToolTip(tr("Draws modelled over measured, which shows small errors over many decades"));
    connect(m_ratio, &QCheckBox::toggled, this, &ParityPage::showChosen);
    row->addWidget(m_ratio);
    row->addWidget(m_lab);
    auto* save = makeButton(tr("Export…"), tr("Saves the rows that are drawn as CSV, Markdown or JSON"));
    connect(save, &QPushButton::clicked, this, &ParityPage::chooseExport);
    row->addWidget(save);
    return head;
}

QWidget* ParityPage::makeList()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Data sets"));
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, space::m, 0);
    column->setSpacing(space::m);
    m_filters =
        new FilterBar(m_context.theme(), tr("Filter data sets by text"), tr("Filter by any word: h200, gemm, vidur …"));
    m_group = m_filters->addPicker(tr("Area"), tr("All areas"));
    m_seen = m_filters->addPicker(tr("Fitted"), tr("Fitted or not"));
    QStringList groups, seen;
    for (const parity::Set& set : m_sets) {
        if (!groups.contains(s(set.group)))
            groups << s(set.group);
        if (!seen.contains(seenText(set.fitted)))
            seen << seenText(set.fitted);
    }
    m_filters->fill(m_group, groups);
    m_filters->fill(m_seen, seen);
    connect(m_filters, &FilterBar::changed, this, &ParityPage::applyQuery);
    column->addWidget(m_filters);
    auto* view = new ChipView;
    connect(view, &ChipView::resized, this, &ParityPage::fitColumns);
    m_view = view;
    m_view->setObjectName(QStringLiteral("parity"));
    m_view->setModel(m_filter);
    m_view->setAccessibleName(tr("Data sets"));
    m_view->setAccessibleDescription(tr("Several can be chosen; those of one unit are drawn together."));
    m_view->header()->setAccessibleName(tr("Columns"));
    m_view->header()->setStretchLastSection(false);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setTextElideMode(Qt::ElideRight);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder); // as the file has them: by area
    useRowHeight(m_context.theme(), m_view);
    m_view->setItemDelegate(new ChosenDelegate(m_context.theme(), m_view));
    column->addWidget(m_view, 1);
    return pane;
}

QWidget* ParityPage::makePicture()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Measured and modelled"));
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(space::m, 0, 0, 0);
    column->setSpacing(space::s);
    m_chart = new PlotChart(m_context.theme());
    column->addWidget(m_chart, 1);
    m_about = makeText(m_context.theme(), {}, TextStyle::Caption, QStringLiteral("muted"));
    m_about->setAccessibleName(tr("Where the numbers come from"));
    m_about->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* scroll = new StillScroll;
    scroll->setAccessibleName(tr("Where the numbers come from"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(m_about);
    const auto fit = [this, scroll] {
        scroll->setFixedHeight(kAboutLines * m_context.theme().lineHeight(TextStyle::Caption) + space::s);
    };
    fit();
    connect(&m_context.theme(), &Theme::changed, scroll, fit);
    column->addWidget(scroll);
    return pane;
}

Result<void> ParityPage::open(const QString& part)
{
    if (!m_model || part.isEmpty())
        return {};
    const QStringList ids = part.split(QLatin1Char(','), Qt::SkipEmptyParts);
    QStringList known;
    for (const parity::Set& set : m_sets)
        known << s(set.id);
    for (const QString& id : ids)
        if (!known.contains(id))
            return Error{"unknown-page", "there is no data set " + id.toStdString(), "parity/" + part.toStdString(),
                         "take one of " + known.join(QStringLiteral(", ")).toStdString()};
    m_filters->clear();
    choose(ids);
    return {};
}

QStringList ParityPage::chosen() const
{
    QStringList ids;
    if (!m_model)
        return ids;
    std::vector<int> rows;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows())
        rows.push_back(m_filter->mapToSource(index).row());
    std::sort(rows.begin(), rows.end());
    for (const int row : rows)
        ids << s(m_sets[static_cast<std::size_t>(row)].id);
    return ids;
}

void ParityPage::choose(const QStringList& ids)
{
    QItemSelection selection;
    QModelIndex first;
    for (std::size_t i = 0; i < m_sets.size(); ++i) {
        const QModelIndex index = m_filter->mapFromSource(m_model->index(static_cast<int>(i), 0));
        if (!ids.contains(s(m_sets[i].id)) || !index.isValid())
            continue;
        selection.select(index, index);
        if (!first.isValid())
            first = index;
    }
    m_view->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    m_view->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (first.isValid())
        m_view->scrollTo(first);
}

void ParityPage::applyQuery()
{
    m_filter->setQuery(m_filters->text()->text(), m_group->currentData().toString(), m_seen->currentData().toString());
    const int shown = m_filter->rowCount(), all = m_model->rowCount();
    m_filters->setCount(shown == all ? tr("%1 data sets").arg(all) : tr("%1 of %2").arg(shown).arg(all));
    if (m_view && shown > 0 && chosen().isEmpty() && m_chart)
        m_view->setCurrentIndex(m_filter->index(0, 0)); // something is always drawn
}

void ParityPage::showChosen()
{
    const QStringList ids = chosen();
    ParityData data;
    QStringList about, left;
    for (const parity::Set& set : m_sets) {
        if (!ids.contains(s(set.id)))
            continue;
        if (data.sets.empty())
            data.unit = s(set.unit);
        if (data.unit != s(set.unit) || data.sets.size() >= kMostDrawn) {
            left << s(set.title);
            continue;
        }
        const std::optional<double> goal = set.goal.mean ? set.goal.mean : set.goal.worst;
        data.band = data.sets.empty() ? goal : data.band == goal ? goal : std::nullopt;
        data.sets.push_back(set);
        about << wordsAbout(set);
    }
    data.ratio = m_ratio->isChecked();
    data.title = data.sets.size() == 1 ? s(data.sets.front().title)
                                       : tr("Measured and modelled, %1 data sets").arg(data.sets.size());
    data.caption =
        tr("RECORDED figures of others across, MODELLED or SIMULATED ones of ours up. On the line both agree.");
    if (!left.isEmpty())
        data.caption += QLatin1Char(' ') + tr("Not drawn: %1.").arg(left.join(QStringLiteral("; ")));
    m_about->setText(about.join(QStringLiteral("\n\n")));
    m_lab->setEnabled(!data.sets.empty());
    m_chart->setPlot(std::make_shared<ParityPlot>(std::move(data)));
    Q_EMIT commandsChanged();
}

QString ParityPage::wordsAbout(const parity::Set& set) const
{
    QStringList parts = {tr("%1: %2, %3.").arg(s(set.title), s(set.source), s(set.licence)),
                         tr("Measured: %1.").arg(s(set.method))};
    const parity::Errors errors = parity::errorsOf(set);
    parts << tr("%1 rows; wanted: %2. With their signs the errors have a mean of %3%4.")
                 .arg(errors.rows)
                 .arg(goalText(set.goal), errors.bias > 0 ? QStringLiteral("+") : QString(), percentText(errors.bias));
    parts << (set.fitted == parity::Fitted::No ? tr("No constant was fitted on these rows.")
              : set.fitted == parity::Fitted::Part
                  ? tr("Constants were fitted on some of these rows.")
                  : tr("Constants were fitted on these rows: these are errors of a fit."));
    if (!set.note.empty())
        parts << s(set.note);
    for (const parity::Spread& spread : m_spreads) {
        if (spread.first != set.id && spread.second != set.id)
            continue;
        const std::string& other = spread.first == set.id ? spread.second : spread.first;
        for (const parity::Set& one : m_sets)
            if (one.id == other)
                parts << tr("Others measured the same: %1 differs by %2 in the median of %3 points, by up to %4.")
                             .arg(s(one.title), percentText(spread.median))
                             .arg(spread.points)
                             .arg(percentText(spread.most));
    }
    return parts.join(QLatin1Char(' '));
}

QString ParityPage::provenance() const
{
    return m_about ? m_about->text() : QString();
}

void ParityPage::fitColumns()
{
    if (!m_model)
        return;
    const Theme& theme = m_context.theme();
    m_view->setMinimumHeight(theme.scaled(kLeastList));
    m_chart->setMinimumHeight(theme.scaled(kLeastChart));
    const QFontMetrics heads(theme.font(TextStyle::Strong)), body(theme.font(TextStyle::Body));
    int used = 0,
        titles = heads.horizontalAdvance(m_model->headerData(0, Qt::Horizontal).toString()) + space::l + space::s;
    for (int row = 0; row < m_model->rowCount(); ++row)
        titles =
            std::max(titles, body.horizontalAdvance(m_model->index(row, 0).data().toString()) + space::l + space::s);
    std::vector<int> widths(ParityModel::Columns);
    for (int column = ParityModel::Rows; column < ParityModel::Columns; ++column) {
        int wide =
            heads.horizontalAdvance(m_model->headerData(column, Qt::Horizontal).toString()) + space::l + space::s;
        for (int row = 0; row < m_model->rowCount(); ++row)
            wide = std::max(wide, body.horizontalAdvance(m_model->index(row, column).data().toString()) + space::l +
                                      space::s);
        m_view->setColumnWidth(column, wide);
        widths[static_cast<std::size_t>(column)] = wide;
        used += wide;
    }
    // Where titles would be cut off, what the text below the picture says too gives way.
    for (const int column : {int(ParityModel::Rows), int(ParityModel::Fitted), int(ParityModel::Ninety)}) {
        const bool tight = used + titles > m_view->viewport()->width();
        m_view->setColumnHidden(column, tight);
        used -= tight ? widths[static_cast<std::size_t>(column)] : 0;
    }
    m_view->setColumnWidth(ParityModel::Title, std::max(theme.scaled(180), m_view->viewport()->width() - used));
}

void ParityPage::arrange()
{
    const bool wide = width() >= m_context.theme().scaled(kWide);
    const Qt::Orientation way = wide ? Qt::Horizontal : Qt::Vertical;
    if (m_split->orientation() == way && m_split->property("arranged").toBool())
        return;
    m_split->setProperty("arranged", true);
    m_split->setOrientation(way);
    m_split->setSizes(wide ? QList<int>{width() * 11 / 20, width() * 9 / 20}
                           : QList<int>{height() * 2 / 5, height() * 3 / 5});
}

void ParityPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    if (!m_model)
        return;
    arrange();
    fitColumns();
}

bool ParityPage::can(Command command) const
{
    return m_model && (command == Command::Export || command == Command::Find);
}

void ParityPage::perform(Command command)
{
    if (!m_model)
        return;
    if (command == Command::Export)
        chooseExport();
    if (command == Command::Find)
        m_filters->text()->setFocus(Qt::ShortcutFocusReason);
}

QList<QWidget*> ParityPage::panes() const
{
    if (!m_model)
        return {};
    return {m_view, m_filters->text(), m_chart};
}

void ParityPage::chooseExport()
{
    openExportDialog(
        this, tr("Export the rows"), tr("CSV table (*.csv);;Markdown table (*.md);;JSON (*.json)"),
        QStringLiteral("parity.csv"),
        [this](const QString& path) { return writeTable(m_chart->plot()->table(), path); },
        [this](const QString& text, bool isError) { Q_EMIT m_context.notice(text, isError); });
}

} // namespace ridge::app

#include "moc_parity_page.cpp"
