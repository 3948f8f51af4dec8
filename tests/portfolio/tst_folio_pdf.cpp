// SPDX-License-Identifier: GPL-3.0-or-later
// Long tables on paper: every row is there, and the time for them grows with their number.
#include "folio_support.h"

#include "portfolio/pdf_rows.h"
#include "portfolio/pdf_text.h"

#include <QBuffer>
#include <QPdfWriter>
#include <QTextDocument>

using namespace ridge;
using namespace ridge::folio;
using namespace ridge::test;

namespace {

/// An artifact with so many figures of a file that was made elsewhere.
std::string imported(Shop& shop, int figures)
{
    record::ArtifactRow row;
    row.kind = "benchmark";
    row.title = "Read from a file";
    row.claim = "It has " + std::to_string(figures) + " figures";
    row.fingerprint = Json::object();
    row.charts = Json::array();
    row.figures = Json::array();
    for (int i = 0; i < figures; ++i)
        row.figures->push_back(Json{{"name", "figure " + std::to_string(i)},
                                    {"value", 1 + i},
                                    {"unit", "tokens"},
                                    {"source", "b.json"},
                                    {"line", i}});
    return shop.put(std::move(row));
}

/// The device of a portfolio's pages.
struct Paper {
    Paper()
    {
        buffer.open(QIODevice::WriteOnly);
        writer.setResolution(600);
        writer.setPageSize(QPageSize(QPageSize::A4));
    }
    QByteArray bytes;
    QBuffer buffer{&bytes};
    QPdfWriter writer{&buffer};
};

RowTable table(int rows)
{
    RowTable table;
    table.head = {QStringLiteral("Figure"), QStringLiteral("Value")};
    for (int i = 0; i < rows; ++i)
        table.rows.push_back({QStringLiteral("figure %1").arg(i), QString::number(i)});
    table.font.setPointSizeF(8.5);
    table.headFont = table.font;
    table.width = 4000;
    table.padding = 18;
    return table;
}

} // namespace

class TestFolioPdf : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Each change that a document tells of is a pass of its layout over what follows. There are a few at the
    /// beginning, when nothing is in it, and one for everything that is put in.
    void aDocumentIsLaidOutOnce()
    {
        int last = 0;
        for (const int figures : {60, 180}) {
            Shop shop;
            shop.artifact("Plain");
            imported(shop, figures);
            const auto document = shop.document();
            R_VERIFY(document);
            Paper paper;
            QTextDocument text;
            text.setPageSize(QSizeF(paper.writer.width(), paper.writer.height()));
            int changes = 0, filled = 0;
            connect(&text, &QTextDocument::contentsChange, this, [&](int, int, int added) {
                ++changes;
                filled += added > 100;
            });
            const auto style = loadStyle(*dataFolder());
            R_VERIFY(style);
            fillDocument(text, *document, *style, paper.writer, 6.25);
            QCOMPARE(filled, 1);
            QVERIFY2(changes <= 3, QByteArray::number(changes).constData());
            QVERIFY(last == 0 || changes == last);
            last = changes;
            QVERIFY(text.toPlainText().contains(QStringLiteral("figure %1").arg(figures - 1)));
            QVERIFY(text.pageCount() > 1);
        }
    }

    void aLongTableHasEveryRow()
    {
        Shop shop;
        constexpr int kRows = 20000;
        imported(shop, kRows);
        const fs::path folder = shop.write({}, true);
        const QByteArray pdf = QByteArray::fromStdString(bytesOf(folder / "portfolio.pdf"));
        const auto pages = pdf.count("/Type /Page\n");
        QVERIFY2(pages > 300 && pages < 700, QByteArray::number(pages).constData());
        const Ran ran = runTool(QStringLiteral("pdftotext"),
                                {QStringLiteral("-layout"), q(folder / "portfolio.pdf"), QStringLiteral("-")});
        if (!ran.there)
            QSKIP("pdftotext (poppler-utils) is not installed");
        int next = 0;
        qsizetype heads = 0;
        for (const QByteArray& line : ran.out.split('\n')) {
            const QList<QByteArray> words = line.simplified().split(' ');
            heads += words.first() == "Figure" && line.contains("Read from");
            if (words.first() != "figure" || words.size() < 4)
                continue;
            QCOMPARE(words[1].toInt(), next);
            QCOMPARE(words.last().toInt(), next); // its line in the file
            ++next;
        }
        QCOMPARE(next, kRows);
        QVERIFY2(heads > pages - 5 && heads <= pages, "a page of rows without a head, or with two");
    }

    /// From the first page to the last, never backwards.
    void itSaysHowFarItIs()
    {
        Shop shop;
        shop.artifact("Plain");
        imported(shop, 1000);
        const auto document = shop.document();
        R_VERIFY(document);
        std::vector<double> shares;
        std::set<std::string> parts;
        WriteOptions how;
        how.progress = [&](double share, const char* what) {
            shares.push_back(share);
            parts.insert(what);
        };
        R_VERIFY(writePortfolio(*document, *dataFolder(), shop.folder("told"), how));
        QVERIFY(shares.size() > 20 && shares.front() == 0 && shares.back() < 1);
        QVERIFY(std::is_sorted(shares.begin(), shares.end()));
        QCOMPARE(parts.size(), std::size_t{3});
    }

    void bandsHoldEveryRowOnce()
    {
        Paper paper;
        RowTable many = table(1000);
        const auto bands = layOut(many, paper.writer, 5000);
        QVERIFY(bands && bands->size() > 10);
        std::size_t next = 0;
        for (const RowBand& band : *bands) {
            QCOMPARE(band.first, next);
            QVERIFY(band.last > band.first && band.height <= 5000);
            next = band.last;
        }
        QCOMPARE(next, many.rows.size());
        QCOMPARE(many.columns.size(), std::size_t{2});
        QVERIFY(std::abs(many.columns[0] + many.columns[1] - many.width) < 1);
    }

    void aLongTextIsWrappedAndAnEndlessOneIsNotDrawn()
    {
        Paper paper;
        RowTable wide = table(3);
        wide.rows[1][0] = QString(400, QLatin1Char('w'));
        QVERIFY(layOut(wide, paper.writer, 5000));
        QVERIFY(wide.heights[1] > 2 * wide.heights[0]);
        QCOMPARE(wide.heights[0], wide.heights[2]);
        wide.rows[1][0] = QString(40000, QLatin1Char('w'));
        QVERIFY(!layOut(wide, paper.writer, 5000));
    }
};

FOLIO_TEST_MAIN(TestFolioPdf)
#include "tst_folio_pdf.moc"
