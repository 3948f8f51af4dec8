// SPDX-License-Identifier: GPL-3.0-or-later
// Every pattern of every format of 16 bits and fewer, and every cast around it, held to a list of its numbers that is
// made by counting: steps of equal size that double from one exponent to the next.
#include "base/json.h"
#include "labs/harness/half_bits.h"
#include "labs/harness/small_formats.h"
#include "memory/formats.h"

#include <QtTest>

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>

using namespace ridge;
using namespace ridge::memory;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The finite numbers from 0 on (e8m0: from the smallest), the code of each is its place.
std::vector<double> countedNumbers(const NumberFormat& format)
{
    std::vector<double> numbers;
    if (format.integer) {
        double step = 1;
        for (int i = 0; i < -format.unit; ++i)
            step /= 2;
        for (int i = 0; i < 1 << format.fractionBits; ++i)
            numbers.push_back(i * step);
        return numbers;
    }
    const int perExponent = 1 << format.fractionBits;
    int codes = perExponent << format.exponentBits;
    if (format.specials == Specials::Ieee)
        codes -= perExponent;
    if (format.specials == Specials::LastIsNan)
        codes -= 1;
    double step = 1; // of the smallest exponent
    for (int i = 0; i < (format.subnormals ? format.bias - 1 : format.bias) + format.fractionBits; ++i)
        step /= 2;
    double value = format.subnormals ? 0 : step * perExponent;
    for (int code = 0; code < codes; ++code) {
        numbers.push_back(value);
        value += step;
        const bool exponentEnds = (code + 1) % perExponent == 0;
        if (exponentEnds &&
            (code + 1 > perExponent || !format.subnormals)) // the first normal one steps as subnormals do
            step *= 2;
    }
    return numbers;
}

/// What a rounding makes of `value` between neighbouring numbers: by comparison with their exact middle.
double roundedBetween(double value, double low, double high, bool lowIsEven, Rounding rounding)
{
    if (value == low || value == high)
        return value;
    const double middle = low + (high - low) / 2;
    const double outer = low < 0 || high <= 0 ? low : high, inner = outer == low ? high : low;
    switch (rounding) {
    case Rounding::TowardZero:
        return inner;
    case Rounding::Up:
        return high;
    case Rounding::Down:
        return low;
    case Rounding::NearestAway:
        return value == middle ? outer : value < middle ? low : high;
    default:
        return value == middle ? (lowIsEven ? low : high) : value < middle ? low : high;
    }
}

constexpr Rounding kDirections[] = {Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Up,
                                    Rounding::Down};

bool same(double a, double b)
{
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

QByteArray about(double value, double got, double wanted)
{
    return QByteArray::number(value, 'g', 17) + " became " + QByteArray::number(got, 'g', 17) + ", not " +
           QByteArray::number(wanted, 'g', 17);
}

void addFormats(int mostBits)
{
    QTest::addColumn<QByteArray>("id");
    for (const NumberFormat& format : numberFormats())
        if (format.bits() <= mostBits)
            QTest::newRow(format.id.data()) << QByteArray(format.id.data());
}

double cast(const char* format, double value, Rounding rounding, Overflow overflow)
{
    const NumberFormat& found = *findFormat(format);
    return decode(found, encode(found, value, rounding, overflow).bits);
}

} // namespace

class TestFormats : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPattern_data() { addFormats(16); }
    void everyPattern();
    void everyCast_data() { addFormats(16); }
    void everyCast();
    void neighbours_data() { addFormats(16); }
    void neighbours();
    void publishedLimits_data();
    void publishedLimits();
    void overflowIsExplicit();
    void noNumbers();
    void scaleOfMx();
    void agreesWithTheHarness();
    void wideFormats();
    void stochasticKeepsTheMean();
    void ownFormats();
    void castsOfLibraries();
};

void TestFormats::everyPattern()
{
    QFETCH(QByteArray, id);
    const NumberFormat& format = *findFormat(id.data());
    const std::vector<double> numbers = countedNumbers(format);
    const std::uint64_t patterns = std::uint64_t{1} << format.bits();
    const std::uint64_t sign = format.hasSign ? patterns / 2 : patterns;
    for (std::uint64_t bits = 0; bits < patterns; ++bits) {
        const bool negative = bits >= sign;
        const std::uint64_t code = bits % sign;
        double wanted = std::numeric_limits<double>::quiet_NaN();
        if (format.integer)
            wanted = negative ? -numbers[sign - 1 - code] - numbers[1] : numbers[code];
        else if (format.specials == Specials::NegativeZeroIsNan && negative && code == 0)
            wanted = std::numeric_limits<double>::quiet_NaN();
        else if (code < numbers.size())
            wanted = negative ? -numbers[code] : numbers[code];
        else if (format.specials == Specials::Ieee && code == numbers.size())
            wanted = negative ? -kInfinity : kInfinity;
        QVERIFY2(same(decode(format, bits), wanted),
                 about(static_cast<double>(bits), decode(format, bits), wanted).constData());
        if (std::isnan(wanted))
            continue;
        const Overflow overflow = format.hasInfinity() ? Overflow::Infinity : Overflow::Saturate;
        for (const Rounding rounding : kDirections) { // a number of the format is itself
            const Encoded back = encode(format, wanted, rounding, overflow);
            if (back.bits != bits || (back.inexact && (wanted != 0 || format.subnormals)))
                QFAIL(about(wanted, decode(format, back.bits), wanted).constData());
        }
    }
}

void TestFormats::everyCast()
{
    QFETCH(QByteArray, id);
    const NumberFormat& format = *findFormat(id.data());
    std::vector<double> numbers = countedNumbers(format);
    std::vector<double> all; // by value
    std::vector<bool> even;
    if (format.hasSign) {
        if (format.integer)
            all.push_back(-numbers.back() - numbers[1]);
        for (std::size_t i = numbers.size(); i-- > 1;)
            all.push_back(-numbers[i]);
    }
    all.insert(all.end(), numbers.begin(), numbers.end());
    for (const double value : all) { // the last bit of the significand: of e8m0 it is always 1, so ties go up
        const auto place = std::lower_bound(numbers.begin(), numbers.end(), std::fabs(value)) - numbers.begin();
        even.push_back(format.subnormals ? place % 2 == 0 : false);
    }
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const double low = all[i], high = all[i + 1], middle = low + (high - low) / 2;
        const double inside[] = {
            std::nextafter(low, kInfinity),    low + (high - low) / 4,  std::nextafter(middle, -kInfinity), middle,
            std::nextafter(middle, kInfinity), high - (high - low) / 4, std::nextafter(high, -kInfinity)};
        for (const double value : inside)
            for (const Rounding rounding : kDirections) {
                const double wanted = roundedBetween(value, low, high, even[i], rounding);
                const Encoded encoded = encode(format, value, rounding, Overflow::Saturate);
                const double got = decode(format, encoded.bits);
                if (got != wanted || !encoded.inexact || encoded.overflow)
                    QFAIL(about(value, got, wanted).constData());
            }
    }
    const double last = all.back(), gap = last - all[all.size() - 2];
    const double next = last + (format.subnormals ? gap : last); // that the format would have, had it more patterns
    const double middle = last + (next - last) / 2;
    const auto over = [&](double value, Rounding rounding) {
        return encode(format, value, rounding, Overflow::Saturate).overflow;
    };
    QVERIFY(!over(std::nextafter(middle, 0), Rounding::NearestEven));
    QVERIFY(over(std::nextafter(middle, kInfinity), Rounding::NearestEven));
    QVERIFY(over(middle, Rounding::NearestAway));
    QVERIFY(over(next, Rounding::TowardZero));
    QVERIFY(!over(std::nextafter(next, 0), Rounding::TowardZero));
    for (const double value : {middle, next, 4 * next, std::numeric_limits<double>::max(), kInfinity})
        QCOMPARE(decode(format, encode(format, value, Rounding::NearestEven, Overflow::Saturate).bits), last);
}

void TestFormats::neighbours()
{
    QFETCH(QByteArray, id);
    const NumberFormat& format = *findFormat(id.data());
    const std::uint64_t patterns = std::uint64_t{1} << format.bits();
    for (std::uint64_t bits = 0; bits < patterns; ++bits) {
        const double here = decode(format, bits);
        for (const bool above : {false, true}) {
            const auto next = neighbour(format, bits, above);
            if (!std::isfinite(here)) {
                QVERIFY(!next);
                continue;
            }
            if (!next) { // the end of the format
                const double end = above            ? format.largest()
                                   : format.integer ? -format.largest() - format.smallest()
                                   : format.hasSign ? -format.largest()
                                                    : format.smallest();
                QCOMPARE(here, end);
                continue;
            }
            const double there = decode(format, *next);
            QVERIFY(above ? there > here : there < here);
            const double middle = here + (there - here) / 2; // nothing lies between
            const double down = decode(format, encode(format, middle, Rounding::Down, Overflow::Saturate).bits);
            const double up = decode(format, encode(format, middle, Rounding::Up, Overflow::Saturate).bits);
            QCOMPARE(std::min(down, up), std::min(here, there));
            QCOMPARE(std::max(down, up), std::max(here, there));
            if (std::fabs(there) > std::fabs(here) && neighbour(format, *next, above))
                QCOMPARE(spacingAt(format, bits), std::fabs(there - here));
        }
    }
}

void TestFormats::publishedLimits_data()
{
    QTest::addColumn<double>("largest");
    QTest::addColumn<double>("smallestNormal");
    QTest::addColumn<double>("smallest");
    // OCP OFP8 v1.0 table 1, OCP MX v1.0 tables 1 to 5, IEEE 754, PTX ISA for bf16 and tf32.
    QTest::newRow("e4m3") << 448.0 << 0x1p-6 << 0x1p-9;
    QTest::newRow("e5m2") << 57344.0 << 0x1p-14 << 0x1p-16;
    QTest::newRow("e3m2") << 28.0 << 0.25 << 0.0625;
    QTest::newRow("e2m3") << 7.5 << 1.0 << 0.125;
    QTest::newRow("e2m1") << 6.0 << 1.0 << 0.5;
    QTest::newRow("e8m0") << 0x1p127 << 0x1p-127 << 0x1p-127;
    QTest::newRow("e3m4") << 15.5 << 0.25 << 0x1p-6;
    QTest::newRow("e4m3fnuz") << 240.0 << 0x1p-7 << 0x1p-10;
    QTest::newRow("e5m2fnuz") << 57344.0 << 0x1p-15 << 0x1p-17;
    QTest::newRow("fp16") << 65504.0 << 0x1p-14 << 0x1p-24;
    QTest::newRow("bf16") << 0x1.fep127 << 0x1p-126 << 0x1p-133;
    QTest::newRow("tf32") << 0x1.ffcp127 << 0x1p-126 << 0x1p-136;
    QTest::newRow("fp32") << 0x1.fffffep127 << 0x1p-126 << 0x1p-149;
    QTest::newRow("fp64") << 0x1.fffffffffffffp1023 << 0x1p-1022 << 0x1p-1074;
    QTest::newRow("int8") << 127.0 << 1.0 << 1.0;
    QTest::newRow("mxint8") << 1.984375 << 0x1p-6 << 0x1p-6;
    QTest::newRow("fp8") << 448.0 << 0x1p-6 << 0x1p-9;
    QTest::newRow("fp4") << 6.0 << 1.0 << 0.5;
}

void TestFormats::publishedLimits()
{
    QFETCH(double, largest);
    QFETCH(double, smallestNormal);
    QFETCH(double, smallest);
    const NumberFormat* format = findFormat(QTest::currentDataTag());
    QVERIFY(format);
    QVERIFY(checkFormat(*format));
    QCOMPARE(format->largest(), largest);
    QCOMPARE(format->smallestNormal(), smallestNormal);
    QCOMPARE(format->smallest(), smallest);
}

void TestFormats::overflowIsExplicit()
{
    const auto even = Rounding::NearestEven;
    // 448 + 16 is the middle to 480, which e4m3 does not have: to even is 448.
    QCOMPARE(cast("e4m3", 464, even, Overflow::Nan), 448.0);
    QVERIFY(std::isnan(cast("e4m3", 465, even, Overflow::Nan)));
    QCOMPARE(cast("e4m3", 465, even, Overflow::Saturate), 448.0);
    QCOMPARE(cast("e4m3", -kInfinity, even, Overflow::Saturate), -448.0);
    QVERIFY(std::isnan(cast("e4m3", kInfinity, even, Overflow::Nan)));
    QCOMPARE(cast("e5m2", 61440, even, Overflow::Infinity), kInfinity);
    QCOMPARE(cast("e5m2", 61439, even, Overflow::Infinity), 57344.0);
    QCOMPARE(cast("fp16", -65520, even, Overflow::Infinity), -kInfinity);
    // IEEE 754, 7.4: towards zero an overflow stops at the largest.
    QCOMPARE(cast("fp16", 1e6, Rounding::TowardZero, Overflow::Infinity), 65504.0);
    QCOMPARE(cast("fp16", 1e6, Rounding::Down, Overflow::Infinity), 65504.0);
    QCOMPARE(cast("fp16", -1e6, Rounding::Up, Overflow::Infinity), -65504.0);
    QCOMPARE(cast("fp16", -1e6, Rounding::Down, Overflow::Infinity), -kInfinity);
    QCOMPARE(cast("fp16", kInfinity, Rounding::TowardZero, Overflow::Infinity), kInfinity);
    QCOMPARE(cast("int8", 127.5, even, Overflow::Saturate), 127.0);
    QCOMPARE(cast("int8", -128.5, even, Overflow::Saturate), -128.0);
    QCOMPARE(cast("int4", 2.5, even, Overflow::Saturate), 2.0);
    for (const char* id : {"e4m3", "e5m2", "e2m1", "int8", "e8m0"})
        QCOMPARE(usualOverflow(*findFormat(id)), Overflow::Saturate);
    for (const char* id : {"fp16", "bf16", "fp32"})
        QCOMPARE(usualOverflow(*findFormat(id)), Overflow::Infinity);
    QCOMPARE(QByteArray::fromStdString(checkOverflow(*findFormat("e4m3"), Overflow::Infinity).error().message),
             QByteArray("e4m3 has no infinity"));
    QCOMPARE(QByteArray::fromStdString(checkOverflow(*findFormat("e2m1"), Overflow::Nan).error().fix),
             QByteArray("take saturate"));
    QVERIFY(checkOverflow(*findFormat("e5m2"), Overflow::Nan));
    QVERIFY(!findFormat("fp12"));
}

void TestFormats::noNumbers()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto bitsOf = [](const char* id, double value) { return encode(*findFormat(id), value).bits; };
    QCOMPARE(bitsOf("e4m3", nan), 0x7fULL);
    QCOMPARE(bitsOf("e4m3", std::copysign(nan, -1.0)), 0xffULL);
    QCOMPARE(bitsOf("e5m2", nan), 0x7eULL);
    QCOMPARE(bitsOf("fp16", nan), 0x7e00ULL);
    QCOMPARE(bitsOf("e4m3fnuz", nan), 0x80ULL);
    QCOMPARE(bitsOf("e4m3fnuz", -0.0), 0x00ULL);
    QCOMPARE(bitsOf("e4m3fnuz", -1e-9), 0x00ULL); // there is no -0 that it could become
    QCOMPARE(bitsOf("e2m1", nan), 0x7ULL);        // as cvt.rn.satfinite.e2m1x2 of PTX: the largest number
    QCOMPARE(bitsOf("int8", nan), 0x00ULL);
    QCOMPARE(bitsOf("e2m1", -0.0), 0x8ULL);
    QVERIFY(encode(*findFormat("e2m1"), nan).inexact);
}

void TestFormats::scaleOfMx()
{
    const auto bitsOf = [](double value) { return encode(*findFormat("e8m0"), value).bits; };
    QCOMPARE(bitsOf(1), 127ULL);
    QCOMPARE(bitsOf(1.5), 128ULL); // ties go up, as ml_dtypes and torch have it
    QCOMPARE(bitsOf(3), 129ULL);
    QCOMPARE(bitsOf(2.9), 128ULL);
    QCOMPARE(bitsOf(0), 0ULL);
    QCOMPARE(bitsOf(1e-300), 0ULL);
    QCOMPARE(bitsOf(-1), 255ULL); // NaN
    QCOMPARE(bitsOf(1e300), 254ULL);
    QVERIFY(std::isnan(decode(*findFormat("e8m0"), 255)));
}

void TestFormats::agreesWithTheHarness()
{
    const std::pair<const char*, labs::SmallFormat> pairs[] = {{"fp32", labs::kFp32},
                                                               {"tf32", labs::kTf32},
                                                               {"fp16", labs::kFp16},
                                                               {"bf16", labs::kBf16},
                                                               {"e4m3", labs::kE4m3}};
    Rng rng(37);
    for (const auto& [id, other] : pairs) {
        const NumberFormat& format = *findFormat(id);
        for (int i = 0; i < 200000; ++i) {
            const double value = std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.next() % 300) - 150);
            QCOMPARE(encode(format, value).bits, std::uint64_t{labs::roundTo(other, value)});
        }
        for (std::uint32_t bits = 0; bits < 1u << std::min(format.bits(), 19); ++bits)
            QVERIFY(same(decode(format, bits), labs::valueOf(other, bits)) ||
                    (std::isnan(decode(format, bits)) && std::isnan(labs::valueOf(other, bits))));
    }
    const NumberFormat& half = *findFormat("fp16");
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
        if (std::isfinite(decode(half, bits)))
            QCOMPARE(labs::fromHalf(static_cast<std::uint16_t>(bits)), decode(half, bits));
    for (int i = 0; i < 200000; ++i) {
        const double value = std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.next() % 45) - 30);
        QCOMPARE(encode(half, value).bits, std::uint64_t{labs::toHalf(value)});
    }
}

void TestFormats::wideFormats()
{
    Rng rng(5);
    for (int i = 0; i < 200000; ++i) {
        const std::uint64_t bits = rng.next();
        const double value = std::bit_cast<double>(bits);
        if (std::isnan(value))
            continue;
        QCOMPARE(encode(*findFormat("fp64"), value).bits, bits);
        QVERIFY(same(decode(*findFormat("fp64"), bits), value));
        const auto narrow = static_cast<float>(value); // the processor's own cast
        QCOMPARE(encode(*findFormat("fp32"), value).bits, std::uint64_t{std::bit_cast<std::uint32_t>(narrow)});
        const auto small = static_cast<float>(std::ldexp(rng.uniform(), -130)); // subnormals
        QCOMPARE(encode(*findFormat("fp32"), double{small}).bits, std::uint64_t{std::bit_cast<std::uint32_t>(small)});
        QCOMPARE(decode(*findFormat("fp32"), std::bit_cast<std::uint32_t>(small)), double{small});
    }
}

void TestFormats::stochasticKeepsTheMean()
{
    const NumberFormat& format = *findFormat("e4m3");
    Rng rng(1), again(1);
    constexpr int draws = 100000;
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
        const Encoded encoded = encode(format, 1.03, Rounding::Stochastic, Overflow::Saturate, &rng);
        QCOMPARE(encode(format, 1.03, Rounding::Stochastic, Overflow::Saturate, &again).bits, encoded.bits);
        const double value = decode(format, encoded.bits);
        QVERIFY(value == 1 || value == 1.125);
        sum += value;
    }
    // Upwards with 0.24; five standard deviations of the mean of so many draws.
    QVERIFY(std::fabs(sum / draws - 1.03) < 5 * 0.125 * std::sqrt(0.24 * 0.76 / draws));
    // Far below the smallest: a share of 2^-20 / 2^-9 goes up, and one of 2^-300 / 2^-9 never does.
    int ups = 0;
    for (int i = 0; i < draws; ++i) {
        ups += encode(format, 0x1p-20, Rounding::Stochastic, Overflow::Saturate, &rng).bits == 1;
        QCOMPARE(encode(format, 0x1p-300, Rounding::Stochastic, Overflow::Saturate, &rng).bits, 0ULL);
    }
    QVERIFY(ups > 20 && ups < 90); // 49 expected
    QCOMPARE(decode(format, encode(format, 1.125, Rounding::Stochastic, Overflow::Saturate, &rng).bits), 1.125);
}

void TestFormats::ownFormats()
{
    NumberFormat own; // of 12 bits, e6m5
    own.id = "own";
    own.exponentBits = 6;
    own.fractionBits = 5;
    own.bias = 31;
    QVERIFY(checkFormat(own));
    QCOMPARE(own.largest(), 0x1.f8p31);
    QCOMPARE(decode(own, encode(own, 1.0 / 3).bits), 43.0 / 128);
    const auto refused = [&](auto change) {
        NumberFormat bad = own;
        change(bad);
        return !checkFormat(bad);
    };
    QVERIFY(refused([](NumberFormat& f) { f.exponentBits = 0; }));
    QVERIFY(refused([](NumberFormat& f) { f.exponentBits = 12; }));
    QVERIFY(refused([](NumberFormat& f) { f.fractionBits = 53; }));
    QVERIFY(refused([](NumberFormat& f) { f.bias = 2000; }));
    QVERIFY(refused([](NumberFormat& f) { f.bias = -2000; }));
    QVERIFY(refused([](NumberFormat& f) { f.fractionBits = 0; }));
    QVERIFY(refused([](NumberFormat& f) {
        f.specials = Specials::NegativeZeroIsNan;
        f.hasSign = false;
    }));
    QVERIFY(refused([](NumberFormat& f) {
        f.integer = true;
        f.fractionBits = 60;
    }));
    for (const NumberFormat& format : numberFormats())
        QVERIFY2(checkFormat(format), format.id.data());
}

/// assets/formats/casts.json says which setting gives the same as a library, and "none" where no setting does.
void TestFormats::castsOfLibraries()
{
    const auto text = readFile(std::filesystem::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) /
                               "assets/formats/casts.json");
    QVERIFY(text);
    const auto number = [](const Json& json) {
        return json == "inf"   ? kInfinity
               : json == "nan" ? std::numeric_limits<double>::quiet_NaN()
                               : json.get<double>();
    };
    const char* names[] = {"saturate", "infinity", "nan"};
    const Json table = Json::parse(*text);
    QVERIFY(table["casts"].size() > 30);
    for (const Json& row : table["casts"]) {
        const NumberFormat* format = findFormat(row["format"].get<std::string>());
        QVERIFY(format);
        QVERIFY(!row["library"].get<std::string>().empty() && !row["version"].get<std::string>().empty());
        const std::string wanted = row["overflow"].get<std::string>();
        bool any = false;
        for (const Overflow overflow : {Overflow::Saturate, Overflow::Infinity, Overflow::Nan}) {
            if (!checkOverflow(*format, overflow))
                continue;
            const double got =
                decode(*format, encode(*format, number(row["value"]), Rounding::NearestEven, overflow).bits);
            const bool agrees = same(got, number(row["decoded"]));
            any = any || agrees;
            if (wanted == names[static_cast<int>(overflow)])
                QVERIFY2(agrees, row.dump().c_str());
        }
        QVERIFY2(any == (wanted != "none"), row.dump().c_str());
    }
}

QTEST_APPLESS_MAIN(TestFormats)
#include "tst_formats.moc"
