// SPDX-License-Identifier: GPL-3.0-or-later
// Remote targets through a real sshd on the loopback interface.
#include "remote/daemons.h"
#include "remote/remote_support.h"

#include <QDirIterator>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestRemoteSsh : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void workerIsCopiedOnceAndChecked();
    void runStoresWhereItRan();
    void droppedLinkLosesAndDoublesNothing();
    void silentLinkIsNoticed();
    void cancelGoesOverANewLink();
    void givenUpRunEndsByItself();
    void restartedServerIsFoundAgain();
    void forgottenRunIsSaid();
    void refusals_data();
    void refusals();

private:
    WorkerOptions options() const;
    QStringList runFolders() const;
    Sshd m_server;
    RemoteTarget m_target;
};

void TestRemoteSsh::initTestCase()
{
    if (const QString why = m_server.start(); !why.isEmpty())
        QSKIP(qPrintable(why));
    auto outcome = setUpRemote(realWorker(), remoteTarget(s("lab"), m_server.launcher()), [](const QString&) {});
    R_VERIFY(outcome);
    QVERIFY(outcome->copied);
    QCOMPARE(outcome->target.words, LauncherWords::Joined);
    m_target = outcome->target;
}

void TestRemoteSsh::init()
{
    QDir(m_server.cache() + s("/runs")).removeRecursively();
}

WorkerOptions TestRemoteSsh::options() const
{
    WorkerOptions all = realWorker();
    all.remote = m_target;
    all.times.firstRetry = 0.1;
    return all;
}

QStringList TestRemoteSsh::runFolders() const
{
    return QDir(m_server.cache() + s("/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
}

void TestRemoteSsh::workerIsCopiedOnceAndChecked()
{
    QStringList told;
    const auto again = setUpRemote(realWorker(), m_target, [&](const QString& line) { told << line; });
    R_VERIFY(again);
    QVERIFY2(!again->copied, "the same worker was copied twice");
    QVERIFY(!told.join(QString()).contains(s("copying")));
    QCOMPARE(again->system, std::string("Linux x86_64"));
    const auto offered = offeredBy(again->target);
    QVERIFY(std::ranges::any_of(offered, [](const Json& row) { return row.value("id", "") == "lab:cpu"; }));
    QVERIFY(std::ranges::none_of(
        offered, [](const Json& row) { return row.value("title", "").find("this machine") != std::string::npos; }));

    // One byte of what it reads is another one: that is another worker, and it is replaced.
    const QStringList copies = QDir(m_server.cache()).entryList({s("worker-*")}, QDir::Dirs);
    QCOMPARE(copies.size(), 1);
    const QString file =
        m_server.cache() + QLatin1Char('/') + copies[0] + s("/share/ridgepoint/assets/chips/gpus.json");
    QByteArray bytes = QByteArray::fromStdString(bytesOf(file.toStdString()));
    bytes[bytes.size() - 2] = ' ';
    writeText(file, bytes + ' ');
    const auto mended = setUpRemote(realWorker(), m_target, [](const QString&) {});
    R_VERIFY(mended);
    QVERIFY(mended->copied);
    QCOMPARE(QDir(m_server.cache()).entryList({s("worker-*"), s(".worker-*")}, QDir::Dirs | QDir::Hidden).size(), 1);
}

void TestRemoteSsh::runStoresWhereItRan()
{
    QTemporaryDir home;
    auto store = Store::open(home.path().toStdString());
    R_VERIFY(store);
    WholeRun whole(options(), sweepOn("lab:sim:t4", 3));
    Recorder recorder(**store, whole.run, {});
    QSignalSpy done(&recorder, &Recorder::done);
    QVERIFY(whole.toEnd());
    VERIFY_ENDED_WELL(whole);
    QVERIFY(!done.isEmpty() || done.wait(60000));
    const auto rows = (*store)->runs({});
    R_VERIFY(rows);
    QCOMPARE(rows->size(), std::size_t(3));
    for (const RunRow& row : *rows) {
        QCOMPARE(row.target, std::string("lab:sim:t4"));
        QCOMPARE(row.status, std::string("finished"));
        QCOMPARE(row.provenance, Provenance::Simulated);
        QVERIFY(row.fingerprint->contains("cpu"));
        QVERIFY(!row.traceSha256.empty());
    }
    QCOMPARE(runFolders(), QStringList());
}

void TestRemoteSsh::droppedLinkLosesAndDoublesNothing()
{
    constexpr int points = 60;
    WholeRun here(realWorker(), sweepOn("sim:t4", points));
    QVERIFY(here.toEnd());
    VERIFY_ENDED_WELL(here);

    WholeRun there(options(), sweepOn("lab:sim:t4", points));
    int cuts = 0;
    QObject::connect(&there.run, &WorkerRun::sample, [&](const SampleEvent& sample) {
        if (sample.index == 3 || sample.index == 17 || sample.index == 18 || sample.index == 40) {
            ++cuts;
            m_server.cut();
        }
    });
    QVERIFY(there.toEnd());
    VERIFY_ENDED_WELL(there);
    QCOMPARE(cuts, 4);
    QVERIFY2(there.links.join(QString()).contains(s("going on at byte")),
             qPrintable(there.links.join(QLatin1Char('\n'))));
    QVERIFY(there.links.front().contains(s("lab dropped at byte")));
    QCOMPARE(there.samples(), here.samples());
    QCOMPARE(there.traces().size(), here.traces().size());
    QVERIFY2(there.traces() == here.traces(), "a trace came over in other bytes");
    QCOMPARE(there.told.started.count(), 1);
    QCOMPARE(runFolders(), QStringList());
}

/// A link that carries nothing any more and does not say so: what is between us and the server is stopped.
void TestRemoteSsh::silentLinkIsNoticed()
{
    WorkerOptions with = options();
    with.times.linkSilence = 3;
    WholeRun whole(with, sweepOn("lab:sim:t4", 100));
    bool stopped = false;
    QObject::connect(&whole.run, &WorkerRun::sample, [&](const SampleEvent&) {
        if (!stopped)
            ::kill(static_cast<pid_t>(whole.run.processId()), SIGSTOP);
        stopped = true;
    });
    QVERIFY(whole.toEnd());
    VERIFY_ENDED_WELL(whole);
    QCOMPARE(whole.told.sample.count(), 100);
    QVERIFY2(!whole.links.isEmpty(), "nobody noticed");
}

void TestRemoteSsh::cancelGoesOverANewLink()
{
    WholeRun whole(options(), sweepOn("lab:sim:h100-sxm", 2000));
    QObject::connect(&whole.run, &WorkerRun::link, [&] { whole.run.cancel(); }); // told that the link is down
    QObject::connect(&whole.run, &WorkerRun::sample, [&](const SampleEvent& sample) {
        if (sample.index == 2)
            m_server.cut();
    });
    QVERIFY(whole.toEnd());
    QCOMPARE(whole.told.error().code, std::string("cancelled"));
    QVERIFY2(whole.told.error().message.find("did not answer") == std::string::npos,
             whole.told.error().message.c_str());
    QVERIFY(whole.told.sample.count() >= 3);
    QCOMPARE(runFolders(), QStringList()); // its end was heard, and it was tidied up
}

void TestRemoteSsh::givenUpRunEndsByItself()
{
    WorkerOptions with = options();
    with.times.reconnect = 0.2;
    with.times.orphan = 8; // above the 5 s between two signs of life: a slow machine takes that long to the cut
    WholeRun whole(with, sweepOn("lab:sim:h100-sxm", 2000));
    QObject::connect(&whole.run, &WorkerRun::sample, [&](const SampleEvent& sample) {
        if (sample.index == 2)
            m_server.stop();
    });
    QVERIFY(whole.toEnd());
    const Error& why = whole.told.error();
    QVERIFY2(why.code == "link-lost", toText(why).c_str());
    QVERIFY2(why.message.find("Connection refused") != std::string::npos, why.message.c_str());
    QVERIFY(whole.told.sample.count() >= 3);
    QCOMPARE(runFolders().size(), 1);
    const QString end = m_server.cache() + s("/runs/") + runFolders()[0] + s("/exit");
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(end), 60000);
    QVERIFY(bytesOf(end.toStdString()).starts_with("orphan"));
    QCOMPARE(m_server.start(), QString());
}

void TestRemoteSsh::restartedServerIsFoundAgain()
{
    WholeRun whole(options(), sweepOn("lab:sim:t4", 80));
    bool down = false;
    QObject::connect(&whole.run, &WorkerRun::sample, [&](const SampleEvent& sample) {
        if (sample.index == 5)
            m_server.stop();
    });
    QObject::connect(&whole.run, &WorkerRun::link, [&](const QString& line) {
        if (line.contains(s("still down")) && !std::exchange(down, true))
            QCOMPARE(m_server.start(), QString());
    });
    QVERIFY(whole.toEnd());
    VERIFY_ENDED_WELL(whole);
    QVERIFY(down);
    QCOMPARE(whole.told.sample.count(), 80);
}

void TestRemoteSsh::forgottenRunIsSaid()
{
    WholeRun whole(options(), sweepOn("lab:sim:h100-sxm", 2000));
    QObject::connect(&whole.run, &WorkerRun::sample, [&](const SampleEvent& sample) {
        if (sample.index != 2)
            return;
        QDir(m_server.cache() + s("/runs")).removeRecursively();
        m_server.cut();
    });
    QVERIFY(whole.toEnd());
    QCOMPARE(whole.told.error().code, std::string("link-lost"));
    QVERIFY(whole.told.error().message.find("no longer knows the run") != std::string::npos);
}

void TestRemoteSsh::refusals_data()
{
    QTest::addColumn<QString>("launcher");
    QTest::addColumn<QString>("says");
    QTest::newRow("password") << m_server.launcherWith(s("-o PubkeyAuthentication=no")) << s("without a password");
    QTest::newRow("unknown host") << m_server.launcher().replace(m_server.path("known"), m_server.path("empty"))
                                  << s("key of the host is not known");
    QTest::newRow("nobody listens") << s("ssh -F none -p %1 127.0.0.1").arg(freePort()) << s("nothing listens");
    QTest::newRow("no such host") << s("ssh -F none host.invalid") << s("no machine of that name");
}

void TestRemoteSsh::refusals()
{
    QFETCH(QString, launcher);
    QFETCH(QString, says);
    const auto outcome = setUpRemote(realWorker(), remoteTarget(s("lab"), launcher), [](const QString&) {});
    QCOMPARE(codeOf(outcome), QByteArray("target-unreachable"));
    QVERIFY2(outcome.error().message.find(says.toStdString()) != std::string::npos, errorText(outcome).constData());
    QVERIFY(outcome.error().message.find("lab") == 0 && !outcome.error().fix.empty());
}

QTEST_GUILESS_MAIN(TestRemoteSsh)
#include "tst_remote_ssh.moc"
