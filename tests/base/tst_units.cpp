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
                                    << "8 MiB";
        QTest::newRow("bytes of a cache") << 62914560.0 << "B"
                                          << "60 MiB";
        QTest::newRow("bytes of a block") << 232448.0 << "B"
                                          << "227 KiB";
        QTest::newRow("bytes and a half") << 1572864.0 << "B"
                                          << "1.5 MiB";
        QTest::newRow("bytes by the sheet") << 80e9 << "B"
                                            << "80 GB";
        QTest::newRow("bytes, no round number") << 33554448.0 << "B"
                                                << "33.6 MB";
        QTest::newRow("bytes, a little over") << 10260.0 << "B"
                                              << "10.3 kB";
        QTest::newRow("gigabytes are decimal") << 67.108864 << "GB"
                                               << "67.1 GB";
        QTest::newRow("microseconds") << 3.2e-5 << "s"
                                      << "32 µs";
        QTest::newRow("nanoseconds") << 1e-7 << "s"
                                     << "100 ns";
        QTest::newRow("below nanoseconds") << 2.5e-10 << "s"
                                           << "0.25 ns";
        QTest::newRow("operations") << 2.5e12 << "FLOP"
                                    << "2.5 TFLOP";
        QTest::newRow("time") << 0.0015 << "s"
                              << "1.5 ms";
        QTest::newRow("minutes") << 90.0 << "s"
                                 << "90 s";
        QTest::newRow("percent") << 12.5 << "%"
                                 << "12.5 %";
        QTest::newRow("one way") << 1.0 << "ways"
                                 << "1 way";
        QTest::newRow("one of a rate") << 1.0 << "sectors/request"
                                       << "1 sector/request";
        QTest::newRow("one copy") << 1.0 << "copies"
                                  << "1 copy";
        QTest::newRow("one launch") << 1.0 << "launches"
                                    << "1 launch";
        QTest::newRow("one SM") << 1.0 << "SMs"
                                << "1 SM";
        QTest::newRow("about one") << 1.01 << "cycles"
                                   << "1.01 cycles";
        QTest::newRow("no plural") << 1.0 << "FLOP/B"
                                   << "1 FLOP/B";
        QTest::newRow("ratio") << 2.6 << "×"
                               << "2.6×";
        QTest::newRow("ratio by the letter") << 2.6 << "x"
                                             << "2.6×";
        QTest::newRow("bare") << 3.0 << "1"
                              << "3";
        QTest::newRow("whole version") << 12.0 << "version"
                                       << "12.0";
        QTest::newRow("version") << 8.9 << "version"
                                 << "8.9";
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
        QTest::newRow("one") << "1 way"
                             << "ways" << 1.0;
        QTest::newRow("one of a rate") << "1 sector"
                                       << "sectors/request" << 1.0;
        for (const char* text :
             {"32 us", "32us", "32 µs", "32 μs", "0.032 ms", "3.2e-5", "3.2e-05 s", "32000 ns", "32 u"})
            QTest::newRow(text) << text << "s" << 32e-6;
        QTest::newRow("kibibytes") << "4 KiB"
                                   << "B" << 4096.0;
        QTest::newRow("mebibytes") << "1.5MiB"
                                   << "bytes" << 1572864.0;
        QTest::newRow("megabytes") << "50 MB"
                                   << "B" << 50e6;
        QTest::newRow("capital kilo") << "64 KB"
                                      << "B" << 64000.0;
        QTest::newRow("binary into decimal") << "64 GiB"
                                             << "GB" << 68.719476736;
        QTest::newRow("operations") << "2 TFLOP"
                                    << "FLOP" << 2e12;
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
        QTest::newRow("a factor of what is none") << "x3";
    }
    void refuses()
    {
        QFETCH(QString, text);
        QVERIFY(!parseQuantity(text.toStdString(), "GB/s"));
    }

    void refusesOfTime_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"32 B", "32 KiB", "32 Kis", "32 us s", "32 mus", "0,032 ms", "us", "32 µ s", "3.2e", "32 Us"})
            QTest::newRow(text) << text;
    }
    void refusesOfTime()
    {
        QFETCH(QString, text);
        const auto read = parseQuantity(text.toStdString(), "s");
        QVERIFY2(!read, qPrintable(QString::number(read ? *read : 0)));
        QCOMPARE(read.error().code, std::string("bad-quantity"));
        QVERIFY(!read.error().fix.empty());
    }

    void writtenIsReadAgain()
    {
        for (const char* unit : {"s", "B", "B/s", "FLOP/s", "GB/s", "sectors/request", "x"})
            for (const double value : {1e-9, 3.2e-5, 0.25, 1.0, 128.0, 65536.0, 62914560.0, 3.35e12}) {
                const std::string shown = formatQuantity(value, unit);
                const auto read = parseQuantity(shown, unit);
                QVERIFY2(read.ok(), shown.c_str());
                QVERIFY2(std::abs(*read / value - 1) < 0.006, shown.c_str()); // three digits
            }
    }

    void unitsWithPrefixes()
    {
        for (const char* unit : {"s", "B", "bytes", "B/s", "FLOP", "FLOP/s", "Hz"})
            QVERIFY2(takesPrefix(unit), unit);
        for (const char* unit : {"ms", "GB/s", "GB", "ns", "x", "1", "", "%", "sectors/request", "cycles"})
            QVERIFY2(!takesPrefix(unit), unit);
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
