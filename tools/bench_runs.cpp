// SPDX-License-Identifier: GPL-3.0-or-later
// How long the Runs page takes with a large store, and for how long it stops the event loop.
//   ninja -C build/release bench_runs && QT_QPA_PLATFORM=offscreen build/release/bin/bench_runs FOLDER [runs]
// FOLDER is made and filled with runs where it is empty; a second call measures it again.
#include "app/runs/table/runs_page.h"
#include "app/ui/filter_bar.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"

#include <QApplication>
#include <QCheckBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QTimer>
#include <QTreeView>
#include <cstdio>
#include <ctime>

using namespace ridge;
using namespace ridge::app;

namespace {

/// A run as the coalescing experiment stores it: the same columns filled, a fingerprint of usual size.
record::RunRow runOf(int i)
{
    record::RunRow row;
    row.sweepId = "sweep-" + std::to_string(i / 12);
    row.lesson = i % 3 == 0 ? "2.4" : "";
    row.block = row.lesson.empty() ? "" : "sweep-1";
    row.experiment = i % 5 == 0 ? "occupancy" : "coalescing";
    row.target = i % 7 == 0 ? "cpu" : "sim:h100-sxm";
    row.seed = static_cast<std::uint64_t>(i);
    row.params = {{"stride", std::int64_t{1} << (i % 12)}, {"elements", std::int64_t{1 << 20} + i % 400}};
    for (const char* name : {"sectors_per_request", "time", "bandwidth", "bytes"})
        row.metrics[name] = {1.0 + i % 977, "sectors/request", Provenance::Simulated};
    row.limits["bandwidth"] = {3.35e12, "upper"};
    row.checks = {{"matches_reference", true, "every element agrees"}};
    row.validity = "valid";
    row.status = "finished";
    row.fingerprint = Json{{"chip", "h100-sxm"}, {"build", "bench"}, {"compiler", "shipped PTX"}, {"cpu", "bench"}};
    if (i % 50 == 0) {
        row.metrics.clear();
        row.status = "failed";
        row.validity.clear();
        row.error = Error{"out-of-memory", "the device has no room", "sim:h100-sxm", "choose fewer elements"};
    }
    return row;
}

/// The processor time of this thread in milliseconds: what other programs on a busy machine take does not count.
double cpuTime()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// The longest stretch of this thread's processor time between two turns of the event loop since it was reset.
class LoopWatch {
public:
    LoopWatch()
    {
        QObject::connect(&m_timer, &QTimer::timeout, [this] { look(); });
        m_timer.start(1);
        reset();
    }
    void reset()
    {
        m_longest = 0;
        m_last = cpuTime();
    }
    double longest()
    {
        look();
        return m_longest;
    }

private:
    void look()
    {
        const double now = cpuTime();
        m_longest = std::max(m_longest, now - m_last);
        m_last = now;
    }
    QTimer m_timer;
    double m_last = 0;
    double m_longest = 0;
};

template<class Condition>
void runUntil(Condition done)
{
    while (!done())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 2);
}

double since(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

/// The processor time of the whole program, its threads included, in milliseconds.
double allCpuTime()
{
    return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "bench_runs FOLDER [runs]\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    const int wanted = argc > 2 ? std::atoi(argv[2]) : 100000;
    const auto data = dataFolder();
    Theme theme;
    if (!data || !theme.load(QStringLiteral("light"))) {
        std::fprintf(stderr, "RIDGE_DATA does not name the program's data\n");
        return 1;
    }
    {
        auto store = record::Store::open(folder);
        if (!store) {
            std::fprintf(stderr, "%s\n", toText(store.error()).c_str());
            return 1;
        }
        const auto newest = (*store)->runHeads({.limit = 1});
        if (newest && newest->empty()) {
            QElapsedTimer clock;
            clock.start();
            for (int i = 0; i < wanted; ++i) {
                (*store)->append(runOf(i));
                if ((*store)->pendingWrites() > 2000)
                    (*store)->flush();
            }
            (*store)->flush();
            std::printf("filled with %d runs in %.1f s\n", wanted, since(clock) * 1e-3);
        }
    }
    QElapsedTimer clock;
    clock.start();
    double computed = allCpuTime();
    const auto tell = [&](const char* what, double longest) {
        std::printf("%-30s %8.1f ms by the clock, %8.1f ms of computing   longest stop %6.1f ms\n", what, since(clock),
                    allCpuTime() - computed, longest);
    };
    auto store = record::Store::open(folder);
    if (!store) {
        std::fprintf(stderr, "%s\n", toText(store.error()).c_str());
        return 1;
    }
    tell("store open", 0);
    ActionRegistry actions;
    AppContext context(theme, actions, std::move(*store), *data);
    LoopWatch watch;
    clock.start();
    computed = allCpuTime();
    RunsPage page(context);
    page.resize(1280, 800);
    page.show();
    tell("page made", watch.longest());
    runUntil([&] { return page.model()->total() > 0; });
    tell("first rows shown", watch.longest());
    watch.reset();
    runUntil([&] { return page.ready(); });
    tell("all rows there", watch.longest());
    const auto step = [&](const char* name, auto&& act) {
        watch.reset();
        const double before = cpuTime();
        act();
        const double took = cpuTime() - before;
        for (int turn = 0; turn < 5; ++turn)
            QCoreApplication::processEvents();
        std::printf("%-30s %8.1f ms of computing   longest stop %6.1f ms   %d shown\n", name, took, watch.longest(),
                    page.model()->shown());
    };
    step("filter: stride 16", [&] { page.filters()->text()->setText(QStringLiteral("stride 16")); });
    step("filter: failed", [&] { page.filters()->text()->setText(QStringLiteral("failed")); });
    step("filter: nothing", [&] { page.filters()->clear(); });
    auto* view = page.findChild<QTreeView*>();
    for (const auto& [column, name] : {std::pair{RunsModel::Result, "sort by result"},
                                       {RunsModel::Parameters, "sort by parameters"},
                                       {RunsModel::Verdict, "sort by verdict"},
                                       {RunsModel::When, "sort by time"}})
        step(name, [&, at = column] { view->sortByColumn(at, Qt::DescendingOrder); });
    step("group by sweep", [&] { page.findChild<QCheckBox*>()->setChecked(true); });
    step("ungroup", [&] { page.findChild<QCheckBox*>()->setChecked(false); });
    step("choose one", [&] { view->setCurrentIndex(page.model()->index(3, 0)); });
    return 0;
}
