// SPDX-License-Identifier: GPL-3.0-or-later
// Journey J2 for a lesson as it is written, through the real window and the real worker: open from the module page,
// predict, run, give the reason, answer, ship; quit, reopen, find it all. $RIDGE_CASE names its file.
#include "lesson_driver.h"

#include "app/window/learn/module_page.h"
#include "app/window/learn/path_step.h"

#include <QSettings>

using namespace ridge;
using namespace ridge::app;

class TestJourneyLessons : public QObject {
    Q_OBJECT
    QTemporaryDir m_settings;

    static ModulePage* modulePage(MainWindow& window)
    {
        auto* learn = qobject_cast<LearnPage*>(window.page());
        return learn ? learn->module() : nullptr;
    }
    static const PathStepRow* stepOf(ModulePage& page, const QString& id)
    {
        for (const PathStepRow* row : page.rows())
            if (row->step().id == id)
                return row;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("ridge-test"));
        QCoreApplication::setApplicationName(QStringLiteral("journeys"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
    }

    void fromTheModuleToAnArtifact()
    {
        const std::string file = qEnvironmentVariable("RIDGE_CASE").toStdString();
        const auto source = readFile(*dataFolder() / "curriculum" / file);
        const auto lesson = lessons::parseLesson(*source, file).lesson;
        QVERIFY2(lesson, file.c_str());
        const QString id = QString::fromStdString(lesson->id);
        const QString target = QString::fromStdString(lesson->target.empty() ? "sim:h100-sxm" : lesson->target);
        const int runMs = 180000; // of its slowest block, on one core of a slow machine
        QTemporaryDir home;
        const QString module = QStringLiteral("module/") + id.section(QLatin1Char('.'), 0, 0);
        {
            LessonDriver driver(home.path(), id, target, runMs);
            QVERIFY2(driver.open().isEmpty(), qPrintable(id));
            // Back on the module's page the lesson is read; its row leads there again.
            QVERIFY(driver.window->open(module));
            const PathStepRow* row = stepOf(*modulePage(*driver.window), id);
            QVERIFY(row);
            QCOMPARE(stepText(row->step()), QStringLiteral("Read"));
            QTest::mouseClick(const_cast<PathStepRow*>(row), Qt::LeftButton);
            QCOMPARE(driver.window->currentPage(), QStringLiteral("lesson/") + id);

            const QString wrong = driver.goThrough();
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
            const auto artifact = driver.context->store()->artifacts(driver.text.id)->front();
            QVERIFY(!artifact.claim.empty() && !artifact.runIds.empty() && !artifact.reflection.empty());
            QVERIFY2(artifact.claim.find("{{") == std::string::npos, artifact.claim.c_str());
            // What was answered and what was run: every check has it but those on numbers that were guessed as a
            // misconception, on curves left flat, and on what comes from outside of the page.
            static const std::set<std::string> kNotHere = {"estimated", "drawn", "graded", "imported", "predicted"};
            for (const lessons::CheckOutcome& check :
                 lessons::evaluateChecks(driver.text, driver.context->evidence(driver.text.id))) {
                const auto spec = std::find_if(driver.text.checks.begin(), driver.text.checks.end(),
                                               [&](const lessons::CheckSpec& one) { return one.id == check.id; });
                if (!kNotHere.contains(spec->kind))
                    QVERIFY2(check.state == lessons::CheckState::Passed,
                             qPrintable(QString::fromStdString(check.title + ": " + check.detail)));
            }
            QVERIFY(driver.window->open(module));
            QVERIFY2(stepText(stepOf(*modulePage(*driver.window), id)->step()).endsWith(QStringLiteral("shipped")),
                     qPrintable(id));
            QVERIFY2(driver.shortestWay() <= 7, qPrintable(QString::number(driver.shortestWay())));
            // Sweeps that a check wants again because two of them lie apart are no part of the budget.
            const int own = driver.clicks - driver.answers;
            QVERIFY2(own <= lessons::kMostClicks + lessons::kMoreSweeps, qPrintable(QString::number(own)));
            qInfo("%s: %d clicks, %d of them answer, %d by the shortest way", qPrintable(id), driver.clicks,
                  driver.answers, driver.shortestWay());
            driver.window->close();
            QTRY_VERIFY(!driver.window->isVisible());
        }
        LessonDriver again(home.path(), id, target, runMs);
        again.window->restoreSession();
        QTRY_COMPARE(again.window->currentPage(), module);
        QVERIFY(stepText(stepOf(*modulePage(*again.window), id)->step()).contains(QStringLiteral("shipped")));
        QVERIFY(again.context->store()->verify());
    }
};

QTEST_MAIN(TestJourneyLessons)
#include "tst_journey_lessons.moc"
