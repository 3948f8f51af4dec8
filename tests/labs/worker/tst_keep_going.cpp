// SPDX-License-Identifier: GPL-3.0-or-later
// Requests that keep going (a point that is refused or fails is a sample with its error), and points that read files.
#include "base/hash.h"
#include "base/json.h"
#include "labs/experiment.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/worker/execute.h"

#include <QTemporaryDir>
#include <QtTest>
#include <new>
#include <sys/stat.h>

using namespace ridge;
using namespace ridge::labs;

namespace {

/// Does what "how" says and tells the length of its file.
class Moody : public Experiment {
public:
    Moody()
    {
        m_info.id = "moody";
        m_info.title = "Moody";
        m_info.module = 5;
        m_info.targets = {"model"};
        m_info.parameters = {
            integerParam("n", "Size", "", 1, 8, 1, ParamScale::Linear, ""),
            choiceParam("how", "How", {"well", "error", "throw", "memory", "unchecked", "throttled"}, "well", ""),
            fileParam("file", "File", "All (*)", "")};
        m_info.metrics = {{"n", "Size", "", ""}, {"bytes", "Bytes", "bytes", ""}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const std::string how = choice(params, "how");
        if (how == "error")
            return Error{"too-moody", "not today", "", "come back tomorrow"};
        if (how == "throw")
            context.metric("nothing", 1, Provenance::Modelled);
        if (how == "memory")
            throw std::bad_alloc();
        context.metric("n", static_cast<double>(integer(params, "n")), Provenance::Modelled);
        context.check("content", how != "unchecked", "");
        if (how == "throttled")
            context.validity("throttled");
        if (given(params, "file")) {
            const auto bytes = readInput(params, "file", 1000);
            if (!bytes)
                return bytes.error();
            context.metric("bytes", static_cast<double>(bytes->size()), Provenance::Modelled);
        }
        return {};
    }

private:
    ExperimentInfo m_info;
};

std::vector<Event> executed(std::vector<ParamSet> points, bool keepGoing, const std::string& target = "model")
{
    std::vector<std::unique_ptr<Experiment>> catalogue;
    catalogue.push_back(std::make_unique<Moody>());
    RunRequest request;
    request.experiment = "moody";
    request.target = target;
    request.points = std::move(points);
    request.keepGoing = keepGoing;
    std::vector<Event> events;
    execute(
        catalogue, request, [&](const Event& event) { events.push_back(event); }, {}, [] { return Error{}; });
    return events;
}

template<class T>
std::vector<T> all(const std::vector<Event>& events)
{
    std::vector<T> found;
    for (const Event& event : events)
        if (const auto* one = std::get_if<T>(&event))
            found.push_back(*one);
    return found;
}

ParamSet how(const char* word)
{
    return {{"how", std::string(word)}};
}

std::string codeOf(const SampleEvent& sample)
{
    return sample.error ? sample.error->code : std::string();
}

} // namespace

class TestKeepGoing : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pointsThatFailAreSamples();
    void withoutItTheFirstErrorEndsTheRequest();
    void whatConcernsAllPointsStillFails();
    void checksAndValidityAreOfThePointsThatRan();
    void theFingerprintSaysWhatWasRead();
    void filesThatCannotBeRead();
};

void TestKeepGoing::pointsThatFailAreSamples()
{
    const auto events = executed({{{"n", std::int64_t{9}}},
                                  {{"n", std::int64_t{2}}},
                                  how("error"),
                                  how("throw"),
                                  how("memory"),
                                  {{"m", std::int64_t{2}}},
                                  {{"n", std::int64_t{3}}}},
                                 true);
    QVERIFY(all<FailedEvent>(events).empty());
    QCOMPARE(all<StartedEvent>(events).size(), std::size_t{1});
    QVERIFY(std::holds_alternative<StartedEvent>(events.front()));
    QVERIFY(std::holds_alternative<FinishedEvent>(events.back()));
    const auto samples = all<SampleEvent>(events);
    const std::vector<std::string> codes = {"out-of-range",      "", "too-moody", "internal", "out-of-memory",
                                            "unknown-parameter", ""};
    QCOMPARE(samples.size(), codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        QCOMPARE(samples[i].index, i);
        QCOMPARE(codeOf(samples[i]), codes[i]);
        QCOMPARE(samples[i].validity, std::string(codes[i].empty() ? "valid" : "failed"));
        QCOMPARE(samples[i].metrics.empty(), !codes[i].empty());
    }
    QCOMPARE(samples[1].metrics.at("n").value, 2.0);
    QCOMPARE(samples[6].metrics.at("n").value, 3.0);
    QCOMPARE(std::get<std::int64_t>(samples[0].params.at("n")), 9); // as it was given
    QCOMPARE(samples[2].params.size(), std::size_t{3});             // complete
    QCOMPARE(samples[2].error->place, std::string("moody at how = error"));
    QCOMPARE(samples[2].error->fix, std::string("come back tomorrow"));
}

void TestKeepGoing::withoutItTheFirstErrorEndsTheRequest()
{
    const auto ran = executed({{{"n", std::int64_t{2}}}, how("error"), {{"n", std::int64_t{3}}}}, false);
    QCOMPARE(all<SampleEvent>(ran).size(), std::size_t{1});
    QCOMPARE(all<FailedEvent>(ran).front().error.code, std::string("too-moody"));
    const auto refused = executed({{{"n", std::int64_t{2}}}, {{"n", std::int64_t{9}}}}, false);
    QVERIFY(all<SampleEvent>(refused).empty()); // nothing runs before all points are known to be good
    QCOMPARE(all<FailedEvent>(refused).front().error.code, std::string("out-of-range"));
}

void TestKeepGoing::whatConcernsAllPointsStillFails()
{
    const auto events = executed({{}, {}}, true, "cpu");
    QVERIFY(all<SampleEvent>(events).empty());
    QCOMPARE(all<FailedEvent>(events).front().error.code, std::string("unsupported-target"));
}

void TestKeepGoing::checksAndValidityAreOfThePointsThatRan()
{
    const auto events = executed({how("error"), {}, how("unchecked"), how("throttled")}, true);
    const auto checks = all<CheckEvent>(events);
    QCOMPARE(checks.size(), std::size_t{1});
    QVERIFY2(checks[0].check.detail.starts_with("2 of 3 points passed"), checks[0].check.detail.c_str());
    QCOMPARE(all<FinishedEvent>(events).front().validity, std::string("throttled"));
    QCOMPARE(all<FinishedEvent>(executed({how("error"), {}}, true)).front().validity, std::string("valid"));
    QCOMPARE(all<FinishedEvent>(executed({how("error")}, true)).front().validity, std::string("failed"));
}

void TestKeepGoing::theFingerprintSaysWhatWasRead()
{
    QTemporaryDir dir;
    const auto write = [&dir](const char* name, const std::string& bytes) {
        const std::string path = dir.filePath(QString::fromUtf8(name)).toStdString();
        return writeFile(path, bytes) ? path : std::string();
    };
    const std::string a = write("a", "one"), b = write("b", "other");
    const auto events = executed({{}, {{"file", a}}, {{"file", a}, {"n", std::int64_t{2}}}, {{"file", b}}}, true);
    const auto samples = all<SampleEvent>(events);
    QCOMPARE(samples.size(), std::size_t{4});
    QCOMPARE(samples[1].metrics.at("bytes").value, 3.0);
    QCOMPARE(samples[3].metrics.at("bytes").value, 5.0);
    // A start of its own wherever other files are read, so that a stored run has the digests of its own ones.
    std::vector<Json> read;
    for (const Event& event : events) {
        if (const auto* started = std::get_if<StartedEvent>(&event))
            read.push_back(started->fingerprint->value("inputs", Json::object()));
        if (std::holds_alternative<SampleEvent>(event))
            read.push_back(Json("sample"));
    }
    const std::vector<Json> wanted = {Json::object(), "sample", Json{{"file", sha256Hex("one")}},
                                      "sample",       "sample", Json{{"file", sha256Hex("other")}},
                                      "sample"};
    QVERIFY2(read == wanted, Json(read).dump().c_str());
}

void TestKeepGoing::filesThatCannotBeRead()
{
    QTemporaryDir dir;
    const auto path = [&dir](const char* name) { return dir.filePath(QString::fromUtf8(name)).toStdString(); };
    QVERIFY(writeFile(path("large"), std::string(1001, 'x')).ok());
    QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
    const std::vector<std::pair<std::string, std::string>> cases = {
        {path("absent"), "cannot-read"}, {dir.path().toStdString(), "cannot-read"},
        {path("pipe"), "cannot-read"},   {"/dev/zero", "cannot-read"},
        {path("large"), "too-large"},    {"absent", "bad-value"}};
    for (const auto& [file, code] : cases) {
        const auto failed = all<FailedEvent>(executed({{{"file", file}}}, false));
        QVERIFY2(failed.size() == 1, file.c_str());
        const Error& error = failed.front().error;
        QCOMPARE(error.code, code);
        QVERIFY2(error.place.starts_with("parameter file"), error.place.c_str());
        QVERIFY2((error.place + error.message).find(file) != std::string::npos, toText(error).c_str());
        QVERIFY(!error.fix.empty());
        const auto samples = all<SampleEvent>(executed({{{"file", file}}, {}}, true));
        QCOMPARE(samples.size(), std::size_t{2});
        QCOMPARE(codeOf(samples[0]), code);
        QCOMPARE(codeOf(samples[1]), std::string());
    }
}

QTEST_GUILESS_MAIN(TestKeepGoing)
#include "tst_keep_going.moc"
