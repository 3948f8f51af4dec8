// SPDX-License-Identifier: GPL-3.0-or-later
// Is killed by tests. Each line on standard output is something that is durable:
//   record-child append FOLDER        runs for ever, their ids
//   record-child notes FOLDER         versions of one note for ever, their numbers
//   record-child ship FOLDER          all that belongs to an artifact for ever, ids
//   record-child merge FOLDER OTHER   "merged" once the other store is taken in
//   record-child migrate FOLDER       "migrated" once the store is of today's form
//   record-child export FOLDER OUT    every artifact for ever into new folders, their names
//   record-child run WORKER           starts a worker, prints its process id and waits
#include "record_support.h"

#include "base/hash.h"
#include "record/artifact_export.h"
#include "record/restore.h"
#include "record/worker/worker_run.h"

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

int refuse(const Error& error)
{
    say("error " + toText(error));
    return 1;
}

/// What is durable is said.
std::string kept(QFuture<Result<std::string>> future)
{
    const auto answer = test::durable(std::move(future));
    say(answer ? *answer : "error " + toText(answer.error()));
    return answer ? *answer : std::string();
}

int appendForEver(Store& store)
{
    std::deque<QFuture<Result<std::string>>> underWay;
    for (std::int64_t i = 0;; ++i) {
        underWay.push_back(store.append(test::someRun(i), i % 5 == 0 ? "trace " + std::to_string(i) : std::string()));
        if (underWay.size() < 6)
            continue;
        kept(underWay.front());
        underWay.pop_front();
    }
}

/// Versions of one note, numbered in their text.
int noteForEver(Store& store)
{
    NoteRow note;
    note.noteId = newUuid7();
    note.lesson = "2.4";
    note.quote = "warp";
    for (int i = 0;; ++i) {
        note.text = std::to_string(i);
        const auto answer = test::durable(store.append(note));
        say(answer ? note.text : "error " + toText(answer.error()));
    }
}

int shipForEver(Store& store)
{
    for (int i = 0;; ++i) {
        ArtifactRow artifact;
        artifact.lesson = "2.4";
        artifact.kind = "profile";
        artifact.title = "Artifact " + std::to_string(i);
        artifact.predictionIds = {kept(store.append(test::somePrediction()))};
        artifact.runIds = {
            kept(store.append(test::someRun(i, artifact.predictionIds[0]), "trace " + std::to_string(i)))};
        const auto code = test::durable(store.putFile("__global__ void k" + std::to_string(i) + "() {}"));
        artifact.code = {{"kernel.cu", code ? *code : std::string()}};
        artifact.artifactId = kept(store.append(artifact));
        JournalRow entry;
        entry.kind = "decision";
        entry.title = "Why";
        entry.runIds = artifact.runIds;
        artifact.journalIds = {kept(store.append(entry))};
        artifact.sections["method"] = "one warp";
        kept(store.append(artifact));
        TagRow tag;
        tag.subjectKind = "artifact";
        tag.subjectId = artifact.artifactId;
        tag.label = "keep";
        kept(store.append(tag));
    }
}

int merge(Store& store, const std::filesystem::path& other)
{
    const auto merged = store.mergeFrom(other);
    if (!merged)
        return refuse(merged.error());
    say("merged");
    return 0;
}

int backUpForEver(Store& store)
{
    for (;;) {
        const auto file = store.backup("by hand");
        if (!file)
            return refuse(file.error());
        say(file->string());
    }
}

int restore(const std::filesystem::path& folder, const std::filesystem::path& backup)
{
    const auto done = restoreRecord(folder, backup);
    if (!done)
        return refuse(done.error());
    say("restored");
    return 0;
}

int exportForEver(const std::filesystem::path& folder, const std::filesystem::path& out)
{
    const auto store = Store::openReadOnly(folder);
    if (!store)
        return refuse(store.error());
    const auto artifacts = (*store)->artifacts();
    if (!artifacts)
        return refuse(artifacts.error());
    for (int i = 0;; ++i)
        for (const ArtifactRow& artifact : *artifacts) {
            const std::string name = std::to_string(i) + "-" + artifact.id;
            const auto written = exportArtifact(**store, artifact.id, out / name);
            if (!written)
                return refuse(written.error());
            say(name);
        }
}

int runWorker(QCoreApplication& app, const QString& worker)
{
    RunRequest request;
    request.experiment = "hang";
    request.points = {{}};
    WorkerRun run({worker, {}}, request);
    QObject::connect(&run, &WorkerRun::started, &app, [&] { say(std::to_string(run.processId())); });
    run.start();
    return app.exec();
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    const QString verb = app.arguments().value(1);
    const std::filesystem::path folder = app.arguments().value(2).toStdString();
    const std::filesystem::path other = app.arguments().value(3).toStdString();
    if (verb == QLatin1String("run"))
        return runWorker(app, app.arguments().value(2));
    if (verb == QLatin1String("export"))
        return exportForEver(folder, other);
    if (verb == QLatin1String("restore"))
        return restore(folder, other);
    const auto store = Store::open(folder);
    if (!store)
        return refuse(store.error());
    if (verb == QLatin1String("append"))
        return appendForEver(**store);
    if (verb == QLatin1String("notes"))
        return noteForEver(**store);
    if (verb == QLatin1String("ship"))
        return shipForEver(**store);
    if (verb == QLatin1String("merge"))
        return merge(**store, other);
    if (verb == QLatin1String("backup"))
        return backUpForEver(**store);
    say("migrated");
    return 0;
}
