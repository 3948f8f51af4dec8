// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"

#include "base/json.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/gpu_card.h"
#include "gpu/cuda/ptx_facts.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::cuda;

class TestCudaProbe : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup();
    void aGpuIsARow();
    void twoGpusAreTwoRows();
    void noLibrary();
    void notALibrary();
    void libraryWithoutEntryPoints();
    void reasonsAndFixes_data();
    void reasonsAndFixes();
    void tooOldAGpu();
    void openingSaysWhatProbingSays();
    void unknownIndex();
    void deviceInfoIsComplete();
    void worksWithoutNvml();
    void theCardTellsPowerLimits();
    void countersByTheDriversWord_data();
    void countersByTheDriversWord();
    void ptxFacts();
    void ptxNeeds();
};

void TestCudaProbe::cleanup()
{
    for (const char* name : {"RIDGE_LIBCUDA", "RIDGE_LIBNVML", "RIDGE_FAKE_CUDA", "RIDGE_FAKE_NVML"})
        qunsetenv(name);
}

void TestCudaProbe::aGpuIsARow()
{
    useFakes("");
    const std::vector<TargetInfo> rows = probeCuda();
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(rows[0].id, std::string("gpu:0"));
    QCOMPARE(rows[0].title, std::string("NVIDIA H200"));
    QCOMPARE(rows[0].chip, std::string("h200-sxm"));
    QVERIFY(rows[0].available);
    QVERIFY(rows[0].provenance == Provenance::Measured);
    QVERIFY(rows[0].reason.empty());
}

void TestCudaProbe::twoGpusAreTwoRows()
{
    useFakes("devices=2");
    const std::vector<TargetInfo> rows = probeCuda();
    QCOMPARE(rows.size(), std::size_t(2));
    QCOMPARE(rows[1].id, std::string("gpu:1"));
}

void TestCudaProbe::noLibrary()
{
    qputenv("RIDGE_LIBCUDA", "/nowhere/libcuda.so.1");
    const std::vector<TargetInfo> rows = probeCuda();
    QCOMPARE(rows.size(), std::size_t(1));
    QVERIFY(!rows[0].available);
    QCOMPARE(rows[0].id, std::string("gpu:0"));
    QVERIFY(rows[0].reason.find("/nowhere/libcuda.so.1") != std::string::npos);
    QVERIFY(rows[0].fix.find("RIDGE_LIBCUDA") != std::string::npos);
    QCOMPARE(openDriver().error().code, std::string("no-driver"));
}

void TestCudaProbe::notALibrary()
{
    QTemporaryFile file;
    QVERIFY(file.open());
    file.write("this is no shared object");
    file.flush();
    qputenv("RIDGE_LIBCUDA", file.fileName().toUtf8());
    const Result<std::shared_ptr<const Driver>> driver = openDriver();
    QVERIFY(!driver.ok());
    QCOMPARE(driver.error().code, std::string("no-driver"));
}

void TestCudaProbe::libraryWithoutEntryPoints()
{
    qputenv("RIDGE_LIBCUDA", QCoreApplication::applicationDirPath().toUtf8() + "/fake_nvml.so");
    const Result<std::shared_ptr<const Driver>> driver = openDriver();
    QVERIFY(!driver.ok());
    QCOMPARE(driver.error().code, std::string("driver-too-old"));
    QVERIFY(driver.error().message.find("cuInit") != std::string::npos);
    QVERIFY(!probeCuda().at(0).available);
}

void TestCudaProbe::reasonsAndFixes_data()
{
    QTest::addColumn<QByteArray>("fake");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("fix");
    QTest::newRow("no device") << QByteArray("init=100") << "CUDA_ERROR_NO_DEVICE (100)"
                               << "nvidia-smi";
    QTest::newRow("count is 0") << QByteArray("devices=0") << "finds no GPU"
                                << "CUDA_VISIBLE_DEVICES";
    QTest::newRow("versions differ") << QByteArray("init=803") << "different versions"
                                     << "restart";
    QTest::newRow("fabric manager") << QByteArray("init=802") << "fabric manager"
                                    << "systemctl";
    QTest::newRow("stub") << QByteArray("init=34") << "stub library"
                          << "LD_LIBRARY_PATH";
    QTest::newRow("compat") << QByteArray("init=804") << "forward-compatibility"
                            << "LD_LIBRARY_PATH";
    QTest::newRow("unknown") << QByteArray("init=999") << "(999)"
                             << "nvidia_uvm";
    QTest::newRow("unlisted") << QByteArray("init=54321") << "(54321)"
                              << "nvidia-smi";
    QTest::newRow("prohibited") << QByteArray("mode=2") << "refuse compute work"
                                << "-c DEFAULT";
}

void TestCudaProbe::reasonsAndFixes()
{
    QFETCH(QByteArray, fake);
    QFETCH(QString, reason);
    QFETCH(QString, fix);
    useFakes(fake.constData());
    const std::vector<TargetInfo> rows = probeCuda();
    QCOMPARE(rows.size(), std::size_t(1));
    QVERIFY(!rows[0].available);
    QVERIFY2(rows[0].reason.find(reason.toStdString()) != std::string::npos, rows[0].reason.c_str());
    QVERIFY2(rows[0].fix.find(fix.toStdString()) != std::string::npos, rows[0].fix.c_str());
}

void TestCudaProbe::tooOldAGpu()
{
    useFakes("major=6,minor=1");
    const TargetInfo row = probeCuda().at(0);
    QVERIFY(!row.available);
    QVERIFY2(row.reason.find("6.1") != std::string::npos, row.reason.c_str());
    const Result<std::unique_ptr<Device>> device = openCudaDevice(0, {});
    QVERIFY(!device.ok());
    QCOMPARE(device.error().code, std::string("target-unavailable"));
}

void TestCudaProbe::openingSaysWhatProbingSays()
{
    useFakes("init=803");
    const Result<std::unique_ptr<Device>> device = openCudaDevice(0, {});
    QVERIFY(!device.ok());
    QCOMPARE(device.error().message, probeCuda().at(0).reason);
    QCOMPARE(device.error().code, std::string("driver-failed"));
}

void TestCudaProbe::unknownIndex()
{
    useFakes("devices=2");
    const Result<std::unique_ptr<Device>> device = openCudaDevice(2, {});
    QVERIFY(!device.ok());
    QCOMPARE(device.error().code, std::string("target-unavailable"));
    QVERIFY2(device.error().fix.find("gpu:1") != std::string::npos, device.error().fix.c_str());
    QVERIFY(!openCudaDevice(-1, {}).ok());
}

void TestCudaProbe::deviceInfoIsComplete()
{
    useFakes("");
    const Result<std::unique_ptr<Device>> device = openCudaDevice(0, {});
    QVERIFY2(device.ok(), device.ok() ? "" : toText(device.error()).c_str());
    const DeviceInfo& info = (*device)->info();
    QCOMPARE(info.chip, std::string("h200-sxm"));
    QCOMPARE(info.computeMajor, 9);
    QCOMPARE(info.smCount, 132u);
    QCOMPARE(info.l2Bytes, std::uint64_t(62914560)); // what the driver says, not what the table says
    QCOMPARE(info.memoryBytesPerSecond, 4800e9);
    QCOMPARE(info.boostClockHz, 1980e6);
    QVERIFY(info.provenance == Provenance::Measured);
    const Json& gpu = *info.fingerprint;
    QCOMPARE(gpu["driver"].get<std::string>(), std::string("580.159.04"));
    QCOMPARE(gpu["cuda"].get<std::string>(), std::string("13.0"));
    QCOMPARE(gpu["power_limit_w"].get<double>(), 700.0);
    QVERIFY(gpu["device_hash"].get<std::string>().size() == 16);
    QVERIFY(info.fingerprint->dump().find("000102030405") == std::string::npos);
}

void TestCudaProbe::worksWithoutNvml()
{
    useFakes("");
    qputenv("RIDGE_LIBNVML", "/nowhere/libnvidia-ml.so.1");
    QVERIFY(openCudaDevice(0, {}).ok());
    useFakes("", "init=9");
    QVERIFY(openCudaDevice(0, {}).ok());
}

void TestCudaProbe::theCardTellsPowerLimits()
{
    useFakes("", "limit=60,default=80,least=35,most=95");
    const JsonValue full = gpuCard(0);
    QCOMPARE(full->value("driver", ""), std::string("580.159.04"));
    QCOMPARE(full->value("cuda", ""), std::string("13.0"));
    QCOMPARE(full->value("power_limit_w", 0.0), 60.0);
    QCOMPARE(full->value("power_limit_default_w", 0.0), 80.0);
    QCOMPARE(full->value("power_limit_min_w", 0.0), 35.0);
    QCOMPARE(full->value("power_limit_max_w", 0.0), 95.0);
    QVERIFY(full->value("memory_bytes", std::uint64_t(0)) > 0);
    QVERIFY(!full->contains("device_hash") && !full->contains("uuid"));
    // A laptop that tells only what holds.
    useFakes("", "limit=60,default=0,least=0");
    const JsonValue little = gpuCard(0);
    QCOMPARE(little->value("power_limit_w", 0.0), 60.0);
    QVERIFY(!little->contains("power_limit_default_w") && !little->contains("power_limit_min_w"));
    QVERIFY(!little->contains("power_limit_max_w"));
    // Without NVML the driver's own words remain.
    useFakes("", "init=9");
    const JsonValue bare = gpuCard(0);
    QVERIFY(bare->contains("memory_bytes") && bare->contains("counters"));
    QVERIFY(!bare->contains("driver") && !bare->contains("power_limit_w"));
    useFakes("init=803");
    QVERIFY(gpuCard(0)->is_null());
}

void TestCudaProbe::countersByTheDriversWord_data()
{
    QTest::addColumn<QByteArray>("params");
    QTest::addColumn<QByteArray>("status");
    QTest::addColumn<QString>("access");
    const QByteArray admins("Mobile: 4294967295\nRmProfilingAdminOnly: 1\nDmaRemapPeerMmio: 1\n");
    QTest::newRow("open to all") << QByteArray("RmProfilingAdminOnly: 0\n") << QByteArray() << "allowed";
    QTest::newRow("a user") << admins << QByteArray("Name:\tx\nCapEff:\t0000000000000000\n") << "forbidden";
    QTest::newRow("root in a container") << admins << QByteArray("CapEff:\t00000000a80425fb\n") << "forbidden";
    QTest::newRow("an administrator") << admins << QByteArray("CapEff:\t000001ffffffffff\n") << "allowed";
    QTest::newRow("SYS_ADMIN alone") << admins << QByteArray("CapEff:\t0000000000200000\n") << "allowed";
    QTest::newRow("no process file") << admins << QByteArray() << "unknown";
    QTest::newRow("no such line") << QByteArray("Mobile: 1\n") << QByteArray("CapEff:\t0\n") << "unknown";
    QTest::newRow("no number") << QByteArray("RmProfilingAdminOnly: x\n") << QByteArray() << "unknown";
}

void TestCudaProbe::countersByTheDriversWord()
{
    QFETCH(QByteArray, params);
    QFETCH(QByteArray, status);
    QFETCH(QString, access);
    QTemporaryDir folder;
    const auto write = [&](const char* name, const QByteArray& content) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    };
    QVERIFY(write("params", params) && write("status", status));
    const std::filesystem::path at = folder.path().toStdString();
    const CounterFiles files{at / "params", at / "status"};
    QCOMPARE(QString::fromStdString(toText(counterAccess(files))), access);
    useFakes("");
    const JsonValue card = gpuCard(0, files);
    QCOMPARE(card->value("counters", ""), access.toStdString());
    QCOMPARE(card->value("counters_fix", "").find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos,
             access == QLatin1String("forbidden"));
    QVERIFY(toText(counterAccess({at / "nowhere", at / "status"})) == "unknown");
}

void TestCudaProbe::ptxFacts()
{
    const PtxFacts facts = readPtxFacts(kPtx);
    QCOMPARE(facts.versionMajor, 7);
    QCOMPARE(facts.versionMinor, 0);
    QCOMPARE(facts.targetArch, 80);
    QVERIFY(!facts.architectureSpecific);
    QCOMPARE(facts.entries.size(), std::size_t(2));
    QCOMPARE(facts.entries.at("add"), (std::vector<std::size_t>{8, 4, 4}));
    QVERIFY(facts.entries.at("spin").empty());
    const PtxFacts other = readPtxFacts(".version 8.5 /* sm_70 */\n.target sm_90a, debug\n"
                                        ".entry k(.param .align 8 .b8 s[24], .param .u8 c)");
    QCOMPARE(other.targetArch, 90);
    QVERIFY(other.architectureSpecific);
    QCOMPARE(other.versionMinor, 5);
    QCOMPARE(other.entries.at("k"), (std::vector<std::size_t>{24, 1}));
    for (const char* odd : {"", ".entry", ".version", ".entry k(", "/*", "//", ".version x.target sm_", ".entry (("})
        QVERIFY(readPtxFacts(odd).targetArch == 0);
}

void TestCudaProbe::ptxNeeds()
{
    QCOMPARE(needsOfPtx(9, 0)->driver, 580);
    QCOMPARE(needsOfPtx(8, 0)->cuda, std::string("12.0"));
    QVERIFY(!needsOfPtx(99, 0));
}

QTEST_GUILESS_MAIN(TestCudaProbe)
#include "tst_cuda_probe.moc"
