// SPDX-License-Identifier: GPL-3.0-or-later
// Attacks on the grader, each rejected for the right reason, and honest kernels that must not be.
#include "base/json.h"
#include "gpu/targets/target_list.h"
#include "grading.h"
#include "silicon/chip_catalogue.h"

#include <QtTest>
#include <set>

using namespace ridge;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";
constexpr int kFewestAttacks = 109;

std::filesystem::path folder()
{
    return std::filesystem::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests" / "cheats";
}

/// What a learner would be told instead of a verdict is no verdict.
test::Graded gradedOr(const std::string& task, const KernelText& text, const std::string& target,
                      const std::string& secret, double seconds = 120)
{
    try {
        return test::graded(task, text, target, secret, seconds);
    } catch (const std::runtime_error& error) {
        test::Graded none;
        none.verdict.reasons.push_back({"error", error.what()});
        return none;
    }
}

KernelText textOf(const std::filesystem::path& path)
{
    auto text = readFile(path);
    if (!text)
        throw std::runtime_error(toText(text.error()));
    return {path.string(), std::move(*text), false};
}

const Json& expected()
{
    static const Json json = *parseJson(textOf(folder() / "expected.json").text, "expected.json");
    return json;
}

/// Every kind of rejection that a kernel alone can bring about on a simulator has an attack; the rest (a clock that
/// lies) is tst_kernel_verdict's.
const std::set<std::string>& families()
{
    static const std::set<std::string> ids{"array-overrun",
                                           "barrier-deadlock",
                                           "division-by-zero",
                                           "exited-block",
                                           "host-pointer",
                                           "never-resident-block",
                                           "null-pointer",
                                           "unfilled-variable",
                                           "use-after-free",
                                           "aligned-sizes-only",
                                           "constant-input-only",
                                           "differs-when-timed",
                                           "divergent-barrier",
                                           "endless-loop",
                                           "input-changed",
                                           "known-data-only",
                                           "launch-failed",
                                           "launch-limits",
                                           "misaligned",
                                           "out-of-bounds",
                                           "output-not-written",
                                           "precision-too-low",
                                           "prints",
                                           "reads-clock",
                                           "race",
                                           "replayed-output",
                                           "skips-later-launches",
                                           "time-limit",
                                           "uninitialised-read",
                                           "visible-sizes-only",
                                           "wrong-result"};
    return ids;
}

} // namespace

class TestCheats : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void corpusIsWhole()
    {
        const Json& attacks = expected()["attacks"];
        QVERIFY(attacks.size() >= kFewestAttacks);
        std::set<std::string> named, there, reasons;
        for (const auto& list : {attacks, expected()["honest"]})
            for (const auto& [name, entry] : list.items())
                named.insert(name);
        for (const auto& [name, entry] : attacks.items())
            reasons.insert(entry["reason"].get<std::string>());
        for (const auto& entry : std::filesystem::directory_iterator(folder()))
            if (entry.path().extension() == ".cu")
                there.insert(entry.path().stem().string());
        QCOMPARE(there, named);
        QCOMPARE(reasons, families());
    }

    void attacksAreRejected_data()
    {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("seeds");
        QTest::addColumn<double>("seconds");
        for (const auto& [name, entry] : expected()["attacks"].items())
            QTest::newRow(name.c_str()) << QString::fromStdString(entry["task"])
                                        << QString::fromStdString(entry["reason"])
                                        << QString::fromStdString(entry.value("target", kTarget))
                                        << entry.value("seeds", 1) << entry.value("seconds", 120.0);
    }

    void attacksAreRejected()
    {
        QFETCH(QString, task);
        QFETCH(QString, reason);
        QFETCH(QString, target);
        QFETCH(int, seeds);
        QFETCH(double, seconds);
        const KernelText text = textOf(folder() / (std::string(QTest::currentDataTag()) + ".cu"));
        // Several secrets where what is done, or found, is a matter of chance.
        for (int seed = 0; seed < seeds; ++seed) {
            const auto result =
                gradedOr(task.toStdString(), text, target.toStdString(),
                         seed == 0 ? "a secret of the test" : "secret " + std::to_string(seed), seconds);
            QVERIFY2(QString::fromStdString(result.first()) == reason,
                     (result.first() + ": " + result.firstText()).c_str());
            QCOMPARE(result.verdict.points, 0.0);
        }
    }

    void honestKernelsAreNot_data()
    {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("target");
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("most");
        QTest::addColumn<int>("seeds");
        // The least of the quick ones has about 75; where buffers come to lie moves times by a per cent.
        for (const auto& [name, entry] : expected()["honest"].items())
            QTest::newRow(name.c_str()) << QString::fromStdString(entry["task"])
                                        << QString::fromStdString(entry.value("target", kTarget))
                                        << entry.value("least", 70.0) << entry.value("most", 100.0)
                                        << entry.value("seeds", 3);
    }

    void honestKernelsAreNot()
    {
        QFETCH(QString, task);
        QFETCH(QString, target);
        QFETCH(double, least);
        QFETCH(double, most);
        QFETCH(int, seeds);
        const KernelText text = textOf(folder() / (std::string(QTest::currentDataTag()) + ".cu"));
        // Several secrets: nobody may be rejected by bad luck.
        constexpr std::array<const char*, 3> secrets{"one", "two", "three"};
        QVERIFY(seeds >= 1 && seeds <= static_cast<int>(secrets.size()));
        for (int seed = 0; seed < seeds; ++seed) {
            const auto result = gradedOr(task.toStdString(), text, target.toStdString(), secrets[seed]);
            QVERIFY2(result.verdict.accepted, (result.first() + ": " + result.firstText()).c_str());
            QVERIFY2(result.verdict.points >= least && result.verdict.points <= most,
                     std::to_string(result.verdict.points).c_str());
            QCOMPARE(result.verdict.outOf, 100.0);
            QVERIFY(result.verdict.instructionRatio && result.verdict.timeRatio);
        }
    }

    /// How slow a kernel is nobody knows there, so it has no points for being quick.
    void withoutAClockTimeHasNoPoints()
    {
        const KernelText text = textOf(folder() / "one_warp_dot.cu");
        const auto result = gradedOr("dot", text, "sim:agx-orin-64", "one");
        QVERIFY2(result.verdict.accepted, (result.first() + ": " + result.firstText()).c_str());
        QVERIFY(!result.verdict.timeRatio && result.verdict.instructionRatio);
        QCOMPARE(result.verdict.points, 60.0);
        QCOMPARE(result.verdict.outOf, 60.0);
        QCOMPARE(result.facts.clockTarget, std::string("sim:rtx3050-laptop"));
        QVERIFY(result.verdict.timeNotGraded.find("sim:agx-orin-64 has no clock; grade on sim:rtx3050-laptop") == 0);
        // On the chip that is named it is known.
        const auto there = gradedOr("dot", text, result.facts.clockTarget, "one");
        QVERIFY(there.verdict.timeRatio && *there.verdict.timeRatio > 10);
        QCOMPARE(there.verdict.outOf, 100.0);
        QVERIFY(there.verdict.timeNotGraded.empty());
    }

    /// What is handed out again tells by the work that is spared: the launch that counts is one without a past.
    void timedLaunchesHaveNoPast()
    {
        const auto result = gradedOr("dot", textOf(folder() / "memo_dot.cu"), "sim:t4", "one");
        QVERIFY(result.facts.replay && 10 * result.facts.replay->again < result.facts.replay->fresh);
        QVERIFY(result.verdict.timeRatio && *result.verdict.timeRatio > 10);
        for (const LaunchFacts& launch : result.facts.launches)
            if (launch.timed)
                QVERIFY(2 * *launch.instructions > result.facts.replay->fresh);
        const auto honest = gradedOr("dot", textOf(folder() / "one_warp_dot.cu"), "sim:t4", "one");
        QCOMPARE(honest.facts.replay->again, honest.facts.replay->fresh);
    }

    void nearestChipsWithAClock()
    {
        const auto catalogue = silicon::shippedCatalogue();
        QVERIFY(catalogue.ok());
        const auto nearest = [&](const char* chip) { return gpu::nearestClockedTarget(*catalogue, chip); };
        QCOMPARE(nearest("agx-orin-64"), std::string("sim:rtx3050-laptop")); // the same architecture, as many SMs
        QCOMPARE(nearest("b200"), std::string("sim:rtx5090"));
        QCOMPARE(nearest("thor-t5000"), std::string("sim:rtx5050-laptop"));
        QCOMPARE(nearest("l4"), std::string("sim:l4")); // by a derived file
        QCOMPARE(nearest("t4"), std::string("sim:t4"));
        QCOMPARE(nearest("nochip"), std::string());
    }
};

QTEST_GUILESS_MAIN(TestCheats)
#include "tst_cheats.moc"
