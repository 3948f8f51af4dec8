// SPDX-License-Identifier: GPL-3.0-or-later
// Launchers that do what they should, and launchers that do not.
#include "remote/daemons.h"
#include "remote/remote_support.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestRemoteLauncher : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void joinedAndOneByOne_data();
    void joinedAndOneByOne();
    void bannersAreSkipped();
    void unreachable_data();
    void unreachable();
    void noRoomIsSaid();
    void otherArchitectureIsSaid();
    void namedWorker_data();
    void namedWorker();
    void runCopiesTheWorkerThatIsMissing();
    void unknownTargetNamesTheOthers();
    void cancelOnTheWay();
    void kernelFilesStayHere();

private:
    QString launcher(const QString& rest = {}) const
    {
        return s("env RIDGE_SIM_THREADS=1 RIDGE_CACHE=%1/cache").arg(m_folder->path()) + rest;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestRemoteLauncher::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("RIDGE_HOME", (m_folder->path() + s("/home")).toUtf8());
}

void TestRemoteLauncher::joinedAndOneByOne_data()
{
    QTest::addColumn<QString>("rest");
    QTest::addColumn<int>("words");
    QTest::newRow("one by one") << QString() << int(LauncherWords::OneByOne);
    QTest::newRow("joined") << s(" sh -c 'exec sh -c \"$*\"' joined") << int(LauncherWords::Joined);
}

void TestRemoteLauncher::joinedAndOneByOne()
{
    QFETCH(QString, rest);
    QFETCH(int, words);
    const auto outcome = setUpRemote(realWorker(), remoteTarget(s("box"), launcher(rest)), [](const QString&) {});
    R_VERIFY(outcome);
    QCOMPARE(int(outcome->target.words), words);
    QVERIFY(outcome->copied);
    WorkerOptions options = realWorker();
    options.remote = outcome->target;
    WholeRun whole(options, sweepOn("box:sim:t4", 2));
    QVERIFY(whole.toEnd());
    VERIFY_ENDED_WELL(whole);
    QCOMPARE(whole.told.sample.count(), 2);
}

void TestRemoteLauncher::bannersAreSkipped()
{
    const QString noisy =
        s(" sh -c 'printf \"Welcome to box\\nridgepoint-nothing\\n{\\\"event\\\": 1}\\n\"; exec \"$@\"' noisy");
    auto outcome = setUpRemote(realWorker(), remoteTarget(s("box"), launcher(noisy)), [](const QString&) {});
    R_VERIFY(outcome);
    WorkerOptions options = realWorker();
    options.remote = outcome->target;
    WholeRun whole(options, sweepOn("box:sim:t4", 1));
    QVERIFY(whole.toEnd());
    VERIFY_ENDED_WELL(whole);
    // One without an end is not waited out.
    options.remote->launcher = launcher(s(" sh -c 'yes noise'")).toStdString();
    WholeRun endless(options, sweepOn("box:sim:t4", 1));
    QVERIFY(endless.toEnd());
    QCOMPARE(endless.told.error().code, std::string("target-unreachable"));
    QVERIFY2(endless.told.error().message.find("says a lot") != std::string::npos,
             endless.told.error().message.c_str());
}

void TestRemoteLauncher::unreachable_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* command, const char* code, const char* says) {
        QTest::newRow(name) << s(command) << QByteArray(code) << s(says);
    };
    row("no program", "/nowhere/ssh gpu01", "target-unreachable", "/nowhere/ssh cannot be started");
    row("hangs", "sh -c 'sleep 600'", "target-unreachable", "said nothing for 0.7 s");
    row("ends", "sh -c 'echo not today >&2; exit 9'", "target-unreachable", "not today");
    row("killed", "sh -c 'kill -9 $$'", "target-unreachable", "SIGKILL");
    row("not found", "sh -c '/nowhere/box \"$@\"'", "target-unreachable", "exit status 127");
    row("eats words", "sh -c 'echo \"$1 mangled\"'", "bad-launcher", "mangled");
}

void TestRemoteLauncher::unreachable()
{
    QFETCH(QString, command);
    QFETCH(QByteArray, code);
    QFETCH(QString, says);
    WorkerOptions options = realWorker();
    options.times.connect = 0.7;
    const RemoteTarget target = remoteTarget(s("box"), command);
    const auto outcome = setUpRemote(options, target, [](const QString&) {});
    QVERIFY2(QString::fromUtf8(errorText(outcome)).contains(says), errorText(outcome).constData());
    QCOMPARE(codeOf(outcome), code);
    QVERIFY(outcome.error().place.find("box") != std::string::npos && !outcome.error().fix.empty());
    if (code != "target-unreachable")
        return;
    // A run finds the same words for it.
    options.remote = target;
    options.remote->words = LauncherWords::OneByOne;
    WholeRun whole(options, sweepOn("box:sim:t4", 1));
    QVERIFY(whole.toEnd());
    QCOMPARE(QByteArray::fromStdString(whole.told.error().code), code);
    QVERIFY2(QString::fromStdString(whole.told.error().message).contains(says), whole.told.error().message.c_str());
}

void TestRemoteLauncher::noRoomIsSaid()
{
    const QString small = m_folder->path() + s("/small");
    QDir().mkpath(small);
    const QString launcher =
        s("unshare -m sh -c 'mount -t tmpfs -o size=1m none \"$0\" && RIDGE_CACHE=\"$0\" exec \"$@\"' ") + small;
    QProcess probe;
    probe.start(s("unshare"), {s("-m"), s("mount"), s("-t"), s("tmpfs"), s("none"), small});
    if (!probe.waitForFinished() || probe.exitCode() != 0)
        QSKIP("a small disk needs the right to mount one");
    const auto outcome = setUpRemote(realWorker(), remoteTarget(s("box"), launcher), [](const QString&) {});
    QCOMPARE(codeOf(outcome), QByteArray("no-room"));
    QVERIFY2(outcome.error().message.find("KiB are free") != std::string::npos, errorText(outcome).constData());
}

void TestRemoteLauncher::otherArchitectureIsSaid()
{
    QDir().mkpath(m_folder->path() + s("/bin"));
    writeText(m_folder->path() + s("/bin/uname"), "#!/bin/sh\necho Linux aarch64\n", true);
    const auto outcome = setUpRemote(
        realWorker(), remoteTarget(s("box"), launcher(s(" PATH=%1/bin:/usr/bin:/bin").arg(m_folder->path()))),
        [](const QString&) {});
    QCOMPARE(codeOf(outcome), QByteArray("other-architecture"));
    QVERIFY(outcome.error().message.find("aarch64") != std::string::npos);
    QVERIFY(outcome.error().fix.find("--worker") != std::string::npos);
}

void TestRemoteLauncher::namedWorker_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("newer") << QByteArray("#!/bin/sh\necho '{\"program\":\"9.0\",\"protocol\":99}'\n")
                           << QByteArray("worker-newer") << s("protocol 99");
    QTest::newRow("older") << QByteArray("#!/bin/sh\necho usage >&2; exit 2\n") << QByteArray("worker-older")
                           << s("usage");
    QTest::newRow("absent") << QByteArray() << QByteArray("worker-missing") << s("there is no program");
}

void TestRemoteLauncher::namedWorker()
{
    QFETCH(QByteArray, script);
    QFETCH(QByteArray, code);
    QFETCH(QString, says);
    RemoteTarget target = remoteTarget(s("box"), launcher());
    target.worker = (m_folder->path() + s("/worker here")).toStdString();
    if (!script.isEmpty())
        writeText(QString::fromStdString(target.worker), script, true);
    const auto outcome = setUpRemote(realWorker(), target, [](const QString&) {});
    QCOMPARE(codeOf(outcome), code);
    QVERIFY2(QString::fromUtf8(errorText(outcome)).contains(says), errorText(outcome).constData());
    // The one of this build does.
    target.worker = realWorker().program.toStdString();
    const auto good = setUpRemote(realWorker(), target, [](const QString&) {});
    R_VERIFY(good);
    QVERIFY(!good->copied);
}

void TestRemoteLauncher::runCopiesTheWorkerThatIsMissing()
{
    WorkerOptions options = realWorker();
    options.remote = remoteTarget(s("box"), launcher());
    options.remote->words = LauncherWords::OneByOne;
    WholeRun whole(options, sweepOn("box:sim:t4", 1));
    QVERIFY(whole.toEnd());
    VERIFY_ENDED_WELL(whole);
    QVERIFY(whole.links.join(QString()).contains(s("copying the worker to box")));
    QCOMPARE(whole.told.started[0][0].value<StartedEvent>().target, std::string("box:sim:t4"));
}

void TestRemoteLauncher::unknownTargetNamesTheOthers()
{
    R_VERIFY(changeRemoteTargets(pathOf(*m_folder) / "home", [&](std::vector<RemoteTarget>& all) -> Result<void> {
        all = {remoteTarget(s("lab"), s("ssh gpu01")), remoteTarget(s("q"), s("srun"))};
        return {};
    }));
    WholeRun whole(realWorker(), sweepOn("lba:sim:t4", 1));
    QVERIFY(whole.toEnd());
    QCOMPARE(whole.told.error().code, std::string("unknown-target"));
    QVERIFY(whole.told.error().fix.find("lab, q") != std::string::npos);
}

void TestRemoteLauncher::cancelOnTheWay()
{
    WorkerOptions options = realWorker();
    options.remote = remoteTarget(s("box"), s("sh -c 'sleep 600'"));
    WholeRun whole(options, sweepOn("box:sim:t4", 1));
    QObject::connect(&whole.run, &WorkerRun::link, [&] { whole.run.cancel(); });
    QVERIFY(whole.toEnd(10000));
    QCOMPARE(whole.told.error().code, std::string("cancelled"));
}

void TestRemoteLauncher::kernelFilesStayHere()
{
    KernelRunRequest request;
    request.source = {"a.cu", "", false};
    request.target = "lab:sim:t4";
    request.args = {"in:f32:4:@numbers.bin"};
    WorkerRun run(realWorker(), KernelRequest(request));
    Told told(run);
    run.start();
    QTRY_VERIFY(told.over());
    QCOMPARE(told.error().code, std::string("bad-argument"));
}

QTEST_GUILESS_MAIN(TestRemoteLauncher)
#include "tst_remote_launcher.moc"
