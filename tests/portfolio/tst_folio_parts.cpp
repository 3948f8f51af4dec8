// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces of a portfolio: words, privacy, charts, the schema's checker and the list of what a page may hold.
#include "folio_support.h"

#include "portfolio/html_markup.h"
#include "portfolio/json_schema.h"
#include "portfolio/safe_markup.h"
#include "portfolio/scale.h"
#include "portfolio/style.h"

using namespace ridge;
using namespace ridge::folio;

namespace {

std::string page(const std::string& body)
{
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>t</title></head><body>" + body +
           "</body></html>\n";
}

std::vector<std::string> labels(const Scale& scale, std::size_t most, const std::string& unit, bool binary)
{
    std::vector<std::string> all;
    for (const Mark& mark : marksOf(scale, most, unit, binary))
        all.push_back(mark.label);
    return all;
}

/// JSON as it reads best in C++, with ' for ".
std::string quoted(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

SweepFigure someSweep()
{
    SweepFigure figure;
    figure.title = "T & <T>";
    figure.xTitle = "Stride";
    figure.yTitle = "Sectors";
    figure.xLog = true;
    figure.series = {{"a <b>", Provenance::Simulated, {{1, 4, 4}, {2, 8, 4}, {8, 32, 4}}},
                     {"c", Provenance::Measured, {{1, 5, {}}, {2, 9, {}}, {8, 30, {}}}}};
    figure.limitTitle = "limit";
    figure.predictions = {{2, 16, 8, 24, 8.0}};
    return figure;
}

/// A chart "c" of that kind over a named setting, or over another metric.
ExperimentInfo kindsExperiment(const std::string& kind)
{
    ExperimentInfo info;
    info.id = "e";
    ParamSpec work;
    work.name = "work";
    work.title = "Work";
    work.type = ParamType::Choice;
    for (const char* name : {"a", "b", "c"})
        work.choices.emplace_back(std::string(name));
    info.parameters = {work};
    info.metrics = {{"time", "Time", "GB/s", ""}, {"wait", "Waiting", "GB/s", ""}, {"cost", "Cost", "1", ""}};
    info.limits = {{"time", "the most", "upper", "", ""}};
    const bool metrics = kind == "pareto" || kind == "roofline";
    ChartSpec chart{"c", "A & B of <work>", metrics ? "wait" : "work", "time"};
    chart.kind = kind;
    if (kind == "cost")
        chart.parts = {"time", "wait"};
    if (kind == "ladder")
        chart.parts = {"cost"};
    if (kind == "series")
        chart.parts = {"wait"};
    if (kind == "roofline")
        chart.parts = {"cost", "cost"};
    info.charts = {chart};
    return info;
}

record::RunRow kindsRun(const char* work, double time, double wait, double cost)
{
    record::RunRow row;
    row.experiment = "e";
    row.status = "finished";
    row.target = "sim:t4";
    row.validity = "valid";
    row.params = {{"work", std::string(work)}};
    row.metrics = {{"time", {time, "GB/s", Provenance::Simulated}},
                   {"wait", {wait, "GB/s", Provenance::Simulated}},
                   {"cost", {cost, "1", Provenance::Simulated}}};
    row.limits["time"] = {10, "upper"};
    return row;
}

} // namespace

class TestFolioParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textIsEscaped()
    {
        QCOMPARE(escaped("<a b=\"c\" d='e'>&amp;"), std::string("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;"));
        QCOMPARE(escaped("gr\xC3\xBC\xC3\x9F"
                         "e \xF0\x9F\x98\x80"),
                 std::string("gr\xC3\xBC\xC3\x9F"
                             "e \xF0\x9F\x98\x80"));
        // Overlong, cut off, surrogate, override, control: nothing hides.
        for (const char* bad : {"\xC0\xBC", "\xE2\x82", "\xED\xA0\x80", "\xE2\x80\xAE", "\x01", "\xFF"})
            QVERIFY2(escaped(bad).find("\xEF\xBF\xBD") != std::string::npos, bad);
    }

    void proseKnowsItsSubsetAndNothingElse()
    {
        QCOMPARE(proseHtml("**a** *b* `c<d`"),
                 std::string("<p><strong>a</strong> <em>b</em> <code>c&lt;d</code></p>\n"));
        QCOMPARE(proseHtml("- a\n- b\n\nc\nd"), std::string("<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>c\nd</p>\n"));
        QCOMPARE(proseHtml("```\n<x>\n```"), std::string("<pre tabindex=\"0\"><code>&lt;x&gt;\n</code></pre>\n"));
        QCOMPARE(proseHtml("[a](https://e.org/?x=1&y=2)"),
                 std::string("<p><a href=\"https://e.org/?x=1&amp;y=2\" rel=\"noopener noreferrer\">a</a></p>\n"));
        QCOMPARE(proseHtml("[a](https://[::1]/b|c[d]%zz%20#e#f)"),
                 std::string("<p><a href=\"https://[::1]/b%7Cc%5Bd%5D%25zz%20#e%23f\" rel=\"noopener "
                             "noreferrer\">a</a></p>\n"));
        QCOMPARE(proseHtml("[a](javascript:alert(1))"), std::string("<p>[a](javascript:alert(1))</p>\n"));
        QCOMPARE(proseHtml("# big"), std::string("<p><strong>big</strong></p>\n"));
        for (const std::string& nasty : test::nastyTexts()) {
            const auto report = checkMarkup(page(proseHtml(nasty)), false);
            QVERIFY2(report.faults.empty(),
                     (nasty + ": " + (report.faults.empty() ? "" : report.faults[0].message)).c_str());
        }
    }

    void cellsOfATableAreNoFormulas()
    {
        QCOMPARE(csvField("=1+1"), std::string("'=1+1"));
        QCOMPARE(csvField("-12.5"), std::string("-12.5"));
        QCOMPARE(csvField("a,\"b\""), std::string("\"a,\"\"b\"\"\""));
    }

    void slugs()
    {
        QCOMPARE(plainText("The load `a[i*2]` of a[2 * l]\nis **twice** as slow"),
                 std::string("The load a[i*2] of a[2 * l] is twice as slow"));
        QCOMPARE(slugOf("Coalesced & strided, counted!"), std::string("coalesced-strided-counted"));
        QCOMPARE(slugOf("../../etc/passwd"), std::string("etc-passwd"));
        QCOMPARE(slugOf("\xC3\xBC\xC3\xBC"), std::string("artifact"));
    }

    void redactionTakesAPersonOut()
    {
        Redactor redactor(test::person(), {});
        QCOMPARE(redactor.text("by Mvoronina on PINE-4711 in /home/mvoronina/x.cu"),
                 std::string("by [account] on [computer] in [folder]/x.cu"));
        QCOMPARE(redactor.text("pine-47110 and mvoroninas stay"), std::string("pine-47110 and mvoroninas stay"));
        QCOMPARE(redactor.text("/home/somebody/else and C:\\Users\\Bob\\x"), std::string("[folder] and [folder]"));
        QCOMPARE(redactor.text(std::string("on ") + test::kGpu), std::string("on [device]"));
        QCOMPARE(redactor.text("at 2026-11-21T21:27:59.177Z"), std::string("at 2026-11"));
        // A day that a run is about, as that of a price, is none on which somebody worked.
        QCOMPARE(redactor.setting("2026-11-21"), std::string("2026-11-21"));
        QCOMPARE(redactor.setting("/home/mvoronina/x.tile"), std::string("[folder]/x.tile"));
        QCOMPARE(redactor.text("bus 0000:3b:00.0, mac 00:1a:2b:3c:4d:5e"), std::string("bus [device], mac [device]"));
        QCOMPARE(redactor.text("mail a.b@c.example"), std::string("mail [address]"));
        QCOMPARE(redactor.text("stride 8 / 32 lanes, sm_90, 580.159.04"),
                 std::string("stride 8 / 32 lanes, sm_90, 580.159.04"));
        const Json clean = redactor.json(
            Json{{"hostname", "x"}, {"gpu_uuid", "y"}, {"cores", 2}, {"other_processes", Json::array({"z"})}});
        QCOMPARE(clean.dump(), std::string("{\"cores\":2}"));
        QCOMPARE(redactor.id("run", "01a20002-47c9-7000-bf28-f8292280b819"), std::string("run-1"));
        QCOMPARE(redactor.id("run", "01a20002-47c9-7000-bf28-f8292280b81a"), std::string("run-2"));
        QCOMPARE(redactor.id("run", "01a20002-47c9-7000-bf28-f8292280b819"), std::string("run-1"));
        // What it met it can tell: the preview.
        for (const PrivacyItem& item : privacyPreview(redactor))
            if (item.detail == Detail::Devices)
                QVERIFY(item.count >= 3 && !item.examples.empty() && !item.shown);
    }

    void switchesLetDetailsThrough()
    {
        for (const DetailText& text : detailTexts()) {
            Redactor redactor(test::person(), {text.detail});
            const std::string given = std::string("mvoronina /home/bob/x a@b.example 2026-11-21 ") + test::kGpu;
            const std::string got = redactor.text(given);
            const auto kept = [&got](const char* what) { return got.find(what) != std::string::npos; };
            QCOMPARE(kept("mvoronina"), text.detail == Detail::Host);
            QCOMPARE(kept("/home/bob"), text.detail == Detail::Paths);
            QCOMPARE(kept("a@b.example"), text.detail == Detail::Name);
            QCOMPARE(kept("2026-11-21"), text.detail == Detail::Times);
            QCOMPARE(kept(test::kGpu), text.detail == Detail::Devices);
        }
    }

    void longListsAreReadByModule()
    {
        std::vector<ArtifactPart> parts(8);
        const std::vector<std::string> lessons = {"7.8", "4.capstone", "1.3", "", "1.1", "7.1", "4.2", "1.2"};
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i].lesson = lessons[i];
        const std::vector<ModuleParts> groups = byModule(parts, 1);
        QCOMPARE(groups.size(), std::size_t(4));
        QCOMPARE(groups[0].title, std::string("Module 1"));
        QCOMPARE(groups[0].parts, (std::vector<std::size_t>{2, 4, 7})); // as the author put them
        QCOMPARE(groups[1].parts, (std::vector<std::size_t>{1, 6}));
        QCOMPARE(groups[2].parts, (std::vector<std::size_t>{5})); // the first leads
        QCOMPARE(groups[3].title, std::string("Of no module"));
        parts.resize(4);
        QCOMPARE(byModule(parts, 0).size(), std::size_t(1));
        QVERIFY(byModule(parts, 0).front().title.empty());
    }

    void axesReadAsPeopleWriteThem()
    {
        QCOMPARE(labels(scaleFor({1, 128}, true, 0, 1), 10, "elements", true),
                 (std::vector<std::string>{"1", "2", "4", "8", "16", "32", "64", "128"}));
        QCOMPARE(labels(scaleFor({65536, 1048576}, true, 0, 1), 10, "", true).front(), std::string("64 Ki"));
        QCOMPARE(labels(scaleFor({1, 100000}, true, 0, 1), 10, "GB/s", false).back(), std::string("100 k"));
        QCOMPARE(labels(scaleFor({0, 32}, false, 0, 1), 7, "", false),
                 (std::vector<std::string>{"0", "5", "10", "15", "20", "25", "30"}));
        QCOMPARE(labels(scaleFor({2e-6, 8e-6}, true, 0, 1), 7, "s", false).front().substr(0, 2), std::string("2 "));
        const Scale one = scaleFor({5}, true, 0, 100); // a single value still has an axis
        QVERIFY(one.at(5) > 20 && one.at(5) < 80);
    }

    void picturesAreStrictAndKeepTheirText()
    {
        for (SweepFigure figure : {someSweep(), [] {
                                       SweepFigure named = someSweep();
                                       named.xNames = {"one", "two", "x3", "x4", "x5", "x6", "x7", "eight"};
                                       return named;
                                   }()}) {
            const Picture picture = draw(figure);
            const std::string svg = toSvg(picture);
            const auto report = checkMarkup(svg, true);
            QVERIFY2(report.faults.empty(), report.faults.empty() ? "" : report.faults.front().message.c_str());
            QVERIFY(svg.find("<title>T &amp; &lt;T&gt;</title>") != std::string::npos);
            QVERIFY(svg.find("<desc>") != std::string::npos);
            QVERIFY(svg.find(">a &lt;b&gt;</text>") != std::string::npos);
            int diamonds = 0;
            for (const Shape& shape : picture.shapes) {
                diamonds += shape.kind == Shape::Diamond;
                for (const Spot& spot : shape.spots)
                    QVERIFY2(spot.x >= 0 && spot.x <= picture.width && spot.y >= 0 && spot.y <= picture.height,
                             shape.text.c_str());
            }
            QCOMPARE(diamonds, 1); // the prediction's mark and nobody else's
            const FigureTable table = tableOf(figure);
            QCOMPARE(table.rows.size(), std::size_t{6});
            QCOMPARE(table.head.size(), table.rows.front().size());
        }
    }

    void chartsAreOfTheKindThatIsDeclared_data()
    {
        QTest::addColumn<QString>("kind");
        for (const std::string_view kind : kChartKinds)
            if (kind != "curve")
                QTest::newRow(std::string(kind).c_str()) << QString::fromUtf8(kind.data(), qsizetype(kind.size()));
    }
    void chartsAreOfTheKindThatIsDeclared()
    {
        QFETCH(QString, kind);
        const ExperimentInfo info = kindsExperiment(kind.toStdString());
        std::vector<record::RunRow> runs = {kindsRun("a", 5, 2, 9), kindsRun("b", 3, 1, 4), kindsRun("c", 8, 7, 6),
                                            kindsRun("b", 4, 1, 4)};
        record::RunRow failed = kindsRun("a", 1000, 1000, 1000);
        failed.status = "failed";
        runs.push_back(failed);
        const auto figure = sweepOf(runs, {}, info, "c");
        QVERIFY(figure.has_value());
        QCOMPARE(QString::fromStdString(figure->kind), kind);
        const FigureTable table = tableOf(*figure);
        QVERIFY(!table.rows.empty());
        for (const auto& row : table.rows) {
            QCOMPARE(row.size(), table.head.size());
            QVERIFY(std::ranges::find(row, std::string("1000")) == row.end());
        }
        QVERIFY(!sentenceOf(*figure).empty() && figure->origin.find("simulated") != std::string::npos);
        for (const double width : {720.0, 560.0}) {
            const Picture picture = draw(*figure, width);
            const std::string svg = toSvg(picture);
            const auto report = checkMarkup(svg, true);
            QVERIFY2(report.faults.empty(), report.faults.empty() ? "" : report.faults.front().message.c_str());
            for (const Shape& shape : picture.shapes)
                for (const Spot& spot : shape.spots)
                    QVERIFY2(spot.x >= 0 && spot.x <= picture.width && spot.y >= 0 && spot.y <= picture.height,
                             shape.text.c_str());
            if (const QByteArray folder = qgetenv("RIDGE_SHOTS"); !folder.isEmpty() && width == 720) {
                QFile file(QString::fromUtf8(folder) + QStringLiteral("/folio-") + kind + QStringLiteral(".svg"));
                QVERIFY(file.open(QIODevice::WriteOnly));
                file.write(QByteArray::fromStdString(toSvgFile(picture, *loadStyle(*dataFolder()))));
            }
        }
        QVERIFY2(!sweepOf({&failed, 1}, {}, info, "c"), "nothing to draw is no figure");
    }

    void predictionsStandOnTheirOwnLine()
    {
        const ExperimentInfo info = kindsExperiment("curve");
        std::vector<record::RunRow> runs = {kindsRun("a", 5, 2, 9), kindsRun("b", 3, 1, 4)};
        for (record::RunRow& run : runs)
            run.params["gain"] = std::int64_t{1};
        const auto about = [](const char* work, std::int64_t gain, double point) {
            record::PredictionRow row;
            row.experiment = "e";
            row.metric = "time";
            row.params = {{"work", std::string(work)}, {"gain", gain}};
            row.point = point;
            return row;
        };
        const std::vector predictions = {about("a", 1, 4), about("a", 64, 2), about("b", 64, 1)};
        const auto figure = sweepOf(runs, predictions, info, "c");
        QVERIFY(figure.has_value());
        QCOMPARE(figure->predictions.size(), std::size_t{1}); // no run here has a gain of 64
        QCOMPARE(figure->predictions.front().point, 4.0);
        QCOMPARE(figure->predictions.front().result, std::optional<double>(5));
    }

    void barsStackTheirParts()
    {
        const auto figure = sweepOf(std::vector{kindsRun("a", 5, 2, 9), kindsRun("b", 3, 1, 4), kindsRun("b", 4, 1, 4)},
                                    {}, kindsExperiment("cost"), "c");
        QCOMPARE(figure->xNames, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(figure->series.size(), std::size_t{2});
        QCOMPARE(figure->series[0].points[1].y, 4.0); // the newest at b
        QCOMPARE(tableOf(*figure).rows[0], (std::vector<std::string>{"a", "5", "2", "7", "simulated"}));
        // As long as their numbers, each beginning where the one before ends.
        std::vector<const Shape*> bars;
        const Picture picture = draw(*figure);
        for (const Shape& shape : picture.shapes)
            if (shape.kind == Shape::Area && shape.spots[2].y - shape.spots[0].y > 15)
                bars.push_back(&shape);
        QCOMPARE(bars.size(), std::size_t{4});
        const auto length = [&](std::size_t i) { return bars[i]->spots[1].x - bars[i]->spots[0].x; };
        QVERIFY(std::abs(length(0) / length(2) - 5.0 / 2) < 1e-6); // a: time, then wait
        QVERIFY(std::abs(length(1) / length(3) - 4.0 / 1) < 1e-6);
        QCOMPARE(bars[2]->spots[0].x, bars[0]->spots[1].x);
    }

    void aPartThatARunLacksCostsNothing()
    {
        ExperimentInfo info = kindsExperiment("cost");
        info.metrics.push_back({"later", "Later", "GB/s", ""});
        info.metrics.push_back({"never", "Never", "GB/s", ""});
        info.charts[0].parts = {"time", "later", "never"};
        std::vector runs{kindsRun("a", 5, 2, 9), kindsRun("b", 3, 1, 4)};
        runs[1].metrics["later"] = {6, "GB/s", Provenance::Simulated};
        const auto figure = sweepOf(runs, {}, info, "c");
        QVERIFY(figure.has_value());
        QCOMPARE(figure->series.size(), std::size_t{2}); // no run has the third
        QCOMPARE(tableOf(*figure).rows[0], (std::vector<std::string>{"a", "5", "0", "5", "simulated"}));
        QCOMPARE(tableOf(*figure).rows[1], (std::vector<std::string>{"b", "3", "6", "9", "simulated"}));
    }

    void laddersSayHowFarItIs()
    {
        const auto figure =
            sweepOf(std::vector{kindsRun("a", 5, 2, 10), kindsRun("b", 8, 1, 16)}, {}, kindsExperiment("ladder"), "c");
        QCOMPARE(tableOf(*figure).rows[1], (std::vector<std::string>{"b", "8", "80", "50", "simulated"}));
        QVERIFY2(sentenceOf(*figure).find("80 % of the limit, 50 % of cost") != std::string::npos,
                 sentenceOf(*figure).c_str());
    }

    void distributionsFrontsAndBandsAreCounted()
    {
        std::vector<record::RunRow> runs;
        for (int i = 1; i <= 20; ++i)
            runs.push_back(kindsRun(i % 2 ? "a" : "b", i, 21 - i, i == 20 ? 30 : i));
        const auto cdf = sweepOf(runs, {}, kindsExperiment("cdf"), "c");
        QCOMPARE(cdf->marks.size(), std::size_t{3});
        QCOMPARE(cdf->marks[0].x, 10.0); // nearest rank
        QCOMPARE(cdf->marks[1].x, 19.0);
        QCOMPARE(cdf->marks[2].x, 20.0);
        QCOMPARE(tableOf(*cdf).rows.back(), (std::vector<std::string>{"100", "20"}));
        const auto band = sweepOf(runs, {}, kindsExperiment("band"), "c");
        QCOMPARE(tableOf(*band).rows[0], (std::vector<std::string>{"a", "1", "10", "19", "10"}));
        QCOMPARE(tableOf(*band).rows[1], (std::vector<std::string>{"b", "2", "11", "20", "10"}));
        // Time grows as waiting falls: none is better in both. With one that is, all others are beaten.
        const auto all = sweepOf(runs, {}, kindsExperiment("pareto"), "c");
        QCOMPARE(all->series.size(), std::size_t{1});
        runs.push_back(kindsRun("a", 0.5, 0.5, 1));
        const auto one = sweepOf(runs, {}, kindsExperiment("pareto"), "c");
        QCOMPARE(one->series[0].points.size(), std::size_t{1});
        QCOMPARE(one->series[1].points.size(), std::size_t{20});
        QVERIFY(!one->series[1].joined);
    }

    void marksSayWhereTheirNumbersComeFrom()
    {
        const std::pair<Provenance, const char*> looks[] = {{Provenance::Measured, "full"},
                                                            {Provenance::Recorded, "full"},
                                                            {Provenance::Simulated, "open"},
                                                            {Provenance::Modelled, "open"}};
        for (const auto& [provenance, fill] : looks) {
            SweepFigure sweep = someSweep();
            sweep.series = {{"a", provenance, {{1, 4, {}}, {2, 8, {}}, {8, 32, {}}}}};
            sweep.predictions.clear();
            RevealFigure reveal{"Sectors", 16, 8, 24, "sectors/request", 32.0, provenance};
            for (const Picture& picture : {draw(sweep), draw(reveal)}) {
                int marks = 0;
                for (const Shape& shape : picture.shapes)
                    if (shape.kind == Shape::Dot) {
                        ++marks;
                        QCOMPARE(shape.filled, std::string(fill) == "full");
                        QCOMPARE(!shape.dash.empty(), provenance == Provenance::Modelled);
                    }
                QVERIFY(marks > 0);
                const std::string svg = toSvg(picture);
                int drawn = 0, dotted = 0;
                for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) {
                    const std::string circle = svg.substr(at, svg.find("/>", at) - at);
                    drawn += circle.find(std::string(" ") + fill) != std::string::npos;
                    dotted += circle.find("stroke-dasharray") != std::string::npos;
                }
                QCOMPARE(drawn, marks);
                QCOMPARE(dotted, provenance == Provenance::Modelled ? marks : 0);
            }
        }
    }

    void theRevealSaysWhatHappened()
    {
        RevealFigure figure{"Sectors", 16, 8, 24, "sectors/request", 32.0, Provenance::Simulated};
        QCOMPARE(*factorOf(figure), 2.0);
        QVERIFY(sentenceOf(figure).find("outside the interval, off by a factor of 2") != std::string::npos);
        figure.result = 16;
        QVERIFY(sentenceOf(figure).find("as predicted") != std::string::npos);
        figure.result.reset();
        QVERIFY(sentenceOf(figure).find("not run") != std::string::npos);
        figure.point = 0;
        QVERIFY(!factorOf(figure));
        QVERIFY(draw(figure).shapes.size() > 5);
    }

    void theSchemaIsChecked()
    {
        const auto schema = parseJson(
            quoted("{'type':'object','required':['a'],'additionalProperties':false,'properties':{'a':{'type':'"
                   "array','minItems':1,'uniqueItems':true,'items':{'$ref':'#/$defs/n'}},'b':{'type':['string'"
                   ",'null'],'pattern':'^x','maxLength':3},'c':{'const':1},'d':{'enum':['p','q']}},'$defs':{'n"
                   "':{'type':'integer','minimum':2,'maximum':5}}}"),
            "schema");
        QVERIFY(schema.ok());
        const auto faults = [&](const char* text) {
            const auto json = parseJson(quoted(text), "t");
            return json ? checkSchema(*json, *schema).size() : std::size_t(99);
        };
        QCOMPARE(faults("{'a':[2,3],'b':'xy','c':1,'d':'q'}"), std::size_t{0});
        QCOMPARE(faults("{'a':[2],'b':null}"), std::size_t{0});
        for (const char* bad :
             {"{}", "{'a':[]}", "{'a':[1]}", "{'a':[6]}", "{'a':[2,2]}", "{'a':[2.5]}", "{'a':[2],'b':'y'}",
              "{'a':[2],'b':'xxxx'}", "{'a':[2],'c':2}", "{'a':[2],'d':'z'}", "{'a':[2],'e':1}", "{'a':'2'}", "[]"})
            QVERIFY2(faults(bad) > 0, bad);
        QVERIFY(!checkSchema(Json::object(), Json{{"unevaluatedItems", false}}).empty()); // nothing passes unchecked
        QCOMPARE(lineOfPointer("{\n \"a\": [\n  1,\n  {\"b~/\": 2}\n ]\n}", "/a/1/b~0~1"), 4);
    }

    void whatMayRunOrFetchIsNotAllowed()
    {
        QVERIFY(checkMarkup(page("<p>fine <a href=\"x.html#y\">x</a></p>"), false).faults.empty());
        for (const char* bad : {"<script>1</script>",
                                "<p onclick=\"x\">a</p>",
                                "<svg><rect fill=\"url(http://e.example)\"/></svg>",
                                "<a href=\"javascript:x\">a</a>",
                                "<a href=\"data:x\">a</a>",
                                "<img src=\"http://e/x.png\">",
                                "<iframe></iframe>",
                                "<object></object>",
                                "<form></form>",
                                "<p style=\"x\">a</p>",
                                "<a href=\"/etc/passwd\">a</a>",
                                "<a href=\"//e.example/\">a</a>",
                                "<a href=\"file:///x\">a</a>",
                                "<p>a</b></p>",
                                "<p>&nbsp;</p>",
                                "<!-- x -->",
                                "<p><b>x</b></p>",
                                "<meta http-equiv=\"refresh\" content=\"0\">",
                                "<link rel=\"preload\" href=\"x\">",
                                "<p id=\"a\"></p><p id=\"a\"></p>",
                                "<svg><a href=\"x\"/><use/></svg>",
                                "<p",
                                "<p class=a>x</p>",
                                "<style>p{}</style>",
                                "<link rel=\"stylesheet\" href=\"https://e.example/x.css\">",
                                "<a href=\"java\nscript:x\">a</a>",
                                "<div>"})
            QVERIFY2(!checkMarkup(page(bad), false).faults.empty(), bad);
        QCOMPARE(checkMarkup("<!DOCTYPE html>\n<html>\n<body>\n<script>\n</script>\n</body></html>", false)
                     .faults.front()
                     .line,
                 4);
        QVERIFY(checkStylesheet("p{color:red}").empty());
        for (const char* bad : {"@import 'x'", "p{background:url(x)}", "p{b:U\\52L(x)}", "@font-face{}",
                                "p{x:expression(1)}", "</style>"})
            QVERIFY2(!checkStylesheet(bad).empty(), bad);
    }
};

FOLIO_TEST_MAIN(TestFolioParts)
#include "tst_folio_parts.moc"
