// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/trace_loader.h"

#include "app/drawing/scenes/trace_kinds.h"
#include "base/trace_bytes.h"

#include <QCoreApplication>
#include <QPromise>
#include <QThreadPool>

namespace ridge::app {
namespace {

QString unknownKind(const std::string& kind, const QString& run)
{
    return QCoreApplication::translate("TraceLoader",
                                       "This version of Ridgepoint does not know traces of the kind “%1”, which the "
                                       "run %2 has; update Ridgepoint to draw it. The numbers of the run are whole.")
        .arg(QString::fromStdString(kind), run);
}

} // namespace

void DecodedTraces::addTo(SceneFrame& frame) const
{
    if (const auto* memory = payloads.get<MemoryTrace>())
        frame.trace = *memory;
    frame.payloads.merge(payloads);
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

Result<DecodedTraces> decodeForScenes(std::string_view bytes, const TraceOrigin& origin)
{
    DecodedTraces out;
    if (!origin.kind.empty() && !kindOfName(origin.kind)) {
        out.problem = unknownKind(origin.kind, origin.run);
        return out;
    }
    const auto parts = splitTraces(bytes);
    if (!parts)
        return parts.error();
    for (const std::string_view part : *parts) {
        const std::string_view magic = part.substr(0, 4);
        const TraceKind* kind = kindOfMagic(magic);
        if (!kind) {
            out.problem = unknownKind(std::string(magic), origin.run);
            continue;
        }
        const auto payloads = kind->decode(part);
        if (!payloads)
            return payloads.error();
        out.payloads.merge(*payloads);
    }
    return out;
}

QFuture<Result<DecodedTraces>> decodeTracesAsync(std::string bytes, TraceOrigin origin)
{
    auto promise = std::make_shared<QPromise<Result<DecodedTraces>>>();
    auto future = promise->future();
    promise->start();
    QThreadPool::globalInstance()->start([promise, bytes = std::move(bytes), origin = std::move(origin)] {
        promise->addResult(decodeForScenes(bytes, origin));
        promise->finish();
    });
    return future;
}

} // namespace ridge::app
