// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/dashboard/work_plot.h"
#include "app/theme/theme.h"
#include "classroom/class_report.h"

#include <QWidget>
#include <array>

class QBoxLayout;
class QComboBox;
class QLabel;
class QScrollArea;

namespace ridge::app {

class PlotChart;
class StatementList;

/// On which machines a class worked and what each found, and below it results that are worth a word. `named`: with the
/// people behind them.
class MachinesView : public QWidget {
    Q_OBJECT
public:
    explicit MachinesView(Theme& theme, QWidget* parent = nullptr);
    void setReport(const classroom::ClassReport& report, const QStringList& titles, bool named);
    PlotChart* chart() const { return m_chart; }
    QComboBox* picker() const { return m_picker; }
    StatementList* outliers() const { return m_outliers; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showLesson();
    void fit();

    Theme& m_theme;
    classroom::ClassReport m_report; ///< only what stands in the pictures
    QComboBox* m_picker;
    PlotChart* m_chart;
    QLabel* m_head;
    StatementList* m_outliers;
    QScrollArea* m_scroll;
};

/// How the work of a class is distributed: an axis each, then two of them against each other with the Pareto front.
class WorkView : public QWidget {
    Q_OBJECT
public:
    explicit WorkView(Theme& theme, QWidget* parent = nullptr);
    void setReport(const classroom::ClassReport& report);
    PlotChart* distribution(WorkAxis axis) const { return m_charts[static_cast<std::size_t>(axis)]; }
    PlotChart* front() const { return m_front; }
    QComboBox* picker() const { return m_picker; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showFront();
    void fit();

    Theme& m_theme;
    std::vector<classroom::WorkPoint> m_work;
    QBoxLayout* m_row;
    std::array<PlotChart*, 3> m_charts;
    QComboBox* m_picker;
    PlotChart* m_front;
    QScrollArea* m_scroll;
};

} // namespace ridge::app
