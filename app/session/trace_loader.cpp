// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/trace_loader.h"

#include <QPromise>
#include <QThreadPool>

namespace ridge::app {

QFuture<Result<MemoryTrace>> decodeTraceAsync(std::string bytes)
{
    auto promise = std::make_shared<QPromise<Result<MemoryTrace>>>();
    auto future = promise->future();
    promise->start();
    QThreadPool::globalInstance()->start([promise, bytes = std::move(bytes)] {
        promise->addResult(decodeTrace(bytes));
        promise->finish();
    });
    return future;
}

} // namespace ridge::app
