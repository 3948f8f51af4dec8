// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "classroom/class_report.h"

#include <QWidget>

namespace ridge::app {

class PlotChart;

/// What a class predicted, as a histogram over the whole slider with its table twin. Until it is revealed the result is
/// in nothing that this widget has: not in the picture, its axis, its table, its files or its accessible text.
class PredictionPlot : public QWidget {
    Q_OBJECT
public:
    explicit PredictionPlot(Theme& theme, QWidget* parent = nullptr);

    /// Another question hides the result again; newer counts of the same one leave it as it is.
    void setHistogram(classroom::PredictionHistogram histogram);
    const classroom::PredictionHistogram& histogram() const { return m_histogram; }
    void setRevealed(bool on);
    bool revealed() const { return m_revealed; }

    PlotChart* chart() const { return m_chart; }
    QString summary() const; ///< one sentence: what the screen reader is told

private:
    void refresh();

    classroom::PredictionHistogram m_histogram;
    bool m_revealed = false;
    PlotChart* m_chart;
};

} // namespace ridge::app
