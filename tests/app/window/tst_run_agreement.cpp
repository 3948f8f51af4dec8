// SPDX-License-Identifier: GPL-3.0-or-later
// Whether simulator and GPU say the same of a kernel: over rows as both sides store them, and over a store.
#include "app/runs/table/run_agreement.h"
#include "tests/app/window/shell_fixture.h"

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

record::RunRow simulated(int stride = 2)
{
    record::RunRow run = Workplace::run(stride);
    run.metrics["bandwidth"] = {1100, "GB/s", Provenance::Simulated};
    run.metrics["sectors_per_request"] = {8, "sectors/request", Provenance::Simulated};
    run.metrics["bytes_useful"] = {4096, "B", Provenance::Modelled};
    run.checks = {{"matches_reference", true, "65536 elements equal the CPU's bit for bit"}};
    run.fingerprint = Json{{"target", {{"chip", "h100-sxm"}, {"compute_capability", "9.0"}}},
                           {"kernels", Json::array({Json{{"source_sha256", "aa"}}})}};
    return run;
}

record::RunRow measured(int stride = 2)
{
    record::RunRow run = simulated(stride);
    run.id = newUuid7();
    run.target = "gpu:0";
    run.provenance = Provenance::Measured;
    run.metrics.erase("sectors_per_request"); // needs a counter that the driver may withhold
    run.metrics["bandwidth"] = {1000, "GB/s", Provenance::Measured};
    run.fingerprint = Json{{"target", {{"name", "NVIDIA H100 80GB HBM3"}, {"compute_capability", "9.0"}}},
                           {"kernels", Json::array({Json{{"source_sha256", "aa"}}})}};
    return run;
}

} // namespace

class TestRunAgreement : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bothMatch()
    {
        for (const bool fromGpu : {false, true}) {
            const record::RunRow run = fromGpu ? measured() : simulated();
            const auto found = compareSides(run, {fromGpu ? simulated() : measured()}, nullptr, {});
            QVERIFY(found && found->state == RunAgreement::State::Agree);
            QCOMPARE(found->sentence, s("Simulator and GPU agree: the results of both match the CPU's (65536 elements "
                                        "equal the CPU's bit for bit)."));
            QCOMPARE(found->figures.size(), std::size_t{1}); // what both measured, by their own clocks
            QCOMPARE(found->figures[0].difference, s("10 % more"));
            QCOMPARE(
                found->time,
                s("bandwidth: 1.1 TB/s on the simulator (SIMULATED), 1 TB/s on the GPU (MEASURED), so 10 % more."));
        }
    }

    void oneDoesNot()
    {
        record::RunRow wrong = measured();
        wrong.checks = {{"matches_reference", false, "element 7 is 3, the CPU's 4"}};
        auto found = compareSides(simulated(), {wrong}, nullptr, {});
        QVERIFY(found && found->state == RunAgreement::State::Disagree);
        QVERIFY2(found->sentence.contains(s("only the simulator's result")) &&
                     found->sentence.contains(s("element 7 is 3")),
                 qPrintable(found->sentence));
        record::RunRow both = simulated();
        both.checks = wrong.checks;
        found = compareSides(both, {wrong}, nullptr, {});
        QVERIFY(found->state == RunAgreement::State::Disagree && found->sentence.startsWith(s("Neither")));
        both.checks.clear();
        found = compareSides(both, {measured()}, nullptr, {});
        QVERIFY(found->state == RunAgreement::State::NotCompared);
    }

    void anotherChipHasAnotherTime()
    {
        record::RunRow other = measured();
        other.fingerprint = Json{{"target", {{"name", "Tesla T4"}, {"compute_capability", "7.5"}}},
                                 {"kernels", Json::array({Json{{"source_sha256", "aa"}}})}};
        const auto found = compareSides(simulated(), {other}, nullptr, {});
        QVERIFY(found && found->state == RunAgreement::State::Agree);
        QVERIFY2(found->time.startsWith(s("They are different chips")), qPrintable(found->time));
        QVERIFY(found->figures.size() == 1 && found->figures[0].difference.isEmpty());
        // The same chip counts before a newer run on another one.
        QCOMPARE(compareSides(simulated(), {other, measured()}, nullptr, {})->figures[0].difference, s("10 % more"));
    }

    void whatIsMissingIsSaid()
    {
        const auto said = [](const record::RunRow& run, const std::vector<record::RunRow>& others, const char* noGpu) {
            const auto found = compareSides(run, others, nullptr, s(noGpu));
            return found && found->state == RunAgreement::State::NotCompared ? found->sentence : QString();
        };
        QVERIFY(said(simulated(), {}, "").contains(s("nothing of this machine ran at this point on its GPU")));
        QVERIFY(said(simulated(), {measured(4)}, "").contains(s("nothing of this machine")));
        QVERIFY(said(measured(), {}, "").contains(s("on a simulated chip")));
        QCOMPARE(said(simulated(), {}, "No NVIDIA driver was found."),
                 s("Not compared on this machine: No NVIDIA driver was found. What was measured elsewhere is no "
                   "measurement here."));
        record::RunRow other = measured();
        other.fingerprint = Json{{"kernels", Json::array({Json{{"source_sha256", "bb"}}})}};
        QVERIFY(said(simulated(), {other}, "").contains(s("another version of the kernel")));
        // What is no run of a kernel says nothing at all.
        record::RunRow model = simulated();
        model.target = "model";
        QVERIFY(!compareSides(model, {measured()}, nullptr, {}));
        model = simulated();
        model.status = "failed";
        QVERIFY(!compareSides(model, {measured()}, nullptr, {}));
        model = simulated();
        model.fingerprint = Json{{"chip", "h100-sxm"}};
        QVERIFY(!compareSides(model, {measured()}, nullptr, {}));
        model.fingerprint = Json{{"kernels", "nonsense"}};
        QVERIFY(!compareSides(model, {measured()}, nullptr, {}));
    }

    void theStoreIsAsked()
    {
        Workplace place(true, Workplace::Lessons::Small);
        QVERIFY(place.loadCatalogue());
        const record::Store& store = *place.context->store();
        for (const int stride : {2, 4})
            place.store(simulated(stride));
        place.store(measured(2));
        const auto all = store.runs({});
        QVERIFY(all && all->size() == 3);
        std::vector<record::RunRow> sweep;
        std::copy_if(all->begin(), all->end(), std::back_inserter(sweep),
                     [](const record::RunRow& run) { return run.target != "gpu:0"; });
        QCOMPARE(agreementOfRuns(sweep, store, place.context->experiments(), {}),
                 s("Simulator and GPU agree at 1 of 2 points. The others are not compared."));
        QVERIFY(!whyNoGpu(*place.context).isEmpty() || place.context->targetInfo(s("gpu:0")).available);
        // The page of a run says it.
        MainWindow& window = place.makeWindow();
        const auto run = std::find_if(sweep.begin(), sweep.end(), [](const record::RunRow& each) {
            return each.params.at("stride") == ParamValue(std::int64_t{2});
        });
        QVERIFY(window.open(s("runs/") + QString::fromStdString(run->id)).ok());
        const auto says = [&window](const char* words) {
            const auto labels = window.page()->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text().contains(s(words)); });
        };
        QTRY_VERIFY(says("Simulator and GPU agree: the results of both match"));
        QVERIFY(says("10 % more"));
        if (const QString folder = qEnvironmentVariable("RIDGE_SHOTS"); !folder.isEmpty())
            window.grab().save(folder + s("/run_agreement.png"));
    }
};

QTEST_MAIN(TestRunAgreement)
#include "tst_run_agreement.moc"
