// SPDX-License-Identifier: GPL-3.0-or-later
// Remote targets as the program shows them: in menus and lists, asked only when somebody wants it.
#include "tests/app/lesson/reader/reader_support.h"

#include "app/session/run_controller.h"
#include "app/ui/targets.h"

#include <QFile>
#include <QMenu>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

namespace {

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

QStringList textsOf(const QMenu* menu)
{
    QStringList texts;
    for (const QAction* action : menu->actions())
        texts << action->text();
    return texts;
}

QAction* actionNamed(const QMenu* menu, const QString& part)
{
    for (QAction* action : menu->actions())
        if (action->text().contains(part))
            return action;
    return nullptr;
}

} // namespace

class TestRemoteHosts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void menuShowsThemWithoutAsking();
    void askingNeverBlocksAndSaysWhyNot();
    void askedMachineOffersItsTargets();
    void failedRunIsSaidInPlace();
    void removedTargetIsNotThere();
    void brokenFileIsNamed();

private:
    void keep(const QString& launcher)
    {
        const auto kept = record::changeRemoteTargets(m_home->path().toStdString(),
                                                      [&](std::vector<record::RemoteTarget>& all) -> Result<void> {
                                                          record::RemoteTarget lab;
                                                          lab.name = "lab";
                                                          lab.launcher = launcher.toStdString();
                                                          all = {lab};
                                                          return {};
                                                      });
        QVERIFY2(kept.ok(), kept ? "" : toText(kept.error()).c_str());
    }
    std::unique_ptr<QTemporaryDir> m_home;
};

void TestRemoteHosts::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    qputenv("RIDGE_HOME", m_home->path().toUtf8());
}

void TestRemoteHosts::menuShowsThemWithoutAsking()
{
    const QString sign = m_home->path() + s("/was-started");
    keep(s("sh -c 'touch %1; exec \"$@\"' lab").arg(sign));
    Bench bench;
    bench.loadCatalogue();
    QMenu menu;
    fillTargetMenu(&menu, bench.app());
    fillTargetMenu(&menu, bench.app()); // a second time is the same menu
    QCOMPARE(textsOf(&menu).filter(s("lab (")), QStringList{s("lab (not asked yet)")});
    const auto* own = menu.findChild<QMenu*>(s("remote-lab"));
    QVERIFY(own && own->findChild<QAction*>(s("ask"))->isEnabled());
    bench.app().setTarget(s("lab:gpu:0"));
    QVERIFY2(bench.app().targetInfo(s("lab:gpu:0")).available, "what was never asked may be tried");
    QCOMPARE(provenanceOf(bench.app(), s("lab:gpu:0")), Provenance::Measured);
    QCOMPARE(provenanceOf(bench.app(), s("lab:sim:t4")), Provenance::Simulated);
    QVERIFY2(!QFile::exists(sign), "the launcher was started although nobody wanted it");
}

void TestRemoteHosts::askingNeverBlocksAndSaysWhyNot()
{
    keep(s("sh -c 'read line; echo no way there >&2; exit 255'"));
    qputenv("RIDGE_WORKER", (qEnvironmentVariable("RIDGE_BIN") + s("/ridge-worker")).toUtf8());
    Bench bench;
    qputenv("RIDGE_WORKER", (qEnvironmentVariable("RIDGE_BIN") + s("/ridge-worker")).toUtf8());
    RemoteHosts& hosts = bench.app().remotes();
    hosts.ask("lab");
    QCOMPARE(hosts.reach("lab"), RemoteHosts::Reach::Asking); // it did not wait for the answer
    QTRY_COMPARE_WITH_TIMEOUT(hosts.reach("lab"), RemoteHosts::Reach::Unreachable, 20000);
    QVERIFY(hosts.why("lab") && hosts.why("lab")->message.find("no way there") != std::string::npos);
    QMenu menu;
    bench.loadCatalogue();
    fillTargetMenu(&menu, bench.app());
    QVERIFY(textsOf(&menu).contains(s("lab (not reachable)")));
    QVERIFY(actionNamed(menu.findChild<QMenu*>(s("remote-lab")), s("no way there")));
}

void TestRemoteHosts::askedMachineOffersItsTargets()
{
    keep(s("env RIDGE_CACHE=%1/cache").arg(m_home->path()));
    Bench bench;
    qputenv("RIDGE_WORKER", (qEnvironmentVariable("RIDGE_BIN") + s("/ridge-worker")).toUtf8());
    bench.loadCatalogue();
    QMenu menu;
    fillTargetMenu(&menu, bench.app());
    QSignalSpy changed(&bench.app(), &AppContext::remotesChanged);
    menu.findChild<QMenu*>(s("remote-lab"))->findChild<QAction*>(s("ask"))->trigger();
    // The loop turns while 15 MB go over.
    QElapsedTimer since;
    qint64 longest = 0;
    since.start();
    const bool reached = QTest::qWaitFor(
        [&] {
            longest = std::max(longest, since.restart());
            return bench.app().remotes().reach("lab") == RemoteHosts::Reach::Reachable;
        },
        30000);
    QVERIFY2(reached, bench.app().remotes().why("lab") ? toText(*bench.app().remotes().why("lab")).c_str() : "");
    QVERIFY2(longest < 1000, qPrintable(QString::number(longest)));
    QVERIFY(changed.size() >= 2);
    fillTargetMenu(&menu, bench.app());
    QVERIFY(textsOf(&menu).contains(s("lab (reachable)")));
    QVERIFY(bench.app().targetInfo(s("lab:cpu")).available);
    QVERIFY(bench.app().targetInfo(s("lab:cpu")).title.startsWith(s("lab: ")));
    QVERIFY(!bench.app().targetInfo(s("lab:gpu:77")).available);
    const auto listed = targetsOf(bench.app());
    QVERIFY(std::ranges::any_of(listed, [](const auto& each) { return each.id == s("lab:sim:t4"); }));
    QVERIFY(std::ranges::none_of(listed, [](const auto& each) { return each.id == s("lab:model"); }));
    // It is kept for the next start.
    bench.start();
    QCOMPARE(bench.app().remotes().reach("lab"), RemoteHosts::Reach::NotAsked);
    QVERIFY(bench.app().targetInfo(s("lab:cpu")).title.startsWith(s("lab: ")));
}

void TestRemoteHosts::failedRunIsSaidInPlace()
{
    keep(s("sh -c 'read line; echo no way there >&2; exit 255'"));
    Bench bench;
    qputenv("RIDGE_WORKER", (qEnvironmentVariable("RIDGE_BIN") + s("/ridge-worker")).toUtf8());
    RunController run(bench.app());
    QSignalSpy failed(&run, &RunController::failed), done(&run, &RunController::done);
    RunRequest request;
    request.experiment = "coalescing";
    request.target = "lab:sim:t4";
    request.points = {{{"stride", std::int64_t(1)}}};
    QVERIFY(run.start(request, {"2.1", "curve", ""}).ok());
    QVERIFY(done.wait(60000));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed[0][0].value<Error>().code, std::string("target-unreachable"));
    QCOMPARE(bench.app().remotes().reach("lab"), RemoteHosts::Reach::Unreachable);
    const auto rows = bench.store().runs({});
    QCOMPARE(rows->size(), std::size_t(1));
    QCOMPARE(rows->front().target, std::string("lab:sim:t4"));
    QCOMPARE(rows->front().status, std::string("failed"));
}

void TestRemoteHosts::removedTargetIsNotThere()
{
    Bench bench;
    bench.loadCatalogue();
    const AppContext::Target none = bench.app().targetInfo(s("lab:gpu:0"));
    QVERIFY(!none.available);
    QVERIFY(none.reason.contains(s("no remote target lab")));
    QVERIFY(none.fix.contains(s("ridge target add")));
}

void TestRemoteHosts::brokenFileIsNamed()
{
    QFile file(m_home->path() + s("/targets.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{");
    file.close();
    Bench bench;
    bench.loadCatalogue();
    QVERIFY(bench.app().remotes().error());
    QMenu menu;
    fillTargetMenu(&menu, bench.app());
    QVERIFY(!textsOf(&menu).filter(s("targets.json")).isEmpty());
}

QTEST_MAIN(TestRemoteHosts)
#include "tst_remote_hosts.moc"
