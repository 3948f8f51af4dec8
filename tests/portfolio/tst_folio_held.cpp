// SPDX-License-Identifier: GPL-3.0-or-later
// A portfolio while an assignment's feedback policy holds outcomes back: they are in none of its files, each page says
// from when on they are shown, and the portfolio checks out; after the release everything is there again.
#include "folio_support.h"

using namespace ridge;
using namespace ridge::folio;
using namespace ridge::test;

namespace {

const std::string kReason = "Week 3 (Dr. R. Hopper) shows this from 8 March 2098, 18:00 on.";

/// Holds `parts` of lesson 2.4 back: r(esults), p(redictions), a(rtifact).
record::Withholding holding(const char* parts)
{
    const auto ask = [parts](char part) -> record::Withholding::Ask {
        if (std::string(parts).find(part) == std::string::npos)
            return {};
        return [](const std::string& lesson) { return lesson == "2.4" ? kReason : std::string(); };
    };
    return {ask('r'), ask('p'), ask('a')};
}

std::map<std::string, std::string> filesOf(const fs::path& folder)
{
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().filename() != "portfolio.schema.json")
            files[fs::relative(entry.path(), folder).string()] = bytesOf(entry.path());
    return files;
}

} // namespace

class TestFolioHeld : public QObject {
    Q_OBJECT
    Shop m_shop;

    fs::path written(const char* parts, bool everything = false)
    {
        PortfolioOptions options;
        options.held = holding(parts);
        if (everything)
            for (const DetailText& text : detailTexts())
                options.shown.insert(text.detail);
        return m_shop.write(options);
    }
    void soundPortfolio(const fs::path& folder)
    {
        const auto report = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(report);
        QVERIFY2(report->ok(), report->findings.empty() ? "" : toText(report->findings.front()).c_str());
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::string id = m_shop.artifact("A stride");
        record::ReproductionRow again;
        again.artifactId = m_shop.store->artifact(id)->artifactId;
        again.verdict = "reproduced";
        again.by = "self";
        again.target = "sim:h100-sxm";
        const std::string run = m_shop.store->artifact(id)->runIds.front();
        again.pairs = {{run, run, "sectors_per_request", "sectors/request", 4, 4, 1.0, "reproduced"}};
        m_shop.put(again);
    }

    void resultsAreInNoFile_data()
    {
        QTest::addColumn<bool>("everything");
        QTest::newRow("by default") << false;
        QTest::newRow("with every detail") << true;
    }
    void resultsAreInNoFile()
    {
        QFETCH(bool, everything);
        const fs::path folder = written("rp", everything);
        soundPortfolio(folder);
        const auto files = filesOf(folder);
        for (const auto& [name, bytes] : files) {
            QVERIFY2(bytes.find("touches 32 sectors") == std::string::npos, name.c_str()); // the claim
            QVERIFY2(bytes.find("\"value\\\":") == std::string::npos, name.c_str());       // a metric of a row
            QVERIFY2(bytes.find("the result is") == std::string::npos, name.c_str());
        }
        const std::string& page = files.at("artifacts/a-stride/index.html");
        QVERIFY2(page.find("The claim is stored. " + kReason) != std::string::npos, page.c_str());
        QVERIFY(page.find("Predicted ") != std::string::npos); // what was predicted is no outcome
        QVERIFY(page.find("It was not run") == std::string::npos);
        QVERIFY(!files.contains("charts/a-stride-1.svg"));
        QVERIFY(page.find("I worked in") != std::string::npos); // the learner's own words
        QVERIFY(files.at("index.html").find(kReason) != std::string::npos);
        const auto manifest = parseJson(files.at("manifest.json"), "manifest");
        R_VERIFY(manifest);
        QVERIFY((*manifest)["artifacts"][0]["predictions"][0]["result"].is_null());
        std::set<std::string> redacted;
        for (const Json& column : (*manifest)["rows"]["columns"])
            redacted.insert(column.get<std::string>());
        for (const char* column : {"run.metrics", "artifact.claim", "reproduction.pairs"})
            QVERIFY2(redacted.contains(column), column);
    }

    void eachStepHoldsBackItsOwn()
    {
        const auto page = [this](const char* parts) {
            return bytesOf(written(parts) / "artifacts/a-stride/index.html");
        };
        const std::string predictions = page("p"), artifact = page("a"), none = page("");
        QVERIFY(predictions.find("touches 32 sectors") != std::string::npos);
        QVERIFY(predictions.find("the result is") == std::string::npos);
        QVERIFY(predictions.find(kReason) != std::string::npos);
        QVERIFY(artifact.find("the result is") != std::string::npos);
        QVERIFY(artifact.find("trust T") == std::string::npos && artifact.find(kReason) != std::string::npos);
        soundPortfolio(written("a"));
        QVERIFY(none.find("the result is") != std::string::npos && none.find("trust T1") != std::string::npos);
    }

    /// The record itself was never touched: what is written after the release is what was written before the policy.
    void afterTheReleaseItIsAllThere()
    {
        const fs::path before = written("", true), held = written("rpa", true), after = written("", true);
        QVERIFY(bytesOf(before / "rows.jsonl") != bytesOf(held / "rows.jsonl"));
        QCOMPARE(bytesOf(after / "rows.jsonl"), bytesOf(before / "rows.jsonl"));
        QVERIFY(fs::exists(after / "charts/a-stride-1.svg"));
        soundPortfolio(after);
    }
};

QTEST_MAIN(TestFolioHeld)
#include "tst_folio_held.moc"
