// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/csv.h"

#include <QtTest>

using namespace ridge;

class TestCsv : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsQuotesLinesAndMarks()
    {
        const auto rows = parseCsv("\xEF\xBB\xBFname,\"two\r\nlines\"\r\n\r\n\"a \"\"b\"\"\",\nlast", "x.csv");
        QVERIFY(rows.ok());
        QCOMPARE(rows->size(), std::size_t(3));
        QCOMPARE((*rows)[0].cells, (std::vector<std::string>{"name", "two\r\nlines"}));
        QCOMPARE((*rows)[1].cells, (std::vector<std::string>{"a \"b\"", ""}));
        QCOMPARE((*rows)[1].line, 4); // the quoted line end and the empty line count
        QCOMPARE((*rows)[2].cells, (std::vector<std::string>{"last"}));
    }

    void namesTheLineOfAFault()
    {
        const auto open = parseCsv("a,b\n1,\"never\nclosed", "marks.csv");
        QVERIFY(!open.ok());
        QCOMPARE(open.error().place, std::string("marks.csv:2"));
        const auto behind = parseCsv("a,b\n\"1\"2,3\n", "marks.csv");
        QVERIFY(!behind.ok());
        QCOMPARE(behind.error().place, std::string("marks.csv:2"));
    }

    void findsTheSeparator()
    {
        QCOMPARE(csvSeparator("name;mark\n1,5;2"), ';');
        QCOMPARE(csvSeparator("\"a;b\",c"), ',');
        QCOMPARE(csvSeparator("a\tb\tc,d"), '\t');
        QCOMPARE(csvSeparator("alone"), ',');
    }

    void writesWhatItReads()
    {
        const std::vector<std::string> cells = {"plain", "a,b", "say \"x\"", "two\nlines", ""};
        for (const char separator : {',', ';'}) {
            const auto rows = parseCsv(csvLine(cells, separator), "x.csv", separator);
            QVERIFY(rows.ok());
            QCOMPARE(rows->front().cells, cells);
        }
    }

    void neutralisesFormulas()
    {
        QCOMPARE(csvText("=HYPERLINK(\"x\")"), std::string("'=HYPERLINK(\"x\")"));
        QCOMPARE(csvText("-2+3"), std::string("'-2+3"));
        QCOMPARE(csvText("Ada"), std::string("Ada"));
        QCOMPARE(csvText(""), std::string());
    }
};

QTEST_APPLESS_MAIN(TestCsv)
#include "tst_csv.moc"
