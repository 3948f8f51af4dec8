// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/provenance.h"
#include "base/units.h"

#include <QtTest>

using namespace ridge;

class TestUnits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void formats_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("text");
        QTest::newRow("bandwidth") << 3350.0 << "GB/s"
                                   << "3.35 TB/s";
        QTest::newRow("small bandwidth") << 11.2 << "GB/s"
                                         << "11.2 GB/s";
        QTest::newRow("count") << 32.0 << "sectors/request"
                               << "32 sectors/request";
        QTest::newRow("bytes") << 4096.0 << "bytes"
                               << "4096 B";
        QTest::newRow("many bytes") << 8388608.0 << "bytes"
                                    << "8.39 MB";
        QTest::newRow("time") << 0.0015 << "s"
                              << "1.5 ms";
        QTest::newRow("minutes") << 90.0 << "s"
                                 << "90 s";
        QTest::newRow("percent") << 12.5 << "%"
                                 << "12.5%";
        QTest::newRow("ratio") << 2.6 << "×"
                               << "2.6×";
        QTest::newRow("bare") << 3.0 << "1"
                              << "3";
        QTest::newRow("zero") << 0.0 << "s"
                              << "0 s";
        QTest::newRow("negative zero") << -0.0 << "1"
                                       << "0";
    }
    void formats()
    {
        QFETCH(double, value);
        QFETCH(QString, unit);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(formatQuantity(value, unit.toStdString())), text);
    }

    void parses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<double>("value");
        QTest::newRow("bare") << "12"
                              << "GB/s" << 12.0;
        QTest::newRow("unit") << "12 GB/s"
                              << "GB/s" << 12.0;
        QTest::newRow("prefix") << "1.2TB/s"
                                << "GB/s" << 1200.0;
        QTest::newRow("exponent") << "1.2e4"
                                  << "GB/s" << 12000.0;
        QTest::newRow("kilo") << "12k"
                              << "1" << 12000.0;
        QTest::newRow("factor") << "x3.5"
                                << "×" << 3.5;
        QTest::newRow("milliseconds") << "250 µs"
                                      << "ms" << 0.25;
        QTest::newRow("count") << "12 sectors"
                               << "sectors/request" << 12.0;
        QTest::newRow("spaces") << "  7 "
                                << "ways" << 7.0;
    }
    void parses()
    {
        QFETCH(QString, text);
        QFETCH(QString, unit);
        QFETCH(double, value);
        const auto read = parseQuantity(text.toStdString(), unit.toStdString());
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        QCOMPARE(*read, value);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("empty") << "";
        QTest::newRow("words") << "a lot";
        QTest::newRow("other unit") << "12 ms";
        QTest::newRow("two numbers") << "12 13";
        QTest::newRow("huge") << "1e999";
        QTest::newRow("dots") << "1.2.3";
    }
    void refuses()
    {
        QFETCH(QString, text);
        QVERIFY(!parseQuantity(text.toStdString(), "GB/s"));
    }

    void provenanceHasOneNameEach()
    {
        for (Provenance p : {Provenance::Measured, Provenance::Simulated, Provenance::Modelled, Provenance::Recorded})
            QVERIFY(provenanceFromText(toText(p)) == p);
        QVERIFY(!provenanceFromText("measured"));
    }
};

QTEST_APPLESS_MAIN(TestUnits)
#include "tst_units.moc"
