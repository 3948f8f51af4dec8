// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/calibration_run.h"
#include "base/target_kind.h"

namespace ridge::app {

namespace {

constexpr int kNewestRuns = 200; ///< of each experiment: a calibration further back is an old one

} // namespace

CalibrationRun::CalibrationRun(record::Store* store, QObject* parent) : QObject(parent), m_store(store)
{
    if (auto plan = CalibrationPlan::shipped())
        m_plan = std::move(*plan);
}

CalibrationRun::~CalibrationRun() = default;

bool CalibrationRun::possible(const QString& target) const
{
    return m_store != nullptr && planned(target) > 0;
}

std::size_t CalibrationRun::planned(const QString& target) const
{
    return m_plan ? m_plan->steps(target.toStdString()).size() : 0;
}

const MachineCalibration& CalibrationRun::known(const QString& target)
{
    const auto found = m_known.find(target);
    if (found != m_known.end())
        return found->second;
    MachineCalibration read;
    read.target = target.toStdString();
    if (possible(target))
        if (auto stored = record::storedCalibration(*m_store, *m_plan, read.target, kNewestRuns))
            read = std::move(*stored);
    return m_known[target] = std::move(read);
}

void CalibrationRun::start(const QString& target)
{
    if (running() || !possible(target))
        return;
    m_target = target;
    m_skipped.clear();
    m_finished = 0;
    m_all = 0;
    const record::WorkerOptions worker{.program = record::defaultWorkerProgram(), .launcher = {}};
    m_calibrator = std::make_unique<record::Calibrator>(*m_store, worker, *m_plan, target.toStdString());
    connect(m_calibrator.get(), &record::Calibrator::progress, this, [this](int finished, int all) {
        m_finished = finished;
        m_all = all;
        Q_EMIT changed();
    });
    connect(m_calibrator.get(), &record::Calibrator::skipped, this, [this](const QString& what, const Error& why) {
        const QString sentence = QStringLiteral("%1: %2").arg(what, QString::fromStdString(toText(why)));
        if (!m_skipped.contains(sentence))
            m_skipped << sentence;
    });
    connect(m_calibrator.get(), &record::Calibrator::done, this, &CalibrationRun::ended);
    m_calibrator->start();
    Q_EMIT changed();
}

void CalibrationRun::cancel()
{
    if (m_calibrator)
        m_calibrator->cancel();
}

void CalibrationRun::considerBackground(const QString& target, bool available)
{
    if (available && isLocal(target.toStdString()) && measuresKernels(target.toStdString()) && possible(target) &&
        known(target).figures.empty())
        start(target);
}

void CalibrationRun::ended()
{
    m_calibrator.release()->deleteLater(); // it is the one that tells
    m_known.erase(m_target);
    Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_calibration_run.cpp"
