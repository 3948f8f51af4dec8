// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/request_executor.h"

#include "base/json.h"
#include "record/worker/worker_run.h"

#include <QEventLoop>
#include <QTimer>
#include <algorithm>

namespace ridge::classroom {

Execute workerExecutor(std::function<bool()> stopped)
{
    return [stopped = std::move(stopped)](const RunRequest& request, const std::string& compiler) -> Result<Executed> {
        const Error cancelled{"cancelled", "The request was stopped", request.experiment, ""};
        if (stopped && stopped())
            return cancelled;
        record::WorkerOptions options{record::defaultWorkerProgram(), {}};
        if (!compiler.empty())
            options.launcher = {QStringLiteral("env"),
                                QStringLiteral("RIDGE_COMPILER=") + QString::fromStdString(compiler)};
        Executed executed;
        std::optional<Error> error;
        QEventLoop loop;
        record::WorkerRun run(options, request);
        QObject::connect(&run, &record::WorkerRun::started,
                         [&](const StartedEvent& event) { executed.started = event; });
        QObject::connect(&run, &record::WorkerRun::sample,
                         [&](const SampleEvent& event) { executed.samples.push_back(event); });
        QObject::connect(&run, &record::WorkerRun::finished, [&](const FinishedEvent&) { loop.quit(); });
        QObject::connect(&run, &record::WorkerRun::failed, [&](const Error& why) {
            error = why;
            loop.quit();
        });
        QTimer watch;
        QObject::connect(&watch, &QTimer::timeout, [&] {
            if (stopped()) {
                error = cancelled;
                loop.quit(); // the run goes with this call and takes its process along
            }
        });
        if (stopped)
            watch.start(100);
        // Started from inside the loop, so that a failure to start finds the loop running.
        QMetaObject::invokeMethod(
            &run, [&] { run.start(); }, Qt::QueuedConnection);
        loop.exec();
        if (error)
            return *error;
        std::sort(executed.samples.begin(), executed.samples.end(),
                  [](const SampleEvent& a, const SampleEvent& b) { return a.index < b.index; });
        return executed;
    };
}

std::string compilerOf(const Json& fingerprint)
{
    static const std::vector<std::string> ways = {"nvrtc", "nvcc", "clang", "shipped"};
    const auto kernels = fingerprint.is_object() ? fingerprint.find("kernels") : fingerprint.end();
    if (!fingerprint.is_object() || kernels == fingerprint.end() || !kernels->is_array())
        return {};
    for (const Json& kernel : *kernels)
        if (kernel.is_object() && kernel.contains("compiler") && kernel["compiler"].is_string())
            if (const std::string name = kernel["compiler"]; std::find(ways.begin(), ways.end(), name) != ways.end())
                return name;
    return {};
}

Json buildOf(const Json& fingerprint)
{
    Json build = Json::object();
    if (!fingerprint.is_object())
        return build;
    build["kernels"] = fingerprint.value("kernels", Json());
    const Json target = fingerprint.value("target", Json::object());
    for (const char* key :
         {"simulator", "version", "build", "chip", "timing", "machine", "machine_sha256", "engine_version"})
        if (target.is_object() && target.contains(key))
            build[key] = target[key];
    return build;
}

} // namespace ridge::classroom
