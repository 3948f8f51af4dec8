// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/record/worker_support.h"

#include "record/recorder.h"
#include "record/worker/remote_setup.h"

#include <QDir>
#include <csignal>

namespace ridge::test {

inline QString s(const char* text)
{
    return QString::fromLatin1(text);
}

/// The real worker of this build.
inline record::WorkerOptions realWorker()
{
    return {qEnvironmentVariable("RIDGE_BIN") + QStringLiteral("/ridge-worker"), {}};
}

inline record::RemoteTarget remoteTarget(const QString& name, const QString& launcher)
{
    record::RemoteTarget target;
    target.name = name.toStdString();
    target.launcher = launcher.toStdString();
    return target;
}

/// A sweep of the coalescing experiment with its traces.
inline RunRequest sweepOn(const std::string& target, int points)
{
    RunRequest request;
    request.experiment = "coalescing";
    request.target = target;
    request.seed = 5;
    for (std::int64_t i = 0; i < points; ++i)
        request.points.push_back({{"stride", i % 128 + 1}});
    return request;
}

/// Runs a request to its end on this test's event loop.
struct WholeRun {
    WholeRun(const record::WorkerOptions& options, const RunRequest& request) : run(options, request), told(run)
    {
        QObject::connect(&run, &record::WorkerRun::link, [this](const QString& line) { links << line; });
        QObject::connect(&run, &record::WorkerRun::pointFailed,
                         [this](std::size_t index, const Error& error) { failedPoints.emplace_back(index, error); });
    }
    bool toEnd(int ms = 240000)
    {
        run.start();
        return QTest::qWaitFor([this] { return told.over(); }, ms);
    }
    /// "index:trace bytes" of everything that came, in order.
    QStringList samples() const
    {
        QStringList all;
        for (const auto& arguments : told.sample) {
            const auto sample = arguments[0].value<SampleEvent>();
            all << QStringLiteral("%1 %2")
                       .arg(sample.index)
                       .arg(QString::fromStdString(metricsToJson(sample.metrics).dump()));
        }
        return all;
    }
    QByteArray traces() const
    {
        QByteArray all;
        for (const auto& arguments : told.trace)
            all += QByteArray::fromStdString(arguments[0].value<TraceEvent>().bytes);
        return all;
    }
    record::WorkerRun run;
    Told told;
    QStringList links;
    std::vector<std::pair<std::size_t, Error>> failedPoints;
};

/// Says at once what was told, where a test fails.
#define VERIFY_ENDED_WELL(whole)                                                                                       \
    QVERIFY2((whole).told.failed.isEmpty(), toText((whole).told.error()).c_str());                                     \
    QCOMPARE((whole).told.finished.count(), 1)

} // namespace ridge::test
