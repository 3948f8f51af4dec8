// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/chart_views.h"

#include "app/class/dashboard/class_texts.h"
#include "app/class/dashboard/machine_plot.h"
#include "app/class/dashboard/statement_list.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/ui/panels.h"
#include "app/ui/scrolled.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QSignalBlocker>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr int kSmallChart = 260, kLargeChart = 380; ///< px high at 100 %
constexpr int kMostWords = 420;                     ///< px that the results worth a word take; then their list scrolls
constexpr int kThreeWide = 340;                     ///< px at 100 % that a chart needs beside two others

struct Pair {
    WorkAxis x, y;
};
constexpr Pair kPairs[] = {{WorkAxis::Interval, WorkAxis::Factor},
                           {WorkAxis::Factor, WorkAxis::Points},
                           {WorkAxis::Interval, WorkAxis::Points}};

} // namespace

MachinesView::MachinesView(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_picker(new QComboBox), m_chart(new PlotChart(theme)),
      m_head(makeText(theme, tr("Worth a word"), TextStyle::ReadH3)),
      m_outliers(new StatementList(theme, tr("Results and kernels worth a word"))), m_scroll(nullptr)
{
    setAccessibleName(tr("Machines"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::m);
    m_picker->setAccessibleName(tr("Lesson"));
    column->addWidget(m_picker, 0, Qt::AlignLeft);
    auto* body = new QWidget;
    auto* inner = new QVBoxLayout(body);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(space::m);
    inner->addWidget(m_chart, 1);
    inner->addWidget(m_head);
    inner->addWidget(m_outliers);
    inner->addStretch(0); // what is left where there is no chart
    body->setAccessibleName(tr("Machines"));
    m_scroll = scrolled(body, tr("Machines"));
    column->addWidget(m_scroll, 1);
    connect(m_picker, &QComboBox::currentIndexChanged, this, &MachinesView::showLesson);
    connect(&theme, &Theme::changed, this, &MachinesView::fit);
}

void MachinesView::setReport(const classroom::ClassReport& report, const QStringList& titles, bool named)
{
    m_report = {};
    m_report.hardware = report.hardware;
    m_report.spread = report.spread;
    m_report.lessons = report.lessons;
    {
        const QSignalBlocker quiet(m_picker);
        const QString chosen = m_picker->currentData().toString();
        m_picker->clear();
        m_picker->addItem(tr("All lessons"), QString());
        for (std::size_t i = 0; i < report.lessons.size(); ++i)
            m_picker->addItem(titles.value(static_cast<qsizetype>(i)), QString::fromStdString(report.lessons[i]));
        m_picker->setCurrentIndex(std::max(0, m_picker->findData(chosen)));
        m_picker->setVisible(report.lessons.size() > 1);
    }
    std::vector<Statement> statements;
    for (const classroom::AlikeKernels& alike : report.alike)
        statements.push_back(
            {0, 0, alikeText(alike, named), alikeQuestion(alike), QString::fromStdString(alike.lesson)});
    for (const classroom::Outlier& outlier : report.outliers)
        statements.push_back(
            {0, 0, outlierText(outlier), outlierQuestion(outlier, named), QString::fromStdString(outlier.lesson)});
    m_outliers->setStatements(std::move(statements),
                              tr("No result lies four times above or below what the class has at its point, and no "
                                 "two kernels are alike."));
    showLesson();
}

void MachinesView::showLesson()
{
    m_chart->setPlot(
        std::make_shared<MachinePlot>(machineData(m_report, m_picker->currentData().toString().toStdString())));
    fit();
}

void MachinesView::fit()
{
    const double wanted = m_chart->plot() ? m_chart->plot()->heightFor(m_theme, width()) : 0;
    m_chart->setMinimumHeight(std::max(m_theme.scaled(kSmallChart), static_cast<int>(wanted)));
    const bool any = m_outliers->statements()->rowCount() > 0;
    m_chart->setVisible(!any || !m_report.spread.empty()); // a class with tasks alone has none
    int words = 2 * m_outliers->frameWidth() + 2;
    for (int row = 0; row < m_outliers->statements()->rowCount() && words < kMostWords; ++row)
        words += m_outliers->sizeHintForRow(row);
    m_outliers->setFixedHeight(any ? std::min(words, m_theme.scaled(kMostWords)) : m_theme.scaled(72));
}

void MachinesView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

WorkView::WorkView(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_row(new QBoxLayout(QBoxLayout::LeftToRight)), m_charts{},
      m_picker(new QComboBox), m_front(new PlotChart(theme)), m_scroll(nullptr)
{
    setAccessibleName(tr("Distribution"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::m);
    m_picker->setAccessibleName(tr("Axes against each other"));
    m_picker->addItems(
        {tr("Nearness and interval"), tr("Points and nearness"), tr("Points and interval")}); // as kPairs
    auto* body = new QWidget;
    auto* inner = new QVBoxLayout(body);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(space::m);
    m_row->setSpacing(space::m);
    for (PlotChart*& chart : m_charts) {
        chart = new PlotChart(theme);
        m_row->addWidget(chart, 1);
    }
    inner->addLayout(m_row);
    inner->addWidget(m_picker, 0, Qt::AlignLeft);
    inner->addWidget(m_front, 1);
    body->setAccessibleName(tr("Distribution"));
    m_scroll = scrolled(body, tr("Distribution"));
    column->addWidget(m_scroll, 1);
    connect(m_picker, &QComboBox::currentIndexChanged, this, &WorkView::showFront);
    connect(&theme, &Theme::changed, this, &WorkView::fit);
    fit();
}

void WorkView::setReport(const classroom::ClassReport& report)
{
    m_work = report.work;
    for (const WorkAxis axis : kWorkAxes)
        distribution(axis)->setPlot(std::make_shared<BinsPlot>(workBins(report, axis)));
    showFront();
}

void WorkView::showFront()
{
    const Pair& pair = kPairs[std::clamp(m_picker->currentIndex(), 0, 2)];
    m_front->setPlot(std::make_shared<WorkPlot>(m_work, pair.x, pair.y));
}

void WorkView::fit()
{
    const bool beside = width() >= 3 * m_theme.scaled(kThreeWide);
    m_row->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    for (PlotChart* chart : m_charts)
        chart->setMinimumHeight(m_theme.scaled(kSmallChart));
    m_front->setMinimumHeight(m_theme.scaled(kLargeChart));
}

void WorkView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

} // namespace ridge::app

#include "moc_chart_views.cpp"
