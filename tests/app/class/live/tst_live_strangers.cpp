// SPDX-License-Identifier: GPL-3.0-or-later
// What others on the network can do to the two ends of the live view.
#include "live_link.h"

#include <QFile>
#include <random>

using namespace ridge;
using namespace ridge::test;

namespace {

/// Memory of this program in RAM, in MiB.
double residentMiB()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    return file.readAll().split(' ').value(1).toDouble() * 4096 / (1 << 20);
}

} // namespace

class TestLiveStrangers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aHostThatIsNotTheClassIsNotBelieved()
    {
        QTcpServer impostor;
        QVERIFY(impostor.listen(QHostAddress::LocalHost));
        QByteArray heard;
        connect(&impostor, &QTcpServer::newConnection, &impostor, [&] {
            QTcpSocket* socket = impostor.nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, socket, [&heard, socket] {
                heard += socket->readAll();
                socket->write(QByteArray("RIDGEAK1") + QByteArray(80, '\0') + QByteArray(1 << 20, 'x'));
            });
        });
        Session session;
        LiveSender sender(quick());
        sender.setNotes({step("2.4"), kGuess});
        QVERIFY(sender.start(session.at(impostor.serverPort(), LiveRoom::learner(1))).ok());
        QTRY_VERIFY(sender.state() == LiveSender::State::Waiting);
        QCOMPARE(sender.trouble().code, std::string("live-no-ack"));
        QVERIFY(sender.taken().empty());
        QVERIFY(!readFrame(heard.left(kFrameBytes).toStdString(),
                           classroom::classKeysFromSeed(std::string(32, 'x'))->seal));
    }

    void aReplayChangesNothing()
    {
        Session session;
        Wire wire(session.port);
        LiveSender sender(quick());
        sender.setNotes({step("2.4")});
        QVERIFY(sender.start(session.at(wire.port(), LiveRoom::learner(1))).ok());
        QTRY_COMPARE(sender.taken().size(), std::size_t{1});
        const QByteArray recorded = wire.heard;
        sender.setNotes({step("2.4", {true, true})});
        QTRY_COMPARE(session.host->view().learners[0].step, std::string("passed"));
        Stranger stranger(session.port);
        stranger.socket.write(recorded);
        QTRY_VERIFY(stranger.gone() && session.host->view().refusals.behind == 1);
        QCOMPARE(stranger.heard.size(), static_cast<qsizetype>(kAckBytes));
        QCOMPARE(session.host->view().learners[0].step, std::string("passed"));
        QVERIFY(session.host->view().learners[0].connected); // and the learner's own link stands
        QVERIFY(sender.state() == LiveSender::State::Sharing);
        // In another session of the same class it is of a wrong code.
        Session later;
        later.room = session.room;
        later.room.plan.code = "00000000";
        later.host = std::make_unique<LiveHost>(later.room.plan, HostLimits{});
        Stranger again(later.host->open(0, true).value());
        again.socket.write(recorded);
        QTRY_COMPARE(later.host->view().refusals.wrongCode, std::uint64_t{1});
        QVERIFY(later.host->view().learners.empty());
    }

    void aForgerIsShownTheDoor()
    {
        Session session;
        const auto ada = LiveRoom::learner(1), bob = LiveRoom::learner(2);
        Message message = session.room.message(ada, 5, step("2.4"));
        Stranger stranger(session.port);
        const std::string text = quoted("{'assignment':'") + session.room.plan.assignment.id +
                                 quoted("','code':'K7QM3XRP','key':'") + ada.key.publicKey +
                                 quoted("','counter':9,'step':{'lesson':'2.4','done':[],'kept':[],'here':true}}");
        stranger.socket.write(QByteArray::fromStdString(session.room.forged(text, bob)));
        QTRY_VERIFY(stranger.gone());
        QVERIFY(stranger.heard.isEmpty());
        QCOMPARE(session.host->view().refusals.forged, std::uint64_t{1});
        QVERIFY(session.host->view().learners.empty());
        // One connection speaks for one learner.
        Stranger both(session.port);
        both.socket.write(QByteArray::fromStdString(session.room.frame(ada, 5, step("2.4"))));
        QTRY_COMPARE(both.heard.size(), static_cast<qsizetype>(kAckBytes));
        both.socket.write(QByteArray::fromStdString(session.room.frame(bob, 5, step("2.4"))));
        QTRY_VERIFY(both.gone());
    }

    void garbageIsClosedAndHonestLearnersStay()
    {
        Session session;
        auto honest = session.join(1, {step("2.4"), kGuess});
        QTRY_COMPARE(honest->taken().size(), std::size_t{2});
        std::mt19937 random(11);
        std::vector<std::unique_ptr<Stranger>> strangers;
        for (int i = 0; i < 150; ++i) {
            strangers.push_back(std::make_unique<Stranger>(session.port));
            QByteArray bytes(static_cast<qsizetype>(kFrameBytes + random() % 70000), '\0');
            std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random() & 0xff); });
            if (i % 2)
                bytes.replace(0, 8, "RIDGELV1");
            strangers.back()->socket.write(bytes);
        }
        const auto gone = [&] {
            return std::all_of(strangers.begin(), strangers.end(), [](const auto& one) { return one->gone(); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(gone(), 20000);
        for (const auto& one : strangers)
            QVERIFY(one->heard.isEmpty()); // garbage gets no answer, not even a no
        honest->setNotes({step("2.4", {true, true}), kGuess});
        QTRY_COMPARE(session.host->view().learners[0].step, std::string("passed"));
        QCOMPARE(session.host->view().refusals.garbage, std::uint64_t{150});
    }

    void whoSaysNothingIsLetGo()
    {
        HostLimits limits;
        limits.strangers = 20;
        limits.strangerMs = 300;
        Session session(limits);
        std::vector<std::unique_ptr<Stranger>> strangers;
        for (int i = 0; i < 200; ++i)
            strangers.push_back(std::make_unique<Stranger>(session.port));
        auto honest = session.join(1, {step("2.4")});
        QTRY_COMPARE(honest->taken().size(), std::size_t{1}); // through the crowd
        QVERIFY(session.host->view().connections <= 21);
        QTRY_VERIFY(session.host->view().refusals.connections >= 100); // the system may have turned some away itself
        QTRY_COMPARE(session.host->view().connections, 1);
        QVERIFY(honest->state() == LiveSender::State::Sharing);
    }

    void floodsStayWithinMemory()
    {
        HostLimits limits;
        limits.learnerBurst = 20;
        limits.learnerPerSecond = 20;
        Session session(limits);
        const auto ada = LiveRoom::learner(1);
        std::vector<std::string> frames;
        for (std::uint64_t i = 1; i <= 64; ++i)
            frames.push_back(session.room.frame(ada, i, step("2.4", {i % 2 == 0})));
        auto honest = session.join(2, {step("2.4")});
        QTRY_COMPARE(honest->taken().size(), std::size_t{1});
        const double before = residentMiB();
        // A learner of the class floods: good messages as fast as they go, and never reads an answer.
        QTcpSocket flood;
        flood.setReadBufferSize(1);
        flood.connectToHost(QHostAddress::LocalHost, session.port);
        QVERIFY(flood.waitForConnected());
        qint64 offered = 0;
        const auto offer = [&] {
            while (flood.bytesToWrite() < (1 << 20)) {
                for (const std::string& frame : frames)
                    flood.write(frame.data(), static_cast<qint64>(frame.size()));
                offered += 64;
            }
        };
        connect(&flood, &QTcpSocket::bytesWritten, &flood, offer);
        offer();
        // Strangers flood too.
        std::vector<std::unique_ptr<Stranger>> strangers;
        for (int i = 0; i < 200; ++i) {
            strangers.push_back(std::make_unique<Stranger>(session.port));
            strangers.back()->socket.write(QByteArray(500, 'x')); // half a message each
        }
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 3000) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
            honest->setNotes({step("2.4", {true, (timer.elapsed() / 100) % 2 == 0})});
        }
        const BoardView view = session.host->view();
        const LiveLearner* learner = session.seen(view, 2);
        QVERIFY(learner && learner->connected);
        QVERIFY(honest->state() == LiveSender::State::Sharing);
        // 20 at once and 20 a second: what is beyond waited in the flooder's own computer.
        QVERIFY2(view.refusals.behind <= 1, "the second round of the same counters ends the connection");
        QVERIFY(offered > 500);
        const double grown = residentMiB() - before;
        QVERIFY2(grown < 32, QByteArray::number(grown).constData());
    }

    void aFloodOfLearnersIsBounded()
    {
        Session session;
        session.room.plan.mostLearners = 50;
        session.host = std::make_unique<LiveHost>(session.room.plan, HostLimits{});
        session.port = session.host->open(0, true).value();
        std::vector<std::unique_ptr<LiveSender>> senders;
        for (int i = 0; i < 120; ++i)
            senders.push_back(session.join(i, {step("2.4")}));
        const auto settled = [&] {
            return std::all_of(senders.begin(), senders.end(), [](const auto& one) {
                return one->state() == LiveSender::State::Sharing || one->trouble().code == "live-full";
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(settled(), 20000);
        QCOMPARE(session.host->view().learners.size(), std::size_t{50});
        QCOMPARE(session.host->view().refusals.full, std::uint64_t{70});
    }
};

QTEST_GUILESS_MAIN(TestLiveStrangers)
#include "tst_live_strangers.moc"
