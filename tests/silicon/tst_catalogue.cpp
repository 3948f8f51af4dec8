// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "silicon/chip_catalogue.h"
#include "silicon/roofline.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::silicon;

class TestCatalogue : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void shippedTableHasTheChipsThatLessonsName();
    void everyNvidiaChipFromSevenOnCanBeSimulated();
    void ridgePointsAreThePublishedOnes_data();
    void ridgePointsAreThePublishedOnes();
    void peakFormulaReproducesTheTable();
    void geForceHalvesWithFp32Accumulation();
    void rooflineBendsAtTheRidge();
    void unsupportedFormatsAndUnknownFiguresAreTold();
    void everyFigureNamesAListedSource();
    void driverNames();
    void unknownIdGivesNearNames();
    void linksSayTheirDirection();
    void brokenTables_data();
    void brokenTables();
    void notJson();

private:
    Json root() const { return m_json; }
    Catalogue m_catalogue;
    Json m_json;
};

void TestCatalogue::initTestCase()
{
    const Result<Catalogue> shipped = shippedCatalogue();
    QVERIFY2(shipped.ok(), shipped.ok() ? "" : toText(shipped.error()).c_str());
    m_catalogue = *shipped;
    const std::string file = std::string(qgetenv("RIDGE_SOURCE").constData()) + "/assets/chips/gpus.json";
    m_json = *parseJson(*readFile(file), file);
}

void TestCatalogue::shippedTableHasTheChipsThatLessonsName()
{
    QCOMPARE(m_catalogue.chips().size(), std::size_t(48));
    for (const char* id : {"t4", "h100-sxm", "h200-sxm", "rtx4060-laptop", "v100-sxm2-32", "orin-nano-8", "mi300x"})
        QVERIFY2(m_catalogue.find(id).ok(), id);
    const Chip h100 = *m_catalogue.find("h100-sxm");
    QCOMPARE(*h100.units.value, 132u);
    QCOMPARE(*h100.memoryBytesPerSecond.value, 3350e9);
    QCOMPARE(*h100.boostClockHz.value, 1980e6);
    QCOMPARE(*h100.l2Bytes.value, 50.0 * 1024 * 1024);
    QVERIFY(h100.peakFlopsPerSecond.at(Precision::Bf16).confidence == Confidence::Published);
}

void TestCatalogue::everyNvidiaChipFromSevenOnCanBeSimulated()
{
    const std::vector<std::string> ids = m_catalogue.simulatedIds();
    std::size_t nvidia = 0;
    for (const Chip& chip : m_catalogue.chips()) {
        nvidia += chip.vendor == "NVIDIA" ? 1 : 0;
        if (!chip.canSimulate())
            continue;
        const Result<ChipLimits> limits = m_catalogue.limits(chip.computeMajor, chip.computeMinor);
        QVERIFY2(limits.ok(), chip.id.c_str());
        QVERIFY(limits->maxWarpsPerSm >= 32);
    }
    QCOMPARE(ids.size(), nvidia);
    QVERIFY(std::find(ids.begin(), ids.end(), "mi300x") == ids.end());
    QVERIFY(!m_catalogue.limits(6, 1).ok());
    QVERIFY(m_catalogue.limitSource(9, 0, "max_warps_per_sm")->confidence == Confidence::Verified);
}

void TestCatalogue::ridgePointsAreThePublishedOnes_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<double>("published");
    // Dense 16-bit peak over memory bandwidth as widely printed. Those prints round the bandwidth (A100: 2.0 TB/s for
    // 2.039) and B200's takes the raw 8.0 TB/s where the table keeps the 7.7 of a board; hence 2.5 and 4.5 %.
    QTest::newRow("H100") << "h100-sxm" << 295.0;
    QTest::newRow("H200") << "h200-sxm" << 206.0;
    QTest::newRow("A100") << "a100-sxm-80" << 156.0;
    QTest::newRow("L40S") << "l40s" << 421.0;
    QTest::newRow("MI300X") << "mi300x" << 245.0;
    QTest::newRow("B200") << "b200" << 281.0;
}

void TestCatalogue::ridgePointsAreThePublishedOnes()
{
    QFETCH(QString, id);
    QFETCH(double, published);
    const Result<Roofline> line = roofline(m_catalogue, *m_catalogue.find(id.toStdString()), Precision::Bf16);
    QVERIFY(line.ok());
    const double tolerance = id == QLatin1String("b200") ? 0.045 : 0.025;
    QVERIFY2(std::abs(line->ridge() / published - 1) < tolerance, qPrintable(QString::number(line->ridge())));
}

void TestCatalogue::peakFormulaReproducesTheTable()
{
    int compared = 0;
    for (const Chip& chip : m_catalogue.chips()) {
        for (const auto& [precision, peak] : chip.peakFlopsPerSecond) {
            const Sourced<double>& clock = precision == Precision::Fp32 ? chip.boostClockHz : chip.tensorClockHz;
            const std::optional<double> rate = m_catalogue.flopPerClock(chip, precision);
            if (!peak.known() || !clock.known() || !rate)
                continue;
            const double formula = peakFlops(*chip.units.value, *clock.value, *rate);
            const std::string where = chip.id + " " + std::string(toText(precision)) + " " + std::to_string(formula);
            // The one published figure that departs further: 80 against 78.1 TFLOP/s.
            const bool departs = chip.id == "gb200" && precision == Precision::Fp32;
            QVERIFY2(std::abs(formula / *peak.value - 1) < (departs ? 0.025 : 0.02), where.c_str());
            ++compared;
        }
    }
    QVERIFY2(compared > 250, qPrintable(QString::number(compared)));
}

void TestCatalogue::geForceHalvesWithFp32Accumulation()
{
    const Chip geforce = *m_catalogue.find("rtx4090");
    const Chip datacentre = *m_catalogue.find("l40s");
    QCOMPARE(*m_catalogue.flopPerClock(geforce, Precision::Fp16), 512.0);
    QCOMPARE(*m_catalogue.flopPerClock(geforce, Precision::Fp16Fp16Acc), 1024.0);
    QCOMPARE(*m_catalogue.flopPerClock(datacentre, Precision::Fp16), 1024.0);
    QCOMPARE(*m_catalogue.flopPerClock(geforce, Precision::Int8), 2048.0);
}

void TestCatalogue::rooflineBendsAtTheRidge()
{
    QCOMPARE(ridgePoint(312e12, 2.0e12), 156.0);
    QVERIFY(std::isinf(ridgePoint(1e12, 0)));
    QCOMPARE(rooflineBound(10, 1000e12, 4e12), 40e12);
    QCOMPARE(rooflineBound(250, 1000e12, 4e12), 1000e12);
    QCOMPARE(rooflineBound(1e6, 1000e12, 4e12), 1000e12);
    QCOMPARE(rooflineBound(-1, 1000e12, 4e12), 0.0);
}

void TestCatalogue::unsupportedFormatsAndUnknownFiguresAreTold()
{
    const Result<Roofline> turing = roofline(m_catalogue, *m_catalogue.find("t4"), Precision::Bf16);
    QVERIFY(!turing.ok());
    QCOMPARE(turing.error().code, std::string("no-peak"));
    const Result<Roofline> thor = roofline(m_catalogue, *m_catalogue.find("thor-t5000"), Precision::Fp32);
    QVERIFY(!thor.ok());
    // No published tensor peak, but units, clock and rate are known: the formula answers and says so.
    const Result<Roofline> nvl = roofline(m_catalogue, *m_catalogue.find("h100-nvl"), Precision::Bf16);
    QVERIFY(nvl.ok());
    QVERIFY(nvl->derived);
    QVERIFY(!roofline(m_catalogue, *m_catalogue.find("h100-sxm"), Precision::Bf16)->derived);
}

void TestCatalogue::everyFigureNamesAListedSource()
{
    for (const Chip& chip : m_catalogue.chips())
        for (const auto& [precision, peak] : chip.peakFlopsPerSecond) {
            QCOMPARE(peak.known(), !peak.sources.empty());
            for (const std::string& source : peak.sources)
                QVERIFY2(m_catalogue.sources().contains(source), source.c_str());
        }
    QVERIFY(m_catalogue.find("h200-sxm")->l2Bytes.confidence == Confidence::Uncertain);
    QVERIFY(!m_catalogue.find("h200-sxm")->l2Bytes.note.empty());
}

void TestCatalogue::driverNames()
{
    QVERIFY(m_catalogue.findByDriverName("NVIDIA H200") != nullptr);
    QCOMPARE(m_catalogue.findByDriverName("NVIDIA H200")->id, std::string("h200-sxm"));
    QCOMPARE(m_catalogue.findByDriverName("GeForce RTX 4060 Laptop GPU")->id, std::string("rtx4060-laptop"));
    QCOMPARE(m_catalogue.findByDriverName("NVIDIA H200 NVL")->id, std::string("h200-nvl"));
    QVERIFY(m_catalogue.findByDriverName("NVIDIA GeForce GTX 1080") == nullptr);
    QVERIFY(m_catalogue.findByDriverName("") == nullptr);
}

void TestCatalogue::unknownIdGivesNearNames()
{
    const Result<Chip> chip = m_catalogue.find("h100-sxn");
    QVERIFY(!chip.ok());
    QCOMPARE(chip.error().code, std::string("unknown-chip"));
    QVERIFY2(chip.error().fix.find("h100-sxm") != std::string::npos, chip.error().fix.c_str());
}

void TestCatalogue::linksSayTheirDirection()
{
    const Chip h100 = *m_catalogue.find("h100-sxm");
    QVERIFY(h100.pcie && !h100.pcie->bothWays);
    QCOMPARE(*h100.pcie->bytesPerSecond.value, 63e9);
    QVERIFY(h100.gpuLink && h100.gpuLink->bothWays);
    QCOMPARE(*h100.gpuLink->bytesPerSecond.value, 900e9);
}

void TestCatalogue::brokenTables_data()
{
    QTest::addColumn<QString>("pointer"); // what to replace
    QTest::addColumn<QString>("value");   // JSON; empty: remove it
    QTest::addColumn<QString>("place");   // what the error must name
    QTest::newRow("no schema") << "/schema"
                               << ""
                               << "schema";
    QTest::newRow("other schema") << "/schema"
                                  << "\"ridge-chips/9\""
                                  << "schema";
    QTest::newRow("no chips") << "/chips"
                              << "[]"
                              << "chips";
    QTest::newRow("no id") << "/chips/0/id"
                           << ""
                           << "chips[0].id";
    QTest::newRow("id twice") << "/chips/1/id"
                              << "\"t4\""
                              << "t4";
    QTest::newRow("minus units") << "/chips/0/units/value"
                                 << "-40"
                                 << "t4.units";
    QTest::newRow("half a unit") << "/chips/0/units/value"
                                 << "40.5"
                                 << "t4.units";
    QTest::newRow("units as text") << "/chips/0/units/value"
                                   << "\"forty\""
                                   << "t4.units";
    QTest::newRow("units unknown") << "/chips/0/units"
                                   << R"({"value":null,"source":[],"confidence":"unknown"})"
                                   << "t4.units";
    QTest::newRow("clock in GHz") << "/chips/0/boost_clock_mhz/value"
                                  << "1.59"
                                  << "t4.boost_clock_mhz";
    QTest::newRow("bandwidth in bytes") << "/chips/0/memory_bandwidth/value"
                                        << "320000000000"
                                        << "t4.memory_bandwidth";
    QTest::newRow("bandwidth one way") << "/chips/0/memory_bandwidth/direction"
                                       << "\"one-way\""
                                       << "t4.memory_bandwidth";
    QTest::newRow("a bus of half the pins") << "/chips/0/memory_bus_bits/value"
                                            << "64"
                                            << "t4.memory_bus_bits";
    QTest::newRow("sparse peak") << "/chips/0/peaks/fp16/sparsity"
                                 << "\"2:4\""
                                 << "t4.peaks.fp16";
    QTest::newRow("format unknown") << "/chips/0/peaks/fp17"
                                    << R"({"value":1,"source":["tpu"]})"
                                    << "t4.peaks.fp17";
    QTest::newRow("source unknown") << "/chips/0/l2_mb/source"
                                    << R"(["a friend"])"
                                    << "t4.l2_mb";
    QTest::newRow("no source") << "/chips/0/l2_mb/source"
                               << "[]"
                               << "t4.l2_mb";
    QTest::newRow("confidence unknown") << "/chips/0/l2_mb/confidence"
                                        << "\"sure\""
                                        << "t4.l2_mb";
    QTest::newRow("value without confidence") << "/chips/0/l2_mb/confidence"
                                              << "\"unknown\""
                                              << "t4.l2_mb";
    QTest::newRow("capability") << "/chips/0/compute_capability"
                                << "\"seven\""
                                << "t4.compute_capability";
    QTest::newRow("capability without limits") << "/chips/0/compute_capability"
                                               << "\"7.9\""
                                               << "t4.compute_capability";
    QTest::newRow("year") << "/chips/0/launch_year"
                          << "218"
                          << "t4.launch_year";
    QTest::newRow("flag") << "/chips/0/geforce_half_rate_fp32acc"
                          << "1"
                          << "t4.geforce_half_rate_fp32acc";
    QTest::newRow("link direction") << "/chips/1/gpu_link/direction"
                                    << "\"one-way\""
                                    << "v100-sxm2-32.gpu_link";
    QTest::newRow("limit missing") << "/sm_limits/9.0/max_warps_per_sm"
                                   << ""
                                   << "sm_limits.9.0.max_warps_per_sm";
    QTest::newRow("limits disagree") << "/sm_limits/9.0/max_threads_per_sm/value"
                                     << "1024"
                                     << "sm_limits.9.0.max_threads_per_sm";
    QTest::newRow("block over SM") << "/sm_limits/9.0/shared_bytes_per_block_optin/value"
                                   << "233472"
                                   << "sm_limits.9.0.shared_bytes_per_block_optin";
    QTest::newRow("carveouts") << "/sm_limits/9.0/shared_carveouts_kb/value"
                               << "[0, 64, 32]"
                               << "sm_limits.9.0.shared_carveouts_kb";
    QTest::newRow("chip is no object") << "/chips/3"
                                       << "7"
                                       << "chips";
    QTest::newRow("rate") << "/flop_per_clk/table/9.0/fp16"
                          << "0"
                          << "flop_per_clk.9.0.fp16";
}

void TestCatalogue::brokenTables()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, place);
    Json table = root();
    const Json::json_pointer at(pointer.toStdString());
    if (value.isEmpty())
        table.at(at.parent_pointer()).erase(at.back());
    else
        table[at] = Json::parse(value.toStdString());
    const Result<Catalogue> read = parseCatalogue(table.dump(), "gpus.json");
    QVERIFY(!read.ok());
    QCOMPARE(read.error().code, std::string("bad-chip-table"));
    QCOMPARE(read.error().place, "gpus.json: " + place.toStdString());
    QVERIFY(!read.error().fix.empty());
    QVERIFY(!read.error().message.empty());
}

void TestCatalogue::notJson()
{
    QVERIFY(!parseCatalogue("", "gpus.json").ok());
    QVERIFY(!parseCatalogue("{\"schema\": ", "gpus.json").ok());
    QVERIFY(!parseCatalogue("[]", "gpus.json").ok());
    QVERIFY(!parseCatalogue("{\"schema\": 4}", "gpus.json").ok());
    const Result<Catalogue> absent = loadCatalogue("/nowhere/gpus.json");
    QVERIFY(!absent.ok());
    QCOMPARE(absent.error().code, std::string("cannot-read"));
}

QTEST_APPLESS_MAIN(TestCatalogue)
#include "tst_catalogue.moc"
