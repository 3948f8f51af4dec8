// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/assemble_job.h"

#include <QPromise>
#include <QThreadPool>

namespace ridge::app {
namespace {

Result<Assembled> run(const AssembleRequest& request)
{
    const auto store = record::Store::openReadOnly(request.record);
    if (!store)
        return store.error();
    const auto title = [&request](const std::string& lesson) {
        const auto found = request.lessonTitles.find(lesson);
        return found == request.lessonTitles.end() ? std::string() : found->second;
    };
    const auto document =
        folio::makePortfolio(**store, request.experiments, title, request.options, folio::personHere());
    if (!document)
        return document.error();
    Assembled assembled;
    assembled.privacy = document->preview;
    if (request.out.empty())
        return assembled;
    folio::WriteOptions how;
    how.pdf = request.pdf;
    auto written = folio::writePortfolio(*document, request.data, request.out, how);
    if (!written)
        return written.error();
    assembled.written = std::move(*written);
    return assembled;
}

} // namespace

QFuture<Result<Assembled>> assemble(AssembleRequest request)
{
    auto promise = std::make_shared<QPromise<Result<Assembled>>>();
    auto future = promise->future();
    promise->start();
    QThreadPool::globalInstance()->start([promise, request = std::move(request)] {
        promise->addResult(run(request));
        promise->finish();
    });
    return future;
}

} // namespace ridge::app
