// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"
#include "fake_matrix.h"

#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/library.h"
#include "gpu/reference.h"

#include <cmath>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::cuda;

namespace {

QByteArray besideTheTest(const char* file)
{
    return QCoreApplication::applicationDirPath().toUtf8() + "/" + file;
}

void useDnn(const QByteArray& settings, const char* file = "fake_dnn.so")
{
    qputenv("RIDGE_LIBCUDNN", besideTheTest(file));
    qputenv("RIDGE_FAKE_DNN", settings);
}

/// Handles and descriptors of the stand-in that nobody has given back.
int live()
{
    const Library library = openLibrary("", {besideTheTest("fake_dnn.so").toStdString()});
    int (*count)() = nullptr;
    if (!findEntry(library, "fakeDnnLive", count))
        qFatal("the stand-in does not count");
    return count();
}

/// A device with heads to attend; no two of its sizes are alike.
struct Bench {
    std::unique_ptr<Device> device;
    Attention work;

    Bench(MatrixFormat format, bool causal, std::uint64_t keyHeads, std::uint64_t tokens = 11)
        : device((useFakes("kernel_us=10"), std::move(*openCudaDevice(0, {}))))
    {
        work = {format, causal, 4, keyHeads, tokens, 8, 0.5f, {}, {}, {}, {}};
        work.q = made(elements(), 1);
        work.k = made(keyHeads * tokens * 8, 2);
        work.v = made(keyHeads * tokens * 8, 3);
        work.out = *device->allocate(2 * elements(), "out");
        poison();
    }
    std::uint64_t elements() const { return work.heads * work.tokens * work.columns; }
    static double value(std::uint64_t i, std::uint64_t of) // exact in bf16
    {
        return static_cast<double>((i * 7 + of * 5 + i / 8 * of) % 16) / 8 - 1;
    }
    const labs::SmallFormat& format() const { return work.format == MatrixFormat::Bf16 ? labs::kBf16 : labs::kFp16; }
    DevicePtr made(std::uint64_t count, std::uint64_t of) const
    {
        std::vector<std::uint16_t> bits(count);
        for (std::uint64_t i = 0; i < count; ++i)
            bits[i] = static_cast<std::uint16_t>(labs::roundTo(format(), value(i, of)));
        const DevicePtr to = *device->allocate(2 * count, "heads");
        if (!device->copyToDevice(to, std::as_bytes(std::span(bits))))
            qFatal("heads cannot be copied");
        return to;
    }
    void poison() const
    {
        QVERIFY(device->copyToDevice(work.out, std::vector<std::byte>(2 * elements(), std::byte{0xff})).ok());
    }
    Launch launch() const { return {"attention", {}, {}, 0, {work.q, work.k, work.v, work.out}}; }
    int wrongElements() const
    {
        std::vector<std::uint16_t> out(elements());
        if (!device->copyToHost(std::as_writable_bytes(std::span(out)), work.out))
            qFatal("the result cannot be read");
        int wrong = 0;
        const std::uint64_t n = work.tokens, d = work.columns;
        for (std::uint64_t row = 0; row < work.heads * n; ++row) {
            const std::uint64_t keys = row / n * work.keyHeads / work.heads * n;
            const std::uint64_t seen = work.causal ? row % n + 1 : n;
            std::vector<double> weights(seen);
            double all = 0;
            for (std::uint64_t key = 0; key < seen; ++key) {
                double score = 0;
                for (std::uint64_t c = 0; c < d; ++c)
                    score += value(row * d + c, 1) * value((keys + key) * d + c, 2);
                all += weights[key] = std::exp(score * static_cast<double>(work.scale));
            }
            for (std::uint64_t c = 0; c < d; ++c) {
                double wanted = 0;
                for (std::uint64_t key = 0; key < seen; ++key)
                    wanted += weights[key] / all * value((keys + key) * d + c, 3);
                const double got = labs::valueOf(format(), out[row * d + c]);
                wrong += std::abs(got - wanted) <= 0x1p-8 * std::abs(wanted) + 1e-6 ? 0 : 1;
            }
        }
        return wrong;
    }
};

} // namespace

/// cuDNN's attention as a reference, on a stand-in that checks every descriptor and computes by what it was told.
class TestVendorAttention : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup();
    void attentionIsRight_data();
    void attentionIsRight();
    void whatIsMissingIsNamed_data();
    void whatIsMissingIsNamed();
    void badShapesAreRefused_data();
    void badShapesAreRefused();
    void everythingIsGivenBack();
};

void TestVendorAttention::cleanup()
{
    QCOMPARE(live(), 0);
    qunsetenv("RIDGE_LIBCUDNN");
    qunsetenv("RIDGE_FAKE_DNN");
}

void TestVendorAttention::attentionIsRight_data()
{
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<bool>("causal");
    QTest::addColumn<int>("keyHeads");
    QTest::addColumn<int>("tokens");
    QTest::newRow("fp16") << false << false << 4 << 11;
    QTest::newRow("bf16") << true << false << 4 << 11;
    QTest::newRow("causal") << false << true << 4 << 11;
    QTest::newRow("grouped") << false << false << 2 << 11;
    QTest::newRow("multi-query, causal, bf16") << true << true << 1 << 13;
    QTest::newRow("one token") << false << true << 2 << 1;
}

void TestVendorAttention::attentionIsRight()
{
    QFETCH(bool, bf16);
    QFETCH(bool, causal);
    QFETCH(int, keyHeads);
    QFETCH(int, tokens);
    useDnn("");
    Bench bench(bf16 ? MatrixFormat::Bf16 : MatrixFormat::Fp16, causal, static_cast<std::uint64_t>(keyHeads),
                static_cast<std::uint64_t>(tokens));
    const auto reference = bench.device->reference(bench.work);
    QVERIFY2(reference.ok(), reference.ok() ? "" : toText(reference.error()).c_str());
    QCOMPARE(bench.wrongElements(), 0); // of the tries
    bench.poison();
    const auto ran = bench.device->launch(**reference, bench.launch(), {});
    QVERIFY2(ran.ok(), ran.ok() ? "" : toText(ran.error()).c_str());
    QCOMPARE(bench.wrongElements(), 0);
    useDnn("wrong=1");
    QVERIFY(bench.device->launch(**reference, bench.launch(), {}).ok());
    QCOMPARE(bench.wrongElements(), 1); // so the comparison can see one
}

void TestVendorAttention::whatIsMissingIsNamed_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<bool>("causal");
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("fix");
    const auto row = [](const char* name, const char* file, const char* settings, bool causal, const char* words,
                        const char* fix) {
        QTest::newRow(name) << QByteArray(file) << QByteArray(settings) << causal << QByteArray(words)
                            << QByteArray(fix);
    };
    row("absent", "nothing.so", "", false, "cuDNN cannot be used", "unset that variable");
    row("cuDNN 9.12", "fake_dnn.so", "minor=12", false, "cuDNN 9.12.1 is too old for attention",
        "install cuDNN 9.13.1");
    row("a mask before 9.21", "fake_dnn.so", "minor=20", true, "cuDNN 9.20.1 is too old for a causal mask",
        "install cuDNN 9.21.0");
    row("no tensor", "fake_dnn.so", "tensor=3002", false, "describe these heads", "another size");
    row("no mask", "fake_dnn.so", "mask=3000", true, "describe a causal mask", "another cuDNN");
    row("no attention", "fake_dnn.so", "attention=2000", false, "describe this attention", "another cuDNN");
    row("no graph", "fake_dnn.so", "graph=3001", false, "make a graph of this attention", "another cuDNN");
    row("no engine", "fake_dnn.so", "engines=0", false, "knows no engine for this attention on NVIDIA H200",
        "another size");
    row("every engine refuses", "fake_dnn.so", "refuses=255", true, "make a plan of this attention", "another size");
    row("does not run", "fake_dnn.so", "execute=5000", false, "run its plan", "another cuDNN");
}

void TestVendorAttention::whatIsMissingIsNamed()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, settings);
    QFETCH(bool, causal);
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, fix);
    useDnn(settings, file.constData());
    Bench bench(MatrixFormat::Fp16, causal, 2);
    const auto reference = bench.device->reference(bench.work);
    QVERIFY(!reference.ok());
    QCOMPARE(reference.error().code, std::string("no-reference"));
    QVERIFY2(reference.error().message.find(words.constData()) != std::string::npos, reference.error().message.c_str());
    QVERIFY2(reference.error().fix.find(fix.constData()) != std::string::npos, reference.error().fix.c_str());
    // The device goes on without it.
    QVERIFY(bench.device->copyToDevice(bench.work.out, std::vector<std::byte>(4)).ok());
}

void TestVendorAttention::badShapesAreRefused_data()
{
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("keyHeads");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<bool>("fp32");
    QTest::newRow("no heads") << 0 << 1 << 11 << false;
    QTest::newRow("no keys") << 4 << 0 << 11 << false;
    QTest::newRow("groups that do not come out") << 4 << 3 << 11 << false;
    QTest::newRow("no tokens") << 4 << 2 << 0 << false;
    QTest::newRow("fp32") << 4 << 2 << 11 << true;
}

void TestVendorAttention::badShapesAreRefused()
{
    QFETCH(int, heads);
    QFETCH(int, keyHeads);
    QFETCH(int, tokens);
    QFETCH(bool, fp32);
    useDnn("");
    Bench bench(MatrixFormat::Fp16, false, 2);
    Attention work = bench.work;
    work.heads = static_cast<std::uint64_t>(heads);
    work.keyHeads = static_cast<std::uint64_t>(keyHeads);
    work.tokens = static_cast<std::uint64_t>(tokens);
    work.format = fp32 ? MatrixFormat::Fp32 : work.format;
    const auto reference = bench.device->reference(work);
    QVERIFY(!reference.ok());
    QCOMPARE(reference.error().code, std::string("no-reference"));
    QVERIFY(!reference.error().fix.empty());
}

void TestVendorAttention::everythingIsGivenBack()
{
    useDnn("");
    Bench bench(MatrixFormat::Fp16, true, 2);
    {
        const auto reference = bench.device->reference(bench.work);
        QVERIFY(reference.ok());
        QVERIFY(live() > 5); // so it counts
        Launch three = bench.launch();
        three.args.pop_back();
        const auto ran = bench.device->launch(**reference, three, {});
        QVERIFY(!ran.ok() && ran.error().code == "bad-launch");
    }
    QCOMPARE(live(), 0);
}

QTEST_GUILESS_MAIN(TestVendorAttention)
#include "tst_vendor_attention.moc"
