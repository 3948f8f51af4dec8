// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory the program has taken when every lesson was opened and every scene drawn once, with runs behind them.
// RIDGE_MEMORY_HOME=<folder> takes the record of that folder in place of an empty one.
#include "lesson_driver.h"

#include "app/drawing/scenes/scene_view.h"
#include "app/runs/lab/lab_page.h"
#include "app/runs/lab/lab_results.h"

#include <QFile>
#include <QSettings>
#include <algorithm>
#include <set>

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr int kRunMs = 120000;

double peakMegabytes()
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith("VmHWM:"))
            return line.mid(6).trimmed().split(' ').first().toDouble() * 1024 / 1e6;
    return 0;
}

/// Draws every scene that the frames of a view hold; gives which they are.
std::set<QString> drawAll(SceneView& view)
{
    std::set<QString> drawn;
    const QString before = view.sceneId();
    for (const QString& id : sceneIds()) {
        const auto scene = makeScene(id);
        const bool held = std::any_of(view.frames().begin(), view.frames().end(),
                                      [&](const SceneFrame& frame) { return scene->supports(frame); });
        if (!held)
            continue;
        view.chooseScene(id);
        if (!view.grab().isNull())
            drawn.insert(id);
    }
    view.chooseScene(before);
    return drawn;
}

} // namespace

class TestJourneyMemory : public QObject {
    Q_OBJECT
    QTemporaryDir m_settings, m_temporary;

private Q_SLOTS:
    void everyLessonAndSceneOnce()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
        const QString home = qEnvironmentVariable("RIDGE_MEMORY_HOME", m_temporary.path());
        LessonDriver driver(home, QStringLiteral("1.1"), QStringLiteral("sim:h100-sxm"), kRunMs);
        QVERIFY2(driver.open().isEmpty(), "1.1");
        const double empty = peakMegabytes();

        std::set<QString> drawn;
        for (const char* experiment : {"coalescing", "bank_conflicts"}) {
            QVERIFY(driver.window->open(QStringLiteral("lab/") + QLatin1String(experiment)));
            auto* lab = qobject_cast<LabPage*>(driver.window->page());
            QTRY_VERIFY(lab->ready());
            QSignalSpy done(lab->controller(), &RunController::done);
            lab->perform(Page::Command::Run);
            QTRY_VERIFY_WITH_TIMEOUT(done.size() > 0 && !lab->results()->rows().empty(), kRunMs);
            QTRY_VERIFY_WITH_TIMEOUT(lab->findChild<SceneView*>() && !lab->findChild<SceneView*>()->frames().empty(),
                                     kRunMs);
            drawn.merge(drawAll(*lab->findChild<SceneView*>()));
        }
        for (const char* id :
             {"divergence", "lanes_sectors", "memory_hierarchy", "occupancy", "shared_banks", "sm_timeline"})
            QVERIFY2(drawn.contains(QLatin1String(id)), id);

        int lessons = 0, withRuns = 0;
        std::vector<lessons::Lesson> heads = driver.context->curriculum().heads;
        std::ranges::copy(driver.context->curriculum().capstones, std::back_inserter(heads));
        for (const lessons::Lesson& head : heads) {
            QVERIFY(driver.window->open(QStringLiteral("lesson/") + QString::fromStdString(head.id)));
            QTRY_VERIFY_WITH_TIMEOUT(driver.page() && driver.page()->ready(), kRunMs);
            driver.page()->grab();
            for (SceneView* view : driver.page()->findChildren<SceneView*>()) {
                withRuns += view->frames().empty() ? 0 : 1;
                drawAll(*view);
            }
            ++lessons;
        }
        QVERIFY(lessons >= 10);
        const double peak = peakMegabytes();
        qInfo("%d lessons, %d of their scenes with stored runs, %d kinds drawn: at most %.0f MB, %.0f with lesson 1.1 "
              "alone",
              lessons, withRuns, int(drawn.size()), peak, empty);
        QVERIFY2(peak > empty && peak < 600, qPrintable(QString::number(peak)));
    }
};

QTEST_MAIN(TestJourneyMemory)
#include "tst_journey_memory.moc"
