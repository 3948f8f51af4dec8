// SPDX-License-Identifier: GPL-3.0-or-later
// Threads of the simulator: every share of a phase is done once, whoever does it.
#include "gpu/simt/run/thread_team.h"

#include <QtTest>

#include <sched.h>

using namespace ridge::gpu::simt;

class TestThreadTeam : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyShareIsDoneOnce()
    {
        for (const unsigned workers : {1u, 2u, 5u}) {
            ThreadTeam team(workers);
            std::vector<int> done(workers); // of no atomics: run() orders what it ends with
            for (int phase = 1; phase <= 20000; ++phase) {
                team.run([&](unsigned worker) {
                    for (int i = 0; i < (phase % 7) * 20; ++i)
                        std::atomic_signal_fence(std::memory_order_seq_cst);
                    ++done[worker];
                });
                for (unsigned worker = 0; worker < workers; ++worker)
                    QCOMPARE(done[worker], phase);
            }
        }
    }

    /// On one processor the second thread has hardly begun when the first is done: its share is not waited for.
    void whoHasNotBegunIsNotWaitedFor()
    {
        cpu_set_t before, one;
        QVERIFY(sched_getaffinity(0, sizeof before, &before) == 0);
        CPU_ZERO(&one);
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &before)) {
                CPU_SET(cpu, &one);
                break;
            }
        QVERIFY(sched_setaffinity(0, sizeof one, &one) == 0);
        int byCaller = 0;
        constexpr int kPhases = 20000;
        {
            ThreadTeam team(2); // its thread inherits the one processor
            const auto caller = std::this_thread::get_id();
            for (int phase = 0; phase < kPhases; ++phase)
                team.run([&](unsigned worker) {
                    if (worker == 1 && std::this_thread::get_id() == caller)
                        ++byCaller;
                });
        }
        sched_setaffinity(0, sizeof before, &before);
        QVERIFY2(byCaller > kPhases / 2, qPrintable(QString::number(byCaller)));
    }
};

QTEST_GUILESS_MAIN(TestThreadTeam)
#include "tst_thread_team.moc"
