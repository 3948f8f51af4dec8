// SPDX-License-Identifier: GPL-3.0-or-later
// J3: a class of thirty with mixed hardware, through the real window on both sides. Twenty-nine learners are generated
// from the file that the teacher exports, the thirtieth works in a window of their own. Clicks and drags are counted
// against the budgets of the product: twelve for the teacher, four for a learner's administration. Typing, scrolling
// and what belongs to the work itself are free.
#include "tests/app/class/teaching/drop.h"

#include "app/class/assignments/assignment_page.h"
#include "app/class/assignments/submit_panel.h"
#include "app/class/dashboard/class_dashboard.h"
#include "app/class/dashboard/prediction_plot.h"
#include "app/class/teaching/class_desk.h"
#include "app/class/teaching/class_form.h"
#include "app/class/teaching/class_page.h"
#include "app/class/teaching/class_tables.h"
#include "app/class/teaching/class_view.h"
#include "app/class/teaching/lesson_picker.h"
#include "app/ui/outcome_bar.h"
#include "app/window/main_window.h"
#include "app/window/settings.h"
#include "base/json.h"
#include "base/paths.h"
#include "classroom/generate.h"
#include "classroom/generated_learner.h"
#include "classroom/run_memory.h"

#include <QAbstractButton>
#include <QDesktopServices>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QTabWidget>
#include <QTreeWidget>
#include <QtTest>

using namespace ridge;
using namespace ridge::app;
namespace fs = std::filesystem;

namespace {

constexpr int kTeacher = 12, kLearner = 4;
constexpr int kGenerated = 29;
constexpr std::uint64_t kSeed = 30;
constexpr int kWaitMs = 60000, kRecheckMs = 480000;
constexpr const char* kCapstone = "1.capstone";
/// Closed forms, simulated chips, and a capstone, whose runs take most of a minute: they are made once, and re-checking
/// finds them in the class's memory, as it does for every re-check but the first.
const std::vector<std::string> kLessons = {"1.8", "2.4", kCapstone};

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// Somebody's computer: a home of its own, the program, and a hand that counts.
class Computer {
public:
    ~Computer() { stop(); }

    void start()
    {
        qputenv("RIDGE_HOME", m_home.path().toLocal8Bit());
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_home.path());
        if (!theme.load(s("light")))
            qFatal("no theme");
        auto store = record::Store::open(homeFolder());
        if (!store)
            qFatal("%s", toText(store.error()).c_str());
        actions = std::make_unique<ActionRegistry>();
        context = std::make_unique<AppContext>(theme, *actions, std::move(*store), *dataFolder());
        window = std::make_unique<MainWindow>(*context, MainWindow::Options{false, true, s("light")});
        window->restoreSession();
        window->resize(1440, 1000);
        window->show();
        if (!QTest::qWaitForWindowExposed(window.get()))
            qFatal("no window");
        QApplication::setActiveWindow(window.get());
        context->loadCatalogue();
        if (!QTest::qWaitFor([this] { return context->hasCatalogue(); }, kWaitMs))
            qFatal("no catalogue");
    }
    void stop()
    {
        if (window)
            window->close();
        window.reset();
        context.reset();
        actions.reset();
    }
    bool settle() const
    {
        return QTest::qWaitFor([this] { return window->page()->ready(); }, kWaitMs);
    }
    QString home() const { return m_home.path(); }

    bool press(QAbstractButton* button)
    {
        if (!button || !button->isVisible() || !button->isEnabled())
            return false;
        ++clicks;
        QTest::mouseClick(button, Qt::LeftButton);
        return true;
    }
    bool click(const char* name)
    {
        for (auto* each : window->findChildren<QAbstractButton*>(QLatin1String(name)))
            if (each->isVisible())
                return press(each);
        return false;
    }
    /// A menu's command is one gesture: press on the menu, let go on the entry.
    bool choose(const char* action)
    {
        QAction* found = actions->find(QLatin1String(action));
        if (!found || !found->isEnabled())
            return false;
        ++clicks;
        found->trigger();
        return true;
    }
    /// Save or Choose in the file dialog that is open, after the name was typed.
    bool acceptDialog(const QString& path)
    {
        QFileDialog* dialog = nullptr;
        const auto there = [&] {
            for (auto* each : window->findChildren<QFileDialog*>())
                if (each->isVisible())
                    dialog = each;
            return dialog != nullptr;
        };
        if (!QTest::qWaitFor(there, kWaitMs))
            return false;
        auto* field = dialog->findChild<QLineEdit*>(s("fileNameEdit"));
        if (!field)
            return false;
        field->setText(path);
        for (auto* each : dialog->findChildren<QAbstractButton*>())
            if (each->isVisible() && each->isEnabled() && each->property("default").toBool())
                return press(each);
        return false;
    }

    Theme theme;
    std::unique_ptr<ActionRegistry> actions;
    std::unique_ptr<AppContext> context;
    std::unique_ptr<MainWindow> window;
    int clicks = 0;

private:
    QTemporaryDir m_home;
};

class Desktop : public QObject {
    Q_OBJECT
public:
    Desktop() { QDesktopServices::setUrlHandler(s("file"), this, "show"); }
    ~Desktop() override { QDesktopServices::unsetUrlHandler(s("file")); }

public Q_SLOTS:
    void show(const QUrl&) {}
};

} // namespace

class TestJourneyClass : public QObject {
    Q_OBJECT
    QTemporaryDir m_share;
    Computer m_teacher, m_learner;
    Desktop m_desktop;

    QString assignmentFile() const { return m_share.path() + s("/week-2.ridgeclass"); }
    QString handedIn() const { return m_share.path() + s("/handed-in"); }
    ClassView* view() const { return qobject_cast<ClassPage*>(m_teacher.window->page())->view(); }
    bool idle() const
    {
        return QTest::qWaitFor([this] { return m_teacher.window->page()->runningJobs() == 0; }, kRecheckMs) &&
               m_teacher.settle();
    }

    /// The class as it stands since the first week: its people are known by pseudonym already.
    void makeTerm()
    {
        std::string roster = "Name,Email,Learner\n";
        for (int i = 0; i < kGenerated; ++i) {
            const classroom::GeneratedLearner learner(kSeed, i, 0);
            roster += "Learner Number" + std::to_string(i) + ",l" + std::to_string(i) + "@example.org," +
                      learner.identity().learner + '\n';
        }
        roster += "Somebody Absent,absent@example.org,\n";
        classroom::NewAssignment first;
        first.name = "Spring 2027";
        first.title = "Week 1";
        first.lessons = {"1.1"};
        first.roster = roster;
        first.rosterPlace = "roster.csv";
        const auto made = classroom::makeAssignment(homeFolder(), m_teacher.context->curriculum(), first);
        QVERIFY2(made.ok(), made ? "" : toText(made.error()).c_str());
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("RIDGE_SIM_THREADS", "1");
        configureSettings();
    }

    void theDayBefore()
    {
        m_teacher.start();
        makeTerm();
        QVERIFY(m_teacher.choose("class.new"));
        QCOMPARE(m_teacher.window->currentPage(), s("class/new"));
        auto* form = qobject_cast<ClassPage*>(m_teacher.window->page())->form();
        m_teacher.window->findChild<QLineEdit*>(s("class-name"))->setText(s("Spring 2027"));
        m_teacher.window->findChild<QLineEdit*>(s("class-title"))->setText(s("Week 2"));
        LessonPicker* lessons = form->lessons();
        for (const std::string& id : kLessons) {
            QTreeWidgetItem* item = lessons->itemOf(id);
            QVERIFY2(item, id.c_str());
            lessons->scrollToItem(item);
            const QRect area = lessons->visualItemRect(item);
            ++m_teacher.clicks;
            QTest::mouseClick(lessons->viewport(), Qt::LeftButton, {}, QPoint(area.left() + 12, area.center().y()));
        }
        QCOMPARE(lessons->chosen().size(), kLessons.size());
        QVERIFY(m_teacher.click("class-export"));
        QVERIFY(m_teacher.acceptDialog(assignmentFile()));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(assignmentFile()), kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_teacher.window->currentPage().startsWith(s("class/spring-2027/")), kWaitMs);
        QCOMPARE(m_teacher.clicks, 1 + 3 + 2);
        QVERIFY(idle());
        m_teacher.stop();
    }

    void aLearnerWorksAndHandsIn()
    {
        m_learner.start();
        ++m_learner.clicks; // the double click on the file
        m_learner.window->openFiles({assignmentFile()});
        QTRY_VERIFY_WITH_TIMEOUT(qobject_cast<AssignmentPage*>(m_learner.window->page()), kWaitMs);
        QVERIFY(m_learner.settle());
        auto* page = qobject_cast<AssignmentPage*>(m_learner.window->page());
        QVERIFY(page->acceptButton());
        QVERIFY(m_learner.press(page->acceptButton()));
        QTRY_VERIFY_WITH_TIMEOUT(page->submitPanel(), kWaitMs);
        // The work itself, which is J2's matter: a prediction, its run, an artifact.
        record::PredictionRow prediction;
        prediction.lesson = "2.4";
        prediction.block = "predict-stride-2";
        prediction.experiment = "coalescing";
        prediction.metric = "sectors_per_request";
        prediction.unit = "sectors/request";
        prediction.params = {{"stride", std::int64_t{2}}};
        prediction.point = 8;
        prediction.low = 4;
        prediction.high = 16;
        auto stored = m_learner.context->store()->append(prediction);
        m_learner.context->store()->flush();
        QVERIFY(stored.result().ok());
        // The page hears of the row, looks a moment later, and opens its button.
        QTRY_VERIFY_WITH_TIMEOUT(page->submitPanel()->submitButton()->isEnabled(), kWaitMs);
        QVERIFY(QDir().mkpath(handedIn()));
        QVERIFY(m_learner.press(page->submitPanel()->submitButton()));
        QVERIFY(m_learner.acceptDialog(handedIn()));
        QTRY_VERIFY_WITH_TIMEOUT(QDir(handedIn()).entryList({s("*.ridgesubmission")}).size() == 1, kWaitMs);
        QVERIFY2(m_learner.clicks <= kLearner, qPrintable(QString::number(m_learner.clicks)));
        m_learner.stop();
    }

    void theOthersHandIn()
    {
        m_teacher.start(); // where it was left: on the class
        QVERIFY(m_teacher.window->currentPage().startsWith(s("class/spring-2027")));
        QVERIFY(m_teacher.settle());
        const auto bytes = readFile(assignmentFile().toStdString());
        QVERIFY(bytes.ok());
        auto assignment = classroom::readAssignment(*bytes, "week-2.ridgeclass");
        QVERIFY(assignment.ok());
        QCOMPARE(assignment->lessons.size(), kLessons.size());
        const auto capstone = lessons::loadLesson(m_teacher.context->curriculum(), kCapstone);
        QVERIFY(capstone.ok() && !capstone->target.empty());
        const std::vector<std::string> ofCapstone = capstone->experiments();
        const auto place = classroom::findClass(homeFolder(), "spring-2027");
        QVERIFY(place.ok());
        const classroom::Execute worker = classroom::workerExecutor();
        const classroom::Execute kept = classroom::rememberedRuns(worker, classroom::runMemoryOf(*place));
        std::vector<std::string> requests;
        std::set<std::string> targets;
        const classroom::Execute execute = [&](const RunRequest& request, const std::string& compiler) {
            if (std::ranges::find(ofCapstone, request.experiment) == ofCapstone.end())
                return worker(request, compiler);
            requests.push_back(toJson(request).dump());
            targets.insert(request.target);
            return kept(request, compiler);
        };
        classroom::GenerateOptions options;
        options.learners = kGenerated;
        options.seed = kSeed;
        const auto made =
            classroom::generateLearners(*assignment, m_teacher.context->curriculum(), m_teacher.context->experiments(),
                                        execute, options, handedIn().toStdString());
        QVERIFY2(made.ok(), made ? "" : toText(made.error()).c_str());
        QCOMPARE(made->files, kGenerated);
        // One set of runs, on the chip that the capstone is about, however many learners stand behind it.
        QCOMPARE(targets, std::set<std::string>{capstone->target});
        QVERIFY2(requests.size() < 10, qPrintable(QString::number(requests.size())));
        QCOMPARE(std::set<std::string>(requests.begin(), requests.end()).size(), requests.size());
    }

    void aFolderOfThirtyIsCollected()
    {
        qint64 longest = 0;
        QElapsedTimer beat;
        QTimer heart;
        connect(&heart, &QTimer::timeout, &heart, [&] { longest = std::max(longest, beat.restart()); });
        beat.start();
        heart.start(2);
        ++m_teacher.clicks;
        QVERIFY(test::drop(view(), {handedIn()}));
        QVERIFY(idle());
        heart.stop();
        qInfo("longest turn of the event loop while collecting: %lld ms", static_cast<long long>(longest));
        const ClassState& state = *view()->state();
        QCOMPARE(state.report.learners.size(), std::size_t{kGenerated + 1});
        QCOMPARE(state.count(HandIn::State::Missing), 1);
        QCOMPARE(state.count(HandIn::State::Odd), 0);
        QVERIFY2(state.report.hardware.size() > 1, "mixed hardware");
        QVERIFY(!state.report.misconceptions.empty());
        QVERIFY(!state.report.stuck.empty());
        int shipped = 0, unlike = 0;
        double best = 0;
        for (const classroom::LearnerLine& line : state.report.learners) {
            shipped += line.steps.at(kCapstone).shipped;
            best = std::max(best, line.points.at(kCapstone));
            unlike += line.points.at(kCapstone) > 0 && line.points.at(kCapstone) < 100;
        }
        QVERIFY2(shipped >= 10 && unlike >= 5 && best >= 80,
                 qPrintable(s("%1 shipped, %2 between, best %3").arg(shipped).arg(unlike).arg(best)));
    }

    void itIsRunAgain()
    {
        QVERIFY(m_teacher.click("class-regrade"));
        QVERIFY(idle());
        int again = 0;
        for (const classroom::LearnerLine& line : view()->state()->report.learners)
            again += line.reexecuted;
        QCOMPARE(again, kGenerated + 1);
        QString told;
        for (const auto* label : view()->findChild<RegradeTable*>()->findChildren<QLabel*>())
            told += label->text();
        QVERIFY2(told.contains(s("are remembered")) && told.contains(s("hidden cases")), qPrintable(told));
        QVERIFY2(!told.contains(s("could not be confirmed")), qPrintable(told));
        QVERIFY(view()->findChild<OutcomeBar*>()->tone() == OutcomeBar::Tone::Done);
    }

    void theHistogramIsRevealedOnTheProjector()
    {
        // Turning the projector on belongs to the discussion; revealing is the click that the product counts.
        view()->setProjector(true);
        QVERIFY(idle());
        auto* predictions = view()->dashboard()->findChild<QWidget*>(s("predictions"));
        QVERIFY(predictions);
        for (QWidget* above = predictions->parentWidget(); above; above = above->parentWidget())
            if (auto* tabs = qobject_cast<QTabWidget*>(above)) {
                tabs->setCurrentWidget(predictions);
                break;
            }
        auto* plot = predictions->findChild<PredictionPlot*>();
        QVERIFY(plot && !plot->revealed());
        QAbstractButton* reveal = nullptr;
        for (auto* each : predictions->findChildren<QAbstractButton*>())
            if (each->isVisible() && each->isCheckable() && each->text().startsWith(s("Reveal")))
                reveal = each;
        QVERIFY(m_teacher.press(reveal));
        QVERIFY(plot->revealed());
        view()->setProjector(false);
        QVERIFY(idle());
    }

    void gradesAndFeedback()
    {
        const QString grades = m_share.path() + s("/grades.csv");
        QVERIFY(m_teacher.click("class-grades"));
        QVERIFY(m_teacher.acceptDialog(grades));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(grades), kWaitMs);
        QVERIFY(idle());
        const auto table = readFile(grades.toStdString());
        QVERIFY(table.ok());
        QVERIFY(table->find("Week 2 (Real)") != std::string::npos);
        QCOMPARE(std::count(table->begin(), table->end(), '\n'), kGenerated + 3); // header, the absent, the thirtieth
        QVERIFY(m_teacher.click("class-feedback"));
        QVERIFY(idle());
        const QString pages = m_teacher.home() + s("/classes/spring-2027/feedback/week-2");
        QCOMPARE(QDir(pages).entryList({s("*.html")}).size(), kGenerated + 1);
        QVERIFY2(m_teacher.clicks <= kTeacher, qPrintable(QString::number(m_teacher.clicks)));
        QCOMPARE(m_teacher.clicks, kTeacher);
    }
};

QTEST_MAIN(TestJourneyClass)
#include "tst_journey_class.moc"
