// SPDX-License-Identifier: GPL-3.0-or-later
// Attacks on the grader, each rejected for the right reason, and honest kernels that must not be.
#include "base/json.h"
#include "grading.h"

#include <QtTest>
#include <set>

using namespace ridge;

namespace {

constexpr const char* kTarget = "sim:h100-sxm";
constexpr int kFewestAttacks = 25;

std::filesystem::path folder()
{
    return std::filesystem::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests" / "cheats";
}

/// What a learner would be told instead of a verdict is no verdict.
test::Graded gradedOr(const std::string& task, const KernelText& text, const std::string& secret, double seconds = 120)
{
    try {
        return test::graded(task, text, kTarget, secret, seconds);
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
    static const std::set<std::string> ids{"aligned-sizes-only",
                                           "constant-input-only",
                                           "differs-when-timed",
                                           "divergent-barrier",
                                           "endless-loop",
                                           "input-changed",
                                           "known-data-only",
                                           "launch-failed",
                                           "launch-limits",
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
        QTest::addColumn<double>("seconds");
        for (const auto& [name, entry] : expected()["attacks"].items())
            QTest::newRow(name.c_str()) << QString::fromStdString(entry["task"])
                                        << QString::fromStdString(entry["reason"]) << entry.value("seconds", 120.0);
    }

    void attacksAreRejected()
    {
        QFETCH(QString, task);
        QFETCH(QString, reason);
        QFETCH(double, seconds);
        const auto result =
            gradedOr(task.toStdString(), textOf(folder() / (std::string(QTest::currentDataTag()) + ".cu")),
                     "a secret of the test", seconds);
        QVERIFY2(QString::fromStdString(result.first()) == reason,
                 (result.first() + ": " + result.firstText()).c_str());
        QCOMPARE(result.verdict.points, 0.0);
    }

    void honestKernelsAreNot_data()
    {
        QTest::addColumn<QString>("task");
        for (const auto& [name, entry] : expected()["honest"].items())
            QTest::newRow(name.c_str()) << QString::fromStdString(entry["task"]);
    }

    void honestKernelsAreNot()
    {
        QFETCH(QString, task);
        const KernelText text = textOf(folder() / (std::string(QTest::currentDataTag()) + ".cu"));
        // Several secrets: nobody may be rejected by bad luck.
        for (const char* secret : {"one", "two", "three"}) {
            const auto result = gradedOr(task.toStdString(), text, secret);
            QVERIFY2(result.verdict.accepted, (result.first() + ": " + result.firstText()).c_str());
            // The least of them has about 75; where buffers come to lie moves times by a per cent.
            QVERIFY2(result.verdict.points >= 70, std::to_string(result.verdict.points).c_str());
            QVERIFY(result.verdict.instructionRatio && result.verdict.timeRatio);
        }
    }
};

QTEST_GUILESS_MAIN(TestCheats)
#include "tst_cheats.moc"
