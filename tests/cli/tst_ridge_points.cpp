// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge run --points`: tables as scripts and oracles give them, and parameters that name files.
#include "base/hash.h"
#include "base/json.h"
#include "tests/support/process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;

namespace {

Json document(const test::Outcome& outcome)
{
    auto json = parseJson(outcome.out.toStdString(), "standard output");
    return json ? *json : Json();
}

QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '));
}

constexpr const char* kTrace = "# two lines in turn\nR 0x1000\nW 0x2000\nR 0x1008\n";

} // namespace

class TestRidgePoints : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QString file(const char* name, const QByteArray& bytes) const
    {
        QFile file(m_folder.filePath(QString::fromUtf8(name)));
        if (file.open(QIODevice::WriteOnly))
            file.write(bytes);
        return file.fileName();
    }
    test::Outcome points(const QStringList& command, const QByteArray& table, const QStringList& more = {},
                         const test::Environment& environment = {}) const
    {
        return test::runProgram(QStringLiteral("ridge"),
                                command + QStringList{QStringLiteral("--points"), file("points.csv", table)} + more,
                                environment);
    }
    static std::string codeOf(const Json& sample)
    {
        return sample.contains("error") ? sample["error"].value("code", "") : std::string();
    }

private Q_SLOTS:
    void rowsAreSamplesInTheirOrder();
    void eachRowMayHaveItsTarget();
    void textHasAColumnOfErrors();
    void onlyWhatRanIsSaved();
    void aWorkerThatDiesTakesOneRow();
    void badTables_data();
    void badTables();
    void otherOptionsDoNotGoWithATable();
    void filesAreReadAndNamed();
};

void TestRidgePoints::rowsAreSamplesInTheirOrder()
{
    const auto outcome = points(words("run cache --json"), "\xEF\xBB\xBFloop, n ,ways\r\n"
                                                           "stream,2^12,\r\n"
                                                           "stream,4096,3\r\n"
                                                           "torrent,1,1\r\n"
                                                           "\"stream\",9999999999,1\r\n"
                                                           "stream,many,1\r\n"
                                                           ",,\r\n"
                                                           "stream,128,1\r\n");
    QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
    QVERIFY2(outcome.err.contains("4 of 7 rows have an error in place of a result"), outcome.err.constData());
    const Json json = document(outcome);
    QCOMPARE(json.at("experiment"), "cache");
    QCOMPARE(json.at("targets").size(), std::size_t{1});
    QCOMPARE(json.at("targets")[0].at("target"), "machine:cache-teaching");
    QCOMPARE(json.at("targets")[0].at("provenance"), "SIMULATED");
    QVERIFY(json.at("targets")[0].at("fingerprint").contains("target"));
    const Json& samples = json.at("samples");
    const std::vector<std::string> codes = {"", "bad-cache", "out-of-range", "out-of-range", "bad-value", "", ""};
    QCOMPARE(samples.size(), codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        QCOMPARE(codeOf(samples[i]), codes[i]);
        QCOMPARE(samples[i].at("metrics").empty(), !codes[i].empty());
        QCOMPARE(samples[i].at("target"), "machine:cache-teaching");
        if (codes[i].empty())
            continue;
        const std::string place = samples[i]["error"].value("place", "");
        QVERIFY2(place.find("points.csv:" + std::to_string(i + 2)) != std::string::npos, place.c_str());
        for (const char* key : {"message", "fix"})
            QVERIFY2(!samples[i]["error"].value(key, "").empty(), samples[i].dump().c_str());
    }
    QCOMPARE(samples[0]["params"]["n"].get<int>(), 4096);
    QCOMPARE(samples[0]["params"]["ways"].get<int>(), 0); // an empty cell: the default
    QCOMPARE(samples[0]["metrics"]["miss_rate"]["value"].get<double>(), 0.125);
    QCOMPARE(samples[2]["params"]["loop"], "torrent"); // as it was given
    QCOMPARE(samples[5]["params"]["loop"], "matmul_ijk");
    QCOMPARE(samples[6]["params"]["n"].get<int>(), 128);
}

void TestRidgePoints::eachRowMayHaveItsTarget()
{
    const auto outcome = points(words("run coalescing --target sim:t4 --json"), "stride;target\n"
                                                                                "1;sim:h100-sxm\n"
                                                                                "2;\n"
                                                                                "4;sim:nowhere\n"
                                                                                "8;cpu\n"
                                                                                "8;sim:h100-sxm\n"
                                                                                "16;teapot\n");
    QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
    const Json json = document(outcome);
    const std::vector<std::string> targets = {"sim:h100-sxm", "sim:t4", "sim:nowhere", "cpu", "sim:h100-sxm", "teapot"};
    const std::vector<std::string> codes = {"", "", "unknown-target", "unsupported-target", "", "unknown-target"};
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const Json& sample = json.at("samples").at(i);
        QCOMPARE(sample.at("target").get<std::string>(), targets[i]);
        QVERIFY2(codeOf(sample) == codes[i], sample.dump().c_str());
        QCOMPARE(sample.at("params").at("stride").get<int>(), i < 4 ? 1 << i : i == 4 ? 8 : 16);
    }
    QCOMPARE(json["samples"][0]["metrics"]["sectors_per_request"]["value"].get<double>(), 4.0);
    QCOMPARE(json["samples"][4]["metrics"]["sectors_per_request"]["value"].get<double>(), 32.0);
    QCOMPARE(json["targets"].size(), std::size_t{2});
    // One request a target: its checks are counted over its rows.
    bool counted = false;
    for (const Json& check : json["checks"])
        counted = counted || check["detail"].get<std::string>().starts_with("sim:h100-sxm: 2 of 2 points");
    QVERIFY2(counted, json["checks"].dump().c_str());
}

void TestRidgePoints::textHasAColumnOfErrors()
{
    const auto outcome = points(words("run cache"), "n,loop\n64,stream\n0,stream\n");
    QCOMPARE(outcome.exitCode, 0);
    for (const char* text :
         {"on machine:cache-teaching, SIMULATED", "miss_rate", "error", "out-of-range: ", "points.csv:3, parameter n"})
        QVERIFY2(outcome.out.contains(text), outcome.out.constData());
    QVERIFY(outcome.err.contains("1 of 2 rows have an error"));
    const auto fine = points(words("run cache"), "n,loop\n64,stream\n");
    QVERIFY(!fine.out.contains("error") && fine.err.isEmpty());
}

void TestRidgePoints::onlyWhatRanIsSaved()
{
    QTemporaryDir home;
    const test::Environment environment{{QStringLiteral("RIDGE_HOME"), home.path()}};
    const auto outcome = points(words("run cache --save --json"),
                                "n,loop,target\n64,stream,\n0,stream,\n65,stream,machine:nowhere\n"
                                "64,transpose_rows,machine:cache-teaching\n",
                                {}, environment);
    QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
    QCOMPARE(document(outcome).at("saved").size(), std::size_t{2});
    const auto text = points(words("run cache --save"), "n,loop\n64,stream\n0,stream\n", {}, environment);
    QVERIFY2(text.out.contains("saved: 1 runs"), text.out.constData());
}

void TestRidgePoints::aWorkerThatDiesTakesOneRow()
{
    // Dies of every request with stride 77, after it has answered the first point.
    const QString real = test::binary(QStringLiteral("ridge-worker"));
    const QByteArray script =
        "#!/bin/sh\n[ \"$1\" = run ] || exec '" + real.toUtf8() +
        "' \"$@\"\nrequest=$(cat)\ncase \"$request\" in\n*'\"stride\":77'*)\n"
        "echo '{\"event\":\"started\",\"protocol\":1,\"experiment\":\"coalescing\",\"version\":1,\"target\":\"sim:t4\","
        "\"provenance\":\"SIMULATED\",\"fingerprint\":{},\"points\":3}'\n"
        "echo '{\"event\":\"sample\",\"index\":0,\"params\":{\"stride\":1},\"metrics\":{},\"limits\":{},\"checks\":[],"
        "\"validity\":\"valid\"}'\nkill -SEGV $$;;\nesac\nprintf '%s' \"$request\" | '" +
        real.toUtf8() + "' run\n";
    const QString worker = file("worker", script);
    QVERIFY(QFile::setPermissions(worker, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const auto outcome = points(words("run coalescing --target sim:t4 --json"), "stride\n1\n77\n8\n", {},
                                {{QStringLiteral("RIDGE_WORKER"), worker}});
    QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
    const Json json = document(outcome);
    QCOMPARE(codeOf(json.at("samples")[0]), std::string());
    QCOMPARE(codeOf(json["samples"][1]), std::string("worker-crashed"));
    QCOMPARE(codeOf(json["samples"][2]), std::string());
    QCOMPARE(json["samples"][2]["metrics"]["sectors_per_request"]["value"].get<double>(), 32.0);
}

void TestRidgePoints::badTables_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<QStringList>("says");
    const auto row = [](const char* name, const QByteArray& table, const QStringList& says) {
        QTest::newRow(name) << table << says;
    };
    row("empty", "", {QStringLiteral("points.csv:1"), QStringLiteral("empty"), QStringLiteral("first line")});
    row("blank", "\n\n", {QStringLiteral("points.csv:1"), QStringLiteral("empty")});
    row("no header", "stream,64\nstream,128\n", {QStringLiteral("points.csv:1"), QStringLiteral("has no header")});
    row("no rows", "loop,n\n", {QStringLiteral("points.csv:1"), QStringLiteral("no rows")});
    row("unknown column", "loop,wayz\nstream,1\n",
        {QStringLiteral("points.csv:1"), QStringLiteral("wayz"), QStringLiteral("did you mean ways"),
         QStringLiteral("policy")});
    row("column without a name", "loop,,n\nstream,,1\n", {QStringLiteral("points.csv:1"), QStringLiteral("column 2")});
    row("column twice", "n,loop,n\n1,stream,1\n", {QStringLiteral("points.csv:1"), QStringLiteral("twice")});
    row("ragged", "loop,n\nstream,64\n\nstream\n",
        {QStringLiteral("points.csv:4"), QStringLiteral("1 cells"), QStringLiteral("has 2")});
    row("too long a row", "loop,n\nstream,64,1\n", {QStringLiteral("points.csv:2"), QStringLiteral("3 cells")});
    row("not UTF-8", "loop,n\nstream,64\nstr\xFF,1\n", {QStringLiteral("points.csv:3"), QStringLiteral("UTF-8")});
    row("quote", "loop,n\n\"stream,64\n", {QStringLiteral("points.csv:2"), QStringLiteral("quote")});
}

void TestRidgePoints::badTables()
{
    QFETCH(QByteArray, table);
    QFETCH(QStringList, says);
    const auto outcome = points(words("run cache --json"), table);
    QCOMPARE(outcome.exitCode, 2);
    QVERIFY(outcome.out.isEmpty());
    for (const QString& word : says)
        QVERIFY2(outcome.err.contains(word.toUtf8()), outcome.err.constData());
}

void TestRidgePoints::otherOptionsDoNotGoWithATable()
{
    for (const char* more : {"--set n=64", "--sweep n=1,2", "--resume"})
        QCOMPARE(points(words("run cache"), "n\n64\n", words(more)).exitCode, 2);
    const auto absent = test::runProgram(QStringLiteral("ridge"), words("run cache --points /nowhere/points.csv"));
    QCOMPARE(absent.exitCode, 2);
    QVERIFY2(absent.err.contains("/nowhere/points.csv"), absent.err.constData());
}

/// A path is one of the folder that the command is started in; what was read is in fingerprint and samples.
void TestRidgePoints::filesAreReadAndNamed()
{
    const QString trace = file("small.trace", kTrace);
    const QString relative = QDir::current().relativeFilePath(trace);
    const std::string digest = sha256Hex(kTrace);
    const Json one = document(test::runProgram(
        QStringLiteral("ridge"), words("run cache --json --set") + QStringList{QStringLiteral("trace=") + relative}));
    QCOMPARE(one.at("samples")[0]["metrics"]["accesses"]["value"].get<int>(), 3);
    QCOMPARE(one["samples"][0]["params"]["trace"].get<std::string>(), trace.toStdString());
    QCOMPARE(one["fingerprint"]["inputs"]["trace"].get<std::string>(), digest);

    const auto table =
        points(words("run cache --json"), "trace,ways\n" + relative.toUtf8() + ",1\n,1\nabsent.trace,1\n");
    QCOMPARE(table.exitCode, 0);
    const Json samples = document(table).at("samples");
    QCOMPARE(samples[0]["inputs"]["trace"].get<std::string>(), digest);
    QVERIFY(!samples[1].contains("inputs"));
    QCOMPARE(codeOf(samples[2]), std::string("cannot-read"));
    const std::string place = samples[2]["error"]["place"];
    const std::string absent = QDir::current().absoluteFilePath(QStringLiteral("absent.trace")).toStdString();
    QVERIFY2(place.find("points.csv:4, parameter trace, " + absent) != std::string::npos, place.c_str());

    const auto described = test::runProgram(QStringLiteral("ridge"), words("describe cache"));
    QVERIFY2(described.out.contains("a file"), described.out.constData());
}

QTEST_GUILESS_MAIN(TestRidgePoints)
#include "tst_ridge_points.moc"
