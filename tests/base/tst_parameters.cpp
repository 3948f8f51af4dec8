// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/experiment_info.h"
#include "base/parameters.h"

#include <QtTest>

using namespace ridge;

namespace {

std::vector<ParamSpec> specs()
{
    ParamSpec stride{"stride",        "Stride", ParamType::Integer,      "elements", 1, 128, ParamScale::Log2, {},
                     std::int64_t{1}, {},       "Elements between lanes"};
    ParamSpec bytes{"element_bytes",
                    "Element",
                    ParamType::Integer,
                    "bytes",
                    4,
                    16,
                    ParamScale::List,
                    {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}},
                    std::int64_t{4},
                    {},
                    ""};
    ParamSpec elements{"elements",
                       "Elements",
                       ParamType::Integer,
                       "",
                       1024,
                       16777216,
                       ParamScale::Log2,
                       {},
                       std::int64_t{65536},
                       {{"gpu", std::int64_t{4194304}}},
                       ""};
    ParamSpec alpha{"alpha", "Alpha", ParamType::Real, "", -1, 1, ParamScale::Linear, {}, 0.5, {}, ""};
    ParamSpec order{"order",
                    "Order",
                    ParamType::Choice,
                    "",
                    0,
                    0,
                    ParamScale::List,
                    {std::string("rows"), std::string("columns")},
                    std::string("rows"),
                    {},
                    ""};
    return {stride, bytes, elements, alpha, order};
}

std::vector<double> numbers(const SweepAxis& axis)
{
    std::vector<double> out;
    for (const ParamValue& value : axis.values)
        out.push_back(*asNumber(value));
    return out;
}

} // namespace

class TestParameters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parsesTypedValues()
    {
        const auto s = specs();
        QCOMPARE(std::get<std::int64_t>(*parseValue(s[0], "32")), 32);
        QCOMPARE(std::get<std::int64_t>(*parseValue(s[2], "2^20")), 1048576);
        QCOMPARE(std::get<double>(*parseValue(s[3], "-2.5e-1")), -0.25);
        QCOMPARE(std::get<std::string>(*parseValue(s[4], "columns")), std::string("columns"));
    }

    void refusesBadValues_data()
    {
        QTest::addColumn<int>("spec");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::newRow("too large") << 0 << "129"
                                   << "out-of-range";
        QTest::newRow("zero") << 0 << "0"
                              << "out-of-range";
        QTest::newRow("negative") << 0 << "-4"
                                  << "out-of-range";
        QTest::newRow("fraction") << 0 << "1.5"
                                  << "bad-value";
        QTest::newRow("text") << 0 << "four"
                              << "bad-value";
        QTest::newRow("empty") << 0 << ""
                               << "bad-value";
        QTest::newRow("trailing") << 0 << "4x"
                                  << "bad-value";
        QTest::newRow("nan") << 3 << "nan"
                             << "bad-value";
        QTest::newRow("infinite") << 3 << "inf"
                                  << "bad-value";
        QTest::newRow("huge power") << 2 << "2^9999"
                                    << "bad-value";
        QTest::newRow("not listed") << 1 << "12"
                                    << "out-of-range";
        QTest::newRow("choice") << 4 << "diagonal"
                                << "out-of-range";
    }
    void refusesBadValues()
    {
        QFETCH(int, spec);
        QFETCH(QString, text);
        QFETCH(QString, code);
        const auto s = specs()[static_cast<std::size_t>(spec)];
        const auto value = parseValue(s, text.toStdString());
        QVERIFY(!value);
        QCOMPARE(QString::fromStdString(value.error().code), code);
        QVERIFY(QString::fromStdString(value.error().place).contains(QString::fromStdString(s.name)));
        QVERIFY(!value.error().fix.empty());
    }

    void completesFromDefaultsPerTarget()
    {
        const auto sim = completeParams(specs(), {{"stride", std::int64_t{8}}}, "sim");
        QVERIFY(sim);
        QCOMPARE(std::get<std::int64_t>(sim->at("stride")), 8);
        QCOMPARE(std::get<std::int64_t>(sim->at("elements")), 65536);
        QCOMPARE(std::get<std::int64_t>(completeParams(specs(), {}, "gpu")->at("elements")), 4194304);
        QCOMPARE(std::get<std::int64_t>(completeParams(specs(), {{"stride", 4.0}}, "sim")->at("stride")), 4);
    }

    void namesTheUnknownParameterAndItsNeighbour()
    {
        const auto set = completeParams(specs(), {{"strid", std::int64_t{8}}}, "sim");
        QVERIFY(!set);
        QCOMPARE(set.error().code, std::string("unknown-parameter"));
        QVERIFY(set.error().fix.find("did you mean stride") != std::string::npos);
    }

    void sweeps_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<double>>("values");
        QTest::newRow("log2") << "stride=1..128:log2" << QList<double>{1, 2, 4, 8, 16, 32, 64, 128};
        QTest::newRow("log2 from 3") << "stride=3..20:log2" << QList<double>{3, 6, 12};
        QTest::newRow("by one") << "stride=1..4" << QList<double>{1, 2, 3, 4};
        QTest::newRow("by step") << "stride=8..40:16" << QList<double>{8, 24, 40};
        QTest::newRow("list") << "stride=5,3,9" << QList<double>{5, 3, 9};
        QTest::newRow("single") << "stride=7" << QList<double>{7};
        QTest::newRow("listed parameter") << "element_bytes=4..16" << QList<double>{4, 8, 16};
        QTest::newRow("real") << "alpha=-0.5..0.5:0.25" << QList<double>{-0.5, -0.25, 0, 0.25, 0.5};
    }
    void sweeps()
    {
        QFETCH(QString, text);
        QFETCH(QList<double>, values);
        const auto axis = parseSweep(specs(), text.toStdString());
        QVERIFY2(axis.ok(), axis.ok() ? "" : toText(axis.error()).c_str());
        const auto got = numbers(*axis);
        QCOMPARE(QList<double>(got.begin(), got.end()), values);
    }

    void refusesBadSweeps_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::newRow("no values") << "stride"
                                   << "bad-sweep";
        QTest::newRow("reversed") << "stride=8..2"
                                  << "bad-sweep";
        QTest::newRow("step zero") << "stride=1..8:0"
                                   << "bad-sweep";
        QTest::newRow("step text") << "stride=1..8:fast"
                                   << "bad-sweep";
        QTest::newRow("open colon") << "stride=1..8:"
                                    << "bad-sweep";
        QTest::newRow("outside") << "stride=1..256:log2"
                                 << "out-of-range";
        QTest::newRow("hole in list") << "stride=1,,2"
                                      << "bad-value";
        QTest::newRow("unknown") << "pitch=1..8"
                                 << "unknown-parameter";
        QTest::newRow("choice range") << "order=rows..columns"
                                      << "bad-sweep";
        QTest::newRow("too many") << "elements=1024..16777216"
                                  << "bad-sweep";
    }
    void refusesBadSweeps()
    {
        QFETCH(QString, text);
        QFETCH(QString, code);
        const auto axis = parseSweep(specs(), text.toStdString());
        QVERIFY(!axis);
        QCOMPARE(QString::fromStdString(axis.error().code), code);
    }

    void expandsTheProductFirstAxisSlowest()
    {
        const std::vector<SweepAxis> axes = {*parseSweep(specs(), "stride=1,2"),
                                             *parseSweep(specs(), "element_bytes=4,8")};
        const auto points = expandSweep({{"alpha", 0.25}}, axes);
        QVERIFY(points);
        QCOMPARE(points->size(), std::size_t{4});
        QCOMPARE(std::get<std::int64_t>((*points)[1].at("stride")), 1);
        QCOMPARE(std::get<std::int64_t>((*points)[1].at("element_bytes")), 8);
        QCOMPARE(std::get<std::int64_t>((*points)[2].at("stride")), 2);
        QCOMPARE(std::get<double>((*points)[3].at("alpha")), 0.25);
        QVERIFY(!expandSweep({{"stride", std::int64_t{1}}}, axes));
        const std::vector<SweepAxis> twice = {axes[0], axes[0]};
        QVERIFY(!expandSweep({}, twice));
        const std::vector<SweepAxis> four(4, axes[0]);
        QVERIFY(!expandSweep({}, four));
    }

    void descriptionSurvivesJson()
    {
        ExperimentInfo info;
        info.id = "coalescing";
        info.version = 3;
        info.title = "T";
        info.module = 2;
        info.parameters = specs();
        info.targets = {"gpu", "sim"};
        info.metrics = {{"sectors_per_request", "Sectors", "sectors/request", "help"}};
        info.charts = {{"c", "t", "stride", "sectors_per_request", ParamScale::Log2, ParamScale::Linear}};
        info.limits = {{"sectors_per_request", "limit", "lower", "f", "s"}};
        info.kernels = {"coalescing/01.cu"};
        info.scene = "lanes_sectors";
        info.scenes = {"sm_timeline", "occupancy"};
        const Json json = toJson(info);
        const auto back = experimentInfoFromJson(json);
        QVERIFY2(back.ok(), back.ok() ? "" : toText(back.error()).c_str());
        QCOMPARE(toJson(*back).dump(), json.dump());
        QCOMPARE(back->allScenes(), (std::vector<std::string>{"lanes_sectors", "sm_timeline", "occupancy"}));
        Json older = json; // a worker that knows one scene an experiment
        older.erase("scenes");
        QCOMPARE(experimentInfoFromJson(older)->allScenes(), std::vector<std::string>{"lanes_sectors"});
        for (const char* key :
             {"id", "version", "title", "module", "parameters", "targets", "metrics", "charts", "limits"}) {
            Json broken = json;
            broken.erase(key);
            const auto read = experimentInfoFromJson(broken);
            QVERIFY(!read);
            QVERIFY(read.error().message.find(key) != std::string::npos);
        }
    }

    void valuesAreReadByTheirNames()
    {
        std::vector<ParamSpec> all = specs();
        ParamSpec& order = all[4];
        QCOMPARE(valueText(order, std::string("rows")), std::string("rows"));
        order.choiceTitles = {"By rows", "By columns"};
        QCOMPARE(valueText(order, std::string("columns")), std::string("By columns"));
        QCOMPARE(valueText(order, std::string("diagonals")), std::string("diagonals")); // of an older program
        ParamSpec& bytes = all[1];
        QCOMPARE(valueText(bytes, std::int64_t{8}), std::string("8 B"));
        QCOMPARE(valueText(bytes, std::int64_t{268435456}), std::string("256 MiB"));
        QCOMPARE(valueText(all[0], std::int64_t{65536}), std::string("65536")); // elements
        const auto read = paramSpecFromJson(toJson(order));
        QVERIFY(read.ok());
        QVERIFY(read->choiceTitles == order.choiceTitles && read->choices == order.choices);
        Json bad = toJson(order);
        bad["choice_titles"].push_back("Both");
        QVERIFY(!paramSpecFromJson(bad));
        bad["choice_titles"] = Json::array({"By rows", 2});
        QVERIFY(!paramSpecFromJson(bad));
    }

    void textsAndFiles()
    {
        ParamSpec word;
        word.name = "trace";
        word.type = ParamType::Text;
        word.scale = ParamScale::List;
        word.defaultValue = std::string();
        QCOMPARE(std::get<std::string>(*parseValue(word, "2^4 words")), std::string("2^4 words"));
        QCOMPARE(std::get<std::string>(*parseValue(word, "")), std::string());
        const std::string bad[] = {"two\nlines", "bell\a", std::string(kMostParamText + 1, 'a'), "\xff\xfe"};
        for (const std::string& text : bad) {
            const auto value = parseValue(word, text);
            QVERIFY(!value);
            QCOMPARE(value.error().code, std::string("bad-value"));
            QCOMPARE(value.error().place, std::string("parameter trace"));
            QVERIFY(!value.error().fix.empty());
        }
        QVERIFY(!checkValue(word, ParamValue{std::int64_t{4}}));
        // A list of words, never a range of them: a path may hold two dots.
        const auto axis = parseSweep(std::vector{word}, "trace=../a,b..c:1");
        QVERIFY(axis.ok());
        QCOMPARE(axis->values.size(), std::size_t{2});
        QCOMPARE(std::get<std::string>(axis->values[1]), std::string("b..c:1"));

        QVERIFY(filesOf(std::vector{word}, {{"trace", std::string("/a/b.trace")}}).empty()); // a word is no file
        ParamSpec file = word;
        file.file = true;
        file.fileFilter = "Traces (*.trace)";
        const std::vector all{file};
        QCOMPARE(filesOf(all, {{"trace", std::string("/a/b.trace")}}).at("trace"), std::string("/a/b.trace"));
        QVERIFY(filesOf(all, {{"trace", std::string()}}).empty() && filesOf(all, {}).empty());
        QCOMPARE(valueText(file, std::string("/home/ada/b.trace")), std::string("b.trace"));
        QCOMPARE(valueText(word, std::string("/home/ada/b.trace")), std::string("/home/ada/b.trace"));
        const Json json = toJson(file);
        QCOMPARE(json.at("type"), "text");
        QVERIFY(!json.contains("range"));
        const auto read = paramSpecFromJson(json);
        QVERIFY2(read.ok(), read ? "" : toText(read.error()).c_str());
        QVERIFY(read->type == ParamType::Text && read->file && read->fileFilter == file.fileFilter);
        QVERIFY(!paramSpecFromJson(toJson(word))->file);
        Json number = json;
        number["default"] = 3;
        QVERIFY(!paramSpecFromJson(number));
    }
};

QTEST_APPLESS_MAIN(TestParameters)
#include "tst_parameters.moc"
