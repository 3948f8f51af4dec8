// SPDX-License-Identifier: GPL-3.0-or-later
// Held to gguf 0.19.0 (PyPI), which quantizes the simple types and dequantizes all: bytes and numbers below are its
// own.
#include "base/seed.h"
#include "memory/gguf_blocks.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <vector>

using namespace ridge;
using namespace ridge::memory;

class TestGgufBlocks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sizes_data();
    void sizes();
    void bytesOfGguf_data();
    void bytesOfGguf();
    void numbersOfGguf_data();
    void numbersOfGguf();
    void comesBack_data();
    void comesBack();
    void specialBlocks_data() { comesBack_data(); }
    void specialBlocks();
};

void TestGgufBlocks::sizes_data()
{
    QTest::addColumn<double>("bits"); // an element, as llama.cpp's table of types says
    QTest::newRow("q4_0") << 4.5;
    QTest::newRow("q4_1") << 5.0;
    QTest::newRow("q5_0") << 5.5;
    QTest::newRow("q5_1") << 6.0;
    QTest::newRow("q8_0") << 8.5;
    QTest::newRow("q2_k") << 2.625;
    QTest::newRow("q3_k") << 3.4375;
    QTest::newRow("q4_k") << 4.5;
    QTest::newRow("q5_k") << 5.5;
    QTest::newRow("q6_k") << 6.5625;
}

void TestGgufBlocks::sizes()
{
    QFETCH(double, bits);
    const GgufBlock* block = findGgufBlock(QTest::currentDataTag());
    QVERIFY(block);
    QCOMPARE(block->bitsPerElement(), bits);
}

void TestGgufBlocks::bytesOfGguf_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("q4_0") << QByteArray("44b8bf269c046ad148ae258ce369c137ad15");
    QTest::newRow("q4_1") << QByteArray("353840c340d962fb952eb751da731c963ec851ea");
    QTest::newRow("q5_0") << QByteArray("44b4d54aa5566e5c1908d493805c3b08d6b3817e3b29");
    QTest::newRow("q5_1") << QByteArray("133440c32ab55aa980a2d5f72a4c7f92c4e6193b6d80b3d5");
    QTest::newRow("q8_0") << QByteArray("4d28941eba43df6904a02ac44feb730fab34d05af57f1bb640dc64009c25c14be670");
}

void TestGgufBlocks::bytesOfGguf()
{
    QFETCH(QByteArray, bytes);
    const GgufBlock& block = *findGgufBlock(QTest::currentDataTag());
    std::vector<float> values;
    for (int i = 0; i < 32; ++i)
        values.push_back(static_cast<float>((i * 37) % 64 - 29) / 8 + static_cast<float>(i % 3) / 64);
    std::vector<std::uint8_t> out(block.bytes);
    QVERIFY(encodeGguf(block, values, out));
    QCOMPARE(QByteArray(reinterpret_cast<const char*>(out.data()), static_cast<qsizetype>(out.size())).toHex(), bytes);
}

void TestGgufBlocks::numbersOfGguf_data()
{
    QTest::addColumn<double>("sum"); // of number × its place
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("last");
    QTest::newRow("q4_k") << 418721.3358154297 << 26.94299316 << 19.09521484375;
    QTest::newRow("q5_k") << 1006160.6829833984 << 108.92297363 << -0.5;
    QTest::newRow("q6_k") << 352354.85485839844 << -67.18359375 << 16.39599609375;
}

void TestGgufBlocks::numbersOfGguf()
{
    QFETCH(double, sum);
    QFETCH(double, first);
    QFETCH(double, last);
    const GgufBlock& block = *findGgufBlock(QTest::currentDataTag());
    std::vector<std::uint8_t> bytes(block.bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(i * 73 + 5 + i / 7);
    const std::size_t scale = block.type == GgufType::Q6_K ? 208 : 0;
    bytes[scale] = 0x66; // 0.1
    bytes[scale + 1] = 0x2e;
    if (scale == 0) {
        bytes[2] = 0x00; // 0.125
        bytes[3] = 0x30;
    }
    std::vector<float> numbers(block.elements);
    decodeGguf(block, bytes, numbers);
    double got = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        got += double{numbers[i]} * static_cast<double>(i + 1);
    QCOMPARE(got, sum);
    QVERIFY(std::fabs(double{numbers.front()} - first) < 1e-7 * std::fabs(first));
    QCOMPARE(double{numbers.back()}, last);
}

void TestGgufBlocks::comesBack_data()
{
    QTest::addColumn<int>("unused");
    for (const GgufBlock& block : ggufBlocks())
        if (block.codec)
            QTest::newRow(block.id.data()) << 0;
}

/// Numbers that a block can hold exactly come back exactly, and all others within a step of their part.
void TestGgufBlocks::comesBack()
{
    const GgufBlock& block = *findGgufBlock(QTest::currentDataTag());
    Rng rng(3);
    std::vector<float> values(block.elements), numbers(block.elements);
    std::vector<std::uint8_t> bytes(block.bytes), again(block.bytes);
    for (int trial = 0; trial < 50; ++trial) {
        for (float& value : values)
            value = static_cast<float>(rng.uniform() * 2 - 1);
        QVERIFY(encodeGguf(block, values, bytes));
        decodeGguf(block, bytes, numbers);
        const int bits = block.id[1] - '0';
        const double step = 2 / (std::exp2(bits) - 1); // of the range -1 to 1
        for (std::size_t i = 0; i < values.size(); ++i)
            QVERIFY2(std::fabs(double{values[i]} - double{numbers[i]}) <= 1.01 * step,
                     QByteArray::number(double{values[i]}) + " became " + QByteArray::number(double{numbers[i]}));
    }
    QVERIFY(encodeGguf(block, values, again)); // the same numbers, the same bytes
    QCOMPARE(again, bytes);
}

void TestGgufBlocks::specialBlocks()
{
    const GgufBlock& block = *findGgufBlock(QTest::currentDataTag());
    std::vector<float> numbers(block.elements, 1);
    std::vector<std::uint8_t> bytes(block.bytes, 0xff);
    for (const float value : {0.0F, 1e-30F, 1e-42F}) { // nothing, and too small for an FP16 scale
        QVERIFY(encodeGguf(block, std::vector<float>(block.elements, value), bytes));
        decodeGguf(block, bytes, numbers);
        for (const float number : numbers)
            QCOMPARE(number, 0.0F);
    }
    QVERIFY(encodeGguf(block, std::vector<float>(block.elements, -2), bytes));
    decodeGguf(block, bytes, numbers);
    for (const float number : numbers)
        QVERIFY(std::fabs(number + 2) < 0.01F);
    std::vector<float> far(block.elements, 0);
    far[3] = 3e38F;
    QVERIFY(!encodeGguf(block, far, bytes));
    far[3] = std::numeric_limits<float>::infinity();
    QVERIFY(!encodeGguf(block, far, bytes));
    far[3] = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(!encodeGguf(block, far, bytes));
}

QTEST_APPLESS_MAIN(TestGgufBlocks)
#include "tst_gguf_blocks.moc"
