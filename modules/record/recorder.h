// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/store.h"
#include "record/worker/worker_run.h"

namespace ridge::record {

/// What a request belongs to.
struct RunContextIds {
    std::string lesson = {}, block = {}, predictionId = {};
    std::string sweepId = {}; ///< of the sweep that the request continues; empty: it begins one
};

/// Joins one WorkerRun to the Store: each sample becomes a durable RunRow as it arrives (a kill loses at most the
/// point in flight), a failure becomes a row with its reason, reading pauses while the store is behind.
class Recorder : public QObject {
    Q_OBJECT
public:
    /// The run is not started yet; the recorder takes no ownership of either.
    Recorder(Store& store, WorkerRun& run, RunContextIds ids, QObject* parent = nullptr);
    ~Recorder() override;
    std::string sweepId() const;

Q_SIGNALS:
    void stored(const ridge::record::RunRow& row); ///< after it is durable
    void storeFailed(const ridge::Error& error);
    /// The worker ended and every row is durable (or failed to be).
    void done();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::record
