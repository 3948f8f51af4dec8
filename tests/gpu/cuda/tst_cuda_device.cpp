// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"

#include "gpu/cuda/cuda_device.h"
#include "gpu/swizzled_tiles.h"

#include <cstring>
#include <elf.h>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::cuda;

namespace {

Program ptxProgram(const char* text = kPtx)
{
    return Program{"test.cu", text, "sm_80", "nvrtc", "13.0", ""};
}

/// The least that is an ELF image, with one name in it.
std::string elfWith(const std::string& section)
{
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_shoff = sizeof head + section.size() + 1;
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + section + '\0';
}

Launch spin()
{
    return Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}};
}

std::unique_ptr<Device> open(const DeviceOptions& options = {})
{
    Result<std::unique_ptr<Device>> device = openCudaDevice(0, options);
    return device.ok() ? std::move(*device) : nullptr;
}

} // namespace

class TestCudaDevice : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { useFakes(""); }
    void aKernelFindsItsInputWhole();
    void aKernelRunsWithItsArguments();
    void machineCodeIsTakenWhereItFits_data();
    void machineCodeIsTakenWhereItFits();
    void outOfMemoryNamesTheBuffer();
    void copiesStayInTheirBuffer();
    void freeingTwiceIsTold();
    void ptxNewerThanTheDriver();
    void ptxThatTheDriverRejectsShowsItsLog();
    void ptxForAnotherGpu();
    void unknownKernelListsTheKnown();
    void wrongArgumentsNeverReachTheDriver_data();
    void wrongArgumentsNeverReachTheDriver();
    void launchLimits_data();
    void launchLimits();
    void largeSharedMemoryIsAskedFor();
    void refusedLaunchLeavesTheDeviceUsable();
    void faultClosesTheDevice_data();
    void faultClosesTheDevice();
    void hangEndsAtTheTimeLimit();
    void stopEndsAHang();
    void stopBeforeALaunch();
    void tensorMapsComeFromTheDriver();
    void programOfAnotherDevice();
    void programMayOutliveItsDevice();
    void contextFailure();
};

/// On an H200 the end of a poisoned output landed after the kernel had written it.
void TestCudaDevice::aKernelFindsItsInputWhole()
{
    const std::unique_ptr<Device> device = open();
    QVERIFY(device);
    const auto program = device->load(ptxProgram());
    QVERIFY(program.ok());
    const std::vector<std::int32_t> ones(100'000, 1);
    const Result<DevicePtr> buffer = device->allocate(4 * ones.size(), "data");
    QVERIFY(buffer.ok());
    QVERIFY(device->copyToDevice(*buffer, std::as_bytes(std::span(ones))).ok());
    const Launch launch{"add", {3125, 1, 1}, {32, 1, 1}, 0, {*buffer, std::uint32_t{100'000}, 7.0f}};
    QVERIFY(device->launch(**program, launch, {}).ok());
    std::vector<std::int32_t> got(ones.size());
    QVERIFY(device->copyToHost(std::as_writable_bytes(std::span(got)), *buffer).ok());
    QVERIFY(got == std::vector<std::int32_t>(ones.size(), 8));
    QVERIFY(device->free(*buffer).ok());
}

void TestCudaDevice::aKernelRunsWithItsArguments()
{
    const std::unique_ptr<Device> device = open();
    QVERIFY(device);
    const auto program = device->load(ptxProgram());
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    std::array<std::int32_t, 100> data{};
    for (int i = 0; i < 100; ++i)
        data[static_cast<std::size_t>(i)] = i;
    const Result<DevicePtr> buffer = device->allocate(sizeof data, "data");
    QVERIFY(buffer.ok());
    QVERIFY(device->copyToDevice(*buffer, std::as_bytes(std::span(data))).ok());
    const Launch launch{"add", {4, 1, 1}, {32, 1, 1}, 0, {*buffer, std::uint32_t{90}, 7.0f}};
    QVERIFY(device->launch(**program, launch, {}).ok());
    QVERIFY(device->copyToHost(std::as_writable_bytes(std::span(data)), *buffer).ok());
    for (int i = 0; i < 100; ++i)
        QCOMPARE(data[static_cast<std::size_t>(i)], i < 90 ? i + 7 : i);
    // Clusters go through cuLaunchKernelEx.
    Launch pairs = launch;
    pairs.cluster = {2, 1, 1};
    QVERIFY(device->launch(**program, pairs, {}).ok());
    QVERIFY(device->copyToHost(std::as_writable_bytes(std::span(data)), *buffer).ok());
    for (int i = 0; i < 100; ++i)
        QCOMPARE(data[static_cast<std::size_t>(i)], i < 90 ? i + 14 : i);
    std::int32_t one = 0;
    QVERIFY(device->copyToHost(std::as_writable_bytes(std::span(&one, 1)), DevicePtr{buffer->address + 396}).ok());
    QCOMPARE(one, 99);
    QVERIFY(device->free(*buffer).ok());
}

void TestCudaDevice::machineCodeIsTakenWhereItFits_data()
{
    QTest::addColumn<QByteArray>("driver");
    QTest::addColumn<QByteArray>("arch");
    QTest::addColumn<bool>("taken");
    QTest::newRow("this GPU's") << QByteArray() << QByteArray("sm_90") << true;
    QTest::newRow("what this GPU alone has") << QByteArray() << QByteArray("sm_90a") << true;
    QTest::newRow("another GPU's") << QByteArray() << QByteArray("sm_80") << false;
    // A driver that says nothing bad of the PTX, and one that has never heard of this kind of machine code.
    QTest::newRow("of a toolkit too new") << QByteArray("cubin=209") << QByteArray("sm_90") << false;
    QTest::newRow("not readable") << QByteArray("cubin=200") << QByteArray("sm_90") << false;
}

void TestCudaDevice::machineCodeIsTakenWhereItFits()
{
    QFETCH(QByteArray, driver);
    QFETCH(QByteArray, arch);
    QFETCH(bool, taken);
    useFakes(driver.constData());
    const std::unique_ptr<Device> device = open();
    QVERIFY(device);
    Program both = ptxProgram();
    both.cubin = elfWith(".text.add");
    both.cubinArch = arch.toStdString();
    const auto program = device->load(both);
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    QCOMPARE((*program)->program().cubin.empty(), !taken);
    QCOMPARE((*program)->program().cubinArch.empty(), !taken);
    const DevicePtr buffer = *device->allocate(64, "data");
    const Launch launch{"add", {1, 1, 1}, {16, 1, 1}, 0, {buffer, std::uint32_t{16}, 1.0f}};
    QVERIFY(device->launch(**program, launch, {}).ok());
    // The PTX knows a second kernel: which of the two is asked shows what the driver holds.
    QCOMPARE(device->launch(**program, spin(), {}).ok(), !taken);
    // Arguments are checked against the PTX either way.
    Launch wrong = launch;
    wrong.args.pop_back();
    QCOMPARE(device->launch(**program, wrong, {}).error().code, std::string("bad-launch"));
}

void TestCudaDevice::outOfMemoryNamesTheBuffer()
{
    const std::unique_ptr<Device> device = open();
    qputenv("RIDGE_FAKE_CUDA", "alloc=2");
    const Result<DevicePtr> buffer = device->allocate(1'000'000'000'000, "weights");
    QVERIFY(!buffer.ok());
    QCOMPARE(buffer.error().code, std::string("out-of-memory"));
    QVERIFY(buffer.error().message.find("'weights'") != std::string::npos);
    QVERIFY(buffer.error().message.find("12345 B are free") != std::string::npos);
    qputenv("RIDGE_FAKE_CUDA", "");
    QVERIFY(device->allocate(16, "small").ok()); // not sticky
}

void TestCudaDevice::copiesStayInTheirBuffer()
{
    const std::unique_ptr<Device> device = open();
    const DevicePtr buffer = *device->allocate(64, "in");
    std::array<std::byte, 65> bytes{};
    const Result<void> copy = device->copyToDevice(buffer, bytes);
    QVERIFY(!copy.ok());
    QCOMPARE(copy.error().code, std::string("out-of-bounds"));
    QVERIFY(copy.error().message.find("'in'") != std::string::npos);
    const std::span<std::byte> half(bytes.data(), 32);
    QVERIFY(device->copyToHost(half, DevicePtr{buffer.address + 32}).ok());
    QVERIFY(!device->copyToHost(half, DevicePtr{buffer.address + 33}).ok());
    QVERIFY(!device->copyToHost(half, DevicePtr{1}).ok());
}

void TestCudaDevice::freeingTwiceIsTold()
{
    const std::unique_ptr<Device> device = open();
    const DevicePtr buffer = *device->allocate(64, "in");
    QVERIFY(device->free(buffer).ok());
    QCOMPARE(device->free(buffer).error().code, std::string("bad-pointer"));
}

void TestCudaDevice::ptxNewerThanTheDriver()
{
    useFakes("driver=12020,load=222");
    const std::unique_ptr<Device> device = open();
    const auto program = device->load(ptxProgram(".version 9.0\n.target sm_90\n"));
    QVERIFY(!program.ok());
    QCOMPARE(program.error().code, std::string("ptx-too-new"));
    QVERIFY2(program.error().message.find("CUDA 12.2") != std::string::npos, program.error().message.c_str());
    QVERIFY(program.error().message.find("PTX 9.0 (CUDA 13.0)") != std::string::npos);
    QVERIFY(program.error().fix.find("driver 580") != std::string::npos);
    QVERIFY(program.error().fix.find("RIDGE_NVRTC") != std::string::npos);
}

void TestCudaDevice::ptxThatTheDriverRejectsShowsItsLog()
{
    const std::unique_ptr<Device> device = open();
    qputenv("RIDGE_FAKE_CUDA", "load=218");
    const auto program = device->load(ptxProgram());
    QVERIFY(!program.ok());
    QCOMPARE(program.error().code, std::string("bad-ptx"));
    QVERIFY(program.error().message.find("line 7; error: Unknown symbol") != std::string::npos);
    QVERIFY(program.error().message.find('\0') == std::string::npos);
}

void TestCudaDevice::ptxForAnotherGpu()
{
    const std::unique_ptr<Device> device = open();
    Program program = ptxProgram(".version 8.8\n.target sm_120\n");
    program.arch = "sm_120";
    const auto newer = device->load(program);
    QVERIFY(!newer.ok());
    QCOMPARE(newer.error().code, std::string("arch-mismatch"));
    QVERIFY(newer.error().message.find("sm_120") != std::string::npos);
    QVERIFY(!device->load(ptxProgram(".version 8.0\n.target sm_80a\n")).ok());
    QVERIFY(device->load(ptxProgram(".version 8.0\n.target sm_90a\n")).ok());
}

void TestCudaDevice::unknownKernelListsTheKnown()
{
    const std::unique_ptr<Device> device = open();
    const auto program = device->load(ptxProgram());
    Launch launch = spin();
    launch.kernel = "spinn";
    const auto report = device->launch(**program, launch, {});
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, std::string("kernel-not-found"));
    QVERIFY(report.error().fix.find("add, spin") != std::string::npos);
}

void TestCudaDevice::wrongArgumentsNeverReachTheDriver_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("none") << 0;
    QTest::newRow("too few") << 1;
    QTest::newRow("too many") << 2;
    QTest::newRow("wrong size") << 3;
}

void TestCudaDevice::wrongArgumentsNeverReachTheDriver()
{
    QFETCH(int, kind);
    const std::unique_ptr<Device> device = open();
    const auto program = device->load(ptxProgram());
    const std::array<std::vector<KernelArg>, 4> arguments{
        std::vector<KernelArg>{}, {DevicePtr{}, 1u}, {DevicePtr{}, 1u, 1.0f, 1u}, {DevicePtr{}, 1u, 1.0}};
    const Launch launch{"add", {1, 1, 1}, {32, 1, 1}, 0, arguments[static_cast<std::size_t>(kind)]};
    const auto report = device->launch(**program, launch, {});
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, std::string("bad-launch"));
    QVERIFY2(report.error().message.find("3 of 8, 4, 4 bytes") != std::string::npos, report.error().message.c_str());
}

void TestCudaDevice::launchLimits_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("fix");
    QTest::newRow("no grid") << 0 << "grid.x is 0"
                             << "2147483647";
    QTest::newRow("grid.y") << 1 << "grid.y is 65536"
                            << "65535";
    QTest::newRow("block.z") << 2 << "block.z is 65"
                             << "64";
    QTest::newRow("threads") << 3 << "threads per block is 2048"
                             << "1024";
    QTest::newRow("shared") << 4 << "shared memory per block in bytes is 232449"
                            << "232448";
    QTest::newRow("registers") << 5 << "registers allow fewer"
                               << "256";
}

void TestCudaDevice::launchLimits()
{
    QFETCH(int, kind);
    QFETCH(QString, message);
    QFETCH(QString, fix);
    if (kind == 5)
        useFakes("kernel_threads=256");
    const std::unique_ptr<Device> device = open();
    const auto program = device->load(ptxProgram());
    std::array<Launch, 6> launches{spin(), spin(), spin(), spin(), spin(), spin()};
    launches[0].grid.x = 0;
    launches[1].grid.y = 65536;
    launches[2].block = {1, 1, 65};
    launches[3].block = {1024, 2, 1};
    launches[4].dynamicSharedBytes = 232448 - 1024 + 1; // the kernel itself has 1 KB
    launches[5].block = {512, 1, 1};
    const auto report = device->launch(**program, launches[static_cast<std::size_t>(kind)], {});
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, std::string("bad-launch"));
    QVERIFY2(report.error().message.find(message.toStdString()) != std::string::npos, report.error().message.c_str());
    QVERIFY2(report.error().fix.find(fix.toStdString()) != std::string::npos, report.error().fix.c_str());
    QVERIFY(device->launch(**program, spin(), {}).ok());
}

void TestCudaDevice::largeSharedMemoryIsAskedFor()
{
    const std::unique_ptr<Device> device = open();
    const auto program = device->load(ptxProgram());
    Launch launch = spin();
    launch.dynamicSharedBytes = 100 * 1024; // the stand-in refuses it (701) unless it was opted in
    QVERIFY(device->launch(**program, launch, {}).ok());
}

void TestCudaDevice::refusedLaunchLeavesTheDeviceUsable()
{
    const std::unique_ptr<Device> device = open();
    const auto program = device->load(ptxProgram());
    qputenv("RIDGE_FAKE_CUDA", "launch=701");
    const auto report = device->launch(**program, spin(), {});
    QCOMPARE(report.error().code, std::string("bad-launch"));
    qputenv("RIDGE_FAKE_CUDA", "");
    QVERIFY(device->launch(**program, spin(), {}).ok());
}

void TestCudaDevice::faultClosesTheDevice_data()
{
    QTest::addColumn<QByteArray>("fake");
    QTest::addColumn<QString>("code");
    QTest::newRow("illegal address") << QByteArray("fault=700") << "out-of-bounds";
    QTest::newRow("misaligned") << QByteArray("fault=716") << "misaligned";
    QTest::newRow("illegal instruction") << QByteArray("fault=715") << "unsupported-instruction";
    QTest::newRow("failed") << QByteArray("fault=719") << "launch-failed";
    QTest::newRow("watchdog") << QByteArray("fault=702") << "time-limit";
    QTest::newRow("failed at once") << QByteArray("launch=719") << "launch-failed";
}

void TestCudaDevice::faultClosesTheDevice()
{
    QFETCH(QByteArray, fake);
    QFETCH(QString, code);
    const std::unique_ptr<Device> device = open();
    const auto program = device->load(ptxProgram());
    qputenv("RIDGE_FAKE_CUDA", fake);
    const auto report = device->launch(**program, spin(), {});
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, code.toStdString());
    QVERIFY(report.error().message.find("kernel 'spin'") != std::string::npos);
    QCOMPARE(report.error().place, std::string("gpu:0"));

    qputenv("RIDGE_FAKE_CUDA", ""); // the driver may say what it likes: the device stays closed
    const Result<DevicePtr> later = device->allocate(16, "x");
    QVERIFY(!later.ok());
    QCOMPARE(later.error().code, code.toStdString());
    QVERIFY(later.error().message.starts_with("the device was closed"));
    QVERIFY(later.error().message.find("kernel 'spin'") != std::string::npos);
    QVERIFY(!device->load(ptxProgram()).ok());
    QVERIFY(!device->launch(**program, spin(), {}).ok());
    QVERIFY(!device->time(**program, std::vector<Launch>{spin()}).ok());
}

void TestCudaDevice::hangEndsAtTheTimeLimit()
{
    DeviceOptions options;
    options.launchSeconds = 0.15;
    QElapsedTimer timer;
    {
        const std::unique_ptr<Device> device = open(options);
        const auto program = device->load(ptxProgram());
        qputenv("RIDGE_FAKE_CUDA", "hang=1");
        timer.start();
        const auto report = device->launch(**program, spin(), {});
        QVERIFY(!report.ok());
        QCOMPARE(report.error().code, std::string("time-limit"));
        QVERIFY(report.error().message.find("kernel 'spin'") != std::string::npos);
        QVERIFY(timer.elapsed() >= 150);
    } // closing it does not wait for it: it would wait for ever
}

void TestCudaDevice::stopEndsAHang()
{
    int asked = 0;
    DeviceOptions options;
    options.stop = [&asked] { return ++asked > 3; };
    const std::unique_ptr<Device> device = open(options);
    const auto program = device->load(ptxProgram());
    qputenv("RIDGE_FAKE_CUDA", "hang=1");
    const auto report = device->launch(**program, spin(), {});
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, std::string("cancelled"));
    QVERIFY(!device->allocate(1, "x").ok());
}

void TestCudaDevice::stopBeforeALaunch()
{
    DeviceOptions options;
    options.stop = [] { return true; };
    const std::unique_ptr<Device> device = open(options);
    const auto program = device->load(ptxProgram());
    QCOMPARE(device->launch(**program, spin(), {}).error().code, std::string("cancelled"));
    QVERIFY(device->allocate(1, "x").ok()); // nothing was running, nothing was lost
}

void TestCudaDevice::tensorMapsComeFromTheDriver()
{
    const auto device = open();
    QVERIFY(device);
    const DevicePtr matrix = *device->allocate(10 * 80, "matrix");
    TensorTile tile{matrix, 4, 18, 10, 80, 8, 4};
    const auto map = device->tensorMap(tile);
    QVERIFY2(map.ok(), map.ok() ? "" : toText(map.error()).c_str());
    std::array<std::uint64_t, 7> content{};
    std::memcpy(content.data(), map->bytes.data(), sizeof content);
    QCOMPARE(content, (std::array<std::uint64_t, 7>{matrix.address, 18, 10, 80, 8, 4, 0}));
    const auto swizzledOne = swizzledMap(*device, tile);
    QVERIFY(swizzledOne.ok());
    std::memcpy(content.data(), swizzledOne->bytes.data(), sizeof content);
    QCOMPARE(content, (std::array<std::uint64_t, 7>{matrix.address, 18, 10, 80, 8, 4, 3}));
    tile.tileColumns = 36; // 144 bytes
    QVERIFY(device->tensorMap(tile).ok());
    QVERIFY(swizzledMap(*device, tile).error().fix.find("128 bytes") != std::string::npos);
    tile.tileColumns = 2; // 8 bytes
    QCOMPARE(device->tensorMap(tile).error().code, std::string("bad-tensor-map"));
    tile.tileColumns = 8;
    tile.rows = 11; // beyond the buffer
    QCOMPARE(device->tensorMap(tile).error().code, std::string("out-of-bounds"));
    tile.rows = 10;
    tile.elementBytes = 3;
    QCOMPARE(device->tensorMap(tile).error().code, std::string("bad-tensor-map"));
    useFakes("major=8");
    const auto older = open();
    QCOMPARE(older->tensorMap(tile).error().code, std::string("unsupported-instruction"));
}

void TestCudaDevice::programOfAnotherDevice()
{
    const std::unique_ptr<Device> one = open();
    const std::unique_ptr<Device> two = open();
    const auto program = one->load(ptxProgram());
    const auto report = two->launch(**program, spin(), {});
    QCOMPARE(report.error().code, std::string("bad-launch"));
    QVERIFY(report.error().message.find("another device") != std::string::npos);
}

void TestCudaDevice::programMayOutliveItsDevice()
{
    std::unique_ptr<LoadedProgram> program;
    {
        const std::unique_ptr<Device> device = open();
        program = std::move(*device->load(ptxProgram()));
    }
    QCOMPARE(program->program().name, std::string("test.cu"));
}

void TestCudaDevice::contextFailure()
{
    useFakes("context=2");
    const Result<std::unique_ptr<Device>> device = openCudaDevice(0, {});
    QVERIFY(!device.ok());
    QCOMPARE(device.error().code, std::string("out-of-memory"));
    QVERIFY(device.error().message.find("NVIDIA H200") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestCudaDevice)
#include "tst_cuda_device.moc"
