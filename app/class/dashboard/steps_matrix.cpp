// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/steps_matrix.h"

#include "app/class/dashboard/class_texts.h"
#include "app/class/dashboard/steps_paint.h"
#include "app/drawing/charts/plot_paint.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"

#include <QComboBox>
#include <QLineEdit>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kLeastLines = 8;         ///< of the table's height; the head has three
constexpr double kMostForNames = 0.34; ///< of the table's width
constexpr int kRowsAsked = 400;        ///< rows whose width is asked for; longer ones are elided
constexpr int kLeastForMachines = 120; ///< px at 100 %
constexpr int kMostForOthers = 320;    ///< px at 100 %

void setUp(Theme& theme, QTableView& view)
{
    view.setHorizontalHeader(new StepsHeader(theme, &view));
    view.horizontalHeader()->setAccessibleName(FrozenTable::tr("Columns"));
    view.verticalHeader()->setAccessibleName(FrozenTable::tr("Rows"));
    view.verticalHeader()->hide();
    view.setShowGrid(false);
    view.setAlternatingRowColors(true);
    view.setWordWrap(false);
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setSelectionMode(QAbstractItemView::SingleSelection);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setTextElideMode(Qt::ElideRight);
    view.setItemDelegate(new StepsDelegate(theme, &view));
    view.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view.verticalHeader()->setDefaultSectionSize(theme.scaled(28));
}

} // namespace

FrozenTable::FrozenTable(Theme& theme, QWidget* parent)
    : QTableView(parent), m_theme(theme), m_names(new QTableView(this))
{
    setUp(theme, *this);
    setUp(theme, *m_names);
    setAccessibleName(tr("Learners and steps"));
    setTabKeyNavigation(false);
    m_names->setAccessibleName(tr("Names"));
    m_names->setFocusPolicy(Qt::NoFocus);
    m_names->setFrameShape(QFrame::NoFrame);
    m_names->setStyleSheet(QStringLiteral("QTableView { border: none; }"));
    m_names->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_names->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_names->verticalScrollBar(), &QScrollBar::setValue);
    connect(m_names->verticalScrollBar(), &QScrollBar::valueChanged, verticalScrollBar(), &QScrollBar::setValue);
    connect(&theme, &Theme::changed, this, &FrozenTable::fit);
}

void FrozenTable::setModel(QAbstractItemModel* model)
{
    QTableView::setModel(model);
    m_names->setModel(model);
    m_names->setSelectionModel(selectionModel());
    fit();
}

void FrozenTable::fit()
{
    const auto* steps = qobject_cast<const StepsModel*>(model());
    if (!steps)
        return;
    for (QTableView* view : {static_cast<QTableView*>(this), m_names})
        view->verticalHeader()->setDefaultSectionSize(m_theme.scaled(28));
    const auto asWide = [&](int column) {
        double widest = textWidth(m_theme, TextStyle::Strong, steps->headerData(column, Qt::Horizontal).toString());
        for (int row = 0; row < std::min(kRowsAsked, steps->rowCount()); ++row)
            widest = std::max(widest, textWidth(m_theme, TextStyle::Body, steps->index(row, column).data().toString()));
        return static_cast<int>(std::min(std::ceil(widest), 1e4)) + 2 * space::s + space::m;
    };
    m_nameWidth = asWide(0);
    m_machineWidth = std::min(asWide(steps->machineColumn()), m_theme.scaled(kMostForOthers));
    for (const int column : {steps->gradeColumn(), steps->handedInColumn()})
        setColumnWidth(column, std::min(asWide(column), m_theme.scaled(kMostForOthers)));
    for (int column = 0; column < steps->columnCount(); ++column)
        m_names->setColumnHidden(column, column != 0);
    fitAcross();
    updateGeometries();
    placeNames();
}

void FrozenTable::fitAcross()
{
    const auto* steps = qobject_cast<const StepsModel*>(model());
    if (!steps)
        return;
    setColumnWidth(0, std::min(m_nameWidth, std::max(120, static_cast<int>(kMostForNames * width()))));
    m_names->setColumnWidth(0, columnWidth(0));
    const int room =
        viewport()->width() - columnWidth(0) - columnWidth(steps->gradeColumn()) - columnWidth(steps->handedInColumn());
    const int count = std::max(1, steps->lessons());
    const int lesson = std::clamp((room - m_machineWidth) / count, narrowLesson(m_theme), wideLesson(m_theme));
    for (int column = StepsModel::kFirstLesson; steps->isLesson(column); ++column)
        setColumnWidth(column, lesson);
    // Where only the machines do not fit, they give way; where much does not, the table scrolls anyway.
    const int left = room - lesson * steps->lessons();
    setColumnWidth(steps->machineColumn(),
                   left < m_theme.scaled(kLeastForMachines) ? m_machineWidth : std::max(left, kLeastForMachines));
}

void FrozenTable::placeNames()
{
    m_names->setGeometry(frameWidth(), frameWidth(), columnWidth(0),
                         viewport()->height() + horizontalHeader()->height());
    m_names->raise();
}

void FrozenTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    fitAcross();
    placeNames();
}

void FrozenTable::scrollTo(const QModelIndex& index, ScrollHint hint)
{
    if (index.column() == 0) { // it is always in view; only its row may not be
        const int across = horizontalScrollBar()->value();
        QTableView::scrollTo(index, hint);
        horizontalScrollBar()->setValue(across);
        return;
    }
    QTableView::scrollTo(index, hint);
    const int left = visualRect(index).left();
    if (left < frozenWidth())
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + left - frozenWidth());
}

StepsMatrix::StepsMatrix(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(new StepsModel(this)), m_table(new FrozenTable(theme)),
      m_filters(new FilterBar(theme, tr("Filter learners by name or machine"), tr("Filter by name or machine"))),
      m_show(m_filters->addPicker(tr("Which learners"), tr("Everyone"))),
      m_everyone(makeButton(tr("Show everyone again"), tr("Shows everybody again"))),
      m_key(makeText(theme, stepKey(), TextStyle::Caption, QStringLiteral("hint"))),
      m_detail(makeText(theme, {}, TextStyle::Body, QStringLiteral("muted")))
{
    setAccessibleName(tr("Learners and steps"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::s);
    m_filters->fill(m_show, std::vector<std::pair<QString, QString>>{
                                {tr("Steps open"), QString::number(StepsModel::Unfinished)},
                                {tr("Late"), QString::number(StepsModel::Late)},
                                {tr("Nothing handed in"), QString::number(StepsModel::Missing)}});
    m_everyone->hide();
    column->addWidget(m_filters);
    column->addWidget(m_everyone, 0, Qt::AlignLeft);
    column->addWidget(m_table, 1);
    m_table->setModel(m_model);
    m_detail->setTextFormat(Qt::PlainText);
    const auto fit = [this] {
        m_detail->setMinimumHeight(2 * m_theme.lineHeight(TextStyle::Body));
        m_table->setMinimumHeight(kLeastLines * m_theme.lineHeight(TextStyle::Body));
    };
    fit();
    m_detail->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_detail->setAccessibleName(tr("About the chosen cell"));
    column->addWidget(m_key);
    column->addWidget(m_detail);
    connect(&theme, &Theme::changed, this, fit);
    connect(m_filters, &FilterBar::changed, this, &StepsMatrix::applyFilter);
    connect(m_everyone, &QPushButton::clicked, this, [this] {
        m_only.clear();
        m_everyone->hide();
        applyFilter();
        m_table->setFocus();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &StepsMatrix::showDetail);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (m_model->isLesson(index.column()))
            Q_EMIT lessonRequested(m_model->lesson(index.column()));
    });
    showDetail();
}

void StepsMatrix::setReport(const classroom::ClassReport& report, const QStringList& titles)
{
    m_only.clear();
    m_everyone->hide();
    m_model->setReport(report, titles);
    applyFilter();
    m_table->fit();
}

void StepsMatrix::showOnly(const std::vector<classroom::Person>& learners, const QString& why)
{
    m_only = learners;
    m_everyone->setText(tr("%1: show everyone again").arg(QString(why).replace(QLatin1Char('&'), QLatin1String("&&"))));
    m_everyone->setAccessibleName(m_everyone->text());
    m_everyone->show();
    m_filters->clear();
    applyFilter();
    m_table->setFocus();
}

void StepsMatrix::applyFilter()
{
    m_model->setFilter(m_filters->text()->text(), static_cast<StepsModel::Show>(m_show->currentData().toInt()), m_only);
    const int shown = m_model->rowCount();
    m_filters->setCount(shown == m_model->total() ? tr("%1 learners").arg(shown)
                                                  : tr("%1 of %2 learners").arg(shown).arg(m_model->total()));
    showDetail();
}

void StepsMatrix::showDetail()
{
    const QString text = m_model->detail(m_table->currentIndex());
    m_detail->setText(!text.isEmpty()         ? text
                      : m_model->total() == 0 ? tr("Nobody is on the roster and nothing was handed in.")
                      : m_model->rowCount() == 0
                          ? tr("No learner fits the filter.")
                          : tr("Choose a cell to read what is open there; Enter opens its lesson."));
}

QString StepsMatrix::detail() const
{
    return m_detail->text();
}

} // namespace ridge::app

#include "moc_steps_matrix.cpp"
