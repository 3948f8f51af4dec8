// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/assemble_job.h"

#include <QThread>

namespace ridge::app {

Result<Assembled> assemble(const AssembleRequest& request)
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
    if (QThread::currentThread()->isInterruptionRequested())
        return Error{"stopped", "The portfolio was not written, because its maker was asked to stop",
                     request.out.string(), "Export it again"};
    folio::WriteOptions how;
    how.pdf = request.pdf;
    auto written = folio::writePortfolio(*document, request.data, request.out, how);
    if (!written)
        return written.error();
    assembled.written = std::move(*written);
    return assembled;
}

} // namespace ridge::app
