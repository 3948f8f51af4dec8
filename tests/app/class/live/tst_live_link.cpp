// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of the live view over loopback: rooms, dropped links, what switches off.
#include "live_link.h"

#include <QSignalSpy>

using namespace ridge;
using namespace ridge::test;

class TestLiveLink : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLearnerIsSeenAndOffMeansOff()
    {
        Session session;
        auto sender = session.join(1, {step("2.4", {true}), kGuess});
        QTRY_COMPARE(sender->taken().size(), std::size_t{2});
        QVERIFY(sender->state() == LiveSender::State::Sharing);
        BoardView view = session.host->view();
        QCOMPARE(view.learners.size(), std::size_t{1});
        QVERIFY(view.learners[0].connected);
        QCOMPARE(view.learners[0].step, std::string("ran"));
        QVERIFY(view.learners[0].predictions.begin()->second == kGuess);
        sender->setNotes({step("2.4", {true, true}), kGuess});
        QTRY_COMPARE(session.host->view().learners[0].step, std::string("passed"));
        QSignalSpy told(session.host.get(), &LiveHost::changed);
        sender->stop();
        QTRY_VERIFY(!session.host->view().learners[0].connected);
        QCOMPARE(session.host->view().connections, 0);
        QVERIFY(sender->findChildren<QTcpSocket*>().isEmpty() || !sender->isOn());
        QTRY_VERIFY(told.count() > 0);
        sender->setNotes({step("2.4", {true, true, true})}); // off: goes nowhere
        QTest::qWait(50);
        QCOMPARE(session.host->view().connections, 0);
        QCOMPARE(session.host->view().learners[0].step, std::string("passed"));
    }

    void rooms_data()
    {
        QTest::addColumn<int>("learners");
        QTest::newRow("30") << 30;
        QTest::newRow("300") << 300;
    }
    void rooms()
    {
        QFETCH(int, learners);
        Session session;
        std::vector<std::unique_ptr<LiveSender>> senders;
        for (int i = 0; i < learners; ++i)
            senders.push_back(session.join(i, {step("2.4", {true}), step("2.5", {}, false), kGuess}));
        const auto all = [&] {
            return std::all_of(senders.begin(), senders.end(),
                               [](const auto& one) { return one->taken().size() == 3; });
        };
        QTRY_VERIFY_WITH_TIMEOUT(all(), 60000);
        BoardView view = session.host->view();
        QCOMPARE(static_cast<int>(view.learners.size()), learners);
        QCOMPARE(view.connections, learners);
        QVERIFY(view.refusals == Refusals{});
        QVERIFY(std::all_of(view.learners.begin(), view.learners.end(), [](const LiveLearner& one) {
            return one.connected && one.lesson == "2.4" && one.predictions.size() == 1;
        }));
        // The end of the session reaches everybody and switches everybody off.
        QSignalSpy closed(session.host.get(), &LiveHost::closed);
        session.host->close();
        const auto off = [&] {
            return std::all_of(senders.begin(), senders.end(), [](const auto& one) { return !one->isOn(); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(off(), 20000);
        QTRY_COMPARE(closed.count(), 1);
        for (const auto& one : senders)
            QCOMPARE(one->trouble().code, std::string("live-ended"));
    }

    void aWrongCodeSwitchesOff()
    {
        Session session;
        LiveSender sender(quick());
        sender.setNotes({step("2.4"), kGuess});
        LiveSender::Session wanted = session.at(session.port, LiveRoom::learner(1));
        wanted.code = "00000000";
        QSignalSpy ended(&sender, &LiveSender::ended);
        QVERIFY(sender.start(wanted).ok());
        QTRY_COMPARE(ended.count(), 1);
        QVERIFY(!sender.isOn());
        QCOMPARE(sender.trouble().code, std::string("live-wrong-code"));
        QVERIFY(session.host->view().learners.empty());
        QCOMPARE(session.host->view().refusals.wrongCode, std::uint64_t{1});
    }

    void anotherAssignmentSwitchesOff()
    {
        Session session;
        LiveSender sender(quick());
        sender.setNotes({step("2.4")});
        LiveSender::Session wanted = session.at(session.port, LiveRoom::learner(1));
        wanted.assignment.id = "0192d3f0-0000-7000-8000-000000000000";
        QVERIFY(sender.start(wanted).ok());
        QTRY_COMPARE(sender.trouble().code, std::string("live-other-assignment"));
        QVERIFY(!sender.isOn());
    }

    void anUnsealedAssignmentSharesNothing()
    {
        Session session;
        LiveSender sender(quick());
        LiveSender::Session wanted = session.at(session.port, LiveRoom::learner(1));
        wanted.assignment.sealKey.clear();
        QCOMPARE(sender.start(wanted).error().code, std::string("live-unsealed"));
        QVERIFY(!sender.isOn());
    }

    /// The pauses are short here; that they grow is seen from the number of tries.
    void aDroppedLinkComesBack()
    {
        Session session;
        Wire wire(session.port);
        LiveSender sender(quick());
        sender.setNotes({step("2.4"), kGuess});
        QVERIFY(sender.start(session.at(wire.port(), LiveRoom::learner(1))).ok());
        QTRY_COMPARE(sender.taken().size(), std::size_t{2});
        const QByteArray before = wire.heard;
        wire.cut();
        QTRY_VERIFY(sender.state() == LiveSender::State::Waiting);
        QVERIFY(sender.pauseMs() > 0 && !sender.trouble().message.empty());
        QTRY_VERIFY(sender.state() == LiveSender::State::Sharing);
        QCOMPARE(wire.taken, 2);
        QCOMPARE(wire.heard.size() - before.size(),
                 static_cast<qsizetype>(kFrameBytes)); // one message says who is back
        QTRY_COMPARE(session.host->view().connections, 1);
        QVERIFY(session.host->view().learners[0].connected);
        QVERIFY(session.host->view().refusals.behind == 0);
        // What changed while it was down is told.
        wire.cut();
        sender.setNotes({step("2.4", {true, true}), kGuess});
        QTRY_COMPARE(session.host->view().learners[0].step, std::string("passed"));
    }

    void pausesGrowAndEndInOff()
    {
        QTcpServer nobody;
        QVERIFY(nobody.listen(QHostAddress::LocalHost));
        const quint16 port = nobody.serverPort();
        nobody.close();
        Session session;
        LiveSender sender({2000, 5000, 600000, 40, 4000, 1500, 600000});
        sender.setNotes({step("2.4")});
        int tries = 0;
        std::vector<int> pauses;
        connect(&sender, &LiveSender::changed, &sender, [&] {
            if (sender.state() == LiveSender::State::Waiting) {
                ++tries;
                pauses.push_back(sender.pauseMs());
            }
        });
        QVERIFY(sender.start(session.at(port, LiveRoom::learner(1))).ok());
        QTRY_COMPARE(sender.trouble().code, std::string("live-gave-up"));
        QVERIFY(!sender.isOn());
        // 40, 80, 160 … ms, each between half and whole of it: within 1.5 s that is 6 to 8 tries.
        QVERIFY2(tries >= 4 && tries <= 9, QByteArray::number(tries).constData());
        QVERIFY(pauses.back() > 3 * pauses.front());
    }

    void aClockThatWentBackIsCaughtUp()
    {
        Session session;
        const auto ada = LiveRoom::learner(1);
        Stranger ahead(session.port);
        const std::uint64_t future = static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch()) + 86400000;
        ahead.socket.write(QByteArray::fromStdString(session.room.frame(ada, future, step("2.4"))));
        QTRY_COMPARE(ahead.heard.size(), static_cast<qsizetype>(kAckBytes));
        auto sender = session.join(1, {step("2.4", {true})});
        QTRY_COMPARE(sender->taken().size(), std::size_t{1});
        QCOMPARE(session.host->view().learners[0].step, std::string("ran"));
        QCOMPARE(session.host->view().refusals.behind, std::uint64_t{1});
        QTRY_VERIFY(ahead.gone()); // the newest link of a learner counts
    }

    void aSilentLinkIsNoticed()
    {
        // Takes the connection and never answers, as a computer does whose lid was closed.
        QTcpServer asleep;
        QVERIFY(asleep.listen(QHostAddress::LocalHost));
        Session session;
        LiveSender sender({2000, 200, 600000, 20, 200, 60000, 600000});
        sender.setNotes({step("2.4")});
        QVERIFY(sender.start(session.at(asleep.serverPort(), LiveRoom::learner(1))).ok());
        QTRY_COMPARE(sender.trouble().code, std::string("live-silent"));
        QVERIFY(sender.isOn());
        // The newest step is said again after a while, so that both ends know.
        LiveSender beating({2000, 5000, 100, 20, 200, 60000, 600000});
        beating.setNotes({step("2.4")});
        Wire wire(session.port);
        QVERIFY(beating.start(session.at(wire.port(), LiveRoom::learner(2))).ok());
        QTRY_VERIFY(wire.heard.size() >= static_cast<qsizetype>(3 * kFrameBytes));
        QVERIFY(session.host->view().refusals == Refusals{});
    }

    void sharingEndsByItself()
    {
        Session session;
        LiveSender sender({2000, 5000, 600000, 20, 200, 60000, 300});
        sender.setNotes({step("2.4")});
        QVERIFY(sender.start(session.at(session.port, LiveRoom::learner(1))).ok());
        QTRY_COMPARE(sender.trouble().code, std::string("live-long"));
        QVERIFY(!sender.isOn());
    }

    void twoSessionsDoNotTakeOnePort()
    {
        Session one;
        LiveHost two(one.room.plan);
        const auto port = two.open(one.port, true);
        QVERIFY(port.ok() && *port != one.port);
    }
};

QTEST_GUILESS_MAIN(TestLiveLink)
#include "tst_live_link.moc"
