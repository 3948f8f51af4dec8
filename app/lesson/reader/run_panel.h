// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/error_card.h"
#include "app/lesson/reader/reader_context.h"
#include "app/session/run_controller.h"
#include "record/resume.h"

#include <QTimer>

class QProgressBar;
class QPushButton;

namespace ridge::app {

/// The run row of a block: the button (or why it is disabled), the target, progress with Cancel, and what went wrong
/// with Retry. Owns the block's RunController and hands rows and traces to the LessonState.
class RunPanel : public QWidget {
    Q_OBJECT
public:
    RunPanel(const ReaderContext& context, std::string block, std::string experiment, const QString& action,
             QWidget* parent = nullptr);

    void setAction(const QString& text);
    void setPrimary(bool primary);
    /// Runs there instead of where the experiment runs for this learner.
    void setTarget(const QString& target);
    void setObstacle(const std::optional<Obstacle>& obstacle);
    bool ready() const;
    bool running() const;

    /// Traces go to the block's frames when `keepTraces`.
    void start(std::vector<ParamSet> points, const std::string& predictionId, bool keepTraces);
    /// The same without a prediction: the runs are stored as a demonstration.
    void demonstrate(std::vector<ParamSet> points);
    /// Runs the points that a stopped sweep of the block lacks; their traces come behind those that are there.
    void resume(record::UnfinishedSweep sweep);
    void cancel();
    void showError(const Error& error, bool canRetry);
    QPushButton* button() const { return m_button; }

Q_SIGNALS:
    void requested(); ///< the button or Retry was pressed
    void sampleArrived(const ridge::SampleEvent& sample);
    void failed(const ridge::Error& error);
    void finished(bool ok);

private:
    void begin(std::vector<ParamSet> points, record::RunContextIds ids, bool keepTraces, std::size_t earlier);
    void refresh();
    void wire();
    QString target() const;
    void announce(const QString& text);

    ReaderContext m_context;
    std::string m_block, m_experiment;
    QString m_target; ///< empty: where the experiment runs for this learner
    RunController* m_controller;
    QPushButton* m_button;
    QPushButton* m_cancel;
    QProgressBar* m_progress;
    ThemedLabel* m_status;
    double m_fraction = 0; ///< with m_message: what the next showing says
    QString m_message;
    QTimer m_showProgress;
    ErrorCard* m_error;
    std::optional<Obstacle> m_obstacle;
    std::map<std::size_t, SampleEvent> m_samples; ///< of the request in flight, for the titles of its traces
    std::size_t m_earlier = 0;                    ///< points of the sweep that were there before
    bool m_keepTraces = false, m_failed = false;
};

} // namespace ridge::app
