// SPDX-License-Identifier: GPL-3.0-or-later
// The page of those who teach, in the real window: where Class begins, the form, one class, and pictures of them.
#include "tests/app/class/teaching/drop.h"
#include "tests/app/window/shell_fixture.h"
#include "tests/support/heartbeat.h"

#include "app/class/assignments/assignment_text.h"
#include "app/class/live/live_panel.h"
#include "app/class/teaching/class_card.h"
#include "app/class/teaching/class_desk.h"
#include "app/class/teaching/class_form.h"
#include "app/class/teaching/class_landing.h"
#include "app/class/teaching/class_page.h"
#include "app/class/teaching/class_tables.h"
#include "app/class/teaching/class_view.h"
#include "app/class/teaching/lesson_picker.h"
#include "app/class/teaching/open_table.h"
#include "app/ui/outcome_bar.h"
#include "app/window/rail.h"
#include "base/json.h"
#include "classroom/class_folder.h"
#include "classroom/feedback.h"
#include "classroom/join.h"
#include "tests/golden/golden.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTreeView>

using namespace ridge;
using namespace ridge::app;
using ridge::test::drop;

namespace {

constexpr int kWaitMs = 60000;

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

class Visit {
public:
    Visit()
    {
        window = &place.makeWindow();
        window->resize(1440, 900);
        (void)QTest::qWaitForWindowExposed(window);
        QApplication::setActiveWindow(window);
    }
    bool open(const QString& where)
    {
        return window->open(where).ok() && QTest::qWaitFor([this] { return window->page()->ready(); }, kWaitMs);
    }
    ClassPage* page() const { return qobject_cast<ClassPage*>(window->page()); }
    template<class Widget = QPushButton>
    Widget* find(const char* name) const
    {
        return window->findChild<Widget*>(QLatin1String(name));
    }
    bool click(const char* name) const
    {
        auto* button = find<QAbstractButton>(name);
        if (!button || !button->isVisible() || !button->isEnabled())
            return false;
        QTest::mouseClick(button, Qt::LeftButton);
        return true;
    }
    /// A class around the sample's assignment, so that the sample's submissions belong to it.
    void adopt(const char* name, const std::string& unknown = {}) const
    {
        classroom::NewAssignment wanted;
        wanted.name = name;
        const auto samples = *dataFolder() / "assets/samples/class";
        wanted.roster = *readFile(samples / "roster.csv");
        if (!unknown.empty()) // somebody whose learner id the roster does not have
            wanted.roster.erase(wanted.roster.find(unknown), unknown.size());
        wanted.rosterPlace = "roster.csv";
        if (!classroom::adoptAssignment(homeFolder(), wanted, *readFile(samples / "assignment.ridgeclass"), "a"))
            qFatal("no class");
    }
    static QString samples() { return QString::fromStdString((*dataFolder() / "assets/samples/class").string()); }

    Workplace place;
    MainWindow* window;
};

} // namespace

class TestClassPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRailShowsClassOnceItIsUsed()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        auto* rail = window.findChild<Rail*>();
        QVERIFY(!rail->isShown(s("class")));
        QVERIFY(place.actions->find(s("class.new")) && place.actions->find(s("go.class")));
        place.actions->find(s("class.new"))->trigger();
        QCOMPARE(window.currentPage(), s("class/new"));
        QVERIFY(rail->isShown(s("class")));
        place.restart();
        QVERIFY(place.makeWindow().findChild<Rail*>()->isShown(s("class")));
    }

    void somebodyWithAnAssignmentFindsItInTheRail()
    {
        Workplace place;
        std::filesystem::create_directories(homeFolder() / "assignments");
        QVERIFY(!place.makeWindow().findChild<Rail*>()->isShown(s("class")));
        QVERIFY(writeFile(homeFolder() / "assignments" / "a.ridgeclass", "x").ok());
        place.restart();
        QVERIFY(place.makeWindow().findChild<Rail*>()->isShown(s("class")));
    }

    void whoTeachesNothingIsShownTheSample()
    {
        Visit visit;
        QVERIFY(visit.open(s("class")));
        QVERIFY(visit.find("class-sample")->isVisible());
        QVERIFY(visit.click("class-sample"));
        QCOMPARE(visit.window->currentPage(), s("class/sample"));
        QTRY_VERIFY_WITH_TIMEOUT(visit.window->page()->ready(), kWaitMs);
        QVERIFY(visit.page()->view()->hasHandIns());
        for (const char* name : {"class-collect", "class-regrade", "class-more"})
            QVERIFY2(!visit.find<QAbstractButton>(name)->isVisible(), name);
        QVERIFY(visit.find("class-grades")->isEnabled());
        QVERIFY(!drop(visit.page()->view(), {Visit::samples()}));
        QVERIFY(visit.open(s("class")));
        QVERIFY(visit.click("class-sample-hide"));
        QVERIFY(visit.open(s("class")));
        QVERIFY(!visit.find("class-sample")->isVisible());
    }

    void theFormSaysWhatIsMissing()
    {
        Visit visit;
        QVERIFY(visit.open(s("class/new")));
        auto* go = visit.find("class-export");
        QVERIFY(!go->isEnabled());
        visit.find<QLineEdit>("class-name")->setText(s("Spring 2027"));
        QVERIFY(!go->isEnabled());
        LessonPicker* lessons = visit.page()->form()->lessons();
        lessons->itemOf("2.4")->setCheckState(0, Qt::Checked);
        QVERIFY(go->isEnabled());
        QCOMPARE(visit.page()->form()->fileName(), s("spring-2027.ridgeclass"));
        visit.find<QLineEdit>("class-title")->setText(s("Week 1"));
        QCOMPARE(visit.page()->form()->fileName(), s("week-1.ridgeclass"));
        auto* passed = visit.find<QComboBox>("feedback-passed");
        const int after = 1;
        QVERIFY(!(passed->model()->flags(passed->model()->index(after, 0)) & Qt::ItemIsEnabled));
        visit.find<QAbstractButton>("class-has-deadline")->click();
        QVERIFY(passed->model()->flags(passed->model()->index(after, 0)) & Qt::ItemIsEnabled);
        passed->setCurrentIndex(after);
        const classroom::NewAssignment wanted = visit.page()->form()->wanted();
        QCOMPARE(wanted.lessons, std::vector<std::string>{"2.4"});
        QVERIFY(wanted.feedback.at("passed") == classroom::FeedbackWhen::Deadline);
        QVERIFY(!wanted.deadline.empty());
    }

    /// A task is asked for like a lesson, and an assignment may be of nothing else.
    void kernelsAreAskedForBesideLessons()
    {
        Visit visit;
        QVERIFY(visit.open(s("class/new")));
        visit.find<QLineEdit>("class-name")->setText(s("Kernels"));
        LessonPicker* lessons = visit.page()->form()->lessons();
        const auto tasks = shippedTasks();
        for (const KernelTask& task : *tasks)
            QVERIFY2(lessons->itemOf("kernel-" + task.id), task.id.c_str());
        auto* matmul = lessons->itemOf("kernel-matmul");
        lessons->setFocus();
        lessons->setCurrentItem(matmul);
        QTest::keyClick(lessons, Qt::Key_Space);
        QCOMPARE(matmul->checkState(0), Qt::Checked);
        QVERIFY(visit.find("class-export")->isEnabled());
        lessons->itemOf("2.4")->setCheckState(0, Qt::Checked);
        const std::vector<std::string> both{"2.4", "kernel-matmul"};
        QCOMPARE(visit.page()->form()->wanted().lessons, both);
        QCOMPARE(lessons->kernels(), 1);
        const QString file = visit.place.home() + s("/kernels.ridgeclass");
        visit.page()->form()->exportTo(file);
        QTRY_VERIFY_WITH_TIMEOUT(visit.window->currentPage().startsWith(s("class/kernels/")), kWaitMs);
        const auto made = classroom::readAssignment(*readFile(file.toStdString()), "kernels.ridgeclass");
        QVERIFY(made.ok());
        // What learners are told to compare the key of their file with.
        const auto* key = visit.window->findChild<QAction*>(s("class-key"));
        QTRY_VERIFY_WITH_TIMEOUT(key && key->isVisible(), kWaitMs);
        QCOMPARE(key->text(), s("Key of this assignment: ") + keyFingerprint(made->signKey));
        QCOMPARE(made->lessons.size(), std::size_t{2});
        QCOMPARE(made->lessons[1].id, both[1]);
        QCOMPARE(made->lessons[1].title, shippedTask("matmul")->title);
    }

    void aRosterIsReadWhenItIsDropped()
    {
        Visit visit;
        QVERIFY(visit.open(s("class/new")));
        const QString file = visit.place.home() + s("/people.csv");
        QVERIFY(writeFile(file.toStdString(), "Name,Email\nAda,a@x.org\nBob,a@x.org\n").ok());
        auto* field = visit.find("class-roster")->parentWidget();
        QVERIFY(!drop(field, {visit.place.home()}));
        QVERIFY(drop(field, {file}));
        QTRY_COMPARE_WITH_TIMEOUT(visit.page()->form()->wanted().rosterPlace, std::string("people.csv"), kWaitMs);
        QVERIFY(drop(field, {file}));
        QVERIFY(writeFile(file.toStdString(), "x,y\n1,2\n").ok());
        QVERIFY(drop(field, {file}));
        QTRY_VERIFY_WITH_TIMEOUT(!visit.page()->desk().busy(), kWaitMs);
        QCOMPARE(visit.page()->form()->wanted().rosterPlace, std::string("people.csv")); // the good one stays
    }

    void aFolderDroppedOnAClassIsCollected()
    {
        Visit visit;
        visit.adopt("Autumn 2026");
        QVERIFY(visit.open(s("class")));
        auto* card = visit.find<ClassCard>("class-autumn-2026");
        QVERIFY(card);
        QVERIFY(!visit.find("class-sample")->isVisible()); // there is a class
        QVERIFY(drop(card, {Visit::samples()}));
        QCOMPARE(visit.window->currentPage(), s("class/autumn-2026"));
        QTRY_VERIFY_WITH_TIMEOUT(visit.page()->view()->hasHandIns(), kWaitMs);
        const ClassState& state = *visit.page()->view()->state();
        QCOMPARE(state.report.learners.size(), std::size_t{12});
        QVERIFY(visit.click("tally-missing"));
        auto* table = visit.window->findChild<HandInTable*>();
        QVERIFY(table->isVisible());
        QCOMPARE(table->shown(), state.count(HandIn::State::Missing));
    }

    void whatIsOddIsToldAndStopsNothing()
    {
        Visit visit;
        visit.adopt("Autumn 2026");
        QVERIFY(visit.open(s("class/autumn-2026")));
        const QString odd = visit.place.home() + s("/in/odd.ridgesubmission");
        QDir().mkpath(visit.place.home() + s("/in"));
        QVERIFY(writeFile(odd.toStdString(), "no archive").ok());
        const QStringList files = QDir(Visit::samples()).entryList({s("*.ridgesubmission")});
        QVERIFY(drop(visit.page()->view(), {odd, Visit::samples() + QLatin1Char('/') + files.front()}));
        QTRY_VERIFY_WITH_TIMEOUT(visit.page()->view()->hasHandIns(), kWaitMs);
        const ClassState& state = *visit.page()->view()->state();
        QCOMPARE(state.report.learners.size(), std::size_t{1});
        QCOMPARE(state.count(HandIn::State::Odd), 1);
        QVERIFY(!state.handIns.back().note.empty());
        QVERIFY(!drop(visit.page()->view(), {visit.place.home() + s("/notes.pdf")}));
    }

    /// Refused files are in the class, not in the program: another one lists them too, until they are dismissed.
    void oddFilesStayUntilTheyAreDismissed()
    {
        Visit visit;
        visit.adopt("Autumn 2026");
        const QString odd = visit.place.home() + s("/odd.ridgesubmission");
        QVERIFY(writeFile(odd.toStdString(), "no archive").ok());
        {
            auto open = classroom::openClass(*classroom::findClass(homeFolder(), "autumn-2026"));
            QVERIFY(open.ok());
            QVERIFY(classroom::collect(*open, visit.place.context->curriculum(), odd.toStdString()).ok());
        }
        QVERIFY(visit.open(s("class/autumn-2026")));
        const auto count = [&] { return visit.page()->view()->state()->count(HandIn::State::Odd); };
        QTRY_COMPARE(count(), 1);
        auto* table = visit.window->findChild<HandInTable*>();
        QVERIFY(table);
        visit.page()->view()->tabs()->setCurrentWidget(table);
        QVERIFY(table->dismissButton()->isVisible() && !table->dismissButton()->isEnabled());
        table->showOnly(HandIn::State::Odd);
        QCOMPARE(table->shown(), 1);
        table->view()->setFocus();
        QTest::keyClick(table->view(), Qt::Key_A, Qt::ControlModifier);
        QTRY_VERIFY(table->dismissButton()->isEnabled());
        QVERIFY(visit.click("class-dismiss"));
        QTRY_COMPARE(count(), 0);
        QVERIFY(!table->dismissButton()->isVisible());
    }

    /// Somebody handed in under an id that the roster does not have, beside whom nothing came of: one person.
    void aHandInUnderAnIdIsJoinedToItsLearner()
    {
        Visit visit;
        visit.adopt("Autumn 2026", "L-IS4JXDTUTJ");
        QVERIFY(visit.open(s("class/autumn-2026")));
        visit.page()->view()->collect({Visit::samples()});
        QTRY_VERIFY_WITH_TIMEOUT(visit.page()->view()->hasHandIns(), kWaitMs);
        QTRY_COMPARE_WITH_TIMEOUT(visit.page()->view()->state()->count(HandIn::State::Missing), 2, kWaitMs);
        auto* table = visit.window->findChild<HandInTable*>();
        visit.page()->view()->tabs()->setCurrentWidget(table);
        QVERIFY(table->joinButton()->isVisible() && !table->joinButton()->isEnabled());
        const QAbstractItemModel& rows = *table->view()->model();
        const auto rowOf = [&](const QString& name) {
            for (int row = 0; row < rows.rowCount(); ++row)
                if (rows.index(row, 0).data().toString() == name)
                    return row;
            return -1;
        };
        const int named = rowOf(s("Amara Abara")), stranger = rowOf(s("L-IS4JXDTUTJ"));
        QVERIFY(named >= 0 && stranger >= 0);
        table->view()->setCurrentIndex(rows.index(named, 0));
        QVERIFY(!table->joinButton()->isEnabled()); // is somebody already
        table->view()->setCurrentIndex(rows.index(stranger, 0));
        QTRY_VERIFY(table->joinButton()->isEnabled());
        QStringList offered;
        for (const QAction* each : table->joinButton()->menu()->actions())
            offered << each->text();
        QCOMPARE(offered, QStringList({s("Björn Hoffmann · student00002@example.org"),
                                       s("Mateo Jovanović · student00013@example.org")}));
        table->joinButton()->menu()->actions().front()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(visit.page()->view()->state()->count(HandIn::State::Missing), 1, kWaitMs);
        QTRY_VERIFY(rowOf(s("L-IS4JXDTUTJ")) < 0);
        QVERIFY(rowOf(s("Björn Hoffmann")) >= 0);
        QVERIFY(!table->joinButton()->isVisible()); // nobody is left who has to be told apart
        // In what goes out, too.
        auto open = classroom::openClass(*classroom::findClass(homeFolder(), "autumn-2026"));
        QVERIFY(open.ok());
        const auto grades =
            classroom::gradesFile(*open, visit.place.context->curriculum(), {}, "moodle", "2026-11-28T00:00:00Z");
        QVERIFY(grades.ok());
        QCOMPARE(grades->find("L-IS4JXDTUTJ"), std::string::npos);
        const auto line = grades->find("student00002@example.org");
        QVERIFY(line != std::string::npos &&
                grades->substr(line, grades->find('\n', line) - line).find(",,") == std::string::npos);
        // Who has handed in under an id of their own is nobody else; what was joined by mistake can be joined anew.
        auto refused = classroom::joinLearner(*open, "L-IS4JXDTUTJ", "student00001@example.org");
        QCOMPARE(refused.error().code, std::string("has-handed-in"));
        QCOMPARE(classroom::joinLearner(*open, "L-AAAAAAAAAA", "Mateo Jovanović").error().code,
                 std::string("unknown-learner"));
        QVERIFY(classroom::joinLearner(*open, "L-IS4JXDTUTJ", "Mateo Jovanović").ok());
        const auto members = open->school->members();
        QVERIFY(members.ok());
        const auto joinedTo = [&](const std::string& learner) {
            QStringList emails;
            for (const record::MemberRow& member : *members)
                if (member.learner == learner)
                    emails << QString::fromStdString(member.email);
            return emails;
        };
        QCOMPARE(joinedTo("L-IS4JXDTUTJ"), QStringList(s("student00013@example.org")));
    }

    /// A tick would say that all is well; what could not be confirmed or run is for the teacher to look at.
    void aRecheckThatFoundSomethingIsNotTickedOff()
    {
        classroom::RegradeReport report;
        report.learners = 3;
        report.runs = 10;
        report.same = 6;
        report.rebuilt = 4; // by other compilers: their new values count
        QVERIFY(!isDoubtful(report));
        QVERIFY(!regradeText(report).contains(s("could not be confirmed")));
        report.rebuilt = 3;
        QVERIFY(isDoubtful(report));
        QVERIFY(regradeText(report).contains(s("1 could not be confirmed")));
        report.rebuilt = 4;
        report.trouble = {"coalescing on gpu:0: there is no GPU"};
        QVERIFY(isDoubtful(report));

        Visit teacher;
        QVERIFY(teacher.open(s("class/sample")));
        const auto* bar = teacher.page()->findChild<OutcomeBar*>();
        ClassView* view = teacher.page()->findChild<ClassView*>();
        view->tell(s("found something"), {}, {}, true);
        QVERIFY(bar->tone() == OutcomeBar::Tone::Doubtful);
        view->tell(s("done"));
        QVERIFY(bar->tone() == OutcomeBar::Tone::Done);
    }

    /// Points that wait for a decision are shown with their reason, and a click decides.
    void whatCouldNotBeRunAgainIsDecidedHere()
    {
        classroom::OpenLine line{{"L-AAAAAAAAAA", "Ada"}, "kernel-saxpy", {}};
        line.work.points = 100;
        line.work.items = {
            {"the kernel saxpy.cu on sim:t4", "it uses what the simulator does not know (unsupported-ptx)"}};
        classroom::RegradeReport report;
        report.open = {line};
        QVERIFY(isDoubtful(report) && regradeText(report).contains(s("counts nothing until you decide")));
        report.open[0].work.decision = classroom::OpenWork::Decision::Left;
        QVERIFY(!isDoubtful(report));

        Visit teacher;
        OpenTable table(teacher.place.theme);
        table.setLines({line}, true);
        table.show();
        QCOMPARE(table.view()->model()->rowCount(), 1);
        const auto cell = [&](int column) { return table.view()->model()->index(0, column).data().toString(); };
        QCOMPARE(cell(0), s("Ada"));
        QCOMPARE(cell(2), s("100"));
        QCOMPARE(cell(3), s("waits for you"));
        QVERIFY(cell(4).contains(s("unsupported-ptx")));
        auto* accept = table.findChild<QPushButton*>(s("class-accept-open"));
        auto* leave = table.findChild<QPushButton*>(s("class-leave-open"));
        QVERIFY(!accept->isEnabled() && !leave->isEnabled());
        std::vector<OpenChoice> asked;
        connect(&table, &OpenTable::decided, this, [&](const std::vector<OpenChoice>& choices) { asked = choices; });
        table.view()->selectAll();
        QTest::mouseClick(accept, Qt::LeftButton);
        QCOMPARE(asked, (std::vector<OpenChoice>{{"L-AAAAAAAAAA", "kernel-saxpy", true}}));
        QTest::mouseClick(leave, Qt::LeftButton);
        QVERIFY(!asked.front().accept);
        line.work.decision = classroom::OpenWork::Decision::Accepted;
        line.work.decidedBy = "R. Hopper";
        table.setLines({line}, false);
        QCOMPARE(cell(3), s("accepted by R. Hopper"));
        QVERIFY(!accept->isVisible());
        table.setLines({}, true);
        QVERIFY(table.isEmpty() && !table.isVisible());
    }

    void aProjectorShowsNobody()
    {
        Visit visit;
        QVERIFY(visit.open(s("class/sample")));
        std::vector<std::string> names;
        for (const record::MemberRow& member : visit.page()->view()->state()->members)
            names.push_back(member.name);
        visit.place.actions->find(s("class.projector"))->trigger();
        QTRY_VERIFY(!visit.page()->desk().busy());
        for (QWidget* each : visit.page()->findChildren<QWidget*>()) {
            if (!each->isVisible())
                continue;
            const auto* label = qobject_cast<QLabel*>(each);
            const QString said = each->accessibleName() + each->accessibleDescription() + each->toolTip() +
                                 (label ? label->text() : QString());
            for (const std::string& name : names)
                QVERIFY2(!said.contains(QString::fromStdString(name)), qPrintable(said));
        }
        QVERIFY(!visit.find("class-grades")->isVisible());
        QTest::keyClick(visit.page()->view(), Qt::Key_Escape);
        QTRY_VERIFY(visit.find("class-grades")->isVisible());
    }

    void anUnknownClassIsNamed()
    {
        Visit visit;
        const auto opened = visit.window->open(s("class/nowhere"));
        QVERIFY(!opened);
        QVERIFY(opened.error().message.find("nowhere") != std::string::npos);
    }

    void theWindowAnswersWhileAClassIsCollected()
    {
        Visit visit;
        visit.adopt("Autumn 2026");
        QVERIFY(visit.open(s("class/autumn-2026")));
        test::Heartbeat heart;
        QVERIFY(drop(visit.page()->view(), {Visit::samples()}));
        QTRY_VERIFY_WITH_TIMEOUT(visit.page()->runningJobs() == 0, kWaitMs);
        QVERIFY2(heart.worstBusy() < 100, qPrintable(QString::number(heart.worstBusy())));
        QVERIFY2(heart.worst() < 4000, "the event loop stood still");
    }

    void everythingByKeyboard()
    {
        Visit visit;
        const auto press = [&](Qt::Key key, Qt::KeyboardModifiers with = {}) {
            QWidget* focus = QApplication::focusWidget();
            QTest::keyClick(focus ? focus : visit.window, key, with);
        };
        const auto tabTo = [&](const char* name) {
            for (int steps = 0; steps < 200; ++steps) {
                QWidget* focus = QApplication::focusWidget();
                if (focus && focus->objectName() == QLatin1String(name))
                    return true;
                press(Qt::Key_Tab);
            }
            return false;
        };
        press(Qt::Key_6, Qt::ControlModifier);
        QTRY_COMPARE(visit.window->currentPage(), s("class"));
        QVERIFY(tabTo("class-new"));
        press(Qt::Key_Space);
        QTRY_COMPARE(visit.window->currentPage(), s("class/new"));
        QVERIFY(tabTo("class-name"));
        QTest::keyClicks(QApplication::focusWidget(), s("Keys"));
        QVERIFY(tabTo("class-lessons"));
        press(Qt::Key_Down);
        press(Qt::Key_Space);
        QCOMPARE(visit.page()->form()->lessons()->chosen().size(), std::size_t{1});
        for (const char* name : {"class-has-deadline", "feedback-passed", "class-roster", "class-export"})
            QVERIFY2(tabTo(name), name);
        visit.page()->form()->exportTo(visit.place.home() + s("/keys.ridgeclass"));
        QTRY_VERIFY_WITH_TIMEOUT(visit.window->currentPage().startsWith(s("class/keys/")), kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(visit.window->page()->ready(), kWaitMs);
        for (const char* name : {"class-collect", "class-more"})
            QVERIFY2(tabTo(name), name);
        QVERIFY(QFile::exists(visit.place.home() + s("/keys.ridgeclass")));
    }

    /// At 1280 × 800 the room sees address, code and the whole histogram: the class's heading makes way for them.
    void theLiveProjectorHasThePage()
    {
        Visit visit;
        visit.adopt("keys");
        visit.window->resize(1280, 800);
        QVERIFY(visit.open(s("class/keys#live")));
        auto* title = visit.find<QPushButton>("class-collect");
        auto* live = visit.window->findChild<LivePanel*>();
        QTRY_VERIFY(live->isVisible() && title->isVisible());
        const int before = live->height();
        live->setProjector(true);
        QTRY_VERIFY(!title->isVisible() && live->height() > before + 80);
        const int needed = 148 + 420; // address, code and what stands between; the histogram
        QVERIFY2(live->height() >= needed, qPrintable(QString::number(live->height())));
        visit.page()->view()->tabs()->setCurrentIndex(0);
        QTRY_VERIFY(title->isVisible());
        visit.page()->view()->tabs()->setCurrentWidget(live);
        QTRY_VERIFY(!title->isVisible());
        live->setProjector(false);
        QTRY_VERIFY(title->isVisible());
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::newRow("light") << s("light");
        QTest::newRow("dark") << s("dark");
    }
    void pictures()
    {
        QFETCH(QString, theme);
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        Visit visit;
        QVERIFY(visit.place.theme.load(theme).ok());
        const auto check = [&](const char* name) {
            visit.page()->setFocus();
            QTest::qWait(0);
            return golden::checkView(s(name) + QLatin1Char('_') + theme, *visit.page());
        };
        QVERIFY(visit.open(s("class")));
        QString wrong = check("class_landing");
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QVERIFY(visit.open(s("class/new")));
        visit.find<QLineEdit>("class-name")->setText(s("Spring 2027"));
        visit.find<QLineEdit>("class-title")->setText(s("Week 1"));
        visit.find<QDateTimeEdit>("class-deadline")->setDateTime(QDateTime(QDate(2027, 3, 8), QTime(18, 0)));
        visit.page()->form()->lessons()->itemOf("1.1")->setCheckState(0, Qt::Checked);
        wrong = check("class_form");
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QVERIFY(visit.open(s("class/sample")));
        wrong = check("class_sample");
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        visit.page()->view()->tabs()->setCurrentIndex(1);
        wrong = check("class_handins");
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        visit.page()->view()->tabs()->setCurrentIndex(2);
        wrong = check("class_roster");
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestClassPage)
#include "tst_class_page.moc"
