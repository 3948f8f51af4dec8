// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing here talks to a network: the programs work in a network namespace that has none, open no socket for one, and
// leave the kernel's counters of packets at zero.
#include "tests/support/process.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

namespace {

/// What ran inside, and what the kernel and the preloaded library saw of it.
struct Watched {
    ridge::test::Outcome outcome;
    qint64 packets = -1; ///< sent, or that found no way out; -1: not told
    QByteArray sockets;
};

/// Sum of the counters of what went out, and of what had no route, of IPv4, UDP, TCP and IPv6.
qint64 packetsIn(const QString& counters)
{
    qint64 sum = 0;
    int found = 0;
    QStringList names;
    for (const QString& line : counters.split(QLatin1Char('\n'))) {
        const QStringList cells = line.split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts);
        if (cells.size() > 1 && cells[0].endsWith(QLatin1Char(':'))) {
            if (names.isEmpty() || names[0] != cells[0]) {
                names = cells; // the first of two lines has the names
                continue;
            }
            for (int i = 1; i < cells.size() && i < names.size(); ++i)
                if (QStringList{QStringLiteral("OutRequests"), QStringLiteral("OutNoRoutes"),
                                QStringLiteral("OutDatagrams"), QStringLiteral("ActiveOpens")}
                        .contains(names[i])) {
                    sum += cells[i].toLongLong();
                    ++found;
                }
            names.clear();
        } else if (cells.size() == 2 &&
                   (cells[0] == QLatin1String("Ip6OutRequests") || cells[0] == QLatin1String("Ip6OutNoRoutes") ||
                    cells[0] == QLatin1String("Udp6OutDatagrams"))) {
            sum += cells[1].toLongLong();
            ++found;
        }
    }
    return found >= 4 ? sum : -1;
}

class Cell {
public:
    Watched operator()(const QStringList& command, const ridge::test::Environment& extra = {}) const
    {
        const QString log = m_dir.filePath(QStringLiteral("sockets")), end = m_dir.filePath(QStringLiteral("counters"));
        QFile::remove(log);
        QProcess process;
        ridge::test::Environment environment{{QStringLiteral("RIDGE_HOME"), m_dir.filePath(QStringLiteral("home"))},
                                             {QStringLiteral("RIDGE_SOCKET_LOG"), log},
                                             {QStringLiteral("LD_PRELOAD"), QStringLiteral(RIDGE_SOCKET_WATCH)}};
        environment += extra;
        process.setProcessEnvironment(ridge::test::environmentWith(environment));
        process.start(QStringLiteral("unshare"),
                      QStringList{QStringLiteral("-rn"), QStringLiteral("sh"), QStringLiteral("-c"),
                                  QStringLiteral("end=$1; shift; \"$@\"; rc=$?;"
                                                 " cat /proc/net/snmp /proc/net/snmp6 > \"$end\"; exit $rc"),
                                  QStringLiteral("sh"), end} +
                          command);
        Watched watched;
        watched.outcome.ended = process.waitForFinished(100000);
        watched.outcome.exitCode = process.exitCode();
        watched.outcome.out = process.readAllStandardOutput();
        watched.outcome.err = process.readAllStandardError();
        if (QFile counters(end); counters.open(QIODevice::ReadOnly))
            watched.packets = packetsIn(QString::fromUtf8(counters.readAll()));
        if (QFile sockets(log); sockets.open(QIODevice::ReadOnly))
            watched.sockets = sockets.readAll();
        return watched;
    }
    QString file(const char* name) const { return m_dir.filePath(QLatin1String(name)); }

private:
    QTemporaryDir m_dir;
};

} // namespace

class TestNetwork : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QProcess allowed;
        allowed.start(QStringLiteral("unshare"), {QStringLiteral("-rn"), QStringLiteral("true")});
        if (!allowed.waitForFinished() || allowed.exitCode() != 0)
            QSKIP("this system does not let us make a network namespace (unshare -rn)");
    }

    /// What is looked at below does show a program that tries to reach somebody.
    void aProgramThatTalksIsSeen()
    {
        const Cell cell;
        const Watched watched =
            cell({QStringLiteral("bash"), QStringLiteral("-c"), QStringLiteral("exec 3<>/dev/tcp/192.0.2.1/80")});
        QVERIFY(watched.outcome.exitCode != 0);
        QVERIFY2(watched.packets > 0, QByteArray::number(watched.packets).constData());
        QVERIFY2(watched.sockets.contains("family 2"), watched.sockets.constData());
    }

    void programsWorkAndKeepSilent_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char* name, const char* program, const char* arguments) {
            QTest::newRow(name) << QString::fromLatin1(program)
                                << QString::fromLatin1(arguments).split(QLatin1Char(' '));
        };
        row("run", "ridge", "run coalescing --target sim:h100-sxm --sweep stride=1,2 --save");
        row("measure", "ridge", "run stream --target cpu");
        row("lesson", "ridge", "lesson run 2.4 --target sim:h100-sxm");
        row("doctor", "ridge", "doctor");
        row("window", "ridgepoint", "--open lesson/2.4 --screenshot");
        row("window at home", "ridgepoint", "--open home --screenshot");
    }
    void programsWorkAndKeepSilent()
    {
        QFETCH(QString, program);
        QFETCH(QStringList, arguments);
        const Cell cell;
        const QString picture = cell.file("picture.png");
        if (program == QLatin1String("ridgepoint"))
            arguments << picture;
        const Watched watched = cell(QStringList{ridge::test::binary(program)} + arguments);
        QVERIFY2(watched.outcome.ended && watched.outcome.exitCode == 0, watched.outcome.err.constData());
        QCOMPARE(watched.packets, 0);
        QVERIFY2(watched.sockets.isEmpty(), watched.sockets.constData());
        if (program == QLatin1String("ridgepoint"))
            QVERIFY(QFileInfo(picture).size() > 10000);
    }

    /// The live view is the one part that may talk: not a socket before its switch, and one as soon as it is on.
    void theLiveViewWaitsForItsSwitch_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<bool>("opens");
        QTest::newRow("off") << QStringLiteral("off") << false;
        QTest::newRow("session") << QStringLiteral("session") << true;
        QTest::newRow("share") << QStringLiteral("share") << true;
    }
    void theLiveViewWaitsForItsSwitch()
    {
        QFETCH(QString, what);
        QFETCH(bool, opens);
        const Cell cell;
        const Watched watched = cell({QStringLiteral(RIDGE_LIVE_ROOM), what});
        QVERIFY2(watched.outcome.ended && watched.outcome.exitCode == 0, watched.outcome.err.constData());
        QVERIFY(watched.packets >= 0);
        QCOMPARE(!watched.sockets.isEmpty(), opens);
        if (!opens)
            QCOMPARE(watched.packets, 0);
    }
};

QTEST_GUILESS_MAIN(TestNetwork)
#include "tst_network.moc"
