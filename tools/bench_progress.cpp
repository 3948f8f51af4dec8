// SPDX-License-Identifier: GPL-3.0-or-later
// How long progress and the first search take over a large store, and what memory they need.
//   ninja -C build/release bench_store bench_progress
//   build/release/bin/bench_store /tmp/many 200000; RIDGE_DATA=. build/release/bin/bench_progress /tmp/many
// With a third word, "all", the evidence of every lesson is read with all its runs as well, for comparison.
#include "base/paths.h"
#include "evidence/evidence.h"
#include "evidence/progress.h"
#include "record/clock.h"
#include "search/search_index.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <cstdio>
#include <ctime>
#include <fstream>

using namespace ridge;
using namespace ridge::app;

namespace {

/// The most memory this process has had so far, in MiB.
long peakMemory()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:"))
            return std::atol(line.c_str() + 6) / 1024;
    return 0;
}

template<class Act>
void time(const char* what, Act act)
{
    QElapsedTimer clock;
    clock.start();
    const std::clock_t before = std::clock();
    const std::size_t found = act();
    std::printf("%-34s %6.2f s by the clock, %6.2f s of computing, peak %ld MiB, %zu found\n", what,
                double(clock.nsecsElapsed()) * 1e-9, double(std::clock() - before) / CLOCKS_PER_SEC, peakMemory(),
                found);
}

int failed(const Error& error)
{
    std::fprintf(stderr, "%s\n", toText(error).c_str());
    return 1;
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const auto data = dataFolder();
    if (!data || argc < 2)
        return data ? 2 : failed(data.error());
    const std::filesystem::path folder = argv[1];
    const lessons::Curriculum curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
    const auto store = record::Store::openReadOnly(folder);
    if (!store)
        return failed(store.error());
    time("progress", [&] {
        const auto progress = progressOf(**store, curriculum, record::timeStamp().toStdString());
        return progress ? progress->lessons.size() : 0;
    });
    time("texts of all runs, read alone", [&] {
        std::size_t count = 0;
        std::int64_t after = 0;
        for (bool more = true; more;) {
            const auto texts = (*store)->texts(QStringLiteral("run"), after, 500);
            more = texts && !texts->empty();
            if (more) {
                count += texts->size();
                after = texts->back().position;
            }
        }
        return count;
    });
    discardIndex(searchIndexFile(folder));
    SearchDesk desk(searchIndexFile(folder), curriculum, *data, store->get());
    const auto search = [&] {
        for (bool all = false; !all;) {
            const auto updated = desk.update();
            all = !updated || *updated;
        }
        const auto answer = desk.search(QStringLiteral("stride"));
        return answer ? std::size_t(answer->total()) : 0;
    };
    time("first search, with its index", search);
    time("search with nothing new", search);
    if (argc > 2 && std::string_view(argv[2]) == "all")
        time("all runs of all lessons", [&] {
            std::size_t runs = 0;
            for (const lessons::Lesson& head : curriculum.heads)
                if (const auto evidence = evidenceFromStore(**store, head.id))
                    runs += evidence->runs.size();
            return runs;
        });
    return 0;
}
