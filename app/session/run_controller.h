// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/trace_loader.h"
#include "app/session/app_context.h"

namespace ridge::app {

enum class RunState { Idle, Running, Cancelling, Finished, Failed };

/// One run or sweep from request to durable rows: joins WorkerRun and Recorder for a widget. GUI thread, one at a
/// time per controller; a second start while running is refused.
class RunController : public QObject {
    Q_OBJECT
public:
    explicit RunController(AppContext& context, QObject* parent = nullptr);
    ~RunController() override;

    Result<void> start(RunRequest request, record::RunContextIds ids);
    void cancel();
    RunState state() const;
    double fraction() const;
    std::size_t expectedPoints() const;
    QString title() const; ///< "coalescing on sim:h100-sxm", of the last request
    QString page() const;  ///< where its result stands: "lesson/2.4", or "lab/coalescing" where it is no lesson's

Q_SIGNALS:
    void stateChanged();
    void progressed(double fraction, const QString& message);
    void sampleArrived(const ridge::SampleEvent& sample);
    /// Once for each trace of a point.
    void traceArrived(std::size_t index, const ridge::app::DecodedTraces& traces);
    void rowStored(const ridge::record::RunRow& row);
    void failed(const ridge::Error& error);
    void logged(const QString& line); ///< what the experiment has to say beside its numbers
    /// Worker ended and all rows are durable.
    void done();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::app
