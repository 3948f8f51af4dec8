// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/mpi_run.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::labs;

class TestMpiRank : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void argumentsComeBack()
    {
        MpiJob job;
        job.shape = {cluster::Operation::AllReduce, cluster::Algorithm::DoubleTree, 6, 2, 5};
        job.elements = 12345;
        job.repeats = 7;
        job.seed = 1ull << 62;
        job.fault = "killed";
        const auto arguments = argumentsOf(job);
        const auto back = mpiJobOf(arguments);
        QVERIFY(back.ok());
        QVERIFY(argumentsOf(*back) == arguments);
        for (const std::vector<std::string>& bad : {std::vector<std::string>{},
                                                    {"0"},
                                                    {"99", "2", "1", "1", "1", "1", "1", "none"},
                                                    {"0", "-2", "1", "1", "1", "1", "1", "none"},
                                                    {"0", "9999999999", "1", "1", "1", "1", "1", "none"}})
            QVERIFY(!mpiJobOf(bad).ok());
    }

    /// All ranks end with the same bits, near the sum in double precision, and orders of adding differ in last bits.
    void replaysAddInTheirOrder()
    {
        std::vector<std::vector<float>> all;
        constexpr std::uint64_t n = 1001; // no multiple of the ranks
        for (const auto algorithm : {cluster::Algorithm::Ring, cluster::Algorithm::Tree, cluster::Algorithm::DoubleTree,
                                     cluster::Algorithm::HalvingDoubling}) {
            const auto schedule = cluster::makeSchedule({cluster::Operation::AllReduce, algorithm, 6, 1, 3});
            bool same = false;
            all.push_back(replaySchedule(*schedule, n, 9, same));
            QVERIFY(same);
            for (std::uint64_t i = 0; i < n; ++i) {
                double sum = 0, size = 0;
                for (std::uint32_t r = 0; r < 6; ++r) {
                    sum += mpiValue(r, i, 9);
                    size += std::abs(mpiValue(r, i, 9));
                }
                QVERIFY(std::abs(all.back()[i] - sum) <= 6 * 6e-8 * size);
            }
        }
        QVERIFY(all[0] != all[1]);
    }

    void wordsOfMpirun()
    {
        const Error killed =
            mpiError(137, "mpirun noticed that process rank 2 with PID 7 on node x exited on signal 9 (Killed).", 4);
        QCOMPARE(killed.code, std::string("rank-killed"));
        QCOMPARE(killed.place, std::string("rank 2"));
        QCOMPARE(mpiError(1, "There are not enough slots available", 4).code, std::string("mpi-failed"));
        QCOMPARE(mpiError(1, "", 4).code, std::string("mpi-failed"));
        QVERIFY(mpiError(137, "\n", 4).message.starts_with("mpirun was ended by signal 9"));
    }
};

QTEST_APPLESS_MAIN(TestMpiRank)
#include "tst_mpi_rank.moc"
