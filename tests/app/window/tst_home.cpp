// SPDX-License-Identifier: GPL-3.0-or-later
// The first screen, paths, Home and search everywhere.
#include "shell_fixture.h"

#include "app/lesson/insight/insight_card.h"
#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/lesson/reader/lesson_places.h"
#include "app/session/run_controller.h"
#include "app/ui/facts.h"
#include "app/ui/learner_choices.h"
#include "app/window/command_palette.h"
#include "app/window/home/gpu_facts.h"
#include "app/window/home/hardware_card.h"
#include "app/window/home/home_page.h"
#include "app/window/home/path_card.h"
#include "app/window/home/welcome.h"
#include "app/window/learn/learn_page.h"
#include "app/window/learn/outline.h"
#include "app/window/search_model.h"
#include "app/window/search_overlay.h"
#include "evidence/prediction_outcomes.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QTextEdit>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

lessons::Curriculum realCurriculum()
{
    auto loaded = lessons::loadCurriculum(*dataFolder() / "curriculum");
    if (!loaded.problems.empty())
        qFatal("%s", loaded.problems.front().message.c_str());
    return loaded.curriculum;
}

/// Predicted, then run: a row that counts.
std::string storeOutcome(Workplace& place, double point, double low, double high, const char* when)
{
    record::PredictionRow prediction;
    prediction.lesson = "2.4";
    prediction.block = "predict-2";
    prediction.experiment = "coalescing";
    prediction.metric = "sectors_per_request";
    prediction.unit = "sectors/request";
    prediction.params = {{"stride", std::int64_t{2}}};
    prediction.point = point;
    prediction.low = low;
    prediction.high = high;
    prediction.createdAt = when;
    const std::string id = place.store(prediction);
    record::RunRow row = Workplace::run(2, "s", "2.4");
    row.predictionId = id;
    place.store(row);
    return id;
}

/// The real worker, with something changed in what it tells.
void useWorkerThatSays(Workplace& place, const char* change)
{
    const QString path = place.home() + s("/worker-that-says");
    QFile script(path);
    if (!script.open(QIODevice::WriteOnly))
        qFatal("%s cannot be written", qPrintable(path));
    script.write("#!/bin/sh\n'" + qgetenv("RIDGE_BIN") + "/ridge-worker' \"$@\" | sed '" + change + "'\n");
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    qputenv("RIDGE_WORKER", path.toLocal8Bit());
}

/// The window of the test before may take the focus with it as it goes.
bool activate(QWidget& window)
{
    for (int i = 0; i < 5; ++i) {
        window.activateWindow();
        if (QTest::qWaitForWindowActive(&window, 2000))
            return true;
    }
    return false;
}

} // namespace

class TestHome : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aBadEndIsToldOnceAndPutAway()
    {
        Workplace place;
        place.context->setLastEnd(
            LastEnd{s("2026-11-22T05:00:00Z"), s("lesson/1.6"), s("SIGSEGV"), s("/home/x/report.txt")});
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        auto* banner = window.page()->findChild<Banner*>(s("lastEnd"));
        QVERIFY(banner && banner->isVisible());
        for (const char* part : {"ended unexpectedly", "SIGSEGV", "lesson 1.6", "/home/x/report.txt"})
            QVERIFY2(banner->text().contains(s(part)), qPrintable(banner->text()));
        const QPointer<Banner> told = banner;
        banner->findChild<QToolButton*>()->click();
        QTRY_VERIFY(!told);
        QVERIFY(!place.context->lastEnd());
        QVERIFY(window.open(s("learn")).ok() && window.open(s("home")).ok());
        QVERIFY(!window.page()->findChild<Banner*>(s("lastEnd")));
    }

    void pathsAreOrdersOverTheSameLessons()
    {
        const auto curriculum = realCurriculum();
        QCOMPARE(curriculum.paths.size(), std::size_t{11});
        QCOMPARE(curriculum.planned.size(), std::size_t{56});
        std::set<std::string> planned;
        for (const auto& lesson : curriculum.planned)
            planned.insert(lesson.id);
        for (const auto& path : curriculum.paths) {
            QVERIFY2(!path.about.empty() && !path.title.empty(), path.id.c_str());
            std::set<std::string> once;
            for (const std::string& id : path.lessons)
                QVERIFY2(planned.contains(id) && once.insert(id).second, (path.id + " " + id).c_str());
        }
        QCOMPARE(curriculum.path("procurement")->lessons,
                 (std::vector<std::string>{"1.8", "3.8", "7.4", "7.7", "6.1"}));
        QCOMPARE(curriculum.path("kernel-author")->lessons.front(), std::string("2.1"));
        for (const std::string& id : planned)
            QVERIFY2(curriculum.head(id) && !curriculum.titleOf(id).empty(), id.c_str());
    }

    void backgroundMovesTheFoundations()
    {
        const auto curriculum = realCurriculum();
        LearnerChoices choices;
        choices.path = s("ml-engineer");
        const auto plain = lessonsOf(curriculum, choices);
        QCOMPARE(plain.front(), std::string("2.1")); // 4.1 builds on it
        choices.background = Experience::New;
        const auto newcomer = lessonsOf(curriculum, choices);
        QCOMPARE(newcomer.front(), std::string("1.1"));
        QCOMPARE(newcomer[5], std::string("2.3"));
        QCOMPARE(std::set<std::string>(newcomer.begin(), newcomer.end()).size(), newcomer.size());
        choices.background = Experience::Cuda;
        choices.path = s("kernel-author");
        const auto expert = lessonsOf(curriculum, choices);
        QCOMPARE(expert.front(), std::string("2.4"));
        QCOMPARE(expert.size(), curriculum.path("kernel-author")->lessons.size());
        QCOMPARE(weeksFor(56, 3), 10); // 56 × 30 min = 28 h
        // Nobody meets a lesson before what it builds on, foundations among it.
        choices.background = Experience::Programmer;
        for (const auto& path : curriculum.paths) {
            choices.path = QString::fromStdString(path.id);
            std::set<std::string> met;
            for (const std::string& id : lessonsOf(curriculum, choices)) {
                for (const std::string& needed : curriculum.head(id)->prerequisites)
                    QVERIFY2(met.contains(needed), (path.id + ": " + id + " before " + needed).c_str());
                met.insert(id);
            }
        }
        choices.path = s("no such path");
        QCOMPARE(pathOf(curriculum, choices), &curriculum.paths.front());
    }

    void badPathFilesAreToldAndDoNotHideLessons()
    {
        QTemporaryDir dir;
        const std::filesystem::path root = dir.path().toStdString();
        QVERIFY(
            writeFile(root / "curriculum.yaml", "modules:\n  - {number: 1, title: A, folder: a, promise: B.}\n").ok());
        QVERIFY(writeFile(root / "claims.yaml", "").ok());
        QVERIFY(writeFile(root / "glossary.yaml", "").ok());
        QVERIFY(lessons::loadCurriculum(root).problems.empty()); // no paths are no problem
        for (const char* text :
             {"- nothing", "paths: 3",
              "paths:\n  - {id: a, title: A, about: B, order: [\"9.9\"]}\n"
              "foundations: []\nlessons:\n  - {id: \"1.1\", title: X}\n",
              "paths: []\nfoundations: [\"1.1\", \"1.1\"]\nlessons:\n  - {id: \"1.1\", title: X}\n"}) {
            QVERIFY(writeFile(root / "paths.yaml", text).ok());
            const auto loaded = lessons::loadCurriculum(root);
            QVERIFY2(!loaded.problems.empty(), text);
            QCOMPARE(loaded.problems.front().at.file, std::string("paths.yaml"));
        }
    }

    void firstScreenComesOnceAndEnterAloneStarts()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        QVERIFY(activate(window));
        auto* welcome = window.findChild<WelcomeCard*>();
        QVERIFY(welcome);
        QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(welcome->startButton()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QCOMPARE(window.currentPage(), s("lesson/1.1"));
        QVERIFY(learnerWasAsked());
        QVERIFY(window.open(s("home")).ok());
        QTRY_VERIFY(!window.findChild<WelcomeCard*>());
        place.restart();
        QVERIFY(place.makeWindow().open(s("home")).ok());
        QVERIFY(!place.window->findChild<WelcomeCard*>());
    }

    /// A teacher has not come to learn: the first screen leads there, too.
    void theFirstScreenLeadsToClass()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        auto* teach = window.findChild<WelcomeCard*>()->findChild<QPushButton*>(s("teach"));
        QVERIFY(teach && teach->isVisibleTo(&window));
        QTest::mouseClick(teach, Qt::LeftButton);
        QCOMPARE(window.currentPage(), s("class"));
        QVERIFY(learnerWasAsked());
    }

    void skippedItDoesNotComeAgainEither()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        QTest::mouseClick(window.findChild<WelcomeCard*>()->skipButton(), Qt::LeftButton);
        QTRY_VERIFY(!window.findChild<WelcomeCard*>());
        QCOMPARE(window.currentPage(), s("home"));
        QVERIFY(window.findChild<PathCard*>());
        place.restart();
        QVERIFY(place.makeWindow().open(s("home")).ok());
        QVERIFY(!place.window->findChild<WelcomeCard*>());
    }

    void choicesAreKeptAndSwitchingChangesNoProgress()
    {
        Workplace place;
        noteLearnerAsked();
        place.storeArtifact();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lesson/2.4")).ok());
        QVERIFY(window.open(s("home")).ok());
        const LessonProgress before = CourseProgress(*place.context).of("2.4");
        QVERIFY(before.shipped);
        auto* card = window.findChild<PathCard*>();
        QVERIFY2(card->summary().startsWith(s("1 of 56 lessons shipped")), qPrintable(card->summary()));
        auto* outline = window.findChild<LessonOutline*>();
        const int rows = outline->topLevelItem(1)->childCount();
        // No title in it is cut short: a long one takes more lines.
        const auto height = [&](int lesson) {
            return outline->visualItemRect(outline->topLevelItem(1)->child(lesson)).height();
        };
        QTRY_VERIFY2(height(3) > height(5), "Tensor cores and mixed precision, Roofline model");
        card->picker()->setFocus();
        const int wanted = card->picker()->findData(s("procurement"));
        while (card->picker()->currentIndex() < wanted) // as with the arrow keys
            QTest::keyClick(card->picker(), Qt::Key_Down);
        QCOMPARE(learnerChoices().path, s("procurement"));
        QTRY_VERIFY(
            window.findChild<PathCard*>()->summary().startsWith(s("0 of 14 lessons shipped · 14 in this version")));
        QCOMPARE(CourseProgress(*place.context).of("2.4"), before);
        QCOMPARE(place.context->store()->artifacts()->size(), std::size_t{1});
        // The outline shows the path in its order, and what is beside it after that.
        QVERIFY(rows != outline->topLevelItem(1)->childCount());
        QTreeWidgetItem* path = outline->topLevelItem(1);
        const QStringList order = {s("1.1"), s("1.2"), s("1.3"), s("1.4"), s("1.5"), s("1.6"), s("1.7"),
                                   s("1.8"), s("3.8"), s("7.1"), s("7.2"), s("7.4"), s("7.7"), s("6.1")};
        QCOMPARE(path->childCount(), order.size());
        for (int i = 0; i < path->childCount(); ++i) {
            QCOMPARE(path->child(i)->text(0).left(3), order[i]);
            QVERIFY(path->child(i)->flags() & Qt::ItemIsSelectable);
        }
        QCOMPARE(outline->topLevelItem(2)->child(0)->text(0).left(3), s("2.1"));
        QVERIFY(outline->topLevelItem(2)->child(0)->flags() & Qt::ItemIsSelectable);
    }

    void outcomesNeedAPredictionBeforeTheRun()
    {
        Workplace place;
        QVERIFY(predictionOutcomes(*place.context->store(), 24)->empty());
        storeOutcome(place, 8, 6, 10, "2026-01-01T10:00:00.000Z");   // the run says 8
        storeOutcome(place, 32, 20, 40, "2026-01-02T10:00:00.000Z"); // four times too many
        record::PredictionRow open;
        open.lesson = "2.4";
        open.block = "predict-9";
        open.experiment = "coalescing";
        open.metric = "sectors_per_request";
        open.unit = "sectors/request";
        open.params = {{"stride", std::int64_t{9}}};
        open.point = open.low = open.high = 3;
        place.store(open); // without a run
        const auto outcomes = predictionOutcomes(*place.context->store(), 24);
        QVERIFY(outcomes.ok());
        QCOMPARE(outcomes->size(), std::size_t{2});
        QVERIFY((*outcomes)[0].score.insideInterval && !(*outcomes)[1].score.insideInterval);
        const Calibration calibration = calibrationOf(*outcomes);
        QCOMPARE(calibration.predictions, 2);
        QCOMPARE(calibration.held, 1);
        QCOMPARE(calibration.medianFactor, 2.0); // between 1 and 4
    }

    void dueReviewLeadsToTheReview()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.loadCatalogue());
        storeOutcome(place, 32, 20, 40, "2026-01-01T10:00:00.000Z");
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        auto* review = window.findChild<QPushButton*>(s("review"));
        QVERIFY(review);
        QTest::mouseClick(review, Qt::LeftButton);
        QCOMPARE(window.currentPage(), s("review"));
    }

    void aMachineOnBatteryIsToldWhatThatMeans()
    {
        Workplace place;
        useWorkerThatSays(place, "s/\"power\":\"[a-z]*\"/\"power\":\"battery\"/");
        QVERIFY(place.loadCatalogue());
        HardwareCard card(*place.context);
        QStringList said;
        for (const QLabel* label : card.findChildren<QLabel*>())
            said << label->text();
        QVERIFY2(said.contains(s("on battery")), qPrintable(said.join(u'\n')));
        QVERIFY(said.filter(s("Plug in the charger")).size() == 1);
        QVERIFY(said.filter(s(" core")).size() == 1); // and what there is of processor and memory
    }

    void whatAGpuTellsHasAMeaning()
    {
        const Json gpu = Json::parse(
            R"({"driver":"580.1","cuda":"13.0","memory_bytes":8589934592,"power_limit_w":60,"power_limit_default_w":80,)"
            R"("power_limit_min_w":35,"power_limit_max_w":95,"counters":"forbidden"})");
        const auto facts = gpuFacts(gpu);
        QCOMPARE(facts.size(), std::size_t{4});
        QCOMPARE(facts[0].value, s("580.1, up to CUDA 13.0"));
        QCOMPARE(facts[1].value, s("8 GiB"));
        QCOMPARE(facts[2].value, s("60 W (default 80 W, at least 35 W, at most 95 W)"));
        QVERIFY(facts[2].meaning.startsWith(s("Set below its default")));
        QVERIFY(facts[2].meaning.endsWith(s("Compare your times with others at 60 W.")));
        QVERIFY(countersForbidden(gpu) && facts[3].meaning.contains(s("what works here")));
        QCOMPARE(gpuFacts({{"power_limit_w", 60.0}}).at(0).meaning, s("Compare your times with others at 60 W."));
        QVERIFY(gpuFacts({{"power_limit_w", 90.0}, {"power_limit_default_w", 80.0}})[0].meaning.contains(s("above")));
        QVERIFY(gpuFacts(Json::object()).empty() && gpuFacts(Json()).empty());
        QVERIFY(gpuFacts({{"driver", 3}, {"memory_bytes", "much"}, {"counters", "perhaps"}}).empty());
    }

    void aGpuStandsOnTheCard()
    {
        const QByteArray folder = QCoreApplication::applicationDirPath().toUtf8() + '/';
        qputenv("RIDGE_LIBCUDA", folder + "fake_cuda.so");
        qputenv("RIDGE_LIBNVML", folder + "fake_nvml.so");
        qputenv("RIDGE_FAKE_NVML", "limit=500");
        const auto none = qScopeGuard([] {
            for (const char* name : {"RIDGE_LIBCUDA", "RIDGE_LIBNVML", "RIDGE_FAKE_NVML"})
                qunsetenv(name);
        });
        Workplace place;
        useWorkerThatSays(place, "s/\"counters\":\"[a-z]*\"/\"counters\":\"forbidden\"/");
        QVERIFY(place.loadCatalogue());
        HardwareCard card(*place.context);
        QCOMPARE(card.headline(), s("NVIDIA H200"));
        QStringList said;
        for (const QLabel* label : card.findChildren<QLabel*>())
            said << label->text();
        for (const char* part : {"580.159.04, up to CUDA 13.0", "500 W (default 700 W, at least 200 W, at most 700 W)",
                                 "kept for administrators"})
            QVERIFY2(said.contains(s(part)), qPrintable(said.join(u'\n')));
        auto* permit = card.findChild<QPushButton*>(s("permitCounters"));
        QSignalSpy opened(place.context.get(), &AppContext::openRequested);
        QVERIFY(permit);
        permit->click();
        QCOMPARE(opened.front().front().toString(), s("doctor"));
    }

    void machineIsMeasuredAndStoppedFromItsCard()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        HardwareCard card(*place.context);
        if (const auto* why = card.findChild<QLabel*>(s("whyNoGpu"))) { // in plain words; the rest is in its tip
            QVERIFY2(!why->text().contains(s(".so")) && !why->text().contains(QLatin1Char('<')),
                     qPrintable(why->text()));
            QVERIFY(why->text().size() < why->toolTip().size());
        }
        card.show();
        CalibrationRun& calibration = place.context->calibration();
        QVERIFY(calibration.possible(place.context->target()) && !calibration.running());
        const auto button = [&] {
            for (QPushButton* one : card.findChildren<QPushButton*>())
                if (one->accessibleName().contains(s("what the target reaches")) ||
                    one->accessibleName().contains(s("Stop the calibration")))
                    if (one->isVisible())
                        return one;
            return static_cast<QPushButton*>(nullptr);
        };
        // The body is built anew now and then and shown with the next turn of the event loop: until then, no button.
        const auto label = [&] { return button() ? button()->text() : QString(); };
        QTRY_COMPARE(label(), s("Measure"));
        button()->click();
        QVERIFY(calibration.running());
        QTRY_COMPARE(label(), s("Stop"));
        QTRY_VERIFY_WITH_TIMEOUT(calibration.finished() >= 1, 120000);
        button()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!calibration.running(), 120000);
        // What was found by then stays, and the card shows it.
        QVERIFY(!calibration.known(place.context->target()).figures.empty());
        QTRY_COMPARE(label(), s("Measure again"));
        QVERIFY(card.findChild<FactTable*>());

        // A run that a person starts ends a calibration.
        calibration.start(place.context->target());
        RunController controller(*place.context);
        RunRequest request;
        request.experiment = "coalescing";
        request.target = place.context->target().toStdString();
        request.points = {{{"stride", std::int64_t{1}}}};
        QVERIFY(controller.start(request, {}).ok());
        QTRY_VERIFY_WITH_TIMEOUT(!calibration.running(), 30000);
    }

    void searchEverywhereByKeyboardOpensTheBlock()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.loadCatalogue());
        place.store(Workplace::run(16));
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("home")).ok());
        QVERIFY(activate(window));
        QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        SearchOverlay* overlay = window.searchOverlay();
        QVERIFY(overlay->isOpen() && overlay->field()->hasFocus());
        QTest::keyClicks(overlay->field(), s("bank conflict"));
        QTRY_VERIFY_WITH_TIMEOUT(overlay->settled() && overlay->list()->model()->rowCount() > 2, 10000);
        if (const QString shots = qEnvironmentVariable("RIDGE_SHOTS"); !shots.isEmpty())
            window.grab().save(shots + s("/search.png"));
        const QModelIndex first = overlay->list()->currentIndex();
        QVERIFY(!first.data(Qt::AccessibleTextRole).toString().isEmpty());
        QTest::keyClick(overlay->field(), Qt::Key_Down);
        QVERIFY(overlay->list()->currentIndex() != first);
        QTest::keyClick(overlay->field(), Qt::Key_Up);
        QTest::keyClick(overlay->field(), Qt::Key_Return);
        QVERIFY(!overlay->isOpen());
        QVERIFY2(window.currentPage().startsWith(s("lesson/2.4#")), qPrintable(window.currentPage()));
        auto* lesson = qobject_cast<LearnPage*>(window.page())->lesson();
        QTRY_VERIFY_WITH_TIMEOUT(lesson->places()->flash().isFlashing(), 10000);
        // A run.
        QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        overlay->field()->setText(s("sim:h100"));
        QTRY_VERIFY_WITH_TIMEOUT(overlay->settled() && overlay->list()->model()->rowCount() > 0, 10000);
        QTest::keyClick(overlay->field(), Qt::Key_Return);
        QVERIFY2(window.currentPage().startsWith(s("runs/")), qPrintable(window.currentPage()));
        // Esc gives the focus back.
        QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClick(overlay->field(), Qt::Key_Escape);
        QVERIFY(!overlay->isOpen());
    }

    void aLargeRecordIsIndexedBeforeSomebodySearches()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        place.store(Workplace::run(16));
        place.store(Workplace::run(32));
        SearchOverlay* overlay = place.makeWindow().searchOverlay();
        const std::filesystem::path index = searchIndexFile(place.context->store()->folder());
        overlay->prepareSoon(2, 0); // as many as there are
        QTest::qWait(100);
        QVERIFY(!overlay->settled() && !std::filesystem::exists(index));
        overlay->prepareSoon(1, 0);
        QTRY_VERIFY_WITH_TIMEOUT(overlay->settled() && std::filesystem::exists(index), 30000);
        QVERIFY(!overlay->isOpen());
    }

    void keysOfALessonInTheWindow()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lesson/2.4")).ok());
        QVERIFY(activate(window));
        QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready(), 10000);
        auto* lesson = qobject_cast<LearnPage*>(window.page())->lesson();
        const auto press = [](Qt::Key key, Qt::KeyboardModifiers with = {}) {
            QTest::keyClick(QApplication::focusWidget(), key, with);
        };
        press(Qt::Key_J);
        auto* first = qobject_cast<BlockWidget*>(QApplication::focusWidget());
        QVERIFY(first);
        press(Qt::Key_J);
        auto* second = qobject_cast<BlockWidget*>(QApplication::focusWidget());
        QVERIFY(second && second != first);
        press(Qt::Key_K);
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(first));
        press(Qt::Key_P);
        QVERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
        press(Qt::Key_Escape);
        // F1 on a term explains it; elsewhere it is the window's.
        ProseView* withTerm = nullptr;
        for (auto* view : lesson->findChildren<ProseView*>())
            if (!withTerm && view->document()->toHtml().contains(s("term:")))
                withTerm = view;
        QVERIFY(withTerm);
        withTerm->setFocus(Qt::TabFocusReason);
        for (int i = 0; i < 4 && !withTerm->textCursor().charFormat().anchorHref().startsWith(s("term:")); ++i)
            press(Qt::Key_Tab);
        press(Qt::Key_F1);
        QVERIFY(lesson->findChild<InfoCard*>()->isVisible());
        QVERIFY(!window.commandPalette()->isOpen());
        press(Qt::Key_Escape);
        // A note in typing takes every letter.
        press(Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(!lesson->places()->notes().cards().empty());
        NoteCard* card = lesson->places()->notes().cards().front();
        QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(card->field()));
        for (const Qt::Key key : {Qt::Key_J, Qt::Key_K, Qt::Key_P})
            press(key);
        QCOMPARE(card->field()->toPlainText(), s("jkp"));
        press(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(lesson->places()->findBar().isOpen());
    }

    void placeThatWasSearchedForIsNotOpenedAtTheNextStart()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lesson/2.4#mental-model:0")).ok());
        window.close();
        QCOMPARE(loadWindowState().page, s("lesson/2.4"));
    }
};

QTEST_MAIN(TestHome)
#include "tst_home.moc"
