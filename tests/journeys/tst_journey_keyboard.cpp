// SPDX-License-Identifier: GPL-3.0-or-later
// The journeys of a new learner with the keyboard alone: every key goes to whatever has the focus, no widget is asked
// to take it. Commands (Enter, Space, a shortcut that acts) are counted against the budget of clicks; typing and moving
// are free.
#include "app/window/settings.h"
#include "keyboard_person.h"

#include <QAbstractButton>
#include <QSettings>

using namespace ridge;
using namespace ridge::app;

class TestJourneyKeyboard : public QObject {
    Q_OBJECT
    QTemporaryDir m_home, m_settings;

private Q_SLOTS:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("ridge-test"));
        QCoreApplication::setApplicationName(QStringLiteral("keyboard"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
    }

    /// J1: from the first screen to the first result, and to the artifact that keeps it, in three commands.
    void firstFiveMinutes()
    {
        Person person(m_home.path());
        QVERIFY(person.start());
        QCOMPARE(person.window->currentPage(), QStringLiteral("home"));
        person.command(Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(person.lesson() && person.lesson()->ready(), kRunMs);
        QCOMPARE(person.window->currentPage(), QStringLiteral("lesson/1.1"));
        person.move(Qt::Key_P);
        QTRY_VERIFY(person.block("guess-small")->isAncestorOf(person.focus()));
        QVERIFY(person.tabTo(QStringLiteral("point"), person.block("guess-small")));
        person.move(Qt::Key_A, Qt::ControlModifier);
        person.type(QStringLiteral("5"));
        person.command(Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(person.runs("guess-small") > 0, kRunMs);
        auto* keep = person.block("guess-small")->findChild<QWidget*>(QStringLiteral("keep"));
        QTRY_VERIFY_WITH_TIMEOUT(keep && keep->isVisible(), kRunMs);
        QVERIFY(person.tabTo(QStringLiteral("keep"), person.block("guess-small")));
        person.command(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(person.context->store()->artifacts()->size(), std::size_t{1}, kRunMs);
        QVERIFY2(person.commands <= 3, qPrintable(QString::number(person.commands)));
        person.window->close();
        QTRY_VERIFY(!person.window->isVisible());
    }

    /// J2: a lesson to a shipped artifact. The budget is seven clicks and one for each of the two extra
    /// experiments that this lesson has.
    void fromTheLessonToAnArtifact()
    {
        Person person(m_home.path());
        QVERIFY(person.start());
        QCOMPARE(person.window->currentPage(), QStringLiteral("lesson/1.1")); // as it was left
        QVERIFY(person.window->open(QStringLiteral("lesson/2.4")).ok());
        QTRY_VERIFY_WITH_TIMEOUT(person.lesson() && person.lesson()->ready(), kRunMs);
        person.move(Qt::Key_P);
        QTRY_VERIFY(person.block("guess-sectors")->isAncestorOf(person.focus()));
        QVERIFY(person.tabTo(QStringLiteral("point"), person.block("guess-sectors")));
        person.move(Qt::Key_A, Qt::ControlModifier);
        person.type(QStringLiteral("5"));
        person.command(Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(person.runs("guess-sectors") > 0, kRunMs);
        auto* lines = person.block("guess-sectors")->findChild<QWidget*>(QStringLiteral("reason:lines"));
        QTRY_VERIFY_WITH_TIMEOUT(lines && lines->isVisible(), kRunMs); // stored before it is shown
        // One stop for the group of reasons, arrows inside it.
        QVERIFY(person.tabTo(QStringLiteral("reason:lines")));
        person.command(Qt::Key_Down);
        QCOMPARE(person.focus()->objectName(), QStringLiteral("reason:useful-bytes"));
        if (auto* reason = qobject_cast<QAbstractButton*>(person.focus()); reason && !reason->isChecked())
            person.command(Qt::Key_Space);
        const auto guess = person.context->store()->predictions("2.4");
        QVERIFY(guess && guess->size() == 1);
        QTRY_VERIFY(!person.context->store()->reasons(guess->front().id)->empty());

        const auto runBlock = [&](const char* id) {
            QVERIFY2(person.tabTo(QStringLiteral("runButton"), person.block(id)), id);
            person.command(Qt::Key_F5);
            QTRY_VERIFY2_WITH_TIMEOUT(person.runs(id) > 0, id, kRunMs);
            QTRY_COMPARE_WITH_TIMEOUT(person.lesson()->runningJobs(), 0, kRunMs);
        };
        runBlock("sweep-global");
        // What was run is pinned and compared without leaving the keys.
        person.command(Qt::Key_D, Qt::ControlModifier);
        QTRY_COMPARE(person.context->pins().pins().size(), std::size_t{1});

        // The curve needs no mouse either: one point typed, then committed.
        QVERIFY(person.tabTo(QStringLiteral("drawnValue"), person.block("draw-teeth")));
        person.move(Qt::Key_A, Qt::ControlModifier);
        person.type(QStringLiteral("2"));
        QVERIFY(person.tabTo(QStringLiteral("commitCurve"), person.block("draw-teeth")));
        person.command(Qt::Key_Space);
        auto* sweep = person.block("sweep-shared")->findChild<QAbstractButton*>(QStringLiteral("runButton"));
        QTRY_VERIFY(sweep && sweep->isEnabled()); // the curve is stored
        runBlock("sweep-shared");

        QVERIFY(person.tabTo(QStringLiteral("reflection:0")));
        person.type(QStringLiteral("I counted wanted bytes."));
        QVERIFY(person.tabTo(QStringLiteral("reflection:1")));
        person.type(QStringLiteral("Our transpose."));
        person.command(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(person.context->store()->artifacts("2.4")->size(), std::size_t{1});
        QVERIFY2(person.commands <= 9, qPrintable(QString::number(person.commands)));
        person.window->close();
        QTRY_VERIFY(!person.window->isVisible());
    }

    /// Every pane can be reached and left again: nowhere is a trap.
    void nowhereIsATrap()
    {
        Person person(m_home.path());
        QVERIFY(person.start());
        const QStringList pages = MainWindow::destinations()
                                  << QStringLiteral("module/2") << QStringLiteral("catalogue")
                                  << QStringLiteral("parity") << QStringLiteral("catalogue/h100-sxm,l40s");
        for (const QString& page : pages) {
            QVERIFY(person.window->open(page).ok());
            QTRY_VERIFY(person.window->page()->ready());
            QSet<QWidget*> seen;
            // F6 goes once around all panes.
            for (int i = 0; i < 12; ++i) {
                person.move(Qt::Key_F6);
                seen << person.focus();
            }
            QVERIFY2(seen.size() >= 2, qPrintable(page));
            // Tab leaves whatever it is in.
            QWidget* before = person.focus();
            int stuck = 0;
            for (int i = 0; i < 120; ++i) {
                person.move(Qt::Key_Tab);
                stuck = person.focus() == before ? stuck + 1 : 0;
                QVERIFY2(stuck < 3,
                         qPrintable(page + QStringLiteral(": ") + QLatin1String(before->metaObject()->className()) +
                                    QStringLiteral(" ") + before->accessibleName()));
                before = person.focus();
            }
        }
    }
};

QTEST_MAIN(TestJourneyKeyboard)
#include "tst_journey_keyboard.moc"
