// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments held to known figures, as data: tests/labs/points/*.json. A point has its settings and either the metrics
// that it must have ("expect", to a millionth, or to "tolerance" as a share; null: it must not have it) or the code of
// its error ("error"). All checks of a point must pass. A file that a point reads lies beside it. What a file says
// wrongly is a failure with file, point and fix. A file "needs" programs: where one is not installed, each of its
// points must end with the error "no-<program>" of the first that is missing, or with its own. Names that tables from
// outside are run with are data too: tests/labs/names.json.
#include "base/hash.h"
#include "base/json.h"
#include "base/parameters.h"
#include "labs/catalogue.h"
#include "labs/worker/execute.h"

#include <QtTest>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <sstream>

using namespace ridge;

namespace {

constexpr double kExact = 1e-6;

std::filesystem::path folder()
{
    return std::filesystem::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests/labs/points";
}

struct Outcome {
    std::optional<SampleEvent> sample;
    std::optional<Error> error;
};

Outcome runPoint(const std::string& experiment, const std::string& target, const ParamSet& set)
{
    RunRequest request;
    request.experiment = experiment;
    request.target = target;
    request.points = {set};
    Outcome outcome;
    static const auto catalogue = labs::makeCatalogue();
    // Files that a point names are those beside the points, or come with the program.
    for (const auto& each : catalogue)
        if (each->info().id == experiment)
            for (const auto& [name, path] : filesOf(each->info().parameters, set))
                if (!path.starts_with("assets:"))
                    request.points.front()[name] = (folder() / path).string();
    labs::execute(catalogue, request,
                  [&](const Event& event) {
                      if (const auto* sample = std::get_if<SampleEvent>(&event))
                          outcome.sample = *sample;
                      if (const auto* failed = std::get_if<FailedEvent>(&event))
                          outcome.error = failed->error;
                  },
                  {}, {});
    return outcome;
}

/// What a point of a file demands and did not get; empty where all is well.
std::string wrongWith(const Json& file, const Json& point)
{
    for (const auto& [key, value] : point.items())
        if (key != "why" && key != "set" && key != "expect" && key != "error" && key != "tolerance" && key != "target")
            return "unknown key \"" + key + "\": write why, set, target, expect, tolerance or error";
    const auto set = paramSetFromJson(point.value("set", Json::object()), "set");
    if (!set)
        return toText(set.error());
    const Outcome outcome =
        runPoint(file.value("experiment", ""), point.value("target", file.value("target", "")), *set);
    for (const std::string& tool : file.value("needs", std::vector<std::string>())) {
        if (!QStandardPaths::findExecutable(QString::fromStdString(tool)).isEmpty())
            continue;
        const std::string code = outcome.error ? outcome.error->code : "no error";
        return code == "no-" + tool || code == point.value("error", "")
                   ? ""
                   : tool + " is not installed, and the point ends with " + code;
    }
    if (point.contains("error")) {
        const std::string wanted = point.value("error", "");
        if (!outcome.error)
            return "it ran, but the error \"" + wanted + "\" was expected";
        return outcome.error->code == wanted ? ""
                                             : "another error: " + outcome.error->code + ", " + toText(*outcome.error);
    }
    if (!outcome.sample)
        return outcome.error ? toText(*outcome.error) : "no sample";
    if (!point.contains("expect") || point["expect"].empty())
        return "it expects nothing: write \"expect\" with a metric, or \"error\"";
    const double tolerance = point.value("tolerance", kExact);
    for (const auto& [name, wanted] : point["expect"].items()) {
        const auto metric = outcome.sample->metrics.find(name);
        if (wanted.is_null()) {
            if (metric != outcome.sample->metrics.end())
                return name + " is " + std::to_string(metric->second.value) + ", and there should be none";
            continue;
        }
        if (metric == outcome.sample->metrics.end()) {
            std::string known;
            for (const auto& each : outcome.sample->metrics)
                known += (known.empty() ? "" : ", ") + each.first;
            return "there is no metric \"" + name + "\"; the point has " + known;
        }
        // A share of what is wanted, however small that is: most times are below a second.
        const double right = wanted.get<double>();
        if (std::abs(metric->second.value - right) > tolerance * (right == 0 ? 1 : std::abs(right)))
            return name + " is " + std::to_string(metric->second.value) + ", expected " + wanted.dump();
    }
    for (const CheckResult& check : outcome.sample->checks)
        if (!check.passed)
            return "its check \"" + check.name + "\" failed: " + check.detail;
    return "";
}

} // namespace

class TestPoints : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void names_data();
    void names();
    void points_data();
    void points();
    void whatAFileSaysWronglyIsNamed_data();
    void whatAFileSaysWronglyIsNamed();
};

/// Names that tables are run with: tests/labs/names.json. Others may come, these must not go.
void TestPoints::names_data()
{
    QTest::addColumn<QByteArray>("fixed");
    const Json json = Json::parse(*readFile(folder().parent_path() / "names.json"), nullptr, false);
    QVERIFY(json.is_object() && !json.empty());
    for (const auto& [experiment, fixed] : json.items())
        QTest::newRow(experiment.c_str()) << QByteArray::fromStdString(fixed.dump());
}

void TestPoints::names()
{
    QFETCH(QByteArray, fixed);
    const Json json = Json::parse(fixed.toStdString());
    const std::string id = QTest::currentDataTag();
    static const auto catalogue = labs::makeCatalogue();
    const auto found =
        std::find_if(catalogue.begin(), catalogue.end(), [&](const auto& each) { return each->info().id == id; });
    QVERIFY2(found != catalogue.end(), "there is no such experiment");
    const ExperimentInfo& info = (*found)->info();
    const auto words = [](const Json& text) {
        std::istringstream in(text.get<std::string>());
        return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
    };
    const auto parameter = [&](const std::string& name) {
        return std::find_if(info.parameters.begin(), info.parameters.end(),
                            [&](const ParamSpec& spec) { return spec.name == name; });
    };
    std::string missing;
    for (const std::string& name : words(json["parameters"]))
        if (parameter(name) == info.parameters.end())
            missing += " parameter " + name;
    for (const std::string& name : words(json["metrics"]))
        if (std::none_of(info.metrics.begin(), info.metrics.end(),
                         [&](const MetricSpec& spec) { return spec.name == name; }))
            missing += " metric " + name;
    for (const auto& [name, values] : json["choices"].items()) {
        const auto spec = parameter(name);
        for (const std::string& value : words(values))
            if (spec == info.parameters.end() ||
                std::find(spec->choices.begin(), spec->choices.end(), ParamValue(value)) == spec->choices.end())
                missing += " " + name + " " + value;
    }
    QVERIFY2(missing.empty(), ("missing:" + missing).c_str());
}

void TestPoints::points_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("point");
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        if (entry.path().extension() != ".json")
            continue;
        const Json json = Json::parse(*readFile(entry.path()), nullptr, false);
        QVERIFY2(json.is_object() && json.contains("points"), (entry.path().string() + " is no points file").c_str());
        int number = 0;
        for (const Json& point : json["points"])
            QTest::newRow(
                (entry.path().stem().string() + " " + std::to_string(++number) + ": " + point.value("why", "")).c_str())
                << QByteArray::fromStdString(json.dump()) << QByteArray::fromStdString(point.dump());
    }
}

void TestPoints::points()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, point);
    const std::string wrong = wrongWith(Json::parse(file.toStdString()), Json::parse(point.toStdString()));
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestPoints::whatAFileSaysWronglyIsNamed_data()
{
    QTest::addColumn<QByteArray>("point");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("metric") << QByteArray(R"({"expect": {"mises": 1}})")
                            << QByteArray("there is no metric \"mises\"; the point has");
    QTest::newRow("value") << QByteArray(R"({"expect": {"compulsory": 1}})")
                           << QByteArray("compulsory is 1536.000000, expected 1");
    QTest::newRow("nothing") << QByteArray(R"({"set": {}})") << QByteArray("expects nothing");
    QTest::newRow("key") << QByteArray(R"({"sett": {}})") << QByteArray("unknown key \"sett\"");
    QTest::newRow("parameter") << QByteArray(R"({"set": {"way": 1}, "expect": {"misses": 1}})") << QByteArray("way");
    QTest::newRow("no error") << QByteArray(R"({"error": "bad-cache"})") << QByteArray("it ran, but");
    QTest::newRow("target") << QByteArray(R"({"target": "machine:nowhere", "expect": {"misses": 1}})")
                            << QByteArray("nowhere");
}

void TestPoints::whatAFileSaysWronglyIsNamed()
{
    QFETCH(QByteArray, point);
    QFETCH(QByteArray, says);
    const Json file{{"experiment", "cache"}, {"target", "machine:cache-teaching"}};
    const std::string wrong = wrongWith(file, Json::parse(point.toStdString()));
    QVERIFY2(QByteArray::fromStdString(wrong).contains(says), wrong.c_str());
}

QTEST_GUILESS_MAIN(TestPoints)
#include "tst_points.moc"
