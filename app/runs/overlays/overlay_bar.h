// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/overlays/machine_overlay.h"
#include "app/session/app_context.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QVBoxLayout;

namespace ridge::app {

class FlowLayout;

/// Below a chart or a run: the machines that can be laid over it, each a box to tick, percent of the own roofline, and
/// for each machine that is shown the card that says what it was and where its numbers come from. A card cannot be
/// closed without taking its curve away.
class OverlayBar : public QWidget {
    Q_OBJECT
public:
    /// `tellNone`: says that no machine has such points; else the bar is hidden then.
    OverlayBar(AppContext& context, bool tellNone, QWidget* parent = nullptr);

    /// What the chart shows. Machines that stay possible stay ticked; without runs none is offered.
    void setChart(const ExperimentInfo& info, const ChartSpec& chart, std::vector<const record::RunRow*> runs);
    /// One run instead of a chart: what is ticked shows its values beside the run's, on its card. Null: none is
    /// offered.
    void setPoint(const ExperimentInfo& info, const record::RunRow* run);
    /// The chart with what is ticked.
    SweepChartData applied(SweepChartData data);

    std::vector<QString> offered() const; ///< ids
    std::vector<QString> shown() const;   ///< ids
    void setShown(const QString& id, bool on);
    void setOfRoofline(bool on);

Q_SIGNALS:
    void changed(); ///< by the person: draw again

private:
    void offer(std::vector<MachineOverlay> found, bool withRuns);
    void rebuild();
    void rebuildCards();
    QWidget* makeCard(const MachineOverlay& overlay);
    void pin(const MachineOverlay& overlay);
    void tellProblems();

    AppContext& m_context;
    bool m_tellNone;
    std::optional<ExperimentInfo> m_info;
    ChartSpec m_chart;
    std::optional<record::RunRow> m_own; ///< the run that stands alone
    std::vector<MachineOverlay> m_overlays;
    QStringList m_wanted; ///< ids that are ticked, also while a chart has no use for them
    FlowLayout* m_boxes;
    QList<QCheckBox*> m_machineBoxes;
    QCheckBox* m_ofRoofline;
    QLabel* m_none;
    QLabel* m_problems;
    QVBoxLayout* m_cards;
    QList<QWidget*> m_cardWidgets;
};

} // namespace ridge::app
