// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment that needs no GPU, on a machine out of a file.
#include "base/hash.h"
#include "base/json.h"
#include "base/trace_bytes.h"
#include "labs/experiment.h"
#include "labs/worker/execute.h"
#include "silicon/machines.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::labs;

namespace {

/// Reads one value of its machine, draws a number and gives a trace that nobody knows.
class Ways : public Experiment {
public:
    Ways()
    {
        m_info.id = "ways";
        m_info.title = "Ways of a cache";
        m_info.module = 5;
        m_info.targets = {"machine", "cpu"};
        m_info.engine = "cache";
        m_info.engineVersion = 4;
        m_info.metrics = {{"ways", "Ways", "ways", ""}, {"drawn", "Drawn", "1", ""}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet&, RunContext& context) const override
    {
        if (context.machine() == nullptr) {
            context.metric("ways", 0, Provenance::Measured);
            return {};
        }
        const auto ways = context.machine()->number("ways", "ways");
        if (!ways)
            return ways.error();
        if (context.gpu() != nullptr || context.target().name != context.machine()->id)
            return Error{"wrong", "the context is that of another target", "", ""};
        context.metric("ways", *ways, Provenance::Simulated);
        context.metric("drawn", static_cast<double>(context.rng().nextU32()), Provenance::Simulated);
        context.trace("grid", frameTrace("RGRD", 7, "first"));
        context.trace("teapot", frameTrace("RTEA", 1, "short and stout"));
        context.trace("grid", frameTrace("RGRD", 7, "second"));
        return {};
    }

private:
    ExperimentInfo m_info;
};

std::vector<Event> executed(const std::string& target, bool trace = true)
{
    std::vector<std::unique_ptr<Experiment>> catalogue;
    catalogue.push_back(std::make_unique<Ways>());
    RunRequest request;
    request.experiment = "ways";
    request.target = target;
    request.points = {{}, {}};
    request.trace = trace;
    std::vector<Event> events;
    const EventSink sink = [&](const Event& event) { events.push_back(event); };
    execute(catalogue, request, sink, {}, [] { return Error{}; });
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

Error errorOn(const std::string& target)
{
    const auto failed = all<FailedEvent>(executed(target));
    return failed.empty() ? Error{"none", "", "", ""} : failed.front().error;
}

} // namespace

class TestMachineTarget : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runsWithoutADevice();
    void tracesOfAnyKindPassUntouched();
    void fingerprintNamesTheMachine();
    void saysWhyAMachineCannotAnswer();
    void otherTargetsHaveNoMachine();
};

void TestMachineTarget::runsWithoutADevice()
{
    const auto events = executed("machine:cache-teaching");
    const auto failed = all<FailedEvent>(events);
    QVERIFY2(failed.empty(), failed.empty() ? "" : toText(failed.front().error).c_str());
    QCOMPARE(all<StartedEvent>(events).front().provenance, Provenance::Simulated);
    const auto samples = all<SampleEvent>(events);
    QCOMPARE(samples.size(), std::size_t{2});
    QCOMPARE(samples[0].metrics.at("ways").value, 8.0);
    // The same seed gives the same bits, at any place of a sweep.
    QVERIFY(samples[0].metrics == samples[1].metrics);
    QCOMPARE(all<FinishedEvent>(events).size(), std::size_t{1});
}

void TestMachineTarget::tracesOfAnyKindPassUntouched()
{
    const auto traces = all<TraceEvent>(executed("machine:cache-teaching"));
    QCOMPARE(traces.size(), std::size_t{4});
    QCOMPARE(traces[0].kind, std::string("grid"));
    QCOMPARE(traces[0].bytes, frameTrace("RGRD", 7, "second")); // the last of a kind
    QVERIFY(traces[0].more && !traces[1].more);
    QCOMPARE(traces[1].kind, std::string("teapot"));
    QCOMPARE(traces[1].bytes, frameTrace("RTEA", 1, "short and stout"));
    EventReader reader;
    reader.feed(encodeEvent(traces[1]));
    const auto read = reader.next();
    QVERIFY(read.ok() && read->has_value());
    QCOMPARE(std::get<TraceEvent>(**read).kind, traces[1].kind);
    QCOMPARE(std::get<TraceEvent>(**read).bytes, traces[1].bytes);
    QVERIFY(all<TraceEvent>(executed("machine:cache-teaching", false)).empty());
}

void TestMachineTarget::fingerprintNamesTheMachine()
{
    const auto events = executed("machine:cache-teaching");
    const Json target = (*all<StartedEvent>(events).front().fingerprint)["target"];
    const auto machines = silicon::shippedMachines();
    QVERIFY(machines.ok());
    const auto machine = silicon::findMachine(*machines, "cache-teaching");
    QVERIFY(machine.ok());
    QCOMPARE(target.value("machine", ""), std::string("cache-teaching"));
    QCOMPARE(target.value("machine_sha256", ""), machine->digest);
    QCOMPARE(target.value("simulator", ""), std::string("cache"));
    QCOMPARE(target.value("engine_version", 0), 4);
    QVERIFY(!target.value("build", "").empty() && !target.value("version", "").empty());
}

void TestMachineTarget::saysWhyAMachineCannotAnswer()
{
    const Error unknown = errorOn("machine:cache-teachin");
    QCOMPARE(unknown.code, std::string("unknown-target"));
    QVERIFY2(unknown.fix.find("did you mean cache-teaching?") == 0, unknown.fix.c_str());
    QCOMPARE(errorOn("machine").code, std::string("unknown-target"));
    QCOMPARE(errorOn("sim:t4").code, std::string("unsupported-target"));
    QCOMPARE(errorOn("model").code, std::string("unsupported-target"));
    QCOMPARE(errorOn("machin:cache-teaching").code, std::string("unknown-target"));
    QCOMPARE(openTarget("machine:cache-teaching", {}, {}).error().code, std::string("unsupported-target"));
}

void TestMachineTarget::otherTargetsHaveNoMachine()
{
    const auto samples = all<SampleEvent>(executed("cpu"));
    QCOMPARE(samples.size(), std::size_t{2});
    QCOMPARE(samples[0].metrics.at("ways").value, 0.0);
}

QTEST_GUILESS_MAIN(TestMachineTarget)
#include "tst_machine_target.moc"
