// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/quantize.h"
#include "memory/samples.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace ridge;
using namespace ridge::memory;

namespace {

QuantScheme schemeOf(const char* format, Granularity granularity = Granularity::Tensor, std::uint32_t group = 128,
                     Scaling scaling = Scaling::Absmax)
{
    return {findQuantFormat(format), granularity, group, scaling, Method::Rtn};
}

std::vector<double> restored(const Quantized& quantized)
{
    std::vector<double> out(quantized.count);
    dequantize(quantized, out);
    return out;
}

std::vector<double> backAndForth(const std::vector<double>& values, const QuantScheme& scheme,
                                 std::size_t columns = 4096)
{
    return restored(*quantize(values, columns, scheme));
}

const std::vector<double>& reference() // of systems: 2^22 of default_rng(12345).standard_normal
{
    static const std::vector<double> samples = drawSamples(Distribution::Normal, 1u << 22, 12345);
    return samples;
}

bool close(double got, double wanted)
{
    return std::fabs(got - wanted) <= 1e-13 * std::fabs(wanted);
}

} // namespace

class TestQuantize : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersOfNumpy();
    void distributions_data();
    void distributions();
    void filesOfSamples();
    void publishedSqnr_data();
    void publishedSqnr();
    void fastCastIsTheExactOne_data();
    void fastCastIsTheExactOne();
    void integersStayWithinHalfAStep();
    void zeroPointKeepsZero();
    void blockScales();
    void groupsDoNotCrossRows();
    void groupsHelpAgainstOutliers();
    void bitsAnElement_data();
    void bitsAnElement();
    void extremes_data();
    void extremes();
    void refusals();
};

void TestQuantize::numbersOfNumpy()
{
    // numpy 2.4.6: default_rng(12345).bit_generator.random_raw(3), .standard_normal(4), .laplace(3), .standard_t(5, 3)
    NumpyRng raw(12345);
    QCOMPARE(raw.next(), 0x3a32b18db2ffc19dULL);
    QCOMPARE(raw.next(), 0x51171315c9e4c4deULL);
    QCOMPARE(raw.next(), 0xcc2024823444efd9ULL);
    NumpyRng normal(12345), laplace(12345), student(12345);
    for (const double wanted : {-0x1.6c7fcc2ecc744p+0, 0x1.4383b54eb0649p+0, -0x1.bdc76014d359ep-1})
        QVERIFY(close(normal.normal(), wanted));
    for (const double wanted : {-0.7881789002823312, -0.45646895057069325, 0.9032040242636198})
        QVERIFY(close(laplace.laplace(), wanted));
    for (const double wanted : {-1.0485252456959204, -0.2856767184733766, -1.1961349651102045})
        QVERIFY(close(student.studentT(5), wanted));
    double most = 0;
    for (const double value : reference())
        most = std::max(most, std::fabs(value));
    QVERIFY(close(most, 5.148063660821685)); // from the tail
}

void TestQuantize::distributions_data()
{
    QTest::addColumn<int>("distribution");
    QTest::addColumn<double>("variance"); // in closed form
    QTest::newRow("normal") << 0 << 1.0;
    QTest::newRow("laplace") << 1 << 2.0;
    QTest::newRow("student_t5") << 2 << 5.0 / 3;
    QTest::newRow("normal_outliers") << 3 << 0.999 + 0.001 * 400;
}

void TestQuantize::distributions()
{
    QFETCH(int, distribution);
    QFETCH(double, variance);
    const auto samples = drawSamples(static_cast<Distribution>(distribution), 1u << 20, 7);
    double sum = 0, squares = 0;
    for (const double value : samples) {
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(samples.size());
    QVERIFY(std::fabs(sum / count) < 5 * std::sqrt(variance / count));
    QVERIFY2(std::fabs(squares / count / variance - 1) < 0.03, QByteArray::number(squares / count)); // heavy tails vary
    QVERIFY(drawSamples(static_cast<Distribution>(distribution), 100, 8) !=
            drawSamples(static_cast<Distribution>(distribution), 100, 7));
}

void TestQuantize::filesOfSamples()
{
    const double values[] = {1.5, -2, 1e100};
    const std::string plain(reinterpret_cast<const char*>(values), sizeof values);
    QCOMPARE(*parseSamples(plain, "x.f64"), (std::vector<double>{1.5, -2, 1e100}));
    const std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n";
    const std::string length(1, static_cast<char>(dictionary.size()));
    const std::string first = std::string("\x93NUMPY\x01", 7) + '\0' + length + '\0';
    QCOMPARE(*parseSamples(first + dictionary + plain, "x.npy"), (std::vector<double>{1.5, -2, 1e100}));
    const std::string second = std::string("\x93NUMPY\x02", 7) + '\0' + length + std::string(3, '\0');
    QCOMPARE(*parseSamples(second + dictionary + plain, "x.npy"), (std::vector<double>{1.5, -2, 1e100}));
    std::string floats = dictionary;
    floats.replace(floats.find("<f8"), 3, "<f4");
    for (const std::string& bad :
         {std::string(), std::string("1.5\n"), first + floats + plain, first, first.substr(0, 8), first + dictionary,
          second.substr(0, 9) + std::string(3, '\xff') + plain}) {
        const auto refused = parseSamples(bad, "x");
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("bad-samples"));
        QCOMPARE(refused.error().place, std::string("x"));
    }
}

void TestQuantize::publishedSqnr_data()
{
    QTest::addColumn<QByteArray>("format");
    QTest::addColumn<int>("group"); // 0: tensor
    QTest::addColumn<int>("scaling");
    QTest::addColumn<double>("sqnr");
    const auto row = [](const char* format, int group, Scaling scaling, double sqnr) {
        QTest::addRow("%s %d %d", format, group, static_cast<int>(scaling))
            << QByteArray(format) << group << static_cast<int>(scaling) << sqnr;
    };
    // numpy on the same samples, docs/validation.md
    row("int8", 0, Scaling::Absmax, 38.64);
    row("int8", 128, Scaling::Absmax, 43.80);
    row("int4", 128, Scaling::Absmax, 18.63);
    row("int8", 32, Scaling::Absmax, 45.45);
    row("int4", 32, Scaling::Absmax, 20.27);
    row("int4", 128, Scaling::Minmax, 19.96);
    row("int4", 0, Scaling::Absmax, 13.46);
    row("fp8", 0, Scaling::Absmax, 31.55);
    row("fp8", 0, Scaling::None, 31.52);
    row("e5m2", 0, Scaling::Absmax, 25.57);
    row("mxfp8", 0, Scaling::Absmax, 30.65);
    row("mxfp8_e5m2", 0, Scaling::Absmax, 25.36);
    row("mxfp6", 0, Scaling::Absmax, 30.95);
    row("mxfp6_e3m2", 0, Scaling::Absmax, 25.36);
    row("mxfp4", 0, Scaling::Absmax, 18.79);
    row("nvfp4", 0, Scaling::Absmax, 20.44);
    row("q4_0", 0, Scaling::Absmax, 21.32);
    row("q8_0", 0, Scaling::Absmax, 45.44);
}

void TestQuantize::publishedSqnr()
{
    QFETCH(QByteArray, format);
    QFETCH(int, group);
    QFETCH(int, scaling);
    QFETCH(double, sqnr);
    const auto scheme = schemeOf(format.constData(), group ? Granularity::Group : Granularity::Tensor,
                                 static_cast<std::uint32_t>(group), static_cast<Scaling>(scaling));
    const double got = errorOf(reference(), backAndForth(reference(), scheme)).sqnr();
    QVERIFY2(std::fabs(got - sqnr) < 0.01, QByteArray::number(got, 'f', 3)); // to the last digit of the table
}

void TestQuantize::fastCastIsTheExactOne_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const QuantFormat& format : quantFormats())
        if (format.kind == QuantKind::Float || format.kind == QuantKind::Integer)
            QTest::newRow(format.id.data()) << QByteArray(format.id.data());
}

void TestQuantize::fastCastIsTheExactOne()
{
    QFETCH(QByteArray, id);
    const NumberFormat& format = *findFormat(id.data());
    std::vector<double> values{0.0, -0.0, 1e-320, -1e-320, 1e149, -1e149, format.largest(), -format.largest()};
    Rng rng(11);
    const int low = format.integer ? -3 : std::ilogb(format.smallest()) - 3, high = std::ilogb(format.largest()) + 3;
    for (int i = 0; i < 100000; ++i) {
        const int exponent = low + static_cast<int>(rng.next() % static_cast<std::uint64_t>(high - low));
        const double value = std::ldexp(rng.uniform() * 2 - 1, exponent);
        values.push_back(value);
        const Encoded encoded = encode(format, value, Rounding::Down, Overflow::Saturate);
        const double below = decode(format, encoded.bits);
        values.push_back(below + spacingAt(format, encoded.bits) / 2); // a tie
    }
    const auto quantized = quantize(values, values.size(), schemeOf(id.data(), Granularity::Tensor, 0, Scaling::None));
    QVERIFY(quantized);
    const auto out = restored(*quantized);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = encode(format, values[i], Rounding::NearestEven, Overflow::Saturate).bits;
        const double wanted = decode(format, bits);
        if (!format.integer)
            QCOMPARE(std::uint64_t{static_cast<std::uint32_t>(quantized->codes[i])}, bits);
        if (out[i] != wanted)
            QFAIL(QByteArray::number(values[i], 'g', 17) + " became " + QByteArray::number(out[i], 'g', 17));
    }
}

void TestQuantize::integersStayWithinHalfAStep()
{
    const auto values = drawSamples(Distribution::Laplace, 10000, 3);
    for (const Scaling scaling : {Scaling::Absmax, Scaling::Minmax})
        for (const char* format : {"int8", "int4", "int3", "int2"}) {
            const auto quantized = *quantize(values, 1000, schemeOf(format, Granularity::Channel, 0, scaling));
            QCOMPARE(quantized.scales.size(), std::size_t{10});
            const auto out = restored(quantized);
            const double most = scaling == Scaling::Minmax ? 1.0 : 0.5; // the zero point is rounded too
            for (std::size_t i = 0; i < values.size(); ++i)
                QVERIFY(std::fabs(values[i] - out[i]) <= quantized.scales[i / 1000] * (most + 1e-12));
        }
    // absmax: the largest becomes 127, and its negative -127, exactly
    const auto pair = *quantize(std::vector<double>{3, -3, 1}, 3, schemeOf("int8"));
    QCOMPARE(pair.codes, (std::vector<std::int32_t>{127, -127, 42}));
    // halves to even: 2.5 and 3.5 steps
    const auto ties = *quantize(std::vector<double>{7, 2.5, 3.5, -2.5, 0.5}, 5, schemeOf("int4"));
    QCOMPARE(ties.codes, (std::vector<std::int32_t>{7, 2, 4, -2, 0}));
    // none: scale 1, and -128 is used
    const auto plain =
        *quantize(std::vector<double>{-200, 200, 0.6}, 3, schemeOf("int8", Granularity::Tensor, 0, Scaling::None));
    QCOMPARE(plain.codes, (std::vector<std::int32_t>{-128, 127, 1}));
}

void TestQuantize::zeroPointKeepsZero()
{
    const std::vector<double> values{-1, 0, 2};
    const auto quantized = *quantize(values, 3, schemeOf("int4", Granularity::Tensor, 0, Scaling::Minmax));
    QCOMPARE(quantized.scales[0], 0.2); // 3 / 15
    QCOMPARE(quantized.zeros[0], 5);
    QCOMPARE(quantized.codes, (std::vector<std::int32_t>{0, 5, 15}));
    QCOMPARE(restored(quantized)[1], 0.0);
    // all above 0: the range is widened, so that 0 has a code
    const auto above =
        *quantize(std::vector<double>{2, 3}, 2, schemeOf("int4", Granularity::Tensor, 0, Scaling::Minmax));
    QCOMPARE(above.zeros[0], 0);
    QCOMPARE(above.codes, (std::vector<std::int32_t>{10, 15}));
}

void TestQuantize::blockScales()
{
    // OCP MX 6.3: amax 3 -> 2^(1 - 2), and 3 is 6 times that; amax 7.9 -> 1, and 7.9 becomes 6
    QCOMPARE(quantize(std::vector<double>{3, 1}, 2, schemeOf("mxfp4"))->scales[0], 0.5);
    QCOMPARE(backAndForth({3, 1}, schemeOf("mxfp4")), (std::vector<double>{3, 1}));
    QCOMPARE(backAndForth({7.9, 1}, schemeOf("mxfp4")), (std::vector<double>{6, 1}));
    QCOMPARE(quantize(std::vector<double>{3}, 1, schemeOf("mxfp8"))->scales[0], 0x1p-7);
    QCOMPARE(quantize(std::vector<double>{3}, 1, schemeOf("mxfp8_e5m2"))->scales[0], 0x1p-14);
    QCOMPARE(quantize(std::vector<double>{3}, 1, schemeOf("mxfp6"))->scales[0], 0.5);
    QCOMPARE(quantize(std::vector<double>{3}, 1, schemeOf("mxfp6_e3m2"))->scales[0], 0.125);
    QCOMPARE(quantize(std::vector<double>{0}, 1, schemeOf("mxfp4"))->scales[0], 0x1p-127);
    QCOMPARE(quantize(std::vector<double>{1e100}, 1, schemeOf("mxfp4"))->scales[0], 0x1p127);
    // A second block has its own scale.
    std::vector<double> two(64, 1.0);
    two[40] = 100;
    QCOMPARE(quantize(two, 64, schemeOf("mxfp4"))->scales, (std::vector<double>{0.25, 16}));
    // NVFP4: the largest block has scale 448 of the tensor's, and its amax comes back
    std::vector<double> nv(32, 0.5);
    nv[0] = 6;
    const auto quantized = *quantize(nv, 32, schemeOf("nvfp4"));
    QCOMPARE(quantized.scales.size(), std::size_t{2});
    QVERIFY(std::fabs(quantized.scales[0] - 1) < 1e-7);
    // amax 0.5 / 6 over 6 / 2688 is 37.33, 36 in e4m3
    QVERIFY(std::fabs(quantized.scales[1] - 36 * 6.0 / 2688) < 1e-7);
    const auto out = restored(quantized);
    QVERIFY(std::fabs(out[0] - 6) < 1e-6);
    QCOMPARE(quantized.codes[20], 7); // 0.5 / 0.0804 is 6.2: the largest
}

void TestQuantize::groupsDoNotCrossRows()
{
    const std::vector<double> values(200, 1.0); // rows of 96, 96 and 8
    QCOMPARE(quantize(values, 96, schemeOf("int8", Granularity::Group, 64))->scales.size(), std::size_t{5});
    QCOMPARE(quantize(values, 96, schemeOf("int8", Granularity::Channel))->scales.size(), std::size_t{3});
    QCOMPARE(quantize(values, 96, schemeOf("int8", Granularity::Tensor))->scales.size(), std::size_t{1});
    QCOMPARE(quantize(values, 96, schemeOf("mxfp4"))->scales.size(), std::size_t{7});
    QCOMPARE(quantize(values, 96, schemeOf("nvfp4"))->scales.size(), std::size_t{13});
    // bitsandbytes' blocks run across rows: small numbers beside large ones become 0. Ours do not.
    std::vector<double> rows(192, 0.3);
    std::fill(rows.begin() + 96, rows.end(), 100.0);
    const auto out = backAndForth(rows, schemeOf("int4", Granularity::Group, 64), 96);
    for (std::size_t i = 0; i < 96; ++i)
        QVERIFY(std::fabs(out[i] - 0.3) < 1e-12);
}

void TestQuantize::groupsHelpAgainstOutliers()
{
    const auto values = drawSamples(Distribution::NormalOutliers, 1u << 18, 5);
    double before = -100;
    for (const std::uint32_t group : {0u, 128u, 64u, 32u, 16u}) {
        const auto scheme = schemeOf("int8", group ? Granularity::Group : Granularity::Tensor, group);
        const double sqnr = errorOf(values, backAndForth(values, scheme)).sqnr();
        QVERIFY(sqnr > before);
        before = sqnr;
    }
}

void TestQuantize::bitsAnElement_data()
{
    QTest::addColumn<int>("group");
    QTest::addColumn<int>("scaling");
    QTest::addColumn<double>("bits");
    const int absmax = static_cast<int>(Scaling::Absmax), minmax = static_cast<int>(Scaling::Minmax);
    QTest::newRow("mxfp4") << 0 << absmax << 4.25;
    QTest::newRow("nvfp4") << 0 << absmax << 4.5 + 32.0 / 65536; // and the tensor's scale
    QTest::newRow("mxfp6") << 0 << absmax << 6.25;
    QTest::newRow("mxfp8") << 0 << absmax << 8.25;
    QTest::newRow("int4") << 128 << absmax << 4.125;
    QTest::newRow("int4 ") << 128 << minmax << 4.125 + 0.03125;
    QTest::newRow("q4_0") << 0 << absmax << 4.5;
    QTest::newRow("q4_1") << 0 << absmax << 5.0;
    QTest::newRow("q8_0") << 0 << absmax << 8.5;
    QTest::newRow("q4_k") << 0 << absmax << 4.5;
    QTest::newRow("q6_k") << 0 << absmax << 6.5625;
    QTest::newRow("fp16") << 0 << static_cast<int>(Scaling::None) << 16.0;
}

void TestQuantize::bitsAnElement()
{
    QFETCH(int, group);
    QFETCH(int, scaling);
    QFETCH(double, bits);
    const auto values = drawSamples(Distribution::Normal, 65536, 1);
    const QByteArray id = QByteArray(QTest::currentDataTag()).trimmed();
    const auto quantized = quantize(values, 4096,
                                    schemeOf(id.constData(), group ? Granularity::Group : Granularity::Tensor,
                                             static_cast<std::uint32_t>(group), static_cast<Scaling>(scaling)));
    QCOMPARE(quantized->bitsPerElement(), bits);
}

void TestQuantize::extremes_data()
{
    QTest::addColumn<QByteArray>("id");
    for (const QuantFormat& format : quantFormats())
        QTest::newRow(format.id.data()) << QByteArray(format.id.data());
}

void TestQuantize::extremes()
{
    QFETCH(QByteArray, id);
    const QuantFormat& format = *findQuantFormat(id.constData());
    const std::size_t count = std::max<std::size_t>(format.block, 4);
    const std::vector<double> zeros(count, 0.0), tiny(count, 1e-310);
    for (const Scaling scaling : {Scaling::None, Scaling::Absmax, Scaling::Minmax}) {
        if (scaling == Scaling::Minmax && format.kind == QuantKind::Float)
            continue;
        const auto scheme = schemeOf(id.data(), Granularity::Tensor, 0, scaling);
        QCOMPARE(backAndForth(zeros, scheme, count), zeros);
        for (const double value : backAndForth(tiny, scheme, count))
            QVERIFY(std::isfinite(value));
        if (format.kind == QuantKind::Gguf)
            continue;
        std::vector<double> huge(count, 1.0);
        huge[1] = -kLargestSample;
        huge[2] = kLargestSample;
        for (const double value : backAndForth(huge, scheme, count))
            QVERIFY(std::isfinite(value));
    }
}

void TestQuantize::refusals()
{
    const std::vector<double> values(100, 1.0);
    const auto codeOf = [](const Result<Quantized>& result) {
        return QByteArray::fromStdString(result ? std::string("none") : result.error().code);
    };
    QVERIFY(!findQuantFormat("int1"));
    QCOMPARE(codeOf(quantize(values, 10, {})), QByteArray("bad-scheme"));
    QCOMPARE(codeOf(quantize({}, 10, schemeOf("int8"))), QByteArray("bad-scheme"));
    QCOMPARE(codeOf(quantize(values, 0, schemeOf("int8"))), QByteArray("bad-scheme"));
    QCOMPARE(codeOf(quantize(values, 10, schemeOf("int8", Granularity::Group, 0))), QByteArray("bad-scheme"));
    QCOMPARE(codeOf(quantize(values, 10, schemeOf("e4m3", Granularity::Tensor, 0, Scaling::Minmax))),
             QByteArray("bad-scheme"));
    const auto short33 = quantize(std::vector<double>(66, 1.0), 33, schemeOf("q8_0"));
    QCOMPARE(codeOf(short33), QByteArray("bad-scheme"));
    QVERIFY(short33.error().message.find("blocks of 32 elements and pads nothing") != std::string::npos);
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e151}) {
        auto with = values;
        with[7] = bad;
        const auto refused = quantize(with, 10, schemeOf("int8"));
        QCOMPARE(codeOf(refused), QByteArray("bad-sample"));
        QCOMPARE(refused.error().place, std::string("sample 7"));
    }
    QCOMPARE(codeOf(quantize(std::vector<double>(32, 1e8), 32, schemeOf("q8_0"))), QByteArray("bad-sample"));
}

QTEST_APPLESS_MAIN(TestQuantize)
#include "tst_quantize.moc"
