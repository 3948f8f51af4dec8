// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/calibrator.h"

#include <memory>
#include <set>

namespace ridge::app {

/// The machine's own roofline: what the store knows of a target, and finding it out without anybody waiting. One
/// calibration at a time; runs that a person starts come first and end it (what it found by then stays). GUI thread.
class CalibrationRun : public QObject {
    Q_OBJECT
public:
    /// `store` may be null: then nothing is known and nothing can be started.
    explicit CalibrationRun(record::Store* store, QObject* parent = nullptr);
    ~CalibrationRun() override;

    /// Whether there is a plan for the target, and a store.
    bool possible(const QString& target) const;
    /// How many figures a complete calibration of the target has.
    std::size_t planned(const QString& target) const;
    /// From the store; remembered until a calibration of that target has ended.
    const MachineCalibration& known(const QString& target);

    bool running() const { return m_calibrator != nullptr; }
    const QString& target() const { return m_target; } ///< of the one that runs or ran last
    int finished() const { return m_finished; }
    int all() const { return m_all; }
    /// What could not be measured in the last one, a sentence each.
    const QStringList& skipped() const { return m_skipped; }

    void start(const QString& target);
    void cancel();
    /// Starts by itself for a GPU of which nothing is known.
    void considerBackground(const QString& target, bool available);

Q_SIGNALS:
    void changed(); ///< began, went on, ended

private:
    void ended();

    record::Store* m_store;
    std::optional<CalibrationPlan> m_plan;
    std::map<QString, MachineCalibration> m_known;
    std::unique_ptr<record::Calibrator> m_calibrator;
    QString m_target;
    QStringList m_skipped;
    int m_finished = 0, m_all = 0;
};

} // namespace ridge::app
