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

/// A device with rows to normalise; no two of its sizes are alike.
struct Bench {
    static constexpr std::uint64_t kRows = 5, kColumns = 24;
    static constexpr double kEpsilon = 0.125; // large, so that a lost one shows
    std::unique_ptr<Device> device;
    RowNorm norm;

    explicit Bench(bool layer, const char* fake = "kernel_us=10")
        : device((useFakes(fake), std::move(*openCudaDevice(0, {}))))
    {
        norm = {layer,
                kRows,
                kColumns,
                static_cast<float>(kEpsilon),
                made(kRows * kColumns, x),
                made(kColumns, weight),
                made(kColumns, bias),
                made(kRows * kColumns, [](std::uint64_t) { return 0.0; })};
        poison();
    }
    static double x(std::uint64_t i) { return static_cast<double>(i * 7 % 16) / 8 - 0.5; } // exact in bf16
    static double weight(std::uint64_t i) { return 1 + static_cast<double>(i % 4) / 4; }
    static double bias(std::uint64_t i) { return static_cast<double>(i % 8) - 4; }

    template<class Element>
    DevicePtr made(std::uint64_t count, Element element) const
    {
        std::vector<std::uint16_t> bits(count);
        for (std::uint64_t i = 0; i < count; ++i)
            bits[i] = static_cast<std::uint16_t>(labs::roundTo(labs::kBf16, element(i)));
        const DevicePtr to = *device->allocate(2 * count, "rows");
        if (!device->copyToDevice(to, std::as_bytes(std::span(bits))))
            qFatal("rows cannot be copied");
        return to;
    }
    void poison() const
    {
        QVERIFY(device->copyToDevice(norm.y, std::vector<std::byte>(2 * kRows * kColumns, std::byte{0xff})).ok());
    }
    Launch launch() const
    {
        Launch out{"norm", {}, {}, 0, {norm.x, norm.weights}};
        if (norm.layer)
            out.args.emplace_back(norm.biases);
        out.args.emplace_back(norm.y);
        return out;
    }
    int wrongElements() const
    {
        std::vector<std::uint16_t> y(kRows * kColumns);
        if (!device->copyToHost(std::as_writable_bytes(std::span(y)), norm.y))
            qFatal("y cannot be read");
        int wrong = 0;
        for (std::uint64_t row = 0; row < kRows; ++row) {
            double sum = 0, squares = 0;
            for (std::uint64_t c = 0; c < kColumns; ++c)
                sum += x(row * kColumns + c);
            const double mean = norm.layer ? sum / kColumns : 0;
            for (std::uint64_t c = 0; c < kColumns; ++c)
                squares += (x(row * kColumns + c) - mean) * (x(row * kColumns + c) - mean);
            for (std::uint64_t c = 0; c < kColumns; ++c) {
                const double wanted =
                    (x(row * kColumns + c) - mean) / std::sqrt(squares / kColumns + kEpsilon) * weight(c) +
                    (norm.layer ? bias(c) : 0);
                const double got = labs::valueOf(labs::kBf16, y[row * kColumns + c]);
                wrong += std::abs(got - wanted) <= 0x1p-8 * std::abs(wanted) ? 0 : 1;
            }
        }
        return wrong;
    }
};

} // namespace

/// cuDNN's norms as references, on a stand-in that checks every descriptor and normalises by what it was told.
class TestVendorNorm : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup();
    void normsAreRight_data();
    void normsAreRight();
    void theFastestEngineIsTaken_data();
    void theFastestEngineIsTaken();
    void armsTakeTurns();
    void whatIsMissingIsNamed_data();
    void whatIsMissingIsNamed();
    void everythingIsGivenBack();
    void wrongArgumentsAreRefused();
};

void TestVendorNorm::cleanup()
{
    QCOMPARE(live(), 0);
    qunsetenv("RIDGE_LIBCUDNN");
    qunsetenv("RIDGE_FAKE_DNN");
}

void TestVendorNorm::normsAreRight_data()
{
    QTest::addColumn<bool>("layer");
    QTest::newRow("RMSNorm") << false;
    QTest::newRow("LayerNorm") << true;
}

void TestVendorNorm::normsAreRight()
{
    QFETCH(bool, layer);
    useDnn("");
    Bench bench(layer);
    const auto reference = bench.device->reference(bench.norm);
    QVERIFY2(reference.ok(), reference.ok() ? "" : toText(reference.error()).c_str());
    QCOMPARE(bench.wrongElements(), 0); // of the tries
    bench.poison();
    const auto ran = bench.device->launch(**reference, bench.launch(), {});
    QVERIFY2(ran.ok(), ran.ok() ? "" : toText(ran.error()).c_str());
    QCOMPARE(bench.wrongElements(), 0);
    useDnn("wrong=1");
    QVERIFY(bench.device->launch(**reference, bench.launch(), {}).ok());
    QCOMPARE(bench.wrongElements(), 1); // so the comparison can see one
    // Other buffers are another pack.
    useDnn("");
    const DevicePtr first = bench.norm.y;
    bench.norm.y = *bench.device->allocate(2 * Bench::kRows * Bench::kColumns, "other y");
    bench.poison();
    QVERIFY(bench.device->launch(**reference, bench.launch(), {}).ok());
    QCOMPARE(bench.wrongElements(), 0);
    bench.norm.y = first;
    QCOMPARE(bench.wrongElements(), 1); // as it was
}

void TestVendorNorm::theFastestEngineIsTaken_data()
{
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QByteArray>("name");
    const auto row = [](const char* name, const char* settings, const char* wanted) {
        QTest::newRow(name) << QByteArray(settings) << QByteArray(wanted);
    };
    row("one in the middle", "dnn_us=1000", "cuDNN 9.28.1, engine 2 of 4");
    row("it refuses", "dnn_us=1000,refuses=2", "cuDNN 9.28.1, engine 3 of 4");
    row("only the first can", "dnn_us=1000,refuses=14", "cuDNN 9.28.1, engine 1 of 4");
    row("only the fallback can", "dnn_us=1000,refuses=7", "cuDNN 9.28.1, engine 4 of 4");
    row("no workspace", "dnn_us=1000,workspace=0", "cuDNN 9.28.1, engine 2 of 4");
}

void TestVendorNorm::theFastestEngineIsTaken()
{
    QFETCH(QByteArray, settings);
    QFETCH(QByteArray, name);
    useDnn(settings);
    Bench bench(false);
    const auto reference = bench.device->reference(bench.norm);
    QVERIFY2(reference.ok(), reference.ok() ? "" : toText(reference.error()).c_str());
    const QByteArray got = QByteArray::fromStdString((*reference)->program().name);
    // Of equals a busy processor may put either first.
    if (settings.contains("refuses=2"))
        QVERIFY2(got == name || got == "cuDNN 9.28.1, engine 4 of 4", got.constData());
    else
        QCOMPARE(got, name);
    QCOMPARE(bench.wrongElements(), 0);
}

void TestVendorNorm::armsTakeTurns()
{
    useDnn("dnn_us=2000");
    Bench bench(true, "kernel_us=1000");
    const auto reference = bench.device->reference(bench.norm);
    QVERIFY(reference.ok());
    auto program = bench.device->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    QVERIFY(program.ok());
    const Step own{program->get(), Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}};
    const std::array<Arm, 2> arms{Arm{"own", {{own}}}, Arm{"cudnn", {{Step{reference->get(), bench.launch()}}}}};
    const auto timings = bench.device->timeArms(arms, {});
    QVERIFY2(timings.ok(), timings.ok() ? "" : toText(timings.error()).c_str());
    QCOMPARE(timings->size(), std::size_t{2});
    // A busy processor can only add to a sample.
    QVERIFY((*timings)[0].minSeconds > 0.99e-3);
    QVERIFY((*timings)[1].minSeconds > 1.99e-3);
    QVERIFY((*timings)[1].toFirst.has_value() && (*timings)[1].toFirst->pairs > 0);
    QCOMPARE(bench.wrongElements(), 0);
}

void TestVendorNorm::whatIsMissingIsNamed_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("fix");
    const auto row = [](const char* name, const char* file, const char* settings, const char* words, const char* fix) {
        QTest::newRow(name) << QByteArray(file) << QByteArray(settings) << QByteArray(words) << QByteArray(fix);
    };
    row("absent", "nothing.so", "", "cuDNN cannot be used", "unset that variable");
    row("a stranger", "fake_nvml.so", "", "cudnnGetProperty", "unset that variable");
    row("versions only", "fake_vendor.so", "", "no entry point cudnnCreate", "install cuDNN 9");
    row("cuDNN 8", "fake_dnn.so", "major=8", "cuDNN 8.28.1 is too old for norms", "install cuDNN 9");
    row("does not start", "fake_dnn.so", "create=1001",
        "cannot be started: CUDNN_STATUS_BAD_PARAM (1001), stand-in: create", "reference=none");
    row("takes no stream", "fake_dnn.so", "stream=2000", "cannot take a stream", "another cuDNN");
    row("no tensor", "fake_dnn.so", "tensor=3002", "describe these rows: CUDNN_STATUS_NOT_SUPPORTED (3002)",
        "another size");
    row("no norm", "fake_dnn.so", "norm=2000", "describe this norm", "another cuDNN");
    row("no graph", "fake_dnn.so", "graph=3001", "make a graph of this norm", "another cuDNN");
    row("no heuristics", "fake_dnn.so", "heuristics=3000", "knows no engine for this norm on NVIDIA H200",
        "another size");
    row("no engine", "fake_dnn.so", "engines=0", "knows no engine for this norm on NVIDIA H200", "another size");
    row("every engine refuses", "fake_dnn.so", "refuses=255",
        "make a plan of this norm: CUDNN_STATUS_NOT_SUPPORTED (3000), stand-in: engine 3 refuses", "another size");
    row("no plan", "fake_dnn.so", "plan=3007", "make a plan of this norm", "another cuDNN");
    row("no pack", "fake_dnn.so", "pack=2000", "take these buffers", "another cuDNN");
    row("does not run", "fake_dnn.so", "execute=5000", "run its plan", "another cuDNN");
    row("wants too much", "fake_dnn.so", "workspace=100000000", "knows no engine", "another size");
}

void TestVendorNorm::whatIsMissingIsNamed()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, settings);
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, fix);
    useDnn(settings, file.constData());
    Bench bench(true);
    const auto reference = bench.device->reference(bench.norm);
    QVERIFY(!reference.ok());
    QCOMPARE(reference.error().code, std::string("no-reference"));
    QVERIFY2(reference.error().message.find(words.constData()) != std::string::npos, reference.error().message.c_str());
    QVERIFY2(reference.error().fix.find(fix.constData()) != std::string::npos, reference.error().fix.c_str());
    // The device goes on without it.
    QVERIFY(bench.device->copyToDevice(bench.norm.y, std::vector<std::byte>(4)).ok());
}

void TestVendorNorm::everythingIsGivenBack()
{
    useDnn("");
    Bench bench(true);
    {
        const auto reference = bench.device->reference(bench.norm);
        QVERIFY(reference.ok());
        QVERIFY(live() > 5); // so it counts
    }
    QCOMPARE(live(), 0);
}

void TestVendorNorm::wrongArgumentsAreRefused()
{
    useDnn("");
    Bench bench(true);
    const auto reference = bench.device->reference(bench.norm);
    QVERIFY(reference.ok());
    Launch three = bench.launch();
    three.args.pop_back();
    const auto ran = bench.device->launch(**reference, three, {});
    QVERIFY(!ran.ok() && ran.error().code == "bad-launch");
}

QTEST_GUILESS_MAIN(TestVendorNorm)
#include "tst_vendor_norm.moc"
