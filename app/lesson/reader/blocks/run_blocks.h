// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/result_table.h"
#include "app/lesson/reader/run_panel.h"
#include "app/ui/parameter_form.h"
#include "app/ui/parameter_history.h"

namespace ridge::app {

class OverlayBar;
class PlotChart;
class SeveralValues;
class SweepChart;

/// What run, sweep and challenge share: controls made from the experiment's description, a run row, and what is in
/// the way of running.
class RunningBlock : public BlockWidget {
    Q_OBJECT
public:
    void activate() override;
    bool canActivate() const override { return m_panel->ready(); }
    void cancel() override { m_panel->cancel(); }
    int runningJobs() const override { return m_panel->running() ? 1 : 0; }

protected:
    struct Setup {
        std::string experiment, after;
        ParamSet set;
        std::vector<std::string> controls;
        QString action;
    };
    RunningBlock(const ReaderContext& context, const lessons::Block& block, const QString& kindTitle, Setup setup,
                 QWidget* parent);

    /// Builds form and run row into the body; called once by the subclass where they belong.
    void addControls();
    void addRunRow();
    RunPanel* panel() const { return m_panel; }
    const ExperimentInfo* experiment() const { return app().experiment(m_setup.experiment); }
    /// Fixed settings with the form's values over them.
    ParamSet settings() const;
    /// What the reader gave several values of, as sweeps: "fma_per_16=1,4,16".
    std::vector<std::string> severalAxes() const;
    virtual Result<std::vector<ParamSet>> points() const;
    /// Of the last sweep with the present settings, if it was stopped.
    virtual std::optional<record::UnfinishedSweep> unfinished() const { return std::nullopt; }
    const std::string& experimentId() const { return m_setup.experiment; }
    /// The prediction that a run of the block answers; empty: none.
    std::string predictionId() const;
    virtual void onAbility() {} ///< the catalogue may just have come

private:
    void refreshAbility();
    void buildForm();

    Setup m_setup;
    QWidget* m_formHolder = nullptr;
    ParameterForm* m_form = nullptr;
    std::vector<SeveralValues*> m_several;
    ParameterHistory* m_history;
    RunPanel* m_panel;
};

/// One point, its metrics, and the predictions it answers.
class RunBlockWidget : public RunningBlock {
    Q_OBJECT
public:
    RunBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void restore() override;
    OverlayBar* overlays() const { return m_overlays; }

private:
    void onAbility() override { refresh(); }
    void refresh();
    ResultTable* m_result;
    OverlayBar* m_overlays;
};

/// A sweep with its live chart, table twin and provenance.
class SweepBlockWidget : public RunningBlock {
    Q_OBJECT
public:
    SweepBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void restore() override;
    SweepChart* chart() const { return m_chart; }
    OverlayBar* overlays() const { return m_overlays; }

private:
    void onAbility() override;
    Result<std::vector<ParamSet>> points() const override;
    std::optional<record::UnfinishedSweep> unfinished() const override;
    void refresh();
    void refreshAction();
    void refreshBadges(const std::vector<const record::RunRow*>& rows, bool given);
    QString lackingText(const ExperimentInfo& info, const ChartSpec& spec) const;

    const lessons::SweepBlock& m_sweep;
    ThemedLabel* m_plan;
    SweepChart* m_chart;
    PlotChart* m_other; ///< for charts that are no curve
    OverlayBar* m_overlays;
    ThemedLabel* m_lacking; ///< says that the runs lack what the chart is of
    QWidget* m_badges = nullptr;
};

/// A goal that a lesson check proves.
class ChallengeBlockWidget : public RunningBlock {
    Q_OBJECT
public:
    ChallengeBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

private:
    void onAbility() override { refresh(); }
    Result<std::vector<ParamSet>> points() const override;
    void refresh();
    void showResults(const std::vector<const record::RunRow*>& rows);
    const ChartSpec* chartSpec() const;
    bool tellsTheWay(const lessons::CheckOutcome& outcome) const;

    const lessons::ChallengeBlock& m_challenge;
    ResultTable* m_result;
    SweepChart* m_chart = nullptr; ///< of tries that run several values of what lies along its x axis
    ThemedLabel* m_each;           ///< what each point of the last try came to
    ThemedLabel* m_verdict;
    ProseView* m_explains = nullptr;
};

} // namespace ridge::app
