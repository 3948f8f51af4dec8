// SPDX-License-Identifier: GPL-3.0-or-later
// Every way in which a portfolio can be changed behind its author's back is named with file and line.
#include "folio_support.h"

#include "base/hash.h"

#include <functional>

using namespace ridge;
using namespace ridge::folio;
using namespace ridge::test;

namespace {

void replaceIn(const fs::path& file, const std::string& what, const std::string& with)
{
    std::string bytes = bytesOf(file);
    const std::size_t at = bytes.find(what);
    if (at == std::string::npos)
        qFatal("%s has no %s", file.c_str(), what.c_str());
    writeBytes(file, bytes.replace(at, what.size(), with));
}

/// What an attacker does who knows the format: sums and manifest fit the changed files again.
void mendSums(const fs::path& folder)
{
    auto files = contentOf(folder);
    auto manifest = parseJson(files["manifest.json"], "manifest");
    if (manifest && manifest->contains("files") && (*manifest)["files"].is_array()) {
        for (Json& entry : (*manifest)["files"])
            if (const auto file = files.find(entry.value("name", std::string())); file != files.end()) {
                entry["bytes"] = file->second.size();
                entry["sha256"] = sha256Hex(file->second);
            }
        files["manifest.json"] = manifest->dump(2) + "\n";
        writeBytes(folder / "manifest.json", files["manifest.json"]);
    }
    std::string sums;
    for (const auto& [name, bytes] : files)
        if (name != "SHA256SUMS")
            sums += sha256Hex(bytes) + "  " + name + "\n";
    writeBytes(folder / "SHA256SUMS", sums);
}

/// As a reader checks it whose program knows the experiments.
Result<VerifyReport> verified(const fs::path& folder)
{
    static const std::vector<ExperimentInfo> known = {coalescing()};
    return verifyPortfolio(folder, *dataFolder(), known);
}

struct Tampering {
    const char* what;
    const char* code;
    const char* place; ///< how the finding's place begins
    std::function<void(const fs::path&)> change;
};

const std::vector<Tampering>& tamperings()
{
    static const std::vector<Tampering> all = {
        {"a file was changed", "sums-wrong",
         "SHA256SUMS:", [](const fs::path& f) { replaceIn(f / "data/plain.csv", "32", "31"); }},
        {"a file was taken out", "sums-missing",
         "SHA256SUMS:", [](const fs::path& f) { fs::remove(f / "data/plain.csv"); }},
        {"a file was added", "unlisted-file", "data/more.csv",
         [](const fs::path& f) { writeBytes(f / "data/more.csv", "x"); }},
        {"the sums were thrown away", "sums-missing", "SHA256SUMS",
         [](const fs::path& f) { fs::remove(f / "SHA256SUMS"); }},
        {"the sums lead out", "sums-format", "SHA256SUMS:",
         [](const fs::path& f) { writeBytes(f / "SHA256SUMS", std::string(64, 'a') + "  ../../etc/passwd\n"); }},
        {"a link instead of a file", "link", "data/plain.csv",
         [](const fs::path& f) {
             fs::remove(f / "data/plain.csv");
             fs::create_symlink("/etc/passwd", f / "data/plain.csv");
         }},
        {"the manifest is not JSON", "bad-json", "manifest.json",
         [](const fs::path& f) { replaceIn(f / "manifest.json", "{", "{{"); }},
        {"the manifest has a strange value", "manifest-schema", "manifest.json:",
         [](const fs::path& f) {
             replaceIn(f / "manifest.json", "\"level\": 3", "\"level\": 9");
             mendSums(f);
         }},
        {"the manifest says more runs are rows", "rows-redacted", "manifest.json:",
         [](const fs::path& f) {
             auto manifest = parseJson(bytesOf(f / "manifest.json"), "m");
             (*manifest)["rows"]["count"] = 99;
             writeBytes(f / "manifest.json", manifest->dump(2));
             mendSums(f);
         }},
        {"the manifest names a file that is not there", "manifest-file", "manifest.json:",
         [](const fs::path& f) {
             replaceIn(f / "manifest.json", "\"data\": \"data/plain.csv\"", "\"data\": \"data/none.csv\"");
             mendSums(f);
         }},
        {"a file that the manifest does not know", "manifest-file", "manifest.json",
         [](const fs::path& f) {
             writeBytes(f / "data/more.csv", "x");
             mendSums(f);
         }},
        {"a result was improved in its row", "rows-digest", "rows.jsonl:",
         [](const fs::path& f) {
             replaceIn(f / "rows.jsonl", "\\\"value\\\":32.0", "\\\"value\\\":16.0");
             mendSums(f);
         }},
        {"a row was taken out", "rows-chain", "rows.jsonl:",
         [](const fs::path& f) {
             std::string text = bytesOf(f / "rows.jsonl");
             text.erase(0, text.find('\n') + 1);
             writeBytes(f / "rows.jsonl", text);
             mendSums(f);
         }},
        {"a row is no row", "rows-format", "rows.jsonl:1",
         [](const fs::path& f) {
             writeBytes(f / "rows.jsonl", "[" + std::string(100, '[') + "\n" + bytesOf(f / "rows.jsonl"));
             mendSums(f);
         }},
        {"a script in a page", "unsafe-markup", "index.html:",
         [](const fs::path& f) {
             replaceIn(f / "index.html", "</main>", "<script>alert(1)</script></main>");
             mendSums(f);
         }},
        {"a handler in a page", "unsafe-markup", "artifacts/plain/index.html:",
         [](const fs::path& f) {
             replaceIn(f / "artifacts/plain/index.html", "<article>", "<article onmouseover=\"x()\">");
             mendSums(f);
         }},
        {"a picture from elsewhere", "unsafe-markup", "index.html:",
         [](const fs::path& f) {
             replaceIn(f / "index.html", "</main>", "<img src=\"https://spy.example/x.png\"></main>");
             mendSums(f);
         }},
        {"a script in a chart", "unsafe-markup", "charts/plain-1.svg:",
         [](const fs::path& f) {
             replaceIn(f / "charts/plain-1.svg", "</svg>", "<script>1</script></svg>");
             mendSums(f);
         }},
        {"a style that fetches in a chart", "unsafe-markup", "charts/plain-1.svg:",
         [](const fs::path& f) {
             replaceIn(f / "charts/plain-1.svg", "</style>", "text{fill:url(http://spy.example)}</style>");
             mendSums(f);
         }},
        {"a stylesheet that fetches", "unsafe-markup", "portfolio.css:",
         [](const fs::path& f) {
             writeBytes(f / "portfolio.css", bytesOf(f / "portfolio.css") + "\n@import 'http://spy.example/x.css';\n");
             mendSums(f);
         }},
        {"a link that leads nowhere", "broken-link", "index.html:",
         [](const fs::path& f) {
             replaceIn(f / "index.html", "href=\"rows.jsonl\"", "href=\"rows.json\"");
             mendSums(f);
         }},
        {"a link out of the folder", "unsafe-markup", "index.html:",
         [](const fs::path& f) {
             replaceIn(f / "index.html", "href=\"rows.jsonl\"", "href=\"file:///etc/passwd\"");
             mendSums(f);
         }},
        {"a chart with decimal commas", "chart-torn", "charts/plain-1.svg:",
         [](const fs::path& f) {
             replaceIn(f / "charts/plain-1.svg", "width=\"720\"", "width=\"720,\"");
             mendSums(f);
         }},
        {"a line of torn pairs", "chart-torn", "charts/plain-1.svg:",
         [](const fs::path& f) {
             replaceIn(f / "charts/plain-1.svg", " points=\"", " points=\"25,92,13,5 ");
             mendSums(f);
         }},
        {"a number of a chart that is none", "chart-torn", "artifacts/plain/index.html:",
         [](const fs::path& f) {
             replaceIn(f / "artifacts/plain/index.html", " x=\"", " x=\"nan");
             mendSums(f);
         }},
        // From here on what a forger does who leaves the rows alone and makes every sum again.
        {"a value of a table", "rows-differ", "data/plain.csv:",
         [](const fs::path& f) {
             replaceIn(f / "data/plain.csv", ",32.0", ",999999.0");
             mendSums(f);
         }},
        {"a line of a table", "rows-differ", "data/plain.csv:4",
         [](const fs::path& f) {
             std::string text = bytesOf(f / "data/plain.csv");
             text.erase(text.rfind('\n', text.size() - 2) + 1);
             writeBytes(f / "data/plain.csv", text);
             mendSums(f);
         }},
        {"simulated becomes measured in the manifest", "rows-differ", "manifest.json:",
         [](const fs::path& f) {
             replaceIn(f / "manifest.json", "\"provenance\": \"SIMULATED\"", "\"provenance\": \"MEASURED\"");
             mendSums(f);
         }},
        {"simulated becomes measured on a page", "page-differs", "artifacts/plain/index.html:",
         [](const fs::path& f) {
             replaceIn(f / "artifacts/plain/index.html", "</span>simulated</span>", "</span>measured</span>");
             mendSums(f);
         }},
        {"simulated becomes measured in a chart", "page-differs", "charts/plain-1.svg:",
         [](const fs::path& f) {
             replaceIn(f / "charts/plain-1.svg", "class=\"i-s1 open\"", "class=\"i-s1 full\"");
             mendSums(f);
         }},
        {"more trust than the rows give", "rows-differ", "manifest.json:",
         [](const fs::path& f) {
             replaceIn(f / "manifest.json", "\"level\": \"T1\"", "\"level\": \"T3\"");
             mendSums(f);
         }},
        {"more trust on a page", "page-differs", "index.html:",
         [](const fs::path& f) {
             replaceIn(f / "index.html", "trust T1", "trust T3");
             mendSums(f);
         }},
        {"another reason for the trust", "rows-differ", "manifest.json:",
         [](const fs::path& f) {
             replaceIn(f / "manifest.json", "were simulated by this program", "were measured by this program");
             mendSums(f);
         }},
        {"another claim in the manifest", "rows-differ", "manifest.json:",
         [](const fs::path& f) {
             replaceIn(f / "manifest.json", "a warp touches 32 sectors", "a warp touches 4 sectors");
             mendSums(f);
         }},
        {"another claim on a page", "page-differs", "artifacts/plain/index.html:",
         [](const fs::path& f) {
             replaceIn(f / "artifacts/plain/index.html", "a warp touches 32 sectors", "a warp touches 4 sectors");
             mendSums(f);
         }},
        {"a better prediction", "rows-differ", "manifest.json:",
         [](const fs::path& f) {
             auto manifest = parseJson(bytesOf(f / "manifest.json"), "m");
             (*manifest)["artifacts"][0]["predictions"][0]["point"] = 31.0;
             writeBytes(f / "manifest.json", manifest->dump(2));
             mendSums(f);
         }},
        {"a figure on a page", "page-differs", "artifacts/plain/index.html:",
         [](const fs::path& f) {
             replaceIn(f / "artifacts/plain/index.html", ">32</td>", ">3</td>");
             mendSums(f);
         }},
        {"a point of a chart", "page-differs", "charts/plain-1.svg:",
         [](const fs::path& f) {
             replaceIn(f / "charts/plain-1.svg", " cy=\"", " cy=\"1");
             mendSums(f);
         }},
        {"other code", "rows-differ", "manifest.json:",
         [](const fs::path& f) {
             for (const auto& entry : fs::recursive_directory_iterator(f / "code/plain"))
                 if (entry.is_regular_file())
                     writeBytes(entry.path(), "__global__ void faster() {}\n");
             mendSums(f);
         }},
        {"a page that no row makes", "page-differs", "artifacts/more.html",
         [](const fs::path& f) {
             writeBytes(f / "artifacts/more.html", bytesOf(f / "index.html"));
             auto manifest = parseJson(bytesOf(f / "manifest.json"), "m");
             (*manifest)["files"].push_back(
                 Json{{"name", "artifacts/more.html"}, {"bytes", 0}, {"sha256", std::string(64, '0')}});
             writeBytes(f / "manifest.json", manifest->dump(2));
             mendSums(f);
         }},
        {"an artifact that is left out", "rows-differ", "rows.jsonl:",
         [](const fs::path& f) {
             auto manifest = parseJson(bytesOf(f / "manifest.json"), "m");
             (*manifest)["artifacts"][0]["id"] = "artifact-2";
             writeBytes(f / "manifest.json", manifest->dump(2));
             mendSums(f);
         }},
        {"a stylesheet that says something", "page-differs", "portfolio.css:",
         [](const fs::path& f) {
             writeBytes(f / "portfolio.css", bytesOf(f / "portfolio.css") + "\n.claim::after{content:'measured'}\n");
             mendSums(f);
         }},
        {"a place that is not there", "broken-link", "index.html:",
         [](const fs::path& f) {
             replaceIn(f / "index.html", "href=\"#main\"", "href=\"#top\"");
             mendSums(f);
         }},
    };
    return all;
}

} // namespace

class TestFolioVerify : public QObject {
    Q_OBJECT
    Shop m_shop;

private Q_SLOTS:
    void initTestCase() { m_shop.artifact("Plain"); }

    void tampering_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < tamperings().size(); ++i)
            QTest::newRow(tamperings()[i].what) << int(i);
    }

    void tampering()
    {
        QFETCH(int, index);
        const Tampering& tampering = tamperings()[static_cast<std::size_t>(index)];
        const fs::path folder = m_shop.write();
        const auto before = verified(folder);
        R_VERIFY(before);
        QVERIFY2(before->ok(), before->findings.empty() ? "" : toText(before->findings.front()).c_str());
        tampering.change(folder);
        const auto report = verified(folder);
        R_VERIFY(report);
        bool found = false;
        std::string all;
        for (const Error& finding : report->findings) {
            all += finding.code + " at " + finding.place + ": " + finding.message + "\n";
            QVERIFY(!finding.message.empty() && !finding.place.empty());
            found = found || (finding.code == tampering.code && finding.place.starts_with(tampering.place));
        }
        QVERIFY2(found, all.c_str());
        QVERIFY(!toJson(*report)["ok"].get<bool>());
    }

    /// Rows as the record wrote them are held against the digests that it made.
    void rowsOfTheRecordAreChecked()
    {
        PortfolioOptions options;
        for (const DetailText& text : detailTexts())
            options.shown.insert(text.detail);
        const fs::path folder = m_shop.write(options);
        const auto before = verified(folder);
        R_VERIFY(before);
        QVERIFY2(before->ok(), before->findings.empty() ? "" : toText(before->findings.front()).c_str());
        replaceIn(folder / "rows.jsonl", "\\\"value\\\":32.0", "\\\"value\\\":16.0");
        mendSums(folder);
        const auto report = verified(folder);
        R_VERIFY(report);
        QCOMPARE(report->findings.empty() ? std::string() : report->findings.front().code, std::string("rows-digest"));
    }

    /// The manifest does not speak of the PDF: with its sum mended nothing finds it, and the report says so.
    void aChangedPdfIsHeldByTheSumsAlone()
    {
        const fs::path folder = m_shop.write({}, true);
        writeBytes(folder / "portfolio.pdf", "%PDF-1.4 nobody reads it here\n");
        mendSums(folder);
        QVERIFY(verified(folder)->ok());
        writeBytes(folder / "portfolio.pdf", bytesOf(folder / "portfolio.pdf") + "% another claim\n");
        const auto found = verified(folder);
        R_VERIFY(found);
        QCOMPARE(found->findings.size(), std::size_t{1});
        QCOMPARE(found->findings[0].code, std::string("sums-wrong"));
        mendSums(folder);
        const auto mended = verified(folder);
        R_VERIFY(mended);
        QVERIFY(mended->ok() && mended->pdf);
        QCOMPARE(mended->limits().size(), std::size_t{3});
        QVERIFY(mended->limits()[0].find("portfolio.pdf") != std::string::npos);
        QCOMPARE(toJson(*mended)["not_proved"].size(), std::size_t{3});
        const fs::path without = m_shop.write();
        QCOMPARE(verified(without)->limits().size(), std::size_t{2});
    }

    /// What is proved is said, and what could not be compared as well.
    void theReportSaysWhatItProves()
    {
        const fs::path folder = m_shop.write();
        const auto whole = verified(folder);
        R_VERIFY(whole);
        QVERIFY(whole->ok() && whole->compared && whole->pagesOpen.empty());
        QCOMPARE(whole->proofs().size(), std::size_t{4});
        QVERIFY(whole->proofs()[1].find("made on export") != std::string::npos);
        QVERIFY(whole->limits().back().find("Nobody signed it") != std::string::npos);
        QCOMPARE(toJson(*whole)["proved"].size(), std::size_t{4});

        // Without experiments, and of another build: pages stay open, the rest is compared all the same.
        const auto stranger = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(stranger);
        QVERIFY2(stranger->ok(), stranger->findings.empty() ? "" : toText(stranger->findings.front()).c_str());
        QCOMPARE(stranger->proofs().size(), std::size_t{3});
        QVERIFY(stranger->limits()[0].find("not compared") != std::string::npos);
        for (const auto& [what, with] :
             {std::pair("trust T1", "trust T3"), std::pair("</span>simulated</span>", "</span>measured</span>"),
              std::pair("a warp touches 32 sectors", "a warp touches 4 sectors")}) {
            replaceIn(folder / "artifacts/plain/index.html", what, with);
            mendSums(folder);
            const auto changed = verifyPortfolio(folder, *dataFolder());
            QVERIFY2(!changed->ok() && changed->findings[0].code == "page-differs", what);
            replaceIn(folder / "artifacts/plain/index.html", with, what);
            mendSums(folder);
        }
        replaceIn(folder / "artifacts/plain/index.html", ">32</td>", ">3</td>");
        mendSums(folder);
        QVERIFY(verifyPortfolio(folder, *dataFolder())->ok());
        QVERIFY(!verified(folder)->ok());
        auto manifest = parseJson(bytesOf(folder / "manifest.json"), "m");
        (*manifest)["maker"] = std::string(64, 'a');
        writeBytes(folder / "manifest.json", manifest->dump(2));
        mendSums(folder);
        const auto other = verified(folder);
        R_VERIFY(other);
        QVERIFY2(other->ok(), other->findings.empty() ? "" : toText(other->findings.front()).c_str());
        QVERIFY(other->pagesOpen.find("another version") != std::string::npos);
        replaceIn(folder / "data/plain.csv", ",32.0", ",31.0");
        mendSums(folder);
        const auto found = verified(folder);
        QCOMPARE(found->findings.size(), std::size_t{1});
        QCOMPARE(found->findings[0].place, std::string("data/plain.csv:4"));
        QVERIFY(found->proofs().empty());
    }

    /// Whatever a template and its texts are, honest pages are those that the rows make.
    void everyHonestPortfolioIsWhatItsRowsMake()
    {
        Shop shop;
        for (const std::string& nasty : nastyTexts())
            shop.artifact("Strided " + nasty, nasty);
        record::JournalRow beside;
        beside.kind = "decision";
        beside.title = "Beside";
        beside.text = "of no artifact";
        for (int i = 0; i < 12; ++i)
            shop.put(beside);
        Shown all;
        for (const DetailText& text : detailTexts())
            all.insert(text.detail);
        for (const Template style : {Template::Job, Template::HandIn, Template::Notebook})
            for (const Shown& shown : {Shown(), Shown{Detail::Notes, Detail::Name}, all}) {
                PortfolioOptions options;
                options.style = style;
                options.intro = nastyTexts()[0];
                options.author = "Ada Example";
                options.contact = "ada@example.org";
                options.shown = shown;
                const auto report = verified(shop.write(options));
                R_VERIFY(report);
                QVERIFY2(report->ok(), report->findings.empty() ? "" : toText(report->findings.front()).c_str());
                QVERIFY(report->compared && report->pagesOpen.empty());
            }
    }

    void whatIsNoPortfolioSaysSo()
    {
        const fs::path empty = m_shop.folder("empty");
        fs::create_directories(empty);
        QCOMPARE(codeOf(verifyPortfolio(empty, *dataFolder())), QByteArray("not-a-portfolio"));
        QCOMPARE(codeOf(verifyPortfolio("/nowhere", *dataFolder())), QByteArray("not-a-portfolio"));
    }

    void theSampleThatShipsIsWhole()
    {
        const auto report = verifyPortfolio(*dataFolder() / "assets/samples/portfolio", *dataFolder());
        R_VERIFY(report);
        QVERIFY2(report->ok(), report->findings.empty() ? "" : toText(report->findings.front()).c_str());
        QVERIFY(report->artifacts >= 3);
    }
};

FOLIO_TEST_MAIN(TestFolioVerify)
#include "tst_folio_verify.moc"
