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
        const auto before = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(before);
        QVERIFY2(before->ok(), before->findings.empty() ? "" : toText(before->findings.front()).c_str());
        tampering.change(folder);
        const auto report = verifyPortfolio(folder, *dataFolder());
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
        const auto before = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(before);
        QVERIFY2(before->ok(), before->findings.empty() ? "" : toText(before->findings.front()).c_str());
        replaceIn(folder / "rows.jsonl", "\\\"value\\\":32.0", "\\\"value\\\":16.0");
        mendSums(folder);
        const auto report = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(report);
        QCOMPARE(report->findings.empty() ? std::string() : report->findings.front().code, std::string("rows-digest"));
    }

    /// The manifest does not speak of the PDF: with its sum mended nothing finds it, and the report says so.
    void aChangedPdfIsHeldByTheSumsAlone()
    {
        const fs::path folder = m_shop.write();
        writeBytes(folder / "portfolio.pdf", "%PDF-1.4 nobody reads it here\n");
        mendSums(folder);
        QVERIFY(verifyPortfolio(folder, *dataFolder())->ok());
        writeBytes(folder / "portfolio.pdf", bytesOf(folder / "portfolio.pdf") + "% another claim\n");
        const auto found = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(found);
        QCOMPARE(found->findings.size(), std::size_t{1});
        QCOMPARE(found->findings[0].code, std::string("sums-wrong"));
        mendSums(folder);
        const auto mended = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(mended);
        QVERIFY(mended->ok() && mended->pdf);
        QCOMPARE(mended->limits().size(), std::size_t{2});
        QVERIFY(mended->limits()[0].find("portfolio.pdf") != std::string::npos);
        QCOMPARE(toJson(*mended)["not_proved"].size(), std::size_t{2});
        fs::remove(folder / "portfolio.pdf");
        mendSums(folder);
        QCOMPARE(verifyPortfolio(folder, *dataFolder())->limits().size(), std::size_t{1});
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
