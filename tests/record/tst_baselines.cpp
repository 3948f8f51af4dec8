// SPDX-License-Identifier: GPL-3.0-or-later
// What other machines gave: the shipped files, and files that are no baselines.
#include "base/json.h"
#include "base/paths.h"
#include "record/baselines.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;
using namespace ridge::record;

namespace {

const char* const kGood = R"({"schema": "ridge-baseline/1", "machine": "Test chip", "chip": "x1", "date": "2026-01-02",
 "source": {"kind": "published", "text": "A paper", "where": "page 3"}, "unknown": ["clock"],
 "fingerprint": {"gpu": "X1"},
 "experiments": {"copy": {"version": 2, "points": [
  {"params": {"bytes": 1024, "kind": "read"}, "metrics": {"bandwidth": {"value": 12.5, "unit": "GB/s"}},
   "limits": {"bandwidth": {"value": 25, "kind": "upper"}}, "note": "by hand"},
  {"params": {"bytes": 2048}, "metrics": {"bandwidth": {"value": 13, "unit": "GB/s"}}, "validity": "valid"}]}}})";

Result<Baseline> parse(const Json& json)
{
    return parseBaseline(json.dump(), "x1", "x1.json");
}

Json good()
{
    return *parseJson(kGood, "test");
}

} // namespace

class Baselines : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFileIsPointsWithTheirMachine()
    {
        const auto read = parse(good());
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        QCOMPARE(read->machine, std::string("Test chip"));
        QVERIFY(read->published);
        QCOMPARE(read->unknown, std::vector<std::string>{"clock"});
        QCOMPARE(read->points.size(), 2u);
        const RunRow& run = read->points[0].run;
        QVERIFY(run.provenance == Provenance::Recorded);
        QVERIFY(run.metrics.at("bandwidth").provenance == Provenance::Recorded);
        QCOMPARE(run.metrics.at("bandwidth").value, 12.5);
        QCOMPARE(run.limits.at("bandwidth").value, 25.0);
        QCOMPARE(run.version, 2);
        QCOMPARE(run.validity, std::string("not told"));
        QCOMPARE(run.target, std::string("recorded:x1"));
        QCOMPARE(run.fingerprint->at("gpu").get<std::string>(), std::string("X1"));
        QCOMPARE(read->points[0].note, std::string("by hand"));
        QCOMPARE(read->points[1].run.validity, std::string("valid"));
        QCOMPARE(baselineCard(*read).at("where").get<std::string>(), std::string("page 3"));
    }

    void withoutASourceThisProgramRanThere()
    {
        Json json = good();
        json.erase("source");
        json.erase("machine");
        json["regime"] = "settled";
        const auto read = parse(json);
        QVERIFY(read.ok());
        QVERIFY(!read->published);
        QCOMPARE(read->machine, std::string("x1"));
        QVERIFY(read->source.find("settled") != std::string::npos);
    }

    void whatIsNoneIsToldInPlace_data()
    {
        QTest::addColumn<QByteArray>("patch"); // RFC 7386
        QTest::addColumn<QByteArray>("word");
        QTest::newRow("no schema") << QByteArray(R"({"schema": null})") << QByteArray("schema");
        QTest::newRow("other schema") << QByteArray(R"({"schema": "x/1"})") << QByteArray("schema");
        QTest::newRow("newer") << QByteArray(R"({"schema": "ridge-baseline/2"})") << QByteArray("newer Ridgepoint");
        QTest::newRow("no machine") << QByteArray(R"({"machine": null, "chip": ""})") << QByteArray("machine");
        QTest::newRow("no fingerprint") << QByteArray(R"({"fingerprint": null})") << QByteArray("fingerprint");
        QTest::newRow("empty fingerprint")
            << QByteArray(R"({"fingerprint": {"gpu": null}})") << QByteArray("fingerprint");
        QTest::newRow("published nowhere") << QByteArray(R"({"source": {"where": null}})") << QByteArray("source");
        QTest::newRow("other kind") << QByteArray(R"({"source": {"kind": "guess"}})") << QByteArray("guess");
        QTest::newRow("no points") << QByteArray(R"({"experiments": {"copy": {"points": []}}})")
                                   << QByteArray("no points");
        QTest::newRow("points are none") << QByteArray(R"({"experiments": {"copy": {"points": 3}}})")
                                         << QByteArray("copy");
        QTest::newRow("no metrics") << QByteArray(
                                           R"({"experiments": {"copy": {"points": [{"params": {}, "metrics": {}}]}}})")
                                    << QByteArray("copy, point 1");
        QTest::newRow("no unit")
            << QByteArray(R"({"experiments": {"copy": {"points": [{"params": {}, "metrics": {"b": {"value": 1}}}]}}})")
            << QByteArray("metric b");
        QTest::newRow("a word for a value")
            << QByteArray(
                   R"({"experiments": {"copy": {"points": [{"params": {}, "metrics": {"b": {"value": "x", "unit": "s"}}}]}}})")
            << QByteArray("metric b");
        QTest::newRow("limit of nothing")
            << QByteArray(
                   R"({"experiments": {"copy": {"points": [{"params": {}, "metrics": {"b": {"value": 1, "unit": "s"}}, "limits": {"b": {"value": 0, "kind": "upper"}}}]}}})")
            << QByteArray("limit b");
    }

    void whatIsNoneIsToldInPlace()
    {
        QFETCH(QByteArray, patch);
        QFETCH(QByteArray, word);
        Json json = good();
        json.merge_patch(*parseJson(patch.toStdString(), "patch"));
        const auto read = parse(json);
        QVERIFY(!read.ok());
        const std::string text = toText(read.error());
        QVERIFY2(text.find("x1.json") != std::string::npos, text.c_str());
        QVERIFY2(text.find(word.toStdString()) != std::string::npos, text.c_str());
        QVERIFY(!read.error().fix.empty());
    }

    void aBadFileTakesNoOtherWithIt()
    {
        QTemporaryDir folder;
        const auto put = [&](const char* name, const QByteArray& text) {
            QFile file(folder.filePath(QString::fromLatin1(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        put("a.json", "{ not json");
        put("b.json", kGood);
        put("c.json", "[]");
        put("notes.txt", "no baseline");
        const BaselineLibrary library = readBaselines(folder.path().toStdString());
        QCOMPARE(library.baselines.size(), 1u);
        QCOMPARE(library.baselines[0].id, std::string("b"));
        QCOMPARE(library.problems.size(), 2u);
        for (const Error& problem : library.problems)
            QVERIFY(!problem.fix.empty() && problem.place.find(".json") != std::string::npos);
        QVERIFY(readBaselines("/nowhere").baselines.empty());
    }

    void onlyWhatMeansTheSameFits()
    {
        ExperimentInfo info;
        info.id = "copy";
        info.version = 2;
        ParamSpec bytes, kind;
        bytes.name = "bytes";
        kind.name = "kind";
        info.parameters = {bytes, kind};
        info.metrics = {{"bandwidth", "Bandwidth", "GB/s", ""}};
        const auto read = parse(good());
        QVERIFY(baselineMisfits(*read, {&info, 1}).empty());
        QCOMPARE(pointsOf(*read, info).size(), 2u);
        info.metrics[0].unit = "B/s";
        QCOMPARE(baselineMisfits(*read, {&info, 1}).size(), 1u);
        info.parameters.pop_back();
        QCOMPARE(baselineMisfits(*read, {&info, 1}).size(), 2u);
        info.version = 3;
        const auto old = baselineMisfits(*read, {&info, 1});
        QCOMPARE(old.size(), 1u);
        QVERIFY(old[0].message.find("version 2") != std::string::npos);
        QVERIFY(pointsOf(*read, info).empty());
        QCOMPARE(baselineMisfits(*read, {}).size(), 1u);
    }

    void theShippedOnesAreWhole()
    {
        const BaselineLibrary library = readBaselines(*dataFolder() / "assets" / "baselines");
        for (const Error& problem : library.problems)
            QFAIL(toText(problem).c_str());
        QVERIFY(library.baselines.size() >= 11);
        for (const Baseline& baseline : library.baselines) {
            // Of what others published the clock or the driver is never all known; saying nothing would be a claim.
            QVERIFY2(!baseline.published || !baseline.unknown.empty(), baseline.id.c_str());
            for (const BaselinePoint& point : baseline.points)
                for (const auto& [name, limit] : point.run.limits)
                    if (const auto metric = point.run.metrics.find(name); metric != point.run.metrics.end())
                        QVERIFY2(limit.kind == "lower" || metric->second.value <= limit.value * 1.05,
                                 (baseline.id + ' ' + name).c_str());
        }
    }

    void theSchemaSaysTheSame()
    {
        QProcess python;
        python.setWorkingDirectory(QString::fromStdString((*dataFolder() / "assets").string()));
        python.start(
            QStringLiteral("python3"),
            {QStringLiteral("-c"),
             QStringLiteral("import glob, json, sys\ntry:\n import jsonschema\nexcept ImportError:\n sys.exit(77)\n"
                            "s = json.load(open('schemas/baseline.schema.json'))\n"
                            "jsonschema.Draft202012Validator.check_schema(s)\n"
                            "for f in glob.glob('baselines/*.json'):\n"
                            " jsonschema.Draft202012Validator(s).validate(json.load(open(f)))\n")});
        if (!python.waitForStarted() || !python.waitForFinished(60000) || python.exitCode() == 77)
            QSKIP("python3-jsonschema is not installed");
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError().constData());
    }
};

QTEST_GUILESS_MAIN(Baselines)
#include "tst_baselines.moc"
