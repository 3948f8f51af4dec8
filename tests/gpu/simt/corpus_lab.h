// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests over the corpus (fixtures/corpus) share: its inputs, its compilers, how a part of it is loaded.
#pragma once

#include "simt_lab.h"

#include "gpu/simt/lanes/small_float.h"

#include <cmath>
#include <numeric>
#include <random>

namespace ridge::gpu::simt {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline std::vector<float> uniform(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& v : values)
        v = static_cast<float>(random() % 20001) / 10000.0f - 1.0f;
    return values;
}

/// Small whole numbers, whose sums of products are exact in any order.
inline std::vector<float> whole(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& v : values)
        v = static_cast<float>(static_cast<int>(random() % 9)) - 4.0f;
    return values;
}

inline std::vector<u16> halves(const std::vector<float>& values)
{
    std::vector<u16> bits;
    for (const float v : values)
        bits.push_back(halfNearest(v));
    return bits;
}

inline float half(float value)
{
    return halfToSingle(halfNearest(value));
}

inline float bfloat(float value)
{
    return bfloatToSingle(bfloatNearest(value));
}

inline bool near(float got, double expected, double relative)
{
    if (std::isnan(expected))
        return std::isnan(got);
    if (std::isinf(expected))
        return got == static_cast<float>(expected);
    return std::fabs(got - expected) <= relative * std::max(1e-30, std::fabs(expected));
}

/// One row for each compiler whose PTX is checked in.
inline void variants()
{
    QTest::addColumn<QString>("file");
    for (const char* compiler : {"nvcc", "clang"})
        QTest::newRow(compiler) << QString::fromLatin1(compiler);
}

inline bool load(Lab& lab, const char* part)
{
    QFETCH(QString, file);
    const std::string text = fixture((std::string("corpus/") + part + "." + file.toStdString() + ".ptx").c_str());
    return !text.empty() && lab.load(text);
}

} // namespace ridge::gpu::simt
