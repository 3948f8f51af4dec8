// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/gpu_telemetry.h"

#include "base/json.h"
#include "base/target_kind.h"
#include "record/worker/process_pipe.h"
#include "record/worker/worker_process.h"

namespace ridge::app {
namespace {

constexpr qsizetype kMostLine = 4096; ///< a line has some 200 bytes; more than this is none

std::optional<double> numberIn(const Json& json, const char* name)
{
    const auto found = json.find(name);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

} // namespace

Telemetry::Telemetry(QObject* parent) : QObject(parent) {}

Telemetry::~Telemetry()
{
    stop();
}

std::optional<Telemetry::Reading> Telemetry::parse(const QByteArray& line)
{
    const auto json = parseJson(line.toStdString(), "ridge-worker telemetry");
    if (!json || !json->is_object() || !json->contains("target"))
        return std::nullopt;
    Reading reading{numberIn(*json, "watts"),
                    numberIn(*json, "power_limit_watts"),
                    numberIn(*json, "celsius"),
                    numberIn(*json, "sm_clock_hz"),
                    {}};
    if (const auto reasons = json->find("lowered_by"); reasons != json->end() && reasons->is_array())
        for (const Json& reason : *reasons)
            if (reason.is_string())
                reading.loweredBy << QString::fromStdString(reason.get<std::string>());
    return reading;
}

void Telemetry::watch(const QString& target)
{
    const std::string id = target.toStdString();
    const QString gpu = isLocal(id) && measuresKernels(id) ? target : QString();
    if (gpu == m_target)
        return;
    m_target = gpu;
    restart();
}

void Telemetry::setSeen(bool seen)
{
    if (seen == m_seen)
        return;
    m_seen = seen;
    restart();
}

void Telemetry::restart()
{
    stop();
    m_ended = false;
    take(std::nullopt);
    if (m_target.isEmpty() || !m_seen)
        return;
    m_process = std::make_unique<QProcess>();
    QProcess* const process = m_process.get();
    record::WorkerOptions options;
    options.program = record::defaultWorkerProgram();
    record::setCommand(*process, options, QStringLiteral("telemetry"));
    process->setArguments(process->arguments() << m_target);
    process->setStandardErrorFile(QProcess::nullDevice());
    record::dieWithParent(*process);
    connect(process, &QProcess::readyReadStandardOutput, this, [this, process] {
        std::optional<Reading> newest;
        while (process->canReadLine())
            newest = parse(process->readLine());
        if (newest)
            take(std::move(newest));
        else if (process->bytesAvailable() > kMostLine)
            process->kill();
    });
    // A GPU without NVML ends it at once; nothing is shown then, and it is not tried again for this target.
    connect(process, &QProcess::finished, this, [this] {
        m_ended = true;
        take(std::nullopt);
    });
    process->start();
}

void Telemetry::stop()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    record::killAndForget(std::move(m_process));
}

void Telemetry::take(std::optional<Reading> reading)
{
    if (reading == m_reading)
        return;
    m_reading = std::move(reading);
    Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_gpu_telemetry.cpp"
