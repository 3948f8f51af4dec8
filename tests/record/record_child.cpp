// SPDX-License-Identifier: GPL-3.0-or-later
// Is killed by tests. `record-child append FOLDER` appends rows for ever and prints each id once it is durable;
// `record-child notes FOLDER` the same with versions of a note;
// `record-child run WORKER` starts a worker, prints its process id and waits.
#include "support.h"

#include "base/hash.h"
#include "record/worker_run.h"

#include <QCoreApplication>
#include <cstdio>
#include <deque>

using namespace ridge;
using namespace ridge::record;

namespace {

void say(const std::string& line)
{
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

int appendForEver(const std::filesystem::path& folder)
{
    auto store = Store::open(folder);
    if (!store) {
        say("error " + toText(store.error()));
        return 1;
    }
    std::deque<QFuture<Result<std::string>>> underWay;
    for (std::int64_t i = 0;; ++i) {
        underWay.push_back(
            (*store)->append(test::someRun(i), i % 5 == 0 ? "trace " + std::to_string(i) : std::string()));
        if (underWay.size() < 6)
            continue;
        const auto answer = test::durable(underWay.front());
        underWay.pop_front();
        say(answer ? *answer : "error " + toText(answer.error()));
    }
}

/// Versions of one note, numbered in their text; prints each number once it is durable.
int noteForEver(const std::filesystem::path& folder)
{
    auto store = Store::open(folder);
    if (!store) {
        say("error " + toText(store.error()));
        return 1;
    }
    NoteRow note;
    note.noteId = newUuid7();
    note.lesson = "2.4";
    note.quote = "warp";
    for (int i = 0;; ++i) {
        note.text = std::to_string(i);
        const auto answer = test::durable((*store)->append(note));
        say(answer ? note.text : "error " + toText(answer.error()));
    }
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    const QStringList arguments = app.arguments();
    if (arguments.value(1) == QLatin1String("append"))
        return appendForEver(arguments.value(2).toStdString());
    if (arguments.value(1) == QLatin1String("notes"))
        return noteForEver(arguments.value(2).toStdString());
    RunRequest request;
    request.experiment = "hang";
    request.points = {{}};
    WorkerRun run({arguments.value(2), {}}, request);
    QObject::connect(&run, &WorkerRun::started, &app, [&] { say(std::to_string(run.processId())); });
    run.start();
    return app.exec();
}
