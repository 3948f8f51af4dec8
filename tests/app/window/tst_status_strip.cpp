// SPDX-License-Identifier: GPL-3.0-or-later
// The line at the foot of the window with a GPU that tells what it draws, by stand-ins for libcuda and NVML.
#include "shell_fixture.h"

#include "app/class/live/live_indicator.h"
#include "app/runs/lab/lab_page.h"
#include "app/ui/panels.h"
#include "app/window/home/hardware_card.h"
#include "app/window/run_watch.h"
#include "app/window/status_segments.h"
#include "app/window/status_strip.h"

#include <QMenu>
#include <QPushButton>
#include <QToolButton>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QStringList entries(const QMenu* menu)
{
    QStringList all;
    for (const QAction* action : menu->actions())
        if (!action->isSeparator())
            all << action->text();
    return all;
}

QAction* entry(const QMenu* menu, const char* begin)
{
    for (QAction* action : menu->actions())
        if (action->text().startsWith(s(begin)))
            return action;
    return nullptr;
}

void useGpu(const char* nvml, const char* tells = "")
{
    const QByteArray folder = QCoreApplication::applicationDirPath().toUtf8() + '/';
    qputenv("RIDGE_LIBCUDA", folder + "fake_cuda.so");
    qputenv("RIDGE_LIBNVML", folder + nvml);
    qputenv("RIDGE_FAKE_NVML", tells);
}

} // namespace

class TestStatusStrip : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup()
    {
        for (const char* name : {"RIDGE_LIBCUDA", "RIDGE_LIBNVML", "RIDGE_FAKE_NVML", "RIDGE_FAKE_CUDA"})
            qunsetenv(name);
    }

    void linesAreRead()
    {
        const auto full = Telemetry::parse(R"({"target":"gpu:0","watts":351.5,"power_limit_watts":700,"celsius":41,)"
                                           R"("sm_clock_hz":1.98e9,"lowered_by":["power limit"]})");
        QVERIFY(full);
        QCOMPARE(*full->watts, 351.5);
        QCOMPARE(*full->limitWatts, 700.0);
        QCOMPARE(*full->celsius, 41.0);
        QCOMPARE(*full->smClockHz, 1.98e9);
        QCOMPARE(full->loweredBy, QStringList{s("power limit")});
        const auto little = Telemetry::parse(R"({"target":"gpu:0","watts":"much"})");
        QVERIFY(little && !little->watts && !little->celsius && little->loweredBy.isEmpty());
        for (const char* line : {"", "{", "[]", "{}", "3", "watts", R"({"watts":3})"})
            QVERIFY2(!Telemetry::parse(line), line);
    }

    /// Wherever a controller is made below the root, and whenever; those elsewhere are not the window's.
    void controllersAreFound()
    {
        Workplace place;
        QObject root;
        RunWatch watch(&root);
        QSignalSpy changed(&watch, &RunWatch::changed);
        const auto watched = [&](RunController& run) {
            QCoreApplication::processEvents();
            changed.clear();
            Q_EMIT run.stateChanged();
            return changed.count();
        };
        RunController atRoot(*place.context, &root);
        QCOMPARE(watched(atRoot), 1);
        // Its parent was there long before, and is no widget.
        auto* queue = new QObject(&root);
        QCoreApplication::processEvents();
        RunController later(*place.context, queue);
        QCOMPARE(watched(later), 1);
        // A page that is made before it joins.
        QObject page, inside(&page);
        RunController joined(*place.context, &inside);
        QCOMPARE(watched(joined), 0);
        page.setParent(&root);
        QCOMPARE(watched(joined), 1);
        QCOMPARE(watched(atRoot), 1); // once each
        RunController inTheSameTurn(*place.context, queue);
        watch.look();
        changed.clear();
        Q_EMIT inTheSameTurn.stateChanged();
        QCOMPARE(changed.count(), 1);
        page.setParent(nullptr);
    }

    void gpuTellsAndSimulatorDoesNot()
    {
        useGpu("fake_nvml.so", "reasons=4");
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        auto* strip = window.findChild<StatusStrip*>();
        QToolButton* power = strip->powerButton();
        place.context->setTarget(s("sim:h100-sxm"));
        QVERIFY(power->isHidden() && !strip->telemetry().running());
        place.context->setTarget(s("gpu:0"));
        QTRY_VERIFY_WITH_TIMEOUT(!power->isHidden(), 20000);
        QCOMPARE(power->text(), s("350 W · 40 °C · clock lowered"));
        QCOMPARE(power->accessibleName(), s("Power and temperature: 350 W, 40 °C, clock lowered"));
        QVERIFY(power->isVisible() && power->width() >= power->sizeHint().width());
        Q_EMIT power->menu()->aboutToShow();
        QStringList lines;
        for (const QAction* action : power->menu()->actions())
            lines << action->text();
        QVERIFY2(lines.contains(s("Power limit: 700 W")) && lines.contains(s("SM clock: 1.98 GHz")) &&
                     lines.contains(s("Clock lowered by: power limit")),
                 qPrintable(lines.join(s("; "))));
        // A reading that does not change is not told again.
        QSignalSpy changed(&strip->telemetry(), &Telemetry::changed);
        QTest::qWait(1500);
        QCOMPARE(changed.size(), 0);
        // Nobody looks, nothing runs.
        window.hide();
        QVERIFY(!strip->telemetry().running());
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(power->isVisible(), 20000);
        place.context->setTarget(s("sim:h100-sxm"));
        QVERIFY(power->isHidden() && !strip->telemetry().running() && !strip->telemetry().reading());
    }

    void gpuWithoutNvmlShowsNothing()
    {
        useGpu("nowhere.so");
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        auto* strip = window.findChild<StatusStrip*>();
        place.context->setTarget(s("gpu:0"));
        QVERIFY(place.context->targetInfo(s("gpu:0")).available);
        QVERIFY(strip->telemetry().running());
        QTRY_VERIFY_WITH_TIMEOUT(strip->telemetry().ended(), 20000);
        QVERIFY(strip->powerButton()->isHidden() && strip->notice().isEmpty());
    }

    void theBadgeExplainsTheLabelsAndLeadsToARun()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        place.context->setTarget(s("sim:h100-sxm"));
        SegmentButton* badge = window.status()->badgeButton();
        QVERIFY(badge->isVisible() && badge->accessibleName().contains(s("SIMULATED")));
        QVERIFY(badge->focusPolicy() & Qt::TabFocus);
        QMenu* menu = badge->menu();
        Q_EMIT menu->aboutToShow();
        const QStringList lines = entries(menu);
        QVERIFY2(lines.size() == 6 && lines[0].startsWith(s("SIM · Simulated")), qPrintable(lines.join(u'\n')));
        for (const char* word : {"Measured:", "Modelled:", "Recorded:"})
            QCOMPARE(lines.filter(s(word)).size(), 1);
        QVERIFY(!entry(menu, "Show the newest run")->isEnabled()); // there is none yet
        const std::string id = place.store(Workplace::run(2));
        place.context->setTarget(s("model"));
        Q_EMIT menu->aboutToShow();
        QVERIFY(entries(menu)[0].startsWith(s("MODEL")));
        QVERIFY(!entry(menu, "Show the newest run")->isEnabled()); // none that is modelled
        place.context->setTarget(s("sim:h100-sxm"));
        // By the keyboard alone: the menu opens, and the way to the run is what the key chooses.
        bool chosen = false;
        QTimer watch;
        connect(&watch, &QTimer::timeout, menu, [&] {
            if (!menu->isVisible() || chosen)
                return;
            chosen = true;
            QTest::keyClick(menu, Qt::Key_End);
            QTest::keyClick(menu, Qt::Key_Return);
        });
        watch.start(20);
        QTest::keyClick(badge, Qt::Key_Space);
        QTRY_COMPARE(window.currentPage(), s("runs/") + QString::fromStdString(id));
    }

    void progressListsWhatRunsAndWaits()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lab/coalescing")).ok());
        auto* lab = window.findChild<LabPage*>();
        QVERIFY(lab && lab->request().ok());
        SegmentButton* run = window.status()->runButton();
        QVERIFY(run->isHidden());
        RunQueue* queue = lab->queue();
        for (const char* title : {"first", "second", "third"})
            queue->add({*lab->request(), s(title), {}});
        QVERIFY(run->isVisible() && run->accessibleName().startsWith(s("Runs: ")));
        Q_EMIT run->menu()->aboutToShow();
        const QString all = entries(run->menu()).join(u'\n');
        for (const char* begin : {"Go to coalescing on", "Stop coalescing on", "Take out second", "Take out third"})
            QVERIFY2(entry(run->menu(), begin), qPrintable(all));
        // The queue may have moved on while the menu was open: the job is known by its name.
        QAction* third = entry(run->menu(), "Take out third");
        QAction* second = entry(run->menu(), "Take out second");
        second->trigger();
        third->trigger();
        QVERIFY(queue->waiting().empty());
        QSignalSpy done(queue, &RunQueue::finished);
        entry(run->menu(), "Stop coalescing on")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!done.empty(), 20000);
        QTRY_VERIFY(run->isHidden());
        Q_EMIT run->menu()->aboutToShow();
        entry(run->menu(), "Show Runs")->trigger();
        QTRY_COMPARE(window.currentPage(), s("runs"));
    }

    void theEmptyLabRunsByItsOwnButton()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lab/coalescing")).ok());
        auto* lab = window.findChild<LabPage*>();
        const auto button = [lab]() -> QPushButton* {
            for (const EmptyState* empty : lab->findChildren<EmptyState*>())
                for (QPushButton* each : empty->findChildren<QPushButton*>())
                    if (each->isVisible() && each->text() == s("Run"))
                        return each;
            return nullptr;
        };
        QTRY_VERIFY(button());
        QPushButton* run = button();
        QVERIFY(window.status()->runButton()->isHidden());
        run->click();
        QTRY_VERIFY(window.status()->runButton()->isVisible());
        QSignalSpy done(lab->queue(), &RunQueue::finished);
        place.actions->find(s("run.stop"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!done.empty(), 20000);
    }

    void everyGpuStandsOnTheCard()
    {
        useGpu("fake_nvml.so");
        qputenv("RIDGE_FAKE_CUDA", "devices=2");
        Workplace place;
        QVERIFY(place.loadCatalogue());
        HardwareCard card(*place.context);
        QCOMPARE(card.headline(), s("2 GPUs"));
        QStringList said;
        for (const QLabel* label : card.findChildren<QLabel*>())
            said << label->text();
        for (const char* part : {"gpu:0 · ", "gpu:1 · "})
            QCOMPARE(said.filter(s(part)).size(), 1);
        QCOMPARE(said.count(s("GPU memory")), 2);
    }

    void theNetworkSegmentSaysWhatIsSent()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        auto* network = window.status()->findChild<LiveIndicator*>();
        QVERIFY(network && network->isVisible() && network->width() >= network->sizeHint().width());
        QCOMPARE(network->text(), s("Offline"));
        QCOMPARE(network->accessibleName(), s("Network: Offline"));
        QVERIFY(network->toolTip().startsWith(s("Nothing is sent")));
        Q_EMIT network->menu()->aboutToShow();
        QVERIFY(entry(network->menu(), "Nothing is sent"));
        place.context->setTarget(s("lab:gpu:0"));
        QCOMPARE(network->text(), s("ssh: lab"));
        Q_EMIT network->menu()->aboutToShow();
        QVERIFY(!entry(network->menu(), "Nothing is sent"));
        QVERIFY(entry(network->menu(), "Runs go to lab by ssh"));
        place.context->setTarget(s("sim:h100-sxm"));
        QCOMPARE(network->text(), s("Offline"));
        entry(network->menu(), "What is kept")->trigger();
        QCOMPARE(window.currentPage(), s("data"));
    }

    void aCalibrationStandsAmongWhatRuns()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        CalibrationRun& calibration = place.context->calibration();
        SegmentButton* run = window.status()->runButton();
        QVERIFY(run->isHidden());
        calibration.start(s("sim:h100-sxm"));
        QVERIFY(calibration.running());
        QVERIFY(run->isVisible());
        QVERIFY2(run->accessibleName().contains(s("Measuring H100 SXM")), qPrintable(run->accessibleName()));
        Q_EMIT run->menu()->aboutToShow();
        QAction* there = entry(run->menu(), "Go to the calibration of");
        QAction* stop = entry(run->menu(), "Stop the calibration of");
        QVERIFY2(there && stop, qPrintable(entries(run->menu()).join(u'\n')));
        QVERIFY2(there->text().endsWith(s(" %")), qPrintable(there->text()));
        QVERIFY(window.open(s("runs")).ok());
        there->trigger();
        QTRY_COMPARE(window.currentPage(), s("home"));
        stop->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!calibration.running(), 30000);
        QTRY_VERIFY(run->isHidden());
    }
};

QTEST_MAIN(TestStatusStrip)
#include "tst_status_strip.moc"
