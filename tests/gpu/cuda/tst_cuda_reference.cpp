// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_driver.h"
#include "fake_matrix.h"

#include "gpu/cuda/cuda_device.h"
#include "gpu/reference.h"
#include "gpu/schedule.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::cuda;

namespace {

void useBlas(const char* settings, const char* cublas = "fake_blas.so", const char* cublasLt = "fake_blas.so")
{
    const QByteArray folder = QCoreApplication::applicationDirPath().toUtf8() + "/";
    qputenv("RIDGE_LIBCUBLAS", folder + cublas);
    qputenv("RIDGE_LIBCUBLASLT", folder + cublasLt);
    qputenv("RIDGE_FAKE_BLAS", settings);
}

const labs::SmallFormat& formatOf(MatrixFormat format)
{
    switch (format) {
    case MatrixFormat::Fp16:
        return labs::kFp16;
    case MatrixFormat::Bf16:
        return labs::kBf16;
    case MatrixFormat::E4m3:
        return labs::kE4m3;
    default:
        return labs::kFp32;
    }
}

/// Small whole numbers, so that every sum is exact in every format.
double elementA(std::uint64_t row, std::uint64_t k)
{
    return static_cast<double>((3 * row + 5 * k + row * k) % 5) - 2;
}

double elementB(std::uint64_t k, std::uint64_t column)
{
    return static_cast<double>((7 * k + 2 * column + k * column) % 3) - 1;
}

/// A device with a product that is not square, so that no two of its sides can be confused.
struct Bench {
    static constexpr std::uint64_t kM = 5, kN = 9, kK = 7;
    std::unique_ptr<Device> device;
    MatrixProduct product;

    explicit Bench(const char* fake = "kernel_us=10") : device((useFakes(fake), std::move(*openCudaDevice(0, {})))) {}

    void fill(MatrixFormat in, MatrixFormat out)
    {
        const unsigned size = (formatOf(in).bits() + 7) / 8;
        std::vector<std::byte> a(kM * kK * size), b(kK * kN * size);
        const auto put = [&](std::vector<std::byte>& to, std::uint64_t at, double value) {
            const std::uint32_t bits = labs::roundTo(formatOf(in), value);
            std::memcpy(to.data() + at * size, &bits, size);
        };
        for (std::uint64_t k = 0; k < kK; ++k) {
            for (std::uint64_t row = 0; row < kM; ++row)
                put(a, row * kK + k, elementA(row, k));
            for (std::uint64_t column = 0; column < kN; ++column)
                put(b, column * kK + k, elementB(k, column));
        }
        product = {in,
                   out,
                   kM,
                   kN,
                   kK,
                   *device->allocate(a.size(), "A"),
                   *device->allocate(b.size(), "B"),
                   *device->allocate(kM * kN * 4, "C")};
        QVERIFY(device->copyToDevice(product.a, a).ok() && device->copyToDevice(product.b, b).ok());
        poison();
    }
    void poison() const
    {
        QVERIFY(device->copyToDevice(product.c, std::vector<std::byte>(kM * kN * 4, std::byte{0xff})).ok());
    }
    Step step(const LoadedProgram& program) const
    {
        return {&program, Launch{program.program().name, {}, {}, 0, {product.a, product.b, product.c}}};
    }
    int wrongElements() const
    {
        const unsigned size = (formatOf(product.out).bits() + 7) / 8;
        std::vector<std::byte> c(kM * kN * size);
        if (!device->copyToHost(c, product.c).ok())
            qFatal("C cannot be read");
        int wrong = 0;
        for (std::uint64_t row = 0; row < kM; ++row)
            for (std::uint64_t column = 0; column < kN; ++column) {
                double wanted = 0;
                for (std::uint64_t k = 0; k < kK; ++k)
                    wanted += elementA(row, k) * elementB(k, column);
                std::uint32_t bits = 0;
                std::memcpy(&bits, c.data() + (row * kN + column) * size, size);
                wrong += labs::valueOf(formatOf(product.out), bits) == wanted ? 0 : 1;
            }
        return wrong;
    }
};

} // namespace

/// cuBLAS, cuBLASLt and the driver's copy as references: on stand-ins that multiply and copy what they are told to.
class TestCudaReference : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup();
    void productsAreRight_data();
    void productsAreRight();
    void theFastestWayIsTaken_data();
    void theFastestWayIsTaken();
    void armsTakeTurns();
    void whatIsMissingIsNamed_data();
    void whatIsMissingIsNamed();
    void aFaultClosesTheDevice();
    void theDriversCopy();
    void wrongArgumentsAreRefused();
};

void TestCudaReference::cleanup()
{
    for (const char* variable : {"RIDGE_LIBCUBLAS", "RIDGE_LIBCUBLASLT", "RIDGE_FAKE_BLAS"})
        qunsetenv(variable);
}

void TestCudaReference::productsAreRight_data()
{
    QTest::addColumn<int>("in");
    QTest::addColumn<int>("out");
    QTest::addColumn<QByteArray>("only"); // of the two libraries
    const auto add = [](const char* name, MatrixFormat in, MatrixFormat out) {
        for (const char* only : {"lt", "blas"})
            if (in != MatrixFormat::E4m3 || QByteArray(only) == "lt") // cuBLAS's own call has no FP8
                QTest::addRow("%s, %s", name, only)
                    << static_cast<int>(in) << static_cast<int>(out) << QByteArray(only);
    };
    add("fp32", MatrixFormat::Fp32, MatrixFormat::Fp32);
    add("tf32", MatrixFormat::Tf32, MatrixFormat::Fp32);
    add("fp16", MatrixFormat::Fp16, MatrixFormat::Fp16);
    add("bf16", MatrixFormat::Bf16, MatrixFormat::Bf16);
    add("fp8", MatrixFormat::E4m3, MatrixFormat::Fp32);
}

void TestCudaReference::productsAreRight()
{
    QFETCH(int, in);
    QFETCH(int, out);
    QFETCH(QByteArray, only);
    useBlas("", only == "lt" ? "fake_nvml.so" : "fake_blas.so", only == "lt" ? "fake_blas.so" : "fake_nvml.so");
    Bench bench;
    bench.fill(static_cast<MatrixFormat>(in), static_cast<MatrixFormat>(out));
    const auto reference = bench.device->reference(bench.product);
    QVERIFY2(reference.ok(), reference.ok() ? "" : toText(reference.error()).c_str());
    bench.poison();
    const Step step = bench.step(**reference);
    const auto ran = bench.device->launch(**reference, step.launch, {});
    QVERIFY2(ran.ok(), ran.ok() ? "" : toText(ran.error()).c_str());
    QCOMPARE(bench.wrongElements(), 0);
    useBlas("wrong=1");
    QVERIFY(bench.device->launch(**reference, step.launch, {}).ok());
    QCOMPARE(bench.wrongElements(), 1); // so the comparison can see one
}

void TestCudaReference::theFastestWayIsTaken_data()
{
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QByteArray>("name");
    QTest::newRow("an algorithm in the middle")
        << QByteArray("lt_us=1000,blas_us=5000") << QByteArray("cuBLASLt 13.1.0, algorithm 2 of 3");
    QTest::newRow("cuBLAS's own") << QByteArray("lt_us=4000,blas_us=500")
                                  << QByteArray("cuBLAS 13.1.0, its own choice");
    QTest::newRow("cuBLASLt fails in the call")
        << QByteArray("matmul=14") << QByteArray("cuBLAS 13.1.0, its own choice");
    QTest::newRow("no algorithm") << QByteArray("algorithms=0") << QByteArray("cuBLAS 13.1.0, its own choice");
    QTest::newRow("cuBLAS refuses") << QByteArray("gemm=15") << QByteArray("cuBLASLt 13.1.0, algorithm 2 of 3");
}

void TestCudaReference::theFastestWayIsTaken()
{
    QFETCH(QByteArray, settings);
    QFETCH(QByteArray, name);
    useBlas(settings.constData());
    Bench bench;
    bench.fill(MatrixFormat::Bf16, MatrixFormat::Bf16);
    const auto reference = bench.device->reference(bench.product);
    QVERIFY2(reference.ok(), reference.ok() ? "" : toText(reference.error()).c_str());
    QCOMPARE(QByteArray::fromStdString((*reference)->program().name), name);
}

void TestCudaReference::armsTakeTurns()
{
    useBlas("lt_us=2000,blas_us=9000");
    Bench bench("kernel_us=1000");
    bench.fill(MatrixFormat::Fp16, MatrixFormat::Fp16);
    const auto reference = bench.device->reference(bench.product);
    QVERIFY(reference.ok());
    auto program = bench.device->load(Program{"test.cu", kPtx, "sm_80", "nvrtc", "13.0", ""});
    QVERIFY(program.ok());
    const Step own{program->get(), Launch{"spin", {1, 1, 1}, {32, 1, 1}, 0, {}}};
    const std::array<Arm, 2> arms{Arm{"own", {{own}}}, Arm{"reference", {{bench.step(**reference)}}}};
    const auto timings = bench.device->timeArms(arms, {});
    QVERIFY2(timings.ok(), timings.ok() ? "" : toText(timings.error()).c_str());
    QCOMPARE(timings->size(), std::size_t{2});
    // A busy processor can only add to a sample.
    QVERIFY((*timings)[0].minSeconds > 0.99e-3 && (*timings)[0].minSeconds < 1.9e-3);
    QVERIFY((*timings)[1].minSeconds > 1.99e-3);
    QCOMPARE(bench.wrongElements(), 0);
}

void TestCudaReference::whatIsMissingIsNamed_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("fix");
    QTest::newRow("absent") << QByteArray("nothing.so") << QByteArray() << QByteArray("cuBLASLt cannot be used")
                            << QByteArray("unset that variable");
    QTest::newRow("a stranger") << QByteArray("fake_nvml.so") << QByteArray() << QByteArray("cublasLtGetProperty")
                                << QByteArray("unset that variable");
    QTest::newRow("versions only") << QByteArray("fake_vendor.so") << QByteArray()
                                   << QByteArray("cannot describe this product") << QByteArray("another version");
    QTest::newRow("does not start") << QByteArray("fake_blas.so") << QByteArray("create=1") << QByteArray("(status 1)")
                                    << QByteArray("another version");
    QTest::newRow("knows nothing") << QByteArray("fake_blas.so") << QByteArray("algorithms=0,gemm=15")
                                   << QByteArray("(status 15)") << QByteArray("measure without it");
}

void TestCudaReference::whatIsMissingIsNamed()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, settings);
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, fix);
    useBlas(settings.constData(), file.constData(), file.constData());
    Bench bench;
    bench.fill(MatrixFormat::Fp16, MatrixFormat::Fp16);
    const auto reference = bench.device->reference(bench.product);
    QVERIFY(!reference.ok());
    QCOMPARE(reference.error().code, std::string("no-reference"));
    QVERIFY2(reference.error().message.find(words.constData()) != std::string::npos, reference.error().message.c_str());
    QVERIFY2(reference.error().fix.find(fix.constData()) != std::string::npos, reference.error().fix.c_str());
    // The device goes on without it.
    QVERIFY(bench.device->copyToDevice(bench.product.c, std::vector<std::byte>(4)).ok());
}

void TestCudaReference::aFaultClosesTheDevice()
{
    useBlas("");
    Bench bench("lost=999");
    useFakes("");
    bench.fill(MatrixFormat::Fp16, MatrixFormat::Fp16);
    useFakes("lost=999");
    const auto reference = bench.device->reference(bench.product);
    QVERIFY(!reference.ok());
    QCOMPARE(reference.error().code, std::string("gpu-lost"));
    const auto again = bench.device->reference(bench.product);
    QVERIFY(!again.ok() && again.error().message.starts_with("the device was closed"));
}

void TestCudaReference::theDriversCopy()
{
    Bench bench;
    const std::vector<std::byte> from(1000, std::byte{0x5c});
    std::vector<std::byte> back(1000);
    const DevicePtr a = *bench.device->allocate(1000, "a"), b = *bench.device->allocate(1000, "b");
    QVERIFY(bench.device->copyToDevice(a, from).ok() && bench.device->copyToDevice(b, back).ok());
    const auto reference = bench.device->reference(DeviceCopy{999});
    QVERIFY(reference.ok());
    QVERIFY(bench.device->launch(**reference, Launch{"copy", {}, {}, 0, {b, a}}, {}).ok());
    QVERIFY(bench.device->copyToHost(back, b).ok());
    QVERIFY(std::equal(back.begin(), back.end() - 1, from.begin()));
    QCOMPARE(static_cast<int>(back.back()), 0);
}

void TestCudaReference::wrongArgumentsAreRefused()
{
    useBlas("");
    Bench bench;
    bench.fill(MatrixFormat::Fp16, MatrixFormat::Fp16);
    const auto reference = bench.device->reference(bench.product);
    QVERIFY(reference.ok());
    for (const std::vector<KernelArg>& args :
         {std::vector<KernelArg>{bench.product.a, bench.product.b},
          std::vector<KernelArg>{bench.product.a, bench.product.b, bench.product.c, std::uint32_t{7}}}) {
        const auto ran = bench.device->launch(**reference, Launch{"x", {}, {}, 0, args}, {});
        QVERIFY(!ran.ok() && ran.error().code == "bad-launch");
    }
    // Streams and graphs take kernels alone.
    const Schedule schedule{{0, bench.step(**reference), "reference"}};
    const auto scheduled = bench.device->runSchedule(schedule, {});
    QVERIFY(!scheduled.ok());
    QCOMPARE(scheduled.error().code, std::string("bad-schedule"));
}

QTEST_GUILESS_MAIN(TestCudaReference)
#include "tst_cuda_reference.moc"
