// SPDX-License-Identifier: GPL-3.0-or-later
// A portfolio is written: what is in it, what is not, and that texts which try something come to nothing.
#include "folio_support.h"

#include "portfolio/safe_markup.h"
#include "record/graded_kernel.h"

#include <QRegularExpression>

using namespace ridge;
using namespace ridge::folio;
using namespace ridge::test;

namespace {

QByteArray lowered(const std::string& bytes)
{
    return QByteArray::fromStdString(bytes).toLower();
}

/// The text of a PDF, where the tool for it is there.
QByteArray pdfText(const fs::path& folder)
{
    const Ran ran = runTool(QStringLiteral("pdftotext"),
                            {QStringLiteral("-layout"), q(folder / "portfolio.pdf"), QStringLiteral("-")});
    return ran.out;
}

} // namespace

class TestFolioExport : public QObject {
    Q_OBJECT
    Shop m_shop;

private Q_SLOTS:
    void initTestCase()
    {
        for (const std::string& nasty : nastyTexts())
            m_shop.artifact("Strided " + nasty, nasty);
        m_shop.artifact("Plain");
    }

    void hostileTextsComeToNothing()
    {
        for (const Template style : {Template::Job, Template::HandIn, Template::Notebook}) {
            PortfolioOptions options;
            options.style = style;
            options.title = "<script>title</script>";
            options.intro = nastyTexts()[1] + "\n\n" + nastyTexts()[4];
            options.course = nastyTexts()[2];
            const fs::path folder = m_shop.write(options);
            const auto report = verifyPortfolio(folder, *dataFolder());
            R_VERIFY(report);
            QVERIFY2(report->ok(), report->findings.empty() ? "" : toText(report->findings.front()).c_str());
            QCOMPARE(report->artifacts, nastyTexts().size() + 1);
            for (const auto& [name, bytes] : contentOf(folder)) {
                QVERIFY2(name.find("..") == std::string::npos, name.c_str());
                if (name.ends_with(".html") || name.ends_with(".svg"))
                    for (const char* tag : {"<script", "<img", "<iframe", "href=\"javascript", "href=\"data"})
                        QVERIFY2(bytes.find(tag) == std::string::npos, (name + " has " + tag).c_str());
            }
        }
    }

    void nothingTellsWhoByDefault()
    {
        PortfolioOptions options;
        options.author = "Mara Voronina"; // given, and not switched on
        options.contact = "mara@example.org";
        const fs::path folder = m_shop.write(options, true);
        auto files = contentOf(folder);
        files["text of portfolio.pdf"] = pdfText(folder).toStdString();
        QVERIFY(files.size() > 30);
        static const QRegularExpression uuid(
            QStringLiteral("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
        static const QRegularExpression day(QStringLiteral("20\\d\\d-[01]\\d-[0-3]\\d"));
        for (const auto& [name, bytes] : files) {
            const QByteArray text = lowered(bytes);
            for (const char* secret : {kUser, kHost, kHome, kGpu, kSerial, "voronina", "mara@", "secret-game"})
                QVERIFY2(!text.contains(QByteArray(secret).toLower()), (name + " has " + secret).c_str());
            if (name == "portfolio.pdf" || name == kSchemaFileName)
                continue;
            const QString whole = QString::fromUtf8(text);
            QVERIFY2(!uuid.match(whole).hasMatch(),
                     (name + " has " + uuid.match(whole).captured().toStdString()).c_str());
            QVERIFY2(!day.match(whole).hasMatch(),
                     (name + " has " + day.match(whole).captured().toStdString()).c_str());
        }
        const QByteArray pdf = QByteArray::fromStdString(files["portfolio.pdf"]);
        const qsizetype at = pdf.indexOf("/CreationDate");
        QVERIFY(at > 0);
        QVERIFY2(pdf.mid(at, 60).contains("01000000"), pdf.mid(at, 60).constData());
    }

    void digestsOfTheRecordDoNotLeakThroughRows()
    {
        // A digest of the record covers the host's name: with everything else known it could be found by trying.
        QSet<QByteArray> stored;
        const auto all = record::RunFilter{};
        const auto runs = m_shop.store->runs(all);
        R_VERIFY(runs);
        QVERIFY(!runs->empty());
        const std::string rows = bytesOf(m_shop.write() / "rows.jsonl");
        PortfolioOptions full;
        for (const DetailText& text : detailTexts())
            full.shown.insert(text.detail);
        const fs::path open = m_shop.write(full);
        const std::string original = bytesOf(open / "rows.jsonl");
        std::size_t seen = 0;
        for (const QByteArray& line : QByteArray::fromStdString(original).split('\n')) {
            if (line.isEmpty())
                continue;
            const auto json = parseJson(line.toStdString(), "row");
            R_VERIFY(json);
            QVERIFY(!json->contains("redacted"));
            QVERIFY(rows.find((*json)["digest"].get<std::string>()) == std::string::npos);
            ++seen;
        }
        QVERIFY(seen > 60);
        const auto report = verifyPortfolio(open, *dataFolder());
        R_VERIFY(report);
        QVERIFY2(report->ok(), report->findings.empty() ? "" : toText(report->findings.front()).c_str());
        QCOMPARE(report->redactedRows, std::size_t{0});
    }

    void eachSwitchAddsWhatItSays()
    {
        PortfolioOptions options;
        options.author = "Mara Voronina";
        options.artifacts = {m_shop.store->artifacts()->front().artifactId};
        const std::map<Detail, const char*> proof = {
            {Detail::Name, "Mara Voronina"},    {Detail::Host, kHost},     {Detail::Devices, kSerial},
            {Detail::Processes, "secret-game"}, {Detail::Paths, "/home/"}, {Detail::Notes, "Remembered by"}};
        for (const auto& [detail, text] : proof) {
            options.shown = {detail};
            std::string everything;
            for (const auto& [name, bytes] : contentOf(m_shop.write(options)))
                everything += bytes;
            for (const auto& [other, found] : proof) {
                // A folder's name carries the account's, so the two come and go together.
                if (detail == Detail::Host && other == Detail::Paths)
                    continue;
                QVERIFY2((everything.find(found) != std::string::npos) == (other == detail),
                         (std::string(text) + " / " + found).c_str());
            }
        }
        const auto document = m_shop.document(options);
        R_VERIFY(document);
        for (const PrivacyItem& item : document->preview)
            QVERIFY2(item.count > 0, detailTexts()[static_cast<std::size_t>(item.detail)].key);
    }

    void notesGoAlongWhereTheyAreAskedFor()
    {
        const auto all = m_shop.store->notes("2.4");
        R_VERIFY(all);
        PortfolioOptions options;
        options.shown = {Detail::Notes};
        const auto document = m_shop.document(options);
        R_VERIFY(document);
        // With the first artifact of their lesson, once.
        QCOMPARE(document->artifacts.front().notes.size(), all->size());
        for (std::size_t i = 1; i < document->artifacts.size(); ++i)
            QVERIFY(document->artifacts[i].notes.empty());
        const fs::path folder = m_shop.write(options, true);
        const auto report = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(report);
        QVERIFY2(report->ok(), report->findings.empty() ? "" : toText(report->findings.front()).c_str());
        const auto manifest = parseJson(bytesOf(folder / "manifest.json"), "manifest.json");
        R_VERIFY(manifest);
        const Json& first = (*manifest)["artifacts"][0];
        QCOMPARE(first["notes"].size(), all->size());
        QVERIFY((*manifest)["artifacts"][1]["notes"].empty());
        const std::string page = bytesOf(folder / first["page"].get<std::string>());
        QVERIFY(page.find("Notes in the margin") != std::string::npos);
        QVERIFY(page.find("Remembered by [account] in [folder]") != std::string::npos); // other switches stay off
        QVERIFY(page.find("&lt;script&gt;alert(1)&lt;/script&gt;") != std::string::npos);
        for (const char* tag : {"<script", "<img", "<iframe", "href=\"javascript", "href=\"data"})
            QVERIFY2(page.find(tag) == std::string::npos, tag);
        QVERIFY(bytesOf(folder / "rows.jsonl").find("Remembered by") == std::string::npos);
        if (const QByteArray pdf = pdfText(folder); !pdf.isEmpty())
            QVERIFY(pdf.contains("Notes in the margin"));
        // Without the switch there is only the count.
        options.shown = {};
        const auto least = m_shop.document(options);
        R_VERIFY(least);
        QVERIFY(least->artifacts.front().notes.empty());
        const auto item = std::ranges::find(least->preview, Detail::Notes, &PrivacyItem::detail);
        QVERIFY(item != least->preview.end() && !item->shown && item->count == all->size());
    }

    void aPredictionComesBeforeItsRun()
    {
        std::map<std::string, std::int64_t> places;
        int checked = 0;
        for (const QByteArray& line : QByteArray::fromStdString(bytesOf(m_shop.write() / "rows.jsonl")).split('\n')) {
            if (line.isEmpty())
                continue;
            const auto json = parseJson(line.toStdString(), "row");
            R_VERIFY(json);
            places[(*json)["id"].get<std::string>()] = (*json)["seq"].get<std::int64_t>();
            if ((*json)["kind"] == "run") {
                QVERIFY(places.at((*json)["columns"]["prediction_id"].get<std::string>()) <
                        (*json)["seq"].get<std::int64_t>());
                ++checked;
            }
        }
        QVERIFY(checked > 40);
    }

    void numbersAndNameStandApart()
    {
        Shop shop;
        shop.artifact("Roofline report (sim:h100-sxm, SIMULATED)");
        shop.artifact("Sums (of floats)");
        const auto document = shop.document({});
        R_VERIFY(document);
        QCOMPARE(document->artifacts.size(), std::size_t{2});
        for (const ArtifactPart& part : document->artifacts) {
            const bool report = part.title.starts_with("Roofline");
            QCOMPARE(part.name, report ? std::string("Roofline report") : part.title);
            QCOMPARE(part.origin, report ? std::string("sim:h100-sxm, SIMULATED") : std::string());
            QCOMPARE(part.slug, std::string(report ? "roofline-report" : "sums-of-floats"));
        }
    }

    void theOrderIsTheAuthors()
    {
        const auto artifacts = m_shop.store->artifacts();
        R_VERIFY(artifacts);
        PortfolioOptions options;
        options.artifacts = {(*artifacts)[2].artifactId, (*artifacts)[0].artifactId};
        const auto document = m_shop.document(options);
        R_VERIFY(document);
        QCOMPARE(document->artifacts.size(), std::size_t{2});
        QCOMPARE(document->artifacts[0].title.substr(0, 7), std::string("Strided"));
        QCOMPARE(document->artifacts[1].title, std::string("Plain"));
        options.artifacts = {"no-such"};
        QCOMPARE(codeOf(m_shop.document(options)), QByteArray("unknown-artifact"));
    }

    void folderIsAllOrNothing()
    {
        const auto document = m_shop.document({});
        R_VERIFY(document);
        const fs::path full = m_shop.folder("full");
        fs::create_directories(full);
        writeBytes(full / "mine.txt", "keep");
        WriteOptions how;
        how.pdf = false;
        const auto refused = writePortfolio(*document, *dataFolder(), full, how);
        QCOMPARE(codeOf(refused), QByteArray("cannot-write"));
        QCOMPARE(contentOf(full).size(), std::size_t{1});
        // What a killed export left behind is in nobody's way.
        const fs::path target = m_shop.folder("again");
        fs::create_directories(m_shop.folder(".again.ridge-partial") / "old");
        R_VERIFY(writePortfolio(*document, *dataFolder(), target, how));
        QVERIFY(!fs::exists(m_shop.folder(".again.ridge-partial")));
        QVERIFY(!fs::exists(target / "old"));
        QCOMPARE(codeOf(writePortfolio(*document, *dataFolder(), "/proc/nowhere/x", how)), QByteArray("cannot-write"));
    }

    /// No run is behind a kernel that was graded: its page says so, and how to grade it again.
    void aGradedKernelCanBeGradedAgain()
    {
        Shop shop;
        record::ArtifactRow row;
        row.kind = "kernel";
        row.lesson = "kernel-dot";
        row.title = "Dot product";
        row.claim = "Accepted with 90 of 100 points on sim:l4";
        row.code = {{"my dot.cu", *shop.store->putFile("// code").result()}};
        row.fingerprint = Json{{record::kGradedOn, "sim:l4; rm -rf ~"}};
        row.figures = Json::array(
            {Json{{"name", "points"}, {"value", 90}, {"unit", "points"}, {"source", record::kGradingSource}}});
        row.charts = Json::array();
        R_VERIFY(shop.store->append(row).result());
        const auto document = shop.document({});
        R_VERIFY(document);
        const ArtifactPart& part = document->artifacts.front();
        QVERIFY(part.graded);
        QCOMPARE(part.commands, std::vector<std::string>{"ridge kernel grade " + part.code.front().name +
                                                         " --task dot --target 'sim:l4; rm -rf ~'"});
        QVERIFY(part.trust.why.find("typed") == std::string::npos);
        QVERIFY(part.trust.why.find("grade the kernel again") != std::string::npos);
        const fs::path folder = shop.write({});
        QVERIFY(fs::exists(folder / part.code.front().name));
        const std::string page = bytesOf(folder / "artifacts" / part.slug / "index.html");
        QVERIFY(page.find("made elsewhere") == std::string::npos && page.find("--task dot") != std::string::npos);
        const auto report = verifyPortfolio(folder, *dataFolder());
        R_VERIFY(report);
        QVERIFY2(report->ok(), report->findings.empty() ? "" : toText(report->findings.front()).c_str());

        // What somebody typed in is none of it, whatever it calls itself.
        row.figures->push_back(Json{{"name", "time"}, {"value", 1}, {"unit", "s"}, {"source", "by hand"}});
        QVERIFY(!record::isGradedKernel(row));
        QVERIFY(!record::gradeCommand(row));
    }

    void aRecordWithoutArtifactsSaysSo()
    {
        Shop empty;
        QCOMPARE(codeOf(empty.document({})), QByteArray("nothing-shipped"));
    }

    void thePdfHasTitleAuthorAndManifest()
    {
        PortfolioOptions options;
        options.title = "Sectors & <signs>";
        options.author = "Ada Example";
        options.shown = {Detail::Name};
        options.artifacts = {m_shop.store->artifacts()->front().artifactId};
        const fs::path folder = m_shop.write(options, true);
        const std::string pdf = bytesOf(folder / "portfolio.pdf");
        QVERIFY(pdf.starts_with("%PDF-"));
        const Ran info = runTool(QStringLiteral("pdfinfo"), {q(folder / "portfolio.pdf")});
        if (!info.there)
            QSKIP("pdfinfo (poppler-utils) is not installed");
        QVERIFY2(info.out.contains("Sectors & <signs>"), info.out.constData());
        const QByteArray text = pdfText(folder);
        QVERIFY(text.contains("Plain"));
        QVERIFY(text.contains("ridge run coalescing"));
        QVERIFY(text.contains("Sectors over stride")); // letters of a chart are letters
        const Ran meta = runTool(QStringLiteral("pdfinfo"), {QStringLiteral("-meta"), q(folder / "portfolio.pdf")});
        QVERIFY(meta.out.contains("Ada Example"));
        const fs::path out = folder.parent_path() / "attached.json";
        const Ran detach =
            runTool(QStringLiteral("pdfdetach"), {QStringLiteral("-save"), QStringLiteral("1"), QStringLiteral("-o"),
                                                  q(out), q(folder / "portfolio.pdf")});
        QCOMPARE(detach.exitCode, 0);
        QCOMPARE(bytesOf(out), bytesOf(folder / "manifest.json"));
    }

private:
    static constexpr const char* kSchemaFileName = "portfolio.schema.json";
};

FOLIO_TEST_MAIN(TestFolioExport)
#include "tst_folio_export.moc"
