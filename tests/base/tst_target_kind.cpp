// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/target_choice.h"
#include "base/target_kind.h"

#include <QtTest>
#include <set>

using namespace ridge;

namespace {

QString text(std::string_view from)
{
    return QString::fromUtf8(from.data(), static_cast<qsizetype>(from.size()));
}

ExperimentInfo runningOn(std::vector<std::string> kinds)
{
    ExperimentInfo info;
    info.id = "made";
    info.targets = std::move(kinds);
    return info;
}

} // namespace

class TestTargetKind : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyKindIsWholeAndUnique();
    void behaviourFollowsTheTable_data();
    void behaviourFollowsTheTable();
    void targetsAreTakenApart_data();
    void targetsAreTakenApart();
    void unknownKindsNameWhatThereIs_data();
    void unknownKindsNameWhatThereIs();
    void picksWhereAnExperimentRuns();
    void experimentsCarryTheirEngine();
};

void TestTargetKind::everyKindIsWholeAndUnique()
{
    std::set<std::string_view> ids;
    for (const TargetKind& kind : targetKinds()) {
        QVERIFY(ids.insert(kind.id).second);
        QVERIFY(!kind.title.empty() && !kind.plural.empty());
        const bool named = kind.name != TargetName::None;
        QCOMPARE(kind.form.find('<') != std::string_view::npos, named);
        QVERIFY(kind.form.starts_with(kind.id));
        // Only what executes on real hardware measures, and that never gives the same bits twice.
        QCOMPARE(kind.provenance == Provenance::Measured, kind.onHardware);
        QCOMPARE(kind.deterministic, !kind.onHardware);
        const auto example = parseTarget(kind.example);
        QVERIFY2(example.ok(), kind.example.data());
        QVERIFY(example->kind == &kind);
        QCOMPARE(text(targetForms()).count(text(kind.form)), 1);
    }
    QCOMPARE(ids.size(), std::size_t{6});
}

void TestTargetKind::behaviourFollowsTheTable_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("told"); ///< kernels, measures, simulates, repeatable, chip, machine
    QTest::newRow("gpu") << "gpu:0"
                         << "yes yes no no - -";
    QTest::newRow("sim") << "sim:t4"
                         << "yes no yes yes t4 -";
    QTest::newRow("cpu") << "cpu"
                         << "no no no no - -";
    QTest::newRow("mpi") << "mpi"
                         << "no no no no - -";
    QTest::newRow("model") << "model"
                           << "no no no yes - -";
    QTest::newRow("machine") << "machine:tpu-v4"
                             << "no no no yes - tpu-v4";
    QTest::newRow("remote gpu") << "lab:gpu:1"
                                << "yes yes no no - -";
    QTest::newRow("remote sim") << "lab:sim:t4"
                                << "yes no yes no t4 -";
    QTest::newRow("remote machine") << "lab:machine:tpu-v4"
                                    << "no no no no - tpu-v4";
    QTest::newRow("none") << "abacus"
                          << "no no no no - -";
}

void TestTargetKind::behaviourFollowsTheTable()
{
    QFETCH(const QString, target);
    QFETCH(const QString, told);
    const std::string id = target.toStdString();
    const auto word = [](bool is) { return is ? QStringLiteral("yes") : QStringLiteral("no"); };
    const auto name = [](const std::string& given) { return given.empty() ? QStringLiteral("-") : text(given); };
    QCOMPARE(QStringList({word(runsKernels(id)), word(measuresKernels(id)), word(simulatesKernels(id)),
                          word(isRepeatableHere(id)), name(chipOfTarget(id)), name(machineOfTarget(id))})
                 .join(QLatin1Char(' ')),
             told);
}

void TestTargetKind::targetsAreTakenApart_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("remote");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("name");
    QTest::newRow("gpu") << "gpu:3"
                         << ""
                         << "gpu"
                         << "3";
    QTest::newRow("remote") << "lab:machine:hbm3"
                            << "lab"
                            << "machine"
                            << "hbm3";
    QTest::newRow("remote cpu") << "lab:cpu"
                                << "lab"
                                << "cpu"
                                << "";
    QTest::newRow("model") << "model"
                           << ""
                           << "model"
                           << "";
    // A name may be that of a kind: the first word decides.
    QTest::newRow("kind as name") << "sim:gpu"
                                  << ""
                                  << "sim"
                                  << "gpu";
}

void TestTargetKind::targetsAreTakenApart()
{
    QFETCH(const QString, target);
    const auto parsed = parseTarget(target.toStdString());
    QVERIFY(parsed.ok());
    QTEST(text(parsed->remote), "remote");
    QTEST(text(parsed->kind->id), "kind");
    QTEST(text(parsed->name), "name");
    QCOMPARE(gpuTarget(2), std::string("gpu:2"));
    QCOMPARE(simulatorTarget("t4"), std::string("sim:t4"));
    QCOMPARE(machineTarget("tpu-v4"), std::string("machine:tpu-v4"));
}

void TestTargetKind::unknownKindsNameWhatThereIs_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("words"); ///< all are in the error
    QTest::newRow("typo") << "machin:tpu-v4"
                          << "machin:tpu-v4|'machin'|did you mean machine:tpu-v4|sim:<chip>";
    QTest::newRow("other") << "abacus"
                           << "'abacus'|gpu:<index>, cpu, mpi, sim:<chip>, machine:<id>, model";
    QTest::newRow("no name") << "machine"
                             << "a name must follow machine|machine:<id>";
    QTest::newRow("empty name") << "sim:"
                                << "a name must follow sim|sim:h100-sxm";
    QTest::newRow("name too much") << "model:big"
                                   << "nothing follows model|write it as model";
    QTest::newRow("empty") << ""
                           << "no kind of target";
}

void TestTargetKind::unknownKindsNameWhatThereIs()
{
    QFETCH(const QString, target);
    QFETCH(const QString, words);
    const auto parsed = parseTarget(target.toStdString());
    QVERIFY(!parsed.ok());
    QCOMPARE(parsed.error().code, std::string("unknown-target"));
    QCOMPARE(parsed.error().place, target.toStdString());
    for (const QString& word : words.split(QLatin1Char('|')))
        QVERIFY2(text(toText(parsed.error())).contains(word), toText(parsed.error()).c_str());
}

void TestTargetKind::picksWhereAnExperimentRuns()
{
    const ExperimentInfo kernels = runningOn({"gpu", "sim"}), model = runningOn({"model"});
    QCOMPARE(targetFor(kernels, "lab:gpu:0"), std::string("lab:gpu:0"));
    QCOMPARE(targetFor(kernels, "cpu"), std::string(kDefaultSimulator));
    QCOMPARE(targetFor(model, "gpu:0"), std::string(kModelTarget));
    ExperimentInfo cache = runningOn({"machine"});
    cache.engine = "cache";
    QCOMPARE(targetFor(cache, "machine:anything"), std::string("machine:anything")); // nobody said which there are
    cache.machines = {"big", "small"};
    QVERIFY(canRun(cache, "machine:small") && canRun(cache, "lab:machine:small"));
    QVERIFY(!canRun(cache, "machine:tpu-v4") && !canRun(cache, "sim:small"));
    QCOMPARE(targetFor(cache, "machine:small"), std::string("machine:small"));
    QCOMPARE(targetFor(cache, "machine:tpu-v4"), std::string("machine:big"));
    QCOMPARE(targetFor(cache, "gpu:0"), std::string("machine:big"));
    cache.defaultTarget = "machine:small";
    QCOMPARE(targetFor(cache, "gpu:0"), std::string("machine:small"));
    cache.targets = {"machine", "cpu"};
    QCOMPARE(targetFor(cache, "cpu"), std::string("cpu"));
    QCOMPARE(unaskedTarget(cache, "cpu"), std::string("machine:small")); // what this processor measures is asked for
    QCOMPARE(unaskedTarget(kernels, "gpu:0"), std::string("gpu:0"));
    cache.targets = {"machine", "model"};
    QCOMPARE(targetFor(cache, "gpu:0"), std::string(kModelTarget));
}

void TestTargetKind::experimentsCarryTheirEngine()
{
    ExperimentInfo cache = runningOn({"machine"});
    cache.engine = "cache";
    cache.engineVersion = 3;
    cache.machines = {"big"};
    cache.defaultTarget = "machine:big";
    cache.drawsNothing = true;
    const auto back = experimentInfoFromJson(toJson(cache));
    QVERIFY2(back.ok(), back.ok() ? "" : toText(back.error()).c_str());
    QCOMPARE(back->engine, cache.engine);
    QCOMPARE(back->engineVersion, 3);
    QCOMPARE(back->machines, cache.machines);
    QCOMPARE(back->defaultTarget, cache.defaultTarget);
    QVERIFY(back->drawsNothing);
    const Json plain = toJson(runningOn({"gpu"}));
    for (const char* key : {"engine", "engine_version", "machines", "default_target", "draws_nothing"})
        QVERIFY2(!plain.contains(key), key);
}

QTEST_APPLESS_MAIN(TestTargetKind)
#include "tst_target_kind.moc"
