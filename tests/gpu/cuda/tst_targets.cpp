// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"

#include "gpu/device.h"
#include "gpu/targets/target_list.h"
#include "silicon/chip_catalogue.h"

#include <set>

using namespace ridge;
using namespace ridge::gpu;

class TestTargets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { qputenv("RIDGE_LIBCUDA", "/nowhere/libcuda.so.1"); }
    void cleanup();
    void listIsCompleteAndUnique();
    void gpuRowsComeFirst();
    void simulatedDeviceIsTheChip();
    void everySimulatedTargetOpens();
    void fiveChipsGiveCountsOnly();
    void derivedClocksSaySo();
    void unknownTargets_data();
    void unknownTargets();
    void chipsThatCannotBeSimulated();
    void unavailableGpuSaysWhy();
    void fakeGpuOpens();
    void withoutTheChipTable();
};

void TestTargets::cleanup()
{
    for (const char* name : {"RIDGE_LIBCUDA", "RIDGE_LIBNVML", "RIDGE_FAKE_CUDA", "RIDGE_FAKE_NVML"})
        qunsetenv(name);
    qputenv("RIDGE_DATA", qgetenv("RIDGE_SOURCE"));
}

void TestTargets::listIsCompleteAndUnique()
{
    const std::vector<TargetInfo> targets = listTargets();
    std::set<std::string> ids;
    for (const TargetInfo& target : targets) {
        QVERIFY2(ids.insert(target.id).second, target.id.c_str());
        QVERIFY(!target.title.empty());
        QCOMPARE(target.available, target.reason.empty());
    }
    QCOMPARE(targets.size(), silicon::shippedCatalogue()->simulatedIds().size() + 1);
    QVERIFY(ids.contains("sim:h100-sxm") && ids.contains("sim:t4") && ids.contains("sim:rtx4060-laptop"));
    QVERIFY(!ids.contains("sim:mi300x"));
}

void TestTargets::gpuRowsComeFirst()
{
    QCOMPARE(listTargets().at(0).id, std::string("gpu:0"));
    QVERIFY(!listTargets().at(0).available);
    QVERIFY(!listTargets().at(0).fix.empty());
    useFakes("devices=2");
    const std::vector<TargetInfo> targets = listTargets();
    QCOMPARE(targets.at(1).id, std::string("gpu:1"));
    QVERIFY(targets.at(0).available);
}

void TestTargets::simulatedDeviceIsTheChip()
{
    const auto device = openDevice("sim:h100-sxm", {});
    QVERIFY2(device.ok(), device.ok() ? "" : toText(device.error()).c_str());
    const DeviceInfo& info = (*device)->info();
    QCOMPARE(info.target, std::string("sim:h100-sxm"));
    QCOMPARE(info.name, std::string("H100 SXM5 80GB (simulated)"));
    QCOMPARE(info.chip, std::string("h100-sxm"));
    QCOMPARE(info.computeMajor, 9);
    QCOMPARE(info.smCount, 132u);
    QCOMPARE(info.memoryBytesPerSecond, 3350e9);
    QVERIFY(info.provenance == Provenance::Simulated);
    QCOMPARE((*info.fingerprint)["chip"].get<std::string>(), std::string("h100-sxm"));
}

void TestTargets::everySimulatedTargetOpens()
{
    for (const TargetInfo& target : listTargets())
        if (target.id.starts_with("sim:"))
            QVERIFY2(openDevice(target.id, {}).ok(), target.id.c_str());
}

void TestTargets::fiveChipsGiveCountsOnly()
{
    const auto catalogue = silicon::shippedCatalogue();
    std::set<std::string> countsOnly, derived;
    for (const std::string& chip : catalogue->simulatedIds()) {
        const ChipOffer offer = offerOf(*catalogue, chip);
        QCOMPARE(offer.group, catalogue->find(chip)->chipClass);
        QCOMPARE(offer.times, offer.nearest.empty());
        if (!offer.times)
            countsOnly.insert(chip);
        if (!offer.derivedFrom.empty())
            derived.insert(chip);
    }
    // No chip of their compute capability was measured.
    QCOMPARE(countsOnly, (std::set<std::string>{"b200", "gb200", "orin-nano-8", "agx-orin-64", "thor-t5000"}));
    QCOMPARE(derived.size(), std::size_t(26));
    QVERIFY(derived.contains("rtx3050-laptop") && !derived.contains("rtx3060-laptop"));
    QCOMPARE(offerOf(*catalogue, "b200").nearest, std::string("sim:rtx5090"));
}

void TestTargets::derivedClocksSaySo()
{
    const auto laptop = openDevice("sim:rtx3050-laptop", {});
    QVERIFY2(laptop.ok(), laptop.ok() ? "" : toText(laptop.error()).c_str());
    const Json& told = *(*laptop)->info().fingerprint;
    QCOMPARE(told["timing"].get<std::string>(), std::string("rtx3050-laptop"));
    QCOMPARE(told["timing_derived_from"].get<std::string>(), std::string("a40"));
    QVERIFY(told["timing_confidence"].get<std::string>().starts_with("derived by rule from a40"));
    const auto measured = openDevice("sim:a40", {});
    QVERIFY(measured.ok() && !(*measured)->info().fingerprint->contains("timing_derived_from"));
}

void TestTargets::unknownTargets_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("near");
    QTest::newRow("typing slip") << "sim:h100-sxn"
                                 << "sim:h100-sxm";
    QTest::newRow("no class") << "h100-sxm"
                              << "sim:h100-sxm";
    QTest::newRow("empty") << ""
                           << "ridge targets";
    QTest::newRow("gpu without number") << "gpu:"
                                        << "gpu:0";
    QTest::newRow("gpu with text") << "gpu:0x"
                                   << "gpu:0";
    QTest::newRow("negative") << "gpu:-1"
                              << "gpu:0";
    QTest::newRow("too large") << "gpu:99999999999999999999"
                               << "ridge targets";
    QTest::newRow("other class") << "fpga:0"
                                 << "ridge targets";
}

void TestTargets::unknownTargets()
{
    QFETCH(QString, target);
    QFETCH(QString, near);
    const auto device = openDevice(target.toStdString(), {});
    QVERIFY(!device.ok());
    QCOMPARE(device.error().code, std::string("unknown-target"));
    QCOMPARE(device.error().place, target.toStdString());
    QVERIFY2(device.error().fix.find(near.toStdString()) != std::string::npos, device.error().fix.c_str());
}

void TestTargets::chipsThatCannotBeSimulated()
{
    const auto device = openDevice("sim:mi300x", {});
    QVERIFY(!device.ok());
    QCOMPARE(device.error().code, std::string("target-unavailable"));
    QVERIFY(device.error().message.find("MI300X") != std::string::npos);
}

void TestTargets::unavailableGpuSaysWhy()
{
    const auto device = openDevice("gpu:0", {});
    QVERIFY(!device.ok());
    QCOMPARE(device.error().code, std::string("target-unavailable"));
    QCOMPARE(device.error().place, std::string("gpu:0"));
    QVERIFY(!device.error().fix.empty());
    useFakes("");
    const auto other = openDevice("gpu:7", {});
    QCOMPARE(other.error().code, std::string("target-unavailable"));
    QVERIFY(other.error().fix.find("gpu:0") != std::string::npos);
}

void TestTargets::fakeGpuOpens()
{
    useFakes("");
    const auto device = openDevice("gpu:0", {});
    QVERIFY(device.ok());
    QVERIFY((*device)->info().provenance == Provenance::Measured);
}

void TestTargets::withoutTheChipTable()
{
    QTemporaryDir empty;
    QVERIFY(QDir(empty.path()).mkpath(QStringLiteral("assets/chips")));
    QFile table(empty.filePath(QStringLiteral("assets/chips/gpus.json")));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("{\"schema\": \"something else\"}");
    table.close();
    qputenv("RIDGE_DATA", empty.path().toUtf8());
    const std::vector<TargetInfo> targets = listTargets();
    QCOMPARE(targets.size(), std::size_t(2));
    QVERIFY(!targets[1].available);
    QVERIFY(!targets[1].reason.empty());
    QCOMPARE(openDevice("sim:h100-sxm", {}).error().code, std::string("target-unavailable"));
    useFakes(""); // a GPU works without the table
    QVERIFY(openDevice("gpu:0", {}).ok());
}

QTEST_GUILESS_MAIN(TestTargets)
#include "tst_targets.moc"
