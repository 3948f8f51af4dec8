// SPDX-License-Identifier: GPL-3.0-or-later
// The pure parts: charts from rows, explore models, factor sentences, forms, drafts.
#include "reader_support.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/sweep_plot.h"
#include "app/lesson/reader/blocks/answer_blocks.h"
#include "app/lesson/reader/blocks/explore_model.h"
#include "app/lesson/reader/blocks/predict_block.h"
#include "app/lesson/reader/blocks/prediction_input.h"
#include "app/lesson/reader/chart_data.h"
#include "app/lesson/reader/place_flash.h"
#include "app/session/draft_file.h"
#include "app/ui/parameter_form.h"

#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QSlider>
#include <QStyleOptionFrame>
#include <QVariantAnimation>
#include <numeric>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

class TestReaderParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void factorSentences();
    void chartGroupsRunsAndKeepsTheNewest();
    void aPredictionStandsOnItsOwnSeries();
    void namedValuesHaveAPlace();
    void timesOverDecadesHaveAPrefix();
    void chartWithoutRunsIsEmpty();
    void exploreFollowsTheRules();
    void shuffleIsFixedAndNeverSolved();
    void formHoldsLegalValues();
    void textsAreTypedAndFilesBrowsed();
    void fieldsShowTheirLargestValue_data();
    void fieldsShowTheirLargestValue();
    void predictionReadsWhatPeopleType();
    void predictionOfATimeIsWrittenWithItsUnit();
    void predictionOfATimeRefuses_data();
    void predictionOfATimeRefuses();
    void predictionOfBytes();
    void draftIsReplacedAndRemoved();
    void reducedMotionCutsWhereItWouldFade();
};

void TestReaderParts::factorSentences()
{
    const auto say = [](double point, double result, const char* limit, const char* unit = "ways") {
        return factorSentence(lessons::scorePrediction(point, point / 2, point * 2, result), unit, limit);
    };
    // Less is better where a metric has a lower bound, more where it has an upper one.
    QCOMPARE(say(4, 8, "lower"), QStringLiteral("2.0× too optimistic"));
    QCOMPARE(say(32, 8, "lower"), QStringLiteral("4.0× too pessimistic"));
    QCOMPARE(say(300, 100, "upper"), QStringLiteral("3.0× too optimistic"));
    QCOMPARE(say(4, 8, ""), QStringLiteral("2.0× too low"));
    QCOMPARE(say(8, 8, "lower"), QStringLiteral("Right on it"));
    QCOMPARE(say(100, 5, ""), QStringLiteral("20× too high"));
    QCOMPARE(say(0, 5, ""), QStringLiteral("5 ways too low")); // no factor from nothing
    QCOMPARE(say(0, 3.2e-5, "lower", "s"), QStringLiteral("32 µs too optimistic"));
    QCOMPARE(say(0, 5, "", "1"), QStringLiteral("5 too low"));
}

namespace {

ExperimentInfo someExperiment()
{
    ExperimentInfo info;
    info.id = "e";
    ParamSpec stride;
    stride.name = "stride";
    stride.title = "Stride";
    stride.unit = "elements";
    info.parameters = {stride};
    info.metrics = {{"m", "Sectors", "sectors", ""}};
    info.charts = {{"c", "Title", "stride", "m", ParamScale::Log2, ParamScale::Linear}};
    info.limits = {{"m", "the floor", "lower", "", ""}};
    return info;
}

record::RunRow someRun(std::int64_t stride, std::int64_t width, double value, std::int64_t seq)
{
    record::RunRow row;
    row.experiment = "e";
    row.target = "sim:x";
    row.status = "finished";
    row.validity = "valid";
    row.params = {{"stride", stride}, {"width", width}};
    row.metrics["m"] = {value, "sectors", Provenance::Simulated};
    row.limits["m"] = {1, "lower"};
    row.seq = seq;
    return row;
}

} // namespace

void TestReaderParts::chartGroupsRunsAndKeepsTheNewest()
{
    const auto info = someExperiment();
    std::vector<record::RunRow> rows{someRun(1, 4, 5, 1), someRun(2, 4, 8, 2), someRun(1, 8, 8, 3),
                                     someRun(1, 4, 4, 4)};
    rows.push_back(someRun(4, 4, 99, 5));
    rows.back().status = "failed";
    std::vector<const record::RunRow*> pointers;
    for (const auto& row : rows)
        pointers.push_back(&row);
    record::PredictionRow guess;
    guess.experiment = "e";
    guess.metric = "m";
    guess.params = {{"stride", std::int64_t(2)}};
    guess.point = 3;
    const auto data = makeChartData({info, info.charts[0], pointers, {&guess}});
    QCOMPARE(data.series.size(), 2u);
    QCOMPARE(data.series[0].name, QStringLiteral("width = 8"));
    QCOMPARE(data.series[1].name, QStringLiteral("width = 4")); // the newer one comes last
    QCOMPARE(data.series[1].points.size(), 2u);
    QCOMPARE(data.series[1].points[0].y, 4.0); // measured again: the newer value
    QCOMPARE(data.limitTitle, QStringLiteral("the floor"));
    QCOMPARE(data.predictions.size(), 1u);
    QCOMPARE(data.predictions[0].result.value_or(0), 8.0);
    QVERIFY(data.caption.contains(QStringLiteral("n = 3")));
    QVERIFY(data.caption.contains(QStringLiteral("valid")));
    rows[1].validity = "throttled";
    QVERIFY(makeChartData({info, info.charts[0], pointers, {}}).caption.contains(QStringLiteral("throttled")));
}

/// Beside the result of another setting a prediction would be a hit or a miss that nobody made.
void TestReaderParts::aPredictionStandsOnItsOwnSeries()
{
    const auto info = someExperiment();
    std::vector<record::RunRow> rows{someRun(1, 4, 1.4, 1), someRun(2, 4, 2.8, 2), someRun(1, 8, 10, 3),
                                     someRun(2, 8, 20, 4)};
    record::PredictionRow guess;
    guess.id = "guess";
    guess.experiment = "e";
    guess.metric = "m";
    guess.params = {{"stride", std::int64_t(1)}, {"width", std::int64_t(4)}};
    guess.point = 6.7;
    const auto shown = [&] {
        std::vector<const record::RunRow*> pointers;
        for (const auto& row : rows)
            pointers.push_back(&row);
        return makeChartData({info, info.charts[0], pointers, {&guess}});
    };
    SweepChartData data = shown();
    QCOMPARE(data.series[0].name, QStringLiteral("width = 4"));
    QCOMPARE(data.predictions[0].series, 0);
    QCOMPARE(data.predictions[0].result.value_or(0), 1.4); // 10 would be another width's
    QVERIFY(chartSummary(data).contains(QStringLiteral("width = 4: predicted 6.7")));
    guess.params["width"] = std::int64_t(16); // nothing ran there
    data = shown();
    QCOMPARE(data.predictions[0].series, -1);
    QVERIFY(!data.predictions[0].result);
    // On two chips it is the run that was made for it.
    guess.params["width"] = std::int64_t(4);
    rows[0].predictionId = "guess";
    rows.push_back(someRun(1, 4, 3, 5));
    rows.back().target = "sim:y";
    QCOMPARE(shown().predictions[0].result.value_or(0), 1.4);
}

void TestReaderParts::namedValuesHaveAPlace()
{
    auto info = someExperiment();
    ParamSpec precision;
    precision.name = "precision";
    precision.title = "Precision";
    precision.type = ParamType::Choice;
    precision.choices = {std::string("fp32"), std::string("fp16"), std::string("fp8")};
    info.parameters.push_back(precision);
    info.charts[0].x = "precision";
    std::vector<record::RunRow> rows{someRun(1, 4, 5, 1), someRun(1, 4, 8, 2), someRun(1, 4, 9, 3)};
    rows[0].params["precision"] = std::string("fp8");
    rows[1].params["precision"] = std::string("fp32");
    rows[2].params["precision"] = std::string("fp64"); // of another version of the experiment
    record::PredictionRow guess;
    guess.experiment = "e";
    guess.metric = "m";
    guess.params = {{"precision", std::string("fp8")}};
    const auto data = makeChartData({info, info.charts[0], {&rows[0], &rows[1], &rows[2]}, {&guess}});
    QCOMPARE(data.xNames, (QStringList{QStringLiteral("fp32"), QStringLiteral("fp16"), QStringLiteral("fp8")}));
    QCOMPARE(data.series.size(), 1u);
    QCOMPARE(data.series[0].points.size(), 2u);
    QCOMPARE(data.series[0].points[0].y, 8.0); // fp32 stands first
    QCOMPARE(data.series[0].points[1].x, 3.0);
    QCOMPARE(data.predictions[0].result.value_or(0), 5.0);
    QVERIFY(pointText(data, 0, 1).contains(QStringLiteral("Precision = fp8")));
    QVERIFY(chartSummary(data).contains(QStringLiteral("fp32")));
    const ChartTable table = sweepTable(data);
    QCOMPARE(std::get<QString>(table.rows[0][1]), QStringLiteral("fp32"));
    QVERIFY(!table.columns[1].numeric);
    const SweepPlot plot(data);
    // Of a long list (GPUs) only what was run stands below, each name under its own point.
    QCOMPARE(plot.axes().x.ticks.size(), std::size_t{2});
    QCOMPARE(plot.axes().x.ticks[1].label, QStringLiteral("fp8"));
    QCOMPARE(std::get<QString>(plot.table().rows[1][1]), QStringLiteral("fp8"));
    QVERIFY(plot.pointText({0, 1}).contains(QStringLiteral("Precision = fp8")));
    auto shared = data; // charts side by side keep one axis
    shared.xMin = 1;
    shared.xMax = 3;
    QCOMPARE(SweepPlot(shared).axes().x.ticks.size(), std::size_t{3});
}

void TestReaderParts::timesOverDecadesHaveAPrefix()
{
    SweepChartData data;
    data.yTitle = QStringLiteral("Time");
    data.yUnit = QStringLiteral("s");
    data.yScale = ParamScale::Log2;
    data.series.push_back({QStringLiteral("a"), Provenance::Measured, {{1, 2e-7, {}}, {2, 3e-3, {}}}});
    const PlotAxes axes = SweepPlot(data).axes();
    QCOMPARE(axes.y.title, QStringLiteral("Time (µs)"));
    QCOMPARE(axes.y.unit, 1e-6);
    data.yUnit = QStringLiteral("GB/s"); // has its prefix already
    QCOMPARE(SweepPlot(data).axes().y.title, QStringLiteral("Time (GB/s)"));
}

void TestReaderParts::chartWithoutRunsIsEmpty()
{
    const auto info = someExperiment();
    const auto data = makeChartData({info, info.charts[0], {}, {}});
    QVERIFY(data.series.empty());
    QCOMPARE(data.xUnit, QStringLiteral("elements"));
    QCOMPARE(chartOf(info, "nothing")->id, std::string("c"));
    QVERIFY(!chartOf(ExperimentInfo{}, "c"));
}

void TestReaderParts::exploreFollowsTheRules()
{
    for (const std::int64_t stride : {1, 2, 3, 4, 7, 8, 9, 32, 128}) {
        const auto warp = explore("warp_access", {{"stride", stride}, {"element_bytes", std::int64_t(4)}});
        QCOMPARE(warp.metrics.at("sectors_per_request"), double(std::min<std::int64_t>(32, 4 * stride)));
        const auto bank = explore("bank_access", {{"stride", stride}, {"word_bytes", std::int64_t(4)}});
        QCOMPARE(bank.metrics.at("wavefronts_per_request"), double(std::gcd(stride, std::int64_t(32))));
    }
    const auto shifted = explore("warp_access", {{"stride", std::int64_t(1)}, {"offset", std::int64_t(1)}});
    QCOMPARE(shifted.metrics.at("sectors_per_request"), 5.0);

    QVERIFY(!exploreModel("warp"));
}

void TestReaderParts::shuffleIsFixedAndNeverSolved()
{
    QCOMPARE(shuffledOrder(5, "a"), shuffledOrder(5, "a"));
    for (int i = 0; i < 200; ++i) {
        auto order = shuffledOrder(3, "block-" + std::to_string(i));
        QVERIFY(!std::ranges::is_sorted(order));
        std::ranges::sort(order);
        QCOMPARE(order, std::vector<int>({0, 1, 2}));
    }
}

void TestReaderParts::formHoldsLegalValues()
{
    Bench bench;
    ParamSpec power;
    power.name = "n";
    power.title = "Size";
    power.min = 1;
    power.max = 1024;
    power.scale = ParamScale::Log2;
    power.defaultValue = std::int64_t(4);
    power.defaultFor = {{"gpu", std::int64_t(64)}};
    ParamSpec list;
    list.name = "w";
    list.title = "Width";
    list.scale = ParamScale::List;
    list.choices = {std::int64_t(4), std::int64_t(8)};
    list.min = 4;
    list.max = 8;
    list.defaultValue = std::int64_t(4);
    ParameterForm form(bench.app().theme(), {power, list}, {{"w", std::int64_t(7)}}, "gpu");
    QCOMPARE(form.values().at("n"), ParamValue(std::int64_t(64)));
    QCOMPARE(form.values().at("w"), ParamValue(std::int64_t(4))); // 7 is not legal: the default
    form.show();
    QSignalSpy changed(&form, &ParameterForm::changed);
    form.findChild<QSlider*>()->setValue(10);
    QCOMPARE(form.values().at("n"), ParamValue(std::int64_t(1024)));
    auto* field = form.findChild<QLineEdit*>(QStringLiteral("param:n"));
    QCOMPARE(field->text(), QStringLiteral("1024"));
    field->setText(QStringLiteral("2^5"));
    Q_EMIT field->editingFinished();
    QCOMPARE(form.values().at("n"), ParamValue(std::int64_t(32)));
    QCOMPARE(form.findChild<QSlider*>()->value(), 5);
    field->setText(QStringLiteral("5000"));
    Q_EMIT field->editingFinished();
    QCOMPARE(form.values().at("n"), ParamValue(std::int64_t(32)));
    QCOMPARE(field->text(), QStringLiteral("32"));
    QVERIFY(form.findChild<QLabel*>(QStringLiteral("wrong"))->text().contains(QStringLiteral("1024"))); // what is legal
    QCOMPARE(changed.size(), 2);
    // A number that stands for something is called so, without a unit: not "0 threads".
    list.unit = "threads";
    list.choices = {std::int64_t(0), std::int64_t(32)};
    list.choiceTitles = {"as few as fit", "32"};
    ParameterForm named(bench.app().theme(), {list}, {{"w", std::int64_t(0)}}, "gpu");
    auto* box = named.findChild<QComboBox*>(QStringLiteral("param:w"));
    QCOMPARE(box->currentText(), QStringLiteral("as few as fit"));
    QCOMPARE(box->itemText(1), QStringLiteral("32 threads"));
}

void TestReaderParts::textsAreTypedAndFilesBrowsed()
{
    Bench bench;
    ParamSpec word;
    word.name = "word";
    word.title = "Word";
    word.type = ParamType::Text;
    word.scale = ParamScale::List;
    word.defaultValue = std::string();
    ParamSpec file = word;
    file.name = "trace";
    file.title = "Trace";
    file.file = true;
    file.fileFilter = "Traces (*.trace)";
    ParameterForm form(bench.app().theme(), {word, file}, {}, "machine");
    QSignalSpy changed(&form, &ParameterForm::changed);
    QCOMPARE(std::get<std::string>(form.values().at("trace")), std::string());
    QVERIFY(!form.findChild<QWidget*>(QStringLiteral("browse:word")));
    QVERIFY(form.findChild<QWidget*>(QStringLiteral("browse:trace")));
    const auto typeInto = [&form](const char* name, const QString& text) {
        auto* field = form.findChild<QLineEdit*>(QString::fromUtf8(name));
        field->setText(text);
        Q_EMIT field->editingFinished();
        return field->text();
    };
    QCOMPARE(typeInto("param:word", QStringLiteral(" hello ")), QStringLiteral("hello"));
    QCOMPARE(std::get<std::string>(form.values().at("word")), std::string("hello"));
    // A worker has no folder of its own: what is given from here becomes a path from the root on.
    const QString whole = QDir::current().absoluteFilePath(QStringLiteral("a/b.trace"));
    QCOMPARE(typeInto("param:trace", QStringLiteral("a/b.trace")), whole);
    QCOMPARE(std::get<std::string>(form.values().at("trace")), whole.toStdString());
    QCOMPARE(changed.count(), 2);
    // What is no text shows why and leaves the last one in place.
    QCOMPARE(typeInto("param:word", QStringLiteral("two\u0007tones")), QStringLiteral("hello"));
    auto* wrong = form.findChild<QLabel*>(QStringLiteral("wrong"));
    QVERIFY(wrong && !wrong->isHidden());
    QVERIFY2(wrong->text().contains(QStringLiteral("control")) &&
                 wrong->text().endsWith(QStringLiteral("It stays hello.")),
             qPrintable(wrong->text()));
    QCOMPARE(typeInto("param:trace", QString()), QString());
    QVERIFY(wrong->isHidden());
    QCOMPARE(changed.count(), 3);
}

void TestReaderParts::fieldsShowTheirLargestValue_data()
{
    QTest::addColumn<double>("scale");
    QTest::newRow("100 %") << 1.0;
    QTest::newRow("200 %") << 2.0;
}

void TestReaderParts::fieldsShowTheirLargestValue()
{
    QFETCH(double, scale);
    Bench bench;
    ParamSpec set;
    set.name = "working_set";
    set.title = "Working set";
    set.unit = "bytes";
    set.min = 1024;
    set.max = 17179869184.0;
    set.scale = ParamScale::Log2;
    set.defaultValue = std::int64_t(16384);
    ParamSpec real = set; // written out as far as 10^15
    real.name = "data";
    real.type = ParamType::Real;
    real.unit = "B";
    real.min = 1e6;
    real.max = 1e13;
    real.defaultValue = 1e9;
    ParamSpec negative;
    negative.name = "shift";
    negative.title = "Shift";
    negative.unit = "elements";
    negative.min = -1234567890;
    negative.max = 1;
    negative.defaultValue = std::int64_t(0);
    ParameterForm form(bench.app().theme(), {set, real, negative}, {}, "sim");
    form.show();
    bench.app().theme().setTextScale(scale); // while it is shown, as from the menu
    const auto shows = [&](const char* name, ParamValue value) {
        form.setValue(name, value);
        auto* field = form.findChild<QLineEdit*>(QStringLiteral("param:") + QLatin1String(name));
        QCoreApplication::processEvents();
        QStyleOptionFrame option;
        option.initFrom(field);
        option.rect = field->rect();
        const int room = field->style()->subElementRect(QStyle::SE_LineEditContents, &option, field).width();
        // What QLineEdit keeps free beside the text on both sides, and the cursor.
        return field->fontMetrics().horizontalAdvance(field->text()) + 5 <= room;
    };
    QVERIFY(shows("working_set", std::int64_t(268435456)));
    auto* words = form.findChild<QLabel*>(QStringLiteral("words:working_set"));
    QCOMPARE(words->text(), QStringLiteral("256 MiB"));
    QVERIFY(words->width() >= words->sizeHint().width());
    QVERIFY(shows("working_set", std::int64_t(17179869184)));
    QVERIFY(shows("data", 1e13));
    QCOMPARE(form.findChild<QLabel*>(QStringLiteral("words:data"))->text(), QStringLiteral("10 TB"));
    QVERIFY(shows("shift", std::int64_t(-1234567890)));
    QVERIFY(!form.findChild<QLabel*>(QStringLiteral("words:shift"))); // its unit stands behind the field
    bench.app().theme().setTextScale(1);
}

namespace {

lessons::PredictBlock aTime()
{
    lessons::PredictBlock block;
    block.unit = "s";
    block.min = 1e-7;
    block.max = 0.01;
    return block;
}

/// What an input method brings: letters that no key of QTest has.
void write(QLineEdit* field, const QString& text)
{
    field->setText(text);
    Q_EMIT field->textEdited(text);
}

} // namespace

void TestReaderParts::predictionOfATimeIsWrittenWithItsUnit()
{
    Bench bench;
    const lessons::PredictBlock block = aTime();
    PredictionInput input(bench.app().theme(), block);
    input.show();
    auto* point = input.findChild<QLineEdit*>(QStringLiteral("point"));
    auto* low = input.findChild<QLineEdit*>(QStringLiteral("low"));
    auto* high = input.findChild<QLineEdit*>(QStringLiteral("high"));
    QCOMPARE(point->text(), QStringLiteral("32 µs")); // the middle of the slider
    for (const char* text : {"45 us", "45 µs", "45 μs", "0.045 ms", "4.5e-5", "4.5e-05 s", "45000ns"}) {
        write(point, QString::fromUtf8(text));
        QVERIFY2(std::abs(input.values().point - 45e-6) < 1e-15, text);
        QVERIFY2(input.problem().isEmpty(), text);
        QCOMPARE(low->text(), QStringLiteral("22.5 µs"));
        QCOMPARE(high->text(), QStringLiteral("90 µs"));
        Q_EMIT point->editingFinished();
        QCOMPARE(point->text(), QStringLiteral("45 µs"));
    }
    bench.type(high, QStringLiteral("1 ms"));
    QCOMPARE(input.values().high, 1e-3);
    input.findChild<QSlider*>()->setValue(0);
    QCOMPARE(point->text(), QStringLiteral("100 ns"));
    // Nothing is cut off, and no "s" stands beside "ns".
    for (const QLineEdit* field : {point, low, high})
        QVERIFY(field->fontMetrics().horizontalAdvance(QStringLiteral("22.5 µs")) + 20 < field->width());
    for (const QLabel* label : input.findChildren<QLabel*>())
        QVERIFY(label->text() != QStringLiteral("s"));
    QVERIFY(point->accessibleName().contains(QStringLiteral("in s")));
}

void TestReaderParts::predictionOfATimeRefuses_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text : {"", "soon", "45 MB", "45 GB/s", "45 µ s", "0,045 ms", "1e999", "45 us 3", "-45 us", "0 s"})
        QTest::newRow(text) << QString::fromUtf8(text);
}

void TestReaderParts::predictionOfATimeRefuses()
{
    QFETCH(QString, text);
    Bench bench;
    const lessons::PredictBlock block = aTime();
    PredictionInput input(bench.app().theme(), block);
    input.show();
    auto* point = input.findChild<QLineEdit*>(QStringLiteral("point"));
    write(point, text);
    QVERIFY(!input.problem().isEmpty());
    QSignalSpy changed(&input, &PredictionInput::changed);
    bench.type(point, QStringLiteral("45 us")); // and it is right again
    QVERIFY(input.problem().isEmpty() && !changed.isEmpty());
}

void TestReaderParts::predictionOfBytes()
{
    Bench bench;
    lessons::PredictBlock block;
    block.unit = "B";
    block.min = 1e6;
    block.max = 1e9;
    PredictionInput input(bench.app().theme(), block);
    input.show();
    auto* point = input.findChild<QLineEdit*>(QStringLiteral("point"));
    bench.type(point, QStringLiteral("60 MiB"));
    QCOMPARE(input.values().point, 62914560.0);
    Q_EMIT point->editingFinished();
    QCOMPARE(point->text(), QStringLiteral("60 MiB"));
    bench.type(point, QStringLiteral("50 MB"));
    QCOMPARE(input.values().point, 50e6);
    Q_EMIT point->editingFinished();
    QCOMPARE(point->text(), QStringLiteral("50 MB")); // as it was typed
    bench.type(point, QStringLiteral("62914560"));
    Q_EMIT point->editingFinished();
    QCOMPARE(point->text(), QStringLiteral("60 MiB"));
}

void TestReaderParts::predictionReadsWhatPeopleType()
{
    Bench bench;
    lessons::PredictBlock block;
    block.unit = "GB/s";
    block.min = 1;
    block.max = 1000;
    PredictionInput input(bench.app().theme(), block);
    input.show();
    QVERIFY(input.problem().isEmpty()); // the preset can be committed as it stands
    auto* point = input.findChild<QLineEdit*>(QStringLiteral("point"));
    bench.type(point, QStringLiteral("1.2e2 GB/s"));
    QCOMPARE(input.values().point, 120.0);
    QCOMPARE(input.values().low, 60.0);
    QCOMPARE(input.values().high, 240.0);
    bench.type(point, QStringLiteral("0.5 TB/s"));
    QCOMPARE(input.values().point, 500.0);
    bench.type(point, QStringLiteral("5000"));
    QCOMPARE(input.values().point, 5000.0); // beyond the slider is a guess all the same
    QVERIFY(input.problem().isEmpty());
    bench.type(point, QStringLiteral("12 ms"));
    QVERIFY(!input.problem().isEmpty());
}

void TestReaderParts::draftIsReplacedAndRemoved()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    {
        DraftFile draft(path, "2.4", "note");
        QCOMPARE(draft.load().size(), 0u);
        draft.keep(Json{{"answers", {"a"}}});
        draft.keep(Json{{"answers", {"ab"}}});
    }
    DraftFile draft(path, "2.4", "note");
    QCOMPARE(draft.load()["answers"][0].get<std::string>(), std::string("ab"));
    QVERIFY(writeFile(draft.path(), "{ half").ok());
    QCOMPARE(draft.load().size(), 0u); // a damaged draft is none
    draft.remove();
    QVERIFY(!std::filesystem::exists(draft.path()));
    QVERIFY(writeFile(path / "drafts" / "blocked", "x").ok());
    DraftFile blocked(path / "drafts" / "blocked", "2.4", "note"); // a file stands where its folder should be
    QSignalSpy failed(&blocked, &DraftFile::saveFailed);
    blocked.keep(Json{{"answers", {"x"}}});
    QTRY_VERIFY(!failed.isEmpty());
    QVERIFY(failed.front().front().toString().contains(QStringLiteral("note.json")));
}

void TestReaderParts::reducedMotionCutsWhereItWouldFade()
{
    Theme theme;
    QVERIFY(theme.load(QStringLiteral("light")).ok());
    const auto late = [&theme](bool reduced) { // whether a flash is fainter near its end than at its start
        theme.setReducedMotion(reduced);
        QWidget page;
        page.resize(200, 100);
        PlaceFlash flash(theme, &page);
        page.show();
        flash.flash(QRect(20, 20, 100, 40));
        auto* fade = flash.findChild<QVariantAnimation*>();
        fade->pause();
        const QImage first = page.grab().toImage();
        fade->setCurrentTime(fade->duration() - 50);
        return page.grab().toImage() != first;
    };
    QVERIFY(late(false));
    QVERIFY(!late(true));
    theme.setReducedMotion(false);
}

QTEST_MAIN(TestReaderParts)
#include "tst_reader_parts.moc"
