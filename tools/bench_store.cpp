// SPDX-License-Identifier: GPL-3.0-or-later
// How long a large store takes to open and to answer.
//   ninja -C build/release bench_store && build/release/bin/bench_store FOLDER [runs]
// FOLDER is made and filled with runs, predictions and artifacts where it is empty; a second call measures it again.
#include "base/json.h"
#include "record/store.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>

using namespace ridge;
using namespace ridge::record;

namespace {

constexpr int kRounds = 7;

/// A run as an experiment of the catalogue stores it: two dozen metrics, a fingerprint of the usual size.
RunRow runOf(int i, const std::string& predictionId)
{
    RunRow row;
    row.sweepId = "sweep-" + std::to_string(i / 12);
    row.lesson = std::to_string(1 + i / 12 % 7) + "." + std::to_string(1 + i / 84 % 8);
    row.block = "sweep-" + std::to_string(i / 12 % 4);
    row.experiment = "experiment-" + std::to_string(i / 12 % 24);
    row.target = i % 7 == 0 ? "cpu" : i % 7 == 1 ? "gpu:0" : "sim:h100-sxm";
    row.predictionId = predictionId;
    row.seed = std::uint64_t(i);
    row.params = {{"stride", std::int64_t{1} << (i % 12)}, {"elements", std::int64_t{1 << 20} + i % 400}};
    for (int metric = 0; metric < 24; ++metric)
        row.metrics["metric_" + std::to_string(metric)] = {1.0 + i % 977, "sectors/request", Provenance::Simulated};
    row.limits["metric_0"] = {3.35e12, "upper"};
    row.checks = {{"matches_reference", true, "every element agrees"}};
    row.validity = i % 40 == 0 ? "throttled" : "valid";
    row.status = i % 50 == 0 ? "failed" : "finished";
    if (row.status == "failed")
        row.error = Error{"out-of-memory", "the device has no room", row.target, "choose fewer elements"};
    Json assumed = Json::array();
    for (int value = 0; value < 60; ++value)
        assumed.push_back("latency.value_" + std::to_string(value));
    row.fingerprint = Json{{"cpu", "bench"},
                           {"os", "Debian GNU/Linux 12 (bookworm)"},
                           {"target", {{"chip", "h100-sxm"}, {"timing_assumptions", assumed}}}};
    return row;
}

void fill(Store& store, int count)
{
    QElapsedTimer clock;
    clock.start();
    std::string predictionId;
    for (int i = 0; i < count; ++i) {
        if (i % 60 == 0) {
            PredictionRow prediction;
            prediction.experiment = runOf(i, {}).experiment;
            prediction.lesson = runOf(i, {}).lesson;
            prediction.metric = "metric_0";
            prediction.point = prediction.low = prediction.high = 1;
            predictionId = store.append(prediction).result().value();
        }
        store.append(runOf(i, i % 5 == 0 ? predictionId : std::string()));
        if (store.pendingWrites() > 2000)
            store.flush();
    }
    const auto cited = store.runs({.limit = 40});
    for (int i = 0; cited && i < 56; ++i) {
        ArtifactRow artifact;
        artifact.lesson = "2.4";
        artifact.kind = "profile";
        artifact.title = "Artifact " + std::to_string(i);
        for (const RunRow& run : *cited)
            artifact.runIds.push_back(run.id);
        store.append(artifact);
    }
    store.flush();
    std::printf("filled with %d runs in %.1f s\n", count, double(clock.elapsed()) * 1e-3);
}

/// Median of several calls, in milliseconds; what `prepare` takes is not counted.
template<class Prepare, class Act>
void time(const char* what, Prepare prepare, Act act)
{
    std::vector<double> took, computed;
    std::size_t rows = 0;
    for (int round = 0; round < kRounds; ++round) {
        prepare();
        QElapsedTimer clock;
        clock.start();
        const std::clock_t before = std::clock();
        rows = act();
        computed.push_back(1e3 * double(std::clock() - before) / CLOCKS_PER_SEC);
        took.push_back(double(clock.nsecsElapsed()) * 1e-6);
    }
    std::sort(took.begin(), took.end());
    std::sort(computed.begin(), computed.end());
    std::printf("%-48s %7.1f ms by the clock, %6.1f ms of computing  %zu rows\n", what, took[kRounds / 2],
                computed[kRounds / 2], rows);
}

template<class Act>
void time(const char* what, Act act)
{
    time(
        what, [] {}, act);
}

std::size_t count(const Store& store, const RunFilter& filter)
{
    const auto rows = store.runs(filter);
    if (!rows) {
        std::fprintf(stderr, "%s\n", toText(rows.error()).c_str());
        std::exit(1);
    }
    return rows->size();
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "bench_store FOLDER [runs]\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    {
        auto store = Store::open(folder);
        if (!store) {
            std::fprintf(stderr, "%s\n", toText(store.error()).c_str());
            return 1;
        }
        if ((*store)->runs({.limit = 1}).value().empty())
            fill(**store, argc > 2 ? std::atoi(argv[2]) : 100000);
    }
    // Opening alone: closing waits for what is being written, which may be the hourly backup.
    std::unique_ptr<Store> kept;
    time(
        "open", [&] { kept.reset(); },
        [&] {
            kept = Store::open(folder).value();
            return std::size_t(1);
        });
    kept.reset();
    time(
        "open for reading only", [] {}, [&] { return std::size_t(Store::openReadOnly(folder).ok()); });
    const auto opened = Store::open(folder);
    const Store& store = **opened;
    time("newest 200", [&] { return count(store, {.limit = 200}); });
    time("newest 200 of an experiment", [&] { return count(store, {.experiment = "experiment-3", .limit = 200}); });
    time("newest 200 of a lesson", [&] { return count(store, {.lesson = "2.4", .limit = 200}); });
    time("newest 200 of a target", [&] { return count(store, {.target = "gpu:0", .limit = 200}); });
    time("newest 200 of an experiment on a target",
         [&] { return count(store, {.experiment = "experiment-3", .target = "gpu:0", .limit = 200}); });
    time("newest 200 of a target that there is none of",
         [&] { return count(store, {.target = "none", .limit = 200}); });
    time("one sweep", [&] { return count(store, {.sweepId = "sweep-17"}); });
    time("eligible runs of a lesson, newest 200",
         [&] { return count(store, {.lesson = "2.4", .limit = 200, .eligible = true}); });
    time("eligible runs, newest 200", [&] { return count(store, {.limit = 200, .eligible = true}); });
    time("newest run of each block of a lesson", [&] { return count(store, {.lesson = "2.4", .latest = true}); });
    time("newest run of each block, newest 200", [&] { return count(store, {.limit = 200, .latest = true}); });
    time("newest eligible run of each block of a lesson",
         [&] { return count(store, {.lesson = "2.4", .eligible = true, .latest = true}); });
    time("artifacts", [&] { return store.artifacts().value().size(); });
    return 0;
}
