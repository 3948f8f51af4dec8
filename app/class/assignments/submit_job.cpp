// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/assignments/submit_job.h"

#include "record/files/content_files.h"

#include <QCoreApplication>
#include <set>

namespace ridge::app {

Result<Submitted> submit(const SubmitRequest& request)
{
    const auto identity = classroom::ownIdentity(request.record);
    if (!identity)
        return identity.error();
    const auto store = record::Store::openReadOnly(request.record);
    if (!store)
        return store.error();
    classroom::SubmissionOptions how;
    how.consent = request.consent;
    how.appVersion = QCoreApplication::applicationVersion().toStdString();
    auto written = classroom::createSubmission(**store, request.assignment, *identity, how);
    if (!written)
        return written.error();
    Submitted done{std::move(*written), identity->learner, {}};
    if (!request.out.empty()) {
        done.file = request.out / done.written.fileName;
        if (auto stored = record::writeDurably(done.file, done.written.bytes); !stored)
            return stored.error();
    }
    done.written.bytes.clear();
    return done;
}

std::vector<std::string> foreignOrigins(const record::Store& store, const classroom::Assignment& assignment)
{
    std::set<std::string> origins;
    const auto take = [&](const auto& rows) {
        if (rows)
            for (const auto& row : *rows)
                origins.insert(row.origin);
    };
    for (const classroom::AssignedLesson& lesson : assignment.lessons) {
        record::RunFilter filter;
        filter.lesson = lesson.id;
        take(store.runs(filter));
        take(store.predictions(lesson.id));
        take(store.answers(lesson.id));
        take(store.artifacts(lesson.id));
    }
    origins.erase(store.origin());
    origins.erase(std::string());
    return {origins.begin(), origins.end()};
}

} // namespace ridge::app
