// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"

#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/library.h"
#include "gpu/reference.h"

#include <cstring>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::cuda;

namespace {

constexpr std::uint64_t kBytes = 4099;
constexpr std::uint64_t kElements = 1000;

QByteArray besideTheTest(const char* file)
{
    return QCoreApplication::applicationDirPath().toUtf8() + "/" + file;
}

void useNccl(const QByteArray& settings, const char* file = "fake_nccl.so")
{
    qputenv("RIDGE_LIBNCCL", besideTheTest(file));
    qputenv("RIDGE_FAKE_NCCL", settings);
}

int live()
{
    const Library library = openLibrary("", {besideTheTest("fake_nccl.so").toStdString()});
    int (*count)() = nullptr;
    if (!findEntry(library, "fakeNcclLive", count))
        qFatal("the stand-in does not count");
    return count();
}

std::vector<std::byte> numbered()
{
    std::vector<std::byte> out(kBytes);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::byte>(i * 7 + i / 256);
    return out;
}

/// Two GPUs, bytes on one and room on the other.
struct Bench {
    std::unique_ptr<Device> device;
    std::unique_ptr<PeerMemory> there;
    DevicePtr from;

    explicit Bench(const char* fake = "devices=2,peer_gbs=0.01", int index = 0)
        : device((useFakes(fake), std::move(*openCudaDevice(index, {})))),
          there(std::move(*device->allocatePeer(kBytes, "there"))), from(*device->allocate(kBytes, "here"))
    {
        if (!device->copyToDevice(from, numbered()))
            qFatal("bytes cannot be copied");
        poison();
    }
    void poison() const { QVERIFY(there->write(std::vector<std::byte>(kBytes, std::byte{0xff}), 0).ok()); }
    PeerCopy work(PeerCopy::By by) const { return {kBytes, there.get(), by}; }
    Launch launch() const { return {"copy", {}, {}, 0, {there->address(), from}}; }
    int wrongBytes() const
    {
        std::vector<std::byte> got(kBytes);
        if (!there->read(got, 0))
            qFatal("bytes cannot be read");
        const auto wanted = numbered();
        int wrong = 0;
        for (std::size_t i = 0; i < kBytes; ++i)
            wrong += got[i] == wanted[i] ? 0 : 1;
        return wrong;
    }
};

} // namespace

/// NCCL as a reference between two GPUs, on a stand-in that knows whose memory and streams it is given.
class TestVendorNccl : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup();
    void bytesArrive_data();
    void bytesArrive();
    void bothSidesAreTimed();
    void bothGetTheSum();
    void whatIsMissingIsNamed_data();
    void whatIsMissingIsNamed();
    void foreignMemoryIsRefused();
};

void TestVendorNccl::cleanup()
{
    QCOMPARE(live(), 0);
    qunsetenv("RIDGE_LIBNCCL");
    qunsetenv("RIDGE_FAKE_NCCL");
}

void TestVendorNccl::bytesArrive_data()
{
    QTest::addColumn<int>("by");
    QTest::addColumn<int>("index");
    QTest::addColumn<QByteArray>("name");
    for (const int index : {0, 1}) {
        QTest::addRow("the driver, from %d", index)
            << static_cast<int>(PeerCopy::By::Driver) << index << QByteArray("cuMemcpyPeerAsync");
        QTest::addRow("NCCL, from %d", index)
            << static_cast<int>(PeerCopy::By::Nccl) << index << QByteArray("NCCL 2.27.3, send and receive");
    }
}

void TestVendorNccl::bytesArrive()
{
    QFETCH(int, by);
    QFETCH(int, index);
    QFETCH(QByteArray, name);
    useNccl("");
    Bench bench("devices=2", index);
    const auto reference = bench.device->reference(bench.work(static_cast<PeerCopy::By>(by)));
    QVERIFY2(reference.ok(), reference.ok() ? "" : toText(reference.error()).c_str());
    QCOMPARE(QByteArray::fromStdString((*reference)->program().name), name);
    QVERIFY(bench.wrongBytes() > 0); // nothing was sent yet
    const auto ran = bench.device->launch(**reference, bench.launch(), {});
    QVERIFY2(ran.ok(), ran.ok() ? "" : toText(ran.error()).c_str());
    QCOMPARE(bench.wrongBytes(), 0);
    if (static_cast<PeerCopy::By>(by) == PeerCopy::By::Nccl) {
        useNccl("wrong=1");
        QVERIFY(bench.device->launch(**reference, bench.launch(), {}).ok());
        QCOMPARE(bench.wrongBytes(), 1); // so the comparison can see one
    }
    // The device's own context is current again: its memory can be had and freed.
    const auto more = bench.device->allocate(64, "more");
    QVERIFY(more.ok() && bench.device->free(*more).ok());
}

/// The side that takes longer is on the other GPU: the session's events must wait for it.
void TestVendorNccl::bothSidesAreTimed()
{
    useNccl("send_us=100,receive_us=3000");
    Bench bench("devices=2,peer_gbs=0.004"); // 1.02 ms for 4099 B
    const auto own = bench.device->reference(bench.work(PeerCopy::By::Driver));
    const auto nccl = bench.device->reference(bench.work(PeerCopy::By::Nccl));
    QVERIFY(own.ok() && nccl.ok());
    const std::array<Arm, 2> arms{Arm{"own", {{Step{own->get(), bench.launch()}}}},
                                  Arm{"nccl", {{Step{nccl->get(), bench.launch()}}}}};
    const auto timings = bench.device->timeArms(arms, {});
    QVERIFY2(timings.ok(), timings.ok() ? "" : toText(timings.error()).c_str());
    QCOMPARE(timings->size(), std::size_t{2});
    QVERIFY((*timings)[0].minSeconds > 1.0e-3);
    QVERIFY((*timings)[1].minSeconds > 2.99e-3);
    QVERIFY((*timings)[1].toFirst.has_value() && (*timings)[1].toFirst->pairs > 0);
}

void TestVendorNccl::bothGetTheSum()
{
    useNccl("");
    Bench bench;
    const auto addends = bench.device->allocatePeer(4 * kElements, "addends there");
    const auto sum = bench.device->allocatePeer(4 * kElements, "sum there");
    QVERIFY(addends.ok() && sum.ok());
    const DevicePtr own = *bench.device->allocate(4 * kElements, "addends here");
    const DevicePtr ownSum = *bench.device->allocate(4 * kElements, "sum here");
    std::vector<float> here(kElements), there(kElements), got(kElements);
    for (std::uint64_t i = 0; i < kElements; ++i) {
        here[i] = static_cast<float>(i);
        there[i] = static_cast<float>(3 * i) - 7;
    }
    QVERIFY(bench.device->copyToDevice(own, std::as_bytes(std::span(here))).ok());
    QVERIFY((*addends)->write(std::as_bytes(std::span(there)), 0).ok());
    const auto reference = bench.device->reference(PeerSum{kElements, sum->get(), addends->get()});
    QVERIFY2(reference.ok(), reference.ok() ? "" : toText(reference.error()).c_str());
    QCOMPARE((*reference)->program().name, std::string("NCCL 2.27.3, all-reduce"));
    const auto ran = bench.device->launch(
        **reference, Launch{"sum", {}, {}, 0, {ownSum, own, (*sum)->address(), (*addends)->address()}}, {});
    QVERIFY2(ran.ok(), ran.ok() ? "" : toText(ran.error()).c_str());
    const auto isRight = [&] {
        for (std::uint64_t i = 0; i < kElements; ++i)
            if (got[i] != here[i] + there[i])
                return false;
        return true;
    };
    QVERIFY(bench.device->copyToHost(std::as_writable_bytes(std::span(got)), ownSum).ok());
    QVERIFY(isRight());
    got.assign(kElements, 0);
    QVERIFY((*sum)->read(std::as_writable_bytes(std::span(got)), 0).ok());
    QVERIFY(isRight());
    // Memory that is not where the call says is refused, not added up.
    const auto swapped = bench.device->launch(
        **reference, Launch{"sum", {}, {}, 0, {(*sum)->address(), own, ownSum, (*addends)->address()}}, {});
    QVERIFY(!swapped.ok() && swapped.error().code == "no-reference");
}

void TestVendorNccl::whatIsMissingIsNamed_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<bool>("made"); // whether only its use shows it
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("fix");
    const auto row = [](const char* name, const char* file, const char* settings, bool made, const char* words,
                        const char* fix) {
        QTest::newRow(name) << QByteArray(file) << QByteArray(settings) << made << QByteArray(words) << QByteArray(fix);
    };
    row("absent", "nothing.so", "", false, "NCCL cannot be used", "unset that variable");
    row("a stranger", "fake_nvml.so", "", false, "ncclGetVersion", "unset that variable");
    row("versions only", "fake_vendor.so", "", false, "no entry point ncclCommInitAll", "NCCL 2.7");
    row("does not start", "fake_nccl.so", "init=2", false,
        "cannot join gpu:0 and gpu:1, NVIDIA H200: unhandled system error (2), stand-in: init", "NCCL_DEBUG");
    row("does not send", "fake_nccl.so", "send=4", true, "cannot send: invalid argument (4), stand-in: send",
        "reference=none");
    row("does not receive", "fake_nccl.so", "receive=4", true, "stand-in: receive", "reference=none");
    row("the group fails", "fake_nccl.so", "group=5", true, "invalid usage (5), stand-in: group", "reference=none");
}

void TestVendorNccl::whatIsMissingIsNamed()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, settings);
    QFETCH(bool, made);
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, fix);
    useNccl(settings, file.constData());
    Bench bench;
    const auto reference = bench.device->reference(bench.work(PeerCopy::By::Nccl));
    QCOMPARE(reference.ok(), made);
    std::optional<Error> error;
    if (made) {
        const auto ran = bench.device->launch(**reference, bench.launch(), {});
        QVERIFY(!ran.ok());
        error = ran.error();
    } else {
        error = reference.error();
    }
    QCOMPARE(error->code, std::string("no-reference"));
    QVERIFY2(error->message.find(words.constData()) != std::string::npos, error->message.c_str());
    QVERIFY2(error->fix.find(fix.constData()) != std::string::npos, error->fix.c_str());
    // The device goes on without it, with its own context.
    QVERIFY(bench.device->copyToDevice(bench.from, numbered()).ok());
    const auto more = bench.device->allocate(64, "more");
    QVERIFY(more.ok() && bench.device->free(*more).ok());
}

void TestVendorNccl::foreignMemoryIsRefused()
{
    useNccl("");
    Bench bench;
    PeerCopy work = bench.work(PeerCopy::By::Nccl);
    work.bytes = kBytes + 1;
    const auto tooLong = bench.device->reference(work);
    QVERIFY(!tooLong.ok() && tooLong.error().code == "bad-launch");
    const auto none = bench.device->reference(PeerCopy{16, nullptr, PeerCopy::By::Driver});
    QVERIFY(!none.ok() && none.error().code == "bad-launch");
    const auto half = bench.device->reference(PeerSum{4, bench.there.get(), nullptr});
    QVERIFY(!half.ok() && half.error().code == "bad-launch");
}

QTEST_GUILESS_MAIN(TestVendorNccl)
#include "tst_vendor_nccl.moc"
