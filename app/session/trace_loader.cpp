// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/trace_loader.h"

#include <QCoreApplication>
#include <QPromise>
#include <QThreadPool>

namespace ridge::app {
namespace {

Result<DecodedTraces> decoded(const std::string& bytes)
{
    auto traces = decodeTraces(bytes);
    if (!traces)
        return traces.error();
    DecodedTraces out;
    out.memory = std::move(traces->memory);
    out.schedule = traces->schedule;
    if (traces->launch)
        out.launch = std::make_shared<const LaunchView>(std::move(traces->launch));
    return out;
}

} // namespace

void DecodedTraces::addTo(SceneFrame& frame) const
{
    if (memory)
        frame.trace = *memory;
    if (launch)
        frame.payloads.put(launch);
    if (!problem.isEmpty())
        frame.problem = problem;
}

DecodedTraces unreadable(const Error& error)
{
    DecodedTraces none;
    none.problem = QCoreApplication::translate(
                       "TraceLoader", "The trace of this run cannot be drawn: %1 The run and its numbers are kept.")
                       .arg(QString::fromStdString(toText(error)));
    return none;
}

QFuture<Result<DecodedTraces>> decodeTracesAsync(std::string bytes)
{
    auto promise = std::make_shared<QPromise<Result<DecodedTraces>>>();
    auto future = promise->future();
    promise->start();
    QThreadPool::globalInstance()->start([promise, bytes = std::move(bytes)] {
        promise->addResult(decoded(bytes));
        promise->finish();
    });
    return future;
}

} // namespace ridge::app
