// SPDX-License-Identifier: GPL-3.0-or-later
// A graded kernel is graded again: what the verdict is made of, what it raises trust to, and what is not believed.
#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "classroom/kernel_work.h"
#include "record/files/content_files.h"
#include "record/grading_again.h"
#include "record/row_lines.h"
#include "record/trust.h"
#include "tests/record/record_support.h"

#include <QSignalSpy>

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

namespace {

using record::ArtifactRow;
using record::Comparison;
using record::GradedAgain;
using record::KeptGrading;
using record::ReproductionRow;
using record::Store;

fs::path sourceFolder()
{
    return qEnvironmentVariable("RIDGE_SOURCE").toStdString();
}

/// What one repetition came to.
struct Repeated {
    std::optional<ReproductionRow> row;
    QString notes;
    std::optional<Error> error;
    std::string verdict() const { return row ? row->verdict : error ? error->code : "nothing"; }
};

Repeated repeat(Store& store, const ArtifactRow& artifact, const std::string& target = {}, bool cancelled = false)
{
    Repeated all;
    record::Reproducer again(store, {record::defaultWorkerProgram(), {}}, artifact, target);
    QSignalSpy done(&again, &record::Reproducer::done), failed(&again, &record::Reproducer::failed);
    if (cancelled)
        QObject::connect(
            &again, &record::Reproducer::progress, &again, [&again] { again.cancel(); }, Qt::QueuedConnection);
    again.start();
    if (!QTest::qWaitFor([&] { return done.count() + failed.count() > 0; }, 60000))
        return all;
    if (!done.isEmpty()) {
        all.row = done.at(0).at(0).value<ReproductionRow>();
        all.notes = done.at(0).at(1).toStringList().join(QLatin1Char('\n'));
    } else {
        all.error = failed.at(0).at(0).value<Error>();
    }
    return all;
}

ArtifactRow newest(const Store& store, const std::string& artifact)
{
    return store.artifact(artifact).value();
}

/// A further version of an artifact, as whoever changes it would leave it.
ArtifactRow asChanged(Store& store, ArtifactRow row)
{
    row.id = row.createdAt = row.origin = {};
    row.seq = 0;
    const std::string artifact = row.artifactId;
    durable(store.append(std::move(row))).value();
    return newest(store, artifact);
}

std::string trustIn(const Store& store, const ArtifactRow& artifact)
{
    const auto trust = record::trustOf(store, artifact);
    return trust ? std::string(record::toText(trust->level)) : trust.error().message;
}

/// The artifact as a GPU would have left it, and its grading again with all times of the kernel `own` times as long and
/// those of the reference `reference` times.
std::pair<ArtifactRow, GradedAgain> measured(ArtifactRow artifact, const std::string& gpu, double own, double reference)
{
    KeptGrading kept = record::keptGradingFromJson(*artifact.grading).value();
    kept.facts.provenance = artifact.provenance = Provenance::Measured;
    kept.facts.roof = {}; // no floor: these times are made up
    const auto fingerprint = [](const std::string& name) { return Json{{"app", "1"}, {"target", {{"name", name}}}}; };
    KeptGrading now = kept;
    for (LaunchFacts& launch : now.facts.launches) {
        if (launch.seconds)
            *launch.seconds *= own;
        if (launch.referenceSeconds)
            *launch.referenceSeconds *= reference;
    }
    artifact.grading = record::toJson(kept);
    artifact.fingerprint = fingerprint("RTX 4060");
    return {artifact, GradedAgain{fingerprint(gpu), now, now}};
}

} // namespace

class TestGradingAgain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { qputenv("RIDGE_WORKER", qgetenv("RIDGE_BIN") + "/ridge-worker"); }
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = Store::open(pathOf(*m_folder) / "mine").value();
    }
    void cleanup() { m_store.reset(); }

    void theSameChipGivesTheSame()
    {
        const ArtifactRow artifact = graded("assets/tasks/saxpy/solution.cu");
        QVERIFY(record::isGradedKernel(artifact));
        QCOMPARE(trustIn(*m_store, artifact), std::string("T1"));
        const Repeated again = repeat(*m_store, artifact);
        QCOMPARE(again.verdict(), std::string("reproduced"));
        QCOMPARE(again.row->by, std::string("self"));
        QCOMPARE(again.row->target, std::string("sim:l40s"));
        std::set<std::string> compared;
        for (const auto& pair : again.row->pairs)
            compared.insert(pair.oldRun + ": " + pair.metric);
        const std::set<std::string> wanted{"the same cases: accepted",      "the same cases: points",
                                           "the same cases: wrong_results", "the same cases: instructions",
                                           "the same cases: time",          "the same cases: instruction_ratio",
                                           "the same cases: time_ratio",    "other cases: accepted"};
        QVERIFY(compared == wanted);
        // One's own repetition raises nothing, and the rows are sound.
        QCOMPARE(m_store->reproductions(artifact.artifactId)->size(), 1u);
        QCOMPARE(trustIn(*m_store, artifact), std::string("T1"));
        R_VERIFY(m_store->verify());
        // Both travel in bundles and portfolios, and come back as they were.
        const auto lines = record::rowLines(*m_store, {});
        R_VERIFY(lines);
        const auto rows = record::parseRowLines(*lines, {}, "rows.jsonl");
        R_VERIFY(rows);
        QCOMPARE(lines->find("\"grading\"") != std::string::npos, true);
        // Cases that nobody knew before were among them.
        const auto kept = record::gradedAgainFromJson(*again.row->grading);
        R_VERIFY(kept);
        QVERIFY(kept->same && kept->same->secret != kept->other.secret &&
                kept->same->facts.cases != kept->other.facts.cases);
    }

    void aRejectedKernelIsRejectedForTheSameReasons()
    {
        const ArtifactRow artifact = graded("tests/cheats/visible_sizes_only.cu");
        QCOMPARE(repeat(*m_store, artifact).verdict(), std::string("reproduced"));
        ArtifactRow other = artifact;
        KeptGrading kept = record::keptGradingFromJson(*artifact.grading).value();
        for (LaunchFacts& launch : kept.facts.launches)
            launch.printed = "hello";
        other.grading = record::toJson(kept);
        const Repeated again = repeat(*m_store, asChanged(*m_store, other));
        QCOMPARE(again.verdict(), std::string("not reproduced"));
        QVERIFY2(again.notes.contains(QLatin1String("prints")), qPrintable(again.notes));
    }

    void anotherChipIsSaidSo()
    {
        const ArtifactRow artifact = graded("assets/tasks/saxpy/solution.cu");
        const Repeated again = repeat(*m_store, artifact, "sim:t4");
        QCOMPARE(again.verdict(), std::string("different hardware"));
        QCOMPARE(again.row->target, std::string("sim:t4"));
        QVERIFY2(again.notes.contains(QLatin1String("chip: l40s then, t4 now")), qPrintable(again.notes));
    }

    void whatWasTamperedWithIsNotReproduced_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* what : {"another text", "a wrong text", "points", "counts", "another task"})
            QTest::newRow(what) << QString::fromLatin1(what);
    }
    void whatWasTamperedWithIsNotReproduced()
    {
        QFETCH(QString, what);
        ArtifactRow row = graded("assets/tasks/saxpy/solution.cu");
        if (what == QLatin1String("another text") || what == QLatin1String("a wrong text")) {
            const char* file = what == QLatin1String("a wrong text") ? "tests/cheats/visible_sizes_only.cu"
                                                                     : "tests/cheats/honest_saxpy_vectors.cu";
            row.code.front().sha256 = durable(m_store->putFile(bytesOf(sourceFolder() / file))).value();
        } else if (what == QLatin1String("points")) {
            Json figures = *row.figures;
            figures[0]["value"] = 55;
            row.figures = figures;
        } else {
            KeptGrading kept = record::keptGradingFromJson(*row.grading).value();
            for (LaunchFacts& launch : kept.facts.launches)
                if (launch.instructions)
                    *launch.instructions /= 2;
            if (what == QLatin1String("another task"))
                kept = record::keptGradingFromJson(*row.grading).value(), kept.facts.task = "dot";
            row.grading = record::toJson(kept);
        }
        const ArtifactRow changed = asChanged(*m_store, row);
        QCOMPARE(trustIn(*m_store, changed), std::string("T0"));
        const Repeated again = repeat(*m_store, changed);
        QCOMPARE(again.verdict(), std::string("not reproduced"));
        QVERIFY(!again.notes.isEmpty());
        QCOMPARE(trustIn(*m_store, changed), std::string("T0"));
    }

    void aFileThatWasChangedOnDiskIsNotTheText()
    {
        const ArtifactRow artifact = graded("assets/tasks/saxpy/solution.cu");
        const fs::path file = record::contentFiles(m_store->folder()).path(artifact.code.front().sha256);
        const std::string text = bytesOf(file);
        fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
        writeBytes(file, text + " ");
        const Repeated again = repeat(*m_store, artifact);
        QCOMPARE(again.verdict(), std::string("not reproduced"));
        QVERIFY(again.row->grading->is_null());
        fs::remove(file);
        QCOMPARE(repeat(*m_store, artifact).verdict(), std::string("file-missing"));
        QCOMPARE(m_store->reproductions(artifact.artifactId)->size(), 1u);
    }

    void stoppedItConcludesNothing()
    {
        const ArtifactRow artifact = graded("assets/tasks/saxpy/solution.cu");
        QCOMPARE(repeat(*m_store, artifact, {}, true).verdict(), std::string("cancelled"));
        QVERIFY(m_store->reproductions()->empty());
        QCOMPARE(repeat(*m_store, artifact, "sim:nothing").verdict() == "reproduced", false);
        QVERIFY(m_store->reproductions()->empty());
    }

    /// Kernels that were kept before gradings were.
    void withoutAGradingItsFiguresAreCompared()
    {
        ArtifactRow row = graded("assets/tasks/saxpy/solution.cu");
        row.grading = {};
        const ArtifactRow older = asChanged(*m_store, row);
        QCOMPARE(trustIn(*m_store, older), std::string("T0"));
        const Repeated again = repeat(*m_store, older);
        QVERIFY2(again.verdict() == "reproduced" || again.verdict() == "within noise", again.verdict().c_str());
        QCOMPARE(trustIn(*m_store, older), std::string("T1"));
        Json figures = *row.figures;
        for (Json& figure : figures)
            if (figure["name"] == "time_ratio")
                figure["value"] = figure["value"].get<double>() * 0.8;
        row.figures = figures;
        QCOMPARE(repeat(*m_store, asChanged(*m_store, row)).verdict(), std::string("not reproduced"));
    }

    void somebodyElseRaisesIt()
    {
        const ArtifactRow artifact = graded("assets/tasks/saxpy/solution.cu");
        const fs::path folder = pathOf(*m_folder) / "theirs";
        const auto theirs = [&](auto act) {
            m_store->flush();
            {
                auto store = Store::open(folder).value();
                R_VERIFY(store->mergeFrom(m_store->folder()));
                act(*store);
            }
            R_VERIFY(m_store->mergeFrom(folder));
        };
        theirs([&](Store& store) { // a claim without a grading, and one with that of another text
            ReproductionRow row;
            row.artifactId = artifact.artifactId;
            row.target = "sim:l40s";
            row.verdict = "reproduced";
            row.by = "other";
            R_VERIFY(durable(store.append(row)));
            KeptGrading kept = record::keptGradingFromJson(*artifact.grading).value();
            kept.sourceSha256 = sha256Hex("another text");
            row.grading = record::toJson(GradedAgain{artifact.fingerprint, kept, kept});
            R_VERIFY(durable(store.append(row)));
        });
        QCOMPARE(trustIn(*m_store, artifact), std::string("T1"));
        theirs([&](Store& store) {
            const Repeated again = repeat(store, newest(store, artifact.artifactId));
            QCOMPARE(again.verdict(), std::string("reproduced"));
            QCOMPARE(again.row->by, std::string("other"));
        });
        QCOMPARE(trustIn(*m_store, artifact), std::string("T2"));
        R_VERIFY(m_store->verify());
    }

    void measuredTimesHaveNoise_data()
    {
        QTest::addColumn<QString>("gpu");
        QTest::addColumn<double>("own");
        QTest::addColumn<double>("reference");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<bool>("sameRatio");
        const auto row = [](const char* name, const char* gpu, double own, double reference, const char* verdict,
                            bool same) {
            QTest::newRow(name) << QString::fromLatin1(gpu) << own << reference << QString::fromLatin1(verdict) << same;
        };
        row("the same", "RTX 4060", 1, 1, "reproduced", true);
        row("noise", "RTX 4060", 1.005, 1, "within noise", true);
        row("slower", "RTX 4060", 1.4, 1, "not reproduced", false);
        row("another GPU", "RTX 4090", 0.5, 0.5, "different hardware", true);
        row("another GPU, another conclusion", "RTX 4090", 0.5, 0.2, "different hardware", false);
    }
    void measuredTimesHaveNoise()
    {
        QFETCH(QString, gpu);
        QFETCH(double, own);
        QFETCH(double, reference);
        const auto [artifact, again] =
            measured(graded("assets/tasks/saxpy/solution.cu"), gpu.toStdString(), own, reference);
        const auto comparison = record::compareGradings(artifact, again);
        R_VERIFY(comparison);
        QTEST(QString::fromStdString(comparison->verdict), "verdict");
        QTEST(record::sameGradedRatio(artifact, again).value(), "sameRatio");
    }

    /// On whatever machine: what was right and is wrong now was not right.
    void acceptedAndRejectedAreNeverAMatterOfHardware()
    {
        auto [artifact, again] = measured(graded("assets/tasks/saxpy/solution.cu"), "RTX 4090", 1, 1);
        again.other.facts.launches.front().wrong = 1;
        const auto comparison = record::compareGradings(artifact, again);
        QCOMPARE(comparison->verdict, std::string("not reproduced"));
    }

private:
    /// Graded and kept, as `ridge kernel grade --save` does. Each file is graded once.
    ArtifactRow graded(const char* file)
    {
        const auto task = shippedTask("saxpy");
        auto& known = m_graded[file];
        if (!known) {
            const KernelText source{file, bytesOf(sourceFolder() / file), false};
            known = gradeRequest(*task, source, "sim:l40s", "a secret of the test");
            m_facts.emplace(file, workerGrader()(*known).value());
        }
        const GradeFacts& facts = m_facts.at(file);
        const std::string id = keepKernel(*m_store, *task, *known, facts, judge(*task, facts)).value();
        return newest(*m_store, id);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Store> m_store;
    std::map<std::string, std::optional<KernelGradeRequest>> m_graded;
    std::map<std::string, GradeFacts> m_facts;
};

QTEST_GUILESS_MAIN(TestGradingAgain)
#include "tst_grading_again.moc"
