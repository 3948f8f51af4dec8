// SPDX-License-Identifier: GPL-3.0-or-later
// An artifact written as a folder: what stands in it, and that no name of a stranger's row leads out of it.
#include "record_support.h"

#include "base/csv.h"
#include "base/json.h"
#include "record/artifact_export.h"
#include "record/rerun.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

std::string contentsOf(const fs::path& file)
{
    const auto bytes = readFile(file);
    return bytes ? *bytes : std::string();
}

ArtifactRow plainArtifact()
{
    ArtifactRow row;
    row.kind = "log import";
    row.title = "What NCCL reached";
    row.fingerprint = Json{{"gpu", "H100"}};
    return row;
}

} // namespace

class TestArtifactExport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_store = Store::open(pathOf(*m_dir) / "store").value();
    }

    /// Twenty lines for three sweeps are a page of a portfolio that nobody reads.
    void aRequestOverAGridIsOneCommand()
    {
        std::vector<RunRow> runs;
        const auto add = [&](const char* request, const char* level, std::int64_t work) {
            RunRow run;
            run.id = std::to_string(runs.size());
            run.experiment = "roofline";
            run.target = "sim:x";
            run.seed = 1;
            run.sweepId = request;
            run.params = {{"level", std::string(level)}, {"work", work}};
            runs.push_back(run);
        };
        for (const char* level : {"hbm", "l2"})
            for (const int work : {1, 4, 16})
                add("grid", level, work);
        add("single", "shared", 2);
        const std::string start = "ridge run roofline --target sim:x --seed 1 ";
        const std::vector<std::string> both{start + "--sweep level=hbm,l2 --sweep work=1,4,16",
                                            start + "--set level=shared --set work=2"};
        QVERIFY2(rerunCommands(runs) == both, rerunCommands(runs).front().c_str());
        runs.erase(runs.begin()); // a hole: the grid would run a point that nobody ran
        const std::vector<std::string> without{start + "--set level=hbm --sweep work=4,16",
                                               start + "--set level=l2 --sweep work=1,4,16",
                                               start + "--set level=shared --set work=2"};
        QVERIFY2(rerunCommands(runs) == without, rerunCommands(runs).front().c_str());
        // A challenge is taken point by point: one line for all of its steps, the same point twice is one.
        runs.clear();
        for (const int work : {8, 2, 64, 8})
            add(("step" + std::to_string(runs.size())).c_str(), "hbm", work);
        QVERIFY2(rerunCommands(runs) == std::vector{start + "--set level=hbm --sweep work=8,2,64"},
                 rerunCommands(runs).front().c_str());
    }

    void holdsSectionsFiguresFilesAndJournal()
    {
        JournalRow failure;
        failure.kind = "failure";
        failure.title = "One link was down";
        failure.text = "busbw fell to a quarter";
        ArtifactRow row = plainArtifact();
        row.journalIds = {durable(m_store->append(failure)).value()};
        row.sections = {{"method", "Four ranks, one node."}, {"next_experiment", "Two nodes."}};
        row.figures = Json::array({{{"name", "=busbw"},
                                    {"value", 1.5e9},
                                    {"unit", "B/s"},
                                    {"source", "a.log"},
                                    {"line", 7},
                                    {"of", "8 MB"}}});
        row.files = {{"a.log", durable(m_store->putFile("the log")).value()}};
        const std::string id = durable(m_store->append(row)).value();
        // A note in some lesson's margin has nothing to do with an artifact of no lesson.
        NoteRow note;
        note.lesson = "1.1";
        note.section = "Mental model";
        note.quote = "warps";
        note.text = "private thought";
        R_VERIFY(durable(m_store->append(note)));

        const auto folder = exportArtifact(*m_store, id, pathOf(*m_dir) / "out");
        R_VERIFY(folder);
        QCOMPARE(contentsOf(*folder / "files/a.log"), std::string("the log"));
        const std::string readme = contentsOf(*folder / "README.md");
        for (const char* expected : {"## Method\n\nFour ranks, one node.", "## Failures\n\n### One link was down",
                                     "1.5 GB/s (RECORDED)", "## Next experiment\n\nTwo nodes."})
            QVERIFY2(readme.find(expected) != std::string::npos, expected);
        for (const char* absent : {"Question:", "## Decisions", "## Bottleneck", "private thought"})
            QVERIFY2(readme.find(absent) == std::string::npos, absent);
        const auto figures = parseCsv(contentsOf(*folder / "figures.csv"), "figures.csv");
        R_VERIFY(figures);
        QCOMPARE(figures->at(1).cells,
                 (std::vector<std::string>{"8 MB", "'=busbw", "1500000000.0", "B/s", "RECORDED", "a.log", "7"}));
        const auto json = parseJson(contentsOf(*folder / "artifact.json"), "artifact.json");
        R_VERIFY(json);
        QCOMPARE(json->at("journal").size(), std::size_t(1));
        QCOMPARE(json->at("files")[0]["name"].get<std::string>(), std::string("a.log"));
        QVERIFY(contentsOf(*folder / "SHA256SUMS").find("  files/a.log\n") != std::string::npos);
    }

    /// While a policy holds results back a folder says so in their place; released, it is the folder of before.
    void whatIsHeldBackStaysInTheStore()
    {
        const std::string predicted = durable(m_store->append(somePrediction())).value();
        const RunRow run = someRun(8, predicted);
        ArtifactRow row = plainArtifact();
        row.lesson = "2.4";
        row.claim = "At stride 8 it is 32 sectors.";
        row.reflection = "I had counted lines.";
        row.predictionIds = {predicted};
        row.runIds = {durable(m_store->append(run, "trace bytes")).value()};
        const std::string id = durable(m_store->append(row)).value();
        const auto reason = [](const std::string& lesson) {
            return lesson == "2.4" ? std::string("Week 3 does not show this.") : std::string();
        };
        ExportExtras extras;
        extras.held = {reason, reason, reason};
        const auto folder = exportArtifact(*m_store, id, pathOf(*m_dir) / "held", extras);
        R_VERIFY(folder);
        const std::string readme = contentsOf(*folder / "README.md");
        for (const char* expected : {"The claim is stored. Week 3 does not show this.", "I had counted lines.",
                                     "; result Week 3 does not show this.", "Trust: Week 3 does not show this."})
            QVERIFY2(readme.find(expected) != std::string::npos, (expected + std::string("\n") + readme).c_str());
        const auto json = parseJson(contentsOf(*folder / "artifact.json"), "artifact.json");
        R_VERIFY(json);
        QCOMPARE((*json)["held"].size(), std::size_t{3});
        QVERIFY((*json)["trust"].is_null() && (*json)["runs"][0]["metrics"].empty());
        QCOMPARE((*json)["predictions"].size(), std::size_t{1});
        for (const char* name : {"README.md", "artifact.json", "runs.csv"})
            QVERIFY2(contentsOf(*folder / name).find("it is 32 sectors") == std::string::npos, name);
        QVERIFY(contentsOf(*folder / "runs.csv").find("sectors_per_request") == std::string::npos);
        QVERIFY(!fs::exists(*folder / "traces"));

        extras.held = {};
        const auto released = exportArtifact(*m_store, id, pathOf(*m_dir) / "released", extras);
        R_VERIFY(released);
        QVERIFY(contentsOf(*released / "README.md").find("At stride 8 it is 32 sectors.") != std::string::npos);
        QVERIFY(contentsOf(*released / "runs.csv").find("sectors_per_request") != std::string::npos);
        QVERIFY(fs::exists(*released / "traces"));
    }

    void hostileNamesStayInside_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("kept");
        QTest::newRow("parent") << QStringLiteral("../../escaped") << false;
        QTest::newRow("parent inside") << QStringLiteral("a/../../escaped") << false;
        QTest::newRow("absolute") << QStringLiteral("/tmp/escaped") << false;
        QTest::newRow("backslash") << QStringLiteral("..\\escaped") << false;
        QTest::newRow("folder only") << QStringLiteral("sub/") << false;
        QTest::newRow("sub-folder") << QStringLiteral("coalescing/01_strided.cu") << true;
    }
    void hostileNamesStayInside()
    {
        QFETCH(QString, name);
        QFETCH(bool, kept);
        const std::string sha256 = durable(m_store->putFile("kernel")).value();
        ArtifactRow row = plainArtifact();
        row.lesson = "../" + name.toStdString();
        row.title = "../../" + name.toStdString();
        row.code = {{name.toStdString(), sha256}};
        const std::string id = durable(m_store->append(row)).value();
        const auto stored = m_store->artifact(id);
        R_VERIFY(stored);
        const fs::path below = pathOf(*m_dir) / "deep/er/out";
        const std::string folderName = exportFolderName(*stored);
        QVERIFY2(folderName.find('/') == std::string::npos && folderName.front() != '.', folderName.c_str());
        const auto folder = exportArtifact(*m_store, id, below / folderName);
        R_VERIFY(folder);
        QCOMPARE(contentsOf(*folder / "code" / (kept ? name.toStdString() : sha256)), std::string("kernel"));
        int outside = 0;
        for (const auto& entry : fs::recursive_directory_iterator(pathOf(*m_dir) / "deep"))
            outside += entry.is_regular_file() && entry.path().string().find(folder->string()) != 0;
        QCOMPARE(outside, 0);
        QVERIFY(!fs::exists("/tmp/escaped"));
    }

    void anUnknownArtifactAndAFullFolderAreErrors()
    {
        QCOMPARE(codeOf(exportArtifact(*m_store, "nope", pathOf(*m_dir) / "x")), QByteArray("unknown-artifact"));
        const std::string id = durable(m_store->append(plainArtifact())).value();
        fs::create_directories(pathOf(*m_dir) / "full/thing");
        QCOMPARE(codeOf(exportArtifact(*m_store, id, pathOf(*m_dir) / "full")), QByteArray("cannot-write"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Store> m_store;
};

QTEST_GUILESS_MAIN(TestArtifactExport)
#include "tst_artifact_export.moc"
