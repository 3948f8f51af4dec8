// SPDX-License-Identifier: GPL-3.0-or-later
// A portfolio in other people's hands: sha256sum, strict parsers of HTML and JSON Schema, and a real browser that opens
// it from a file. What is not installed is skipped and named.
#include "folio_support.h"

#include <QImage>
#include <QRegularExpression>
#include <QStandardPaths>

using namespace ridge;
using namespace ridge::folio;
using namespace ridge::test;

namespace {

/// Chromium on one file, with a folder of its own and nothing to talk to.
Ran browse(const QString& profile, const QStringList& arguments, const fs::path& page)
{
    QString program = QStandardPaths::findExecutable(QStringLiteral("chromium"));
    if (program.isEmpty())
        program = QStandardPaths::findExecutable(QStringLiteral("google-chrome"));
    if (program.isEmpty())
        return {};
    return runTool(
        program,
        QStringList{QStringLiteral("--headless=new"), QStringLiteral("--no-sandbox"), QStringLiteral("--disable-gpu"),
                    QStringLiteral("--no-first-run"), QStringLiteral("--hide-scrollbars"),
                    QStringLiteral("--disable-extensions"), QStringLiteral("--disable-background-networking"),
                    QStringLiteral("--enable-logging=stderr"), QStringLiteral("--user-data-dir=") + profile} +
            arguments + QStringList{QStringLiteral("file://") + q(page)},
        {}, 120000);
}

std::vector<fs::path> pagesOf(const fs::path& folder)
{
    std::vector<fs::path> pages;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".html")
            pages.push_back(entry.path());
    return pages;
}

} // namespace

class TestFolioBrowser : public QObject {
    Q_OBJECT
    Shop m_shop;
    fs::path m_folder;
    QTemporaryDir m_profile;

private Q_SLOTS:
    void initTestCase()
    {
        m_shop.artifact("Plain");
        m_shop.artifact("Nasty " + nastyTexts()[2], nastyTexts()[0] + nastyTexts()[8]);
        PortfolioOptions options;
        options.title = "A portfolio & more";
        options.intro = "Three lines.\n\n- one\n- **two**";
        m_folder = m_shop.write(options, true);
    }

    void sha256sumIsContent()
    {
        const Ran ran =
            runTool(QStringLiteral("sha256sum"),
                    {QStringLiteral("-c"), QStringLiteral("--strict"), QStringLiteral("SHA256SUMS")}, q(m_folder));
        QVERIFY(ran.there);
        QVERIFY2(ran.exitCode == 0, (ran.out + ran.err).constData());
    }

    /// The lines that docs/portfolio.md gives to a stranger do what it says.
    void rowsAreCheckedWithoutUs()
    {
        const QString guide = QString::fromStdString(bytesOf(*dataFolder() / "docs/portfolio.md"));
        const QString code = guide.section(QStringLiteral("```python\n"), 1).section(QStringLiteral("```"), 0, 0);
        QVERIFY(code.contains(QStringLiteral("hashlib")));
        const Ran good = runTool(python(), {QStringLiteral("-c"), code}, q(m_folder));
        QVERIFY2(good.exitCode == 0, good.err.constData());
        QTemporaryDir other;
        std::string rows = bytesOf(m_folder / "rows.jsonl");
        rows.replace(rows.find("\"seq\":1"), 7, "\"seq\":7");
        writeBytes(pathOf(other) / "rows.jsonl", rows);
        QVERIFY(runTool(python(), {QStringLiteral("-c"), code}, other.path()).exitCode != 0);
    }

    void aStrictParserReadsEveryPage()
    {
        const QString script = QStringLiteral("import sys\n"
                                              "try:\n import html5lib\nexcept ImportError:\n sys.exit(77)\n"
                                              "for name in sys.argv[1:]:\n"
                                              " parser = html5lib.HTMLParser(strict=True)\n"
                                              " parser.parse(open(name, encoding='utf-8').read())\n");
        QStringList arguments{QStringLiteral("-c"), script};
        for (const fs::path& page : pagesOf(m_folder))
            arguments << q(page);
        const Ran ran = runTool(python(), arguments);
        if (!ran.there || ran.exitCode == 77)
            QSKIP("python3-html5lib is not installed");
        QVERIFY2(ran.exitCode == 0, ran.err.constData());
    }

    void tidyHasNothingToSay()
    {
        QStringList arguments{
            QStringLiteral("-errors"), QStringLiteral("-quiet"), QStringLiteral("--drop-empty-elements"),
            QStringLiteral("no"),      QStringLiteral("--mute"), QStringLiteral("TRIM_EMPTY_ELEMENT")};
        for (const fs::path& page : pagesOf(m_folder))
            arguments << q(page);
        const Ran ran = runTool(QStringLiteral("tidy"), arguments);
        if (!ran.there)
            QSKIP("tidy is not installed");
        QVERIFY2(ran.exitCode == 0, ran.err.constData());
    }

    void chartsAreXml()
    {
        QStringList arguments{QStringLiteral("-c"),
                              QStringLiteral("import sys, xml.dom.minidom as m\nfor n in sys.argv[1:]: m.parse(n)")};
        for (const auto& entry : fs::directory_iterator(m_folder / "charts"))
            arguments << q(entry.path());
        const Ran ran = runTool(python(), arguments);
        QVERIFY2(ran.exitCode == 0, ran.err.constData());
    }

    void anotherValidatorAgreesWithTheSchema()
    {
        const Ran ran =
            runTool(python(),
                    {QStringLiteral("-c"),
                     QStringLiteral("import json, sys\ntry:\n import jsonschema\nexcept ImportError:\n sys.exit(77)\n"
                                    "s = json.load(open('portfolio.schema.json'))\n"
                                    "jsonschema.Draft202012Validator.check_schema(s)\n"
                                    "jsonschema.Draft202012Validator(s).validate(json.load(open('manifest.json')))\n")},
                    q(m_folder));
        if (!ran.there || ran.exitCode == 77)
            QSKIP("python3-jsonschema is not installed");
        QVERIFY2(ran.exitCode == 0, ran.err.constData());
    }

    void headingsAreInOrder()
    {
        static const QRegularExpression heading(QStringLiteral("<h([1-6])[ >]"));
        for (const fs::path& page : pagesOf(m_folder)) {
            int before = 0, first = 0;
            auto all = heading.globalMatch(QString::fromStdString(bytesOf(page)));
            while (all.hasNext()) {
                const int level = all.next().captured(1).toInt();
                QVERIFY2(level <= before + 1, page.c_str());
                first += level == 1;
                before = level;
            }
            QCOMPARE(first, 1);
        }
    }

    void aBrowserOpensItFromTheFile()
    {
        const Ran ran = browse(m_profile.path(), {QStringLiteral("--dump-dom")}, m_folder / "index.html");
        if (!ran.there)
            QSKIP("chromium is not installed (apt-get install chromium)");
        QVERIFY2(ran.out.contains("A portfolio &amp; more"), ran.err.right(2000).constData());
        QVERIFY(ran.out.contains("<svg"));
        QVERIFY2(!ran.err.contains("CONSOLE"), ran.err.constData());
    }

    void lightDarkPhoneAndPaperHaveTheirPictures()
    {
        const struct {
            const char* name;
            QStringList arguments;
            bool dark;
        } views[] = {
            {"light", {QStringLiteral("--window-size=1280,800")}, false},
            {"dark",
             {QStringLiteral("--window-size=1280,800"), QStringLiteral("--blink-settings=preferredColorScheme=0")},
             true},
            {"phone", {QStringLiteral("--window-size=500,900")}, false}};
        for (const auto& view : views) {
            const fs::path shot = m_folder.parent_path() / (std::string(view.name) + ".png");
            const Ran ran =
                browse(m_profile.path(), view.arguments + QStringList{QStringLiteral("--screenshot=") + q(shot)},
                       m_folder / "index.html");
            if (!ran.there)
                QSKIP("chromium is not installed (apt-get install chromium)");
            const QImage image(q(shot));
            QVERIFY2(!image.isNull(), ran.err.right(2000).constData());
            const int corner = qGray(image.pixel(4, image.height() / 2));
            QVERIFY2(view.dark ? corner < 60 : corner > 200, view.name);
            // Something is drawn there: a page has more than a background.
            QSet<QRgb> colours;
            for (int x = 0; x < image.width(); x += 3)
                for (int y = 0; y < image.height(); y += 3)
                    colours.insert(image.pixel(x, y));
            QVERIFY2(colours.size() > 20, view.name);
        }
        const fs::path paper = m_folder.parent_path() / "paper.pdf";
        const Ran printed = browse(
            m_profile.path(), {QStringLiteral("--no-pdf-header-footer"), QStringLiteral("--print-to-pdf=") + q(paper)},
            m_folder / "index.html");
        QVERIFY2(bytesOf(paper).starts_with("%PDF-"), printed.err.right(2000).constData());
    }
};

FOLIO_TEST_MAIN(TestFolioBrowser)
#include "tst_folio_browser.moc"
