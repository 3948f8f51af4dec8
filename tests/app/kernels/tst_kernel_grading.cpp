// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that are graded, in the real window with the real worker: begun, graded, stopped, kept.
#include "kernel_person.h"

#include "app/kernels/grade_explained.h"
#include "app/kernels/grade_panel.h"
#include "app/kernels/history_panel.h"
#include "app/kernels/kernel_results.h"
#include "app/kernels/shelf_view.h"
#include "app/kernels/task_guide.h"
#include "app/kernels/task_shelf.h"
#include "app/lesson/reader/code_view.h"
#include "app/ui/facts.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"
#include "base/grade_words.h"
#include "classroom/class_folder.h"
#include "classroom/identity.h"
#include "classroom/kernel_work.h"
#include "tests/golden/golden.h"
#include "tests/support/heartbeat.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <cmath>

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr const char* kSecret = "seed 7";

std::string solutionOf(const std::string& task)
{
    return *solutionText(*readFile(shippedTask(task)->folder / "solution.cu"));
}

std::string attack(const char* name)
{
    const std::filesystem::path tests = qEnvironmentVariable("RIDGE_SOURCE").toStdString();
    return *readFile(tests / "tests" / "cheats" / (std::string(name) + ".cu"));
}

/// Somebody who works on a task.
struct Author : Person {
    GradePanel* panel = nullptr;

    explicit Author(const char* task)
    {
        if (!window->open(s("kernel/task/") + s(task)).ok())
            qFatal("no task");
        panel = bench()->gradePanel();
    }
    void write(const std::string& text) const
    {
        bench()->editor()->selectAll();
        bench()->editor()->insertPlainText(QString::fromStdString(text));
    }
    bool graded() const
    {
        QSignalSpy done(bench()->grading()->job(), &KernelJob::done);
        bench()->grade(kSecret);
        return bench()->running() && done.wait(kRunMs);
    }
    bool kept() const
    {
        panel->keepButton()->click();
        return QTest::qWaitFor([&] { return bench()->grading()->kept() == KernelGrading::Kept::Yes; }, kRunMs);
    }
    /// What stands in the verdict, from above to below.
    QStringList words() const
    {
        QStringList all;
        for (const QLabel* label : panel->outcome()->findChildren<QLabel*>())
            all << label->text();
        return all;
    }
};

} // namespace

class TestKernelGrading : public QObject {
    Q_OBJECT

    static bool canCompile(const Person& person) { return hasCompiler(*person.place.context); }

private Q_SLOTS:
    void aTaskIsBegunFromTheList()
    {
        Person person;
        TaskShelf* shelf = person.page->shelf()->tasks();
        QVERIFY(shelf->isVisible());
        QCOMPARE(std::size_t(shelf->table()->rowCount()), shippedTasks()->size());
        shelf->table()->setFocus();
        QTest::keyClick(shelf->table(), Qt::Key_Down);
        const auto task = shippedTask(shelf->chosen().toStdString());
        QCOMPARE(task->id, (*tasksInOrder())[1].first.id); // easy first
        QTest::keyClick(shelf->table(), Qt::Key_Return);
        QCOMPARE(person.window->currentPage(), s("kernel/") + QString::fromStdString(task->id));
        KernelBench* bench = person.bench();
        QCOMPARE(bench->editor()->toPlainText().toStdString(), *readFile(task->folder / "starter.cu"));
        QCOMPARE(bench->side()->currentWidget(), static_cast<QWidget*>(bench->gradePanel()));
        QCOMPARE(bench->gradePanel()->chosen()->id, task->id);
        // A second time it is the same one, and a restart forgets nothing.
        bench->editor()->insertPlainText(s("// mine\n"));
        QVERIFY(person.window->open(s("kernel")).ok());
        QVERIFY(person.window->open(s("kernel/task/") + QString::fromStdString(task->id)).ok());
        QVERIFY(person.bench()->editor()->toPlainText().startsWith(s("// mine")));
        // What is written in the same kernel elsewhere, in a lesson, is there when it is shown again.
        QVERIFY(person.window->open(s("kernel")).ok());
        DraftFile elsewhere(person.place.context->store()->folder(), "kernels", person.bench()->name().toStdString());
        Json draft = elsewhere.load();
        draft["text"] = "// mine, in a lesson\n" + draft["text"].get<std::string>();
        elsewhere.keep(draft);
        elsewhere.save();
        QVERIFY(person.window->open(s("kernel/task/") + QString::fromStdString(task->id)).ok());
        QVERIFY(person.bench()->editor()->toPlainText().startsWith(s("// mine, in a lesson\n// mine\n")));
        person.bench()->editor()->undo();
        QVERIFY(person.bench()->editor()->toPlainText().startsWith(s("// mine\n")));
        person.place.restart();
        person.window = &person.place.makeWindow();
        QVERIFY(person.window->open(s("kernel/task/") + QString::fromStdString(task->id)).ok());
        person.page = qobject_cast<KernelPage*>(person.window->page());
        QVERIFY(person.bench()->editor()->toPlainText().startsWith(s("// mine")));
        QCOMPARE(person.bench()->gradePanel()->task(), task->id);
        QCOMPARE(person.window->open(s("kernel/task/nothing")).error().code, std::string("unknown-task"));
    }

    /// The list says how far one is with each, and can be cut down to a level or to a state.
    void theListKnowsLevelsAndStates()
    {
        Person person;
        TaskShelf* shelf = person.page->shelf()->tasks();
        QTableWidget* table = shelf->table();
        const auto stateOf = [&](const char* task) {
            for (int row = 0; row < table->rowCount(); ++row)
                if (table->item(row, 0)->data(Qt::UserRole).toString() == s(task))
                    return table->item(row, 3)->text();
            return s("not shown");
        };
        const int all = table->rowCount();
        for (int row = 0; row < all; ++row)
            QCOMPARE(table->item(row, 3)->text(), s("untried"));
        // One is begun, one was accepted and not kept, one stands in the record.
        const auto folder = person.place.context->store()->folder();
        QVERIFY(ownKernelOfTask(folder, "dot").ok());
        KernelDraft solved = *draftOfTask("map");
        solved.best = GradePoints{45, 60};
        DraftFile(folder, "kernels", solved.name).keep(toJson(solved));
        GradeVerdict verdict;
        verdict.accepted = true;
        verdict.points = 87;
        KernelGradeRequest request;
        request.source = {"saxpy.cu", "// mine\n", false};
        QVERIFY(
            classroom::keepKernel(*person.place.context->store(), *shippedTask("saxpy"), request, {}, verdict).ok());
        QVERIFY(person.window->open(s("kernel")).ok());
        QCOMPARE(stateOf("dot"), s("tried"));
        QCOMPARE(stateOf("map"), s("✓ accepted, 75 %, not kept"));
        QCOMPARE(stateOf("saxpy"), s("✓ accepted, 87 %"));
        QCOMPARE(shelf->filter()->countText(), s("2 of %1 accepted").arg(all));

        shelf->levels()->setCurrentIndex(shelf->levels()->findData(s("3")));
        QVERIFY(table->rowCount() > 3 && table->rowCount() < all);
        for (int row = 0; row < table->rowCount(); ++row)
            QCOMPARE(table->item(row, 1)->text(), s("3"));
        QCOMPARE(shelf->filter()->countText(), s("%1 of %2 shown").arg(table->rowCount()).arg(all));
        shelf->states()->setCurrentIndex(shelf->states()->findText(s("tried")));
        QCOMPARE(table->rowCount(), 1);
        QCOMPARE(shelf->chosen(), s("dot"));
        QCOMPARE(shelf->beginButton()->text(), s("Go on"));
        shelf->filter()->text()->setText(s("nothing is called this"));
        QCOMPARE(table->rowCount(), 0);
        QVERIFY(shelf->chosen().isEmpty() && !shelf->beginButton()->isVisibleTo(shelf));
        shelf->filter()->clear();
        QCOMPARE(table->rowCount(), all);
        shelf->filter()->text()->setText(s("FlashAttention"));
        QCOMPARE(shelf->chosen(), s("flash"));
        shelf->beginButton()->click();
        QCOMPARE(person.window->currentPage(), s("kernel/flash"));
        // Each draft of a lab can be read, and nonsense in one is no grade.
        Json nonsense = toJson(solved);
        for (const char* bad : {R"({"points": "all", "out_of": 100})", R"({"points": 200, "out_of": 100})", R"([1])"}) {
            nonsense["best"] = *parseJson(bad, "best");
            QVERIFY(!draftFromJson(nonsense, "map").best);
        }
    }

    /// A drawing, hints one at a time, and the explanation once it was solved.
    void aTaskIsDrawnHintedAndExplained()
    {
        Author author("compaction");
        TaskGuide* guide = author.panel->guide();
        const TaskCourse course = *taskCourse(*shippedTask("compaction"));
        const auto told = [guide] {
            QStringList all;
            for (const QLabel* label : guide->findChildren<QLabel*>())
                all << label->text();
            return all.join(u'\n');
        };
        auto* drawing = guide->findChild<CodeView*>(s("taskDrawing"));
        QVERIFY(drawing && drawing->toPlainText() + u'\n' == QString::fromStdString(course.picture));
        const int hints = int(course.hints.size());
        for (int at = 0; at < hints; ++at) {
            QVERIFY(guide->hintButton()->isVisibleTo(guide));
            QVERIFY(!told().contains(QString::fromStdString(course.hints[std::size_t(at)])));
            QTest::keyClick(guide->hintButton(), Qt::Key_Space);
            QCOMPARE(guide->hintsTold(), at + 1);
            QVERIFY(told().contains(QString::fromStdString(course.hints[std::size_t(at)])));
        }
        QVERIFY(!guide->hintButton()->isVisibleTo(guide));
        // Another task has hints of its own; those that were told stay told.
        QComboBox* picker = author.panel->picker();
        const int here = picker->currentIndex();
        const auto choose = [&](int index) {
            picker->setCurrentIndex(index);
            Q_EMIT picker->activated(index);
        };
        choose(picker->findData(s("dot")));
        QCOMPARE(guide->hintsTold(), 0);
        choose(here);
        QCOMPARE(guide->hintsTold(), hints);
        QVERIFY(told().contains(QString::fromStdString(course.hints[0])));

        const QString explanation = QString::fromStdString(course.explanation);
        QVERIFY(!guide->explanation() && !told().contains(explanation));
        GradedKernel graded;
        graded.task = *shippedTask("compaction");
        graded.facts.target = "sim:h100-sxm";
        graded.verdict.accepted = false;
        author.panel->setVerdict(graded, {});
        QVERIFY(!guide->explanation());
        graded.verdict.accepted = true;
        graded.verdict.points = 90;
        author.panel->setVerdict(graded, {});
        QVERIFY(guide->explanation() && told().contains(explanation));
        int solutions = 0;
        for (QPushButton* show : guide->findChildren<QPushButton*>())
            if (show->isCheckable()) {
                show->click();
                ++solutions;
            }
        QCOMPARE(solutions, 2);
        QStringList shown;
        for (const CodeView* view : guide->findChildren<CodeView*>())
            if (view->isVisibleTo(guide))
                shown << view->toPlainText() + u'\n';
        QVERIFY(shown.contains(QString::fromStdString(solutionOf("compaction"))));
        QVERIFY(shown.contains(QString::fromStdString(*secondSolution(*shippedTask("compaction")))));
    }

    void anyKernelCanBeForATask()
    {
        Person person("vector_add.cu");
        GradePanel* panel = person.bench()->gradePanel();
        QVERIFY(!panel->gradeButton()->isEnabled());
        QVERIFY(!person.bench()->canGrade());
        QVERIFY(!panel->keepButton()->isVisibleTo(panel));
        panel->picker()->setCurrentIndex(panel->picker()->findData(s("dot")));
        Q_EMIT panel->picker()->activated(panel->picker()->currentIndex());
        QVERIFY(panel->gradeButton()->isEnabled());
        Q_EMIT panel->starterWanted(s("dot"));
        QCOMPARE(person.window->currentPage(), s("kernel/dot"));
        // The other one remembers what it is for.
        QVERIFY(person.window->open(s("kernel/vector_add")).ok());
        QCOMPARE(person.bench()->gradePanel()->task(), std::string("dot"));
    }

    /// The launch that is filled in is one that works: the starter runs at once.
    void theStarterRuns()
    {
        Author author("matmul");
        if (!canCompile(author))
            QSKIP("no compiler here");
        QVERIFY(author.compiled());
        QVERIFY2(author.bench()->canRun(), "the form is not whole");
        QVERIFY(author.ran());
    }

    /// "Which checks passed" kept back until the deadline: the verdict of a kernel is one.
    void anAssignmentKeepsTheVerdictBack()
    {
        Author author("saxpy");
        if (!canCompile(author))
            QSKIP("no compiler here");
        AppContext& context = *author.place.context;
        const auto accept = [&](const char* created, const char* deadline) {
            classroom::Assignment week;
            week.id = "0190a1b2-0000-7000-8000-000000000001";
            week.title = "Week 1";
            week.teacher = "Dr. R. Hopper";
            week.createdAt = created;
            week.deadline = deadline;
            week.feedback = {{"passed", classroom::FeedbackWhen::Deadline}};
            week.lessons = classroom::assignedLessons(context.curriculum(), {"kernel-saxpy"}).value();
            const auto bytes =
                classroom::createAssignment(week, classroom::classKeysFromSeed(std::string(32, 'k')).value())->bytes;
            QVERIFY(classroom::acceptAssignment(author.place.home().toStdString(), bytes, "x").ok());
            context.feedback().reload();
        };
        accept("2026-01-01T00:00:10.000Z", "2098-03-08T18:00:00.000Z");
        author.write(solutionOf("saxpy"));
        QVERIFY(author.graded());
        QVERIFY(author.bench()->grading()->graded()->verdict.accepted);
        const QString held = author.panel->verdictText();
        QVERIFY2(held.startsWith(s("Graded.")) && held.contains(s("Week 1")), qPrintable(held));
        for (const QString& word : author.words())
            QVERIFY2(!word.contains(s("ccepted")) && !word.contains(s("points")), qPrintable(word));
        QVERIFY(!author.panel->guide()->explanation());
        // It can be handed in, and the list of tasks says no more.
        QVERIFY(author.kept());
        const auto standing = [&] { return taskStandings(context, {}).at("saxpy"); };
        QCOMPARE(standing().state, TaskStanding::State::Tried);
        accept("2026-01-01T00:00:11.000Z", "2026-01-02T00:00:00.000Z");
        QTRY_VERIFY(author.panel->verdictText().startsWith(s("Accepted: 100 of 100 points")));
        QCOMPARE(standing().state, TaskStanding::State::Accepted);
    }

    void whatIsRightIsAcceptedAndKept()
    {
        Author author("saxpy");
        if (!canCompile(author))
            QSKIP("no compiler here");
        author.write(solutionOf("saxpy"));
        const std::string gradedText = author.bench()->editor()->toPlainText().toStdString();
        test::Heartbeat heart;
        QVERIFY(author.graded());
        QVERIFY2(heart.worstBusy() < 100, qPrintable(QString::number(heart.worstBusy())));
        const GradedKernel& graded = *author.bench()->grading()->graded();
        QVERIFY(graded.verdict.accepted);
        QCOMPARE(graded.verdict.points, 100.0);
        const auto* outputs = author.bench()->findChild<NumberTable*>(s("buffers"))->table();
        QVERIFY(outputs->rowCount() > 0);
        for (int row = 0; row < outputs->rowCount(); ++row)
            QVERIFY(!outputs->item(row, 3)->text().startsWith(s("≠")));
        QCOMPARE(graded.facts.cases, gradeCases(graded.task, "sim", kSecret));
        QVERIFY(author.panel->verdictText().startsWith(s("Accepted: 100 of 100 points")));
        auto* agreement = author.panel->findChild<QLabel*>(s("agreement"));
        QVERIFY(agreement && agreement->text().contains(s("the CPU’s reference agree at all")));
        const QStringList words = author.words();
        const auto instructions = words.indexOf(s("Executed instructions")), time = words.indexOf(s("Time"));
        QVERIFY(instructions >= 0 && time > instructions);
        QVERIFY(words.contains(s("20 of 20")) && words.contains(s("40 of 40")));
        for (const GradeCase& each : graded.facts.cases) {
            const QString size = s("n = ") + QString::fromStdString(toText(each.sizes.at("n")));
            QVERIFY2(words.contains(size), qPrintable(size));
        }
        QCOMPARE(words.filter(s("✓ right")).size(), qsizetype(graded.facts.cases.size()));
        QCOMPARE(author.bench()->history().versions().back().text, gradedText);

        // What is kept is the text that was graded, also where another one stands there by now.
        author.bench()->editor()->insertPlainText(s("// later\n"));
        QVERIFY(author.kept());
        QVERIFY(!author.panel->keepButton()->isEnabled());
        record::Store* store = author.place.context->store();
        record::LearnerRows rows;
        rows.artifacts = *store->artifacts("kernel-saxpy");
        QCOMPARE(rows.artifacts.size(), std::size_t{1});
        const auto handedIn = classroom::handedInKernel(rows);
        QVERIFY(handedIn.has_value());
        QCOMPARE(handedIn->points, 100.0);
        QCOMPARE(handedIn->fileName, std::string("saxpy.cu"));
        QCOMPARE(*store->file(handedIn->sha256), gradedText);

        // Whoever comes back finds it explained, and the list says what it came to.
        QVERIFY(author.panel->guide()->solved());
        QVERIFY(author.window->open(s("kernel")).ok());
        TaskShelf* shelf = author.page->shelf()->tasks();
        shelf->filter()->text()->setText(s("saxpy"));
        QCOMPARE(shelf->table()->item(0, 3)->text(), s("✓ accepted, 100 %"));
        shelf->filter()->clear();
        {
            Author again("saxpy");
            QVERIFY(!again.panel->guide()->solved()); // somebody else
        }
        QVERIFY(author.window->open(s("kernel/task/saxpy")).ok());
        QVERIFY(author.panel->guide()->solved());

        // Graded again it is a further version of the same.
        QVERIFY(author.graded());
        QVERIFY(author.kept());
        QCOMPARE(store->artifacts("kernel-saxpy")->size(), std::size_t{1});
        rows.artifacts = *store->artifacts("kernel-saxpy");
        QVERIFY(store->file(classroom::handedInKernel(rows)->sha256)->find("// later") != std::string::npos);
    }

    /// What limits an accepted kernel, and what to change first, by rules over the grading's figures.
    void aGradingIsExplained()
    {
        GradedKernel graded;
        graded.task = *shippedTask("saxpy");
        GradeCase timed;
        timed.sizes = {{"n", std::int64_t{1} << 20}};
        timed.timed = true;
        graded.facts.cases = {timed};
        for (const double slower : {1.0, 3.0, 2.0}) {
            LaunchFacts launch;
            launch.timed = true;
            launch.elements = 1;
            launch.seconds = slower * 10e-6;
            launch.referenceSeconds = 10e-6;
            graded.facts.launches.push_back(launch);
        }
        GradeVerdict& verdict = graded.verdict;
        verdict.roof.bytesPerSecond = 3e12;
        verdict.roof.flopsPerSecond = 6e13;
        verdict.floorSeconds = floorSeconds(graded.task, timed.sizes, verdict.roof);
        QVERIFY(!explainGrade(graded)); // rejected: the reasons say what to do
        verdict.accepted = true;
        verdict.instructionRatio = 1;
        verdict.timeRatio = 2;
        verdict.points = 84;
        auto said = explainGrade(graded);
        QVERIFY2(said->limit.contains(s("takes 20 µs")) && said->limit.contains(s("the bytes that any kernel")),
                 qPrintable(said->limit));
        // 12 B an element at 3 TB/s, nine tenths of that: 3.77 us.
        QVERIFY2(said->limit.contains(s("5.3 times that")), qPrintable(said->limit));
        QVERIFY2(said->ours.contains(s("2.6 times the least")), qPrintable(said->ours));
        QVERIFY2(said->change.contains(s("so it waits")) && said->change.contains(s("16 points are left")),
                 qPrintable(said->change));
        verdict.instructionRatio = 4.04;
        QVERIFY(explainGrade(graded)->change.startsWith(s("Fewer instructions come first: it executes 4 times")));
        verdict.instructionRatio.reset();
        QVERIFY(explainGrade(graded)->change.contains(s("2 times as long as our solution")));
        verdict.timeRatio = 0.5;
        verdict.points = 100;
        QCOMPARE(explainGrade(graded)->change, s("It is 2 times as fast as our solution."));
        // Where the machine does little in a second, the operations are the floor.
        verdict.roof.flopsPerSecond = 1e11;
        verdict.floorSeconds = floorSeconds(graded.task, timed.sizes, verdict.roof);
        QVERIFY(explainGrade(graded)->limit.contains(s("the operations that any kernel must do")));
        // Without a clock nothing is said of times.
        verdict.timeRatio.reset();
        verdict.floorSeconds = 0;
        said = explainGrade(graded);
        QVERIFY(said->limit.isEmpty() && said->ours.isEmpty() && said->change.isEmpty());
    }

    void withoutAClockTimeIsNotGraded()
    {
        Author author("saxpy");
        GradedKernel graded;
        graded.task = *shippedTask("saxpy");
        graded.facts.target = "sim:agx-orin-64";
        graded.verdict.accepted = true;
        graded.verdict.points = graded.verdict.outOf = 60;
        graded.verdict.instructionRatio = 1;
        graded.verdict.timeNotGraded =
            "sim:agx-orin-64 has no clock; grade on sim:rtx3050-laptop, the nearest chip that has one";
        author.panel->setVerdict(graded, {});
        QVERIFY2(author.panel->verdictText().startsWith(
                     s("Accepted: 60 of 60 points on sim:agx-orin-64. Time is not graded")),
                 qPrintable(author.panel->verdictText()));
        QVERIFY(author.words().contains(s("of 60 points on sim:agx-orin-64")));
        QVERIFY(author.words().contains(s("not graded")) && author.words().contains(s("20 of 20")));
        QVERIFY(!author.words().filter(s("grade on sim:rtx3050-laptop")).isEmpty());
    }

    void whatIsWrongIsToldWithPlaceAndAdvice()
    {
        Author author("transpose");
        if (!canCompile(author))
            QSKIP("no compiler here");
        author.write(attack("missing_barrier"));
        QVERIFY(author.graded());
        const GradeVerdict& verdict = author.bench()->grading()->graded()->verdict;
        QVERIFY(!verdict.accepted);
        QCOMPARE(verdict.reasons.front().id, std::string("race"));
        QVERIFY(verdict.reasons.front().line > 0);
        QVERIFY(author.panel->verdictText().startsWith(s("Rejected")));
        auto* card = author.panel->findChild<Card*>(s("reason-race"));
        QVERIFY(card);
        QCOMPARE(card->accessibleName(), QString::fromStdString(reasonWords("race").title));
        QStringList told;
        for (const QLabel* label : card->findChildren<QLabel*>())
            told << label->text();
        const QString all = told.join(u'\n');
        QVERIFY2(all.contains(s("rows = ")), qPrintable(all)); // where
        QVERIFY2(all.contains(s("What to do: ")), qPrintable(all));
        card->findChild<QPushButton*>()->click();
        QCOMPARE(author.bench()->editor()->currentLine(), verdict.reasons.front().line);
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(author.bench()->editor()));

        // Sizes: which of them came out wrong.
        Author other("saxpy");
        other.write(attack("aligned_sizes_only"));
        QVERIFY(other.graded());
        QCOMPARE(other.bench()->grading()->graded()->verdict.reasons.front().id, std::string("aligned-sizes-only"));
        QVERIFY(!other.words().filter(s("results wrong")).isEmpty());
        QVERIFY(!other.words().filter(s("✓ right")).isEmpty());
        QVERIFY(other.panel->findChild<Card*>(s("reason-aligned-sizes-only")));
        // What stands in the output, beside what should: the wrong ones are marked and differ.
        const auto* table = other.bench()->findChild<NumberTable*>(s("buffers"))->table();
        int wrong = 0;
        for (int row = 0; row < table->rowCount(); ++row) {
            const QString after = table->item(row, 3)->text(), expected = table->item(row, 4)->text();
            const bool marked = after.startsWith(s("≠ "));
            wrong += marked;
            if (marked)
                QVERIFY(after.mid(2).toDouble() != expected.toDouble());
            else
                QVERIFY(std::abs(after.toDouble() - expected.toDouble()) < 1e-5);
        }
        QVERIFY(wrong > 0);
        other.bench()->findChild<QTabWidget*>(s("kernelBelow"))->setCurrentIndex(2);
        other.shot("kernel_expected");
    }

    void whatDoesNotCompileIsNotGraded()
    {
        Author author("saxpy");
        if (!canCompile(author))
            QSKIP("no compiler here");
        author.write(solutionOf("saxpy") + "\nthis is no C++\n");
        QVERIFY(author.graded());
        QVERIFY(!author.bench()->grading()->graded());
        QVERIFY(author.panel->verdictText().isEmpty());
        QCOMPARE(author.words().front(), s("Not graded"));
        QVERIFY(!author.panel->keepButton()->isVisibleTo(author.panel));
        QVERIFY(author.bench()->canGrade());
    }

    /// Stop ends the worker, and the verdict before it stays the last one that may be kept.
    void simulatorGpuAndReferenceAreSetSideBySide()
    {
        const auto graded = [](Provenance provenance, std::vector<std::uint64_t> wrong) {
            GradedKernel kernel;
            kernel.facts.provenance = provenance;
            kernel.facts.target = provenance == Provenance::Simulated ? "sim:h100-sxm" : "gpu:0";
            for (std::size_t at = 0; at < wrong.size(); ++at) {
                GradeCase each;
                each.sizes = {{"n", std::int64_t(10 + at)}};
                kernel.facts.cases.push_back(each);
                LaunchFacts launch;
                launch.at = at;
                launch.elements = 8;
                launch.wrong = wrong[at];
                kernel.facts.launches.push_back(launch);
            }
            return kernel;
        };
        using State = KernelAgreement::State;
        const GradedKernel right = graded(Provenance::Simulated, {0, 0});
        const GradedKernel wrong = graded(Provenance::Simulated, {0, 3});
        const GradedKernel gpu = graded(Provenance::Measured, {0, 0});
        const auto alone = agreementOf(right, nullptr, s("There is no driver."));
        QVERIFY(alone && alone->state == State::Agree);
        QVERIFY2(alone->sentence.contains(s("agree at all 2 sizes")) && alone->sentence.contains(s("no driver")),
                 qPrintable(alone->sentence));
        QVERIFY(agreementOf(right, nullptr, {})->sentence.contains(s("gpu:0")));
        QVERIFY(agreementOf(right, &gpu, {})->sentence.contains(s("So simulator and GPU agree")));
        const auto apart = agreementOf(wrong, &gpu, {});
        QVERIFY(apart->state == State::Disagree);
        QVERIFY2(apart->sentence.contains(s("1 of 2 sizes: n = 11")) &&
                     apart->sentence.contains(s("disagree on this text")),
                 qPrintable(apart->sentence));
        QVERIFY(agreementOf(gpu, &wrong, {})->state == State::Disagree);
        QVERIFY(agreementOf(wrong, &wrong, {})->sentence.contains(s("Neither is right")));
        QVERIFY(!agreementOf(GradedKernel(), nullptr, {}));
    }

    void gradingCanBeStopped()
    {
        Author author("matmul");
        if (!canCompile(author))
            QSKIP("no compiler here");
        author.write(attack("never_ends"));
        author.bench()->grade(kSecret);
        QVERIFY(author.bench()->running());
        QVERIFY(!author.panel->gradeButton()->isEnabled());
        QCOMPARE(author.page->runningJobs(), 1);
        KernelJob* job = author.bench()->grading()->job();
        QTRY_VERIFY_WITH_TIMEOUT(job->processId() != 0, kRunMs);
        QVERIFY(job->processId() != QApplication::applicationPid());
        QSignalSpy done(job, &KernelJob::done);
        author.place.actions->find(s("run.stop"))->trigger();
        QVERIFY(done.count() == 1 || done.wait(kRunMs));
        QVERIFY(!author.bench()->running());
        QCOMPARE(author.words().front(), s("Stopped"));
        QVERIFY(!author.bench()->grading()->graded());
        QVERIFY(author.bench()->canGrade());
    }

    void byKeyboardAlone()
    {
        Author author("saxpy");
        if (!canCompile(author))
            QSKIP("no compiler here");
        author.write(solutionOf("saxpy"));
        QAction* grade = author.place.actions->find(s("run.grade"));
        QVERIFY(grade->isEnabled());
        QCOMPARE(grade->shortcut(), QKeySequence(s("Ctrl+Shift+F5")));
        QSignalSpy done(author.bench()->grading()->job(), &KernelJob::done);
        grade->trigger();
        QVERIFY(done.wait(kRunMs));
        // With a secret of its own the sizes are others, and what is right stays right.
        QVERIFY(author.bench()->grading()->graded()->verdict.accepted);
        QVERIFY(author.bench()->grading()->graded()->facts.cases !=
                gradeCases(author.bench()->grading()->graded()->task, "sim", kSecret));
        author.panel->keepButton()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(author.panel->keepButton(), Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(author.bench()->grading()->kept(), KernelGrading::Kept::Yes, kRunMs);
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("textPercent");
        for (const char* theme : {"light", "dark"})
            for (const char* what : {"accepted", "rejected", "task"})
                QTest::addRow("%s %s", what, theme) << s(what) << s(theme) << 100;
        QTest::newRow("rejected 200") << s("rejected") << s("light") << 200;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, what);
        QFETCH(QString, theme);
        QFETCH(int, textPercent);
        Author author("saxpy");
        if (!hasCompiler(*author.place.context, s("nvrtc"), s("13.0")))
            QSKIP("the picture is that of NVRTC 13.0");
        QVERIFY(author.place.theme.load(theme).ok());
        author.place.theme.setTextScale(textPercent / 100.0);
        if (what != s("task")) {
            author.write(what == s("accepted") ? solutionOf("saxpy") : attack("aligned_sizes_only"));
            QVERIFY(author.graded());
        }
        QVERIFY(author.compiled());
        author.hideMachine();
        const QString name = s("kernel_grade_%1_%2").arg(what, theme);
        const QString wrong = textPercent == 100 ? golden::checkView(name, *author.page)
                                                 : golden::checkImage(name + s("_200"), author.page->grab().toImage());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestKernelGrading)
#include "tst_kernel_grading.moc"
