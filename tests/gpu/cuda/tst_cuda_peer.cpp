// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"

#include "gpu/cuda/cuda_device.h"
#include "gpu/schedule.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::cuda;

namespace {

constexpr std::uint64_t kBytes = 4099;

std::unique_ptr<Device> openFake(const char* fake, int index = 0)
{
    useFakes(fake);
    auto device = openCudaDevice(index, {});
    if (!device)
        qFatal("%s", toText(device.error()).c_str());
    return std::move(*device);
}

std::vector<std::byte> numbered()
{
    std::vector<std::byte> out(kBytes);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::byte>(i * 7 + i / 256);
    return out;
}

/// One launch of the stand-in's kernel that does nothing, and what it told.
Result<LaunchReport> launched(Device& device, std::uint32_t threads, std::uint32_t shared)
{
    auto program = device.load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    if (!program)
        return program.error();
    return device.launch(**program, Launch{"spin", {1, 1, 1}, {threads, 1, 1}, shared, {}}, {});
}

} // namespace

/// Memory on a second GPU, and what the driver says of residency, on the stand-in for libcuda.
class TestCudaPeer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bytesArriveOnTheOtherGpu_data();
    void bytesArriveOnTheOtherGpu();
    void whatIsMissingIsNamed_data();
    void whatIsMissingIsNamed();
    void copiesStayInTheirBuffers();
    void oldDriversAreNamed();
    void theDriverCountsBlocks();
};

void TestCudaPeer::bytesArriveOnTheOtherGpu_data()
{
    QTest::addColumn<int>("index");
    QTest::addColumn<QByteArray>("owner");
    QTest::newRow("from the first") << 0 << QByteArray("gpu:1, NVIDIA H200");
    QTest::newRow("from the last") << 1 << QByteArray("gpu:0, NVIDIA H200");
}

void TestCudaPeer::bytesArriveOnTheOtherGpu()
{
    QFETCH(int, index);
    QFETCH(QByteArray, owner);
    const auto device = openFake("devices=2,peer_gbs=0.004098", index);
    auto peer = device->allocatePeer(kBytes, "peer");
    QVERIFY2(peer.ok(), peer.ok() ? "" : toText(peer.error()).c_str());
    QCOMPARE(QByteArray::fromStdString((*peer)->owner()), owner);
    const auto from = device->allocate(kBytes, "from");
    QVERIFY(from.ok() && device->copyToDevice(*from, numbered()).ok());
    QVERIFY((*peer)->write(std::vector<std::byte>(kBytes), 0).ok());
    const Schedule schedule{{0, CopyWithin{(*peer)->address(), *from, kBytes - 1, peer->get()}, "peer"}};
    const auto report = device->runSchedule(schedule, {});
    QVERIFY2(report.ok(), report.ok() ? "" : toText(report.error()).c_str());
    const double seconds = report->operations[0].end - report->operations[0].begin;
    QVERIFY(seconds > 0.99e-3); // what the link takes; a busy processor can only add
    std::vector<std::byte> got(kBytes);
    QVERIFY((*peer)->read(got, 0).ok());
    auto wanted = numbered();
    wanted.back() = std::byte{0};
    QVERIFY(got == wanted);
    // Two at once share what was enabled, and the memory of the device is still its own.
    QVERIFY(device->allocatePeer(16, "again").ok());
    QVERIFY(device->copyToHost(got, *from).ok() && got == numbered());
}

void TestCudaPeer::whatIsMissingIsNamed_data()
{
    QTest::addColumn<QByteArray>("fake");
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("fix");
    QTest::newRow("one GPU") << QByteArray("devices=1") << QByteArray("the driver shows one")
                             << QByteArray("CUDA_VISIBLE_DEVICES");
    QTest::newRow("no way") << QByteArray("devices=2,nopeer=1") << QByteArray("no direct way to gpu:1, NVIDIA H200")
                            << QByteArray("topo -p2p");
}

void TestCudaPeer::whatIsMissingIsNamed()
{
    QFETCH(QByteArray, fake);
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, fix);
    const auto device = openFake(fake.constData());
    const auto peer = device->allocatePeer(kBytes, "peer");
    QVERIFY(!peer.ok());
    QCOMPARE(peer.error().code, std::string("no-peer"));
    QVERIFY2(peer.error().message.find(words.constData()) != std::string::npos, peer.error().message.c_str());
    QVERIFY2(peer.error().fix.find(fix.constData()) != std::string::npos, peer.error().fix.c_str());
}

void TestCudaPeer::copiesStayInTheirBuffers()
{
    const auto device = openFake("devices=2");
    auto peer = device->allocatePeer(kBytes, "peer");
    const auto from = device->allocate(2 * kBytes, "from");
    QVERIFY(peer.ok() && from.ok());
    std::vector<std::byte> piece(8);
    QVERIFY(!(*peer)->write(piece, kBytes - 7).ok() && !(*peer)->read(piece, kBytes - 7).ok());
    const auto copied = [&](std::uint64_t offset, std::uint64_t bytes) {
        const Schedule schedule{{0, CopyWithin{{(*peer)->address().address + offset}, *from, bytes, peer->get()}, ""}};
        return device->runSchedule(schedule, {});
    };
    QVERIFY(copied(1, kBytes - 1).ok());
    for (const auto& [offset, bytes] : {std::pair<std::uint64_t, std::uint64_t>{1, kBytes}, {kBytes + 1, 1}}) {
        const auto report = copied(offset, bytes);
        QVERIFY(!report.ok());
        QCOMPARE(report.error().code, std::string("out-of-bounds"));
    }
    // Memory of the other GPU is no place for the device's own copies.
    QVERIFY(!device->copyToDevice((*peer)->address(), piece).ok());
}

void TestCudaPeer::oldDriversAreNamed()
{
    const auto run = [] {
        useFakes("devices=2");
        qputenv("RIDGE_LIBCUDA", QCoreApplication::applicationDirPath().toUtf8() + "/fake_cuda_old.so");
        return openCudaDevice(0, {});
    };
    auto device = run();
    QVERIFY(device.ok());
    const auto peer = (*device)->allocatePeer(kBytes, "peer");
    QVERIFY(!peer.ok());
    QCOMPARE(peer.error().code, std::string("driver-too-old"));
    QVERIFY(peer.error().message.find("cuDeviceCanAccessPeer") != std::string::npos);
    const auto report = launched(**device, 128, 0);
    QVERIFY(report.ok());
    QCOMPARE(report->residentBlocksPerSm, 0u);
}

void TestCudaPeer::theDriverCountsBlocks()
{
    const auto device = openFake("");
    const auto blocks = [&](std::uint32_t threads, std::uint32_t shared) {
        const auto report = launched(*device, threads, shared);
        return report ? report->residentBlocksPerSm : 0;
    };
    QCOMPARE(blocks(128, 0), 16u);        // 64 warps
    QCOMPARE(blocks(32, 0), 32u);         // slots for blocks
    QCOMPARE(blocks(128, 100 << 10), 2u); // shared memory
    QCOMPARE(blocks(1024, 100 << 10), 2u);
    QCOMPARE(blocks(128, 113 << 10), 2u);
    QCOMPARE(blocks(128, (113 << 10) + 1), 1u);
}

QTEST_GUILESS_MAIN(TestCudaPeer)
#include "tst_cuda_peer.moc"
