// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests with a limit in milliseconds measure with.
#include "tests/support/heartbeat.h"

using namespace ridge::test;

class TestPace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The fixed piece of work takes its own figure, however fast the machine is and whatever runs beside.
    void workIsItsOwnMeasure()
    {
        PaceWork work;
        std::vector<double> plain;
        for (int i = 0; i < 200; ++i)
            plain.push_back(work.run());
        std::ranges::sort(plain);
        qInfo("least %.2f ms, median %.2f, most %.2f", plain.front(), plain[100], plain.back());
        double least = 1e9;
        for (int attempt = 0; attempt < 5; ++attempt) {
            const PacedClock clock;
            for (int i = 0; i < 20; ++i)
                work.run();
            least = std::min(least, clock.ms());
        }
        // On a machine faster than the one of the figure it takes less: the pace is never below 1.
        QVERIFY2(least > 0 && least < 20 * kPaceWorkMs * 1.3, qPrintable(QString::number(least)));
    }

    /// What waits computes nothing: it is a gap, and no long turn.
    void beatTellsComputingFromWaiting()
    {
        Heartbeat heart;
        QTest::qWait(20);
        heart.reset();
        QThread::msleep(300);
        QTest::qWait(20);
        QVERIFY2(heart.worst() >= 50, qPrintable(QString::number(heart.worst())));
        QVERIFY2(heart.worstBusy() < 50, qPrintable(QString::number(heart.worstBusy())));

        heart.reset();
        PaceWork work;
        const double begin = threadMs();
        for (int i = 0; i < 60; ++i)
            work.run();
        const double took = threadMs() - begin;
        QTest::qWait(20);
        QVERIFY2(heart.worstBusy() > took / 20 && heart.worstBusy() < 60 * kPaceWorkMs * 1.6,
                 qPrintable(QStringLiteral("%1 of %2").arg(heart.worstBusy()).arg(took)));
    }
};

QTEST_GUILESS_MAIN(TestPace)
#include "tst_pace.moc"
