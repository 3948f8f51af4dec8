// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of the live view over loopback, and what strangers on the network can do to them.
#include "live_support.h"

#include "app/live/wire/live_host.h"
#include "app/live/wire/live_sender.h"

#include <QFile>
#include <QSignalSpy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QtTest>
#include <random>

using namespace ridge;
using namespace ridge::test;

namespace {

const PredictionNote kGuess{"2.4", "guess", "sectors/request", 8, 4, 16};

/// Waits short enough for a test; no test needs one of them to pass for its success but where it says so.
SenderPace quick()
{
    return {2000, 5000, 600000, 20, 200, 60000, 600000};
}

/// Memory of this program in RAM, in MiB.
double residentMiB()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    return file.readAll().split(' ').value(1).toDouble() * 4096 / (1 << 20);
}

/// A port that carries what it is given to another one, and can be cut: a link that drops.
class Wire : public QObject {
public:
    explicit Wire(quint16 to) : m_to(to)
    {
        m_server.listen(QHostAddress::LocalHost);
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            QTcpSocket* in = m_server.nextPendingConnection();
            auto* out = new QTcpSocket(in);
            m_links << in;
            ++taken;
            out->connectToHost(QHostAddress::LocalHost, m_to);
            connect(in, &QTcpSocket::readyRead, out, [this, in, out] {
                const QByteArray bytes = in->readAll();
                heard += bytes;
                out->write(bytes);
            });
            connect(out, &QTcpSocket::readyRead, in, [in, out] { in->write(out->readAll()); });
            connect(out, &QTcpSocket::disconnected, in, [in] { in->disconnectFromHost(); });
            connect(in, &QTcpSocket::disconnected, in, &QObject::deleteLater);
        });
    }
    void cut()
    {
        for (const QPointer<QTcpSocket>& link : std::as_const(m_links))
            if (link)
                link->abort();
    }
    quint16 port() const { return m_server.serverPort(); }
    QByteArray heard; ///< all that learners sent through it
    int taken = 0;    ///< links so far

private:
    QTcpServer m_server;
    quint16 m_to;
    QList<QPointer<QTcpSocket>> m_links;
};

/// A session on loopback.
struct Session {
    LiveRoom room;
    std::unique_ptr<LiveHost> host;
    quint16 port = 0;

    explicit Session(const HostLimits& limits = {})
    {
        host = std::make_unique<LiveHost>(room.plan, limits);
        port = host->open(0, true).value();
    }
    LiveSender::Session at(quint16 where, const classroom::Identity& who) const
    {
        return {{"127.0.0.1", where}, room.plan.code, room.plan.assignment, who};
    }
    std::unique_ptr<LiveSender> join(int number, std::vector<Note> notes, const SenderPace& pace = quick()) const
    {
        auto sender = std::make_unique<LiveSender>(pace);
        sender->setNotes(std::move(notes));
        if (!sender->start(at(port, LiveRoom::learner(number))))
            return nullptr;
        return sender;
    }
    const LiveLearner* seen(const BoardView& view, int number) const
    {
        const std::string name = LiveRoom::learner(number).learner;
        const auto found = std::find_if(view.learners.begin(), view.learners.end(),
                                        [&](const LiveLearner& one) { return one.learner == name; });
        return found == view.learners.end() ? nullptr : &*found;
    }
};

/// A stranger's connection: what it wrote, and what came back.
struct Stranger {
    QTcpSocket socket;
    QByteArray heard;
    explicit Stranger(quint16 port)
    {
        QObject::connect(&socket, &QTcpSocket::readyRead, &socket, [this] { heard += socket.readAll(); });
        socket.connectToHost(QHostAddress::LocalHost, port);
    }
    bool gone() const { return socket.state() == QAbstractSocket::UnconnectedState; }
};

} // namespace

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
