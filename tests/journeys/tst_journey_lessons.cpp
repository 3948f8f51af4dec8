// SPDX-License-Identifier: GPL-3.0-or-later
// Journey J2 for lessons as they are written, through the real window and the real worker: open from the module page,
// predict, run, give the reason, answer, ship; quit, reopen, find it all. A lesson is a row of the table.
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

    void fromTheModuleToAnArtifact_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("runMs"); ///< of its slowest block, on one core of a slow machine
        for (const char* id : {"1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "2.4"})
            QTest::addRow("%s", id) << QString::fromLatin1(id) << QStringLiteral("sim:h100-sxm") << 180000;
    }

    void fromTheModuleToAnArtifact()
    {
        QFETCH(QString, id);
        QFETCH(QString, target);
        QFETCH(int, runMs);
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
            // What a challenge asks for, what was answered and what was run: every check but those on the numbers that
            // were guessed as a misconception has them.
            for (const lessons::CheckOutcome& check :
                 lessons::evaluateChecks(driver.text, driver.context->evidence(driver.text.id))) {
                const auto spec = std::find_if(driver.text.checks.begin(), driver.text.checks.end(),
                                               [&](const lessons::CheckSpec& one) { return one.id == check.id; });
                if (spec->kind != "estimated")
                    QVERIFY2(check.state == lessons::CheckState::Passed,
                             qPrintable(QString::fromStdString(check.title + ": " + check.detail)));
            }
            QVERIFY(driver.window->open(module));
            QVERIFY2(stepText(stepOf(*modulePage(*driver.window), id)->step()).endsWith(QStringLiteral("shipped")),
                     qPrintable(id));
            QVERIFY2(driver.shortestWay() <= 7, qPrintable(QString::number(driver.shortestWay())));
            qInfo("%s: %d clicks, %d by the shortest way", qPrintable(id), driver.clicks, driver.shortestWay());
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
