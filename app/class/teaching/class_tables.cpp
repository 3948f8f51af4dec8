// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_tables.h"

#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"
#include "base/units.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

enum HandInColumn { Learner, State, When, Machine, File, Checked, Note };

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

int unconfirmed(const classroom::RegradeReport& report)
{
    return report.runs - report.same - report.rebuilt;
}

QVBoxLayout* columnOf(QWidget* widget)
{
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::m);
    return column;
}

Role roleOf(HandIn::State state)
{
    switch (state) {
    case HandIn::State::Late:
        return Role::Warn;
    case HandIn::State::Odd:
        return Role::Error;
    case HandIn::State::Missing:
        return Role::Text3;
    case HandIn::State::InTime:
        break;
    }
    return Role::Text2;
}

} // namespace

QTreeView* makeClassTable(Theme& theme, QAbstractItemModel* model, const QString& name, const std::vector<int>& widths,
                          int stretched)
{
    auto* view = new QTreeView;
    view->setModel(model);
    view->setAccessibleName(name);
    view->setUniformRowHeights(true);
    view->setRootIsDecorated(false);
    view->setAllColumnsShowFocus(true);
    view->setTextElideMode(Qt::ElideRight);
    view->setSortingEnabled(true);
    view->header()->setAccessibleName(QObject::tr("Columns"));
    view->header()->setStretchLastSection(false);
    view->header()->setSectionResizeMode(stretched, QHeaderView::Stretch);
    view->sortByColumn(-1, Qt::AscendingOrder);
    useRowHeight(theme, view);
    const auto fit = [view, widths, stretched, &theme] {
        view->header()->setMinimumSectionSize(theme.scaled(64));
        for (int column = 0; column < static_cast<int>(widths.size()); ++column)
            if (column != stretched)
                view->setColumnWidth(column, theme.scaled(widths[static_cast<std::size_t>(column)]));
    };
    fit();
    QObject::connect(&theme, &Theme::changed, view, fit);
    return view;
}

QString stateText(HandIn::State state)
{
    switch (state) {
    case HandIn::State::Late:
        return QObject::tr("late");
    case HandIn::State::Odd:
        return QObject::tr("odd file");
    case HandIn::State::Missing:
        return QObject::tr("missing");
    case HandIn::State::InTime:
        break;
    }
    return QObject::tr("handed in");
}

ClassRows::ClassRows(Theme& theme, const QStringList& header, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_header(header)
{
}

void ClassRows::setRows(std::vector<Row> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int ClassRows::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ClassRows::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_header.size());
}

QVariant ClassRows::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Cell& cell = row(index.row())[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return cell.text;
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(m_header.value(index.column()), cell.text);
    case Qt::ForegroundRole:
        return m_theme.color(cell.role);
    case kSort:
        return cell.sort.isValid() ? cell.sort : QVariant(cell.text.toCaseFolded());
    default:
        return {};
    }
}

QVariant ClassRows::headerData(int section, Qt::Orientation orientation, int role) const
{
    return orientation == Qt::Horizontal && role == Qt::DisplayRole ? m_header.value(section) : QVariant();
}

void ClassFilter::setQuery(const QString& words, int column, const QString& value)
{
    m_words = words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_column = column;
    m_value = value;
    invalidateFilter();
}

bool ClassFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const auto cell = [&](int column) { return sourceModel()->index(row, column, parent).data().toString(); };
    if (!m_value.isEmpty() && cell(m_column) != m_value)
        return false;
    QString all;
    for (int column = 0; column < sourceModel()->columnCount(); ++column)
        all += cell(column).toLower() + QLatin1Char('\n');
    return std::all_of(m_words.begin(), m_words.end(), [&all](const QString& word) { return all.contains(word); });
}

HandInTable::HandInTable(Theme& theme, QWidget* parent)
    : QWidget(parent), m_filters(new FilterBar(theme, tr("Filter who handed in"),
                                               tr("Filter by any word: a name, a "
                                                  "machine …"))),
      m_dismiss(makeButton(tr("Dismiss the chosen odd files"),
                           tr("Takes them off this list; the class still knows that they were refused"))),
      m_join(makeButton(tr("This is …"), tr("Says whose the chosen hand-in is, of those of whom nothing came"))),
      m_state(m_filters->addPicker(tr("What became of it"), tr("Everyone"))),
      m_model(new ClassRows(
          theme, {tr("Learner"), tr("State"), tr("Handed in"), tr("Machine"), tr("File"), tr("Re-checked"), tr("Note")},
          this)),
      m_filter(new ClassFilter(this))
{
    setAccessibleName(tr("Hand-ins"));
    for (const HandIn::State state :
         {HandIn::State::InTime, HandIn::State::Late, HandIn::State::Missing, HandIn::State::Odd})
        m_state->addItem(stateText(state), stateText(state));
    m_filter->setSourceModel(m_model);
    m_filter->setSortRole(ClassRows::kSort);
    m_view = makeClassTable(theme, m_filter, tr("Hand-ins"), {184, 88, 156, 208, 176, 108, 0}, Note);
    QVBoxLayout* column = columnOf(this);
    column->addWidget(m_filters);
    column->addWidget(m_view, 1);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_dismiss->setObjectName(QStringLiteral("class-dismiss"));
    m_join->setObjectName(QStringLiteral("class-join"));
    auto* menu = new QMenu(m_join);
    menu->setAccessibleName(tr("Of whom nothing came"));
    m_join->setMenu(menu);
    auto* below = new QHBoxLayout;
    below->addWidget(m_join);
    below->addWidget(m_dismiss);
    below->addStretch(1);
    column->addLayout(below);
    connect(m_filters, &FilterBar::changed, this, &HandInTable::filter);
    connect(m_dismiss, &QPushButton::clicked, this, [this] { Q_EMIT dismissAsked(chosenOddFiles()); });
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &HandInTable::followChoice);
    connect(m_filter, &QAbstractItemModel::modelReset, this, &HandInTable::followChoice);
    followChoice();
}

void HandInTable::setChangeable(bool changeable)
{
    m_changeable = changeable;
    followChoice();
}

std::vector<std::string> HandInTable::chosenOddFiles() const
{
    std::vector<std::string> files;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows()) {
        const auto row = static_cast<std::size_t>(m_filter->mapToSource(index).row());
        if (!m_oddKeys[row].empty())
            files.push_back(m_oddKeys[row]);
    }
    return files;
}

std::string HandInTable::chosenStranger() const
{
    const QModelIndexList rows = m_view->selectionModel()->selectedRows();
    return rows.size() == 1 ? m_strangers[static_cast<std::size_t>(m_filter->mapToSource(rows.front()).row())]
                            : std::string();
}

void HandInTable::followChoice()
{
    m_join->setVisible(m_changeable && !m_join->menu()->isEmpty() &&
                       std::ranges::any_of(m_strangers, [](const std::string& id) { return !id.empty(); }));
    m_join->setEnabled(!chosenStranger().empty());
    m_dismiss->setVisible(m_changeable &&
                          std::ranges::any_of(m_oddKeys, [](const std::string& key) { return !key.empty(); }));
    m_dismiss->setEnabled(!chosenOddFiles().empty());
}

void HandInTable::setHandIns(const std::vector<HandIn>& handIns, const std::vector<record::MemberRow>& members)
{
    m_oddKeys.clear();
    m_strangers.clear();
    m_join->menu()->clear();
    for (const record::MemberRow& member : members) {
        // Names are no key: two people may share one.
        const std::string& key = !member.email.empty()           ? member.email
                                 : !member.studentNumber.empty() ? member.studentNumber
                                 : !member.login.empty()         ? member.login
                                                                 : member.name;
        if (std::ranges::any_of(handIns, [&](const HandIn& one) {
                return one.state == HandIn::State::Missing && one.who.name == member.name &&
                       one.who.learner == member.learner;
            }))
            m_join->menu()->addAction(key == member.name ? text(member.name) : text(member.name + " · " + key), this,
                                      [this, key] {
                                          if (const std::string learner = chosenStranger(); !learner.empty())
                                              Q_EMIT joinAsked(learner, key);
                                      });
    }
    for (const HandIn& one : handIns)
        m_strangers.push_back((one.state == HandIn::State::InTime || one.state == HandIn::State::Late) &&
                                      one.who.name.empty()
                                  ? one.who.learner
                                  : std::string());
    for (const HandIn& one : handIns)
        m_oddKeys.push_back(one.state != HandIn::State::Odd ? std::string()
                            : one.digest.empty()            ? one.file
                                                            : one.digest);
    std::vector<ClassRows::Row> rows;
    for (const HandIn& one : handIns) {
        QStringList machines;
        for (const std::string& name : one.hardware)
            machines << text(name);
        const bool there = one.state == HandIn::State::InTime || one.state == HandIn::State::Late;
        rows.push_back({{shownName(one.who)},
                        {stateText(one.state), roleOf(one.state)},
                        {there ? readableTime(one.submittedAt) : QString(), Role::Text2, text(one.submittedAt)},
                        {machines.join(QStringLiteral(", ")), Role::Text2},
                        {text(one.file), Role::Text2},
                        {one.checkedAgain ? tr("yes") : QString(), Role::Text2},
                        {text(one.note), one.state == HandIn::State::Odd ? Role::Error : Role::Text2}});
    }
    m_model->setRows(std::move(rows));
    filter();
}

void HandInTable::showOnly(std::optional<HandIn::State> state)
{
    m_filters->text()->clear();
    m_state->setCurrentIndex(state ? m_state->findData(stateText(*state)) : 0);
}

int HandInTable::shown() const
{
    return m_filter->rowCount();
}

void HandInTable::filter()
{
    m_filter->setQuery(m_filters->text()->text(), State, m_state->currentData().toString());
    m_filters->setCount(tr("%1 of %2").arg(m_filter->rowCount()).arg(m_model->rowCount()));
}

RosterTable::RosterTable(Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_model(new ClassRows(
          theme, {tr("Name"), tr("Learner"), tr("Email"), tr("Student number"), tr("Login"), tr("Section")}, this))
{
    setAccessibleName(tr("Roster"));
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_model);
    sorted->setSortRole(ClassRows::kSort);
    m_view = makeClassTable(theme, sorted, tr("Roster"), {200, 148, 0, 140, 120, 100}, 2);
    QVBoxLayout* column = columnOf(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view, 1);
}

void RosterTable::setMembers(const std::vector<record::MemberRow>& members)
{
    std::vector<ClassRows::Row> rows;
    for (const record::MemberRow& member : members)
        rows.push_back({{text(member.name)},
                        {member.learner.empty() ? tr("not known yet") : text(member.learner),
                         member.learner.empty() ? Role::Text3 : Role::Text2},
                        {text(member.email), Role::Text2},
                        {text(member.studentNumber), Role::Text2},
                        {text(member.login), Role::Text2},
                        {text(member.section), Role::Text2}});
    m_model->setRows(std::move(rows));
}

RegradeTable::RegradeTable(Theme& theme, QWidget* parent)
    : QWidget(parent), m_model(new ClassRows(theme,
                                             {tr("Learner"), tr("Lesson"), tr("Block"), tr("Metric"), tr("Machine"),
                                              tr("Handed in"), tr("Here"), tr("Verdict")},
                                             this)),
      m_words(makeText(theme, {}, TextStyle::Body)), m_open(new OpenTable(theme))
{
    setAccessibleName(tr("Re-check"));
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_model);
    sorted->setSortRole(ClassRows::kSort);
    m_view = makeClassTable(theme, sorted, tr("Runs that came out otherwise"), {160, 68, 112, 164, 124, 88, 76, 0}, 7);
    QVBoxLayout* column = columnOf(this);
    column->addWidget(m_words);
    column->addWidget(m_open, 1);
    column->addWidget(m_view, 1);
    m_view->hide();
    m_open->hide();
    connect(m_open, &OpenTable::decided, this, &RegradeTable::decided);
}

void RegradeTable::setOpen(const std::vector<classroom::OpenLine>& lines, bool changeable)
{
    m_open->setLines(lines, changeable);
}

void RegradeTable::setReport(const classroom::RegradeReport& report)
{
    QString words = regradeText(report);
    for (const std::string& trouble : report.trouble)
        words += QLatin1Char('\n') + tr("Not run: %1").arg(text(trouble));
    m_words->setText(words);
    std::vector<ClassRows::Row> rows;
    for (const classroom::DifferentRun& run : report.different)
        rows.push_back({{shownName(run.who)},
                        {text(run.lesson), Role::Text2},
                        {text(run.block), Role::Text2},
                        {text(run.metric), Role::Text2},
                        {text(run.target), Role::Text2},
                        {text(formatNumber(run.handedIn)), Role::Text, run.handedIn},
                        {text(formatNumber(run.again)), Role::Text, run.again},
                        {run.refused ? tr("refused: same build, other value") : tr("built otherwise: this one counts"),
                         run.refused ? Role::Error : Role::Text2}});
    m_model->setRows(std::move(rows));
    m_view->setVisible(!report.different.empty());
}

bool isDoubtful(const classroom::RegradeReport& report)
{
    return unconfirmed(report) > 0 || !report.trouble.empty() || report.isUndecided();
}

QString regradeText(const classroom::RegradeReport& report)
{
    QString words = QObject::tr("Ran again what %1 learners handed in: %2 of %3 runs gave the same bits")
                        .arg(report.learners)
                        .arg(report.same)
                        .arg(report.runs);
    if (report.rebuilt > 0)
        words += QObject::tr(", %1 were built otherwise and count as they came out here").arg(report.rebuilt);
    if (const int refused = unconfirmed(report); refused > 0)
        words += QObject::tr(", %1 could not be confirmed").arg(refused);
    words += QLatin1Char('.');
    if (report.isUndecided())
        words += QObject::tr(" Some of it could not be run again and counts nothing until you decide.");
    if (report.remembered > 0)
        words +=
            QObject::tr(" %1 points were run here at an earlier re-check and are remembered.").arg(report.remembered);
    if (report.measured > 0)
        words += QObject::tr(" %1 were measured on the learners' own machines and stand.").arg(report.measured);
    if (report.hidden > 0)
        words +=
            QObject::tr(" %1 hidden cases, %2 checks failed with them.").arg(report.hidden).arg(report.hiddenFailed);
    return words;
}

} // namespace ridge::app

#include "moc_class_tables.cpp"
