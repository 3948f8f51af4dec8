// SPDX-License-Identifier: GPL-3.0-or-later
// Drafts of artifacts: kept in files, made of runs, compared as versions.
#include "evidence/artifact_draft.h"
#include "evidence/evidence.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ridge;
using namespace ridge::app;

namespace {

record::RunRow run(std::int64_t stride)
{
    record::RunRow row;
    row.id = newUuid7();
    row.experiment = "coalescing";
    row.target = "sim:h100-sxm";
    row.params = {{"stride", stride}};
    row.metrics["sectors"] = {4.0 * double(stride), "sectors", Provenance::Simulated};
    row.status = "finished";
    row.validity = "valid";
    row.fingerprint = Json{{"chip", "h100-sxm"}};
    return row;
}

std::vector<ExperimentInfo> catalogue()
{
    ExperimentInfo info;
    info.id = "coalescing";
    info.title = "Memory coalescing";
    ChartSpec chart;
    chart.id = "sectors";
    chart.x = "stride";
    chart.y = "sectors";
    info.charts = {chart};
    return {info};
}

} // namespace

class TestArtifactDraft : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everythingSurvivesTheFile()
    {
        QTemporaryDir home;
        record::ArtifactRow row;
        row.artifactId = newUuid7();
        row.title = "Strided copy";
        row.kind = "profile";
        row.level = 4;
        row.question = "How far?";
        row.claim = "8 sectors \"at\" stride 2.";
        row.reflection = "ä\nb";
        row.sections = {{"method", "m"}, {"next_experiment", "n"}};
        row.runIds = {newUuid7(), newUuid7()};
        row.predictionIds = {newUuid7()};
        row.journalIds = {newUuid7()};
        row.charts = Json::array({Json{{"experiment", "coalescing"}, {"chart", "sectors"}, {"caption", "c"}}});
        row.fingerprint = Json{{"chip", "t4"}};
        row.code = {{"copy.cu", std::string(64, 'a')}};
        row.files = {{"log.txt", std::string(64, 'b')}};
        row.figures = Json::array({Json{{"name", "x"}, {"value", 1.5}}});
        row.provenance = Provenance::Measured;
        QVERIFY(writeDraft(home.path().toStdString(), "d1", row).ok());
        const auto read = readDraft(home.path().toStdString(), "d1");
        QVERIFY(read.has_value());
        QCOMPARE(draftToJson(*read).dump(), draftToJson(row).dump());
        QVERIFY(versionChanges(row, *read).empty());
    }

    void damagedDraftLosesOnlyWhatIsDamaged()
    {
        QTemporaryDir home;
        const std::filesystem::path store = home.path().toStdString();
        QVERIFY(!readDraft(store, "none").has_value());
        record::ArtifactRow row;
        QVERIFY(writeDraft(store, "d1", row).ok());
        QVERIFY(writeFile(draftPath(store, "d1"), "{\"title\": \"kept\", \"level\": 99, \"run_ids\": 7,").ok());
        QVERIFY(readDraft(store, "d1")->title.empty());
        QVERIFY(writeFile(draftPath(store, "d1"),
                          R"({"title": "kept", "level": 99, "run_ids": 7, "sections": {"method": 3, "evil": "x"}})")
                    .ok());
        const auto read = readDraft(store, "d1");
        QCOMPARE(read->title, std::string("kept"));
        QCOMPARE(read->level, 5);
        QVERIFY(read->runIds.empty() && read->sections.empty());
    }

    void draftsAreListedAndRemoved()
    {
        QTemporaryDir home;
        const std::filesystem::path store = home.path().toStdString();
        QVERIFY(drafts(store).empty());
        record::ArtifactRow row;
        row.title = "One";
        QVERIFY(writeDraft(store, "a", row).ok());
        row.title.clear();
        QVERIFY(writeDraft(store, "b", row).ok());
        QCOMPARE(drafts(store).size(), std::size_t{2});
        removeDraft(store, "b");
        QCOMPARE(drafts(store).size(), std::size_t{1});
        QCOMPARE(drafts(store)[0].id, std::string("a"));
        QCOMPARE(drafts(store)[0].title, std::string("One"));
    }

    void artifactOfRunsNamesWhatStandsBehindIt()
    {
        QTemporaryDir home;
        auto store = record::Store::open(home.path().toStdString());
        QVERIFY(store.ok());
        QCOMPARE(artifactOfRuns(**store, {}, catalogue()).error().code, std::string("nothing-to-ship"));
        std::vector<record::RunRow> runs = {run(8), run(1)};
        runs[0].createdAt = "2026-01-02T00:00:02.000Z";
        runs[1].createdAt = "2026-01-02T00:00:01.000Z";
        runs.push_back(run(2));
        runs[2].createdAt = "2026-01-02T00:00:03.000Z";
        runs[2].status = "failed";
        const auto row = artifactOfRuns(**store, runs, catalogue());
        QVERIFY(row.ok());
        QCOMPARE(row->runIds, (std::vector<std::string>{runs[1].id, runs[0].id, runs[2].id})); // as they were seen
        QCOMPARE(row->title, std::string("Memory coalescing (sim:h100-sxm, SIMULATED)"));
        QVERIFY(row->lesson.empty());
        QCOMPARE((*row->charts).size(), std::size_t{1});
        QCOMPARE((*row->charts)[0]["chart"].get<std::string>(), std::string("sectors"));
        QCOMPARE((*row->fingerprint)["chip"].get<std::string>(), std::string("h100-sxm"));
        QCOMPARE(row->trust, std::string("T1"));

        record::ArtifactRow emptied = *row;
        refreshFromRuns(emptied, {}, catalogue());
        QVERIFY(emptied.charts->empty());
        QCOMPARE(emptied.trust, std::string("T0"));
        // An experiment that is not known here has no chart and no code.
        runs[0].experiment = runs[1].experiment = runs[2].experiment = "of-later";
        const auto later = artifactOfRuns(**store, runs, catalogue());
        QVERIFY(later.ok());
        QVERIFY(later->charts->empty() && later->code.empty());
        QCOMPARE(later->title, std::string("of-later (sim:h100-sxm, SIMULATED)"));
    }

    void anImportedFileIsNotYetShipped()
    {
        record::ArtifactRow written;
        written.fingerprint = Json{{"chip", "h100-sxm"}};
        record::ArtifactRow replayed = written; // written about somebody else's measurement
        replayed.provenance = Provenance::Recorded;
        record::ArtifactRow imported = replayed;
        imported.fingerprint = Json{{"format", "nccl-tests"}};
        QCOMPARE(shippedArtifacts({written, replayed, imported}), std::size_t{2});
        QCOMPARE(shippedArtifacts({imported}), std::size_t{0});
    }

    void changesAreToldInWords()
    {
        record::ArtifactRow older;
        older.level = 3;
        older.kind = "profile";
        older.runIds = {"a", "b"};
        record::ArtifactRow newer = older;
        QVERIFY(versionChanges(older, newer).empty());
        newer.claim = "x";
        newer.level = 4;
        newer.runIds = {"b", "c", "d"};
        newer.sections["failure_modes"] = "y";
        newer.code = {{"k.cu", "s"}};
        QCOMPARE(versionChanges(older, newer),
                 (std::vector<std::string>{"the claim", "the failure modes", "level 4 instead of 3", "2 runs added",
                                           "1 run taken out", "1 code file added"}));
    }
};

QTEST_GUILESS_MAIN(TestArtifactDraft)
#include "tst_artifact_draft.moc"
