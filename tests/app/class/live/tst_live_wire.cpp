// SPDX-License-Identifier: GPL-3.0-or-later
// The live view between two computers: two network namespaces with a cable (a veth pair) between them, each with its
// panel, and a third pair of eyes on the cable. Nothing passes before both switches are on, then nothing but messages
// of one size to the teacher and acknowledgements back; a cable that was pulled costs nothing but time.
#include "base/json.h"
#include "tests/support/process.h"

#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <map>
#include <set>

using namespace ridge;

namespace {

constexpr int kWaitMs = 60000;
constexpr qsizetype kMessage = 1024, kAcknowledgement = 88;

/// Makes both namespaces and the cable, says the process that holds the learner's, and waits to be told of the end.
constexpr const char* kRoom = R"sh(set -e
ip link set lo up
ip link add cable0 type veth peer name cable1
unshare -n tail -f --pid=$$ /dev/null &
holder=$!
mine=$(readlink /proc/self/ns/net)
while [ "$(readlink /proc/$holder/ns/net)" = "$mine" ]; do sleep 0.02; done
ip link set cable1 netns $holder
ip link set cable0 addrgenmode none
ip addr add 10.77.0.1/24 dev cable0
nsenter -t $holder -n sh -ec 'ip link set lo up
  ip link set cable1 addrgenmode none
  ip addr add 10.77.0.2/24 dev cable1
  ip link set cable1 up'
ip link set cable0 up
echo "room $holder"
while read word; do
  case $word in
    pull) ip link set cable0 down; echo pulled;;
    plug) ip link set cable0 up; echo plugged;;
    knock) nsenter -t $holder -n bash -c 'echo knock > /dev/udp/10.77.0.1/9'; echo knocked;;
    end) break;;
  esac
done
kill $holder
)sh";

/// One packet on the cable, as the learner's computer saw it.
struct Packet {
    bool out = false;
    QByteArray bytes; ///< from the Ethernet header on
    quint32 at(qsizetype offset, int count) const
    {
        quint32 value = 0;
        for (int i = 0; i < count; ++i)
            value = value << 8 | static_cast<quint8>(bytes[offset + i]);
        return value;
    }
};

std::vector<Packet> packetsOf(const QByteArray& log)
{
    std::vector<Packet> packets;
    for (qsizetype at = log.indexOf('\n') + 1; at + 5 <= log.size();) {
        quint32 length = 0;
        std::memcpy(&length, log.constData() + at + 1, sizeof length);
        packets.push_back({log[at] != 0, log.mid(at + 5, length)});
        at += 5 + static_cast<qsizetype>(length);
    }
    return packets;
}

/// What was said over TCP in both directions, put together again from segments that may have been sent twice, by the
/// learner's port; and everything that was no TCP to or from the session.
struct Talk {
    std::map<quint32, QByteArray> toTeacher, toLearner;
    std::set<quint32> teacherPorts;
    QStringList other;
};

Talk talkOf(const std::vector<Packet>& packets)
{
    Talk talk;
    std::map<std::pair<quint32, bool>, quint32> first; // sequence number of the first byte
    for (const Packet& packet : packets) {
        constexpr quint32 kIp = 0x0800, kArp = 0x0806, kTcp = 6;
        const quint32 kind = packet.bytes.size() >= 34 ? packet.at(12, 2) : 0;
        if (kind == kArp)
            continue;
        if (kind != kIp || packet.at(23, 1) != kTcp) {
            talk.other << QStringLiteral("%1 %2").arg(kind, 0, 16).arg(QString::fromLatin1(packet.bytes.toHex()));
            continue;
        }
        const qsizetype tcp = 14 + 4 * (packet.at(14, 1) & 15), data = tcp + 4 * (packet.at(tcp + 12, 1) >> 4);
        const quint32 learnerPort = packet.at(packet.out ? tcp : tcp + 2, 2);
        talk.teacherPorts.insert(packet.at(packet.out ? tcp + 2 : tcp, 2));
        const quint32 sequence = packet.at(tcp + 4, 4);
        const bool opens = (packet.at(tcp + 13, 1) & 2) != 0;
        if (opens)
            first[{learnerPort, packet.out}] = sequence + 1;
        const qsizetype size = 14 + static_cast<qsizetype>(packet.at(16, 2)) - data;
        if (opens || size <= 0)
            continue;
        const auto offset = static_cast<qsizetype>(sequence - first.at({learnerPort, packet.out}));
        QByteArray& all = (packet.out ? talk.toTeacher : talk.toLearner)[learnerPort];
        if (all.size() < offset + size)
            all.resize(offset + size, '\0');
        all.replace(offset, size, packet.bytes.mid(data, size));
    }
    return talk;
} // namespace

/// A process that is told lines and answers with lines.
class Talker {
public:
    ~Talker()
    {
        m_process.closeWriteChannel();
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(5000))
            m_process.kill();
        m_process.waitForFinished();
    }
    bool start(const QStringList& command, const test::Environment& environment = {})
    {
        m_process.setProcessEnvironment(test::environmentWith(environment));
        m_process.start(command.front(), command.mid(1));
        return m_process.waitForStarted();
    }
    void tell(const QByteArray& line)
    {
        m_process.write(line + '\n');
        m_process.waitForBytesWritten();
    }
    /// Waits until a line has come that `is` likes, and gives it.
    QByteArray hear(const std::function<bool(const QByteArray&)>& is)
    {
        QByteArray found;
        const bool heard = QTest::qWaitFor(
            [&] {
                m_heard += m_process.readAllStandardOutput();
                for (qsizetype end = m_heard.indexOf('\n'); end >= 0 && found.isEmpty(); end = m_heard.indexOf('\n')) {
                    m_last = m_heard.left(end);
                    m_heard.remove(0, end + 1);
                    if (is(m_last))
                        found = m_last;
                }
                return !found.isEmpty() || m_process.state() == QProcess::NotRunning;
            },
            kWaitMs);
        if (!heard || found.isEmpty())
            qWarning("last heard: %s\n%s", m_last.constData(), m_process.readAllStandardError().constData());
        return found;
    }
    bool hearWord(const char* word)
    {
        return !hear([word](const QByteArray& line) { return line.startsWith(word); }).isEmpty();
    }
    Json state(const std::function<bool(const Json&)>& is)
    {
        Json found;
        hear([&](const QByteArray& line) {
            found = Json::parse(line.toStdString(), nullptr, false);
            return found.is_object() && is(found);
        });
        return found.is_object() ? found : Json::object();
    }
    QByteArray all() { return m_process.readAllStandardOutput(); }
    QProcess& process() { return m_process; }

private:
    QProcess m_process;
    QByteArray m_heard, m_last;
};

QStringList inside(qint64 holder, const QStringList& command)
{
    return QStringList{QStringLiteral("nsenter"), QStringLiteral("-t"),
                       QString::number(holder),   QStringLiteral("--preserve-credentials"),
                       QStringLiteral("-U"),      QStringLiteral("-n")} +
           command;
}

} // namespace

class TestLiveWire : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

private Q_SLOTS:
    void fromOneComputerToTheOther()
    {
        for (const char* tool : {"ip", "unshare", "nsenter"})
            if (QStandardPaths::findExecutable(QLatin1String(tool)).isEmpty())
                QSKIP(qPrintable(QStringLiteral("needs %1 (Debian: iproute2, util-linux)").arg(QLatin1String(tool))));
        Talker room;
        QVERIFY(room.start({QStringLiteral("unshare"), QStringLiteral("-rn"), QStringLiteral("sh"),
                            QStringLiteral("-c"), QString::fromLatin1(kRoom)}));
        const QByteArray made = room.hear([](const QByteArray& line) { return line.startsWith("room "); });
        if (made.isEmpty())
            QSKIP("this system does not let us make two network namespaces with a cable between them (unshare -rn, "
                  "ip link add … type veth)");
        const qint64 teachers = room.process().processId(), learners = made.mid(5).toLongLong();

        const test::Environment window{{QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen")}};
        Talker tap, teacher, learner;
        QVERIFY(tap.start(inside(learners, {QStringLiteral(RIDGE_LIVE_TAP), QStringLiteral("cable1")})));
        QVERIFY(tap.hearWord("listening"));
        const QString file = m_dir.filePath(QStringLiteral("week.ridgeclass")), side = QStringLiteral(RIDGE_LIVE_SIDE);
        QVERIFY(teacher.start(inside(teachers, {side, QStringLiteral("teacher"), file}), window));
        QVERIFY(!teacher.state([](const Json& now) { return !now["on"]; }).empty());
        QVERIFY(learner.start(inside(learners, {side, QStringLiteral("learner"), file}), window));
        const std::string pseudonym = learner.state([](const Json& now) { return !now["on"]; })["pseudonym"];

        // Off is off, on both sides and for a teacher's session alone; the knock shows that the tap would have seen
        // it.
        learner.tell("predict 1.1 8");
        learner.tell("run 1.1");
        QVERIFY(!learner.state([](const Json& now) { return now["stored"] == 2 && !now["on"]; }).empty());
        teacher.tell("toggle");
        const Json open = teacher.state([](const Json& now) { return now["on"] == true; });
        QCOMPARE(open["places"].dump().c_str(), "[\"10.77.0.1:50505\"]");
        const QByteArray code = QByteArray::fromStdString(open["code"].get<std::string>());
        room.tell("knock");
        QVERIFY(room.hearWord("knocked"));

        learner.tell("type 10.77.0.1:50505 " + code);
        learner.tell("toggle");
        QVERIFY(!learner.state([](const Json& now) { return now["answered"] == true; }).empty());
        const Json seen = teacher.state([&](const Json& now) { return now["guesses"].contains("1.1"); });
        QCOMPARE(seen["guesses"]["1.1"], Json(8.0));
        QVERIFY2(seen["rows"].dump().find(pseudonym) != std::string::npos, seen.dump().c_str());

        // What is done while the cable is pulled arrives when it is back.
        room.tell("pull");
        QVERIFY(room.hearWord("pulled"));
        learner.tell("predict 1.2 16");
        QVERIFY(!learner.state([](const Json& now) { return now["stored"] == 3; }).empty());
        room.tell("plug");
        QVERIFY(room.hearWord("plugged"));
        QCOMPARE(teacher.state([](const Json& now) { return now["guesses"].contains("1.2"); })["guesses"]["1.2"],
                 Json(16.0));

        // The teacher's end is the learner's end, and the learner's record has nothing in it but their own.
        teacher.tell("toggle");
        QVERIFY(!teacher.state([](const Json& now) { return now["on"] == false; }).empty());
        const Json after = learner.state([](const Json& now) { return now["on"] == false; });
        QCOMPARE(after["stored"], Json(3));

        tap.process().closeWriteChannel();
        QVERIFY(tap.process().waitForFinished(kWaitMs));
        const std::vector<Packet> packets = packetsOf("\n" + tap.all());
        const auto knock = std::ranges::find_if(packets, [](const Packet& p) { return p.bytes.contains("knock"); });
        QVERIFY(knock != packets.end());
        const Talk before = talkOf({packets.begin(), knock});
        QVERIFY2(before.toTeacher.empty() && before.toLearner.empty() && before.teacherPorts.empty(),
                 qPrintable(before.other.join(QLatin1Char('\n'))));
        QVERIFY2(before.other.isEmpty(), qPrintable(before.other.join(QLatin1Char('\n'))));

        const Talk talk = talkOf({knock + 1, packets.end()});
        QCOMPARE(talk.teacherPorts, std::set<quint32>{50505});
        for (const QString& other : talk.other) // the answer to the knock: nobody listens there
            QVERIFY2(other.contains(QLatin1String(QByteArray("knock").toHex())), qPrintable(other));
        QVERIFY(!talk.toTeacher.empty());
        qsizetype messages = 0, acknowledgements = 0;
        for (const auto& [port, bytes] : talk.toTeacher) {
            QCOMPARE(bytes.size() % kMessage, 0);
            for (qsizetype at = 0; at < bytes.size(); at += kMessage, ++messages)
                QVERIFY(bytes.mid(at).startsWith("RIDGELV1"));
            for (const char* word : {pseudonym.c_str(), "1.1", "guess", "sectors", "predicted", code.constData()})
                QVERIFY2(!bytes.contains(word), word);
        }
        for (const auto& [port, bytes] : talk.toLearner) {
            QCOMPARE(bytes.size() % kAcknowledgement, 0);
            for (qsizetype at = 0; at < bytes.size(); at += kAcknowledgement, ++acknowledgements)
                QVERIFY(bytes.mid(at).startsWith("RIDGEAK1"));
        }
        QVERIFY2(messages >= 4 && acknowledgements >= 4 && acknowledgements <= messages + 1,
                 qPrintable(QStringLiteral("%1 messages, %2 acknowledgements").arg(messages).arg(acknowledgements)));
        room.tell("end");
        QVERIFY(room.process().waitForFinished(kWaitMs));
    }
};

QTEST_GUILESS_MAIN(TestLiveWire)
#include "tst_live_wire.moc"
