// SPDX-License-Identifier: GPL-3.0-or-later
// The target "model", the experiments that are closed forms, and the probe of a chip.
#include "base/target_choice.h"
#include "labs/worker/execute.h"
#include "sim_point.h"
#include "workload/gpu_choice.h"

#include <cmath>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

struct Reply {
    std::vector<Event> events;
    bool finished = false;
    template<class T>
    std::vector<T> all() const
    {
        std::vector<T> found;
        for (const Event& event : events)
            if (const auto* one = std::get_if<T>(&event))
                found.push_back(*one);
        return found;
    }
};

Reply executed(const std::string& experiment, const std::string& target, std::vector<ParamSet> points)
{
    RunRequest request;
    request.experiment = experiment;
    request.target = target;
    request.points = std::move(points);
    Reply reply;
    reply.finished = execute(
        makeCatalogue(), request, [&](const Event& event) { reply.events.push_back(event); }, {},
        [] { return Error{}; });
    return reply;
}

/// The metrics of one point of a model, all of which must be modelled.
std::map<std::string, double> modelled(const std::string& experiment, const ParamSet& point)
{
    const Reply reply = executed(experiment, kModelTarget, {point});
    const auto samples = reply.all<SampleEvent>();
    if (!reply.finished || samples.size() != 1)
        qFatal("the model did not answer");
    std::map<std::string, double> values;
    for (const auto& [name, metric] : samples[0].metrics) {
        if (metric.provenance != Provenance::Modelled)
            qFatal("%s is not modelled", name.c_str());
        values[name] = metric.value;
    }
    return values;
}

ParamSet between(const char* from, const char* to, double intensity, const char* precision = "bf16",
                 double workingSet = 1e9)
{
    return {{"from", std::string(from)},
            {"to", std::string(to)},
            {"precision", std::string(precision)},
            {"intensity", intensity},
            {"working_set", workingSet}};
}

bool near(double a, double b, double relative)
{
    return std::fabs(a - b) <= relative * std::fabs(b);
}

} // namespace

class TestModels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneRuleForTargets();
    void onlyModelsRunAsModels();
    void speedupIsARatioOfDatasheets();
    void whatDoesNotFitHasNoSpeedup();
    void choosesAsTheWorkloadModelDoes();
    void aSweepGoesOnPastAChipThatCannot();
    void probesEveryGeneration_data();
    void probesEveryGeneration();
};

void TestModels::oneRuleForTargets()
{
    ExperimentInfo info;
    info.targets = {"gpu", "sim"};
    QCOMPARE(targetFor(info, "sim:l40s"), std::string("sim:l40s"));
    QCOMPARE(targetFor(info, "gpu:0"), std::string("gpu:0"));
    QCOMPARE(targetFor(info, "cpu"), std::string("sim:h100-sxm"));
    QCOMPARE(targetFor(info, "model"), std::string("sim:h100-sxm"));
    info.targets = {"model"};
    for (const char* target : {"gpu:0", "sim:h100-sxm", "cpu", "model"})
        QCOMPARE(targetFor(info, target), std::string("model"));
}

void TestModels::onlyModelsRunAsModels()
{
    const Reply model = executed("speedup", "model", {{}});
    QVERIFY(model.finished);
    const auto started = model.all<StartedEvent>();
    QCOMPARE(started.size(), std::size_t{1});
    QVERIFY(started[0].provenance == Provenance::Modelled);
    QCOMPARE(started[0].target, std::string("model"));
    for (const auto& [experiment, target] :
         {std::pair{"speedup", "sim:h100-sxm"}, {"speedup", "cpu"}, {"probe", "model"}}) {
        const auto failed = executed(experiment, target, {{}}).all<FailedEvent>();
        QCOMPARE(failed.size(), std::size_t{1});
        QCOMPARE(failed[0].error.code, std::string("unsupported-target"));
    }
    // Whatever else it runs on: nothing is measured or simulated there.
    for (const auto& experiment : makeCatalogue()) {
        const std::string& id = experiment->info().id;
        if (experiment->info().targets.size() < 2 || !std::ranges::count(experiment->info().targets, kModelTarget))
            continue;
        const auto ran = executed(id, kModelTarget, {{}});
        QVERIFY2(ran.finished, id.c_str());
        for (const SampleEvent& sample : ran.all<SampleEvent>())
            for (const auto& [name, metric] : sample.metrics)
                QVERIFY2(metric.provenance == Provenance::Modelled, (id + " " + name).c_str());
    }
}

void TestModels::speedupIsARatioOfDatasheets()
{
    // H100 to H200: the same compute, 4.8 instead of 3.35 TB/s.
    QVERIFY(near(modelled("speedup", between("h100-sxm", "h200-sxm", 1)).at("speedup"), 4.8 / 3.35, 0.005));
    QVERIFY(near(modelled("speedup", between("h100-sxm", "h200-sxm", 4096)).at("speedup"), 1, 1e-9));
    const auto low = modelled("speedup", between("a100-sxm-80", "h100-sxm", 0.5));
    const auto high = modelled("speedup", between("a100-sxm-80", "h100-sxm", 4096));
    QCOMPARE(low.at("from_bound"), 0.0);
    QCOMPARE(high.at("to_bound"), 1.0);
    QVERIFY(near(high.at("speedup"), 989.4 / 312, 0.01));
    QVERIFY(near(high.at("to_time"), 1e12 / 989.4e12, 1e-6));
    QVERIFY(near(low.at("to_time"), 1e12 / 0.5 / 3350e9, 1e-6));
    QVERIFY(near(high.at("to_ridge"), 989.4e12 / 3350e9, 1e-6));
    // Between the two ridges the old chip is bound by arithmetic, the new one by memory.
    const double between2 = std::sqrt(low.at("from_ridge") * low.at("to_ridge"));
    const auto middle = modelled("speedup", between("a100-sxm-80", "h100-sxm", between2));
    QVERIFY(middle.at("from_bound") == 1 && middle.at("to_bound") == 0);
    QVERIFY(low.at("speedup") < middle.at("speedup") && middle.at("speedup") < high.at("speedup"));
    QVERIFY(near(modelled("speedup", between("l4", "l4", 7)).at("speedup"), 1, 1e-12));
}

void TestModels::whatDoesNotFitHasNoSpeedup()
{
    const auto values = modelled("speedup", between("h100-sxm", "h200-sxm", 8, "bf16", 1e11));
    QCOMPARE(values.at("from_bound"), 2.0);
    QVERIFY(!values.contains("speedup") && !values.contains("from_time") && values.contains("to_time"));
    const auto failed = executed("speedup", "model", {between("a100-sxm-80", "h100-sxm", 8, "fp8")}).all<FailedEvent>();
    QCOMPARE(failed.size(), std::size_t{1});
    QCOMPARE(failed[0].error.code, std::string("no-peak"));
    const auto bad = executed("speedup", "model", {{{"from", std::string("h1000")}}}).all<FailedEvent>();
    QCOMPARE(bad.size(), std::size_t{1});
}

void TestModels::choosesAsTheWorkloadModelDoes()
{
    const auto catalogue = silicon::shippedCatalogue();
    QVERIFY(catalogue.ok());
    const auto experiment = makeGpuChoice();
    std::size_t feasible = 0;
    for (const auto& work : workload::workloads())
        for (const char* chip :
             {"l4", "l40s", "rtx4090", "rtx5090", "a100-sxm-80", "h100-sxm", "h200-sxm", "mi300x", "b200"}) {
            const ParamSet point{{"workload", work.id}, {"chip", std::string(chip)}, {"price", 2.5}};
            const auto values = modelled("gpu_choice", point);
            const auto wanted = workload::chooseGpus(*catalogue, *catalogue->find(chip), work);
            if (!wanted) {
                QCOMPARE(values.size(), std::size_t{1});
                QCOMPARE(values.at("fits"), 0.0);
                continue;
            }
            ++feasible;
            QCOMPARE(values.at("gpus"), static_cast<double>(wanted->gpus));
            QCOMPARE(values.at("fits"), wanted->gpus == 1 ? 1.0 : 0.0);
            QVERIFY(near(values.at("tokens_per_second"), wanted->tokensPerStep / wanted->stepSeconds, 1e-9));
            QVERIFY(near(values.at("cost_per_million_tokens"),
                         2.5 * wanted->gpus / (values.at("tokens_per_second") * 3600) * 1e6, 1e-9));
        }
    QVERIFY(feasible > 20);
    // One user of an 8B model reads the weights for every token: near 3.35 TB/s over 15.5 GB.
    const auto one =
        modelled("gpu_choice", {{"workload", std::string("serve_8b_b1")}, {"chip", std::string("h100-sxm")}});
    QVERIFY(one.at("bound") == 0 && one.at("tokens_per_second") > 210 && one.at("tokens_per_second") < 220);
    const auto half = modelled(
        "gpu_choice", {{"workload", std::string("serve_8b_b1")}, {"chip", std::string("h100-sxm")}, {"reached", 50.0}});
    QVERIFY(near(half.at("tokens_per_second"), one.at("tokens_per_second") / 2, 1e-9));
}

void TestModels::aSweepGoesOnPastAChipThatCannot()
{
    const Reply reply = executed("gpu_choice", "model",
                                 {{{"workload", std::string("train_7b")}, {"chip", std::string("t4")}},
                                  {{"workload", std::string("train_7b")}, {"chip", std::string("h100-sxm")}}});
    QVERIFY(reply.finished);
    const auto samples = reply.all<SampleEvent>();
    QCOMPARE(samples.size(), std::size_t{2});
    QVERIFY(!samples[0].metrics.contains("tokens_per_second") && samples[1].metrics.contains("tokens_per_second"));
    QVERIFY(!reply.all<LogEvent>().empty()); // that says why
}

void TestModels::probesEveryGeneration_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<double>("capability");
    QTest::addColumn<int>("sms");
    QTest::addColumn<QString>("can");
    const auto row = [](const char* target, double capability, int sms, const char* can) {
        QTest::newRow(target) << QString::fromLatin1(target) << capability << sms << QString::fromLatin1(can);
    };
    row("sim:t4", 7.5, 40, "");
    row("sim:a100-sxm-80", 8.0, 108, "async_copy");
    row("sim:l40s", 8.9, 142, "async_copy fp8");
    row("sim:h100-sxm", 9.0, 132, "async_copy fp8 tma clusters");
    row("sim:rtx5090", 12.0, 170, "async_copy fp8 tma clusters");
}

void TestModels::probesEveryGeneration()
{
    QFETCH(QString, target);
    QFETCH(double, capability);
    QFETCH(int, sms);
    QFETCH(QString, can);
    SimRuns runs(makeProbe(), target.toLatin1().constData(), gpu::CompilerChoice::Shipped);
    const Point point = runs.at({});
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (check.name + ": " + check.detail).c_str());
    QCOMPARE(point.metrics.at("compute_capability"), capability);
    QCOMPARE(point.metrics.at("sms"), static_cast<double>(sms));
    QCOMPARE(point.metrics.at("registers_per_sm"), 65536.0);
    QVERIFY(point.metrics.at("l2_bytes") > 0 && point.metrics.at("memory_bytes") > 0);
    const QStringList has = can.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QCOMPARE(point.checks.size(), static_cast<std::size_t>(has.size())); // each of them ran a kernel
    for (const char* feature : {"async_copy", "fp8", "tma", "clusters"})
        QCOMPARE(point.metrics.at(feature), has.contains(QString::fromLatin1(feature)) ? 1.0 : 0.0);
}

QTEST_GUILESS_MAIN(TestModels)
#include "tst_models.moc"
