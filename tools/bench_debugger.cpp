// SPDX-License-Identifier: GPL-3.0-or-later
// How long the debugger of the kernel editor takes with a recording of up to a million steps: opening it, a step on and
// back, a place at random, painting included.
//   ninja -C build/release bench_debugger ridge-worker && QT_QPA_PLATFORM=offscreen build/release/bin/bench_debugger
// An argument replaces the launches of the kernel below: "--grid …" as a file's head has it.
#include "app/kernels/debug_panel.h"
#include "app/kernels/kernel_bench.h"
#include "app/kernels/launch_form.h"

#include "base/json.h"
#include "base/paths.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>

using namespace ridge;
using namespace ridge::app;

namespace {

/// A tree over shared memory, again and again: barriers, lanes that part, accesses to every kind of memory.
constexpr const char* kSource = R"(__global__ void trees(const float* in, float* out, int rounds)
{
    __shared__ float part[256];
    unsigned int t = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        part[t] = in[(round * blockDim.x + t) % 4096];
        __syncthreads();
        for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
            if (t < half)
                part[t] += part[t + half];
            __syncthreads();
        }
        sum += part[t % 32] * round;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}
)";

/// Processor time of this thread in milliseconds: what other programs on a busy machine take does not count.
double cpuTime()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// The longest stretch of this thread's processor time, and of the clock, between two turns of the event loop.
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
        m_longest = m_longestClock = 0;
        m_last = cpuTime();
        m_clock.start();
    }
    double longest() const { return m_longest; }
    double longestClock() const { return m_longestClock; }

private:
    void look()
    {
        const double now = cpuTime();
        m_longest = std::max(m_longest, now - m_last);
        m_longestClock = std::max(m_longestClock, static_cast<double>(m_clock.nsecsElapsed()) * 1e-6);
        m_last = now;
        m_clock.start();
    }
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_last = 0;
    double m_longest = 0, m_longestClock = 0;
};

template<class Condition>
bool runUntil(Condition done)
{
    QElapsedTimer waited;
    waited.start();
    while (!done() && waited.elapsed() < 600'000)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 2);
    return done();
}

/// Of /proc/self/status in MiB: "VmRSS:", "VmHWM:".
double memory(const char* field)
{
    double kib = 0;
    if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
        char line[256];
        while (std::fgets(line, sizeof line, file))
            if (std::string_view(line).starts_with(field))
                kib = std::atof(line + std::strlen(field));
        std::fclose(file);
    }
    return kib / 1024;
}

struct Times {
    double median = 0, high = 0, most = 0;
};
Times timesOf(std::vector<double> all)
{
    std::sort(all.begin(), all.end());
    return {all[all.size() / 2], all[all.size() * 95 / 100], all.back()};
}

/// One act and all that follows from it, painting included.
template<class Act>
void measure(const char* what, int count, Act&& act)
{
    std::vector<double> took;
    QElapsedTimer clock;
    clock.start();
    for (int each = 0; each < count; ++each) {
        const double before = cpuTime();
        act(each);
        for (int turn = 0; turn < 4; ++turn)
            QCoreApplication::processEvents();
        took.push_back(cpuTime() - before);
    }
    const Times times = timesOf(took);
    std::printf("%-34s median %6.2f   95 %% %6.2f   most %7.2f ms of computing   (%6.2f ms by the clock)\n", what,
                times.median, times.high, times.most, static_cast<double>(clock.nsecsElapsed()) * 1e-6 / count);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QTemporaryDir home;
    const auto data = dataFolder();
    Theme theme;
    auto store = record::Store::open(home.path().toStdString());
    if (!data || !theme.load(QStringLiteral("light")) || !store) {
        std::fprintf(stderr, "RIDGE_DATA does not name the program's data\n");
        return 1;
    }
    ActionRegistry actions;
    AppContext context(theme, actions, std::move(*store), *data);
    context.setTarget(QStringLiteral("sim:h100-sxm"));
    KernelDraft draft;
    draft.name = "bench";
    draft.text = kSource;
    const std::string head = argc > 1 ? argv[1]
                                      : "--grid 1 --block 256 --arg in:f32:4096:rand(1) --arg out:f32:256 "
                                        "--arg i32:2000";
    const auto launch = launchInHead("// Launch   " + head + "\n");
    if (!launch) {
        std::fprintf(stderr, "that is no launch\n");
        return 2;
    }
    draft.launches[""] = toJson(*launch);
    KernelBench bench(context, draft);
    bench.resize(1280, 720);
    bench.show();
    LoopWatch watch;
    if (!runUntil([&] { return !bench.compileJob()->busy() && !bench.form()->kernel().empty(); })) {
        std::fprintf(stderr, "the kernel was not compiled: no compiler here?\n");
        return 1;
    }
    const double before = memory("VmRSS:");
    QElapsedTimer clock;
    clock.start();
    watch.reset();
    bool failed = false;
    DebugPanel* const panel = bench.debugger();
    QObject::connect(panel, &DebugPanel::failed, [&](const Error& error) {
        std::fprintf(stderr, "%s\n", toText(error).c_str());
        failed = true;
    });
    bench.record();
    runUntil([&] { return panel->hasSteps() || failed; });
    if (!panel->hasSteps())
        return 1;
    for (int turn = 0; turn < 10; ++turn)
        QCoreApplication::processEvents();
    const int size = static_cast<int>(panel->session()->reader().size());
    std::printf(
        "%d steps%s recorded and opened in %.1f s; longest turn of the event loop %.1f ms of computing, %.1f ms "
        "by the clock\n",
        size, panel->session()->trace().isCut ? " (cut)" : "", static_cast<double>(clock.elapsed()) * 1e-3,
        watch.longest(), watch.longestClock());
    std::printf("memory: %.0f MiB before, %.0f with the recording, %.0f at most\n", before, memory("VmRSS:"),
                memory("VmHWM:"));
    std::mt19937 random(1);
    for (int view = 0; view < panel->views()->count(); ++view) {
        panel->views()->setCurrentIndex(view);
        std::printf("%s\n", qPrintable(panel->views()->tabText(view)));
        measure("  anywhere", 200, [&](int) { panel->seek(static_cast<int>(random() % static_cast<unsigned>(size))); });
        panel->seek(size / 2);
        measure("  a step on", 200, [&](int) { panel->scrub(1); });
        measure("  a step back", 200, [&](int) { panel->scrub(-1); });
        measure("  a hundred on", 200, [&](int) { panel->scrub(100); });
        measure("  an instruction of the warp on", 200, [&](int) { panel->go(DebugPanel::Move::Into); });
        measure("  an instruction of the warp back", 200, [&](int) { panel->go(DebugPanel::Move::Back); });
    }
    panel->seek(0);
    measure("line after line", 100, [&](int) { panel->go(DebugPanel::Move::Over); });
    measure("barrier after barrier", 100, [&](int) { panel->go(DebugPanel::Move::ToBarrier); });
    if (!panel->setBreakpoint(11, QStringLiteral("shared[4 * lane] == 123456789")))
        return 1;
    for (const auto& [name, move] : {std::pair{"to the end: no condition holds", DebugPanel::Move::Continue},
                                     {"and back", DebugPanel::Move::Reverse}}) {
        const double start = cpuTime();
        watch.reset();
        panel->go(move);
        runUntil([&] { return !panel->running(); });
        std::printf("%-34s %.0f ms of computing in all, longest turn %.1f ms of computing, %.1f ms by the clock\n",
                    name, cpuTime() - start, watch.longest(), watch.longestClock());
    }
    return 0;
}
