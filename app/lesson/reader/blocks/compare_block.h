// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot_chart.h"
#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/run_panel.h"

namespace ridge::app {

/// One point on the simulator, on recorded GPUs and on the reader's own target, with provenance and source. Opens when
/// the prediction is committed and something was run there.
class CompareBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    CompareBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void activate() override; ///< runs the point on the simulator
    bool canActivate() const override { return m_panel->isVisibleTo(this) && m_panel->ready(); }
    void cancel() override { m_panel->cancel(); }
    int runningJobs() const override { return m_panel->running() ? 1 : 0; }
    PlotChart* chart() const { return m_chart; }

private:
    void refresh();
    void fitChart();

    const lessons::CompareBlock& m_compare;
    std::string m_simulator;
    ThemedLabel* m_empty;
    RunPanel* m_panel;
    PlotChart* m_chart;
    ThemedLabel* m_notes;
};

} // namespace ridge::app
