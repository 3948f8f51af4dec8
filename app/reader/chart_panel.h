// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/reader/reader_context.h"

class QTableView;
class QToolButton;

namespace ridge::app {

class SweepChart;
class ThemedLabel;
struct SweepChartData;

/// A sweep chart with its sentence and its table twin behind a button.
class ChartPanel : public QWidget {
    Q_OBJECT
public:
    ChartPanel(const ReaderContext& context, QWidget* parent = nullptr);
    void setData(const SweepChartData& shown);
    SweepChart* chart() const { return m_chart; }

private:
    void fitTable();

    SweepChart* m_chart;
    ThemedLabel* m_summary;
    QToolButton* m_toggle;
    QTableView* m_table;
};

} // namespace ridge::app
