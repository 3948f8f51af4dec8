// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/prediction_mark.h"
#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/blocks/prediction_input.h"
#include "app/lesson/reader/blocks/reason_picker.h"
#include "app/lesson/reader/run_panel.h"
#include "lessons/lesson_evidence.h"

#include <QTimer>

namespace ridge::app {

/// Commit before reveal: estimate and 80 % interval become a durable row, then the run starts; prediction and result
/// then stand in one picture with the factor, the mechanism and the reason picker. A committed prediction stays.
class PredictBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    PredictBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

    void activate() override;
    bool canActivate() const override;
    void cancel() override { m_panel->cancel(); }
    int runningJobs() const override { return m_panel->running() ? 1 : 0; }
    void restore() override;
    void focusInput() override;

private:
    void refresh();
    void refreshInput();
    /// The prediction that is on the page: the newest, unless another point is being asked about.
    const record::PredictionRow* shown() const;
    /// Puts the question for a point on the page.
    void askAt(const ParamSet& point);
    void predictAgain();
    /// Whether there is a reason to: it was off, or its result was known beforehand.
    bool wantsAnother(const record::PredictionRow& prediction, const record::RunRow& run) const;
    void makeReasons();
    QString workedOut() const; ///< what the block's `estimate` gives at the point; empty: nothing
    void showCommitted(const record::PredictionRow& row);
    void reveal(const record::PredictionRow& prediction, const record::RunRow& run);
    /// The finished run that answers the prediction; with its metric, or without where results are held back.
    const record::RunRow* answerOf(const record::PredictionRow& prediction) const;
    QString valueText(const record::RunRow& run) const;
    /// What an instructor ran here without a prediction, as long as there is none.
    void refreshDemonstration();
    void refreshKeep(const record::RunRow* answer);
    /// One click makes an artifact of prediction and result; once there is one, it opens.
    void keep();
    void showBadges(const record::RunRow& run, Provenance provenance);
    void commit();
    void run();
    RevealBar::Content barContent() const;

    const lessons::PredictBlock& m_predict;
    lessons::PredictBlock m_asked; ///< at the point that is asked about
    bool m_again = false;          ///< another point is asked about, and not committed yet
    ProseView* m_question = nullptr;
    QPushButton* m_another = nullptr;
    ThemedLabel* m_moved = nullptr;
    ThemedLabel* m_worked = nullptr;
    PredictionInput* m_input;
    ThemedLabel* m_committed;
    RevealBar* m_bar;
    RunPanel* m_panel;
    QPushButton* m_demonstrate;
    ThemedLabel* m_demonstrated;
    QWidget* m_verdict = nullptr;
    ThemedLabel* m_headline;
    ProseView* m_mechanism;
    ReasonPicker* m_reasons = nullptr;
    QPushButton* m_keep;
    ThemedLabel* m_kept;
    QTimer m_askSoon; ///< once the runs of another block are in
    bool m_committing = false, m_revealed = false;
};

/// "2.6× too optimistic": direction by the metric's physical bound where it has one (a lower bound: less is better).
QString factorSentence(const lessons::PredictionScore& score, const std::string& unit, const std::string& limitKind);

} // namespace ridge::app
