// SPDX-License-Identifier: GPL-3.0-or-later
// An artifact is written, saved in versions, reproduced; failures and decisions are noted. Through the real pages.
#include "tests/app/window/shell_fixture.h"

#include "app/drawing/charts/cost_bar.h"
#include "app/drawing/charts/sweep_chart.h"
#include "app/portfolio/artifact_bundle.h"
#include "app/portfolio/artifact_editor.h"
#include "app/portfolio/artifact_view.h"
#include "app/portfolio/journal_view.h"
#include "app/portfolio/portfolio_page.h"
#include "app/portfolio/reproduce_panel.h"
#include "app/runs/table/tag_field.h"
#include "app/theme/kept_units.h"
#include "app/ui/learner_choices.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "evidence/artifact_draft.h"
#include "tests/golden/golden.h"

#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QTreeView>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// Every text that the page shows.
QString words(QWidget& widget)
{
    QStringList all;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        all << label->text();
    return all.join(u'\n');
}

QPlainTextEdit* textField(PortfolioPage& page, const char* name)
{
    return qobject_cast<QPlainTextEdit*>(page.editor()->field(s(name)));
}

/// What a row of the record needs to be the same in every picture.
record::RunRow oldRun(int stride)
{
    record::RunRow row = Workplace::run(stride);
    row.createdAt = "2020-01-02T03:04:05.000Z";
    return row;
}

/// Once it has come to rest: nothing that follows typing is still to come, and a second picture is the first.
QImage pictureOf(QWidget& widget, Theme& theme, QSize size, double scale)
{
    theme.setTextScale(scale);
    widget.resize(size * scale);
    widget.show();
    widget.ensurePolished();
    QImage image;
    const auto rests = [&] {
        for (const QTimer* timer : widget.findChildren<QTimer*>())
            if (timer->isSingleShot() && timer->isActive())
                return false;
        QImage next(widget.size(), QImage::Format_RGB32);
        next.fill(theme.color(Role::Window));
        QPainter painter(&next);
        widget.render(&painter, {}, {}, QWidget::DrawChildren);
        painter.end();
        std::swap(image, next);
        return image == next;
    };
    (void)QTest::qWaitFor(rests, 10000);
    return image;
}

} // namespace

class TestDesk : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void artifactIsMadeWithoutALesson()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const std::string run = place.store(Workplace::run(2));
        PortfolioPage page(*place.context);
        page.show();
        const std::string id = newUuid7();
        QVERIFY(page.open(s("edit/") + text(id)).ok());
        const auto untitled = page.editor()->save();
        QCOMPARE(untitled.error().code, std::string("no-title"));
        QTest::keyClicks(page.editor()->field(s("title")), s("Stride two"));
        QTest::keyClicks(textField(page, "claim"), s("Eight sectors at stride 2."));
        QTest::keyClicks(textField(page, "method"), s("One run."));
        page.editor()->addRuns({run});
        QSignalSpy opened(place.context.get(), &AppContext::openRequested);
        page.perform(Page::Command::Ship);
        QTRY_COMPARE(opened.count(), 1);
        const auto stored = place.context->store()->artifacts();
        QCOMPARE(stored->size(), std::size_t{1});
        const record::ArtifactRow& row = stored->front();
        QCOMPARE(row.title, std::string("Stride two"));
        QVERIFY(row.lesson.empty());
        QCOMPARE(row.runIds, std::vector<std::string>{run});
        QCOMPARE(row.sections.at("method"), std::string("One run."));
        QCOMPARE(row.trust, std::string("T1"));
        QCOMPARE((*row.charts).size(), std::size_t{1});
        QVERIFY(!readDraft(place.context->store()->folder(), id).has_value());
        QCOMPARE(opened.front().front().toString(), s("artifact/") + text(row.artifactId));
    }

    void typedTextIsOnDiskWithinTwoSeconds()
    {
        Workplace place;
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(s("edit/d1")).ok());
        QVERIFY(!readDraft(place.context->store()->folder(), "d1").has_value());
        QTest::keyClicks(textField(page, "claim"), s("Kept"));
        const auto kept = [&] {
            const auto draft = readDraft(place.context->store()->folder(), "d1");
            return draft && draft->claim == "Kept";
        };
        QTRY_VERIFY_WITH_TIMEOUT(kept(), 2000);
    }

    void draftSurvivesTheWindow()
    {
        Workplace place;
        {
            PortfolioPage page(*place.context);
            page.show();
            QVERIFY(page.open(s("edit/d1")).ok());
            QTest::keyClicks(page.editor()->field(s("title")), s("Half done"));
        } // closed a moment after the last key
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open({}).ok());
        QVERIFY(words(page).contains(s("Half done")));
        QVERIFY(page.open(s("edit/d1")).ok());
        QCOMPARE(text(page.editor()->document()->row().title), s("Half done"));
        QCOMPARE(page.title(), s("Half done (draft)"));
    }

    void aDraftMayBeSavedTwiceAndLeftBeforeItIsStored()
    {
        Workplace place;
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(s("edit/d1")).ok());
        QTest::keyClicks(page.editor()->field(s("title")), s("Once"));
        QVERIFY(page.editor()->save().ok());
        QVERIFY(page.editor()->save().ok());   // a second click
        QVERIFY(page.open(s("edit/d2")).ok()); // another one before the first is stored
        QTRY_COMPARE(place.context->store()->artifacts()->size(), std::size_t{1});
        QCOMPARE(text(page.editor()->document()->id()), s("d2"));
    }

    void stepsAreTakenBackAndMadeAgain()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const std::string run = place.store(Workplace::run(2));
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(s("edit/d1")).ok());
        QVERIFY(!page.can(Page::Command::Undo));
        QPlainTextEdit* claim = textField(page, "claim");
        QTest::keyClicks(claim, s("One word"));
        page.editor()->addRuns({run});
        QCOMPARE(page.editor()->document()->row().runIds.size(), std::size_t{1});
        page.perform(Page::Command::Undo);
        QVERIFY(page.editor()->document()->row().runIds.empty());
        QCOMPARE(claim->toPlainText(), s("One word"));
        QTest::keyClick(claim, Qt::Key_Z, Qt::ControlModifier); // the field hands it to the document
        QVERIFY(claim->toPlainText().isEmpty());                // typing without a pause is one step
        page.perform(Page::Command::Redo);
        page.perform(Page::Command::Redo);
        QCOMPARE(claim->toPlainText(), s("One word"));
        QCOMPARE(page.editor()->document()->row().runIds.size(), std::size_t{1});
        page.editor()->removeRuns({run});
        QVERIFY(page.editor()->document()->row().charts->empty());
    }

    void aVersionStandsBesideTheOneBefore()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const std::string id = place.storeArtifact();
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(text(id)).ok());
        QVERIFY(page.can(Page::Command::EditArtifact));
        QVERIFY(page.open(s("edit/") + text(id)).ok());
        QCOMPARE(textField(page, "claim")->toPlainText(), s("Eight sectors at stride 2."));
        textField(page, "claim")->setPlainText(s("Eight sectors, four times the bytes asked for, 385 GB/s."));
        QVERIFY(page.editor()->save().ok());
        QTRY_COMPARE(place.context->store()->artifactVersions(id)->size(), std::size_t{2});
        QCOMPARE(place.context->store()->artifacts()->size(), std::size_t{1});
        QTRY_COMPARE(page.artifacts(), 1);
        QVERIFY(page.open(text(id)).ok());
        QVERIFY(words(*page.view()).contains(s("four times the bytes")));
        // No line ends between a number and its unit or inside the unit.
        QVERIFY(words(*page.view()).contains(keptUnits(s("for, 385 GB/s."))));
        QVERIFY(!words(*page.view()).contains(s("385 GB/s")));
        QVERIFY(words(*page.view()).contains(s("the claim")));
        // The one that was shipped is as it was.
        QVERIFY(page.open(text(id) + u'@' + text(id)).ok());
        QVERIFY(words(*page.view()).contains(s("Eight sectors at stride 2.")));
        QVERIFY(words(*page.view()).contains(s("This is an earlier version")));
        QVERIFY(!page.open(text(id) + s("@nope")).ok());
    }

    /// A chart of an artifact is of the kind that its experiment declares, over the runs of its own block.
    void chartsAreOfTheKindThatIsDeclared()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        record::ArtifactRow row;
        row.kind = "profile";
        row.title = "Bytes of training";
        row.lesson = "5.1";
        const auto add = [&](const char* optimizer, const char* block, double weights) {
            record::RunRow run = Workplace::run(1, "s", "5.1");
            run.experiment = "capacity";
            run.block = block;
            run.target = "model";
            run.params = {{"optimizer", std::string(optimizer)}};
            run.metrics.clear();
            for (const auto& [name, value] : {std::pair("weights", weights), std::pair("gradients", 2e9),
                                              std::pair("optimizer", 12e9), std::pair("states", weights + 14e9)})
                run.metrics[name] = {value, "bytes", Provenance::Modelled};
            row.runIds.push_back(place.store(run));
        };
        add("adam", "sweep-states", 2e9);
        add("sgd", "sweep-states", 3e9);
        add("adam_8bit", "another", 4e9);
        row.charts =
            Json::array({Json{{"block", "sweep-states"},
                              {"experiment", "capacity"},
                              {"chart", "states_over_optimizer"},
                              {"caption", "Adam keeps six bytes for each of weights."}},
                         Json{{"block", "another"}, {"experiment", "capacity"}, {"chart", "states_over_zero"}}});
        row.fingerprint = Json{{"chip", "h100-sxm"}};
        const std::string id = place.store(row);
        PortfolioPage page(*place.context);
        page.resize(1200, 2600);
        page.show();
        QVERIFY(page.open(text(id)).ok());
        std::vector<const CostPlot*> bars;
        for (const PlotChart* chart : page.view()->findChildren<PlotChart*>())
            if (const auto* cost = dynamic_cast<const CostPlot*>(chart->plot().get()))
                bars.push_back(cost);
        QCOMPARE(bars.size(), std::size_t{1});
        QCOMPARE(bars[0]->data().parts.size(), std::size_t{3});
        QCOMPARE(bars[0]->data().bars.size(), std::size_t{2});                   // of its block alone
        QCOMPARE(page.view()->findChildren<SweepChart*>().size(), qsizetype{1}); // the other one is a curve
        if (const QString folder = qEnvironmentVariable("RIDGE_SHOTS"); !folder.isEmpty())
            page.grab().save(folder + s("/artifact_cost.png"));
        QTemporaryDir out;
        const auto folder = exportArtifact(*place.context->store(), id, place.context->experiments(),
                                           std::filesystem::path(out.path().toStdString()));
        QVERIFY2(folder.ok(), folder ? "" : toText(folder.error()).c_str());
        const auto picture = [&](const char* name) { return QImage(text((*folder / name).string())); };
        const QImage exported = picture("chart-1.png");
        QVERIFY(!exported.isNull());
        // Three parts have three colours, and they cover much of the picture; a curve has none of that.
        Theme light(nullptr, Theme::Scope::Detached);
        QVERIFY(light.load(s("light")).ok());
        const auto share = [&](const QImage& image, int series) {
            qint64 found = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    found += image.pixelColor(x, y).rgb() == light.series(series).rgb();
            return double(found) / (double(image.width()) * image.height());
        };
        QVERIFY2(share(exported, 2) > 0.05, qPrintable(QString::number(share(exported, 2))));
        QVERIFY(share(picture("chart-2.png"), 2) < 0.01);
        if (const QString shots = qEnvironmentVariable("RIDGE_SHOTS"); !shots.isEmpty())
            exported.save(shots + s("/artifact_export.png"));
    }

    void takingOutCanBeTakenBack()
    {
        Workplace place;
        const std::string id = place.storeArtifact();
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(text(id)).ok());
        Q_EMIT page.view()->removeRequested();
        QTRY_COMPARE(page.artifacts(), 0);
        QVERIFY(page.open({}).ok());
        QVERIFY(!page.open(text(id)).ok());
        QVERIFY(page.can(Page::Command::Undo));
        page.perform(Page::Command::Undo);
        QTRY_COMPARE(page.artifacts(), 1);
        QVERIFY(page.open(text(id)).ok());
    }

    void artifactIsTagged()
    {
        Workplace place;
        const std::string id = place.storeArtifact();
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(text(id)).ok());
        page.perform(Page::Command::Tag);
        QTest::keyClicks(page.view()->tags()->field(), s("thesis\r"));
        QTRY_COMPARE(page.view()->tags()->tags(), QStringList{s("thesis")});
        QCOMPARE(place.context->store()->tags("artifact", id)->size(), std::size_t{1});
    }

    void hintLeadsToTheFieldThatAnswersIt()
    {
        Workplace place;
        PortfolioPage page(*place.context);
        page.resize(1200, 800);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QVERIFY(page.open(s("edit/d1")).ok());
        QCOMPARE(page.editor()->hints()->hints(), 0);
        QTest::keyClicks(textField(page, "claim"), s("The kernel takes 12."));
        QTRY_VERIFY(page.editor()->hints()->hints() > 0);
        QVERIFY(words(*page.editor()->hints()).contains(s("The number 12 has no unit.")));
        page.setFocus();
        QPushButton* add = nullptr;
        for (QPushButton* button : page.editor()->hints()->findChildren<QPushButton*>())
            if (button->accessibleName().contains(s("counts or measures")))
                add = button;
        QVERIFY(add);
        add->click();
        QCOMPARE(QApplication::focusWidget(), textField(page, "claim"));
    }

    void decisionIsWrittenFoundChangedAndTakenAway()
    {
        Workplace place;
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(s("journal/decision")).ok());
        QVERIFY(page.can(Page::Command::Commit));
        QCOMPARE(page.journal()->save().error().code, std::string("no-title"));
        QTest::keyClicks(page.journal()->titleField(), s("Tiles of 64"));
        QTest::keyClicks(page.journal()->textField(), s("128 spills registers."));
        QSignalSpy opened(place.context.get(), &AppContext::openRequested);
        page.perform(Page::Command::Commit);
        QTRY_COMPARE(opened.count(), 1);
        QTRY_COMPARE(page.journal()->model()->rowCount(), 1);
        auto entries = place.context->store()->journal();
        QCOMPARE(entries->front().kind, std::string("decision"));
        const std::string id = entries->front().entryId;

        // The form of a new one is empty again, and the entry opens by its page.
        QVERIFY(page.open(s("journal/decision")).ok());
        QVERIFY(page.journal()->titleField()->text().isEmpty());
        QVERIFY(page.open(s("journal/") + text(id)).ok());
        QCOMPARE(page.journal()->titleField()->text(), s("Tiles of 64"));
        page.journal()->textField()->setPlainText(s("128 spills; 64 does not."));
        QVERIFY(page.journal()->save().ok());
        QTRY_COMPARE(text(place.context->store()->journal()->front().text), s("128 spills; 64 does not."));
        QCOMPARE(place.context->store()->journal()->size(), std::size_t{1});

        page.journal()->model()->setQuery(s("SPILLS"), {});
        QCOMPARE(page.journal()->model()->rowCount(), 1);
        page.journal()->model()->setQuery({}, s("failure"));
        QCOMPARE(page.journal()->model()->rowCount(), 0);
        page.journal()->model()->setQuery({}, {});

        QVERIFY(page.open(s("journal/") + text(id)).ok());
        page.journal()->remove();
        QTRY_COMPARE(page.journal()->model()->rowCount(), 0);
        QVERIFY(page.can(Page::Command::Undo));
        page.perform(Page::Command::Undo);
        QTRY_COMPARE(page.journal()->model()->rowCount(), 1);
        QVERIFY(!page.open(s("journal/nope")).ok());
    }

    void typedEntryIsKeptAsADraft()
    {
        Workplace place;
        {
            PortfolioPage page(*place.context);
            page.show();
            QVERIFY(page.open(s("journal/failure")).ok());
            QTest::keyClicks(page.journal()->titleField(), s("It hangs"));
        }
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(s("journal/failure")).ok());
        QCOMPARE(page.journal()->titleField()->text(), s("It hangs"));
        QVERIFY(page.open(s("journal/decision")).ok());
        QVERIFY(page.journal()->titleField()->text().isEmpty());
    }

    void simulatedRunsReproduceAndSaySo()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const std::string id = place.storeArtifact();
        PortfolioPage page(*place.context);
        page.resize(1200, 900);
        page.show();
        QVERIFY(page.open(text(id)).ok());
        QVERIFY(page.can(Page::Command::Reproduce));
        QSignalSpy ended(page.reproduction(), &ReproduceRun::ended);
        page.perform(Page::Command::Reproduce);
        QCOMPARE(page.runningJobs(), 1);
        QVERIFY(!page.can(Page::Command::Reproduce)); // one at a time
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        const auto rows = place.context->store()->reproductions(id);
        QCOMPARE(rows->size(), std::size_t{1});
        QCOMPARE(page.runningJobs(), 0);
        auto* verdict = page.view()->findChild<QLabel*>(s("verdict"));
        QVERIFY(verdict);
        QVERIFY2(rows->front().pairs.size() >= 3, rows->front().verdict.c_str());
        QTreeView* table = nullptr;
        for (QTreeView* view : page.view()->findChildren<QTreeView*>())
            if (view->accessibleName() == s("Then and now"))
                table = view;
        QVERIFY(table);
        QCOMPARE(table->model()->rowCount(), static_cast<int>(rows->front().pairs.size()));
        const QModelIndex first = table->model()->index(0, 0);
        QVERIFY(first.siblingAtColumn(ReproductionModel::Then).data().toString().contains(s("sectors")));
        QVERIFY(!first.siblingAtColumn(ReproductionModel::Now).data().toString().isEmpty());
    }

    void reproductionIsStoppedWithoutAVerdict()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const std::string id = place.storeArtifact();
        PortfolioPage page(*place.context);
        page.show();
        QVERIFY(page.open(text(id)).ok());
        QSignalSpy ended(page.reproduction(), &ReproduceRun::ended);
        page.perform(Page::Command::Reproduce);
        page.cancelRuns();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 20000);
        QCOMPARE(place.context->store()->reproductions(id)->size(), std::size_t{0});
        QVERIFY(page.can(Page::Command::Reproduce));
    }

    void keyboardAloneWritesSavesAndEdits()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_N, Qt::ControlModifier);
        auto* page = qobject_cast<PortfolioPage*>(window.page());
        QVERIFY(page);
        QCOMPARE(QApplication::focusWidget(), page->editor()->field(s("title")));
        QTest::keyClicks(QApplication::focusWidget(), s("By hand"));
        for (int i = 0; i < 3; ++i) // kind, level, question
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget(), textField(*page, "question"));
        QTest::keyClicks(QApplication::focusWidget(), s("Why"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QCOMPARE(QApplication::focusWidget(), textField(*page, "claim"));
        QTest::keyClicks(QApplication::focusWidget(), s("So"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(page->artifacts(), 1);
        QTRY_COMPARE(page->title(), s("By hand"));
        QCOMPARE(place.context->store()->artifacts()->front().question, std::string("Why"));
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(page->title(), s("By hand (draft)"));
        QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(page->title(), s("Journal"));
        QTRY_COMPARE(QApplication::focusWidget(), page->journal()->titleField());
        QTest::keyClicks(QApplication::focusWidget(), s("Decided"));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(place.context->store()->journal()->size(), std::size_t{1});
    }

    void structureOfHints()
    {
        Workplace place;
        const std::string id = place.storeArtifact();
        const auto bundle = loadArtifact(*place.context->store(), id);
        QVERIFY(bundle.ok());
        Json json = Json::object();
        const ClaimBasis basis{bundle->row, bundle->runs, bundle->reproductions, bundle->predictions};
        for (const TrustRung& rung : ladder(basis))
            json["ladder"].push_back(
                Json{{"level", rung.level}, {"asks", rung.asks}, {"missing", rung.missing}, {"field", rung.field}});
        json["hints"] = Json::array();
        for (const ClaimHint& hint : weakClaims(basis))
            json["hints"].push_back(Json{{"says", hint.says}, {"fix", hint.fix}, {"field", hint.field}});
        const QString wrong = golden::checkStructure(s("artifact_hints"), json);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* theme : {"light", "dark"})
            for (const double scale : {1.0, 2.0})
                QTest::addRow("%s %.0fx", theme, scale) << s(theme) << scale;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        Workplace place;
        QVERIFY(place.loadCatalogue());
        QVERIFY(place.theme.load(theme).ok());
        record::ArtifactRow row;
        for (const int stride : {1, 2, 4})
            row.runIds.push_back(place.store(oldRun(stride)));
        record::JournalRow failure;
        failure.entryId = newUuid7();
        failure.kind = "failure";
        failure.title = "Registers spilled at tiles of 128";
        failure.text = "The kernel was slower than the naive one until the tile shrank.";
        failure.createdAt = "2020-01-02T03:04:05.000Z";
        failure.lesson = "2.4";
        failure.runIds = {row.runIds.front()};
        place.store(failure);
        record::JournalRow decision = failure;
        decision.entryId = newUuid7();
        decision.kind = "decision";
        decision.title = "Tiles of 64";
        decision.createdAt = "2020-01-03T03:04:05.000Z";
        place.store(decision);
        row.kind = "benchmark report";
        row.title = "Sectors over stride";
        row.question = "How many sectors does a warp fetch?";
        row.claim = "Eight sectors at stride 2, and it takes 12.";
        row.sections = {{"method", "Three runs on the simulator."}};
        row.journalIds = {failure.entryId};
        row.charts = Json::array();
        row.fingerprint = Json{{"chip", "h100-sxm"}};
        row.level = 4;
        QVERIFY(writeDraft(place.context->store()->folder(), "draft", row).ok());
        PortfolioPage page(*place.context);
        QVERIFY(page.open(s("edit/draft")).ok());
        const auto check = [&](const char* name, QSize size) {
            const QImage picture = pictureOf(page, place.theme, size, scale);
            const QString full = s(name) + QLatin1Char('_') + theme;
            if (scale > 1)
                return golden::checkImage(full + s("_200"), picture);
            const QString once = golden::checkImage(full + s("_1x"), picture);
            return once.isEmpty() ? golden::checkImage(full + s("_2x"), golden::pictureOf(page, 2)) : once;
        };
        QString wrong = check("artifact_editor", {1200, 900});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QVERIFY(page.open(s("journal/") + text(failure.entryId)).ok());
        page.setFocus();
        wrong = check("journal", {1200, 620});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestDesk)
#include "tst_desk.moc"
