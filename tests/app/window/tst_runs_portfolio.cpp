// SPDX-License-Identifier: GPL-3.0-or-later
// Stored runs and artifacts: model, filters, exports, and an artifact as a folder.
#include "shell_fixture.h"

#include "app/portfolio/artifact_bundle.h"
#include "app/portfolio/artifact_card.h"
#include "app/portfolio/assemble_list.h"
#include "app/portfolio/portfolio_page.h"
#include "app/runs/table/run_data.h"
#include "app/runs/table/run_detail.h"
#include "app/runs/table/runs_model.h"
#include "app/runs/table/runs_page.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "tests/support/pace.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QUrl>

using namespace ridge;
using namespace ridge::app;

namespace {

std::vector<RunsModel::Entry> entries(int count)
{
    std::vector<RunsModel::Entry> made;
    for (int i = 0; i < count; ++i)
        made.push_back(RunsModel::makeEntry(Workplace::run(1 << (i % 6), "sweep" + std::to_string(i / 6)), {}));
    return made;
}

QByteArray bytesOf(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestRunsPortfolio : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void modelKeepsTheRulesOfModels()
    {
        RunsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEntries(entries(20));
        QCOMPARE(model.rowCount(), 20);
        model.sort(RunsModel::Parameters, Qt::AscendingOrder);
        model.setGrouped(true);
        QCOMPARE(model.rowCount(), 4);
        std::vector<int> children;
        for (int row = 0; row < 4; ++row)
            children.push_back(model.rowCount(model.index(row, 0)));
        std::sort(children.begin(), children.end());
        QCOMPARE(children, (std::vector<int>{2, 6, 6, 6}));
        model.setQuery({QStringLiteral("stride 4"), {}, {}, {}, {}});
        QVERIFY(model.shown() > 0 && model.shown() < 20);
        model.addEntries(entries(3));
        model.setGrouped(false);
        model.setQuery({});
        QCOMPARE(model.rowCount(), 23);
        model.setEntries({});
        QCOMPARE(model.rowCount(), 0);
    }

    void sameRunIsNotAddedTwice()
    {
        RunsModel model;
        const auto three = entries(3);
        model.setEntries(three);
        model.addEntries(three);
        QCOMPARE(model.total(), 3);
    }

    void strideSortsAsANumber()
    {
        RunsModel model;
        model.setEntries(entries(6));
        model.sort(RunsModel::Parameters, Qt::AscendingOrder);
        std::vector<std::int64_t> strides;
        for (int row = 0; row < 6; ++row)
            strides.push_back(std::get<std::int64_t>(model.run(model.index(row, 0))->point->params.at("stride")));
        QCOMPARE(strides, (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32}));
    }

    /// The experiment by its title, the result with what it is of, and no bare number of something else in its place.
    void aResultSaysWhatItIsOf()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        record::RunRow run = Workplace::run(4, {});
        RunsModel model;
        model.setEntries({RunsModel::makeEntry(run, place.context->experiments())});
        const auto cell = [&](RunsModel::Column column, int role = Qt::DisplayRole) {
            return model.index(0, column).data(role).toString();
        };
        QCOMPARE(cell(RunsModel::Experiment), QStringLiteral("Coalescing"));
        QCOMPARE(cell(RunsModel::Result), QStringLiteral("16 sectors/request"));
        for (const int role : {Qt::ToolTipRole, Qt::AccessibleTextRole})
            QCOMPARE(cell(RunsModel::Result, role), QStringLiteral("Sectors per request: 16 sectors/request"));
        model.setQuery({QStringLiteral("coalescing"), {}, {}, {}, {}});
        QCOMPARE(model.shown(), 1);
        run.metrics = {{"fits", {0, "1", run.provenance}}};
        model.setEntries({RunsModel::makeEntry(run, place.context->experiments())});
        QCOMPARE(cell(RunsModel::Result), QStringLiteral("–"));
    }

    void aChipHasItsNameAndAnswersToItsWord()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        record::RunRow run = Workplace::run(4, {});
        run.experiment = "gpu_choice";
        run.target = "model";
        run.params = {{"chip", std::string("h200-sxm")}};
        RunsModel model;
        model.setEntries({RunsModel::makeEntry(run, place.context->experiments())});
        QCOMPARE(model.index(0, RunsModel::Parameters).data().toString(), QStringLiteral("GPU H200 SXM 141GB"));
        for (const char* word : {"141gb", "h200-sxm", "chip=h200-sxm"}) {
            model.setQuery({QString::fromLatin1(word), {}, {}, {}, {}});
            QCOMPARE(model.shown(), 1);
        }
    }

    void thousandsOfRunsFilterFast()
    {
        RunsModel model;
        model.setEntries(entries(10000));
        const test::PacedClock clock;
        model.setQuery({QStringLiteral("stride 16 h100"), {}, {}, {}, {}});
        const double took = clock.ms();
        QCOMPARE(model.shown(), 3333); // stride 16, and stride 4 whose result is 16 sectors
        QVERIFY2(took < 100, qPrintable(QString::number(took)));
    }

    void csvQuotesAndKeepsUnits()
    {
        record::RunRow row = Workplace::run(2);
        row.validity = "too few, \"really\"";
        const QString csv = runsToCsv(std::vector{row});
        const QStringList lines = csv.split(QStringLiteral("\r\n"));
        QVERIFY(lines[0].contains(QStringLiteral("sectors_per_request [sectors/request]")));
        QVERIFY(lines[1].contains(QStringLiteral("\"too few, \"\"really\"\"\"")));
        QVERIFY(lines[1].contains(QStringLiteral(",2,8,")));
        QVERIFY(lines[1].contains(QStringLiteral("SIMULATED")));
    }

    /// What a run has nothing of is no row without a value.
    void factsHaveValues()
    {
        const auto rows = readableJson(Json{{"cores", 2}, {"kernels", Json::array()}, {"flags", Json{"a", "b"}}});
        QCOMPARE(rows.size(), std::size_t(2));
        for (const auto& [name, value] : rows)
            QVERIFY2(!value.isEmpty(), qPrintable(name));
    }

    void commandsRepeatASweep()
    {
        std::vector<record::RunRow> runs = {Workplace::run(1), Workplace::run(2), Workplace::run(4)};
        QCOMPARE(rerunCommands(runs), QStringList{QStringLiteral(
                                          "ridge run coalescing --target sim:h100-sxm --seed 1 --sweep stride=1,2,4")});
        runs.resize(1);
        QCOMPARE(rerunCommands(runs),
                 QStringList{QStringLiteral("ridge run coalescing --target sim:h100-sxm --seed 1 --set stride=1")});
        runs[0].target = "sim:x; rm -rf";
        QVERIFY(rerunCommands(runs).first().contains(QStringLiteral("'sim:x; rm -rf'")));
    }

    void chartTakesOnlyWhatItCanDraw()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const ExperimentInfo& info = *place.context->experiment("coalescing");
        std::vector<record::RunRow> runs = {Workplace::run(4), Workplace::run(1), Workplace::run(2)};
        runs.push_back(Workplace::run(8));
        runs.back().status = "failed";
        const ChartSpec spec{.id = "x", .title = "T", .x = "stride", .y = "sectors_per_request"};
        const SweepChartData data = chartOfRuns(runs, info, spec);
        QCOMPARE(data.series.size(), std::size_t{1});
        QCOMPARE(data.series[0].points.size(), std::size_t{3});
        QCOMPARE(data.series[0].points[0].x, 1.0);
        QCOMPARE(data.series[0].points[2].y, 16.0);
        runs[0].target = "sim:t4";
        QCOMPARE(chartOfRuns(runs, info, spec).series.size(), std::size_t{2});
    }

    void pageShowsStoredRunsAndGrows()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        for (const int stride : {1, 2, 4})
            place.store(Workplace::run(stride));
        RunsPage page(*place.context);
        page.show();
        QTRY_COMPARE(page.model()->total(), 3);
        place.store(Workplace::run(8, "s2"));
        QTRY_COMPARE(page.model()->total(), 4);
        const QString path = place.home() + QStringLiteral("/runs.csv");
        QVERIFY(page.exportTo(path).ok());
        QCOMPARE(bytesOf(path.toStdString()).count("\r\n"), 5);
        QVERIFY(!page.exportTo(QStringLiteral("/no/such/folder/runs.csv")).ok());
    }

    void pageSelectsOneRunAndRefusesUnknownOnes()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        place.store(Workplace::run(1));
        const std::string id = place.store(Workplace::run(2));
        RunsPage page(*place.context);
        page.show();
        QTRY_VERIFY(page.ready());
        QVERIFY(page.open(QString::fromStdString(id)).ok());
        auto* detail = page.findChild<RunDetail*>();
        QCOMPARE(detail->runs().size(), std::size_t{1});
        QCOMPARE(detail->runs().front().id, id);
        const auto missing = page.open(QStringLiteral("no-such-run"));
        QVERIFY(!missing.ok());
        QCOMPARE(missing.error().code, std::string("unknown-page"));
        QCOMPARE(detail->runs().front().id, id);
    }

    void answerIsTheRunThatWasPredicted()
    {
        record::PredictionRow prediction;
        prediction.id = "p";
        prediction.experiment = "coalescing";
        prediction.metric = "sectors_per_request";
        prediction.params = {{"stride", std::int64_t{2}}};
        std::vector<record::RunRow> runs = {Workplace::run(1), Workplace::run(2), Workplace::run(2)};
        QCOMPARE(answerTo(prediction, runs), &runs[1]);
        runs[2].predictionId = "p";
        QCOMPARE(answerTo(prediction, runs), &runs[2]);
        prediction.params = {{"stride", std::int64_t{64}}};
        QVERIFY(!answerTo(prediction, runs));
    }

    void artifactExportsAsAFolderThatChecks()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const std::string id = place.storeArtifact();
        const auto out = exportArtifact(*place.context->store(), id, place.context->experiments(),
                                        (place.home() + QStringLiteral("/out")).toStdString());
        QVERIFY2(out.ok(), out.ok() ? "" : toText(out.error()).c_str());
        for (const char* name : {"artifact.json", "runs.csv", "chart-1.png", "README.md", "SHA256SUMS"})
            QVERIFY2(std::filesystem::exists(*out / name), name);
        // Every sum agrees with the file it names.
        int lines = 0;
        for (const QByteArray& line : bytesOf(*out / "SHA256SUMS").trimmed().split('\n')) {
            const std::string name = line.mid(66).toStdString();
            QCOMPARE(line.left(64).toStdString(), sha256Hex(bytesOf(*out / name).toStdString()));
            ++lines;
        }
        QCOMPARE(lines, 4);
        const QByteArray readme = bytesOf(*out / "README.md");
        QVERIFY(readme.contains("ridge run coalescing --target sim:h100-sxm --seed 1 --sweep stride=1,2,4"));
        QVERIFY(readme.contains("predicted 16") && readme.contains("result 8"));
        QVERIFY(readme.contains("T1"));
        QVERIFY(!readme.contains(qgetenv("USER").isEmpty() ? "/home/" : qgetenv("USER") + "@"));
        const QImage chart(QString::fromStdString((*out / "chart-1.png").string()));
        QCOMPARE(chart.size(), QSize(1920, 1080));
        const auto json = parseJson(bytesOf(*out / "artifact.json").toStdString(), "artifact.json");
        QVERIFY(json.ok());
        QCOMPARE((*json)["runs"].size(), std::size_t{3});
        QCOMPARE((*json)["predictions"][0]["point"].get<double>(), 16.0);
    }

    void exportSaysWhatItCannotDo()
    {
        Workplace place;
        const std::string id = place.storeArtifact();
        const auto unknown = exportArtifact(*place.context->store(), "nope", {}, place.home().toStdString());
        QVERIFY(!unknown.ok());
        QCOMPARE(unknown.error().code, std::string("unknown-artifact"));
        QFile blocker(place.home() + QStringLiteral("/file"));
        QVERIFY(blocker.open(QIODevice::WriteOnly));
        const auto blocked =
            exportArtifact(*place.context->store(), id, {}, (place.home() + QStringLiteral("/file")).toStdString());
        QVERIFY(!blocked.ok());
        QCOMPARE(blocked.error().code, std::string("cannot-write"));
        // Without the catalogue the chart cannot be drawn; the rest is there and the README says so.
        const auto plain =
            exportArtifact(*place.context->store(), id, {}, (place.home() + QStringLiteral("/plain")).toStdString());
        QVERIFY(plain.ok());
        QVERIFY(bytesOf(*plain / "README.md").contains("is not drawn"));
    }

    /// The button stands at the end of a long page: so does what is wrong with the folder, and the field that mends it.
    void anExportThatFailsSaysSoAtItsFolder()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        place.storeArtifact();
        MainWindow& window = place.makeWindow();
        window.resize(1280, 720);
        QVERIFY(window.open(QStringLiteral("assemble/job")).ok());
        auto* list = window.page()->findChild<AssembleList*>();
        QVERIFY(list && list->count() == 1);
        list->item(0)->setCheckState(Qt::Checked);
        auto* folder = window.page()->findChild<QLineEdit*>(QStringLiteral("portfolio-folder"));
        auto* button = window.page()->findChild<QPushButton*>(QStringLiteral("portfolio-export"));
        QVERIFY(folder && button);
        folder->setText(place.home()); // is there already
        QTRY_VERIFY(button->isEnabled());
        button->click();
        const auto shown = [&]() -> Banner* {
            for (Banner* banner : window.page()->findChildren<Banner*>())
                if (banner->isVisible() && !banner->visibleRegion().isEmpty())
                    return banner;
            return nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(shown(), 30000);
        QVERIFY(std::abs(shown()->mapTo(&window, QPoint()).y() - folder->mapTo(&window, QPoint()).y()) < 150);
        QVERIFY(window.focusWidget() == folder);
    }

    void portfolioShowsWhatWasShipped()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        PortfolioPage page(*place.context);
        page.resize(1000, 700);
        page.show();
        QCOMPARE(page.artifacts(), 0);
        const std::string id = place.storeArtifact();
        QTRY_COMPARE(page.artifacts(), 1);
        QVERIFY(page.open(QString::fromStdString(id)).ok());
        QCOMPARE(page.title(), QStringLiteral("Sectors over stride"));
        QVERIFY(page.can(Page::Command::Export));
        QVERIFY(!page.open(QStringLiteral("nope")).ok());
        QCOMPARE(page.title(), QStringLiteral("Sectors over stride")); // stayed
    }

    /// A dot alone compares nothing; the prediction that was answered is the one to show.
    void aCardShowsWhatCanBeCompared()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        auto bundle = loadArtifact(*place.context->store(), place.storeArtifact());
        QVERIFY(bundle.ok() && !bundle->predictions.empty());
        record::PredictionRow dot = bundle->predictions.front();
        dot.id = "another";
        dot.metric = "no_such_metric";
        dot.low = dot.high = dot.point = 2;
        const auto answered = markOf(*bundle);
        QVERIFY(answered && answered->result);
        bundle->predictions.insert(bundle->predictions.begin(), dot);
        const auto shown = markOf(*bundle);
        QVERIFY(shown && shown->result && *shown->result == *answered->result);
        bundle->predictions.resize(1);
        QVERIFY(!markOf(*bundle));
        bundle->predictions.front().high = 4; // an interval is something
        QVERIFY(markOf(*bundle) && !markOf(*bundle)->result);
    }

    void anArtifactIsPulledOutAsAFolder()
    {
        Workplace place;
        QVERIFY(place.loadCatalogue());
        const std::string id = place.storeArtifact();
        const auto bundle = loadArtifact(*place.context->store(), id);
        QVERIFY(bundle.ok());
        ArtifactCard card(place.theme, bundle->row, markOf(*bundle));
        card.resize(card.sizeHint());
        card.show();
        QSignalSpy pulled(&card, &ArtifactCard::pulled), clicked(&card, &ArtifactCard::clicked);
        const QPoint from = card.rect().center(), to = from + QPoint(QApplication::startDragDistance() + 4, 0);
        QTest::mousePress(&card, Qt::LeftButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, to, card.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&card, &move);
        QCOMPARE(pulled.count(), 1);
        QTest::mouseRelease(&card, Qt::LeftButton, {}, to);
        QCOMPARE(clicked.count(), 0);
        QTest::mouseClick(&card, Qt::LeftButton, {}, from);
        QCOMPARE(clicked.count(), 1);

        const std::unique_ptr<QMimeData> mime(artifactDragMime(
            *place.context->store(), card.row(), place.context->experiments(), {}, card.grab().toImage()));
        QVERIFY(mime->hasImage());
        QVERIFY(mime->text().startsWith(QStringLiteral("Sectors over stride\nEight sectors")));
        QCOMPARE(mime->urls().size(), 1);
        const QDir folder(mime->urls().front().toLocalFile());
        QVERIFY(folder.exists(QStringLiteral("README.md")));
        QVERIFY(!folder.entryList({QStringLiteral("*.png")}).isEmpty());
    }
};

QTEST_MAIN(TestRunsPortfolio)
#include "tst_runs_portfolio.moc"
