// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/chart_panel.h"

#include "app/charts/sweep_chart.h"
#include "app/reader/themed_label.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QTableView>
#include <QToolButton>

namespace ridge::app {

ChartPanel::ChartPanel(const ReaderContext& context, QWidget* parent)
    : QWidget(parent), m_chart(new SweepChart(context.theme(), this)),
      m_summary(new ThemedLabel(context.theme(), {}, TextStyle::Body, "muted", this)), m_toggle(new QToolButton(this)),
      m_table(new QTableView(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    m_chart->setMinimumHeight(320);
    column->addWidget(m_chart);
    auto* row = new QHBoxLayout;
    row->addWidget(m_summary, 1);
    row->addWidget(m_toggle, 0, Qt::AlignTop);
    column->addLayout(row);
    column->addWidget(m_table);
    m_summary->setObjectName(QStringLiteral("chartSummary"));
    m_toggle->setText(tr("Table"));
    m_toggle->setCheckable(true);
    m_toggle->setAccessibleName(tr("Show the chart's numbers as a table"));
    m_toggle->setToolTip(tr("Show the same numbers as a table"));
    m_table->setObjectName(QStringLiteral("chartTable"));
    m_table->setModel(m_chart->table());
    m_table->setAccessibleName(tr("Numbers of the chart"));
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setVisible(false);
    connect(m_toggle, &QToolButton::toggled, this, [this](bool shown) {
        fitTable();
        m_table->setVisible(shown);
    });
}

void ChartPanel::setData(const SweepChartData& shown)
{
    m_chart->setData(shown);
    m_summary->setText(m_chart->summary());
    const bool any = !shown.series.empty();
    m_toggle->setVisible(any);
    m_summary->setVisible(any);
    fitTable();
}

void ChartPanel::fitTable()
{
    int height = m_table->horizontalHeader()->sizeHint().height() + 4;
    for (int row = 0; row < m_table->model()->rowCount(); ++row)
        height += m_table->rowHeight(row);
    m_table->setFixedHeight(height);
}

} // namespace ridge::app
