// SPDX-License-Identifier: GPL-3.0-or-later
// What somebody hears of runs who has gone to another program: through a desktop that writes down what it is told, and
// over a D-Bus of the test's own.
#include "shell_fixture.h"

#include "app/runs/lab/lab_page.h"
#include "app/runs/lab/sweep_editor.h"
#include "app/session/desktop/session_desktop.h"
#include "app/window/run_notices.h"
#include "notification_service.h"

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

class WrittenDesktop : public Desktop {
public:
    void notify(const DesktopNotice& notice) override { notices.push_back(notice); }
    void withdraw() override { ++withdrawn; }
    void setProgress(std::optional<double> fraction) override { progress.push_back(fraction); }

    std::vector<DesktopNotice> notices;
    std::vector<std::optional<double>> progress;
    int withdrawn = 0;
};

} // namespace

class TestRunNotices : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> m_place;
    std::unique_ptr<WrittenDesktop> m_desktop;
    std::unique_ptr<RunNotices> m_notices;
    LabPage* m_lab = nullptr;

    MainWindow& window() { return *m_place->window; }

    void leave()
    {
        window().hide(); // the offscreen platform has no other program that could come in front
        QTRY_VERIFY(!QApplication::activeWindow());
    }
    void show()
    {
        window().show();
        window().activateWindow();
        QTRY_VERIFY(QApplication::activeWindow());
    }
    void comeBack()
    {
        QWidget other; // the offscreen platform tells of a window only if it is another than the last one it told of
        other.show();
        QTRY_VERIFY(other.isActiveWindow());
        show();
    }
    void runs(const QStringList& sweeps)
    {
        QSignalSpy done(m_lab->queue(), &RunQueue::finished);
        for (const QString& values : sweeps) {
            m_lab->sweep()->setAxis(0, s("stride"), values);
            m_place->actions->find(s("run.run"))->trigger();
        }
        QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, 90000);
        QCoreApplication::processEvents();
    }

private Q_SLOTS:
    void init()
    {
        m_place = std::make_unique<Workplace>();
        QVERIFY(m_place->loadCatalogue());
        m_place->makeWindow();
        m_desktop = std::make_unique<WrittenDesktop>();
        m_notices = std::make_unique<RunNotices>(window(), *m_desktop);
        QVERIFY(window().open(s("lab/coalescing")).ok());
        m_lab = qobject_cast<LabPage*>(window().page());
        show();
    }
    void cleanup()
    {
        m_notices.reset();
        m_place.reset();
    }

    void nothingWhileTheWindowIsInFront()
    {
        runs({s("1,2")});
        QVERIFY(m_desktop->notices.empty());
        QVERIFY(!window().windowTitle().contains(s("%")) && !window().windowTitle().contains(s("·")));
        // The taskbar shows it all the same, and nothing once it is over.
        QVERIFY(
            std::any_of(m_desktop->progress.begin(), m_desktop->progress.end(), [](auto f) { return f && *f > 0; }));
        QVERIFY(!m_desktop->progress.back());
    }

    void whoIsElsewhereHearsOfTheEnd()
    {
        leave();
        runs({s("1,2")});
        QCOMPARE(m_desktop->notices.size(), std::size_t{1});
        QCOMPARE(m_desktop->notices[0].title, s("A run has ended"));
        QCOMPARE(m_desktop->notices[0].text, s("coalescing on sim:h100-sxm, 2 points"));
        QVERIFY(window().windowTitle().startsWith(s("A run has ended · ")));
        QVERIFY(window().open(s("home")).ok());
        Q_EMIT m_desktop->chosen(m_desktop->notices[0].page);
        QCOMPARE(window().currentPage(), s("lab/coalescing"));
        comeBack();
        QCOMPARE(window().windowTitle(), window().page()->title() + s(" — Ridgepoint"));
        QVERIFY(m_desktop->withdrawn > 0);
    }

    void aQueueIsOneNotice()
    {
        leave();
        runs({s("1,2"), s("4"), s("8,16")});
        QCOMPARE(m_desktop->notices.size(), std::size_t{1});
        QCOMPARE(m_desktop->notices[0].title, s("3 runs have ended"));
    }

    void failuresSayWhy()
    {
        qputenv("RIDGE_WORKER", "/nonexistent/ridge-worker");
        leave();
        runs({s("1,2")});
        QCOMPARE(m_desktop->notices.size(), std::size_t{1});
        QCOMPARE(m_desktop->notices[0].title, s("A run failed"));
        QVERIFY2(m_desktop->notices[0].text.startsWith(s("coalescing on sim:h100-sxm: ")),
                 qPrintable(m_desktop->notices[0].text));
    }

    void whatWasStoppedIsNotTold()
    {
        leave();
        m_lab->sweep()->setAxis(0, s("stride"), s("1..128:log2"));
        QSignalSpy done(m_lab->controller(), &RunController::done);
        m_place->actions->find(s("run.run"))->trigger();
        m_place->actions->find(s("run.stop"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, 30000);
        QCoreApplication::processEvents();
        QVERIFY(m_desktop->notices.empty());
        QVERIFY(!m_desktop->progress.back());
    }

    void itCanBeTurnedOff()
    {
        QAction* tell = m_place->actions->find(s("run.notify"));
        QVERIFY(tell && tell->isChecked());
        tell->trigger();
        QVERIFY(!tell->isChecked() && !notifySetting());
        leave();
        runs({s("1,2")});
        QVERIFY(m_desktop->notices.empty());
        QVERIFY(std::none_of(m_desktop->progress.begin(), m_desktop->progress.end(), [](auto f) { return f; }));
        QVERIFY(!window().windowTitle().contains(s("·")));
    }

    void overTheBus()
    {
        PrivateBus bus;
        if (!bus.available())
            QSKIP("dbus-daemon is not installed (Debian: dbus-daemon)");
        NotificationService service(bus.address());
        QVERIFY2(service.listens(), "the stand-in for the desktop has no place on the bus");
        SessionDesktop desktop(bus.address());
        QSignalSpy chosen(&desktop, &Desktop::chosen);
        desktop.notify({s("A run has ended"), s("a < b & c"), s("lab/coalescing")});
        QTRY_COMPARE(service.notices.size(), 1);
        QCOMPARE(service.notices[0].replaces, 0u);
        QCOMPARE(service.notices[0].title, s("A run has ended"));
        QCOMPARE(service.notices[0].body, s("a &lt; b &amp; c"));
        QVERIFY(service.notices[0].actions.contains(s("default")));
        QCOMPARE(service.notices[0].hints.value(s("desktop-entry")).toString(), s("ridgepoint"));
        // Its id comes back with the answer; only what was chosen of ours counts.
        QTRY_VERIFY(([&] {
            service.choose(service.lastId() + 7);
            service.choose(service.lastId());
            return QTest::qWaitFor([&] { return chosen.count() > 0; }, 200);
        })());
        QCOMPARE(chosen[0][0].toString(), s("lab/coalescing"));
        desktop.notify({s("2 runs have ended"), s("x"), s("runs")});
        QTRY_COMPARE(service.notices.size(), 2);
        QCOMPARE(service.notices[1].replaces, service.notices[0].id);
        QTRY_VERIFY(([&] {
            desktop.withdraw();
            return QTest::qWaitFor([&] { return !service.closed.isEmpty(); }, 200);
        })());
        QCOMPARE(service.closed, QList<uint>{service.lastId()});

        for (const double fraction : {0.0, 0.251, 0.259, 2.0})
            desktop.setProgress(fraction);
        desktop.setProgress({});
        QTRY_COMPARE(service.updates.size(), 4); // a percent is told once
        QCOMPARE(service.updates[1].first, s("application://ridgepoint.desktop"));
        QCOMPARE(service.updates[1].second.value(s("progress")).toDouble(), 0.25);
        QVERIFY(service.updates[1].second.value(s("progress-visible")).toBool());
        QCOMPARE(service.updates[2].second.value(s("progress")).toDouble(), 1.0);
        QVERIFY(!service.updates[3].second.value(s("progress-visible")).toBool());
    }

    void aBusThatIsNotThereStopsNothing()
    {
        for (const char* address : {"", "unix:path=/nonexistent/bus", "nonsense"}) {
            SessionDesktop desktop(s(address));
            desktop.setProgress(0.5);
            desktop.notify({s("A run has ended"), s("x"), s("runs")});
            desktop.withdraw();
        }
        PrivateBus bus;
        if (!bus.available())
            return;
        SessionDesktop desktop(bus.address()); // nobody listens
        desktop.notify({s("A run has ended"), s("x"), s("runs")});
        desktop.setProgress(1);
        desktop.withdraw();
    }
};

QTEST_MAIN(TestRunNotices)
#include "tst_run_notices.moc"
