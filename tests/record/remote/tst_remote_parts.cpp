// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a remote target that need no other machine: words, settings, archives, frames, Slurm's answers.
#include "remote/daemons.h"
#include "remote/remote_support.h"

#include "base/target_choice.h"
#include "record/worker/frame_reader.h"
#include "record/worker/launcher.h"
#include "record/worker/shell_words.h"
#include "record/worker/slurm_source.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

class TestRemoteParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void words_data();
    void words();
    void badWords_data();
    void badWords();
    void quotedWordsComeBack();
    void kinds_data();
    void kinds();
    void targetParts_data();
    void targetParts();
    void settingsRoundTrip();
    void badSettings_data();
    void badSettings();
    void badNames();
    void tarIsRead();
    void framesInAnyPieces();
    void badFrames_data();
    void badFrames();
    void slurmAnswersAreRead();
    void srunOptionsForSbatch();
    void mergedTasksAreOneStream();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestRemoteParts::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("RIDGE_HOME", (m_folder->path() + s("/home")).toUtf8());
}

void TestRemoteParts::words_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("plain") << s("ssh gpu01") << QStringList{s("ssh"), s("gpu01")};
    QTest::newRow("blanks") << s("  srun\t-p  gpu ") << QStringList{s("srun"), s("-p"), s("gpu")};
    QTest::newRow("single") << s("ssh -i '/my keys/$a;b' h")
                            << QStringList{s("ssh"), s("-i"), s("/my keys/$a;b"), s("h")};
    QTest::newRow("double") << s("a \"b \\\"c\\\" \\n\" d") << QStringList{s("a"), s("b \"c\" \\n"), s("d")};
    QTest::newRow("backslash") << s("a\\ b \\$c") << QStringList{s("a b"), s("$c")};
    QTest::newRow("empty word") << s("a '' b") << QStringList{s("a"), QString(), s("b")};
    QTest::newRow("joined") << s("--gres='gpu':1") << QStringList{s("--gres=gpu:1")};
    QTest::newRow("nothing") << s("   ") << QStringList();
}

void TestRemoteParts::words()
{
    QFETCH(QString, text);
    QFETCH(QStringList, words);
    const auto split = splitShellWords(text);
    R_VERIFY(split);
    QCOMPARE(*split, words);
}

void TestRemoteParts::badWords_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("open single") << s("ssh 'gpu01") << s("never closed");
    QTest::newRow("open double") << s("ssh \"gpu01") << s("never closed");
    QTest::newRow("backslash") << s("ssh gpu01\\") << s("backslash");
    for (const char* text : {"ssh $HOST", "ssh \"$HOST\"", "ssh `hostname`", "ssh a; rm -rf b", "ssh a && b",
                             "ssh a | b", "ssh a > b", "ssh (a)"})
        QTest::newRow(text) << s(text) << s("without a shell");
}

void TestRemoteParts::badWords()
{
    QFETCH(QString, text);
    QFETCH(QString, says);
    const auto split = splitShellWords(text);
    QCOMPARE(codeOf(split), QByteArray("bad-launcher"));
    QVERIFY2(split.error().message.find(says.toStdString()) != std::string::npos, errorText(split).constData());
}

void TestRemoteParts::quotedWordsComeBack()
{
    const QStringList awkward{s("it's"), s("a  b"), s("$HOME"), s("*"),  s("\"q\""),
                              s("\\"),   QString(), s("-n"),    s("`x`")};
    QProcess shell;
    shell.start(s("sh"), {s("-c"), s("printf '<%s>' ") + shellQuoted(awkward)});
    QVERIFY(shell.waitForFinished());
    QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()),
             QLatin1Char('<') + awkward.join(s("><")) + QLatin1Char('>'));
    const auto split = splitShellWords(shellQuoted(awkward));
    R_VERIFY(split);
    QCOMPARE(*split, awkward);
}

void TestRemoteParts::kinds_data()
{
    QTest::addColumn<QString>("launcher");
    QTest::addColumn<int>("kind");
    QTest::newRow("ssh") << s("/usr/bin/ssh gpu01") << int(LauncherKind::Ssh);
    QTest::newRow("srun") << s("srun -p gpu") << int(LauncherKind::Slurm);
    QTest::newRow("srun with a setting") << s("env A=b srun -p gpu") << int(LauncherKind::Slurm);
    QTest::newRow("srun behind ssh") << s("ssh login srun -p gpu") << int(LauncherKind::Pipe);
    QTest::newRow("container") << s("docker exec -i box") << int(LauncherKind::Pipe);
    QTest::newRow("env") << s("env A=b") << int(LauncherKind::Pipe);
}

void TestRemoteParts::kinds()
{
    QFETCH(QString, launcher);
    QFETCH(int, kind);
    const auto split = splitShellWords(launcher);
    R_VERIFY(split);
    QCOMPARE(int(kindOf(*split)), kind);
    const QStringList started = startedWords(*split);
    QCOMPARE(started.contains(s("BatchMode=yes")), launcher.contains(s("ssh")));
    QCOMPARE(started.contains(s("--ntasks=1")), LauncherKind(kind) == LauncherKind::Slurm);
}

void TestRemoteParts::targetParts_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("remote");
    QTest::addColumn<QString>("kind");
    QTest::newRow("gpu") << s("gpu:0") << QString() << s("gpu");
    QTest::newRow("sim") << s("sim:h100-sxm") << QString() << s("sim");
    QTest::newRow("cpu") << s("cpu") << QString() << s("cpu");
    QTest::newRow("lab gpu") << s("lab:gpu:0") << s("lab") << s("gpu");
    QTest::newRow("lab cpu") << s("lab:cpu") << s("lab") << s("cpu");
    QTest::newRow("lab sim") << s("gpu-1:sim:t4") << s("gpu-1") << s("sim");
    QTest::newRow("mistyped") << s("smi:t4") << QString() << s("smi");
    QTest::newRow("nothing in front") << s(":gpu:0") << QString() << QString();
}

void TestRemoteParts::targetParts()
{
    QFETCH(QString, target);
    QFETCH(QString, remote);
    QFETCH(QString, kind);
    QCOMPARE(splitTarget(target.toStdString()).remote, remote.toStdString());
    QCOMPARE(kindOfTarget(target.toStdString()), kind.toStdString());
}

void TestRemoteParts::settingsRoundTrip()
{
    const fs::path home = pathOf(*m_folder) / "home";
    const auto none = readRemoteTargets(home);
    R_VERIFY(none);
    QVERIFY(none->empty());
    QVERIFY2(!fs::exists(home), "reading must make nothing");
    RemoteTarget lab = remoteTarget(s("lab"), s("ssh 'gpu 01'"));
    lab.words = LauncherWords::Joined;
    lab.worker = "/opt/ridge-worker";
    lab.spool = "/shared";
    lab.seen = Json{{"when", "2026-11-21T21:00:00Z"},
                    {"targets", Json::array({Json{{"id", "cpu"}, {"title", "X (this machine)"}}})}};
    const RemoteTarget q = remoteTarget(s("q"), s("srun -p gpu"));
    R_VERIFY(changeRemoteTargets(home, [&](std::vector<RemoteTarget>& all) -> Result<void> {
        all = {lab, q};
        return {};
    }));
    const auto read = readRemoteTargets(home);
    R_VERIFY(read);
    QVERIFY((*read == std::vector<RemoteTarget>{lab, q}));
    const auto offered = offeredBy(read->front());
    QCOMPARE(offered.size(), std::size_t(1));
    QCOMPARE(offered[0].at("id").get<std::string>(), std::string("lab:cpu"));
    QCOMPARE(offered[0].at("title").get<std::string>(), std::string("lab: X"));
    // What the change refuses is not written.
    QCOMPARE(codeOf(changeRemoteTargets(home,
                                        [](std::vector<RemoteTarget>& all) -> Result<void> {
                                            all.clear();
                                            return Error{"no", "no", "", ""};
                                        })),
             QByteArray("no"));
    QCOMPARE(readRemoteTargets(home)->size(), std::size_t(2));
}

void TestRemoteParts::badSettings_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("no json") << QByteArray("lab = ssh") << s("targets.json");
    QTest::newRow("format") << QByteArray(R"({"format":2,"targets":[]})") << s("format is 2");
    QTest::newRow("no list") << QByteArray(R"({"format":1})") << s("targets");
    QTest::newRow("name") << QByteArray(R"({"format":1,"targets":[{"name":"La b","launcher":"ssh a"}]})") << s("La b");
    QTest::newRow("twice") << QByteArray(
                                  R"({"format":1,"targets":[{"name":"a","launcher":"b"},{"name":"a","launcher":"c"}]})")
                           << s("twice");
    QTest::newRow("launcher") << QByteArray(R"({"format":1,"targets":[{"name":"a","launcher":"ssh 'b"}]})")
                              << s("never closed");
    QTest::newRow("words") << QByteArray(R"({"format":1,"targets":[{"name":"a","launcher":"b","words":"torn"}]})")
                           << s("torn");
    QTest::newRow("seen")
        << QByteArray(R"({"format":1,"targets":[{"name":"a","launcher":"b","seen":{"when":"x","targets":[{}]}}]})")
        << s("id");
}

void TestRemoteParts::badSettings()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    QDir().mkpath(m_folder->path() + s("/home"));
    writeText(m_folder->path() + s("/home/targets.json"), text);
    const auto read = readRemoteTargets(pathOf(*m_folder) / "home");
    QCOMPARE(codeOf(read), QByteArray("bad-settings"));
    QVERIFY2(QString::fromUtf8(errorText(read)).contains(says), errorText(read).constData());
    QVERIFY(errorText(read).contains("targets.json") && !read.error().fix.empty());
}

void TestRemoteParts::badNames()
{
    for (const char* name : {"", "gpu", "sim", "cpu", "model", "Lab", "1lab", "lab_1", "lab:x", "lab ", "-lab"})
        QVERIFY2(codeOf(checkTargetName(name)) == "bad-target-name", name);
    for (const char* name : {"lab", "a", "gpu-01", "q2"})
        QVERIFY2(checkTargetName(name).ok(), name);
}

void TestRemoteParts::tarIsRead()
{
    const std::string deep(120, 'd');
    const std::string bytes(1500, 'x');
    const std::string tar = tarFolder("bin") + tarFile("bin/run", "#!/bin/sh\necho fine\n", true) +
                            tarFile("share/" + deep + "/a-file-with-a-rather-long-name", bytes, false) +
                            tarFile("empty", "", false) + tarEnd();
    QProcess reader;
    reader.start(s("tar"), {s("-xf"), s("-"), s("-C"), m_folder->path()});
    QVERIFY(reader.waitForStarted());
    reader.write(tar.data(), static_cast<qint64>(tar.size()));
    reader.closeWriteChannel();
    QVERIFY(reader.waitForFinished());
    QVERIFY2(reader.exitCode() == 0 && reader.readAllStandardError().isEmpty(), "tar complains");
    const fs::path at = pathOf(*m_folder);
    QCOMPARE(bytesOf((at / "share" / deep / "a-file-with-a-rather-long-name").string()), bytes);
    QVERIFY(fs::is_empty(at / "empty"));
    QProcess program;
    program.start(QString::fromStdString((at / "bin/run").string()), QStringList());
    QVERIFY(program.waitForFinished());
    QCOMPARE(program.readAllStandardOutput(), QByteArray("fine\n"));
}

void TestRemoteParts::framesInAnyPieces()
{
    const std::string stream = "beat\ndata 5\na\nb\ncdata 3\nxyzbeat\nend signal 11 4\noops";
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        FrameReader reader;
        std::string events;
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            reader.feed(std::string_view(stream).substr(at, piece));
            for (;;) {
                const auto more = reader.events(2);
                R_VERIFY(more);
                if (more->empty())
                    break;
                QVERIFY(more->size() <= 2);
                events += *more;
            }
        }
        QCOMPARE(events, std::string("a\nb\ncxyz"));
        QVERIFY(reader.end());
        QCOMPARE(reader.end()->how, std::string("signal"));
        QCOMPARE(reader.end()->number, 11);
        QCOMPARE(reader.end()->errors, std::string("oops"));
    }
    FrameReader refused;
    const std::string why = R"({"code":"no-room","message":"full","place":"p","fix":"f"})";
    refused.feed("refused " + std::to_string(why.size()) + "\n" + why);
    R_VERIFY(refused.events(10));
    QCOMPARE(refused.refused()->code, std::string("no-room"));
}

void TestRemoteParts::badFrames_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("word") << QByteArray("hello\n");
    QTest::newRow("number") << QByteArray("data many\n");
    QTest::newRow("huge text") << QByteArray("end exit 0 99999999\n");
    QTest::newRow("endless line") << QByteArray(5000, 'a');
    QTest::newRow("half") << QByteArray("end exit\n");
}

void TestRemoteParts::badFrames()
{
    QFETCH(QByteArray, bytes);
    FrameReader reader;
    reader.feed(bytes.toStdString());
    QCOMPARE(codeOf(reader.events(100)), QByteArray("bad-protocol"));
}

void TestRemoteParts::slurmAnswersAreRead()
{
    const auto tasks =
        slurmTasks("JobId=7 ArrayJobId=5 ArrayTaskId=4-6,9%2 JobName=x JobState=PENDING Reason=Resources Y=1\n"
                   "JobId=8 ArrayJobId=5 ArrayTaskId=3 JobState=TIMEOUT Reason=TimeLimit\n");
    QCOMPARE(tasks.size(), std::size_t(3));
    QCOMPARE(tasks[0].first, std::size_t(4));
    QCOMPARE(tasks[0].last, std::size_t(6));
    QCOMPARE(tasks[0].reason, std::string("Resources"));
    QVERIFY(!tasks[0].over());
    QCOMPARE(tasks[1].first, std::size_t(9));
    QCOMPARE(tasks[2].first, std::size_t(3));
    QVERIFY(tasks[2].over());
    QVERIFY(slurmTasks("slurm_load_jobs error: Invalid job id specified").empty());
}

void TestRemoteParts::srunOptionsForSbatch()
{
    const auto launcher =
        splitShellWords(s("env A=b /opt/slurm/bin/srun -p gpu --label --mpi none --gres=gpu:1 -o out.txt -t 5"));
    R_VERIFY(launcher);
    QCOMPARE(sbatchWords(*launcher), (QStringList{s("env"), s("A=b"), s("/opt/slurm/bin/sbatch"), s("-p"), s("gpu"),
                                                  s("--gres=gpu:1"), s("-t"), s("5")}));
    QCOMPARE(slurmTool(QStringList{s("srun")}, s("scancel")), QStringList{s("scancel")});
}

void TestRemoteParts::mergedTasksAreOneStream()
{
    const RunRequest request = sweepOn("sim:t4", 4);
    SlurmMerge merge(request, {{0, 2}, {1, 3}});
    const auto start = [&](const char* cpu) {
        StartedEvent started;
        started.experiment = request.experiment;
        started.target = request.target;
        started.fingerprint = Json{{"cpu", cpu}};
        started.points = 2;
        return encodeEvent(started);
    };
    const auto sample = [&](std::size_t index, std::size_t point, bool passed = true) {
        SampleEvent one;
        one.index = index;
        one.params = request.points[point];
        one.checks = {{"fine", passed, "detail"}};
        one.validity = "valid";
        return encodeEvent(one);
    };
    merge.feed(0, start("a") + sample(0, 0) + encodeEvent(TraceEvent{0, "memory", "first", true}));
    merge.feed(1, start("b") + sample(0, 1) + encodeEvent(TraceEvent{0, "memory", "second", false}));
    merge.feed(0, encodeEvent(TraceEvent{0, "launch", "more", false}));
    merge.feed(0, sample(1, 2, false) + encodeEvent(FinishedEvent{"valid", 2}));
    merge.ended(0, {"none", "", "", ""});
    QVERIFY(!merge.over());
    merge.feed(1, encodeEvent(FailedEvent{{"out-of-memory", "No memory", "there", "Use less"}}));
    merge.ended(1, {"none", "", "", ""});
    QVERIFY(merge.over());

    EventReader reader;
    reader.feed(merge.take());
    QStringList told;
    std::string machine;
    for (;;) {
        const auto event = reader.next();
        R_VERIFY(event);
        if (!event->has_value())
            break;
        if (const auto* started = std::get_if<StartedEvent>(&**event)) {
            machine = started->fingerprint->value("cpu", "");
            QCOMPARE(started->points, std::size_t(4));
        } else if (const auto* one = std::get_if<SampleEvent>(&**event)) {
            told << s("sample %1 of %2").arg(one->index).arg(QString::fromStdString(machine));
            QVERIFY(one->params == request.points[one->index]);
        } else if (const auto* trace = std::get_if<TraceEvent>(&**event)) {
            told << s("trace %1 %2").arg(trace->index).arg(QString::fromStdString(trace->bytes));
        } else if (const auto* failed = std::get_if<FailedEvent>(&**event)) {
            told << QString::fromStdString(failed->error.message);
        }
    }
    QCOMPARE(told,
             (QStringList{s("sample 1 of b"), s("trace 1 second"), s("sample 0 of a"), s("trace 0 first"),
                          s("trace 0 more"), s("sample 2 of a"), s("1 of 4 points failed (3). The first: No memory")}));
    const auto failures = merge.takeFailures();
    QCOMPARE(failures.size(), std::size_t(1));
    QCOMPARE(failures[0].first, std::size_t(3));
    QVERIFY(failures[0].second.place.find("\"stride\":4") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestRemoteParts)
#include "tst_remote_parts.moc"
