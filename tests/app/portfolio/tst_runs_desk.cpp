// SPDX-License-Identifier: GPL-3.0-or-later
// What a learner does with stored runs: tag, note a failure, make an artifact, choose among many.
#include "tests/app/window/shell_fixture.h"

#include "app/portfolio/artifact_view.h"
#include "app/portfolio/portfolio_page.h"
#include "app/portfolio/reproduce_panel.h"
#include "app/runs/table/run_detail.h"
#include "app/runs/table/runs_page.h"
#include "app/runs/table/tag_field.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "classroom/kernel_work.h"
#include "evidence/artifact_draft.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTreeView>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QTreeView* table(RunsPage& page)
{
    return page.findChild<QTreeView*>();
}

void choose(RunsPage& page, int row)
{
    table(page)->setCurrentIndex(page.model()->index(row, 0));
}

void typeTag(RunsPage& page, const char* label)
{
    page.perform(Page::Command::Tag);
    QTest::keyClicks(page.tags()->field(), s(label));
    QTest::keyClick(page.tags()->field(), Qt::Key_Return);
}

QComboBox* picker(RunsPage& page, const char* name)
{
    for (QComboBox* box : page.findChildren<QComboBox*>())
        if (box->accessibleName() == s(name))
            return box;
    return nullptr;
}

} // namespace

class TestRunsDesk : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tagIsPutOnFilteredAndUndone()
    {
        Workplace place;
        const std::string first = place.store(Workplace::run(1));
        place.store(Workplace::run(2, "s2"));
        RunsPage page(*place.context);
        page.show();
        QTRY_COMPARE(page.model()->total(), 2);
        QVERIFY(page.open(QString::fromStdString(first)).ok());
        typeTag(page, "baseline ");
        QTRY_COMPARE(page.tags()->tags(), QStringList{s("baseline")});
        const auto rows = place.context->store()->tags();
        QVERIFY(rows.ok());
        QCOMPARE(rows->size(), std::size_t{1});
        QCOMPARE(rows->front().subjectId, first);
        QCOMPARE(rows->front().subjectKind, std::string("run"));

        QComboBox* tags = picker(page, "Tag");
        QTRY_COMPARE(tags->count(), 2);
        tags->setCurrentIndex(1);
        QCOMPARE(page.model()->shown(), 1);
        page.filters()->clear();
        QCOMPARE(page.model()->shown(), 2);
        page.filters()->text()->setText(s("baseline"));
        QCOMPARE(page.model()->shown(), 1);
        page.filters()->clear();

        QVERIFY(page.can(Page::Command::Undo));
        page.perform(Page::Command::Undo);
        QTRY_VERIFY(page.tags()->tags().isEmpty());
        QVERIFY(page.can(Page::Command::Redo));
        page.perform(Page::Command::Redo);
        QTRY_COMPARE(page.tags()->tags(), QStringList{s("baseline")});
        // Nothing was ever deleted: on, off, on.
        QCOMPARE(place.context->store()->tags()->size(), std::size_t{1});
    }

    void tagComesOffByKeyboard()
    {
        Workplace place;
        place.store(Workplace::run(1));
        RunsPage page(*place.context);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QTRY_COMPARE(page.model()->total(), 1);
        choose(page, 0);
        typeTag(page, "odd");
        QTRY_COMPARE(page.tags()->tags().size(), 1);
        QTest::keyClick(page.tags()->field(), Qt::Key_Backtab, Qt::ShiftModifier);
        QCOMPARE(QApplication::focusWidget()->accessibleName(), s("Take off the tag odd"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QTRY_VERIFY(page.tags()->tags().isEmpty());
        QCOMPARE(QApplication::focusWidget(), page.tags()->field());
    }

    void aSweepIsTaggedAsOne()
    {
        Workplace place;
        for (const int stride : {1, 2, 4})
            place.store(Workplace::run(stride, "sweep"));
        place.store(Workplace::run(1, "other"));
        RunsPage page(*place.context);
        page.show();
        QTRY_COMPARE(page.model()->total(), 4);
        page.findChild<QCheckBox*>()->setChecked(true);
        for (int row = 0; row < page.model()->rowCount(); ++row)
            if (!page.model()->sweep(page.model()->index(row, 0)).isEmpty())
                choose(page, row);
        QCOMPARE(page.findChild<RunDetail*>()->runs().size(), std::size_t{3});
        typeTag(page, "ladder");
        QTRY_COMPARE(page.tags()->tags(), QStringList{s("ladder")});
        QCOMPARE(place.context->store()->tags("sweep").value().front().subjectId, std::string("sweep"));
        // Its runs carry it, the other one does not.
        page.filters()->text()->setText(s("ladder"));
        QCOMPARE(page.model()->shown(), 3);
    }

    void failureIsNotedWithOneClick()
    {
        Workplace place;
        record::RunRow failed = Workplace::run(2, "s1", "2.4");
        failed.metrics.clear();
        failed.status = "failed";
        failed.error = Error{"out-of-memory", "The device has no room for 8 GiB", "gpu:0", "choose fewer elements"};
        const std::string id = place.store(failed);
        RunsPage page(*place.context);
        page.show();
        QTRY_COMPARE(page.model()->total(), 1);
        QVERIFY(page.model()->run(page.model()->index(0, 0))->failed);
        choose(page, 0);
        QVERIFY(page.can(Page::Command::NoteFailure));
        QSignalSpy opened(place.context.get(), &AppContext::openRequested);
        page.perform(Page::Command::NoteFailure);
        QTRY_COMPARE(opened.count(), 1);
        const auto journal = place.context->store()->journal();
        QVERIFY(journal.ok());
        QCOMPARE(journal->size(), std::size_t{1});
        const record::JournalRow& entry = journal->front();
        QCOMPARE(entry.kind, std::string("failure"));
        QCOMPARE(entry.runIds, std::vector<std::string>{id});
        QCOMPARE(entry.lesson, std::string("2.4"));
        QVERIFY(entry.title.find("out-of-memory") != std::string::npos);
        QVERIFY(entry.text.find("no room for 8 GiB") != std::string::npos);
        QCOMPARE(opened.front().front().toString(), s("portfolio/journal/") + QString::fromStdString(entry.entryId));
    }

    void finishedRunsHaveNoFailureToNote()
    {
        Workplace place;
        place.store(Workplace::run(1));
        RunsPage page(*place.context);
        page.show();
        QTRY_COMPARE(page.model()->total(), 1);
        QVERIFY(!page.can(Page::Command::Ship));
        choose(page, 0);
        QVERIFY(page.can(Page::Command::Ship));
        QVERIFY(!page.can(Page::Command::NoteFailure));
    }

    void chosenRunsBecomeADraft()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        for (const int stride : {1, 2})
            place.store(Workplace::run(stride));
        RunsPage page(*place.context);
        page.show();
        QTRY_COMPARE(page.model()->total(), 2);
        table(page)->selectAll();
        QSignalSpy opened(place.context.get(), &AppContext::openRequested);
        page.perform(Page::Command::Ship);
        QCOMPARE(opened.count(), 1);
        const QString wanted = opened.front().front().toString();
        QVERIFY(wanted.startsWith(s("portfolio/edit/")));
        const auto draft = readDraft(place.context->store()->folder(), wanted.section(u'/', 2).toStdString());
        QVERIFY(draft.has_value());
        QCOMPARE(draft->runIds.size(), std::size_t{2});
        QVERIFY(!draft->code.empty()); // the kernel that ran
        QCOMPARE(place.context->store()->artifacts()->size(), std::size_t{0});
    }

    void manyRunsComeInTwoSteps()
    {
        Workplace place;
        for (int i = 0; i < 700; ++i)
            place.context->store()->append(Workplace::run(1 << (i % 6), "sweep" + std::to_string(i / 100)));
        place.context->store()->flush();
        RunsPage page(*place.context);
        QList<int> totals; // the first step may be over before anybody looks
        const auto note = [&] { totals << page.model()->total(); };
        connect(page.model(), &QAbstractItemModel::modelReset, this, note);
        page.show();
        QTRY_COMPARE(page.model()->total(), 700);
        QVERIFY(totals.contains(256));
        QTRY_VERIFY(page.ready());
        // A choice too large to be read at once is read beside the window.
        table(page)->selectAll();
        QVERIFY(!page.ready());
        QTRY_VERIFY(page.ready());
        QCOMPARE(page.findChild<RunDetail*>()->runs().size(), std::size_t{700});
        const QString path = place.home() + s("/all.csv");
        QVERIFY(page.exportTo(path).ok());
        QCOMPARE(QString::fromStdString(*readFile(path.toStdString())).count(s("\r\n")), 701);
    }

    void headsSayWhatTheRowsSay()
    {
        Workplace place;
        record::RunRow row = Workplace::run(4, "s9", "2.4");
        row.metrics["time"] = {2.5e-6, "s", Provenance::Simulated};
        const std::string id = place.store(row);
        const auto heads = place.context->store()->runHeads({.metricOf = {{"coalescing", "time"}}});
        QVERIFY(heads.ok());
        QCOMPARE(heads->size(), std::size_t{1});
        const record::RunHead& head = heads->front();
        QCOMPARE(head.id, id);
        QCOMPARE(head.sweepId, std::string("s9"));
        QCOMPARE(head.metric, std::string("time"));
        QCOMPARE(head.value, 2.5e-6);
        QCOMPARE(head.unit, std::string("s"));
        QVERIFY(!head.failed && head.errorCode.empty());
        // A metric that the run does not have gives its first one.
        const auto other = place.context->store()->runHeads({.metricOf = {{"coalescing", "nothing"}}});
        QCOMPARE(other->front().metric, std::string("sectors_per_request"));
        QCOMPARE(place.context->store()->runHeads({.after = head.position})->size(), std::size_t{0});
        QCOMPARE(place.context->store()->runHeads({.before = head.position})->size(), std::size_t{0});
    }

    void filterBarKeepsWhatIsChosenAndWraps()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        FilterBar bar(theme, s("Words"), s("any word"));
        QComboBox* box = bar.addPicker(s("Fruit"), s("All"));
        bar.fill(box, QStringList{s("apple"), s("pear")});
        QSignalSpy changed(&bar, &FilterBar::changed);
        box->setCurrentIndex(2);
        QCOMPARE(changed.count(), 1);
        bar.fill(box, QStringList{s("pear"), s("plum")});
        QCOMPARE(box->currentData().toString(), s("pear"));
        QCOMPARE(changed.count(), 1); // the same is let through
        bar.fill(box, QStringList{s("plum")});
        QCOMPARE(box->currentIndex(), 0);
        QCOMPARE(changed.count(), 2);
        bar.resize(900, 40);
        bar.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bar));
        QVERIFY(std::abs(box->mapTo(&bar, QPoint(0, 0)).y() - bar.text()->mapTo(&bar, QPoint(0, 0)).y()) < 10);
        bar.resize(200, 90);
        QTRY_VERIFY(box->mapTo(&bar, QPoint(0, 0)).y() > bar.text()->mapTo(&bar, QPoint(0, 0)).y() + 10);
    }

    /// On a chip that the learner picks; what cannot run the artifact's experiments is not offered.
    void anotherTargetIsPicked()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const std::string id = place.storeArtifact();
        PortfolioPage page(*place.context);
        page.resize(1200, 900);
        page.show();
        QVERIFY(page.open(QString::fromStdString(id)).ok());
        const auto picker = [&] { return page.view()->findChild<QComboBox*>(s("reproduceTarget")); };
        QCOMPARE(picker()->currentData().toString(), QString());
        QVERIFY(picker()->findData(s("sim:t4")) > 0);
        QCOMPARE(picker()->findData(s("model")), -1); // no closed form of it
        const int gpu = picker()->findData(s("gpu:0"));
        if (gpu >= 0 && !place.context->targetInfo(s("gpu:0")).available) {
            const QModelIndex index = picker()->model()->index(gpu, 0);
            QVERIFY(!(index.flags() & Qt::ItemIsEnabled));
            QVERIFY(!index.data(Qt::ToolTipRole).toString().isEmpty());
        }
        // By keyboard: typing finds the entry, Enter takes it.
        picker()->setFocus();
        picker()->setCurrentIndex(picker()->findData(s("sim:t4")));
        Q_EMIT picker()->activated(picker()->currentIndex());
        QCOMPARE(page.reproduction()->chosen(id), s("sim:t4"));
        QSignalSpy ended(page.reproduction(), &ReproduceRun::ended);
        page.perform(Page::Command::Reproduce); // Ctrl+R goes where the picker says
        QVERIFY(!picker()->isEnabled());
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        const auto rows = place.context->store()->reproductions(id);
        QCOMPARE(rows->size(), std::size_t{1});
        QCOMPARE(rows->front().target, std::string("sim:t4"));
        QCOMPARE(picker()->currentData().toString(), s("sim:t4")); // the page was built anew
        QVERIFY(picker()->isEnabled());
    }

    /// No run stands behind it: it is the text that is graded again, by one press as runs are repeated.
    void aGradedKernelIsGradedAgain()
    {
        Workplace place;
        const auto task = shippedTask("saxpy");
        const auto source = readFile(task->folder / "solution.cu");
        QVERIFY(place.context->store() && source);
        const auto request = gradeRequest(*task, {"saxpy.cu", *source, false}, "sim:l40s", "a secret");
        const auto facts = classroom::workerGrader()(request);
        QVERIFY(facts);
        const auto id = classroom::keepKernel(*place.context->store(), *task, request, *facts, judge(*task, *facts));
        QVERIFY(id);
        PortfolioPage page(*place.context);
        page.resize(1200, 900);
        page.show();
        QVERIFY(page.open(QString::fromStdString(*id)).ok());
        QVERIFY(page.can(Page::Command::Reproduce));
        // Its lesson is a task of the kernels' page.
        QSignalSpy opened(place.context.get(), &AppContext::openRequested);
        for (QPushButton* button : page.view()->findChildren<QPushButton*>())
            if (button->text() == s("Open its task"))
                button->click();
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.at(0).at(0).toString(), s("kernel/task/saxpy"));
        const auto* where = page.view()->findChild<QComboBox*>(s("reproduceTarget"));
        QVERIFY(where->isEnabled() && where->findData(s("cpu")) < 0 && where->findData(s("model")) < 0);
        QSignalSpy ended(page.reproduction(), &ReproduceRun::ended);
        page.resize(1200, 480);
        QTest::qWait(20);
        auto* start = page.view()->findChild<QPushButton*>(s("reproduce"));
        QScrollBar* bar = page.view()->scroll()->verticalScrollBar();
        page.view()->scroll()->ensureWidgetVisible(start);
        start->setFocus();
        const int at = bar->value();
        QVERIFY(at > 0);
        QTest::mouseClick(start, Qt::LeftButton);
        QCOMPARE(bar->value(), at); // the pressed button is greyed, and the page stays
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        QCOMPARE(page.view()->findChild<QLabel*>(s("verdict"))->text(), s("Reproduced"));
        QTest::qWait(50);
        QVERIFY2(bar->value() >= at, "the page jumped to its top");
        QCOMPARE(page.focusWidget()->objectName(), s("reproduce"));
        const QLabel* verdict = page.view()->findChild<QLabel*>(s("verdict"));
        QVERIFY(page.rect().contains(QRect(verdict->mapTo(&page, QPoint(0, 0)), verdict->size())));
        const QTreeView* pairs = nullptr;
        for (const QTreeView* view : page.view()->findChildren<QTreeView*>())
            if (view->accessibleName() == s("Then and now"))
                pairs = view;
        QVERIFY(pairs);
        QCOMPARE(pairs->model()->rowCount(), 8);
        const QModelIndex first = pairs->model()->index(0, ReproductionModel::Run);
        QCOMPARE(first.data().toString(), s("The same cases"));
        QCOMPARE(first.siblingAtColumn(ReproductionModel::Metric).data().toString(), s("Accepted (1: yes)"));
        QCOMPARE(first.siblingAtColumn(ReproductionModel::Now).data().toString(), s("1"));
    }
};

QTEST_MAIN(TestRunsDesk)
#include "tst_runs_desk.moc"
