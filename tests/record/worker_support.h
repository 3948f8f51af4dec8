// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record_support.h"

#include "record/worker/worker_run.h"

#include <QSignalSpy>

namespace ridge::test {

inline QString program(const char* name)
{
    return QCoreApplication::applicationDirPath() + QLatin1Char('/') + QLatin1String(name);
}

inline record::WorkerOptions fakeWorker()
{
    return {program("fake-worker"), {}};
}

inline RunRequest requestFor(const std::string& behaviour, int points = 4)
{
    RunRequest request;
    request.experiment = behaviour;
    request.target = "sim:fake";
    request.seed = 11;
    for (std::int64_t i = 0; i < points; ++i)
        request.points.push_back({{"stride", i}});
    return request;
}

/// Everything one run says.
struct Told {
    explicit Told(record::WorkerRun& run)
        : started(&run, &record::WorkerRun::started), progress(&run, &record::WorkerRun::progress),
          sample(&run, &record::WorkerRun::sample), trace(&run, &record::WorkerRun::trace),
          check(&run, &record::WorkerRun::check), log(&run, &record::WorkerRun::log),
          finished(&run, &record::WorkerRun::finished), failed(&run, &record::WorkerRun::failed)
    {
    }
    bool over() const { return finished.count() + failed.count() > 0; }
    Error error() const { return failed.isEmpty() ? Error{} : failed.at(0).at(0).value<Error>(); }

    QSignalSpy started, progress, sample, trace, check, log, finished, failed;
};

/// True when no process of this id runs any more (a zombie does not run).
inline bool isGone(qint64 pid)
{
    const std::string stat = bytesOf("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name = stat.rfind(')');
    return name == std::string::npos || stat.substr(name + 2, 1) == "Z";
}

inline qint64 residentKiB()
{
    std::ifstream in("/proc/self/statm");
    qint64 total = 0, resident = 0;
    in >> total >> resident;
    return resident * 4;
}

} // namespace ridge::test
