// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/warp_states.h"

#include <QtTest>

using namespace ridge;

class TestWarpStates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void largestFirst()
    {
        const std::map<std::string, MetricValue> metrics{{"stall_selected", {50, "%", Provenance::Simulated}},
                                                         {"stall_wait", {9.6, "%", Provenance::Simulated}},
                                                         {"stall_long_scoreboard", {40, "%", Provenance::Simulated}},
                                                         {"stall_barrier", {0.4, "%", Provenance::Simulated}},
                                                         {"time", {1, "s", Provenance::Simulated}}};
        QCOMPARE(waits(metrics).size(), 2u); // issuing is no wait, and half a per cent is no reason
        QCOMPARE(waits(metrics).front().state, std::string("long_scoreboard"));
        QCOMPARE(waitText(metrics, 3), std::string("long scoreboard 40 %, wait 10 %"));
        QCOMPARE(waitText(metrics, 1), std::string("long scoreboard 40 %"));
        QCOMPARE(waitText({}, 3), std::string());
        QVERIFY(isWarpState("stall_wait") && !isWarpState("time"));
    }
};

QTEST_APPLESS_MAIN(TestWarpStates)
#include "tst_warp_states.moc"
