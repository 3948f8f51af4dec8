// SPDX-License-Identifier: GPL-3.0-or-later
// The data sets of assets/parity: each row is run by its experiment, and the file must say what it answers, so that the
// page "Measured and modelled" is never older than the engines. RIDGE_UPDATE_GOLDENS=1 writes the answers.
#include "base/json.h"
#include "base/parameters.h"
#include "labs/catalogue.h"
#include "labs/worker/execute.h"
#include "parity/parity.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fstream>

using namespace ridge;

namespace {

constexpr double kSame = 1e-6; ///< between compilers

std::filesystem::path source()
{
    return qEnvironmentVariable("RIDGE_SOURCE").toStdString();
}

std::filesystem::path folder()
{
    return source() / "assets" / "parity";
}

/// A row's settings, as `--points` reads a line of a table.
Result<ParamSet> settingsOf(const ExperimentInfo& info, const parity::Set& set, const parity::Row& row)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < set.columns.size(); ++i) {
        const std::string& cell = row.cells[i];
        if (cell.empty())
            continue;
        const auto spec = std::find_if(info.parameters.begin(), info.parameters.end(),
                                       [&](const ParamSpec& one) { return one.name == set.columns[i]; });
        if (spec == info.parameters.end())
            return Error{"bad-parity", "no parameter " + set.columns[i], set.id, "name one of the experiment"};
        const Json number = Json::parse(cell, nullptr, false);
        json[set.columns[i]] = number.is_number() ? number : Json(cell);
    }
    auto settings = paramSetFromJson(json, set.id);
    if (!settings)
        return settings;
    // A configuration of a model lies beside the points of the experiments.
    for (const auto& [name, path] : filesOf(info.parameters, *settings))
        if (!path.starts_with("assets:"))
            (*settings)[name] = (source() / "tests/labs/points" / path).string();
    return settings;
}

} // namespace

class TestParity : public QObject {
    Q_OBJECT
    std::vector<parity::Set> m_sets;

private Q_SLOTS:
    void initTestCase()
    {
        auto sets = parity::readSets(folder());
        QVERIFY2(sets.ok(), sets ? "" : toText(sets.error()).c_str());
        m_sets = std::move(*sets);
    }

    void theFilesSayWhatTheEnginesAnswer_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < m_sets.size(); ++i)
            QTest::newRow(m_sets[i].id.c_str()) << int(i);
    }

    void theFilesSayWhatTheEnginesAnswer()
    {
        QFETCH(int, index);
        const parity::Set& set = m_sets[std::size_t(index)];
        const auto catalogue = labs::makeCatalogue();
        const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                        [&](const auto& each) { return each->info().id == set.experiment; });
        QVERIFY2(found != catalogue.end(), set.experiment.c_str());
        const ExperimentInfo& info = (*found)->info();
        RunRequest request;
        request.experiment = set.experiment;
        request.target = set.target;
        for (const parity::Row& row : set.rows) {
            const auto settings = settingsOf(info, set, row);
            QVERIFY2(settings.ok(), settings ? "" : toText(settings.error()).c_str());
            request.points.push_back(*settings);
        }
        std::vector<double> answers;
        labs::execute(catalogue, request,
                      [&](const Event& event) {
                          if (const auto* sample = std::get_if<SampleEvent>(&event)) {
                              const auto metric = sample->metrics.find(set.metric);
                              answers.push_back(metric == sample->metrics.end() ? NAN : metric->second.value);
                          }
                          if (const auto* failed = std::get_if<FailedEvent>(&event))
                              qWarning("%s", toText(failed->error).c_str());
                      },
                      {}, {});
        QCOMPARE(answers.size(), set.rows.size());
        parity::Set now = set;
        std::string wrong;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            QVERIFY2(std::isfinite(answers[i]), parity::wordsOf(set, set.rows[i]).c_str());
            now.rows[i].modelled = answers[i];
            if (wrong.empty() && !(set.rows[i].modelled && std::abs(answers[i] / *set.rows[i].modelled - 1) <= kSame))
                wrong = parity::wordsOf(set, set.rows[i]) + " is now " + std::to_string(answers[i]);
        }
        const parity::Errors errors = parity::errorsOf(now);
        qInfo("%-22s %4d rows, mean %5.1f %%, median %5.1f %%, 90 %% below %5.1f %%, worst %5.1f %%, bias %+5.1f %%%s",
              set.id.c_str(), int(errors.rows), 100 * errors.mean, 100 * errors.median, 100 * errors.ninety,
              100 * errors.worst, 100 * errors.bias, parity::meets(errors, set.goal) ? "" : ", beyond its goal");
        if (!wrong.empty() && qEnvironmentVariableIsSet("RIDGE_UPDATE_GOLDENS")) {
            QVERIFY(writeFile(folder() / (set.id + ".csv"), parity::csvOf(now)).ok());
            return;
        }
        QVERIFY2(wrong.empty(),
                 (wrong + "; run tst_parity with RIDGE_UPDATE_GOLDENS=1 and look at what moved").c_str());
    }

    void errorsAreSharesOfWhatWasMeasured()
    {
        parity::Set set;
        set.columns = {"m", "n"};
        set.rows = {{{"1", "8"}, 10, 11}, {{"2", "8"}, 10, 8}, {{"3", "8"}, 10, 10}, {{"4", "8"}, 10, {}}};
        const parity::Errors errors = parity::errorsOf(set);
        QCOMPARE(errors.rows, std::size_t{3});
        QVERIFY(std::abs(errors.mean - 0.1) < 1e-12 && std::abs(errors.worst - 0.2) < 1e-12);
        QVERIFY(std::abs(errors.median - 0.1) < 1e-12 && std::abs(errors.bias + 0.1 / 3) < 1e-12);
        QVERIFY(parity::meets(errors, {.mean = 0.11, .ninety = {}, .worst = 0.2000001}));
        QVERIFY(!parity::meets(errors, {.mean = 0.09, .ninety = {}, .worst = {}}));
        QVERIFY(!parity::meets({}, {})); // nothing was run
        QCOMPARE(parity::wordsOf(set, set.rows[1]), std::string("m = 2"));
    }

    void theSamePointsOfTwoSetsAreSetAgainstEachOther()
    {
        parity::Set one, two;
        one.id = "one";
        two.id = "two";
        one.experiment = two.experiment = "gemm_time";
        one.metric = two.metric = "time";
        one.columns = {"dtype", "m"};
        two.columns = {"m", "dtype"};
        one.rows = {{{"bf16", "1"}, 10, {}}, {{"bf16", "2"}, 10, {}}, {{"fp8", "1"}, 1, {}}};
        two.rows = {{{"1", "fp16"}, 12, {}}, {{"2", "bf16"}, 8, {}}, {{"3", "bf16"}, 5, {}}};
        const auto spreads = parity::spreadsOf({one, two});
        QCOMPARE(spreads.size(), std::size_t{1});
        QCOMPARE(spreads[0].points, std::size_t{2});
        QVERIFY(std::abs(spreads[0].most - 0.25) < 1e-12 && std::abs(spreads[0].median - 0.225) < 1e-12);
        two.experiment = "other";
        QVERIFY(parity::spreadsOf({one, two}).empty());
    }

    /// What others published disagrees by a tenth to a half, which no model can undo.
    void publishedFiguresDisagree()
    {
        const auto spreads = parity::spreadsOf(m_sets);
        const auto of = [&](const char* first, const char* second) {
            for (const parity::Spread& one : spreads)
                if (one.first == first && one.second == second)
                    return one;
            return parity::Spread{};
        };
        const parity::Spread reduce = of("nccl-a100", "allreduce-vidur");
        QCOMPARE(reduce.points, std::size_t{12});
        QVERIFY2(reduce.median > 0.1 && reduce.most > 0.5, std::to_string(reduce.median).c_str());
        QVERIFY(of("gemm-a100-bf16", "gemm-a100-llmcompass").points >= 1);
    }

    void badFilesAreNamed_data()
    {
        QTest::addColumn<QByteArray>("sets");
        QTest::addColumn<QByteArray>("table");
        QTest::addColumn<QByteArray>("says");
        const QByteArray good = R"({"sets": [{"id": "a", "title": "A", "group": "G", "experiment": "gemm_time",
            "target": "model", "metric": "time", "unit": "s", "source": "s", "licence": "l", "method": "m", "fitted": "no"}]})";
        QTest::newRow("no list") << QByteArray("{}") << QByteArray() << QByteArray("no list of sets");
        QTest::newRow("no source") << QByteArray(good).replace("\"source\": \"s\"", "\"source\": \"\"") << QByteArray()
                                   << QByteArray("no \"source\"");
        QTest::newRow("fitted") << QByteArray(good).replace("\"no\"", "\"perhaps\"") << QByteArray()
                                << QByteArray("whether it was fitted");
        QTest::newRow("no table") << good << QByteArray() << QByteArray("a.csv");
        QTest::newRow("columns") << good << QByteArray("m,time\n1,2\n") << QByteArray("other columns");
        QTest::newRow("cells") << good << QByteArray("m,measured,modelled\n1,2\n") << QByteArray("a.csv:2");
        QTest::newRow("zero") << good << QByteArray("m,measured,modelled\n1,0,\n") << QByteArray("above zero");
        QTest::newRow("word") << good << QByteArray("m,measured,modelled\n1,2,x\n") << QByteArray("no modelled value");
    }

    void badFilesAreNamed()
    {
        QFETCH(QByteArray, sets);
        QFETCH(QByteArray, table);
        QFETCH(QByteArray, says);
        QTemporaryDir place;
        const std::filesystem::path at = place.path().toStdString();
        QVERIFY(writeFile(at / "sets.json", sets.toStdString()).ok());
        if (!table.isEmpty())
            QVERIFY(writeFile(at / "a.csv", table.toStdString()).ok());
        const auto read = parity::readSets(at);
        QVERIFY(!read.ok());
        QVERIFY2(toText(read.error()).find(says.toStdString()) != std::string::npos, toText(read.error()).c_str());
        QVERIFY(!read.error().fix.empty());
    }
};

QTEST_GUILESS_MAIN(TestParity)
#include "tst_parity.moc"
